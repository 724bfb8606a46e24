/** Guarantee: a call ends when its time is over or it is given up, whatever the other side and fetch do. */
import { describe, expect, it, vi } from 'vitest';
import type { WireRequest } from '../../../src/service/client/transport.ts';
import { exchange } from '../../../src/service/client/transport.ts';

const request: WireRequest = {
  method: 'POST',
  url: 'http://127.0.0.1:9/refunds',
  headers: {},
  body: '{}',
  timeoutMs: 10_000,
  signal: undefined,
  // Neither answers nor hears that it is given up: as one whose signal was collected as garbage.
  fetch: () => new Promise(() => undefined),
};

describe('a call that fetch never ends', () => {
  it('ends with its time', async () => {
    vi.useFakeTimers();
    try {
      const end = exchange(request);
      await vi.advanceTimersByTimeAsync(request.timeoutMs);
      expect(await end).toEqual({ kind: 'timeout' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends when it is given up', async () => {
    const giveUp = new AbortController();
    const end = exchange({ ...request, signal: giveUp.signal });
    giveUp.abort('stopping');
    expect(await end).toEqual({ kind: 'aborted', cause: 'stopping' });
  });

  it('ends at once when it was given up before', async () => {
    expect(await exchange({ ...request, signal: AbortSignal.abort('stopping') })).toEqual({
      kind: 'aborted',
      cause: 'stopping',
    });
  });
});
