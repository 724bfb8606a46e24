/** Guarantee: a failed call says what is known about its effect; a write is sent once, whatever happens. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../src/base/db/embedded/free-port.ts';
import type { ServiceClient } from '../../../src/service/client/index.ts';
import {
  createServiceClient,
  isServiceError,
  unlimitedBudget,
} from '../../../src/service/client/index.ts';
import { ERROR_CODE_NAMES, ERROR_CODES } from '../../../src/service/wire/error-codes.ts';
import type { LocalServer } from './local-server.ts';
import { ALERT, clientOf, rejectionOf, startLocalServer } from './local-server.ts';

let server: LocalServer;
let client: ServiceClient;

beforeAll(async () => {
  server = await startLocalServer();
  client = clientOf(server);
});
afterAll(() => server.close());

const act = (): Promise<unknown> => client.alerts.act('netalrt_1', { action: 'REFUND' });
const get = (): Promise<unknown> => client.alerts.get('netalrt_1');
const envelope = (code: string) => ({ errors: [{ code, message: 'no', field: 'action' }] });

describe('refusals', () => {
  const specified = ERROR_CODE_NAMES.flatMap((code) => {
    const { httpStatus } = ERROR_CODES[code];
    return httpStatus === null ? [] : [[code, httpStatus] as const];
  });

  test.each(specified)('%s with %s', async (code, httpStatus) => {
    server.answer(() => ({ status: httpStatus, json: envelope(code) }));
    const error = await rejectionOf(act());
    expect(error).toMatchObject({
      name: 'ServiceError',
      code,
      httpStatus,
      outcome: 'refused',
      requestKind: 'write',
      retryable: code === 'RATE_LIMITED',
      endpoint: 'PATCH /v1/alerts/{alert_id}',
    });
    expect(isServiceError(error, code)).toBe(true);
    expect(isServiceError(error, 'TIMEOUT')).toBe(false);
    expect(server.seen).toHaveLength(1);
  });

  test('the field, all errors, and the service words apart from the message', async () => {
    server.answer(() => ({
      status: 422,
      json: {
        errors: [{ code: 'INVALID_ACTION', message: 'private', field: 'action' }, { code: 'B' }],
      },
    }));
    const error = (await rejectionOf(act())) as Error;
    expect(error).toMatchObject({
      code: 'INVALID_ACTION',
      field: 'action',
      errors: [{ code: 'INVALID_ACTION', message: 'private', field: 'action' }, { code: 'B' }],
    });
    expect(error.message).not.toContain('private');
    expect(error.message).not.toContain('netalrt_1');
  });

  test('VALIDATION_* and codes of tomorrow pass through', async () => {
    for (const code of ['VALIDATION_INVALID_TYPE', 'TOMORROWS_CODE']) {
      server.answer(() => ({ status: 422, json: envelope(code) }));
      expect(await rejectionOf(act())).toMatchObject({
        code,
        outcome: 'refused',
        retryable: false,
      });
    }
  });

  test('the order update answers 404 with a detail', async () => {
    server.answer(() => ({ status: 404, json: { detail: 'Order not found' } }));
    const update = client.orders.update('ord_1', { order_status: 'OTHER' });
    expect(await rejectionOf(update)).toMatchObject({
      code: 'NOT_FOUND',
      httpStatus: 404,
      detail: 'Order not found',
      outcome: 'refused',
    });
  });

  test.each([
    [401, 'UNAUTHORISED'],
    [403, 'FORBIDDEN'],
    [404, 'HTTP_404'],
    [418, 'HTTP_418'],
    [429, 'RATE_LIMITED'],
  ])('%i in HTML is %s: a page may come from a proxy', async (status, code) => {
    server.answer(() => ({ status, text: '<html>no</html>' }));
    expect(await rejectionOf(act())).toMatchObject({
      code,
      httpStatus: status,
      outcome: 'refused',
    });
  });

  test('408 leaves open whether the write arrived', async () => {
    server.answer(() => ({ status: 408, text: '' }));
    expect(await rejectionOf(act())).toMatchObject({ outcome: 'unknown', retryable: true });
  });
});

describe('writes with an unclear end are unknown and sent once', () => {
  test.each([500, 502, 503, 504])('%i', async (status) => {
    server.answer(() => ({ status, json: envelope('INVALID_ACTION') }));
    expect(await rejectionOf(act())).toMatchObject({
      code: 'SERVER_ERROR',
      httpStatus: status,
      outcome: 'unknown',
      retryable: true,
    });
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    ['HTML', '<html>login</html>'],
    ['cut JSON', JSON.stringify(ALERT).slice(0, -5)],
    ['a repeated key', '{"id":"netalrt_1","id":"netalrt_2"}'],
    ['another shape', '{"ok":true}'],
    ['a list', '[]'],
    ['nothing', ''],
    ['another alert', JSON.stringify({ ...ALERT, id: 'netalrt_2' })],
  ])('200 with %s', async (_case, text) => {
    server.answer(() => ({ status: 200, text }));
    expect(await rejectionOf(act())).toMatchObject({
      code: 'UNREADABLE',
      kind: 'unreadable',
      httpStatus: 200,
      outcome: 'unknown',
    });
    expect(server.seen).toHaveLength(1);
  });

  test('the connection breaks after the request was read', async () => {
    server.answer((_request, { message }) => {
      message.socket.destroy();
      return undefined;
    });
    expect(await rejectionOf(act())).toMatchObject({ code: 'NETWORK', outcome: 'unknown' });
    expect(server.seen).toHaveLength(1);
  });

  test('the connection breaks in the middle of the answer', async () => {
    server.answer((_request, { response, message }) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"id":');
      setImmediate(() => message.socket.destroy());
      return undefined;
    });
    expect(await rejectionOf(act())).toMatchObject({ code: 'NETWORK', outcome: 'unknown' });
  });

  test('no answer within the timeout', async () => {
    server.answer(() => undefined);
    const slow = client.alerts.act('netalrt_1', { action: 'REFUND' }, { timeoutMs: 30 });
    expect(await rejectionOf(slow)).toMatchObject({
      code: 'TIMEOUT',
      outcome: 'unknown',
      retryable: true,
    });
  });

  test('an answer that begins and never ends', async () => {
    server.answer((_request, { response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":');
      return undefined;
    });
    const slow = client.alerts.act('netalrt_1', { action: 'REFUND' }, { timeoutMs: 50 });
    expect(await rejectionOf(slow)).toMatchObject({ code: 'TIMEOUT', outcome: 'unknown' });
  });

  test('the caller ends it while it is under way', async () => {
    const caller = new AbortController();
    const reason = new Error('lease over');
    server.answer(() => {
      caller.abort(reason);
      return undefined;
    });
    const ended = client.alerts.act('netalrt_1', { action: 'REFUND' }, { signal: caller.signal });
    expect(await rejectionOf(ended)).toMatchObject({
      code: 'ABORTED',
      outcome: 'unknown',
      cause: reason,
    });
  });

  test('the caller ended it before: nothing is sent', async () => {
    server.answer(() => ({ json: ALERT }));
    const signal = AbortSignal.abort(new Error('lease over'));
    const ended = client.alerts.act('netalrt_1', { action: 'REFUND' }, { signal });
    expect(await rejectionOf(ended)).toMatchObject({ code: 'ABORTED', outcome: 'not_sent' });
    expect(server.seen).toHaveLength(0);
  });

  test.each([301, 302, 303, 307, 308])('%i is not followed', async (status) => {
    const other = await startLocalServer();
    other.answer(() => ({ json: ALERT }));
    server.answer((_request, { response }) => {
      response.writeHead(status, { location: `${other.url}/v1/alerts/netalrt_1` });
      response.end();
      return undefined;
    });
    for (const call of [act, get]) {
      expect(await rejectionOf(call())).toMatchObject({ code: 'REDIRECTED', outcome: 'unknown' });
    }
    expect(other.seen).toHaveLength(0);
    expect(server.seen).toHaveLength(2);
    await other.close();
  });
});

describe('writes that surely never left', () => {
  test('nobody listens', async () => {
    const refused = clientOf(server, { baseUrl: `http://127.0.0.1:${await freePort()}` });
    const error = await rejectionOf(refused.alerts.act('netalrt_1', { action: 'REFUND' }));
    expect(error).toMatchObject({ code: 'NETWORK', outcome: 'not_sent', retryable: true });
  });

  test('the name has no address', async () => {
    const nowhere = clientOf(server, { baseUrl: 'https://service.invalid' });
    const error = await rejectionOf(nowhere.alerts.act('netalrt_1', { action: 'REFUND' }));
    expect(error).toMatchObject({ code: 'NETWORK', outcome: 'not_sent' });
  });

  /** A fetch that fails the way undici does, with one error per address tried. */
  const failing = (...syscalls: string[]) =>
    clientOf(server, {
      fetch: async () => {
        const errors = syscalls.map((syscall) => Object.assign(new Error('failed'), { syscall }));
        throw new TypeError('fetch failed', { cause: new AggregateError(errors, 'all failed') });
      },
    });

  test('every address of a name refuses; but not when one of them was spoken to', async () => {
    const action = { action: 'REFUND' } as const;
    const none = failing('connect', 'connect').alerts.act('netalrt_1', action);
    expect(await rejectionOf(none)).toMatchObject({ code: 'NETWORK', outcome: 'not_sent' });
    const one = failing('connect', 'write').alerts.act('netalrt_1', action);
    expect(await rejectionOf(one)).toMatchObject({ code: 'NETWORK', outcome: 'unknown' });
  });

  test('the caller ends it while it waits for a budget that does not notice', async () => {
    server.answer(() => ({ json: ALERT }));
    const caller = new AbortController();
    const deaf = clientOf(server, {
      budget: {
        ...unlimitedBudget,
        take: async () => {
          caller.abort(new Error('lease over'));
        },
      },
    });
    const { signal } = caller;
    const ended = deaf.alerts.act('netalrt_1', { action: 'REFUND' }, { signal });
    expect(await rejectionOf(ended)).toMatchObject({ code: 'ABORTED', outcome: 'not_sent' });
    expect(server.seen).toHaveLength(0);
  });

  test('the budget fails', async () => {
    server.answer(() => ({ json: ALERT }));
    const broken = clientOf(server, {
      budget: { ...unlimitedBudget, take: () => Promise.reject(new Error('no database')) },
    });
    const error = await rejectionOf(broken.alerts.act('netalrt_1', { action: 'REFUND' }));
    expect(error).toMatchObject({ code: 'BUDGET_UNAVAILABLE', outcome: 'not_sent' });
    expect(server.seen).toHaveLength(0);
  });
});

describe('answers without end', () => {
  const MEGABYTE = 1024 * 1024;

  test('an endless chunked answer is cut at 5 MB', async () => {
    let written = 0;
    server.answer((_request, { response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(MEGABYTE, 0x20);
      const pour = (): void => {
        while (!response.destroyed && written < 200) {
          written += 1;
          if (!response.write(chunk)) {
            response.once('drain', pour);
            return;
          }
        }
      };
      pour();
      return undefined;
    });
    const error = await rejectionOf(get());
    expect(error).toMatchObject({ code: 'UNREADABLE', httpStatus: 200 });
    expect(written).toBeLessThan(50);
  });

  test('an announced length above the limit is not read at all', async () => {
    server.answer((_request, { response }) => {
      response.writeHead(200, { 'content-length': String(1024 * MEGABYTE) });
      response.write('{');
      return undefined;
    });
    expect(await rejectionOf(get())).toMatchObject({ code: 'UNREADABLE' });
  });

  test('a gzip bomb is cut while it unfolds', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * MEGABYTE, 0x20));
    expect(bomb.length).toBeLessThan(MEGABYTE);
    server.answer((_request, { response }) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' });
      response.end(bomb);
      return undefined;
    });
    const before = process.memoryUsage.rss();
    expect(await rejectionOf(get())).toMatchObject({ code: 'UNREADABLE' });
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MEGABYTE);
  });

  test('deep nesting is refused, not recursed into', async () => {
    server.answer(() => ({ text: '['.repeat(500_000) }));
    expect(await rejectionOf(get())).toMatchObject({ code: 'UNREADABLE' });
  });
});

describe('reads are repeated, a bounded number of times', () => {
  const waits: number[] = [];
  const patient = (): ServiceClient =>
    clientOf(server, {
      random: () => 0.5,
      wait: async (durationMs) => {
        waits.push(durationMs);
      },
    });

  test('a 503 and a broken connection, then the answer', async () => {
    waits.length = 0;
    server.answer((_request, { message }) => {
      if (server.seen.length === 1) return { status: 503 };
      if (server.seen.length === 2) {
        message.socket.destroy();
        return undefined;
      }
      return { json: ALERT };
    });
    expect(await patient().alerts.get('netalrt_1')).toEqual(ALERT);
    expect(server.seen).toHaveLength(3);
    // Between 100 ms and 200, then 400 ms; the middle of each.
    expect(waits).toEqual([150, 250]);
  });

  test('three attempts and no more', async () => {
    server.answer(() => ({ status: 500 }));
    expect(await rejectionOf(patient().alerts.get('netalrt_1'))).toMatchObject({
      code: 'SERVER_ERROR',
      requestKind: 'read',
    });
    expect(server.seen).toHaveLength(3);
  });

  test('as many as the caller allows', async () => {
    server.answer(() => ({ status: 500 }));
    await rejectionOf(patient().alerts.get('netalrt_1', { attemptsMax: 1 }));
    expect(server.seen).toHaveLength(1);
  });

  test.each([401, 404, 422])('not after %i', async (status) => {
    server.answer(() => ({ status, json: envelope('X') }));
    await rejectionOf(patient().alerts.get('netalrt_1'));
    expect(server.seen).toHaveLength(1);
  });

  test('the caller may end the wait between attempts', async () => {
    server.answer(() => ({ status: 500 }));
    const caller = new AbortController();
    const impatient = clientOf(server, {
      wait: async (_durationMs, signal) => {
        caller.abort(new Error('stop'));
        signal?.throwIfAborted();
      },
    });
    const error = await rejectionOf(impatient.alerts.get('netalrt_1', { signal: caller.signal }));
    expect(error).toMatchObject({ code: 'ABORTED' });
    expect(server.seen).toHaveLength(1);
  });
});

describe('the rate limit', () => {
  function spyBudget() {
    const calls: unknown[] = [];
    return {
      calls,
      budget: {
        take: async (pool: string) => {
          calls.push(['take', pool]);
        },
        penalise: async (pool: string, attempt: number) => {
          calls.push(['penalise', pool, attempt]);
        },
      },
    };
  }

  test('a write met by 429 pauses the endpoint and is not repeated', async () => {
    const { calls, budget } = spyBudget();
    server.answer(() => ({ status: 429, json: envelope('RATE_LIMITED') }));
    const limited = clientOf(server, { budget });
    const error = await rejectionOf(limited.alerts.act('netalrt_1', { action: 'REFUND' }));
    expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: true, outcome: 'refused' });
    expect(server.seen).toHaveLength(1);
    expect(calls).toEqual([
      ['take', 'PATCH /v1/alerts/{alert_id}'],
      ['penalise', 'PATCH /v1/alerts/{alert_id}', 1],
    ]);
  });

  test('a read met by 429 goes through the budget again', async () => {
    const { calls, budget } = spyBudget();
    server.answer(() => (server.seen.length === 1 ? { status: 429 } : { json: ALERT }));
    await clientOf(server, { budget }).alerts.get('netalrt_1');
    expect(calls).toEqual([
      ['take', 'GET /v1/alerts/{alert_id}'],
      ['penalise', 'GET /v1/alerts/{alert_id}', 1],
      ['take', 'GET /v1/alerts/{alert_id}'],
    ]);
  });
});

describe('options', () => {
  const make = (options: object) => () =>
    createServiceClient({ baseUrl: 'https://a.example', apiKey: 'k', ...options });

  test.each([
    ['plain HTTP to another machine', { baseUrl: 'http://service.example' }],
    ['plain HTTP to a name that begins like loopback', { baseUrl: 'http://127.0.0.1.example' }],
    ['no URL', { baseUrl: 'service' }],
    ['another scheme', { baseUrl: 'ftp://a.example' }],
    ['a user in the URL', { baseUrl: 'https://user:pass@a.example' }],
    ['a query in the URL', { baseUrl: 'https://a.example/?x=1' }],
    ['no key at all', { apiKey: undefined }],
    ['an empty key', { apiKey: '' }],
    ['a key with a line break', { apiKey: 'key\nx' }],
    ['a timeout of nothing', { timeoutMs: 0 }],
    ['a timeout of an hour', { timeoutMs: 3_600_000 }],
  ])('refuses %s', (_case, options) => {
    expect(make(options)).toThrow(expect.objectContaining({ code: 'CONFIG' }));
  });

  test.each([
    ['HTTPS', {}],
    ['plain HTTP on loopback', { baseUrl: 'http://127.0.0.1:8082' }],
    ['plain HTTP on IPv6 loopback', { baseUrl: 'http://[::1]:8082' }],
    ['plain HTTP on localhost', { baseUrl: 'http://localhost:8082' }],
    ['plain HTTP when told so', { baseUrl: 'http://service.internal', allowInsecure: true }],
    ['a partner key alone', { apiKey: undefined, partnerApiKey: 'p' }],
  ])('accepts %s', (_case, options) => {
    expect(make(options)).not.toThrow();
  });

  test('a refused key is not repeated in the error', () => {
    expect(make({ apiKey: 'very secret' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('very secret') }),
    );
  });
});
