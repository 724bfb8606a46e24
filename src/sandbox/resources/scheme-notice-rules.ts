/**
 * Scheme notices exist on events only. Updates are told only after a created event, and only of
 * four fields.
 */
import { z } from 'zod';
import { amountMinorOut, dateOrTimestampOut, timestampOut } from '../../service/wire/fields.ts';
import {
  NOTICE_SCHEMES,
  NOTICE_TYPES,
  SCHEME_NOTICE_TRACKED_FIELDS,
  SCHEME_NOTICE_TYPES,
} from '../../service/wire/scheme-notice.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { nowIso } from '../sandbox-context.ts';
import type { MerchantRecord, SchemeNoticeRecord } from '../state/resources.ts';
import { emit } from '../webhooks/emit.ts';
import { withoutUndefined } from './representment-rules.ts';

const text = z.string().nullable().optional();
const moment = timestampOut.nullable().optional();
const day = dateOrTimestampOut.nullable().optional();

const fields = {
  scheme_notice_type: z.enum(SCHEME_NOTICE_TYPES).optional(),
  notice_type: z.enum(NOTICE_TYPES).optional(),
  scheme: z.enum(NOTICE_SCHEMES).optional(),
  is_revoked: z.boolean().optional(),
  notice_revoked_at: moment,
  fraud_reported_at: moment,
  fraud_type: text,
  fraud_dispute_eligible: z.boolean().optional(),
  transaction_amount_in_cents: amountMinorOut.nullable().optional(),
  transaction_currency_code: text,
  transaction_card_bin: text,
  transaction_card_last4: text,
  transaction_merchant_name: text,
  transaction_merchant_id: text,
  transaction_acquirer_reference_number: text,
  transaction_authorisation_code: text,
  transaction_original_date: day,
  transaction_purchase_date: day,
};

export const newSchemeNoticeInput = z.strictObject({
  /** @default the first merchant */
  merchant_id: z.string().optional(),
  /** Without a created event no update is ever told. @default true */
  announce: z.boolean().optional(),
  ...fields,
});
export type NewSchemeNotice = z.input<typeof newSchemeNoticeInput>;

export const schemeNoticeChanges = z.strictObject(fields);
export type SchemeNoticeChanges = z.input<typeof schemeNoticeChanges>;

/** Creates a scheme notice and emits `scheme_notice.created`, by default. */
export function createSchemeNotice(
  context: SandboxContext,
  merchant: MerchantRecord,
  chosen: SchemeNoticeChanges & { readonly announce?: boolean | undefined },
): SchemeNoticeRecord {
  const { announce = true, ...values } = chosen;
  const now = nowIso(context);
  const isDispute = values.scheme_notice_type === 'TC15';
  const notice: SchemeNoticeRecord = {
    id: context.ids.next('schemeNotice'),
    organisation_id: merchant.organisation_id,
    merchant_id: merchant.id,
    scheme_notice_type: 'TC40',
    notice_type: isDispute ? 'DISPUTE_NOTICE' : 'FRAUD_NOTICE',
    scheme: 'SCHEME_A',
    is_revoked: false,
    notice_revoked_at: null,
    fraud_reported_at: isDispute ? null : now,
    fraud_type: isDispute ? null : 'Card not present',
    fraud_dispute_eligible: !isDispute,
    transaction_amount_in_cents: 1000,
    transaction_currency_code: 'USD',
    transaction_card_bin: null,
    transaction_card_last4: null,
    transaction_merchant_name: merchant.name,
    transaction_merchant_id: null,
    transaction_acquirer_reference_number: null,
    transaction_authorisation_code: null,
    transaction_original_date: null,
    transaction_purchase_date: null,
    created_at: now,
    updated_at: now,
  };
  Object.assign(notice, withoutUndefined(values));
  context.state.schemeNotices.set(notice.id, notice);
  if (announce) emit(context, { entity: 'scheme_notice', change: 'created', object: notice });
  return notice;
}

/** Changes a scheme notice; only tracked fields are told, and only after a created event. */
export function changeSchemeNotice(
  context: SandboxContext,
  notice: SchemeNoticeRecord,
  changes: SchemeNoticeChanges,
): SchemeNoticeRecord {
  const before = { ...notice };
  Object.assign(notice, withoutUndefined(changes), { updated_at: nowIso(context) });
  const changed = SCHEME_NOTICE_TRACKED_FIELDS.filter((field) => before[field] !== notice[field]);
  if (changed.length === 0 || !context.state.announced.has(notice.id)) return notice;
  const previous = Object.fromEntries(changed.map((field) => [field, before[field]]));
  emit(context, { entity: 'scheme_notice', change: 'updated', object: notice, previous });
  return notice;
}
