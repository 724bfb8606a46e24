/** Alerts: object → row. */
import { ID_PREFIXES } from '../../service/wire/id-prefixes.ts';
import { text } from './fields.ts';
import type { Projection } from './projection.ts';
import { amountOf, instantOf, longTextOf, textOf } from './projection.ts';

/** The status of an alert that shows none: like any status we do not know, it is for a person. */
const STATUS_MISSING = 'UNKNOWN';

/**
 * ACTION_REQUIRED < RESOLVED < INVALID: a resolved alert cannot go back, and any can become invalid
 * (specification, Alert status). A status we do not know ranks lowest and never hides a known end.
 */
const RANKS: ReadonlyMap<unknown, number> = new Map([
  ['RESOLVED', 2],
  ['INVALID', 3],
]);
const RANK_OPEN = 1;

export const ALERT_PROJECTION: Projection = {
  entity: 'alert',
  idPrefix: ID_PREFIXES.alert,
  columns: {
    status: { type: 'text', read: (alert) => text(alert, 'status') ?? STATUS_MISSING },
    enrolment_type: textOf('enrolment_type'),
    enrolment_id: textOf('enrolment_id'),
    merchant_id: textOf('merchant_id'),
    deadline_at: instantOf('action_required_deadline'),
    amount_minor: amountOf('transaction_amount_in_cents'),
    currency: textOf('transaction_currency_code'),
    authorised_at: instantOf('transaction_authorised_at'),
    authorisation_code: textOf('transaction_authorisation_code'),
    acquirer_reference_number: textOf('transaction_acquirer_reference_number'),
    descriptor: longTextOf('transaction_statement_descriptor'),
    card_bin: textOf('transaction_card_bin'),
    card_last4: textOf('transaction_card_last4'),
    card_issuer: longTextOf('transaction_card_issuer'),
    card_scheme: textOf('transaction_card_scheme'),
    network_id: textOf('transaction_network_id'),
    reason_code: textOf('chargeback_reason_code'),
    refund_outcome: textOf('transaction_refund_outcome'),
    subscription_cancel_outcome: textOf('subscription_cancel_outcome'),
    note: longTextOf('note'),
    integration_id: textOf('integration_id'),
    integration_transaction_id: textOf('integration_transaction_id'),
  },
  headline: [
    'status',
    'enrolment_type',
    'action_required_deadline',
    'transaction_refund_outcome',
    'integration_transaction_id',
    'updated_at',
  ],
  ignored: [],
  rankOf: (alert) => RANKS.get(alert['status']) ?? RANK_OPEN,
};
