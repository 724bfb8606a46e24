/**
 * A scheme notice: a fraud or dispute report from a card scheme. It exists on events only. Resource
 * "Scheme notice (event object)".
 */
import { z } from 'zod';
import { CARD_SCHEMES } from './alert.ts';
import {
  maybeAmountMinor,
  maybeBoolean,
  maybeDate,
  maybeText,
  maybeTimestamp,
  openEnum,
  text,
  timestamp,
} from './fields.ts';

export const SCHEME_NOTICE_TYPES = ['TC15', 'TC40', 'SAF'] as const;
export type SchemeNoticeType = (typeof SCHEME_NOTICE_TYPES)[number];

export const NOTICE_TYPES = ['FRAUD_NOTICE', 'DISPUTE_NOTICE'] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];

export const NOTICE_SCHEMES = [...CARD_SCHEMES, 'OTHER'] as const;
export type NoticeScheme = (typeof NOTICE_SCHEMES)[number];

/** The fields whose change emits `scheme_notice.updated`. */
export const SCHEME_NOTICE_TRACKED_FIELDS = [
  'is_revoked',
  'notice_revoked_at',
  'fraud_reported_at',
  'transaction_purchase_date',
] as const;

/** Reads a scheme notice. */
export const schemeNoticeSchema = z.looseObject({
  id: text,
  organisation_id: text,
  merchant_id: maybeText,
  scheme_notice_type: openEnum(SCHEME_NOTICE_TYPES),
  notice_type: openEnum(NOTICE_TYPES),
  scheme: openEnum(NOTICE_SCHEMES).nullish(),
  is_revoked: maybeBoolean,
  notice_revoked_at: maybeTimestamp,
  fraud_reported_at: maybeTimestamp,
  /** Free text from the upstream network. */
  fraud_type: maybeText,
  fraud_dispute_eligible: maybeBoolean,
  transaction_amount_in_cents: maybeAmountMinor,
  transaction_currency_code: maybeText,
  transaction_card_bin: maybeText,
  transaction_card_last4: maybeText,
  transaction_merchant_name: maybeText,
  transaction_merchant_id: maybeText,
  transaction_acquirer_reference_number: maybeText,
  transaction_authorisation_code: maybeText,
  transaction_original_date: maybeDate,
  transaction_purchase_date: maybeDate,
  created_at: timestamp,
  updated_at: timestamp,
});
export type SchemeNotice = z.infer<typeof schemeNoticeSchema>;
