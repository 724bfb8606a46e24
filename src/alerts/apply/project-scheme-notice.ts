/** Scheme notices: object → row. */
import { ID_PREFIXES } from '../../service/wire/id-prefixes.ts';
import { amountMinor, flag, instant, text } from './fields.ts';
import type { Projection } from './projection.ts';

export const SCHEME_NOTICE_PROJECTION: Projection = {
  entity: 'scheme_notice',
  idPrefix: ID_PREFIXES.schemeNotice,
  columns: {
    merchant_id: 'text',
    scheme_notice_type: 'text',
    notice_type: 'text',
    scheme: 'text',
    is_revoked: 'boolean',
    fraud_reported_at: 'timestamptz',
    amount_minor: 'bigint',
    currency: 'text',
    card_bin: 'text',
    card_last4: 'text',
    acquirer_reference_number: 'text',
    purchase_date: 'timestamptz',
  },
  headline: ['scheme_notice_type', 'notice_type', 'is_revoked', 'updated_at'],
  ignored: [],
  project: (notice) => ({
    merchant_id: text(notice, 'merchant_id'),
    scheme_notice_type: text(notice, 'scheme_notice_type'),
    notice_type: text(notice, 'notice_type'),
    scheme: text(notice, 'scheme'),
    is_revoked: flag(notice, 'is_revoked'),
    fraud_reported_at: instant(notice, 'fraud_reported_at'),
    amount_minor: amountMinor(notice, 'transaction_amount_in_cents'),
    currency: text(notice, 'transaction_currency_code'),
    card_bin: text(notice, 'transaction_card_bin'),
    card_last4: text(notice, 'transaction_card_last4'),
    acquirer_reference_number: text(notice, 'transaction_acquirer_reference_number'),
    purchase_date: instant(notice, 'transaction_purchase_date'),
  }),
  rankOf: () => 0,
};
