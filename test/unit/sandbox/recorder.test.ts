/** Guarantee: a recording is whole or is refused with its reason; reading and moving time are no steps. */
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../src/sandbox/http/endpoint.ts';
import type { RecordedCall } from '../../../src/sandbox/recording/recorder.ts';
import { createRecorder } from '../../../src/sandbox/recording/recorder.ts';

const endpoint = (method: Endpoint['method'], path: string, faultable = false): Endpoint => ({
  method,
  path,
  faultable,
  handle: () => ({ status: 200 }),
});

const call = (text = ''): RecordedCall => ({
  method: 'POST',
  url: '/sandbox/alerts',
  authorization: undefined,
  idempotencyKey: undefined,
  text,
  entry: {
    at: '2026-11-20T00:00:00.000Z',
    atMs: 0,
    method: 'POST',
    path: '/sandbox/alerts',
    endpoint: null,
    key_id: null,
    status: 201,
    fault: null,
    body: undefined,
    answer: null,
  },
});

describe('a recorder', () => {
  it('holds 5,000 calls and gives up at the next', () => {
    const recorder = createRecorder(0);
    const raise = endpoint('POST', '/sandbox/alerts');
    for (let count = 0; count < 5_000; count += 1) recorder.add(raise, call());
    expect(recorder.read().calls).toHaveLength(5_000);
    recorder.add(raise, call());
    expect(() => recorder.read()).toThrow('more happened than a scenario can hold');
    recorder.restart(7);
    expect(recorder.read()).toEqual({ startedAtMs: 7, seeds: [], calls: [] });
  });

  it.each([
    ['GET', '/v1/alerts/', true, 1],
    ['POST', '/sandbox/alerts', false, 1],
    ['PATCH', '/sandbox/clock', false, 1],
    ['POST', '/sandbox/clock', false, 0],
    ['GET', '/sandbox/alerts', false, 0],
    ['POST', '/sandbox/reset', false, 0],
    ['POST', '/sandbox/page/do', false, 0],
  ] as const)('%s %s', (method, path, faultable, steps) => {
    const recorder = createRecorder(0);
    recorder.add(endpoint(method, path, faultable), call());
    expect(recorder.read().calls).toHaveLength(steps);
  });
});
