/** Requests as the specification describes them, to be varied by one field at a time. */
import type { Contract } from './contract.ts';
import { unique } from './contract.ts';

/** 23 characters. */
export const ARN = '74537604221431003881865';

/** A card transaction that satisfies alert matching. */
export function cardTransaction(reference: string): Record<string, unknown> {
  return {
    reference_id: reference,
    amount_in_cents: 12_990,
    currency: 'USD',
    payment_method_type: 'CARD',
    authorisation_status: 'SETTLED',
    authorised_at: '2026-11-18T10:00:00Z',
    acquirer_reference_number: ARN,
    authorisation_code: 'A1B2C3',
    payment_method_card_brand: 'SCHEME_A',
    payment_method_card_last_4: '4242',
    payment_method_card_bin: '424242',
  };
}

/** A complete order with its core and one transaction. */
export function completeOrder(t: Contract, changes: object = {}): Record<string, unknown> {
  const reference = unique('order');
  return {
    type: 'COMPLETE',
    organisation_id: t.organisationId,
    integration_id: t.integrationId,
    reference_id: reference,
    order_datetime: '2026-11-18T09:59:00Z',
    order_number: '100017',
    order_subtotal_amount_in_cents: 11_990,
    order_currency: 'USD',
    order_total_amount_in_cents: 12_990,
    order_status: 'CLOSED_COMPLETE',
    transactions: [cardTransaction(`${reference}-t1`)],
    ...changes,
  };
}

/** `POST /v1/simulate/alerts` for the alert network. */
export function alertSimulation(t: Contract, changes: object = {}): Record<string, unknown> {
  return {
    organisation_id: t.organisationId,
    enrolment_id: t.alertEnrolmentId,
    status: 'ACTION_REQUIRED',
    card_scheme: 'SCHEME_A',
    amount_in_cents: 12_990,
    currency_code: 'USD',
    transaction_acquirer_reference_number: ARN,
    transaction_authorisation_code: 'A1B2C3',
    ...changes,
  };
}

/** `POST /v2/enrolments` for the alert network. */
export function alertEnrolment(t: Contract, changes: object = {}): Record<string, unknown> {
  return {
    merchant_ids: [t.merchantId],
    type: 'NETA_ALERT',
    neta_alert: { descriptors: [{ descriptor: unique('ACME'), match_type: 'STARTS_WITH' }] },
    ...changes,
  };
}

/** `POST /v1/rulesets` with an amount rule. */
export function ruleset(t: Contract, changes: object = {}): Record<string, unknown> {
  return {
    organisation_id: t.organisationId,
    enrolment_ids: [t.rdrEnrolmentId],
    outcome: 'ACCEPT_DISPUTE',
    join_operator: 'AND',
    rules: [amountRule()],
    ...changes,
  };
}

export function amountRule(changes: object = {}): Record<string, unknown> {
  return {
    type: 'AMOUNT',
    parameters: {
      operator: 'GREATER_THAN',
      currency_code: 'USD',
      amount_in_cents: 10_000,
      ...changes,
    },
  };
}

export const DESCRIPTOR_RULE = {
  type: 'DESCRIPTOR',
  parameters: { descriptors: [{ value: 'ACME', match_type: 'STARTS_WITH' }] },
};
