/** Guarantee: no pool ever gets more than its grants in any minute, and waiting is fair and endable. */
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createMemoryBudget, unlimitedBudget } from '../../../src/service/client/budget.ts';
import type { BudgetLedger } from '../../../src/service/client/budget-queue.ts';
import { createQueueingBudget } from '../../../src/service/client/budget-queue.ts';

const START = '2026-03-01T10:00:00Z';
const POOL = 'PATCH /v1/alerts/{alert_id}';

/** A memory budget whose waiting moves the clock, so that an hour passes in milliseconds. */
function simulated(random = () => 0) {
  const clock = createFixedClock(START);
  const startMs = clock.nowMs();
  const budget = createMemoryBudget({
    clock,
    random,
    wait: async (durationMs, signal) => {
      signal?.throwIfAborted();
      // Whoever was granted notes the time before it moves.
      await new Promise((resolve) => setImmediate(resolve));
      clock.advanceMs(durationMs);
    },
  });
  return { budget, clock, elapsedMs: () => clock.nowMs() - startMs };
}

/** The most grants in any window of 60 s that begins at a grant. */
function worstMinute(grantsMs: readonly number[]): number {
  const sorted = [...grantsMs].sort((a, b) => a - b);
  return Math.max(
    0,
    ...sorted.map((from) => sorted.filter((at) => at >= from && at < from + 60_000).length),
  );
}

describe('the window', () => {
  test('98 at once, the 99th after the first has left', async () => {
    const { budget, elapsedMs } = simulated();
    for (let taken = 0; taken < 98; taken++) await budget.take(POOL);
    expect(elapsedMs()).toBe(0);
    await budget.take(POOL);
    expect(elapsedMs()).toBe(61_000);
  });

  test('the window is counted from each grant, not from the question', async () => {
    const { budget, clock, elapsedMs } = simulated();
    await budget.take(POOL);
    clock.advanceMs(20_000);
    for (let taken = 1; taken < 98; taken++) await budget.take(POOL);
    await budget.take(POOL);
    expect(elapsedMs()).toBe(61_000);
  });

  test('a thousand requests take ten windows, not more', async () => {
    const { budget, clock, elapsedMs } = simulated();
    const grants: number[] = [];
    for (let taken = 0; taken < 1000; taken++) {
      await budget.take(POOL);
      grants.push(clock.nowMs());
    }
    expect(worstMinute(grants)).toBe(98);
    // 980 in ten windows, the rest at the start of the eleventh.
    expect(elapsedMs()).toBe(610_000);
  });

  test('the clock goes back an hour: nobody waits for it to come again (F19)', async () => {
    const { budget, clock, elapsedMs } = simulated();
    for (let taken = 0; taken < 98; taken++) await budget.take(POOL);
    await budget.penalise('paused', 1);
    clock.advanceMs(-3_600_000);
    const before = elapsedMs();
    await budget.take('paused');
    expect(elapsedMs() - before).toBe(0);
    // What the service counted in the last minute it still counts.
    await budget.take(POOL);
    expect(elapsedMs() - before).toBe(61_000);
    // A 429 after the clock has gone back pauses like any other.
    await budget.penalise('again', 1);
    clock.advanceMs(-3_600_000);
    await budget.penalise('again', 1);
    const again = elapsedMs();
    await budget.take('again');
    expect(elapsedMs() - again).toBe(5_000);
  });

  test('pools do not share', async () => {
    const { budget, elapsedMs } = simulated();
    for (let taken = 0; taken < 98; taken++) await budget.take(POOL);
    await budget.take('GET /v1/alerts/');
    expect(elapsedMs()).toBe(0);
  });

  test('whatever the pattern of requests and 429, no minute holds more than 98', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            idleMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90_000 })),
            burst: fc.integer({ min: 1, max: 60 }),
            penalised: fc.boolean(),
          }),
          { maxLength: 12 },
        ),
        async (steps) => {
          const { budget, clock } = simulated(() => 0.5);
          const grants: number[] = [];
          for (const { idleMs, burst, penalised } of steps) {
            clock.advanceMs(idleMs);
            if (penalised) await budget.penalise(POOL, 1);
            const turns = Array.from({ length: burst }, async () => {
              await budget.take(POOL);
              grants.push(clock.nowMs());
            });
            await Promise.all(turns);
          }
          expect(worstMinute(grants)).toBeLessThanOrEqual(98);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('pauses after a 429', () => {
  /** With the largest jitter the pause is its ceiling. */
  const longest = () => 1 - Number.EPSILON;

  test('between 5 s and twice that; doubling with each further one up to 60 s', async () => {
    const { budget, elapsedMs } = simulated(longest);
    const pauses: number[] = [];
    for (let offence = 1; offence <= 6; offence++) {
      const before = elapsedMs();
      await budget.penalise(POOL, 1);
      await budget.take(POOL);
      pauses.push(elapsedMs() - before);
    }
    // The queue adds its own jitter of at most 50 ms.
    expect(pauses).toEqual([10_050, 20_050, 40_050, 60_050, 60_050, 60_050]);
    const quick = simulated(() => 0);
    await quick.budget.penalise(POOL, 1);
    await quick.budget.take(POOL);
    expect(quick.elapsedMs()).toBe(5_000);
  });

  test('several of one burst count once, and the attempt of the request counts', async () => {
    const { budget, elapsedMs } = simulated(longest);
    for (let burst = 0; burst < 20; burst++) await budget.penalise(POOL, 1);
    await budget.take(POOL);
    expect(elapsedMs()).toBe(10_050);
    const other = simulated(longest);
    await other.budget.penalise(POOL, 3);
    await other.budget.take(POOL);
    expect(other.elapsedMs()).toBe(40_050);
  });

  test('a shorter pause never ends a longer one', async () => {
    let jitter = 0.999999;
    const { budget, elapsedMs } = simulated(() => jitter);
    await budget.penalise(POOL, 4);
    jitter = 0;
    await budget.penalise(POOL, 1);
    await budget.take(POOL);
    expect(elapsedMs()).toBe(60_000);
  });

  test('to the millisecond: one at the very end of a pause is a further one, forgiven two minutes after', async () => {
    let jitter = 0;
    const { budget, clock, elapsedMs } = simulated(() => jitter);
    await budget.penalise(POOL, 1);
    await budget.take(POOL);
    expect(elapsedMs()).toBe(5_000);
    await budget.penalise(POOL, 1);
    await budget.take(POOL);
    expect(elapsedMs()).toBe(10_000);
    const pauseMs = async (afterMs: number) => {
      clock.advanceMs(afterMs);
      await budget.take(POOL);
      const before = elapsedMs();
      jitter = 0.999999;
      await budget.penalise(POOL, 1);
      jitter = 0;
      await budget.take(POOL);
      return elapsedMs() - before;
    };
    // A third in a row may take 40 s.
    expect(await pauseMs(119_999)).toBe(40_000);
    expect(await pauseMs(120_000)).toBe(10_000);
  });

  test('two quiet minutes forgive', async () => {
    const { budget, clock, elapsedMs } = simulated(longest);
    for (let offence = 0; offence < 3; offence++) {
      await budget.penalise(POOL, 1);
      await budget.take(POOL);
    }
    clock.advanceMs(120_000);
    await budget.take(POOL);
    const before = elapsedMs();
    await budget.penalise(POOL, 1);
    await budget.take(POOL);
    expect(elapsedMs() - before).toBe(10_050);
  });
});

describe('the queue', () => {
  /** A ledger that answers when the test says so. */
  function heldLedger() {
    const questions: { count: number; answer: (granted: number) => void }[] = [];
    const ledger: BudgetLedger = {
      tryTake: (_pool, count) =>
        new Promise((resolve) => {
          questions.push({ count, answer: (granted) => resolve({ granted, waitMs: 1_000 }) });
        }),
      penalise: async () => undefined,
    };
    return { ledger, questions };
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  test('the smallest priority goes first, then who came first', async () => {
    const { ledger, questions } = heldLedger();
    const budget = createQueueingBudget(ledger, { wait: async () => undefined, random: () => 0 });
    const order: string[] = [];
    const enter = (name: string, priority?: number) =>
      budget.take(POOL, { priority }).then(() => order.push(name));
    const all = [
      enter('first without'),
      enter('late', 200),
      enter('soon', 100),
      enter('also soon', 100),
      enter('second without'),
    ];
    for (let asked = 0; asked < 5; asked++) {
      questions[asked]?.answer(1);
      await settle();
    }
    await Promise.all(all);
    expect(order).toEqual(['soon', 'also soon', 'late', 'first without', 'second without']);
  });

  test('one question serves many, at most 20 at a time', async () => {
    const { ledger, questions } = heldLedger();
    const budget = createQueueingBudget(ledger, { wait: async () => undefined });
    const all = Array.from({ length: 50 }, () => budget.take(POOL));
    await settle();
    // The first asks for itself; the others have come while it waits for its answer.
    questions[0]?.answer(1);
    await settle();
    expect(questions[1]?.count).toBe(20);
    questions[1]?.answer(20);
    await settle();
    questions[2]?.answer(20);
    await settle();
    expect(questions[3]?.count).toBe(9);
    questions[3]?.answer(9);
    await Promise.all(all);
  });

  test('who leaves is refused with the reason, and nobody sleeps on for them', async () => {
    const naps: AbortSignal[] = [];
    const budget = createQueueingBudget(
      { tryTake: async () => ({ granted: 0, waitMs: 60_000 }), penalise: async () => undefined },
      {
        wait: (_durationMs, signal) =>
          new Promise((_resolve, reject) => {
            if (signal === undefined) return;
            naps.push(signal);
            signal.addEventListener('abort', () => reject(signal.reason));
          }),
      },
    );
    const caller = new AbortController();
    const turn = budget.take(POOL, { signal: caller.signal });
    await settle();
    expect(naps).toHaveLength(1);
    const reason = new Error('shutting down');
    caller.abort(reason);
    await expect(turn).rejects.toBe(reason);
    expect(naps[0]?.aborted).toBe(true);
  });

  test('one of several who leaves wakes nobody, and the next who comes is served', async () => {
    const naps: AbortSignal[] = [];
    const questions: number[] = [];
    let granted = 0;
    const budget = createQueueingBudget(
      {
        tryTake: async (_pool, count) => {
          questions.push(count);
          return { granted, waitMs: 60_000 };
        },
        penalise: async () => undefined,
      },
      {
        wait: (_durationMs, signal) =>
          new Promise((_resolve, reject) => {
            if (signal === undefined) return;
            naps.push(signal);
            signal.addEventListener('abort', () => reject(signal.reason));
          }),
      },
    );
    const [one, other] = [new AbortController(), new AbortController()];
    const turns = [one, other].map(({ signal }) => budget.take(POOL, { signal }));
    const left = Promise.allSettled(turns);
    await settle();
    one.abort(new Error('one'));
    await settle();
    expect(naps.map(({ aborted }) => aborted)).toEqual([false]);
    other.abort(new Error('other'));
    // Comes before the pump has noticed that its nap was ended.
    granted = 1;
    await budget.take(POOL);
    expect(questions).toEqual([1, 1]);
    expect(naps).toHaveLength(1);
    expect((await left).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('it naps only where somebody waits for more than was granted', async () => {
    const { ledger, questions } = heldLedger();
    const naps: number[] = [];
    const wait = async (durationMs: number) => void naps.push(durationMs);
    const budget = createQueueingBudget(ledger, { wait, random: () => 0 });
    const first = budget.take(POOL);
    const second = budget.take(POOL);
    questions[0]?.answer(1);
    await first;
    await settle();
    // All it asked for was granted, so it has asked for the second at once.
    expect({ naps, asked: questions.length }).toEqual({ naps: [], asked: 2 });
    questions[1]?.answer(1);
    await second;
    await settle();
    const caller = new AbortController();
    const gone = budget.take(POOL, { signal: caller.signal });
    caller.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
    questions[2]?.answer(0);
    await settle();
    expect({ naps, asked: questions.length }).toEqual({ naps: [], asked: 3 });
  });

  test('a nap that fails is told to who waits', async () => {
    const budget = createQueueingBudget(
      { tryTake: async () => ({ granted: 0, waitMs: 1 }), penalise: async () => undefined },
      { wait: () => Promise.reject(new Error('no timer')) },
    );
    await expect(budget.take(POOL)).rejects.toThrow('no timer');
  });

  test('a signal that lives on keeps nothing of who was served, refused or left', async () => {
    const { signal } = new AbortController();
    let broken = false;
    const budget = createQueueingBudget({
      tryTake: async (_pool, count) => {
        if (broken) throw new Error('no database');
        return { granted: count, waitMs: 0 };
      },
      penalise: async () => undefined,
    });
    const turn = budget.take(POOL, { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await turn;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    broken = true;
    await expect(budget.take(POOL, { signal })).rejects.toThrow('no database');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('a signal that has fired already takes nothing', async () => {
    const { ledger, questions } = heldLedger();
    const budget = createQueueingBudget(ledger);
    const reason = new Error('too late');
    const turn = budget.take(POOL, { signal: AbortSignal.abort(reason) });
    await expect(turn).rejects.toBe(reason);
    expect(questions).toHaveLength(0);
  });

  test('a ledger that fails refuses all who wait, and is asked again by the next', async () => {
    let broken = true;
    const budget = createQueueingBudget({
      tryTake: async (_pool, count) => {
        if (broken) throw new Error('no database');
        return { granted: count, waitMs: 0 };
      },
      penalise: async () => undefined,
    });
    const turns = await Promise.allSettled([budget.take(POOL), budget.take(POOL)]);
    expect(turns.map((turn) => turn.status)).toEqual(['rejected', 'rejected']);
    broken = false;
    await expect(budget.take(POOL)).resolves.toBeUndefined();
  });
});

test('a service without limits is never waited for, and still not asked for who has left', async () => {
  await expect(unlimitedBudget.take(POOL)).resolves.toBeUndefined();
  await expect(unlimitedBudget.take(POOL, {})).resolves.toBeUndefined();
  await expect(unlimitedBudget.penalise(POOL, 1)).resolves.toBeUndefined();
  const reason = new Error('too late');
  const signal = AbortSignal.abort(reason);
  await expect(unlimitedBudget.take(POOL, { signal })).rejects.toBe(reason);
});
