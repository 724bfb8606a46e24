/** Guarantee: whatever the service adds is kept, and what is not an answer is refused. */
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Alert, AlertFilter } from '../../../src/service/client/index.ts';
import { alertSchema } from '../../../src/service/wire/alert.ts';
import { enrolmentSchema, enrolmentV1Schema } from '../../../src/service/wire/enrolment.ts';
import { readErrorBody } from '../../../src/service/wire/error-codes.ts';
import {
  EVENT_TYPES,
  entityOfEventType,
  eventSchema,
  isEventType,
} from '../../../src/service/wire/event.ts';
import { integrationSchema } from '../../../src/service/wire/integration.ts';
import { readList } from '../../../src/service/wire/list.ts';
import { lookupSchema } from '../../../src/service/wire/lookup.ts';
import { merchantSchema } from '../../../src/service/wire/merchant.ts';
import { orderCreateResultSchema } from '../../../src/service/wire/order.ts';
import { representmentSchema } from '../../../src/service/wire/representment.ts';
import { rulesetSchema } from '../../../src/service/wire/ruleset.ts';
import { schemeNoticeSchema } from '../../../src/service/wire/scheme-notice.ts';

const AT = '2026-03-01T10:00:00.123456Z';
const dates = { created_at: AT, updated_at: AT };

const alert = {
  id: 'netalrt_1',
  organisation_id: 'org_1',
  merchant_id: 'mrch_1',
  merchant_ids: ['mrch_1'],
  enrolment_id: 'enrl_1',
  enrolment_type: 'NETA_ALERT',
  status: 'ACTION_REQUIRED',
  note: null,
  action_required_deadline: '2026-03-03T10:00:00.123456Z',
  transaction_amount_in_cents: 12990,
  transaction_currency_code: 'USD',
  transaction_authorised_at: '2026-02-27T09:00:00Z',
  transaction_authorisation_code: 'A1B2C3',
  transaction_acquirer_reference_number: '12345678901234567890123',
  transaction_statement_descriptor: 'SHOP*é',
  transaction_card_bin: '411111',
  transaction_card_last4: '1111',
  transaction_card_issuer: 'Bank',
  transaction_card_scheme: 'SCHEME_B',
  transaction_network_id: null,
  chargeback_reason_code: null,
  transaction_refund_outcome: null,
  subscription_cancel_outcome: null,
  integration_id: null,
  integration_transaction_id: null,
  ...dates,
};

const lookup = {
  id: 'lkup_1',
  organisation_id: 'org_1',
  enrollment_id: 'enrl_1',
  type: 'NETB_COMPELLING_EVIDENCE_3',
  parent_lookup_id: null,
  lookup_status: 'PENDING',
  deflection_status: 'NOT_ATTEMPTED',
  transaction_card_bin: '411111',
  transaction_card_last4: '1111',
  transaction_arn: '12345678901234567890123',
  transaction_auth_code: 'A1B2C3',
  transaction_amount: 12990,
  transaction_currency: 'USD',
  transaction_date: '2026-02-27',
  transaction_statement_descriptor: null,
  transaction_network_id: null,
  integration_id: null,
  integration_transaction_id: null,
  ...dates,
};

const enrolment = {
  id: 'enrl_1',
  organisation_id: 'org_1',
  merchant_ids: ['mrch_1'],
  type: 'NETA_ALERT',
  status: 'PENDING',
  neta_alert: {
    descriptors: [{ descriptor: 'SHOP', match_type: 'STARTS_WITH', status: 'PENDING' }],
  },
  note: null,
  links: [{ rel: 'self', uri: '/v2/enrolments/enrl_1' }],
  ...dates,
};

const whole = [
  ['alert', alertSchema, alert],
  ['lookup', lookupSchema, lookup],
  ['enrolment', enrolmentSchema, enrolment],
  ['enrolment v1', enrolmentV1Schema, { ...enrolment, merchant_ids: undefined, merchant_id: 'm' }],
  [
    'representment',
    representmentSchema,
    {
      id: 'rep_1',
      organisation_id: 'org_1',
      dispute_status: 'OPEN',
      dispute_schema: 'SCHEME_A',
      dispute_amount_in_cents: 100,
      dispute_due_by: null,
      ...dates,
    },
  ],
  [
    'scheme notice',
    schemeNoticeSchema,
    {
      id: 'schntc_1',
      organisation_id: 'org_1',
      scheme_notice_type: 'TC40',
      notice_type: 'FRAUD_NOTICE',
      scheme: 'OTHER',
      is_revoked: false,
      notice_revoked_at: null,
      fraud_type: 'card not present',
      transaction_purchase_date: '2026-02-27',
      ...dates,
    },
  ],
  ['integration', integrationSchema, { id: 'int_1', type: 'CUSTOM_ORDERS' }],
  [
    'merchant',
    merchantSchema,
    {
      id: 'mrch_1',
      organisation_id: 'org_1',
      name: 'Shop',
      type: 'X',
      external_id: null,
      ...dates,
    },
  ],
  [
    'ruleset',
    rulesetSchema,
    {
      id: 'rset_1',
      organisation_id: 'org_1',
      enrolment_ids: ['enrl_1'],
      outcome: 'ACCEPT_DISPUTE',
      join_operator: 'AND',
      rules: [{ id: 'resrule_1', type: 'AMOUNT', parameters: { amount_in_cents: 1 }, ...dates }],
      ...dates,
    },
  ],
] as const;

describe('readers', () => {
  test.each(whole)('%s: comes back as it was, with what we do not know', (_name, schema, body) => {
    const extended = { ...body, a_new_field: { deep: [1] } };
    const parsed = schema.safeParse(extended);
    expect(parsed.error).toBeUndefined();
    expect(parsed.data).toEqual(extended);
  });

  test.each(whole)('%s: not without an id', (_name, schema, body) => {
    expect(schema.safeParse({ ...body, id: undefined }).success).toBe(false);
    expect(schema.safeParse({ ...body, id: '' }).success).toBe(false);
    expect(schema.safeParse([body]).success).toBe(false);
  });

  test('values the specification does not list are kept', () => {
    const parsed = alertSchema.parse({
      ...alert,
      status: 'PENDING_REVIEW',
      enrolment_type: 'NETC_ALERT',
      transaction_card_scheme: 'SCHEME_C',
    });
    expect(parsed.status).toBe('PENDING_REVIEW');
    expect(parsed.enrolment_type).toBe('NETC_ALERT');
    expect(parsed.transaction_card_scheme).toBe('SCHEME_C');
  });

  test('timestamps keep their microseconds, and must be timestamps', () => {
    expect(alertSchema.parse(alert).created_at).toBe('2026-03-01T10:00:00.123456Z');
    expect(
      alertSchema.safeParse({ ...alert, created_at: '2026-03-01T12:00:00+02:00' }).success,
    ).toBe(true);
    for (const wrong of ['yesterday', '2026-13-01T10:00:00Z', '2026-02-30T10:00:00', 1772359200]) {
      expect(alertSchema.safeParse({ ...alert, created_at: wrong }).success).toBe(false);
    }
  });

  test('a moment without a zone is UTC, and says so, whatever the zone of the machine', () => {
    const zoneless = {
      ...alert,
      created_at: '2026-03-01T10:00:00',
      action_required_deadline: '2026-03-03T10:00:00.123456',
      transaction_authorised_at: '2026-02-27',
    };
    expect(alertSchema.parse(zoneless)).toMatchObject({
      created_at: '2026-03-01T10:00:00Z',
      action_required_deadline: '2026-03-03T10:00:00.123456Z',
      transaction_authorised_at: '2026-02-27',
    });
    expect(readList(alertSchema, { items: [zoneless], count: 1 })).toMatchObject({ invalid: [] });
  });

  test.each([
    ['a string', '12990'],
    ['a fraction', 129.9],
    ['beyond exactness', 2 ** 53],
    ['infinity', Number.POSITIVE_INFINITY],
    ['true', true],
  ])('an amount that is %s is refused', (_case, amount) => {
    const parsed = alertSchema.safeParse({ ...alert, transaction_amount_in_cents: amount });
    expect(parsed.success).toBe(false);
    expect(lookupSchema.safeParse({ ...lookup, transaction_amount: amount }).success).toBe(false);
  });

  test('lookups have their own spelling: the alert spelling is not read as theirs', () => {
    const parsed = lookupSchema.parse({
      ...lookup,
      enrollment_id: undefined,
      enrolment_id: 'enrl_9',
    });
    expect(parsed.enrollment_id).toBeUndefined();
    expect(parsed['enrolment_id']).toBe('enrl_9');
  });

  test('an order create result is read with its errors by index', () => {
    const body = {
      created: 1,
      failed: 1,
      results: [{ id: 'ord_1', reference_id: 'A1' }],
      errors: [
        {
          index: 1,
          reference_id: 'A2',
          code: 'MISSING_FIELD',
          message: 'm',
          field: 'customer_email',
        },
      ],
    };
    expect(orderCreateResultSchema.parse(body)).toEqual(body);
    expect(orderCreateResultSchema.safeParse({ errors: [{ code: 'X' }] }).success).toBe(false);
  });
});

describe('events', () => {
  const event = {
    id: 'evt_1',
    type: 'alert.updated',
    created_at: AT,
    api_version: 'v1',
    data: { object: alert, previous_attributes: { status: 'ACTION_REQUIRED' } },
  };

  test('the envelope is read, and an unknown type too', () => {
    expect(eventSchema.parse(event)).toEqual(event);
    expect(eventSchema.safeParse({ ...event, type: 'payout.created' }).success).toBe(true);
  });

  test.each([
    ['no id', { ...event, id: undefined }],
    ['an id that is a number', { ...event, id: 1 }],
    ['no data', { ...event, data: undefined }],
    ['an object that is a list', { ...event, data: { object: [] } }],
    ['an object that is null', { ...event, data: { object: null } }],
    ['a list', [event]],
    ['null', null],
  ])('refuses %s', (_case, body) => {
    expect(eventSchema.safeParse(body).success).toBe(false);
  });

  test('ten types, each about one entity', () => {
    expect(EVENT_TYPES).toHaveLength(10);
    expect(EVENT_TYPES.map(entityOfEventType)).toEqual([
      'alert',
      'alert',
      'enrolment',
      'enrolment',
      'representment',
      'representment',
      'scheme_notice',
      'scheme_notice',
      'lookup',
      'lookup',
    ]);
    expect(EVENT_TYPES.every(isEventType)).toBe(true);
    expect(isEventType('alert.deleted')).toBe(false);
    expect(entityOfEventType('constructor')).toBeUndefined();
  });
});

describe('readList', () => {
  test('reads {items, count} and a bare array', () => {
    expect(readList(alertSchema, { items: [alert], count: 7 })).toEqual({
      ok: true,
      items: [alert],
      invalid: [],
      count: 7,
    });
    expect(readList(alertSchema, [alert])).toMatchObject({ ok: true, count: undefined });
    expect(readList(alertSchema, { items: [], count: 0 })).toMatchObject({ ok: true, items: [] });
  });

  test.each([
    ['an empty object', {}, 'items_missing'],
    ['another name', { data: [] }, 'items_missing'],
    ['items that are an object', { items: {}, count: 0 }, 'items_missing'],
    ['items that are null', { items: null, count: 0 }, 'items_missing'],
    ['a text', '<html>', 'not_a_list'],
    ['null', null, 'not_a_list'],
    ['a number', 0, 'not_a_list'],
    ['a count that is a string', { items: [], count: '5' }, 'count_invalid'],
    ['a count below zero', { items: [], count: -1 }, 'count_invalid'],
  ])('%s is a failure, never an empty list', (_case, body, reason) => {
    expect(readList(alertSchema, body)).toEqual({ ok: false, reason });
  });

  test('one bad entry leaves the others, and is named without its values', () => {
    const outcome = readList(alertSchema, { items: [{ id: 'secret' }, alert], count: 2 });
    expect(outcome).toMatchObject({ ok: true, items: [alert], count: 2 });
    const invalid = (outcome as { invalid: readonly { readonly index: number; problem: string }[] })
      .invalid;
    expect(invalid).toHaveLength(1);
    expect(invalid[0]?.index).toBe(0);
    expect(invalid[0]?.problem).toContain('organisation_id');
    expect(JSON.stringify(invalid)).not.toContain('secret');
  });
});

describe('readErrorBody', () => {
  test('the envelope, the detail of the order update, and neither', () => {
    expect(
      readErrorBody({ errors: [{ code: 'INVALID_ACTION', message: 'resolved', field: 'action' }] }),
    ).toEqual({
      kind: 'envelope',
      errors: [{ code: 'INVALID_ACTION', message: 'resolved', field: 'action' }],
    });
    expect(readErrorBody({ detail: 'Order not found' })).toEqual({
      kind: 'detail',
      detail: 'Order not found',
    });
    for (const other of [null, '', {}, { errors: [] }, { errors: ['no'] }, { detail: 1 }]) {
      expect(readErrorBody(other)).toEqual({ kind: 'unreadable' });
    }
  });
});

test('an open enumeration keeps its known values in the type, and takes unknown ones', () => {
  type Status = Alert['status'];
  expectTypeOf<Extract<Status, 'RESOLVED'>>().toEqualTypeOf<'RESOLVED'>();
  expectTypeOf<Extract<AlertFilter['status'], 'INVALID'>>().toEqualTypeOf<'INVALID'>();
  expectTypeOf<
    Extract<NonNullable<Alert['transaction_card_scheme']>, 'SCHEME_B'>
  >().toEqualTypeOf<'SCHEME_B'>();
  const unknown: Status = 'PAUSED';
  expect(alertSchema.parse({ ...alert, status: unknown }).status).toBe('PAUSED');
});
