/**
 * Requests of the simulation endpoints, which work on test organisations only.
 *
 * Two bodies are not shown in the specification (lookups, scheme notices). They take the fields of
 * the resource they create; unknown ones pass, because the list cannot be complete.
 */
import { z } from 'zod';
import { ALERT_STATUSES, CARD_SCHEMES } from './alert.ts';
import { ENROLMENT_STATUSES } from './enrolment.ts';
import { amountMinorOut, currencyCode } from './fields.ts';
import { ARN_LENGTH, AUTHORISATION_CODE_LENGTH } from './limits.ts';
import { LOOKUP_TYPES } from './lookup.ts';
import { NOTICE_TYPES, SCHEME_NOTICE_TYPES } from './scheme-notice.ts';

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

/** Writes `POST /v1/simulate/lookups`. */
export const simulateLookupSchema = z.looseObject({
  organisation_id: z.string().min(1),
  enrollment_id: z.string().min(1).optional(),
  type: z.enum(LOOKUP_TYPES),
});
export type SimulateLookup = z.infer<typeof simulateLookupSchema>;

/** Writes `POST /v1/simulate/scheme-notices`. */
export const simulateSchemeNoticeSchema = z.looseObject({
  organisation_id: z.string().min(1),
  merchant_id: z.string().min(1).optional(),
  scheme_notice_type: z.enum(SCHEME_NOTICE_TYPES).optional(),
  notice_type: z.enum(NOTICE_TYPES).optional(),
});
export type SimulateSchemeNotice = z.infer<typeof simulateSchemeNoticeSchema>;
