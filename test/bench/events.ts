/** Signed deliveries to measure with: all ten event types, bodies of 1 to 2 KB, the same on every run. */
import { createHash } from 'node:crypto';
import type { EventType } from '../../src/service/wire/event.ts';
import { EVENT_TYPES } from '../../src/service/wire/event.ts';

export const BENCH_ORGANISATION = 'org_bench';
export const BENCH_SECRET = 'whsec_bench_4c7a19d2e8f05b63';

/**
 * One event's body. `series` and `index` make it unique; the same pair gives the same bytes. Ids come in
 * no order, so that an index meets them as it meets the service's.
 */
export function benchEvent(series: string, index: number): Buffer {
  const type = EVENT_TYPES[index % EVENT_TYPES.length]!;
  // A created event and the updated one that follows it are about the same entity.
  const subject = `${series}${Math.floor(index / 2).toString(36)}`;
  const isUpdate = type.endsWith('.updated');
  const at = `2026-11-20T10:${minutes(index)}.${isUpdate ? '700000' : '200000'}Z`;
  return Buffer.from(
    JSON.stringify({
      id: `evt_${createHash('md5').update(`${series} ${index}`).digest('hex')}`,
      type,
      created_at: at,
      data: {
        object: objectOf(type, subject, { at, isUpdate, index }),
        ...(isUpdate ? { previous_attributes: { updated_at: '2026-11-20T10:00:00.000000Z' } } : {}),
      },
      api_version: type.startsWith('enrolment') ? 'v2' : 'v1',
    }),
  );
}

function minutes(index: number): string {
  const seconds = index % 3_600;
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${pad(Math.floor(seconds / 60))}:${pad(seconds % 60)}`;
}

interface Facts {
  readonly at: string;
  readonly isUpdate: boolean;
  readonly index: number;
}

const TEXT =
  'Cardholder does not recognise the transaction and asked their bank to look into it before a dispute is raised. ';

function objectOf(type: EventType, subject: string, facts: Facts): Record<string, unknown> {
  const { at, isUpdate, index } = facts;
  const card = {
    transaction_card_bin: '411111',
    transaction_card_last4: String(index % 10_000).padStart(4, '0'),
    transaction_acquirer_reference_number: String(index).padStart(23, '7'),
  };
  const common = {
    organisation_id: BENCH_ORGANISATION,
    merchant_id: 'mrch_01k8z3q5v7w9',
    note: TEXT.repeat(3),
    created_at: '2026-11-20T10:00:00.000000Z',
    updated_at: at,
  };
  switch (type) {
    case 'alert.created':
    case 'alert.updated':
      return {
        id: `netalrt_${subject}`,
        ...common,
        ...card,
        merchant_ids: ['mrch_01k8z3q5v7w9'],
        enrolment_id: 'enrl_01k8z3q5v7w9',
        enrolment_type: 'NETA_ALERT',
        status: isUpdate ? 'RESOLVED' : 'ACTION_REQUIRED',
        action_required_deadline: '2026-11-22T10:00:00.000000Z',
        transaction_amount_in_cents: 1_000 + index,
        transaction_currency_code: 'USD',
        transaction_authorised_at: '2026-11-18T09:00:00.000000Z',
        transaction_authorisation_code: 'A1B2C3',
        transaction_statement_descriptor: 'EXAMPLE*SHOP 0800 555 0100',
        transaction_card_issuer: 'Example Savings Bank',
        transaction_card_scheme: 'SCHEME_A',
        transaction_network_id: null,
        chargeback_reason_code: '10.4',
        transaction_refund_outcome: isUpdate ? 'REFUNDED' : null,
        subscription_cancel_outcome: null,
        integration_id: 'int_01k8z3q5v7w9',
        integration_transaction_id: `tx_${subject}`,
      };
    case 'lookup.created':
    case 'lookup.updated':
      return {
        id: `lkup_${subject}`,
        ...common,
        ...card,
        enrollment_id: 'enrl_01k8z3q5v7w9',
        type: 'NETB_ORDER_INSIGHT',
        parent_lookup_id: null,
        lookup_status: 'SUCCEEDED',
        deflection_status: isUpdate ? 'SUCCEEDED' : 'PENDING',
        transaction_arn: card.transaction_acquirer_reference_number,
        transaction_auth_code: 'A1B2C3',
        transaction_amount: 1_000 + index,
        transaction_currency: 'USD',
        transaction_date: '2026-11-18',
        transaction_statement_descriptor: 'EXAMPLE*SHOP 0800 555 0100',
        transaction_network_id: null,
        integration_id: null,
        integration_transaction_id: null,
      };
    case 'enrolment.created':
    case 'enrolment.updated':
      return {
        id: `enrl_${subject}`,
        ...common,
        merchant_ids: ['mrch_01k8z3q5v7w9'],
        type: 'NETA_ALERT',
        status: isUpdate ? 'ENABLED' : 'PENDING',
        neta_alert: {
          descriptors: Array.from({ length: 6 }, (_, at6) => ({
            descriptor: `EXAMPLE*SHOP ${at6}`,
            match_type: 'STARTS_WITH',
            status: isUpdate ? 'ACTIVE' : 'PENDING',
          })),
        },
      };
    case 'representment.created':
    case 'representment.updated':
      return {
        id: `rep_${subject}`,
        ...common,
        managed_by: 'PARTNER',
        service_type: 'ONLINE_SERVICES',
        dispute_stage: 'CHARGEBACK',
        dispute_reason: 'SUBSCRIPTION_CANCELED',
        dispute_reason_code: '13.2',
        dispute_schema: 'SCHEME_A',
        dispute_status: isUpdate ? 'LOST' : 'OPEN',
        dispute_reference_id: `dp_${subject}`,
        dispute_currency_code: 'USD',
        dispute_amount_in_cents: 1_000 + index,
        disputed_at: '2026-11-19T10:00:00.000000Z',
        dispute_due_by: '2026-12-01T10:00:00.000000Z',
        transaction_reference_id: `tx_${subject}`,
        transaction_currency_code: 'USD',
        transaction_amount_in_cents: 1_000 + index,
        transaction_authorisation_date: '2026-11-18',
        transaction_acquirer_reference_number: card.transaction_acquirer_reference_number,
      };
    case 'scheme_notice.created':
    case 'scheme_notice.updated':
      return {
        id: `schntc_${subject}`,
        ...common,
        ...card,
        scheme_notice_type: 'TC40',
        notice_type: 'FRAUD_NOTICE',
        scheme: 'SCHEME_A',
        is_revoked: isUpdate,
        notice_revoked_at: isUpdate ? at : null,
        fraud_reported_at: '2026-11-19T10:00:00.000000Z',
        fraud_type: 'CARD_NOT_PRESENT',
        fraud_dispute_eligible: true,
        transaction_amount_in_cents: 1_000 + index,
        transaction_currency_code: 'USD',
        transaction_merchant_name: 'Example Shop',
        transaction_merchant_id: '000123456789',
        transaction_authorisation_code: 'A1B2C3',
        transaction_original_date: '2026-11-18',
        transaction_purchase_date: '2026-11-18',
      };
  }
}
