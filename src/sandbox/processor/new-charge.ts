/** What may be chosen about a charge of the sandbox's processor. */
import { z } from 'zod';
import { amountMinorOut, timestampOut } from '../../service/wire/fields.ts';

const text = z.string().nullable().optional();

export const newChargeInput = z.strictObject({
  /** @default a new one */
  reference: z.string().min(1).optional(),
  /** @default 'captured' */
  status: z.enum(['authorised', 'captured', 'declined', 'voided']).optional(),
  amount_in_cents: amountMinorOut.optional(),
  currency: z.string().optional(),
  disputed: z.boolean().optional(),
  /** @default a day ago */
  authorised_at: timestampOut.optional(),
  card_brand: text,
  card_bin: text,
  card_last4: text,
  acquirer_reference_number: text,
  authorisation_code: text,
  order_reference: text,
  subscription_reference: text,
});
export type NewCharge = z.input<typeof newChargeInput>;
