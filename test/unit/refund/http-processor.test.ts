/**
 * Guarantee: an HTTP processor is asked by signed calls that cannot be turned into others, and only a
 * clear answer is taken for one.
 */
import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';
import { createNoProcessor } from '../../../src/service/processor/no-processor.ts';
import type { HttpProcessorOptions } from '../../../src/service/processor/processor-call.ts';
import { signCall } from '../../../src/service/processor/processor-call.ts';
import type { Processor, RefundRequest } from '../../../src/service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../../src/service/wire/processor.ts';

interface Reply {
  status?: number;
  body?: string;
  headers?: Record<string, string>;
  /** Ends the connection instead of answering. */
  cut?: boolean;
  /** Never answers. */
  hang?: boolean;
}

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let server: Server;
let seen: Seen[];
let reply: Reply;
let processor: Processor;
let options: HttpProcessorOptions;
const clock = createFixedClock('2026-03-02T08:00:00.000Z');

beforeEach(async () => {
  seen = [];
  reply = {};
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      if (reply.hang === true) return;
      if (reply.cut === true) {
        response.destroy();
        return;
      }
      response.writeHead(reply.status ?? 200, reply.headers);
      response.end(reply.body ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  options = {
    baseUrl: `http://127.0.0.1:${port}/pay/`,
    secret: 'a secret of the merchant',
    clock,
  };
  processor = createHttpProcessor(options);
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: 'ch_1',
  alertId: 'netalrt_1',
  reason: 'chargeback_alert',
  amountMinor: 5000,
  currency: 'EUR',
};
const REFUND = {
  reference: 're_1',
  idempotency_key: 'fst_1',
  charge_reference: 'ch_1',
  status: 'succeeded',
  failure_code: null,
  amount_in_cents: 5000,
  currency: 'EUR',
  created_at: '2026-03-02T08:00:00Z',
};
const FAILED = { ...REFUND, status: 'failed' };
const CHARGE = {
  reference: 'ch_1',
  status: 'captured',
  amount_in_cents: 5000,
  currency: 'EUR',
  refundable_in_cents: 3000,
  disputed: false,
  authorised_at: '2026-03-01T08:00:00Z',
  card: { brand: 'visa', bin: '411111', last4: '1111' },
  acquirer_reference_number: '12345678901234567890123',
  authorisation_code: 'ABC123',
  order_reference: 'o_1',
  subscription_reference: null,
  refunds: [{ ...REFUND, amount_in_cents: 2000 }],
};

const classed = (word: string, code = 'x') => JSON.stringify({ code, failure_class: word });
const signal = () => AbortSignal.timeout(5_000);
const json = (value: unknown): Reply => ({ body: JSON.stringify(value) });

describe('the signature', () => {
  it('is what openssl makes of time, method, path with query and body', () => {
    // printf '%s' '1772438400.POST /pay/refunds?a=1.{"x":1}' |
    //   openssl dgst -sha512 -hmac 'a secret of the merchant'
    expect(
      signCall(
        { method: 'POST', pathAndQuery: '/pay/refunds?a=1', body: '{"x":1}' },
        'a secret of the merchant',
        1_772_438_400,
      ),
    ).toBe(
      't=1772438400,v1=db298277b723bc8ce34f72f5dbaed80559c0317575f6885bbbe79e7cb8ed4f165e4d36a031f62c72331d72d9ccfc98957588f245de43de37535e99093d2b3e39',
    );
  });

  it('stands on every call, over what was sent', async () => {
    reply = json({ items: [REFUND] });
    await processor.findRefund(REQUEST, signal());
    await processor.refund(REQUEST, signal());
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /pay/refunds?idempotency_key=fst_1',
      'POST /pay/refunds',
    ]);
    for (const { method, url, headers, body } of seen) {
      expect(headers['x-signature']).toBe(
        signCall({ method, pathAndQuery: url, body }, 'a secret of the merchant', 1_772_438_400),
      );
    }
    expect(seen[0]?.body).toBe('');
    expect(seen[1]?.headers['idempotency-key']).toBe('fst_1');
    expect(JSON.parse(seen[1]?.body ?? '')).toEqual({
      charge_reference: 'ch_1',
      amount_in_cents: 5000,
      currency: 'EUR',
      reason: 'chargeback_alert',
      alert_id: 'netalrt_1',
    });
  });

  it('needs a secret and an http address', () => {
    const make = (baseUrl: string, secret: string) => () =>
      createHttpProcessor({ baseUrl, secret, clock });
    expect(make('http://127.0.0.1', '')).toThrow(ConfigError);
    expect(make('ftp://x', 's')).toThrow(ConfigError);
    expect(make('nonsense', 's')).toThrow(ConfigError);
  });
});

describe('a refund', () => {
  it.each<[string, Reply, string]>([
    ['succeeded', json(REFUND), 'confirmed'],
    ['succeeded, 201', { ...json(REFUND), status: 201 }, 'confirmed'],
    ['pending', json({ ...REFUND, status: 'pending' }), 'pending'],
    ['failed', json({ ...REFUND, status: 'failed', failure_code: 'closed' }), 'rejected'],
    ['failed, 422', { ...json({ ...REFUND, status: 'failed' }), status: 422 }, 'rejected'],
    ['error code, 400', { status: 400, body: '{"error":{"code":"no_such_charge"}}' }, 'rejected'],
    ['error code, 404', { status: 404, body: '{"code":"charge_not_found"}' }, 'rejected'],
    ['envelope, 422', { status: 422, body: '{"errors":[{"code":"limit"}]}' }, 'rejected'],
    ['400 without a code', { status: 400, body: '{}' }, 'unknown'],
    ['400 about the key', { status: 400, body: '{"code":"idempotency_key_reused"}' }, 'unknown'],
    ['401', { status: 401, body: '{"code":"signature_refused"}' }, 'unknown'],
    ['408', { status: 408, body: '{"code":"x"}' }, 'unknown'],
    ['409', { status: 409, body: '{"code":"x"}' }, 'unknown'],
    ['423', { status: 423, body: '{"code":"x"}' }, 'unknown'],
    ['425', { status: 425, body: '{"code":"x"}' }, 'unknown'],
    ['429', { status: 429, body: '{"code":"x"}' }, 'unknown'],
    ['500', { status: 500, body: '{"code":"x"}' }, 'unknown'],
    ['401 with a class', { status: 401, body: classed('ours') }, 'rejected'],
    ['403 with a class', { status: 403, body: classed('ours') }, 'rejected'],
    ['409 with a class', { status: 409, body: classed('retry') }, 'rejected'],
    ['423 with a class', { status: 423, body: classed('retry') }, 'rejected'],
    ['425 with a class', { status: 425, body: classed('retry') }, 'rejected'],
    ['429 with a class', { status: 429, body: classed('retry') }, 'rejected'],
    ['409, a failed refund', { ...json(FAILED), status: 409 }, 'unknown'],
    [
      '409, one with a class',
      { ...json({ ...FAILED, failure_class: 'done' }), status: 409 },
      'rejected',
    ],
    ['401 with a class that is none', { status: 401, body: classed('mine') }, 'unknown'],
    ['401 with a class and no code', { status: 401, body: '{"failure_class":"ours"}' }, 'unknown'],
    [
      '409 about the key with a class',
      { status: 409, body: classed('retry', 'idempotency_in_use') },
      'unknown',
    ],
    ['408 with a class', { status: 408, body: classed('retry') }, 'unknown'],
    ['500 with a class', { status: 500, body: classed('retry') }, 'unknown'],
    ['503 with a class', { status: 503, body: classed('retry') }, 'unknown'],
    [
      '503, a failed refund',
      { ...json({ ...FAILED, failure_class: 'retry' }), status: 503 },
      'unknown',
    ],
    ['302 with a class', { status: 302, body: classed('final') }, 'unknown'],
    ['500 with a refund', { ...json(REFUND), status: 500 }, 'unknown'],
    ['200 with HTML', { body: '<html></html>' }, 'unknown'],
    ['200 cut short', { body: '{"reference":"re_1"' }, 'unknown'],
    ['200, empty', {}, 'unknown'],
    ['200, no key shown', json({ ...REFUND, idempotency_key: null }), 'confirmed'],
    ['200, under another key', json({ ...REFUND, idempotency_key: 'fst_2' }), 'unknown'],
    ['200, failed under another key', json({ ...FAILED, idempotency_key: 'fst_2' }), 'unknown'],
    ['200, another charge', json({ ...REFUND, charge_reference: 'ch_2' }), 'unknown'],
    ['200, a fraction of a cent', json({ ...REFUND, amount_in_cents: 10.5 }), 'unknown'],
    ['200, an unknown status', json({ ...REFUND, status: 'settled' }), 'unknown'],
    ['redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'unknown'],
    ['connection cut', { cut: true }, 'unknown'],
  ])('%s', async (_name, given, kind) => {
    reply = given;
    expect((await processor.refund(REQUEST, signal())).kind).toBe(kind);
    expect(seen).toHaveLength(1);
  });

  it.each<[string, Reply, string]>([
    ['a failed refund', json({ ...REFUND, status: 'failed', failure_class: 'done' }), 'done'],
    ['a failed one, 422', { ...json({ ...FAILED, failure_class: 'final' }), status: 422 }, 'final'],
    ['a code', { status: 422, body: '{"code":"x","failure_class":"final"}' }, 'final'],
    ['an error', { status: 422, body: '{"error":{"code":"x","failure_class":"ours"}}' }, 'ours'],
    ['errors', { status: 422, body: '{"errors":[{"code":"x","failure_class":"done"}]}' }, 'done'],
    ['no class', { status: 422, body: '{"code":"x"}' }, 'retry'],
    ['a class of null', { status: 422, body: '{"code":"x","failure_class":null}' }, 'retry'],
    ['an unknown word', { status: 422, body: '{"code":"x","failure_class":"Final"}' }, 'retry'],
    ['a failed refund without class', json(FAILED), 'retry'],
    ['a failed refund of a number', json({ ...FAILED, failure_class: 4 }), 'retry'],
  ])('is refused by %s with its class', async (_name, given, failureClass) => {
    reply = given;
    expect(await processor.refund(REQUEST, signal())).toMatchObject({
      kind: 'rejected',
      failureClass,
    });
  });

  it('is unknown when no answer comes in time', async () => {
    reply = { hang: true };
    const impatient = createHttpProcessor({ ...options, timeoutMs: 100 });
    expect((await impatient.refund(REQUEST, signal())).kind).toBe('unknown');
  });

  it('is unknown when its signal ends, or nobody listens', async () => {
    reply = { hang: true };
    expect((await processor.refund(REQUEST, AbortSignal.timeout(20))).kind).toBe('unknown');
    await new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    });
    expect((await processor.refund(REQUEST, signal())).kind).toBe('unknown');
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
});

describe('reading', () => {
  it('a charge with its refunds', async () => {
    reply = json(CHARGE);
    expect(await processor.readCharge('ch_1')).toEqual({
      kind: 'found',
      value: {
        reference: 'ch_1',
        status: 'captured',
        amountMinor: 5000,
        currency: 'EUR',
        refundableMinor: 3000,
        disputed: false,
        authorisedAt: '2026-03-01T08:00:00Z',
        cardBrand: 'visa',
        cardBin: '411111',
        cardLast4: '1111',
        acquirerReferenceNumber: '12345678901234567890123',
        authorisationCode: 'ABC123',
        orderReference: 'o_1',
        subscriptionReference: null,
        refunds: [
          {
            reference: 're_1',
            idempotencyKey: 'fst_1',
            chargeReference: 'ch_1',
            status: 'succeeded',
            failureCode: null,
            amountMinor: 2000,
            currency: 'EUR',
            createdAt: '2026-03-02T08:00:00Z',
          },
        ],
      },
    });
  });

  it.each<[string, Reply, string]>([
    ['404', { status: 404 }, 'absent'],
    ['501', { status: 501 }, 'not_offered'],
    ['500', { status: 500 }, 'unavailable'],
    ['401', { status: 401 }, 'unavailable'],
    ['HTML', { body: '<p>' }, 'unavailable'],
    ['another charge', json({ ...CHARGE, reference: 'ch_2' }), 'unavailable'],
    [
      'a refund of another charge',
      json({ ...CHARGE, refunds: [{ ...REFUND, charge_reference: 'ch_2' }] }),
      'unavailable',
    ],
    ['redirect', { status: 301, headers: { location: '/x' } }, 'unavailable'],
  ])('a charge: %s', async (_name, given, kind) => {
    reply = given;
    expect((await processor.readCharge('ch_1')).kind).toBe(kind);
  });

  it('a charge: no answer', async () => {
    reply = { hang: true };
    const impatient = createHttpProcessor({ ...options, timeoutMs: 100 });
    expect((await impatient.readCharge('ch_1')).kind).toBe('unavailable');
  });

  it('a reference cannot leave its path', async () => {
    reply = { status: 404 };
    await processor.readCharge('../refunds?idempotency_key=x');
    expect(seen[0]?.url).toBe('/pay/charges/..%2Frefunds%3Fidempotency_key%3Dx');
  });

  it.each<[string, Reply, string]>([
    ['none', json({ items: [] }), 'absent'],
    ['ours', json({ items: [REFUND] }), 'found'],
    [
      'another key’s: not filtered',
      json({ items: [{ ...REFUND, idempotency_key: 'fst_2' }] }),
      'unavailable',
    ],
    [
      'another’s without a key',
      json({ items: [{ ...REFUND, idempotency_key: null }] }),
      'unavailable',
    ],
    [
      'ours among others',
      json({ items: [{ ...REFUND, idempotency_key: 'fst_2' }, REFUND] }),
      'found',
    ],
    [
      'ours, of another charge',
      json({ items: [{ ...REFUND, charge_reference: 'ch_2' }] }),
      'unavailable',
    ],
    ['one unreadable', json({ items: [REFUND, { reference: 're_2' }] }), 'unavailable'],
    ['no such path', { status: 404 }, 'not_offered'],
    ['501', { status: 501 }, 'not_offered'],
    ['503', { status: 503 }, 'unavailable'],
    ['a bare array', json([REFUND]), 'unavailable'],
  ])('refunds by key: %s', async (_name, given, kind) => {
    reply = given;
    expect((await processor.findRefund(REQUEST)).kind).toBe(kind);
  });

  it('of several under one key, the one that moved money', async () => {
    const failed = { ...REFUND, reference: 're_0', status: 'failed' };
    reply = json({ items: [failed, REFUND] });
    expect(await processor.findRefund(REQUEST)).toMatchObject({
      kind: 'found',
      value: { reference: 're_1' },
    });
  });

  it.each([
    ['final', 'final'],
    [undefined, undefined],
    ['no such word', undefined],
  ])('the class %s of a failed refund is %s', async (word, failureClass) => {
    reply = json({ items: [{ ...FAILED, failure_class: word }] });
    const answer = await processor.findRefund(REQUEST);
    expect(answer.kind === 'found' && answer.value.failureClass).toBe(failureClass);
  });

  it('charges by what is known', async () => {
    reply = json({ items: [CHARGE] });
    const answer = await processor.searchCharges({ cardLast4: '1111', amountMinor: 5000 });
    expect(answer).toMatchObject({ kind: 'found', value: [{ reference: 'ch_1' }] });
    expect(seen[0]?.url).toBe('/pay/charges?card_last4=1111&amount_in_cents=5000');
    reply = { status: 404 };
    expect((await processor.searchCharges({ cardLast4: '1' })).kind).toBe('not_offered');
  });
});

describe('abilities', () => {
  it('are asked once, and what is missing is the cautious value', async () => {
    reply = json({ idempotency_ttl_hours: 24, can_lookup_by_reference: true });
    const expected = {
      ...CAUTIOUS_CAPABILITIES,
      idempotencyTtlHours: 24,
      canLookupByReference: true,
    };
    expect(await processor.capabilities()).toEqual(expected);
    expect(await processor.capabilities()).toEqual(expected);
    expect(seen).toHaveLength(1);
  });

  it('404 is an answer; a failure is not, and is asked again', async () => {
    reply = { status: 500 };
    expect(await processor.capabilities()).toBeUndefined();
    reply = { status: 404 };
    expect(await processor.capabilities()).toEqual(CAUTIOUS_CAPABILITIES);
    expect(await processor.capabilities()).toEqual(CAUTIOUS_CAPABILITIES);
    expect(seen).toHaveLength(2);
  });

  it('are asked again after ten minutes: a 404 of a deploy, or an endpoint that changed, does not last', async () => {
    const passing = createFixedClock('2026-03-02T08:00:00.000Z');
    const asked = createHttpProcessor({ ...options, clock: passing });
    reply = { status: 404 };
    expect(await asked.capabilities()).toEqual(CAUTIOUS_CAPABILITIES);
    reply = json({ idempotency_ttl_hours: 24 });
    passing.advanceMs(10 * 60_000 - 1);
    expect(await asked.capabilities()).toEqual(CAUTIOUS_CAPABILITIES);
    passing.advanceMs(1);
    expect(await asked.capabilities()).toMatchObject({ idempotencyTtlHours: 24 });
    reply = { cut: true };
    passing.advanceMs(24 * 60 * 60_000);
    expect(await asked.capabilities()).toMatchObject({ idempotencyTtlHours: 24 });
    // An outage is not asked at every step.
    const calls = seen.length;
    passing.advanceMs(60_000 - 1);
    expect(await asked.capabilities()).toMatchObject({ idempotencyTtlHours: 24 });
    expect(seen).toHaveLength(calls);
    reply = json({ idempotency_ttl_hours: 48 });
    passing.advanceMs(1);
    expect(await asked.capabilities()).toMatchObject({ idempotencyTtlHours: 48 });
  });

  it.each<[string, Reply]>([
    ['HTML', { body: '<p>' }],
    ['401', { status: 401 }],
    ['429', { status: 429 }],
    ['a connection cut', { cut: true }],
    ['a number below zero', json({ lookup_lag_seconds: -1 })],
  ])('are unanswered by %s, and not the most cautious ones', async (_name, given) => {
    reply = given;
    expect(await processor.capabilities()).toBeUndefined();
  });

  it('stay known through an outage', async () => {
    reply = json({ idempotency_ttl_hours: 24 });
    await processor.capabilities();
    reply = { cut: true };
    expect(await processor.capabilities()).toMatchObject({ idempotencyTtlHours: 24 });
  });
});

describe('voids and subscriptions', () => {
  it.each<[Reply, string]>([
    [{ body: '{}' }, 'done'],
    [{ status: 501 }, 'not_offered'],
    [{ status: 422 }, 'rejected'],
    [{ status: 408 }, 'unknown'],
    [{ status: 409 }, 'unknown'],
    [{ status: 401, body: classed('ours') }, 'rejected'],
    [{ status: 409, body: classed('retry') }, 'rejected'],
    [{ status: 408, body: classed('retry') }, 'unknown'],
    [{ status: 500 }, 'unknown'],
    [{ status: 503, body: classed('retry') }, 'unknown'],
    [{ cut: true }, 'unknown'],
  ])('%o', async (given, effect) => {
    reply = given;
    const voided = await processor.voidCharge('ch_1', 'k', signal());
    const cancelled = await processor.cancelSubscription('s/1', 'k', signal());
    expect(voided).toBe(effect === 'done' ? 'voided' : effect);
    expect(cancelled).toBe(effect === 'done' ? 'cancelled' : effect);
    expect(seen[1]?.url).toBe('/pay/subscriptions/s%2F1/cancel');
  });
});

describe('no processor', () => {
  it('offers nothing and moves nothing', async () => {
    const none = createNoProcessor();
    expect((await none.readCharge('ch_1')).kind).toBe('not_offered');
    expect((await none.refund(REQUEST, signal())).kind).toBe('rejected');
    expect(await none.voidCharge('ch_1', 'k', signal())).toBe('not_offered');
  });
});
