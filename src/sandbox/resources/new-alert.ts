/**
 * What may be chosen about an alert that a network raises; the rest follows from its enrolment and
 * the clock.
 */
import { z } from 'zod';
import { ALERT_STATUSES, REFUND_OUTCOMES } from '../../service/wire/alert.ts';
import { amountMinorOut, dateOrTimestampOut } from '../../service/wire/fields.ts';

const text = z.string().nullable().optional();

export const newAlertInput = z.strictObject({
  /** The enrolment it comes through. @default the first `NETA_ALERT` one */
  enrolment_id: z.string().optional(),
  /** @default `ACTION_REQUIRED`; for RDR `RESOLVED`, with what the rulesets say */
  status: z.enum(ALERT_STATUSES).optional(),
  /** Hours from now to the deadline; may be negative. @default 48 */
  deadline_hours: z.number().optional(),
  note: text,
  amount_in_cents: amountMinorOut.optional(),
  currency_code: z.string().optional(),
  /** @default a day ago */
  authorised_at: dateOrTimestampOut.optional(),
  /** Null on purpose. @default made up */
  authorisation_code: text,
  /** Null on purpose. @default made up */
  acquirer_reference_number: text,
  /** Null on purpose. @default the first descriptor of the merchant's alert enrolment, or its name */
  statement_descriptor: text,
  card_bin: text,
  card_last4: text,
  card_issuer: text,
  card_scheme: text,
  network_id: text,
  reason_code: text,
  /** When orders are searched: at once, later as after a simulation, or never. @default 'now' */
  match: z.enum(['now', 'later', 'never']).optional(),
});
export type NewAlert = z.input<typeof newAlertInput>;

/** What the network or the service corrects about an alert later, whatever its status. */
export const alertChanges = z.strictObject({
  transaction_refund_outcome: z.enum(REFUND_OUTCOMES).nullable().optional(),
  subscription_cancel_outcome: text,
});
export type AlertChanges = z.input<typeof alertChanges>;
