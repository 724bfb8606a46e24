/**
 * A representment: a dispute that is being contested. It exists on events only. Resource
 * "Representment (event object)". The specification lists seen values, not whole enumerations.
 */
import { z } from 'zod';
import { CARD_SCHEMES } from './alert.ts';
import {
  maybeAmountMinor,
  maybeDate,
  maybeText,
  maybeTimestamp,
  openEnum,
  text,
  timestamp,
} from './fields.ts';

/** Values seen of `dispute_status`. */
export const REPRESENTMENT_STATUSES = ['OPEN', 'LOST'] as const;

/** Reads a representment. */
export const representmentSchema = z.looseObject({
  id: text,
  organisation_id: text,
  merchant_id: maybeText,
  managed_by: openEnum(['PARTNER']).nullish(),
  service_type: openEnum(['PHYSICAL_GOODS', 'ONLINE_SERVICES', 'OFFLINE_SERVICES']).nullish(),
  dispute_stage: openEnum(['CHARGEBACK']).nullish(),
  dispute_reason: openEnum(['SUBSCRIPTION_CANCELED']).nullish(),
  dispute_reason_code: maybeText,
  dispute_schema: openEnum(CARD_SCHEMES).nullish(),
  dispute_status: openEnum(REPRESENTMENT_STATUSES),
  dispute_reference_id: maybeText,
  dispute_currency_code: maybeText,
  dispute_amount_in_cents: maybeAmountMinor,
  disputed_at: maybeTimestamp,
  /** Obey it; response windows differ per scheme and region, so it is never computed. */
  dispute_due_by: maybeTimestamp,
  transaction_reference_id: maybeText,
  transaction_currency_code: maybeText,
  transaction_amount_in_cents: maybeAmountMinor,
  transaction_authorisation_date: maybeDate,
  transaction_acquirer_reference_number: maybeText,
  created_at: timestamp,
  updated_at: timestamp,
});
export type Representment = z.infer<typeof representmentSchema>;
