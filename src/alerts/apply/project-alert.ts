/** Alerts: object → row. */
import { ID_PREFIXES } from '../../service/wire/id-prefixes.ts';
import { amountMinor, instant, longText, text } from './fields.ts';
import type { Projection } from './projection.ts';

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
    status: 'text',
    enrolment_type: 'text',
    enrolment_id: 'text',
    merchant_id: 'text',
    deadline_at: 'timestamptz',
    amount_minor: 'bigint',
    currency: 'text',
    authorised_at: 'timestamptz',
    authorisation_code: 'text',
    acquirer_reference_number: 'text',
    descriptor: 'text',
    card_bin: 'text',
    card_last4: 'text',
    card_issuer: 'text',
    card_scheme: 'text',
    network_id: 'text',
    reason_code: 'text',
    refund_outcome: 'text',
    subscription_cancel_outcome: 'text',
    note: 'text',
    integration_id: 'text',
    integration_transaction_id: 'text',
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
  project: (alert) => ({
    status: text(alert, 'status') ?? STATUS_MISSING,
    enrolment_type: text(alert, 'enrolment_type'),
    enrolment_id: text(alert, 'enrolment_id'),
    merchant_id: text(alert, 'merchant_id'),
    deadline_at: instant(alert, 'action_required_deadline'),
    amount_minor: amountMinor(alert, 'transaction_amount_in_cents'),
    currency: text(alert, 'transaction_currency_code'),
    authorised_at: instant(alert, 'transaction_authorised_at'),
    authorisation_code: text(alert, 'transaction_authorisation_code'),
    acquirer_reference_number: text(alert, 'transaction_acquirer_reference_number'),
    descriptor: longText(alert, 'transaction_statement_descriptor'),
    card_bin: text(alert, 'transaction_card_bin'),
    card_last4: text(alert, 'transaction_card_last4'),
    card_issuer: longText(alert, 'transaction_card_issuer'),
    card_scheme: text(alert, 'transaction_card_scheme'),
    network_id: text(alert, 'transaction_network_id'),
    reason_code: text(alert, 'chargeback_reason_code'),
    refund_outcome: text(alert, 'transaction_refund_outcome'),
    subscription_cancel_outcome: text(alert, 'subscription_cancel_outcome'),
    note: longText(alert, 'note'),
    integration_id: text(alert, 'integration_id'),
    integration_transaction_id: text(alert, 'integration_transaction_id'),
  }),
  rankOf: (alert) => RANKS.get(alert['status']) ?? RANK_OPEN,
};
