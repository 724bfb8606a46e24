/** How each kind of object becomes a row, in the order in which rows are locked. */
import { ID_PREFIXES } from '../../service/wire/id-prefixes.ts';
import type { EntityKind } from './entity.table.ts';
import { ALERT_PROJECTION } from './project-alert.ts';
import type { Projection } from './projection.ts';
import { amountOf, flagOf, instantOf, longTextOf, textOf } from './projection.ts';

const ENROLMENT_PROJECTION: Projection = {
  entity: 'enrolment',
  idPrefix: ID_PREFIXES.enrolment,
  columns: { type: textOf('type'), status: textOf('status'), note: longTextOf('note') },
  headline: ['type', 'status', 'updated_at'],
  // Events carry enrolments without links, answers with them (specification, Event contents).
  ignored: ['links'],
  // Enrolments move back and forth: a descriptor can need a person again after it was enabled.
  rankOf: () => 0,
};

const LOOKUP_PROJECTION: Projection = {
  entity: 'lookup',
  idPrefix: ID_PREFIXES.lookup,
  columns: {
    type: textOf('type'),
    enrolment_id: textOf('enrollment_id'),
    parent_lookup_id: textOf('parent_lookup_id'),
    lookup_status: textOf('lookup_status'),
    deflection_status: textOf('deflection_status'),
    amount_minor: amountOf('transaction_amount'),
    currency: textOf('transaction_currency'),
    transaction_date: instantOf('transaction_date'),
    acquirer_reference_number: textOf('transaction_arn'),
    integration_id: textOf('integration_id'),
    integration_transaction_id: textOf('integration_transaction_id'),
  },
  headline: ['type', 'lookup_status', 'deflection_status', 'updated_at'],
  ignored: [],
  // A deflection that succeeded may be taken back, so no state is more final than another.
  rankOf: () => 0,
};

const REPRESENTMENT_PROJECTION: Projection = {
  entity: 'representment',
  idPrefix: ID_PREFIXES.representment,
  columns: {
    merchant_id: textOf('merchant_id'),
    dispute_status: textOf('dispute_status'),
    dispute_stage: textOf('dispute_stage'),
    dispute_due_by: instantOf('dispute_due_by'),
    amount_minor: amountOf('dispute_amount_in_cents'),
    currency: textOf('dispute_currency_code'),
    transaction_reference_id: textOf('transaction_reference_id'),
    acquirer_reference_number: textOf('transaction_acquirer_reference_number'),
  },
  headline: ['dispute_status', 'dispute_stage', 'dispute_due_by', 'updated_at'],
  ignored: [],
  // Moves between dispute statuses are not shown in the specification: none is final.
  rankOf: () => 0,
};

const SCHEME_NOTICE_PROJECTION: Projection = {
  entity: 'scheme_notice',
  idPrefix: ID_PREFIXES.schemeNotice,
  columns: {
    merchant_id: textOf('merchant_id'),
    scheme_notice_type: textOf('scheme_notice_type'),
    notice_type: textOf('notice_type'),
    scheme: textOf('scheme'),
    is_revoked: flagOf('is_revoked'),
    fraud_reported_at: instantOf('fraud_reported_at'),
    amount_minor: amountOf('transaction_amount_in_cents'),
    currency: textOf('transaction_currency_code'),
    card_bin: textOf('transaction_card_bin'),
    card_last4: textOf('transaction_card_last4'),
    acquirer_reference_number: textOf('transaction_acquirer_reference_number'),
    purchase_date: instantOf('transaction_purchase_date'),
  },
  headline: ['scheme_notice_type', 'notice_type', 'is_revoked', 'updated_at'],
  ignored: [],
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
