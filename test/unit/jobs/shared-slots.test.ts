/**
 * Guarantee: of slots that several organisations share, none has more than half; where they are short, the earliest
 * deadline of all goes first, whoever waited longer; what one leaves is not lost; and a busy process fills few of them.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AtOnce } from '../../../src/base/db/at-once.ts';
import { createAtOnce } from '../../../src/base/db/at-once.ts';
import { createSharedSlots } from '../../../src/base/jobs/shared-slots.ts';
import { createWorkerPool } from '../../../src/base/jobs/worker-pool.ts';
import { createLog } from '../../../src/base/kernel/log.ts';

const log = createLog({ level: 'silent' });

function share(
  total: number,
  deadlines: Record<string, number>,
  { fails = false, atOnce }: { readonly fails?: boolean; readonly atOnce?: AtOnce } = {},
) {
  const asked: string[][] = [];
  const slots = createSharedSlots({
    total,
    atOnce,
    log,
    urgencies: async (owners) => {
      asked.push([...owners]);
      if (fails) throw new Error('the database is away');
      return new Map(Object.entries(deadlines).filter(([owner]) => owners.includes(owner)));
    },
  });
  return { slots, asked };
}

/** What comes of takes that have to wait, in the order in which they end. */
async function endings(count: number, order: string[]): Promise<string[]> {
  await expect.poll(() => order.length).toBe(count);
  return order;
}

describe('slots that organisations share', () => {
  it('are taken at once while there are enough, and nobody is asked', async () => {
    const { slots, asked } = share(8, {});
    expect(await slots.of('a').take(3)).toBe(3);
    expect(await slots.of('b').take(8)).toBe(4);
    expect(await slots.of('c').take(8)).toBe(1);
    expect(asked).toEqual([]);
  });

  it('are never more than half for one of them', async () => {
    const { slots } = share(5, { a: 1 });
    const a = slots.of('a');
    expect(await a.take(9)).toBe(3);
    const more = a.take(1);
    // Two are free, and not for it.
    expect(await slots.of('b').take(9)).toBe(2);
    a.giveBack(1);
    expect(await more).toBe(1);
  });

  it('go to the earliest deadline of all, as it is when one becomes free', async () => {
    const deadlines: Record<string, number> = { late: 900, middle: 500, early: 700 };
    const { slots } = share(2, deadlines);
    const [x, y] = [slots.of('x'), slots.of('y')];
    await x.take(1);
    await y.take(1);
    const order: string[] = [];
    for (const owner of ['late', 'middle', 'early']) {
      void slots
        .of(owner)
        .take(4)
        .then((count) => order.push(`${owner} ${count}`));
    }
    // Something more urgent has come in for it while it waited.
    deadlines['early'] = 100;
    x.giveBack(1);
    expect(await endings(1, order)).toEqual(['early 1']);
    y.giveBack(1);
    expect(await endings(2, order)).toEqual(['early 1', 'middle 1']);
    slots.of('early').giveBack(1);
    expect(await endings(3, order)).toEqual(['early 1', 'middle 1', 'late 1']);
  });

  it('pass by who has nothing due any more, and who has left', async () => {
    const { slots } = share(2, { here: 5 });
    const x = slots.of('x');
    await x.take(1);
    await slots.of('y').take(1);
    const [gone, empty, here] = ['gone', 'empty', 'here'].map((owner) => slots.of(owner).take(1));
    slots.of('gone').leave();
    x.giveBack(1);
    expect(await Promise.all([gone, empty, here])).toEqual([0, 0, 1]);
  });

  it('are given in the order of waiting where nobody can be asked', async () => {
    const { slots } = share(2, {}, { fails: true });
    const x = slots.of('x');
    await x.take(1);
    await slots.of('y').take(1);
    const order: string[] = [];
    for (const owner of ['one', 'two'])
      void slots
        .of(owner)
        .take(1)
        .then(() => order.push(owner));
    x.giveBack(1);
    expect(await endings(1, order)).toEqual(['one']);
  });
});

describe('slots of which few are worth filling', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());

  /**
   * Eight, of which two are filled however busy the process is, by `x` and `y`; four others that want one each, `e` with the
   * least time. All came after an hour without any.
   */
  async function wantedByMany(busy: () => number) {
    const deadlines = { b: 400, c: 300, d: 200, e: 100 };
    const atOnce = createAtOnce(8, { busyShare: busy, least: 2 });
    const { slots } = share(8, deadlines, { atOnce });
    await vi.advanceTimersByTimeAsync(3_600_000);
    const [x, y] = [slots.of('x'), slots.of('y')];
    // None has more than half of those that are filled.
    expect([await x.take(8), await y.take(8)]).toEqual([1, 1]);
    const order: string[] = [];
    for (const owner of Object.keys(deadlines)) {
      void slots
        .of(owner)
        .take(1)
        .then(() => order.push(owner));
    }
    const orderAfter = async (ms: number): Promise<string[]> => {
      await vi.advanceTimersByTimeAsync(ms);
      return order;
    };
    return { slots, x, y, orderAfter };
  }

  it('are no more while the process is busy, and the next goes to the earliest deadline', async () => {
    const { x, y, orderAfter } = await wantedByMany(() => 1);
    expect(await orderAfter(900)).toEqual([]);
    x.giveBack(1);
    expect(await orderAfter(0)).toEqual(['e']);
    y.giveBack(1);
    expect(await orderAfter(400)).toEqual(['e', 'd']);
  });

  it('are more while the process has time to spare, although none comes back', async () => {
    const { orderAfter } = await wantedByMany(() => 0.5);
    expect(await orderAfter(499)).toEqual([]);
    expect(await orderAfter(1)).toEqual(['e', 'd']);
    expect(await orderAfter(500)).toEqual(['e', 'd', 'c', 'b']);
  });

  it('are more where none comes back for a second: they wait for something outside', async () => {
    const { orderAfter } = await wantedByMany(() => 1);
    expect(await orderAfter(500)).toEqual([]);
    expect(await orderAfter(500)).toEqual(['e', 'd']);
  });

  it('are fewer again once the process is busy, and none is taken from a row at work', async () => {
    let busy = 0.5;
    const { slots, x, y, orderAfter } = await wantedByMany(() => busy);
    await orderAfter(1_000);
    busy = 1;
    // Of eight six are at work: it has two at once, and another one what comes back.
    expect(await slots.of('last').take(8)).toBe(2);
    const another = slots.of('another').take(1);
    x.giveBack(1);
    expect(await another).toBe(1);
    const next = vi.fn();
    void slots.of('next').take(1).then(next);
    // Seven are worth filling after a look, and eight are at work.
    await orderAfter(500);
    y.giveBack(1);
    await orderAfter(0);
    expect(next).not.toHaveBeenCalled();
    slots.of('another').giveBack(1);
    await orderAfter(0);
    expect(next).toHaveBeenCalledWith(1);
  });
});

describe('a pool with shared slots', () => {
  it('gives back what it has no row for, and each slot when its row is done', async () => {
    const { slots } = share(4, { d: 1 });
    const gates: (() => void)[] = [];
    const rows = ['one'];
    const pool = createWorkerPool<string>({
      capacity: 8,
      slots: slots.of('a'),
      claim: async (limit) => rows.splice(0, limit),
      run: async () => await new Promise<void>((end) => void gates.push(end)),
    });
    const free = (): void => undefined;
    expect(await pool.runOnce(free)).toBe(0);
    // One is at work: of four, three are free, two of them for b.
    const b = slots.of('b');
    expect(await b.take(9)).toBe(2);
    expect(await slots.of('c').take(9)).toBe(1);
    const next = slots.of('d').take(1);
    gates[0]?.();
    expect(await next).toBe(1);
  });

  it('stops while it waits for a slot', async () => {
    const { slots } = share(1, { a: 1 });
    await slots.of('b').take(1);
    const pool = createWorkerPool<string>({
      capacity: 1,
      slots: slots.of('a'),
      claim: async () => ['never'],
      run: async () => undefined,
    });
    const round = pool.runOnce(() => undefined);
    await pool.finish();
    expect(await round).toBe(0);
  });
});
