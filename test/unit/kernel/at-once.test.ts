/**
 * Guarantee: a busy process uses few connections at once, and one that waits for a slow server as many as its pool has; nobody
 * who waits is forgotten.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { busyShareOfProcess, createAtOnce } from '../../../src/base/db/at-once.ts';
import { createFairShare } from '../../../src/base/db/fair-share.ts';

const arrive = (): Promise<void> => new Promise((done) => setImmediate(done));

test('as many again while the process has time to spare, one fewer of few while it has none', () => {
  let busy = 0.5;
  const atOnce = createAtOnce(10, { busyShare: () => busy });
  expect(atOnce.limit()).toBe(4);
  expect([1, 2, 3].map(() => atOnce.lookAgain(false))).toEqual([8, 10, 10]);
  busy = 0.9;
  expect(atOnce.lookAgain(false)).toBe(10);
  busy = 1;
  const fewer = Array.from({ length: 7 }, () => atOnce.lookAgain(false));
  expect(fewer).toEqual([9, 8, 7, 6, 5, 4, 4]);
  expect(atOnce.limit()).toBe(4);
  // What none came back to may be waiting for another one.
  expect(atOnce.lookAgain(true)).toBe(8);
});

test('of many it is an eighth fewer, and never fewer than what is used in any case', () => {
  let busy = 0;
  const atOnce = createAtOnce(128, { busyShare: () => busy, least: 16 });
  expect([atOnce.limit(), ...[1, 2, 3].map(() => atOnce.lookAgain(false))]).toEqual([
    16, 32, 64, 128,
  ]);
  busy = 1;
  const fewer = Array.from({ length: 4 }, () => atOnce.lookAgain(false));
  expect(fewer).toEqual([112, 98, 86, 76]);
  for (let look = 0; look < 20; look++) atOnce.lookAgain(false);
  expect(atOnce.limit()).toBe(16);
});

test('a pool of fewer is used whole', () => {
  const atOnce = createAtOnce(2, { busyShare: () => 1 });
  expect([atOnce.limit(), atOnce.lookAgain(false)]).toEqual([2, 2]);
});

test('the share of time is the one since it was last asked', () => {
  const busyShare = busyShareOfProcess();
  busyShare();
  const fromMs = performance.now();
  while (performance.now() - fromMs < 20) Math.sqrt(2);
  expect(busyShare()).toBeGreaterThan(0.9);
});

describe('a share of connections', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());

  /** Asks for `count`, for as many owners, and tells how many were served so far. */
  function askFor(count: number, busy: () => number, owners = count): { served: () => number } {
    const share = createFairShare(10, createAtOnce(10, { busyShare: busy }));
    let served = 0;
    const ask = async (owner: string): Promise<void> => {
      await share.take(owner);
      served += 1;
    };
    for (let place = 0; place < count; place++) void ask(`org_${place % owners}`);
    return { served: () => served };
  }

  test('holds four while the process is busy and they come back', async () => {
    const share = createFairShare(10, createAtOnce(10, { busyShare: () => 1 }));
    let held = 0;
    let most = 0;
    const use = async (owner: string): Promise<void> => {
      const giveBack = await share.take(owner);
      held += 1;
      most = Math.max(most, held);
      setTimeout(() => {
        held -= 1;
        giveBack();
      }, 400);
    };
    for (let place = 0; place < 60; place++) void use(`org_${place}`);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(most).toBe(4);
    expect(held).toBe(4);
  });

  test('holds more where none came back for a second: they may wait for one another', async () => {
    const { served } = askFor(20, () => 1);
    await vi.advanceTimersByTimeAsync(900);
    expect(served()).toBe(4);
    await vi.advanceTimersByTimeAsync(200);
    expect(served()).toBeGreaterThan(4);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(served()).toBe(10);
  });

  test('looks at the time since one is waited for, not at the quiet before', async () => {
    const asked: number[] = [];
    const busySince = (): number => {
      asked.push(performance.now());
      return 1;
    };
    const share = createFairShare(10, createAtOnce(10, { busyShare: busySince }));
    await vi.advanceTimersByTimeAsync(10_000);
    const fromMs = performance.now();
    for (let place = 0; place < 5; place++) void share.take(`org_${place}`);
    await vi.advanceTimersByTimeAsync(50);
    expect(asked.slice(0, 2)).toEqual([fromMs, fromMs + 50]);
  });

  test('holds all ten within a tenth of a second where the server is what takes long', async () => {
    const { served } = askFor(20, () => 0.1);
    await vi.advanceTimersByTimeAsync(50);
    expect(served()).toBe(8);
    await vi.advanceTimersByTimeAsync(50);
    expect(served()).toBe(10);
  });

  test('one owner has half of what is used at once', async () => {
    let busy = 1;
    const { served } = askFor(10, () => busy, 1);
    await arrive();
    expect(served()).toBe(2);
    busy = 0;
    await vi.advanceTimersByTimeAsync(100);
    expect(served()).toBe(5);
  });
});
