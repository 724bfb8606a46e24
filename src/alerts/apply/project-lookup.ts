/** Lookups: object → row. Their field names differ from every other resource. */
import { ID_PREFIXES } from '../../service/wire/id-prefixes.ts';
import { amountMinor, instant, text } from './fields.ts';
import type { Projection } from './projection.ts';

export const LOOKUP_PROJECTION: Projection = {
  entity: 'lookup',
  idPrefix: ID_PREFIXES.lookup,
  columns: {
    type: 'text',
    enrolment_id: 'text',
    parent_lookup_id: 'text',
    lookup_status: 'text',
    deflection_status: 'text',
    amount_minor: 'bigint',
    currency: 'text',
    transaction_date: 'timestamptz',
    acquirer_reference_number: 'text',
    integration_id: 'text',
    integration_transaction_id: 'text',
  },
  headline: ['type', 'lookup_status', 'deflection_status', 'updated_at'],
  ignored: [],
  project: (lookup) => ({
    type: text(lookup, 'type'),
    enrolment_id: text(lookup, 'enrollment_id'),
    parent_lookup_id: text(lookup, 'parent_lookup_id'),
    lookup_status: text(lookup, 'lookup_status'),
    deflection_status: text(lookup, 'deflection_status'),
    amount_minor: amountMinor(lookup, 'transaction_amount'),
    currency: text(lookup, 'transaction_currency'),
    transaction_date: instant(lookup, 'transaction_date'),
    acquirer_reference_number: text(lookup, 'transaction_arn'),
    integration_id: text(lookup, 'integration_id'),
    integration_transaction_id: text(lookup, 'integration_transaction_id'),
  }),
  // A deflection that succeeded may be taken back, so no state is more final than another.
  rankOf: () => 0,
};
