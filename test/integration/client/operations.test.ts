/** Guarantee: each operation sends the method, path, key, query and body of the specification. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../../src/service/client/index.ts';
import { createBrandTokens, parseBrandTokens } from '../../../src/service/client/index.ts';
import type { LocalServer } from './local-server.ts';
import { ALERT, clientOf, rejectionOf, startLocalServer } from './local-server.ts';

let server: LocalServer;
let client: ServiceClient;

beforeAll(async () => {
  server = await startLocalServer();
  client = clientOf(server);
});
afterAll(() => server.close());

const AT = '2026-03-01T10:00:00Z';
const dates = { created_at: AT, updated_at: AT };
const MERCHANT = { id: 'mrch_1', organisation_id: 'org_1', name: 'Shop', type: 'X', ...dates };
const ENROLMENT = {
  id: 'enrl_1',
  organisation_id: 'org_1',
  merchant_ids: ['mrch_1'],
  type: 'NETA_ALERT',
  status: 'PENDING',
  note: null,
  ...dates,
};
const RULESET = {
  id: 'rset_1',
  organisation_id: 'org_1',
  enrolment_ids: ['enrl_1'],
  outcome: 'ACCEPT_DISPUTE',
  join_operator: 'AND',
  rules: [],
  ...dates,
};
const RULE = { id: 'resrule_1', type: 'AMOUNT', parameters: {}, ...dates };
const RULE_INPUT = {
  type: 'AMOUNT',
  parameters: { operator: 'GREATER_THAN', currency_code: 'USD', amount_in_cents: 5000 },
} as const;
const ALERT_CONFIG = {
  descriptors: [{ descriptor: 'SHOP', match_type: 'STARTS_WITH' as const }],
};
const ORDER = {
  type: 'COMPLETE',
  organisation_id: 'org_1',
  integration_id: 'int_1',
  reference_id: 'A1',
  order_datetime: AT,
  order_number: 'A1',
  order_subtotal_amount_in_cents: 1000,
  order_currency: 'USD',
  order_total_amount_in_cents: 1200,
  order_status: 'CLOSED_COMPLETE',
} as const;
const SIMULATED = {
  organisation_id: 'org_1',
  enrolment_id: 'enrl_1',
  status: 'ACTION_REQUIRED',
  card_scheme: 'SCHEME_A',
  amount_in_cents: 12990,
  currency_code: 'USD',
  transaction_acquirer_reference_number: '12345678901234567890123',
  transaction_authorisation_code: 'A1B2C3',
} as const;
const RULE_AT = { rulesetId: 'rset_1', ruleId: 'resrule_1' };

interface Row {
  readonly call: (client: ServiceClient) => Promise<unknown>;
  readonly sends: string;
  readonly body?: unknown;
  readonly key: 'org-key' | 'partner-key';
  readonly answer?: unknown;
  readonly status?: number;
}

const first = async (list: AsyncIterable<unknown>): Promise<unknown> => {
  for await (const item of list) return item;
  return undefined;
};

const ROWS: Record<string, Row> = {
  'alerts.page': {
    call: (c) => c.alerts.page({ status: 'ACTION_REQUIRED', limit: 50, offset: 100 }),
    sends: 'GET /v1/alerts/?status=ACTION_REQUIRED&limit=50&offset=100',
    key: 'org-key',
    answer: { items: [ALERT], count: 1 },
  },
  'alerts.get': {
    call: (c) => c.alerts.get('netalrt_1'),
    sends: 'GET /v1/alerts/netalrt_1',
    key: 'org-key',
    answer: ALERT,
  },
  'alerts.act': {
    call: (c) => c.alerts.act('netalrt_1', { action: 'REFUND', note: 'é' }),
    sends: 'PATCH /v1/alerts/netalrt_1',
    body: { action: 'REFUND', note: 'é' },
    key: 'org-key',
    answer: { ...ALERT, status: 'RESOLVED' },
  },
  'orders.create': {
    call: (c) => c.orders.create([ORDER]),
    sends: 'POST /v1/orders/',
    body: [ORDER],
    key: 'org-key',
    answer: { created: 1, failed: 0, results: [{ id: 'ord_1', ...ORDER }], errors: [] },
  },
  'orders.update': {
    call: (c) => c.orders.update('ord_1', { order_status: 'CLOSED_CANCELLED' }),
    sends: 'PATCH /v1/orders/ord_1',
    body: { order_status: 'CLOSED_CANCELLED' },
    key: 'org-key',
    answer: { id: 'ord_1' },
  },
  'orders.findByReferenceId': {
    call: (c) => c.orders.findByReferenceId('A 1/é&x'),
    sends: 'GET /v1/orders/?reference_id=A+1%2F%C3%A9%26x',
    key: 'org-key',
    answer: { items: [{ id: 'ord_1', reference_id: 'A 1/é&x' }], count: 1 },
  },
  'integrations.list': {
    call: (c) => first(c.integrations.list()),
    sends: 'GET /v1/integrations/',
    key: 'org-key',
    answer: { items: [{ id: 'int_1', type: 'CUSTOM_ORDERS' }], count: 1 },
  },
  'lookups.page': {
    call: (c) => c.lookups.page({ limit: 10 }),
    sends: 'GET /v1/lookups/?limit=10',
    key: 'org-key',
    answer: { items: [], count: 0 },
  },
  'merchants.page': {
    call: (c) => c.merchants.page({ name: 'sho', external_id: 'e1', sort: '-name' }),
    sends: 'GET /v1/merchants?name=sho&external_id=e1&sort=-name',
    key: 'partner-key',
    answer: { items: [MERCHANT], count: 1 },
  },
  'merchants.create': {
    call: (c) => c.merchants.create({ organisation_id: 'org_1', name: 'Shop', type: 'X' }),
    sends: 'POST /v1/merchants',
    body: { organisation_id: 'org_1', name: 'Shop', type: 'X' },
    key: 'partner-key',
    answer: MERCHANT,
    status: 201,
  },
  'merchants.get': {
    call: (c) => c.merchants.get('mrch_1'),
    sends: 'GET /v1/merchants/mrch_1',
    key: 'partner-key',
    answer: MERCHANT,
  },
  'merchants.update': {
    call: (c) => c.merchants.update('mrch_1', { external_id: null }),
    sends: 'PATCH /v1/merchants/mrch_1',
    body: { external_id: null },
    key: 'partner-key',
    answer: MERCHANT,
  },
  'merchants.delete': {
    call: (c) => c.merchants.delete('mrch_1'),
    sends: 'DELETE /v1/merchants/mrch_1',
    key: 'partner-key',
    status: 204,
  },
  'enrolments.page': {
    call: (c) => c.enrolments.page({ type: 'NETB_RDR', status: 'ENABLED' }),
    sends: 'GET /v2/enrolments?type=NETB_RDR&status=ENABLED',
    key: 'partner-key',
    answer: { items: [ENROLMENT], count: 1 },
  },
  'enrolments.create': {
    call: (c) =>
      c.enrolments.create({ type: 'NETA_ALERT', merchant_ids: ['m'], neta_alert: ALERT_CONFIG }),
    sends: 'POST /v2/enrolments',
    body: { type: 'NETA_ALERT', merchant_ids: ['m'], neta_alert: ALERT_CONFIG },
    key: 'partner-key',
    answer: ENROLMENT,
  },
  'enrolments.get': {
    call: (c) => c.enrolments.get('enrl_1'),
    sends: 'GET /v2/enrolments/enrl_1',
    key: 'partner-key',
    answer: ENROLMENT,
  },
  'enrolments.update': {
    call: (c) => c.enrolments.update('enrl_1', { neta_alert: ALERT_CONFIG }),
    sends: 'PATCH /v2/enrolments/enrl_1',
    body: { neta_alert: ALERT_CONFIG },
    key: 'partner-key',
    answer: ENROLMENT,
  },
  'enrolments.cancel': {
    call: (c) => c.enrolments.cancel('enrl_1'),
    sends: 'DELETE /v2/enrolments/enrl_1',
    key: 'partner-key',
    answer: { ...ENROLMENT, status: 'CANCELLED' },
  },
  'enrolmentsV1.page': {
    call: (c) => c.enrolmentsV1.page({ merchant_id: 'mrch_1' }),
    sends: 'GET /v1/enrolments?merchant_id=mrch_1',
    key: 'partner-key',
    answer: { items: [], count: 0 },
  },
  'enrolmentsV1.create': {
    call: (c) =>
      c.enrolmentsV1.create({
        type: 'NETB_RDR',
        merchant_id: 'mrch_1',
        netb_rdr: { bin: '411111', caid: 'C1' },
      }),
    sends: 'POST /v1/enrolments',
    body: { type: 'NETB_RDR', merchant_id: 'mrch_1', netb_rdr: { bin: '411111', caid: 'C1' } },
    key: 'partner-key',
    answer: { ...ENROLMENT, type: 'NETB_RDR', merchant_ids: undefined, merchant_id: 'mrch_1' },
  },
  'enrolmentsV1.get': {
    call: (c) => c.enrolmentsV1.get('enrl_1'),
    sends: 'GET /v1/enrolments/enrl_1',
    key: 'partner-key',
    answer: ENROLMENT,
  },
  'enrolmentsV1.cancel': {
    call: (c) => c.enrolmentsV1.cancel('enrl_1'),
    sends: 'DELETE /v1/enrolments/enrl_1',
    key: 'partner-key',
    answer: ENROLMENT,
  },
  'rulesets.page': {
    call: (c) => c.rulesets.page({ sort: 'updated_at' }),
    sends: 'GET /v1/rulesets?sort=updated_at',
    key: 'org-key',
    answer: { items: [RULESET], count: 1 },
  },
  'rulesets.create': {
    call: (c) =>
      c.rulesets.create({
        organisation_id: 'org_1',
        enrolment_ids: ['enrl_1'],
        outcome: 'ACCEPT_DISPUTE',
        join_operator: 'AND',
        rules: [RULE_INPUT],
      }),
    sends: 'POST /v1/rulesets',
    body: {
      organisation_id: 'org_1',
      enrolment_ids: ['enrl_1'],
      outcome: 'ACCEPT_DISPUTE',
      join_operator: 'AND',
      rules: [RULE_INPUT],
    },
    key: 'org-key',
    answer: RULESET,
  },
  'rulesets.get': {
    call: (c) => c.rulesets.get('rset_1'),
    sends: 'GET /v1/rulesets/rset_1',
    key: 'org-key',
    answer: RULESET,
  },
  'rulesets.update': {
    call: (c) => c.rulesets.update('rset_1', { outcome: 'REFUND' }),
    sends: 'PATCH /v1/rulesets/rset_1',
    body: { outcome: 'REFUND' },
    key: 'org-key',
    answer: RULESET,
  },
  'rulesets.delete': {
    call: (c) => c.rulesets.delete('rset_1'),
    sends: 'DELETE /v1/rulesets/rset_1',
    key: 'org-key',
    status: 204,
  },
  'rulesets.rules.create': {
    call: (c) => c.rulesets.rules.create('rset_1', RULE_INPUT),
    sends: 'POST /v1/rulesets/rset_1/rules',
    body: RULE_INPUT,
    key: 'org-key',
    answer: RULE,
  },
  'rulesets.rules.get': {
    call: (c) => c.rulesets.rules.get(RULE_AT),
    sends: 'GET /v1/rulesets/rset_1/rules/resrule_1',
    key: 'org-key',
    answer: RULE,
  },
  'rulesets.rules.update': {
    call: (c) => c.rulesets.rules.update(RULE_AT, RULE_INPUT),
    sends: 'PATCH /v1/rulesets/rset_1/rules/resrule_1',
    body: RULE_INPUT,
    key: 'org-key',
    answer: RULE,
  },
  'rulesets.rules.delete': {
    call: (c) => c.rulesets.rules.delete(RULE_AT),
    sends: 'DELETE /v1/rulesets/rset_1/rules/resrule_1',
    key: 'org-key',
    status: 204,
  },
  'simulate.alert': {
    call: (c) => c.simulate.alert(SIMULATED),
    sends: 'POST /v1/simulate/alerts',
    body: SIMULATED,
    key: 'org-key',
    answer: ALERT,
  },
  'simulate.enrolment': {
    call: (c) => c.simulate.enrolment('enrl_1', { status: 'ENABLED' }),
    sends: 'PATCH /v1/simulate/enrolments/enrl_1',
    body: { status: 'ENABLED' },
    key: 'org-key',
    answer: { ...ENROLMENT, status: 'ENABLED' },
  },
  'simulate.lookup': {
    call: (c) => c.simulate.lookup({ organisation_id: 'org_1', type: 'NETB_ORDER_INSIGHT' }),
    sends: 'POST /v1/simulate/lookups',
    body: { organisation_id: 'org_1', type: 'NETB_ORDER_INSIGHT' },
    key: 'org-key',
    answer: { accepted: true },
  },
  'simulate.schemeNotice': {
    call: (c) => c.simulate.schemeNotice({ organisation_id: 'org_1', scheme_notice_type: 'TC40' }),
    sends: 'POST /v1/simulate/scheme-notices',
    body: { organisation_id: 'org_1', scheme_notice_type: 'TC40' },
    key: 'org-key',
    answer: { accepted: true },
  },
};

describe('operations', () => {
  test.each(Object.entries(ROWS))('%s', async (_name, row) => {
    server.answer(() => ({
      status: row.status ?? 200,
      ...(row.answer === undefined ? {} : { json: row.answer }),
    }));
    await row.call(client);
    expect(server.seen).toHaveLength(1);
    const [request] = server.seen;
    expect(`${request?.method} ${request?.url}`).toBe(row.sends);
    expect(request?.headers.authorization).toBe(`Bearer ${row.key}`);
    expect(request?.body === '' ? undefined : JSON.parse(request?.body ?? '')).toEqual(row.body);
    expect(request?.headers['content-type']).toBe(
      row.body === undefined ? undefined : 'application/json',
    );
  });

  test('what comes back is the answer, unknown fields included', async () => {
    server.answer(() => ({ json: { ...ALERT, alert_network_id: 'x' } }));
    expect(await client.alerts.get('netalrt_1')).toEqual({ ...ALERT, alert_network_id: 'x' });
  });

  test('a base path is kept, and a trailing slash of it makes no double one', async () => {
    server.answer(() => ({ json: ALERT }));
    await clientOf(server, { baseUrl: `${server.url}/api/prevention/` }).alerts.get('netalrt_1');
    expect(server.seen[0]?.url).toBe('/api/prevention/v1/alerts/netalrt_1');
  });

  test('the partner key alone opens everything', async () => {
    server.answer(() => ({ json: ALERT }));
    await clientOf(server, { apiKey: undefined }).alerts.get('netalrt_1');
    expect(server.seen[0]?.headers.authorization).toBe('Bearer partner-key');
  });

  test('brands are translated in query, body, answer and errors', async () => {
    const brandTokens = createBrandTokens(parseBrandTokens('NETA=FIRSTNET,NETB=SECONDNET'));
    const branded = clientOf(server, { brandTokens });
    server.answer(() => ({
      json: {
        items: [{ ...ENROLMENT, type: 'FIRSTNET_ALERT', firstnet_alert: ALERT_CONFIG }],
        count: 1,
      },
    }));
    const page = await branded.enrolments.page({ type: 'NETA_ALERT' });
    expect(server.seen[0]?.url).toBe('/v2/enrolments?type=FIRSTNET_ALERT');
    expect(page.items[0]).toMatchObject({ type: 'NETA_ALERT', neta_alert: ALERT_CONFIG });

    server.answer(() => ({
      status: 422,
      json: {
        errors: [
          {
            code: 'MISSING_FIRSTNET_ALERT_CONFIG',
            message: 'FIRSTNET_ALERT needs firstnet_alert',
            field: 'firstnet_alert',
          },
        ],
      },
    }));
    const error = await rejectionOf(
      branded.enrolments.create({
        type: 'NETA_ALERT',
        merchant_ids: ['m'],
        neta_alert: ALERT_CONFIG,
      }),
    );
    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({
      type: 'FIRSTNET_ALERT',
      merchant_ids: ['m'],
      firstnet_alert: ALERT_CONFIG,
    });
    expect(error).toMatchObject({ code: 'MISSING_NETA_ALERT_CONFIG', field: 'neta_alert' });
  });

  test('hooks see endpoint, attempt and status, and cannot break a call', async () => {
    server.answer(() => ({ json: ALERT }));
    const requests: unknown[] = [];
    const hooked = clientOf(server, {
      hooks: {
        onRequest: (info) => {
          requests.push(info);
          throw new Error('telemetry is down');
        },
        onResponse: (info) => requests.push(info),
      },
    });
    await hooked.alerts.get('netalrt_1');
    expect(requests).toEqual([
      { method: 'GET', path: '/v1/alerts/{alert_id}', attempt: 1 },
      {
        method: 'GET',
        path: '/v1/alerts/{alert_id}',
        attempt: 1,
        durationMs: expect.any(Number),
        httpStatus: 200,
        errorCode: undefined,
        serviceDateMs: expect.any(Number),
      },
    ]);
  });
});

describe('what is never sent', () => {
  test.each([
    ['another kind of id', 'ord_1'],
    ['a path', 'netalrt_../orders'],
    ['a query', 'netalrt_1?x=1'],
    ['an escape', 'netalrt_%2e%2e'],
    ['nothing', ''],
    ['a prefix alone', 'netalrt_'],
    ['a line break', 'netalrt_1\n'],
  ])('an alert id that is %s', async (_case, id) => {
    server.answer(() => ({ json: ALERT }));
    const error = await rejectionOf(client.alerts.get(id));
    expect(error).toMatchObject({
      name: 'ServiceError',
      code: 'INVALID_REQUEST',
      outcome: 'not_sent',
      retryable: false,
    });
    expect(server.seen).toHaveLength(0);
  });

  test('a rule whose ruleset id is a rule id', async () => {
    server.answer(() => ({ json: RULE }));
    const address = { rulesetId: 'resrule_1', ruleId: 'rset_1' };
    const error = await rejectionOf(client.rulesets.rules.get(address));
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', outcome: 'not_sent' });
    expect(server.seen).toHaveLength(0);
  });

  test('a body that does not fit, with the field named and no value', async () => {
    const bad = { ...SIMULATED, transaction_authorisation_code: 'SECRET-VALUE' };
    const error = (await rejectionOf(client.simulate.alert(bad))) as Error;
    expect(error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'transaction_authorisation_code',
      outcome: 'not_sent',
      requestKind: 'write',
    });
    expect(error.message).not.toContain('SECRET-VALUE');
    expect(server.seen).toHaveLength(0);
  });

  test('101 orders at once', async () => {
    const error = await rejectionOf(client.orders.create(Array.from({ length: 101 }, () => ORDER)));
    expect(error).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(server.seen).toHaveLength(0);
  });

  test('a partner call without a partner key', async () => {
    server.answer(() => ({ json: MERCHANT }));
    const error = await rejectionOf(
      clientOf(server, { partnerApiKey: undefined }).merchants.get('mrch_1'),
    );
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', outcome: 'not_sent' });
    expect(server.seen).toHaveLength(0);
  });
});
