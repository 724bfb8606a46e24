/** Guarantee: a list is read whole, each item once, or it is an error; it is never silently short. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../../src/service/client/index.ts';
import type { LocalServer, SeenRequest } from './local-server.ts';
import { ALERT, alertNumber, clientOf, rejectionOf, startLocalServer } from './local-server.ts';

let server: LocalServer;
let client: ServiceClient;

beforeAll(async () => {
  server = await startLocalServer();
  client = clientOf(server);
});
afterAll(() => server.close());

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, place) => alertNumber(from + place));
const offsetOf = (request: SeenRequest): number =>
  Number(new URL(request.url, 'http://x').searchParams.get('offset') ?? 0);

/** Reads to the end or the error, keeping what was handed out. */
async function drain(list: AsyncIterable<{ id: string }>) {
  const ids: string[] = [];
  try {
    for await (const item of list) ids.push(item.id);
  } catch (error) {
    return { ids, error };
  }
  return { ids, error: undefined };
}
const open = () => client.alerts.list({ status: 'ACTION_REQUIRED' });
const idsOf = (from: number, to: number) => numbers(from, to).map((alert) => alert.id);

describe('whole lists', () => {
  test('pages are followed by what was received, whatever their size', async () => {
    server.answer((request) => {
      const offset = offsetOf(request);
      return { json: { items: numbers(offset, Math.min(offset + 30, 70)), count: 70 } };
    });
    expect(await drain(open())).toEqual({ ids: idsOf(0, 70), error: undefined });
    expect(server.seen.map((request) => request.url)).toEqual([
      '/v1/alerts/?status=ACTION_REQUIRED',
      '/v1/alerts/?status=ACTION_REQUIRED&offset=30',
      '/v1/alerts/?status=ACTION_REQUIRED&offset=60',
    ]);
  });

  test('a bare array, with and without pages', async () => {
    server.answer((request) => ({
      json: numbers(offsetOf(request), offsetOf(request) === 0 ? 3 : 0),
    }));
    expect(await drain(open())).toEqual({ ids: idsOf(0, 3), error: undefined });
    server.answer((request) => {
      const offset = offsetOf(request);
      return { json: numbers(offset, Math.min(offset + 2, 5)) };
    });
    expect(await drain(open())).toEqual({ ids: idsOf(0, 5), error: undefined });
  });

  test('a server that ignores offset ends the walk, each item once', async () => {
    server.answer(() => ({ json: { items: numbers(0, 3) } }));
    expect(await drain(open())).toEqual({ ids: idsOf(0, 3), error: undefined });
    expect(server.seen).toHaveLength(2);
  });

  test('an empty list is empty after one request', async () => {
    server.answer(() => ({ json: { items: [], count: 0 } }));
    expect(await drain(open())).toEqual({ ids: [], error: undefined });
    expect(server.seen).toHaveLength(1);
  });

  test('an item that appears on two pages is handed out once', async () => {
    server.answer((request) => ({
      json: { items: offsetOf(request) === 0 ? numbers(0, 3) : numbers(2, 5), count: 5 },
    }));
    expect((await drain(open())).ids).toEqual(idsOf(0, 5));
  });

  test('an item that stands twice on one page is handed out once', async () => {
    server.answer(() => ({ json: { items: [...numbers(0, 2), alertNumber(1)], count: 2 } }));
    expect(await drain(open())).toEqual({ ids: idsOf(0, 2), error: undefined });
  });

  test('what arrives during the walk need not be in it', async () => {
    server.answer((request) =>
      offsetOf(request) === 0
        ? { json: { items: numbers(0, 3), count: 4 } }
        : { json: { items: numbers(2, 4), count: 5 } },
    );
    expect(await drain(open())).toEqual({ ids: idsOf(0, 4), error: undefined });
  });

  test('the walk can stop early without another request', async () => {
    server.answer(() => ({ json: { items: numbers(0, 3), count: 100 } }));
    for await (const alert of open()) {
      if (alert.id === 'netalrt_1') break;
    }
    expect(server.seen).toHaveLength(1);
  });

  test('a list can be walked twice', async () => {
    server.answer(() => ({ json: { items: numbers(0, 2), count: 2 } }));
    const list = open();
    expect((await drain(list)).ids).toEqual(idsOf(0, 2));
    expect((await drain(list)).ids).toEqual(idsOf(0, 2));
  });
});

describe('lists that are not whole', () => {
  test('count says 500, 50 can be read: an error after the 50', async () => {
    server.answer(() => ({ json: { items: numbers(0, 50), count: 500 } }));
    const { ids, error } = await drain(open());
    expect(ids).toEqual(idsOf(0, 50));
    expect(error).toMatchObject({ code: 'LIST_INCOMPLETE', retryable: true });
  });

  test('count says 5, items are empty', async () => {
    server.answer(() => ({ json: { items: [], count: 5 } }));
    expect((await drain(open())).error).toMatchObject({ code: 'LIST_INCOMPLETE' });
  });

  test.each([
    ['{}', {}],
    ['null', null],
    ['a text', 'none'],
    ['another envelope', { data: [] }],
    ['items that are an object', { items: {}, count: 0 }],
    ['an alert', ALERT],
  ])('%s is an error, not an empty list', async (_case, json) => {
    server.answer(() => ({ json }));
    const { ids, error } = await drain(open());
    expect(ids).toEqual([]);
    expect(error).toMatchObject({ code: 'UNREADABLE' });
  });

  test.each([
    ['HTML', '<html></html>'],
    ['nothing', ''],
  ])('200 with %s is an error', async (_case, text) => {
    server.answer(() => ({ text }));
    expect((await drain(open())).error).toMatchObject({ code: 'UNREADABLE' });
  });

  test('one malformed alert does not hide the others, and is reported at the end', async () => {
    server.answer((request) => ({
      json: {
        items: offsetOf(request) === 0 ? [alertNumber(0), { id: 'netalrt_bad' }] : numbers(2, 4),
        count: 4,
      },
    }));
    const { ids, error } = await drain(open());
    expect(ids).toEqual(['netalrt_0', 'netalrt_2', 'netalrt_3']);
    expect(server.seen.map(offsetOf)).toEqual([0, 2]);
    expect(error).toMatchObject({ code: 'UNREADABLE', message: expect.stringContaining('item 1') });
  });

  test('a server that ignores offset and holds a malformed item reports it once', async () => {
    server.answer(() => ({ json: [alertNumber(0), {}] }));
    const { ids, error } = await drain(open());
    expect(ids).toEqual(['netalrt_0']);
    expect(error).toMatchObject({ message: expect.stringContaining('1 malformed') });
  });

  test('an endless list ends', async () => {
    server.answer((request) => {
      const offset = offsetOf(request);
      return { json: { items: numbers(offset, offset + 1) } };
    });
    const { ids, error } = await drain(open());
    expect(ids).toHaveLength(1_000);
    expect(error).toMatchObject({ code: 'UNREADABLE' });
  });
});

describe('orders', () => {
  const ORDER = {
    type: 'COMPLETE',
    organisation_id: 'org_1',
    integration_id: 'int_1',
    reference_id: 'A1',
    order_datetime: '2026-03-01T10:00:00Z',
    order_number: 'A1',
    order_subtotal_amount_in_cents: 1000,
    order_currency: 'USD',
    order_total_amount_in_cents: 1200,
    order_status: 'CLOSED_COMPLETE',
  } as const;
  const duplicate = {
    index: 1,
    reference_id: 'A2',
    code: 'DUPLICATE_ORDER',
    message: 'exists',
    field: 'reference_id',
  };

  test('partial success is data', async () => {
    const body = { created: 1, failed: 1, results: [{ id: 'ord_1' }], errors: [duplicate] };
    server.answer(() => ({ status: 200, json: body }));
    const orders = [ORDER, { ...ORDER, reference_id: 'A2' }];
    expect(await client.orders.create(orders)).toEqual(body);
  });

  test('400 when every order failed is data, too', async () => {
    const body = { created: 0, failed: 1, results: [], errors: [{ ...duplicate, index: 0 }] };
    server.answer(() => ({ status: 400, json: body }));
    expect(await client.orders.create([ORDER])).toEqual(body);
  });

  test.each([
    [
      'the error envelope',
      { json: { errors: [{ code: 'VALIDATION_JSON', message: 'm' }] } },
      'VALIDATION_JSON',
    ],
    ['HTML', { text: '<html></html>' }, 'HTTP_400'],
    ['nothing', {}, 'HTTP_400'],
  ])('400 with %s is a refusal', async (_case, reply, code) => {
    server.answer(() => ({ status: 400, ...reply }));
    expect(await rejectionOf(client.orders.create([ORDER]))).toMatchObject({
      code,
      outcome: 'refused',
      httpStatus: 400,
    });
  });

  test('422 is a refusal of the whole request', async () => {
    server.answer(() => ({ status: 422, json: { errors: [{ code: 'VALIDATION_TYPE' }] } }));
    expect(await rejectionOf(client.orders.create([ORDER]))).toMatchObject({
      code: 'VALIDATION_TYPE',
      outcome: 'refused',
    });
  });

  test.each([
    ['counts fewer orders than were sent', { created: 0, failed: 0, results: [], errors: [] }],
    [
      'speaks of an order that was not sent',
      { created: 0, failed: 1, results: [], errors: [{ ...duplicate, index: 1 }] },
    ],
    ['is another shape', { created: 1 }],
  ])('a 200 that %s leaves the fate of all unknown', async (_case, json) => {
    server.answer(() => ({ json }));
    expect(await rejectionOf(client.orders.create([ORDER]))).toMatchObject({
      code: 'UNREADABLE',
      outcome: 'unknown',
    });
  });

  test('an order is found by its exact reference and integration, even if the filter is ignored', async () => {
    server.answer(() => ({
      json: [
        { id: 'ord_1', reference_id: 'A10', integration_id: 'int_1' },
        { id: 'ord_2', reference_id: 'A1', integration_id: 'int_2' },
        { id: 'ord_3', reference_id: 'A1', integration_id: 'int_1' },
      ],
    }));
    const find = (integrationId?: string) =>
      client.orders.findByReferenceId('A1', { integrationId });
    expect((await find('int_1'))?.id).toBe('ord_3');
    expect((await find())?.id).toBe('ord_2');
    expect(await find('int_9')).toBeUndefined();
    expect(await client.orders.findByReferenceId('A2')).toBeUndefined();
  });

  test('"no such order" is only said about a list that was read whole', async () => {
    server.answer(() => ({ json: { items: [{ id: 'ord_1', reference_id: 'X' }], count: 9 } }));
    expect(await rejectionOf(client.orders.findByReferenceId('A1'))).toMatchObject({
      code: 'LIST_INCOMPLETE',
    });
    server.answer(() => ({ json: {} }));
    expect(await rejectionOf(client.orders.findByReferenceId('A1'))).toMatchObject({
      code: 'UNREADABLE',
    });
  });
});
