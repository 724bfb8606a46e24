/** How each kind of object becomes a row, in the order in which rows are locked. */
import { ID_PREFIXES } from '../../service/wire/id-prefixes.ts';
import type { EntityKind } from './entity.table.ts';
import { amountMinor, flag, instant, longText, text } from './fields.ts';
import { ALERT_PROJECTION } from './project-alert.ts';
import type { Projection } from './projection.ts';

const ENROLMENT_PROJECTION: Projection = {
  entity: 'enrolment',
  idPrefix: ID_PREFIXES.enrolment,
  columns: { type: 'text', status: 'text', note: 'text' },
  headline: ['type', 'status', 'updated_at'],
  // Events carry enrolments without links, answers with them (specification, Event contents).
  ignored: ['links'],
  project: (enrolment) => ({
    type: text(enrolment, 'type'),
    status: text(enrolment, 'status'),
    note: longText(enrolment, 'note'),
  }),
  // Enrolments move back and forth: a descriptor can need a person again after it was enabled.
  rankOf: () => 0,
};

const LOOKUP_PROJECTION: Projection = {
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

const REPRESENTMENT_PROJECTION: Projection = {
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

const SCHEME_NOTICE_PROJECTION: Projection = {
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

/**
 * Every transaction takes the kinds in this order, and the rows of a kind by id: two that meet wait
 * for each other, and never both.
 */
export const PROJECTIONS: readonly Projection[] = [
  ALERT_PROJECTION,
  ENROLMENT_PROJECTION,
  LOOKUP_PROJECTION,
  REPRESENTMENT_PROJECTION,
  SCHEME_NOTICE_PROJECTION,
];

const byEntity: ReadonlyMap<EntityKind, Projection> = new Map(
  PROJECTIONS.map((projection) => [projection.entity, projection]),
);

/** The projection of a kind, or undefined for a kind we do not know. */
export function projectionOf(entity: EntityKind): Projection | undefined {
  return byEntity.get(entity);
}
