/**
 * Guarantee: however long one organisation's list is, another's next one is served as soon as something comes back; no
 * organisation holds more than half; who used much gives way to who used little; and nothing is handed out twice or lost.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FairShare } from '../../../src/base/db/fair-share.ts';
import { createFairShare } from '../../../src/base/db/fair-share.ts';

/** Lets what has been granted arrive. */
const arrive = (): Promise<void> => new Promise((done) => setImmediate(done));

test('an organisation with 10,000 in its list delays nobody else’s next one', async () => {
  const share = createFairShare(10);
  const served: string[] = [];
  const held: (() => void)[] = [];
  const ask = (owner: string): void =>
    void share.take(owner).then((giveBack) => {
      served.push(owner);
      held.push(giveBack);
    });
  for (let index = 0; index < 10_000; index++) ask('busy');
  await arrive();
  // Half of the ten, although nobody else wants any.
  expect(served).toHaveLength(5);
  for (const owner of ['a', 'b', 'c', 'd', 'e']) ask(owner);
  await arrive();
  expect(served.slice(5)).toEqual(['a', 'b', 'c', 'd', 'e']);
  // All ten are out: the next that comes back goes to whose turn it is.
  ask('f');
  ask('g');
  await arrive();
  expect(served).toHaveLength(10);
  for (let returned = 0; returned < 3; returned++) {
    held.shift()?.();
    await arrive();
  }
  expect(served.slice(10)).toEqual(['busy', 'f', 'g']);
});

test('everyone is served in the end, and what is given back twice counts once', async () => {
  const share = createFairShare(3);
  const served: string[] = [];
  let most = 0;
  let out = 0;
  const use = async (owner: string): Promise<void> => {
    const giveBack = await share.take(owner);
    most = Math.max(most, ++out);
    await arrive();
    served.push(owner);
    out -= 1;
    giveBack();
    giveBack();
  };
  const owners = Array.from({ length: 60 }, (_, index) => `org_${index % 4}`);
  await Promise.all(owners.map(use));
  expect(served.toSorted()).toEqual(owners.toSorted());
  expect(most).toBe(3);
});

test('a share of one is not cut in half', async () => {
  const share = createFairShare(1);
  const giveBack = await share.take('a');
  const next = share.take('a');
  giveBack();
  expect(await next).toBeTypeOf('function');
});

describe('what may wait behind an organisation’s others', () => {
  /** Of one connection, which comes back again and again: in which order those that wait are served. */
  async function served(
    wanted: readonly (readonly [owner: string, name: string, isLater: boolean])[],
  ): Promise<readonly string[]> {
    const share = createFairShare(1);
    const giveBack = await share.take('before');
    const order: string[] = [];
    const all = wanted.map(async ([owner, name, isLater]) => {
      const own = await share.take(owner, isLater);
      order.push(name);
      own();
    });
    giveBack();
    await Promise.all(all);
    return order;
  }

  test('comes after them, and delays no other organisation', async () => {
    const order = await served([
      ['a', 'order', true],
      ['a', 'alert', false],
      ['b', 'other', false],
      ['a', 'second alert', false],
    ]);
    expect(order).toEqual(['alert', 'other', 'second alert', 'order']);
  });

  test('has every tenth turn while they want all of them', async () => {
    const alerts = Array.from({ length: 25 }, (_, place) => ['a', `${place}`, false] as const);
    const orders = Array.from({ length: 2 }, () => ['a', 'order', true] as const);
    const order = await served([...orders, ...alerts]);
    expect(order.flatMap((name, place) => (name === 'order' ? [place] : []))).toEqual([9, 19]);
    expect(order).toHaveLength(27);
  });

  test('is served at once where nothing else waits', async () => {
    const share = createFairShare(10);
    expect(await share.take('a', true)).toBeTypeOf('function');
  });
});

describe('who used much gives way', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Whether it is granted at once. */
  async function isGranted(taking: Promise<() => void>): Promise<boolean> {
    let granted = false;
    void taking.then(() => {
      granted = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    return granted;
  }

  /** Takes a connection for a while. */
  async function hold(share: FairShare, owner: string, forMs: number): Promise<void> {
    const giveBack = await share.take(owner);
    await vi.advanceTimersByTimeAsync(forMs);
    giveBack();
  }

  /** As a flood does it: many at once. Returns the first of four that wait; those before it are given back. */
  async function takeMany(
    share: FairShare,
    owner: string,
  ): Promise<{ first: Promise<() => void> }> {
    const before = Array.from({ length: 3 }, () => share.take(owner));
    const [first] = Array.from({ length: 4 }, () => share.take(owner));
    for (const giveBack of await Promise.all(before)) giveBack();
    if (first === undefined) throw new Error('none was asked for');
    return { first };
  }

  test('not who wants few: on a slow machine everybody holds them for long', async () => {
    const share = createFairShare(10);
    await hold(share, 'slow', 60_000);
    await share.take('other');
    expect(await isGranted(share.take('slow'))).toBe(true);
  });

  test('while the other is at work, and goes on right after it', async () => {
    const share = createFairShare(10);
    await hold(share, 'flood', 3_000);
    const giveBack = await share.take('other');
    const { first: flood } = await takeMany(share, 'flood');
    await vi.advanceTimersByTimeAsync(500);
    expect(await isGranted(flood)).toBe(false);
    giveBack();
    // The other one works on with what it read, and asks again.
    await vi.advanceTimersByTimeAsync(10);
    expect(await isGranted(flood)).toBe(false);
    await hold(share, 'other', 5);
    expect(await isGranted(flood)).toBe(false);
    await vi.advanceTimersByTimeAsync(40);
    expect(await isGranted(flood)).toBe(true);
  });

  test('not to who used as much, nor for what it used long ago', async () => {
    const share = createFairShare(10);
    await hold(share, 'flood', 3_000);
    await hold(share, 'other', 2_500);
    const giveBack = await share.take('other');
    expect(await isGranted((await takeMany(share, 'flood')).first)).toBe(true);
    giveBack();
    const third = await share.take('third');
    expect(await isGranted((await takeMany(share, 'other')).first)).toBe(false);
    third();
    await vi.advanceTimersByTimeAsync(30_000);
    await share.take('third');
    expect(await isGranted(share.take('other'))).toBe(true);
  });

  test('not for ever: what it holds already may be what the other waits for', async () => {
    const share = createFairShare(10);
    await hold(share, 'flood', 60_000);
    await share.take('other');
    const { first: flood } = await takeMany(share, 'flood');
    await vi.advanceTimersByTimeAsync(900);
    expect(await isGranted(flood)).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(await isGranted(flood)).toBe(true);
  });

  test('it holds few while others are there, and half where nobody is', async () => {
    const share = createFairShare(10);
    await hold(share, 'flood', 3_000);
    const wanted = Array.from({ length: 8 }, () => share.take('flood'));
    expect(await Promise.all(wanted.map(isGranted))).toEqual([1, 1, 1, 1, 1, 0, 0, 0].map(Boolean));

    const beside = createFairShare(10);
    await hold(beside, 'flood', 3_000);
    await hold(beside, 'other', 5);
    await vi.advanceTimersByTimeAsync(100);
    const few = Array.from({ length: 8 }, () => beside.take('flood'));
    expect(await Promise.all(few.map(isGranted))).toEqual([1, 1, 1, 0, 0, 0, 0, 0].map(Boolean));
  });
});
