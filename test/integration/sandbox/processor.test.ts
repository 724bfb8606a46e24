/** Guarantee: the sandbox's processor keeps the HTTP processor contract, and its books are right. */
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { jsonOf } from '../../contract/support/json.ts';

const HOUR_MS = 3_600_000;
let clock: FixedClock;
let sandbox: Sandbox;
beforeEach(async () => {
  clock = createFixedClock('2026-11-20T00:00:00Z');
  sandbox = await createSandbox({ clock });
  sandbox.createCharge({ reference: 'ch', amount_in_cents: 1000, currency: 'USD' });
});
afterEach(() => sandbox.close());

async function get(path: string) {
  const response = await fetch(sandbox.processorUrl + path);
  return { status: response.status, json: await jsonOf(response) };
}

async function post(path: string, body: object, key?: string) {
  const response = await fetch(sandbox.processorUrl + path, {
    method: 'POST',
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: await jsonOf(response) };
}

const refund = (amount: number, key: string, changes: object = {}) =>
  post(
    '/refunds',
    { charge_reference: 'ch', amount_in_cents: amount, currency: 'USD', ...changes },
    key,
  );

describe('charges', () => {
  test('a charge is read with everything the contract names', async () => {
    sandbox.createCharge({
      reference: 'ch-2',
      amount_in_cents: 500,
      currency: 'EUR',
      card_brand: 'SCHEME_A',
      card_bin: '424242',
      card_last4: '4242',
      acquirer_reference_number: 'arn',
      authorisation_code: 'A1B2C3',
      order_reference: 'o-1',
      subscription_reference: 's-1',
      authorised_at: '2026-11-18T10:00:00Z',
    });
    expect(await get('/charges/ch-2')).toEqual({
      status: 200,
      json: {
        reference: 'ch-2',
        status: 'captured',
        amount_in_cents: 500,
        currency: 'EUR',
        refundable_in_cents: 500,
        disputed: false,
        authorised_at: '2026-11-18T10:00:00Z',
        card: { brand: 'SCHEME_A', bin: '424242', last4: '4242' },
        acquirer_reference_number: 'arn',
        authorisation_code: 'A1B2C3',
        order_reference: 'o-1',
        subscription_reference: 's-1',
        refunds: [],
      },
    });
  });

  test('an unknown charge is 404', async () => {
    expect((await get('/charges/none')).status).toBe(404);
  });

  test.each([
    ['reference=hit', 1],
    ['reference=miss', 0],
    ['acquirer_reference_number=A', 1],
    ['authorisation_code=B', 1],
    ['authorisation_code=X', 0],
    ['card_bin=424242&card_last4=4242', 1],
    ['card_bin=424242&card_last4=9999', 0],
    ['amount_in_cents=777&currency=USD', 1],
    ['amount_in_cents=777&currency=EUR', 0],
    ['authorised_from=2026-11-18T00:00:00Z&authorised_to=2026-11-18T23:59:59Z', 1],
    ['authorised_from=2026-11-18T12:00:00Z&authorised_to=2026-11-18T23:59:59Z', 0],
  ])('search %s', async (query, count) => {
    sandbox.createCharge({
      reference: 'hit',
      amount_in_cents: 777,
      card_bin: '424242',
      card_last4: '4242',
      acquirer_reference_number: 'A',
      authorisation_code: 'B',
      authorised_at: '2026-11-18T10:00:00Z',
    });
    const { json } = await get(`/charges?${query}`);
    expect(json.items).toHaveLength(count);
  });
});

describe('refunds', () => {
  test('a refund is booked and the remainder shrinks', async () => {
    const { status, json } = await refund(400, 'k-1');
    expect(status).toBe(200);
    expect(json).toEqual({
      reference: expect.any(String),
      idempotency_key: 'k-1',
      charge_reference: 'ch',
      status: 'succeeded',
      failure_code: null,
      failure_class: null,
      amount_in_cents: 400,
      currency: 'USD',
      created_at: '2026-11-20T00:00:00.000Z',
    });
    const charge = (await get('/charges/ch')).json;
    expect([charge.refundable_in_cents, charge.refunds]).toEqual([600, [json]]);
  });

  test('a repeat of a key returns the first result for as long as the key lives', async () => {
    const first = await refund(400, 'k-1');
    clock.advanceMs(24 * HOUR_MS - 1);
    expect(await refund(400, 'k-1')).toEqual(first);
    clock.advanceMs(1);
    const second = await refund(400, 'k-1');
    expect(second.json.reference).not.toBe(first.json.reference);
    expect(sandbox.moneyOut('ch')).toEqual({ count: 2, sumMinor: 800 });
  });

  test('a key used for another request is 400 and moves nothing', async () => {
    await refund(400, 'k-1');
    const again = await refund(401, 'k-1');
    expect([again.status, again.json.error.code]).toEqual([400, 'idempotency_key_reused']);
    expect(sandbox.moneyOut('ch').count).toBe(1);
  });

  test('without a key nothing is refunded', async () => {
    const body = { charge_reference: 'ch', amount_in_cents: 1, currency: 'USD' };
    expect((await post('/refunds', body)).status).toBe(400);
    expect(sandbox.moneyOut('ch').count).toBe(0);
  });

  test('keys do nothing when their life is 0', async () => {
    sandbox.changeProcessor({ idempotency_ttl_hours: 0 });
    await refund(400, 'k-1');
    await refund(400, 'k-1');
    expect(sandbox.moneyOut('ch')).toEqual({ count: 2, sumMinor: 800 });
  });

  test('more than is left is refused, unless the processor does not', async () => {
    await refund(1000, 'k-1');
    const over = await refund(1, 'k-2');
    expect(over.json).toMatchObject({
      status: 'failed',
      failure_code: 'amount_exceeds_refundable',
    });
    expect(sandbox.moneyOut('ch').sumMinor).toBe(1000);
    sandbox.changeProcessor({ refuses_over_refund: false });
    expect((await refund(1, 'k-3')).json.status).toBe('succeeded');
    expect(sandbox.moneyOut('ch').sumMinor).toBe(1001);
  });

  test.each([
    ['authorised', 'charge_not_captured'],
    ['declined', 'charge_not_captured'],
    ['voided', 'charge_not_captured'],
  ] as const)('a charge that is %s is not refunded', async (status, code) => {
    sandbox.createCharge({ reference: 'ch-3', status, amount_in_cents: 10 });
    const { json } = await refund(10, 'k-1', { charge_reference: 'ch-3' });
    expect([json.status, json.failure_code]).toEqual(['failed', code]);
  });

  test('another currency and an unknown charge are refused', async () => {
    expect((await refund(1, 'k-1', { currency: 'EUR' })).json.failure_code).toBe(
      'currency_mismatch',
    );
    expect((await refund(1, 'k-2', { charge_reference: 'none' })).status).toBe(404);
  });

  test('refunds are found by their key, once the lag is over', async () => {
    sandbox.changeProcessor({ lookup_lag_seconds: 600 });
    const { json } = await refund(400, 'k-1');
    const items = async () => (await get('/refunds?idempotency_key=k-1')).json.items;
    clock.advanceMs(599_000);
    expect(await items()).toEqual([]);
    expect((await get('/charges/ch')).json.refundable_in_cents).toBe(1000);
    clock.advanceMs(1000);
    expect(await items()).toEqual([json]);
    expect((await get('/charges/ch')).json.refundable_in_cents).toBe(600);
    expect((await get('/refunds?idempotency_key=other')).json.items).toEqual([]);
  });

  test('an asynchronous refund is pending until its time, then succeeds', async () => {
    sandbox.changeProcessor({ async_refunds: true });
    expect((await refund(400, 'k-1')).json.status).toBe('pending');
    await sandbox.advance(HOUR_MS - 1);
    expect((await get('/refunds?idempotency_key=k-1')).json.items[0].status).toBe('pending');
    await sandbox.advance(1);
    expect((await get('/refunds?idempotency_key=k-1')).json.items[0].status).toBe('succeeded');
  });

  test('a refund can fail days later and is refundable again', async () => {
    const { json } = await refund(400, 'k-1');
    sandbox.settleRefund(json.reference, 'failed', 'account_closed');
    const charge = (await get('/charges/ch')).json;
    expect(charge.refunds[0]).toMatchObject({ status: 'failed', failure_code: 'account_closed' });
    expect(charge.refundable_in_cents).toBe(1000);
    expect(sandbox.moneyOut('ch').count).toBe(0);
  });

  test.each([
    ['charge_not_captured', 'final', 1000, { charge_reference: 'auth' }],
    ['currency_mismatch', 'ours', 1000, { currency: 'EUR' }],
    ['amount_exceeds_refundable', 'ours', 1001, {}],
  ])('a refusal for %s is %s', async (code, failureClass, amount, changes) => {
    sandbox.createCharge({ reference: 'auth', status: 'authorised' });
    const { status, json } = await refund(amount, 'k-1', changes);
    expect([status, json.failure_code, json.failure_class]).toEqual([200, code, failureClass]);
  });

  test('what went back already is refused as done', async () => {
    await refund(400, 'k-1');
    const { json } = await refund(601, 'k-2');
    expect([json.failure_code, json.failure_class]).toEqual(['amount_exceeds_refundable', 'done']);
  });

  test.each([
    [402, 'insufficient_balance', 'retry'],
    [401, 'key_revoked', 'ours'],
    [422, 'too_old', 'final'],
    [422, 'charge_already_refunded', 'done'],
  ] as const)('a planted refusal %i %s is %s, and moves nothing', async (status, code, word) => {
    const on = 'POST /processor/refunds';
    sandbox.addFault({ on, kind: 'status', status, code, failure_class: word });
    const answer = await refund(400, 'k-1');
    expect([answer.status, answer.json.errors[0]]).toMatchObject([
      status,
      { code, failure_class: word },
    ]);
    expect(sandbox.moneyOut('ch').count).toBe(0);
    // The key was never used: the same request goes through once the fault is over.
    expect((await refund(400, 'k-1')).json.status).toBe('succeeded');
  });

  test('a refund by support stays pending until it is ended, and can be taken back', async () => {
    const { reference } = sandbox.refundInDashboard('ch', 300, 'pending');
    await sandbox.advance(48 * HOUR_MS);
    const shown = async () => {
      const { json } = await get('/charges/ch');
      return [json.refundable_in_cents, json.refunds[0].status, json.refunds[0].failure_class];
    };
    expect(await shown()).toEqual([700, 'pending', null]);
    sandbox.settleRefund(reference, 'succeeded');
    expect(await shown()).toEqual([700, 'succeeded', null]);
    sandbox.settleRefund(reference, 'failed', { code: 'account_closed', failureClass: 'final' });
    expect(await shown()).toEqual([1000, 'failed', 'final']);
    expect(sandbox.moneyOut('ch')).toEqual({ count: 0, sumMinor: 0 });
  });

  test('support refunds by hand what is left', async () => {
    await refund(400, 'k-1');
    const byHand = sandbox.refundInDashboard('ch');
    expect(byHand).toMatchObject({ idempotency_key: null, amount_in_cents: 600 });
  });

  test('the books never exceed the charge, whatever is sent', async () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      amount: fc.integer({ min: 1, max: 700 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        sandbox.reset();
        sandbox.createCharge({ reference: 'ch', amount_in_cents: 1000 });
        const granted = new Map<string, number>();
        for (const { key, amount } of steps) {
          const { status, json } = await refund(amount, key);
          if (status === 200 && json.status === 'succeeded') granted.set(key, json.amount_in_cents);
        }
        const { count, sumMinor } = sandbox.moneyOut('ch');
        expect(sumMinor).toBeLessThanOrEqual(1000);
        expect(count).toBe(granted.size);
        expect(sumMinor).toBe([...granted.values()].reduce((sum, minor) => sum + minor, 0));
      }),
      { numRuns: 40 },
    );
  });
});

describe('captures', () => {
  const amounts = async () => {
    const { json } = await get('/charges/auth');
    return [json.status, json.amount_in_cents, json.refundable_in_cents];
  };
  beforeEach(() => {
    sandbox.createCharge({ reference: 'auth', status: 'authorised', amount_in_cents: 10_000 });
  });

  test('a part is captured and the rest released: only the part is refundable', async () => {
    sandbox.captureCharge('auth', { amountMinor: 2_900 });
    expect(await amounts()).toEqual(['captured', 2_900, 2_900]);
    expect((await refund(2_901, 'k-1', { charge_reference: 'auth' })).json.status).toBe('failed');
    expect(() => sandbox.captureCharge('auth')).toThrow('Nothing of the authorisation');
  });

  test('several captures add up to what was authorised', async () => {
    sandbox.captureCharge('auth', { amountMinor: 2_900, final: false });
    await refund(2_900, 'k-1', { charge_reference: 'auth' });
    expect(await amounts()).toEqual(['captured', 2_900, 0]);
    sandbox.captureCharge('auth', { amountMinor: 4_100, final: false });
    expect(await amounts()).toEqual(['captured', 7_000, 4_100]);
    sandbox.captureCharge('auth');
    expect(await amounts()).toEqual(['captured', 10_000, 7_100]);
  });

  test('a tip is captured above the authorisation', async () => {
    sandbox.captureCharge('auth', { amountMinor: 12_000 });
    expect(await amounts()).toEqual(['captured', 12_000, 12_000]);
  });

  test('a voided or declined charge is not captured', () => {
    sandbox.createCharge({ reference: 'void', status: 'voided' });
    expect(() => sandbox.captureCharge('void')).toThrow('Nothing of the authorisation');
  });

  test('over HTTP, without a word of the authorisation in the contract', async () => {
    const url = `${sandbox.url}/sandbox/charges/auth/captures`;
    const body = JSON.stringify({ amount_in_cents: 2_900, final: false });
    expect((await fetch(url, { method: 'POST', body })).status).toBe(201);
    expect(await amounts()).toEqual(['captured', 2_900, 2_900]);
    expect((await get('/charges/auth')).json).not.toHaveProperty('authorised_in_cents');
    const { items } = await jsonOf(await fetch(`${sandbox.url}/sandbox/charges`));
    expect(items).toContainEqual(
      expect.objectContaining({ reference: 'auth', authorised_in_cents: 10_000 }),
    );
  });
});

describe('a chargeback', () => {
  test('takes what was not refunded; then nothing can be refunded', async () => {
    await refund(400, 'k-1');
    sandbox.takeChargeback('ch');
    const { json } = await get('/charges/ch');
    expect([json.disputed, json.refundable_in_cents, json.refunds.length]).toEqual([true, 0, 1]);
    const after = await refund(600, 'k-2');
    expect(after.json).toMatchObject({ failure_code: 'charge_disputed', failure_class: 'final' });
    expect(sandbox.charges()[0]).toMatchObject({ chargeback_in_cents: 600 });
    expect(sandbox.moneyOut('ch')).toEqual({ count: 1, sumMinor: 400 });
  });

  test('of a part leaves the rest, and comes back when it is won', async () => {
    const url = `${sandbox.url}/sandbox/charges/ch/chargebacks`;
    const take = (amount: number) =>
      fetch(url, { method: 'POST', body: JSON.stringify({ amount_in_cents: amount }) });
    expect((await take(250)).status).toBe(201);
    expect((await get('/charges/ch')).json).toMatchObject({
      disputed: true,
      refundable_in_cents: 750,
    });
    await take(0);
    expect((await get('/charges/ch')).json).toMatchObject({
      disputed: false,
      refundable_in_cents: 1000,
    });
  });

  test('of money that support had refunded leaves nothing, not less than nothing', async () => {
    await refund(1000, 'k-1');
    sandbox.takeChargeback('ch', 1000);
    expect((await get('/charges/ch')).json.refundable_in_cents).toBe(0);
  });
});

test('a search that nobody answers for six seconds leaves reading alone', async () => {
  const on = 'GET /processor/charges';
  sandbox.addFault({ on, kind: 'status', status: 503, for_ms: 6_000 });
  expect((await get('/charges?reference=ch')).status).toBe(503);
  expect((await get('/charges/ch')).status).toBe(200);
  clock.advanceMs(5_999);
  expect((await get('/charges?reference=ch')).status).toBe(503);
  clock.advanceMs(1);
  expect((await get('/charges?reference=ch')).json.items).toHaveLength(1);
});

describe('the rest', () => {
  test('an authorised charge is voided once, a captured one is not', async () => {
    sandbox.createCharge({ reference: 'auth', status: 'authorised' });
    expect((await post('/voids', { charge_reference: 'auth' }, 'v-1')).json.status).toBe('voided');
    expect((await post('/voids', { charge_reference: 'auth' }, 'v-1')).status).toBe(200);
    expect((await post('/voids', { charge_reference: 'ch' }, 'v-2')).status).toBe(422);
  });

  test('a subscription is cancelled', async () => {
    const { status, json } = await post('/subscriptions/sub-1/cancel', {}, 'c-1');
    expect([status, json]).toEqual([200, { reference: 'sub-1', status: 'cancelled' }]);
    expect(sandbox.state.cancelledSubscriptions.has('sub-1')).toBe(true);
  });

  test('capabilities are stated as they are set', async () => {
    sandbox.changeProcessor({ lookup_lag_seconds: 30 });
    expect((await get('/capabilities')).json).toEqual({
      idempotency_ttl_hours: 24,
      can_lookup_by_reference: true,
      lookup_lag_seconds: 30,
      refuses_over_refund: true,
      async_refunds: false,
      pending_counts: false,
      request_lifetime_seconds: 60,
      mode: 'test',
    });
  });

  test('what is not offered is 501, and 404 for the capabilities', async () => {
    const offers = {
      search: false,
      read: false,
      voids: false,
      cancellations: false,
      capabilities: false,
    };
    sandbox.changeProcessor({ offers, can_lookup_by_reference: false });
    const statuses = [
      (await get('/charges?reference=ch')).status,
      (await get('/charges/ch')).status,
      (await get('/refunds?idempotency_key=k')).status,
      (await post('/voids', { charge_reference: 'ch' }, 'v')).status,
      (await post('/subscriptions/s/cancel', {}, 'c')).status,
      (await get('/capabilities')).status,
    ];
    expect(statuses).toEqual([501, 501, 501, 501, 501, 404]);
  });
});

describe('signed calls', () => {
  const SECRET = 'processor-secret-0123456789';
  const SIGNED_AT = 1_795_132_800;

  /** `<t>.<METHOD> <path and query as sent>.<raw body>`, keyed with the processor secret. */
  function sign(text: string, signedAt = SIGNED_AT, secret = SECRET): string {
    const digest = createHmac('sha512', secret).update(`${signedAt}.${text}`).digest('hex');
    return `t=${signedAt},v1=${digest}`;
  }

  async function statusOf(signature: string | undefined, path = '/charges/ch'): Promise<number> {
    const signed = await createSandbox({ clock, processorSecret: SECRET });
    signed.createCharge({ reference: 'ch' });
    const headers = signature === undefined ? {} : { 'X-Signature': signature };
    const { status } = await fetch(signed.processorUrl + path, { headers });
    await signed.close();
    return status;
  }

  test('a genuine signature is taken', async () => {
    expect(await statusOf(sign('GET /processor/charges/ch.'))).toBe(200);
    const query = '/charges?reference=ch&currency=USD';
    expect(await statusOf(sign(`GET /processor${query}.`), query)).toBe(200);
  });

  test.each([
    ['none', () => undefined],
    ['another path', () => sign('GET /processor/charges/other.')],
    ['another method', () => sign('POST /processor/charges/ch.')],
    ['another body', () => sign('GET /processor/charges/ch.{}')],
    ['another secret', () => sign('GET /processor/charges/ch.', SIGNED_AT, 'guess')],
    ['301 s old', () => sign('GET /processor/charges/ch.', SIGNED_AT - 301)],
    ['301 s early', () => sign('GET /processor/charges/ch.', SIGNED_AT + 301)],
    ['no form', () => 'v1=00'],
  ])('a signature that is wrong is 401: %s', async (_title, make) => {
    expect(await statusOf(make())).toBe(401);
  });

  test('a caller in another process is believed by its own time, however far the clock was moved', async () => {
    const signed = await createSandbox({ processorSecret: SECRET });
    await signed.advance(12 * 3_600_000);
    signed.createCharge({ reference: 'ch' });
    const signature = sign('GET /processor/charges/ch.', Math.floor(Date.now() / 1000));
    const headers = { 'X-Signature': signature };
    const { status } = await fetch(`${signed.processorUrl}/charges/ch`, { headers });
    await signed.close();
    expect(status).toBe(200);
  });

  test('300 s are still taken', async () => {
    expect(await statusOf(sign('GET /processor/charges/ch.', SIGNED_AT - 300))).toBe(200);
  });
});
