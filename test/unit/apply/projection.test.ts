/**
 * Guarantee: every field of the specification lands in its column, an odd value costs only its own
 * column, and an object that cannot be placed is refused with its reason.
 */
import { describe, expect, it } from 'vitest';
import { readEvent } from '../../../src/alerts/apply/apply.job.ts';
import type { EntityKind } from '../../../src/alerts/apply/entity.table.ts';
import { project } from '../../../src/alerts/apply/projection.ts';
import { projectionOf } from '../../../src/alerts/apply/projections.ts';
import { readSnapshot } from '../../../src/alerts/apply/snapshot.ts';
import { createBrandTokens } from '../../../src/service/wire/brand-tokens.ts';

const projected = (entity: EntityKind, object: Record<string, unknown>): Record<string, unknown> =>
  project(projectionOf(entity)!, object);

const ALERT = {
  id: 'netalrt_01',
  organisation_id: 'org_1',
  merchant_id: 'mrch_1',
  merchant_ids: ['mrch_1'],
  enrolment_id: 'enrl_1',
  enrolment_type: 'NETA_ALERT',
  status: 'ACTION_REQUIRED',
  note: 'call them',
  action_required_deadline: '2026-11-22T10:00:00Z',
  transaction_amount_in_cents: 12_990,
  transaction_currency_code: 'USD',
  transaction_authorised_at: '2026-11-18T09:00:00Z',
  transaction_authorisation_code: 'A1B2C3',
  transaction_acquirer_reference_number: '74567891234567890123456',
  transaction_statement_descriptor: 'EXAMPLE*SHOP',
  transaction_card_bin: '411111',
  transaction_card_last4: '1111',
  transaction_card_issuer: 'Example Bank',
  transaction_card_scheme: 'SCHEME_A',
  transaction_network_id: 'nw_1',
  chargeback_reason_code: '10.4',
  transaction_refund_outcome: 'REFUNDED',
  subscription_cancel_outcome: 'CANCELLED',
  integration_id: 'int_1',
  integration_transaction_id: 'tx_1',
  created_at: '2026-11-20T10:00:00Z',
  updated_at: '2026-11-20T10:00:00Z',
};

describe('fields to columns', () => {
  it('alert', () => {
    expect(projected('alert', ALERT)).toEqual({
      status: 'ACTION_REQUIRED',
      enrolment_type: 'NETA_ALERT',
      enrolment_id: 'enrl_1',
      merchant_id: 'mrch_1',
      deadline_at: '2026-11-22T10:00:00.000000Z',
      amount_minor: 12_990,
      currency: 'USD',
      authorised_at: '2026-11-18T09:00:00.000000Z',
      authorisation_code: 'A1B2C3',
      acquirer_reference_number: '74567891234567890123456',
      descriptor: 'EXAMPLE*SHOP',
      card_bin: '411111',
      card_last4: '1111',
      card_issuer: 'Example Bank',
      card_scheme: 'SCHEME_A',
      network_id: 'nw_1',
      reason_code: '10.4',
      refund_outcome: 'REFUNDED',
      subscription_cancel_outcome: 'CANCELLED',
      note: 'call them',
      integration_id: 'int_1',
      integration_transaction_id: 'tx_1',
    });
  });

  it('lookup, with its own spelling', () => {
    expect(
      projected('lookup', {
        enrollment_id: 'enrl_1',
        type: 'NETB_ORDER_INSIGHT',
        parent_lookup_id: 'lkup_0',
        lookup_status: 'SUCCEEDED',
        deflection_status: 'PENDING',
        transaction_amount: 500,
        transaction_currency: 'EUR',
        transaction_date: '2026-11-18',
        transaction_arn: '74567891234567890123456',
        integration_id: 'int_1',
        integration_transaction_id: 'tx_1',
      }),
    ).toEqual({
      type: 'NETB_ORDER_INSIGHT',
      enrolment_id: 'enrl_1',
      parent_lookup_id: 'lkup_0',
      lookup_status: 'SUCCEEDED',
      deflection_status: 'PENDING',
      amount_minor: 500,
      currency: 'EUR',
      transaction_date: '2026-11-18T00:00:00.000000Z',
      acquirer_reference_number: '74567891234567890123456',
      integration_id: 'int_1',
      integration_transaction_id: 'tx_1',
    });
  });

  it('enrolment', () => {
    expect(projected('enrolment', { type: 'NETA_ALERT', status: 'ENABLED', note: null })).toEqual({
      type: 'NETA_ALERT',
      status: 'ENABLED',
      note: null,
    });
  });

  it('representment', () => {
    expect(
      projected('representment', {
        merchant_id: 'mrch_1',
        dispute_status: 'LOST',
        dispute_stage: 'CHARGEBACK',
        dispute_due_by: '2026-12-01T10:00:00Z',
        dispute_amount_in_cents: 700,
        dispute_currency_code: 'GBP',
        transaction_reference_id: 'tx_1',
        transaction_amount_in_cents: 900,
        transaction_currency_code: 'USD',
        transaction_acquirer_reference_number: '74567891234567890123456',
      }),
    ).toEqual({
      merchant_id: 'mrch_1',
      dispute_status: 'LOST',
      dispute_stage: 'CHARGEBACK',
      dispute_due_by: '2026-12-01T10:00:00.000000Z',
      amount_minor: 700,
      currency: 'GBP',
      transaction_reference_id: 'tx_1',
      acquirer_reference_number: '74567891234567890123456',
    });
  });

  it('scheme notice', () => {
    expect(
      projected('scheme_notice', {
        merchant_id: 'mrch_1',
        scheme_notice_type: 'TC40',
        notice_type: 'FRAUD_NOTICE',
        scheme: 'OTHER',
        is_revoked: false,
        fraud_reported_at: '2026-11-19T10:00:00Z',
        transaction_amount_in_cents: 800,
        transaction_currency_code: 'USD',
        transaction_card_bin: '41111111',
        transaction_card_last4: '1111',
        transaction_acquirer_reference_number: '74567891234567890123456',
        transaction_purchase_date: '2026-11-18',
      }),
    ).toEqual({
      merchant_id: 'mrch_1',
      scheme_notice_type: 'TC40',
      notice_type: 'FRAUD_NOTICE',
      scheme: 'OTHER',
      is_revoked: false,
      fraud_reported_at: '2026-11-19T10:00:00.000000Z',
      amount_minor: 800,
      currency: 'USD',
      card_bin: '41111111',
      card_last4: '1111',
      acquirer_reference_number: '74567891234567890123456',
      purchase_date: '2026-11-18T00:00:00.000000Z',
    });
  });
});

describe('odd values', () => {
  it.each<[string, unknown, unknown]>([
    ['text', '12990', null],
    ['a fraction', 129.9, null],
    ['2^53', 2 ** 53, null],
    ['2^53 - 1', 2 ** 53 - 1, 9_007_199_254_740_991],
    ['1e400', Number.POSITIVE_INFINITY, null],
    ['null', null, null],
    ['missing', undefined, null],
    ['zero', 0, 0],
    ['negative', -5, -5],
  ])('F26 an amount as %s', (_name, value, expected) => {
    expect(
      projected('alert', { ...ALERT, transaction_amount_in_cents: value })['amount_minor'],
    ).toBe(expected);
  });

  it('F22 unknown values of enumerations stay', () => {
    const odd = {
      ...ALERT,
      status: 'ESCALATED',
      enrolment_type: 'NETC_X',
      transaction_refund_outcome: 'MAYBE',
    };
    expect(projected('alert', odd)).toMatchObject({
      status: 'ESCALATED',
      enrolment_type: 'NETC_X',
      refund_outcome: 'MAYBE',
    });
  });

  it('a status that is missing or no text is unknown, never open or closed', () => {
    for (const status of [undefined, null, 7, 'x'.repeat(501)]) {
      expect(projected('alert', { ...ALERT, status })['status']).toBe('UNKNOWN');
    }
  });

  it('an identifier of 501 characters is none; a note may be long', () => {
    const long = 'x'.repeat(501);
    const odd = { ...ALERT, integration_transaction_id: long, note: long };
    expect(projected('alert', odd)).toMatchObject({ integration_transaction_id: null, note: long });
    const edge = { ...ALERT, integration_transaction_id: 'x'.repeat(500) };
    expect(projected('alert', edge)['integration_transaction_id']).toHaveLength(500);
  });
});

describe('objects that cannot be placed', () => {
  const read = (
    object: Record<string, unknown>,
    more: { eventCreatedAt?: unknown } = {},
  ): string => {
    const reading = readSnapshot(
      { entity: 'alert', object, eventId: 'evt_1', ...more },
      {
        organisationId: 'org_1',
        projection: projectionOf('alert')!,
        source: 'webhook',
        readAt: null,
      },
    );
    return reading.ok ? `${reading.snapshot.id} ${reading.snapshot.updatedAt}` : reading.reason;
  };

  it.each<[string, Record<string, unknown>, string]>([
    ['of our organisation', ALERT, 'netalrt_01 2026-11-20T10:00:00.000000Z'],
    [
      'of no organisation',
      { ...ALERT, organisation_id: null },
      'netalrt_01 2026-11-20T10:00:00.000000Z',
    ],
    ['F27 of another organisation', { ...ALERT, organisation_id: 'org_2' }, 'foreign_organisation'],
    [
      'of an organisation that is no text',
      { ...ALERT, organisation_id: 7 },
      'foreign_organisation',
    ],
    ['without id', { ...ALERT, id: undefined }, 'object_unusable'],
    ['with the id of a lookup', { ...ALERT, id: 'lkup_01' }, 'object_unusable'],
    ['V1.2.2 with a path as id', { ...ALERT, id: 'netalrt_../orders/x?y=' }, 'object_unusable'],
    ['with a prefix only', { ...ALERT, id: 'netalrt_' }, 'object_unusable'],
    [
      'without updated_at',
      { ...ALERT, updated_at: null, created_at: '2026-11-20T09:00:00Z' },
      'netalrt_01 2026-11-20T09:00:00.000000Z',
    ],
    ['without any moment', { ...ALERT, updated_at: 'x', created_at: null }, 'object_unusable'],
  ])('%s', (_name, object, expected) => {
    expect(read(object)).toBe(expected);
  });

  it("the event's own moment stands in when the object has none", () => {
    const object = { ...ALERT, updated_at: null, created_at: null };
    expect(read(object, { eventCreatedAt: '2026-11-20T08:00:00Z' })).toBe(
      'netalrt_01 2026-11-20T08:00:00.000000Z',
    );
  });
});

describe('readEvent', () => {
  const neutral = { fromWire: (json: unknown): unknown => json };
  const read = (event: unknown, tokens = neutral): ReturnType<typeof readEvent> =>
    readEvent({ eventId: 'evt_1', text: JSON.stringify(event) }, tokens);

  it.each([
    ['alert.created', 'alert', false],
    ['alert.updated', 'alert', true],
    ['enrolment.created', 'enrolment', false],
    ['enrolment.updated', 'enrolment', true],
    ['representment.created', 'representment', false],
    ['representment.updated', 'representment', true],
    ['scheme_notice.created', 'scheme_notice', false],
    ['scheme_notice.updated', 'scheme_notice', true],
    ['lookup.created', 'lookup', false],
    ['lookup.updated', 'lookup', true],
  ])('%s is about one %s', (type, entity, isUpdate) => {
    expect(read({ type, created_at: 'T', data: { object: { id: 'x' } } })).toEqual({
      ok: true,
      heldCard: false,
      input: {
        entity,
        object: { id: 'x' },
        eventId: 'evt_1',
        eventCreatedAt: 'T',
        isUpdate,
        masked: [],
      },
    });
  });

  it.each<[string, unknown, string]>([
    [
      'F20 unknown type',
      { type: 'fraud_notification.created', data: { object: {} } },
      'unknown_type',
    ],
    ['type of Object', { type: 'constructor', data: { object: {} } }, 'unknown_type'],
    ['no type', { data: { object: {} } }, 'event_malformed'],
    ['no data', { type: 'alert.created' }, 'event_malformed'],
    ['no object', { type: 'alert.created', data: {} }, 'event_malformed'],
    ['an array as object', { type: 'alert.created', data: { object: [] } }, 'event_malformed'],
    ['an array', [], 'event_malformed'],
  ])('%s', (_name, event, reason) => {
    expect(read(event)).toMatchObject({ ok: false, reason });
  });

  it('text that is not JSON', () => {
    expect(readEvent({ eventId: 'evt_1', text: '{' }, neutral)).toMatchObject({
      reason: 'event_malformed',
    });
  });

  it('speaks neutral tokens from here on', () => {
    const tokens = createBrandTokens({
      NETA: 'FIRSTNET',
      NETB: 'SECONDNET',
      SCHEME_A: 'ALPHA',
      SCHEME_B: 'BETA',
    });
    const object = {
      enrolment_type: 'FIRSTNET_ALERT',
      transaction_card_scheme: 'ALPHA',
      note: 'FIRSTNET_ALERT',
    };
    expect(read({ type: 'alert.created', data: { object } }, tokens)).toMatchObject({
      input: {
        object: {
          enrolment_type: 'NETA_ALERT',
          transaction_card_scheme: 'SCHEME_A',
          note: 'FIRSTNET_ALERT',
        },
      },
    });
  });
});
