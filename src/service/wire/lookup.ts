/**
 * A lookup: a network asked for order data (a digital receipt, or evidence). Resource "Lookup".
 *
 * Its spelling differs from every other resource: `enrollment_id`, `transaction_amount`,
 * `transaction_arn`, `transaction_auth_code`.
 */
import { z } from 'zod';
import { maybeAmountMinor, maybeDate, maybeText, openEnum, text, timestamp } from './fields.ts';

export const LOOKUP_TYPES = [
  'NETA_CONSUMER_CLARITY',
  'NETA_FIRST_PARTY_TRUST',
  'NETB_ORDER_INSIGHT',
  'NETB_COMPELLING_EVIDENCE_3',
] as const;
export type LookupType = (typeof LOOKUP_TYPES)[number];

export const LOOKUP_STATUSES = ['PENDING', 'SUCCEEDED', 'FAILED', 'TIMEOUT'] as const;
export type LookupStatus = (typeof LOOKUP_STATUSES)[number];

/** `SUCCEEDED` may later become `FAILED`: a case notice `DELETE` takes a deflection back. */
export const DEFLECTION_STATUSES = ['NOT_ATTEMPTED', 'PENDING', 'SUCCEEDED', 'FAILED'] as const;
export type DeflectionStatus = (typeof DEFLECTION_STATUSES)[number];

/** Reads a lookup, from an answer or an event. */
export const lookupSchema = z.looseObject({
  id: text,
  organisation_id: text,
  enrollment_id: maybeText,
  type: openEnum(LOOKUP_TYPES),
  parent_lookup_id: maybeText,
  lookup_status: openEnum(LOOKUP_STATUSES),
  deflection_status: openEnum(DEFLECTION_STATUSES).nullish(),
  transaction_card_bin: maybeText,
  transaction_card_last4: maybeText,
  transaction_arn: maybeText,
  transaction_auth_code: maybeText,
  /** Minor units, although its name does not say so. */
  transaction_amount: maybeAmountMinor,
  transaction_currency: maybeText,
  transaction_date: maybeDate,
  transaction_statement_descriptor: maybeText,
  transaction_network_id: maybeText,
  integration_id: maybeText,
  integration_transaction_id: maybeText,
  created_at: timestamp,
  updated_at: timestamp,
});
export type Lookup = z.infer<typeof lookupSchema>;
