/** Guarantee: work ends with its time or with what it belongs to, and nothing of it is left when it is over. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withinTime } from '../../../src/base/kernel/within-time.ts';

/** Work that ends only with its signal. */
function untilEnded(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('work with a time', () => {
  it('hears when it is over, as of AbortSignal.timeout', async () => {
    const ended = expect(withinTime(1_000, undefined, untilEnded)).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    await vi.advanceTimersByTimeAsync(1_000);
    await ended;
  });

  it('hears nothing a moment before', async () => {
    let heard = false;
    const { promise: done, resolve } = Promise.withResolvers<string>();
    const ended = withinTime(1_000, undefined, (signal) => {
      signal.addEventListener('abort', () => (heard = true));
      return done;
    });
    await vi.advanceTimersByTimeAsync(999);
    resolve('done');
    expect([await ended, heard]).toEqual(['done', false]);
  });

  it('hears when what it belongs to ends, and why', async () => {
    const outer = new AbortController();
    const ended = expect(withinTime(1_000, outer.signal, untilEnded)).rejects.toThrow('stop');
    outer.abort(new Error('stop'));
    await ended;
  });

  it('begins ended where that has ended before', async () => {
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(withinTime(1_000, gone, untilEnded)).rejects.toThrow('gone');
  });

  it.each([
    ['is done', async () => 'done'],
    [
      'fails',
      async () => {
        throw new Error('failed');
      },
    ],
  ])('leaves no timer and no listener when it %s', async (_how, work) => {
    const outer = new AbortController();
    const removed = vi.spyOn(outer.signal, 'removeEventListener');
    await withinTime(1_000, outer.signal, work).catch(() => undefined);
    expect([vi.getTimerCount(), removed.mock.calls.length]).toEqual([0, 1]);
  });
});
