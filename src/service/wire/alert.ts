/**
 * An alert: a network's notice that a cardholder disputes a payment, to be answered before its
 * deadline. Resource "Alert" of the specification.
 */
import { z } from 'zod';
import {
  maybeAmountMinor,
  maybeDate,
  maybeText,
  maybeTimestamp,
  openEnum,
  text,
  timestamp,
} from './fields.ts';

export const ALERT_STATUSES = ['ACTION_REQUIRED', 'RESOLVED', 'INVALID'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

/** Which programme raised it. `NETB_RDR` has refunded already: never refund again. */
export const ALERT_ENROLMENT_TYPES = ['NETA_ALERT', 'NETB_RDR'] as const;
export type AlertEnrolmentType = (typeof ALERT_ENROLMENT_TYPES)[number];

/** `CANCEL` and `REFUND_AND_CANCEL` are not for `CUSTOM_ORDERS` integrations. */
export const ALERT_ACTIONS = ['REFUND', 'ACCEPT_DISPUTE', 'CANCEL', 'REFUND_AND_CANCEL'] as const;
export type AlertAction = (typeof ALERT_ACTIONS)[number];

export const REFUND_OUTCOMES = ['REFUNDED', 'NOT_REFUNDED'] as const;
export type RefundOutcome = (typeof REFUND_OUTCOMES)[number];

/** The two schemes named as enumeration values. */
export const CARD_SCHEMES = ['SCHEME_A', 'SCHEME_B'] as const;
export type CardScheme = (typeof CARD_SCHEMES)[number];

/** Reads an alert, from an answer or an event. */
export const alertSchema = z.looseObject({
  id: text,
  organisation_id: text,
  merchant_id: maybeText,
  merchant_ids: z.array(z.string()).nullish(),
  enrolment_id: maybeText,
  enrolment_type: openEnum(ALERT_ENROLMENT_TYPES),
  status: openEnum(ALERT_STATUSES),
  note: maybeText,
  action_required_deadline: maybeTimestamp,
  transaction_amount_in_cents: maybeAmountMinor,
  transaction_currency_code: maybeText,
  transaction_authorised_at: maybeDate,
  transaction_authorisation_code: maybeText,
  transaction_acquirer_reference_number: maybeText,
  transaction_statement_descriptor: maybeText,
  transaction_card_bin: maybeText,
  transaction_card_last4: maybeText,
  transaction_card_issuer: maybeText,
  transaction_card_scheme: openEnum(CARD_SCHEMES).nullish(),
  transaction_network_id: maybeText,
  chargeback_reason_code: maybeText,
  transaction_refund_outcome: openEnum(REFUND_OUTCOMES).nullish(),
  subscription_cancel_outcome: maybeText,
  integration_id: maybeText,
  /** The `reference_id` of the matched transaction; null when unmatched. */
  integration_transaction_id: maybeText,
  created_at: timestamp,
  updated_at: timestamp,
});
export type Alert = z.infer<typeof alertSchema>;

/** Writes `PATCH /v1/alerts/{alert_id}`. */
export const alertActionSchema = z.strictObject({
  action: z.enum(ALERT_ACTIONS),
  note: z.string().optional(),
});
export type AlertActionBody = z.infer<typeof alertActionSchema>;
