/** An example of each request of the interface. A test sends every one of them. */
import type { SchemaName } from './schemas.ts';

const ARN = '74537604221431003881865';

const amountRule = {
  type: 'AMOUNT',
  parameters: { operator: 'GREATER_THAN', currency_code: 'USD', amount_in_cents: 10_000 },
};

const order = {
  type: 'COMPLETE',
  organisation_id: 'org_1',
  integration_id: 'int_1',
  reference_id: 'order-100017',
  order_datetime: '2026-11-18T09:59:00Z',
  order_number: '100017',
  order_subtotal_amount_in_cents: 11_990,
  order_currency: 'USD',
  order_total_amount_in_cents: 12_990,
  order_status: 'CLOSED_COMPLETE',
  transactions: [
    {
      reference_id: 'order-100017-t1',
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
    },
  ],
};

export const EXAMPLES: Partial<Record<SchemaName, unknown>> = {
  RulesetCreate: {
    organisation_id: 'org_1',
    enrolment_ids: ['enrl_1'],
    outcome: 'ACCEPT_DISPUTE',
    join_operator: 'AND',
    rules: [amountRule],
  },
  RulesetUpdate: { outcome: 'REFUND' },
  RuleInput: amountRule,
  MerchantCreate: { organisation_id: 'org_1', name: 'Demo store', type: 'GENERIC' },
  MerchantUpdate: { name: 'Demo store, Lisbon' },
  EnrolmentCreate: {
    merchant_ids: ['mrch_1'],
    type: 'NETA_ALERT',
    neta_alert: { descriptors: [{ descriptor: 'DEMO STORE LX', match_type: 'STARTS_WITH' }] },
  },
  EnrolmentUpdate: {
    neta_alert: { descriptors: [{ descriptor: 'DEMO STORE PT', match_type: 'EXACT_MATCH' }] },
  },
  EnrolmentV1Create: {
    merchant_id: 'mrch_1',
    type: 'NETB_RDR',
    netb_rdr: { bin: '424242', caid: 'DEMOSTORE000002' },
  },
  OrderCreate: [order],
  OrderUpdate: {
    refunds: [
      {
        reference_id: 're_1',
        amount_in_cents: 12_990,
        currency: 'USD',
        status: 'SUCCEEDED',
        refund_datetime: '2026-11-20T08:00:00Z',
      },
    ],
  },
  AlertAction: { action: 'REFUND', note: 're_1' },
  SimulateEnrolment: { status: 'ENABLED' },
  SimulateAlert: {
    organisation_id: 'org_1',
    enrolment_id: 'enrl_1',
    status: 'ACTION_REQUIRED',
    card_scheme: 'SCHEME_A',
    amount_in_cents: 12_990,
    currency_code: 'USD',
    transaction_acquirer_reference_number: ARN,
    transaction_authorisation_code: 'A1B2C3',
  },
  SimulateLookup: { organisation_id: 'org_1', type: 'NETB_ORDER_INSIGHT', transaction_arn: ARN },
  SimulateSchemeNotice: { organisation_id: 'org_1', scheme_notice_type: 'TC40' },
};
