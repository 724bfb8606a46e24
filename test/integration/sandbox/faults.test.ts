/** Guarantee: a planted fault strikes where, when and how it was told to, and nowhere else. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { FaultRule, Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { jsonOf } from '../../contract/support/json.ts';
import type { Receiver } from '../../contract/support/receiver.ts';
import { createReceiver } from '../../contract/support/receiver.ts';

let sandbox: Sandbox;
let receiver: Receiver;
beforeEach(async () => {
  receiver = await createReceiver();
  sandbox = await createSandbox({
    clock: createFixedClock('2026-11-20T00:00:00Z'),
    webhookUrl: receiver.url,
  });
});
afterEach(async () => {
  await sandbox.close();
  await receiver.close();
});

async function refund(key = 'k-1'): Promise<{ status: number; text: string }> {
  const response = await fetch(`${sandbox.processorUrl}/refunds`, {
    method: 'POST',
    headers: { 'Idempotency-Key': key },
    body: JSON.stringify({ charge_reference: 'ch', amount_in_cents: 100, currency: 'USD' }),
  });
  return { status: response.status, text: await response.text() };
}

async function act(id: string): Promise<Response> {
  return fetch(`${sandbox.url}/v1/alerts/${id}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${sandbox.accounts.organisationKey}` },
    body: JSON.stringify({ action: 'REFUND' }),
  });
}

describe('calls', () => {
  beforeEach(() => {
    sandbox.createCharge({ reference: 'ch', amount_in_cents: 1000 });
  });
  const moved = (): number => sandbox.moneyOut('ch').count;
  const plant = (rule: object): unknown =>
    sandbox.addFault({ on: 'POST /processor/refunds', kind: 'status', ...rule });

  test('status answers without any effect', async () => {
    plant({ status: 502 });
    expect((await refund()).status).toBe(502);
    expect(moved()).toBe(0);
    expect((await refund()).status).toBe(200);
  });

  test('drop_before cuts the connection and nothing happened', async () => {
    plant({ kind: 'drop_before' });
    await expect(refund()).rejects.toThrow('fetch failed');
    expect(moved()).toBe(0);
  });

  test('drop_after cuts the connection and everything happened', async () => {
    plant({ kind: 'drop_after' });
    await expect(refund()).rejects.toThrow('fetch failed');
    expect(moved()).toBe(1);
  });

  test('late cuts the connection and executes on the sandbox clock', async () => {
    plant({ kind: 'late', late_ms: 120_000 });
    await expect(refund()).rejects.toThrow('fetch failed');
    await sandbox.advance(119_999);
    expect(moved()).toBe(0);
    await sandbox.advance(1);
    expect(moved()).toBe(1);
  });

  test('malformed answers HTML after the effect', async () => {
    plant({ kind: 'malformed' });
    const reply = await refund();
    expect([reply.status, reply.text.startsWith('<html>')]).toEqual([200, true]);
    expect(moved()).toBe(1);
  });

  test('truncated answers half the JSON after the effect', async () => {
    plant({ kind: 'truncated' });
    const reply = await refund();
    expect(() => JSON.parse(reply.text)).toThrow(SyntaxError);
    expect(reply.text.startsWith('{"reference"')).toBe(true);
    expect(moved()).toBe(1);
  });

  test('duplicate executes twice: a key protects, an alert action does not', async () => {
    plant({ kind: 'duplicate' });
    expect((await refund()).status).toBe(200);
    expect(moved()).toBe(1);
    sandbox.changeProcessor({ idempotency_ttl_hours: 0 });
    plant({ kind: 'duplicate' });
    await refund('k-2');
    expect(moved()).toBe(3);
    sandbox.addFault({ on: 'PATCH /v1/alerts/{alert_id}', kind: 'duplicate' });
    const alert = sandbox.createAlert();
    expect((await act(alert.id)).status).toBe(422);
    expect(sandbox.patchLog.map((entry) => entry.http_status)).toEqual([200, 422]);
  });

  test('hang answers nothing until the caller gives up', async () => {
    plant({ kind: 'hang' });
    const call = fetch(`${sandbox.processorUrl}/refunds`, {
      method: 'POST',
      signal: AbortSignal.timeout(50),
    });
    await expect(call).rejects.toThrow(/abort|timeout/i);
    expect(moved()).toBe(0);
  });

  test('delay answers later, as usual otherwise', async () => {
    plant({ kind: 'delay', delay_ms: 60 });
    const before = performance.now();
    expect((await refund()).status).toBe(200);
    expect(performance.now() - before).toBeGreaterThanOrEqual(55);
  });

  test('times, skip and contains narrow where it strikes', async () => {
    plant({ times: 2, skip: 1, contains: '"amount_in_cents":100' });
    const statuses: number[] = [];
    for (const key of ['a', 'b', 'c', 'd']) statuses.push((await refund(key)).status);
    expect(statuses).toEqual([200, 500, 500, 200]);
    plant({ contains: 'not in the request' });
    expect((await refund('e')).status).toBe(200);
  });

  test('a fault strikes its own endpoint only, and * any', async () => {
    sandbox.addFault({ on: 'GET /v1/alerts', kind: 'status', status: 503 });
    expect((await refund()).status).toBe(200);
    sandbox.faults.clear();
    sandbox.addFault({ on: 'POST /processor/*', kind: 'status', status: 503 });
    expect((await refund('k-9')).status).toBe(503);
  });

  test('a rate repeats with the seed', async () => {
    const pattern = async (): Promise<number[]> => {
      sandbox.reset();
      sandbox.createCharge({ reference: 'ch', amount_in_cents: 100_000 });
      plant({ rate: 0.5 });
      const statuses: number[] = [];
      for (let index = 0; index < 40; index += 1) statuses.push((await refund(`k${index}`)).status);
      return statuses;
    };
    const first = await pattern();
    expect(await pattern()).toEqual(first);
    const failed = first.filter((status) => status === 500).length;
    expect(failed).toBeGreaterThan(8);
    expect(failed).toBeLessThan(32);
  });

  test('struck requests are in the log with their fault', async () => {
    plant({ status: 502 });
    await refund();
    const [entry] = sandbox.requests();
    expect(entry).toMatchObject({
      endpoint: 'POST /processor/refunds',
      status: 502,
      fault: 'status',
    });
  });
});

describe('webhooks', () => {
  const plant = (rule: object): unknown =>
    sandbox.addFault({ on: 'webhook', kind: 'lose', ...rule });

  /** Whether a delivery is signed with the seeded secret over the bytes it carries. */
  function isGenuine(index: number): boolean {
    const { headers, bytes } = receiver.received[index]!;
    const [, signedAt, digest] = /^t=(\d+),v1=(.+)$/.exec(`${headers['x-signature']}`) ?? [];
    const secret = sandbox.accounts.webhookSecret;
    return (
      createHmac('sha512', secret).update(`${signedAt}.`).update(bytes).digest('hex') === digest
    );
  }

  test('lose never sends it and believes it was delivered', async () => {
    plant({});
    sandbox.createAlert();
    await sandbox.advance(48 * 3_600_000);
    expect(receiver.received).toEqual([]);
    expect(sandbox.deliveries()[0]?.status).toBe('LOST');
  });

  test('duplicate sends the same delivery twice', async () => {
    plant({ kind: 'duplicate' });
    sandbox.createAlert();
    await sandbox.settle();
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[0]?.bytes).toEqual(receiver.received[1]?.bytes);
  });

  test('reorder lets the next one overtake', async () => {
    plant({ kind: 'reorder', event_type: 'alert.created' });
    const alert = sandbox.createAlert();
    sandbox.resolveInDashboard(alert.id, 'REFUND');
    await sandbox.settle();
    expect(receiver.types()).toEqual(['alert.updated', 'alert.created']);
  });

  test('a reordered one without a successor goes out by itself', async () => {
    plant({ kind: 'reorder' });
    sandbox.createAlert();
    await sandbox.settle();
    expect(receiver.received).toEqual([]);
    await sandbox.advance(60_000);
    expect(receiver.types()).toEqual(['alert.created']);
  });

  test('delay sends it later on the sandbox clock', async () => {
    plant({ kind: 'delay', late_ms: 5000 });
    sandbox.createAlert();
    await sandbox.advance(4999);
    expect(receiver.received).toEqual([]);
    await sandbox.advance(1);
    expect(receiver.types()).toEqual(['alert.created']);
  });

  test('drop_before is a failure without a request, and retried', async () => {
    plant({ kind: 'drop_before' });
    sandbox.createAlert();
    await sandbox.settle();
    expect(receiver.received).toEqual([]);
    await sandbox.advance(60_000);
    expect(receiver.received).toHaveLength(1);
  });

  test('drop_after sends, ignores the answer, and retries', async () => {
    plant({ kind: 'drop_after' });
    sandbox.createAlert();
    await sandbox.advance(60_000);
    expect(receiver.received).toHaveLength(2);
    expect(sandbox.deliveries()[0]?.status).toBe('SUCCEEDED');
  });

  test('wrong_secret signs with another secret', async () => {
    plant({ kind: 'wrong_secret' });
    sandbox.createAlert();
    sandbox.createAlert();
    await sandbox.settle();
    expect([isGenuine(0), isGenuine(1)]).toEqual([false, true]);
  });

  test('stale_timestamp signs an old t correctly', async () => {
    plant({ kind: 'stale_timestamp', age_seconds: 301 });
    sandbox.createAlert();
    await sandbox.settle();
    expect(receiver.received[0]?.headers['x-signature']).toMatch(/^t=1795132499,/);
    expect(isGenuine(0)).toBe(true);
  });

  test('tampered changes the body after signing', async () => {
    plant({ kind: 'tampered' });
    sandbox.createAlert();
    await sandbox.settle();
    expect(receiver.received[0]?.json).toBeDefined();
    expect(isGenuine(0)).toBe(false);
  });

  test('malformed and truncated bodies are signed as they are sent', async () => {
    plant({ kind: 'malformed' });
    plant({ kind: 'truncated' });
    sandbox.createAlert();
    sandbox.createAlert();
    await sandbox.settle();
    expect(receiver.received.map(({ json }) => json)).toEqual([undefined, undefined]);
    expect([isGenuine(0), isGenuine(1)]).toEqual([true, true]);
  });

  test('event_type and attempt narrow where it strikes', async () => {
    receiver.status = 500;
    plant({ kind: 'drop_before', event_type: 'alert.created', attempt: 2 });
    sandbox.createAlert();
    sandbox.createLookup({ type: 'NETB_ORDER_INSIGHT', lookup_status: 'SUCCEEDED' });
    await sandbox.advance(60_000);
    expect(receiver.types()).toEqual(['alert.created', 'lookup.created', 'lookup.created']);
  });

  test('raw bytes are sent signed, also when they are no JSON', async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x7d]);
    sandbox.sendRawEvent({ type: 'alert.exploded', body: bytes });
    await sandbox.settle();
    expect(receiver.received[0]?.bytes).toEqual(bytes);
    expect(isGenuine(0)).toBe(true);
  });
});

test('faults are planted, listed and removed over HTTP', async () => {
  const url = `${sandbox.url}/sandbox/faults`;
  const body = JSON.stringify({ on: 'GET /v1/alerts/', kind: 'status', status: 418 });
  const planted = await jsonOf(await fetch(url, { method: 'POST', body }));
  const list = await jsonOf(await fetch(url));
  expect(list.items).toEqual([planted]);
  expect((await fetch(`${url}/${planted.id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await jsonOf(await fetch(url))).items).toEqual([]);
  const odd = JSON.stringify({ on: 'x', kind: 'explode' });
  expect((await fetch(url, { method: 'POST', body: odd })).status).toBe(422);
});

describe('faults that could never strike', () => {
  const PATCH_ALERT = 'PATCH /v1/alerts/{alert_id}';

  test.each([
    ['a slip in the path', { on: 'PATCH /v1/alert/{alert_id}', kind: 'hang' }, 'on', PATCH_ALERT],
    ['a lower-case method', { on: 'patch /v1/alerts/{alert_id}', kind: 'hang' }, 'on', PATCH_ALERT],
    ['an id in the path', { on: 'PATCH /v1/alerts/netalrt_1', kind: 'hang' }, 'on', PATCH_ALERT],
    ['a slip in webhook', { on: 'webhooks', kind: 'lose' }, 'on', '"webhook"'],
    ['another method', { on: 'PUT /v1/orders', kind: 'hang' }, 'on', '"GET /v1/orders"'],
    ['the control surface', { on: 'GET /sandbox/clock', kind: 'hang' }, 'on', 'OpenAPI document'],
    ['nothing alike', { on: 'x', kind: 'hang' }, 'on', 'OpenAPI document'],
    ['a call fault of a webhook', { on: 'webhook', kind: 'drop' }, 'kind', 'drop_after'],
    ['a webhook fault of a call', { on: PATCH_ALERT, kind: 'lose' }, 'kind', 'no fault of a call'],
    ['no delay', { on: PATCH_ALERT, kind: 'delay' }, 'delay_ms', 'above zero'],
    ['a delay of nothing', { on: PATCH_ALERT, kind: 'delay', delay_ms: 0 }, 'delay_ms', 'above'],
    [
      'an event of a call',
      { on: PATCH_ALERT, kind: 'hang', event_type: 'alert.created' },
      'event_type',
      'webhook',
    ],
    ['an attempt of a call', { on: PATCH_ALERT, kind: 'hang', attempt: 1 }, 'attempt', 'webhook'],
    ['a seventh attempt', { on: 'webhook', kind: 'lose', attempt: 7 }, 'attempt', '1 to 6'],
    [
      'a slip in the event',
      { on: 'webhook', kind: 'lose', event_type: 'alert.create' },
      'event_type',
      '"alert.created"',
    ],
    ['never', { on: 'webhook', kind: 'lose', times: 0 }, 'times', 'at least'],
    ['a share of nothing', { on: 'webhook', kind: 'lose', rate: 0 }, 'rate', 'above 0'],
    ['no time at all', { on: 'webhook', kind: 'lose', for_ms: 0 }, 'for_ms', 'longer'],
  ])('%s is refused in code and over HTTP', async (_title, rule, field, hint) => {
    expect(() => sandbox.addFault(rule as FaultRule)).toThrow(hint);
    const url = `${sandbox.url}/sandbox/faults`;
    const reply = await fetch(url, { method: 'POST', body: JSON.stringify(rule) });
    const { errors } = await jsonOf(reply);
    expect([reply.status, errors[0].field]).toEqual([422, field]);
    expect(errors[0].message).toContain(hint);
    expect(sandbox.faults.list()).toEqual([]);
  });

  test.each([
    ['every call', { on: '*', kind: 'hang' }],
    ['a family of calls', { on: '* /v1/alerts*', kind: 'hang' }],
    ['the last attempt', { on: 'webhook', kind: 'lose', attempt: 6 }],
    ['a raw event', { on: 'webhook', kind: 'lose', event_type: 'invoice.paid' }],
    ['either kind of slowness', { on: '*', kind: 'delay', delay_ms: 1 }],
  ])('%s is planted', (_title, rule) => {
    expect(sandbox.addFault(rule as FaultRule)).toMatchObject({ ...rule, fired: 0 });
  });

  test('a fault of calls does not count a webhook that it cannot change', async () => {
    const planted = sandbox.addFault({ on: '*', kind: 'status', status: 503 });
    sandbox.createAlert();
    await sandbox.settle();
    expect(sandbox.deliveries()).toMatchObject([{ status: 'SUCCEEDED' }]);
    expect(planted).toMatchObject({ seen: 0, fired: 0 });
  });
});
