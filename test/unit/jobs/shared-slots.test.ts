/**
 * Guarantee: of slots that several organisations share, none has more than half; where they are short, the earliest
 * deadline of all goes first, whoever waited longer; and what one leaves is not lost.
 */
import { describe, expect, it } from 'vitest';
import { createSharedSlots } from '../../../src/base/jobs/shared-slots.ts';
import { createWorkerPool } from '../../../src/base/jobs/worker-pool.ts';
import { createLog } from '../../../src/base/kernel/log.ts';

const log = createLog({ level: 'silent' });

function share(total: number, deadlines: Record<string, number>, fails = false) {
  const asked: string[][] = [];
  const slots = createSharedSlots({
    total,
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
    const { slots } = share(2, {}, true);
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
