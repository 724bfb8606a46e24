/**
 * Requests of the simulation endpoints, which work on test organisations only.
 *
 * Two bodies are not shown in the specification (lookups, scheme notices). They take the fields of
 * the resource they create; unknown ones pass, because the list cannot be complete.
 */
import { z } from 'zod';
import { ALERT_STATUSES, CARD_SCHEMES } from './alert.ts';
import { ENROLMENT_STATUSES } from './enrolment.ts';
import { amountMinorOut, currencyCode, dateOrTimestampOut, timestampOut } from './fields.ts';
import { ARN_LENGTH, AUTHORISATION_CODE_LENGTH } from './limits.ts';
import { DEFLECTION_STATUSES, LOOKUP_STATUSES, LOOKUP_TYPES } from './lookup.ts';
import { NOTICE_SCHEMES, NOTICE_TYPES, SCHEME_NOTICE_TYPES } from './scheme-notice.ts';

/** Writes `POST /v1/simulate/alerts`. RDR enrolments take `RESOLVED` or `INVALID` only. */
export const simulateAlertSchema = z.strictObject({
  organisation_id: z.string().min(1),
  enrolment_id: z.string().min(1),
  status: z.enum(ALERT_STATUSES),
  card_scheme: z.enum(CARD_SCHEMES),
  amount_in_cents: amountMinorOut,
  currency_code: currencyCode,
  transaction_acquirer_reference_number: z.string().length(ARN_LENGTH),
  transaction_authorisation_code: z.string().length(AUTHORISATION_CODE_LENGTH),
});
export type SimulateAlert = z.infer<typeof simulateAlertSchema>;

/** Writes `PATCH /v1/simulate/enrolments/{enrolment_id}`. `ENABLED` is the shown value. */
export const simulateEnrolmentSchema = z.strictObject({ status: z.enum(ENROLMENT_STATUSES) });
export type SimulateEnrolment = z.infer<typeof simulateEnrolmentSchema>;

const textOut = z.string().min(1).nullable().optional();

/** Writes `POST /v1/simulate/lookups`: any field of a lookup; null where it shall be null. */
export const simulateLookupSchema = z.looseObject({
  organisation_id: z.string().min(1),
  enrollment_id: z.string().min(1).optional(),
  type: z.enum(LOOKUP_TYPES),
  parent_lookup_id: textOut,
  lookup_status: z.enum(LOOKUP_STATUSES).optional(),
  deflection_status: z.enum(DEFLECTION_STATUSES).optional(),
  transaction_card_bin: textOut,
  transaction_card_last4: textOut,
  transaction_card_scheme: textOut,
  transaction_arn: textOut,
  transaction_auth_code: textOut,
  transaction_amount: amountMinorOut.optional(),
  transaction_currency: currencyCode.optional(),
  transaction_date: dateOrTimestampOut.optional(),
  transaction_statement_descriptor: textOut,
  transaction_network_id: textOut,
});
export type SimulateLookup = z.infer<typeof simulateLookupSchema>;

const amountOut = amountMinorOut.nullable().optional();
const momentOut = timestampOut.nullable().optional();
const dateOut = dateOrTimestampOut.nullable().optional();

/** Writes `POST /v1/simulate/scheme-notices`: any field of a notice; null where it shall be null. */
export const simulateSchemeNoticeSchema = z.looseObject({
  organisation_id: z.string().min(1),
  merchant_id: z.string().min(1).optional(),
  scheme_notice_type: z.enum(SCHEME_NOTICE_TYPES).optional(),
  notice_type: z.enum(NOTICE_TYPES).optional(),
  scheme: z.enum(NOTICE_SCHEMES).optional(),
  is_revoked: z.boolean().optional(),
  notice_revoked_at: momentOut,
  fraud_reported_at: momentOut,
  fraud_type: textOut,
  fraud_dispute_eligible: z.boolean().optional(),
  transaction_amount_in_cents: amountOut,
  transaction_currency_code: textOut,
  transaction_card_bin: textOut,
  transaction_card_last4: textOut,
  transaction_merchant_name: textOut,
  transaction_merchant_id: textOut,
  transaction_acquirer_reference_number: textOut,
  transaction_authorisation_code: textOut,
  transaction_original_date: dateOut,
  transaction_purchase_date: dateOut,
});
export type SimulateSchemeNotice = z.infer<typeof simulateSchemeNoticeSchema>;
