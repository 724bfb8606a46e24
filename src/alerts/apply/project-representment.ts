/** Representments: object → row. */
import { ID_PREFIXES } from '../../service/wire/id-prefixes.ts';
import { amountMinor, instant, text } from './fields.ts';
import type { Projection } from './projection.ts';

export const REPRESENTMENT_PROJECTION: Projection = {
  entity: 'representment',
  idPrefix: ID_PREFIXES.representment,
  columns: {
    merchant_id: 'text',
    dispute_status: 'text',
    dispute_stage: 'text',
    dispute_due_by: 'timestamptz',
    amount_minor: 'bigint',
    currency: 'text',
    transaction_reference_id: 'text',
    acquirer_reference_number: 'text',
  },
  headline: ['dispute_status', 'dispute_stage', 'dispute_due_by', 'updated_at'],
  ignored: [],
  project: (representment) => ({
    merchant_id: text(representment, 'merchant_id'),
    dispute_status: text(representment, 'dispute_status'),
    dispute_stage: text(representment, 'dispute_stage'),
    dispute_due_by: instant(representment, 'dispute_due_by'),
    amount_minor: amountMinor(representment, 'dispute_amount_in_cents'),
    currency: text(representment, 'dispute_currency_code'),
    transaction_reference_id: text(representment, 'transaction_reference_id'),
    acquirer_reference_number: text(representment, 'transaction_acquirer_reference_number'),
  }),
  // Moves between dispute statuses are not shown in the specification: none is final.
  rankOf: () => 0,
};
