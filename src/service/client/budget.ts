/**
 * The request budget: asks before every request, so that the service never has to answer 429.
 *
 * The service allows 100 requests in a minute per endpoint and organisation. Each endpoint is a pool
 * with a log of its last grants; a further one is given only while fewer than {@link GRANTS_MAX} lie
 * inside the window. Two ledgers keep that log: the one here in memory, for one process, and the one
 * of `service/budget/` in Postgres, for all of them.
 */
import { backoffMs } from '../../base/kernel/backoff.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { systemClock } from '../../base/kernel/clock.ts';
import type { BudgetLedger, RequestBudget, TakeAnswer, Wait } from './budget-queue.ts';
import { createQueueingBudget } from './budget-queue.ts';

/** Grants per window. Two below the limit, for what other software of the merchant may send. */
export const GRANTS_MAX = 98;

/**
 * The window, in milliseconds: a second above the service's minute, because it counts when a request
 * arrives and we count when it leaves.
 */
export const WINDOW_MS = 61_000;

/** Shortest and longest pause after a 429, which carries no `Retry-After`, in milliseconds. */
const PAUSE_MS_MIN = 5_000;
export const PAUSE_MS_MAX = 60_000;

/** A pool without a 429 for this long after its pause starts again from the shortest pause. */
export const PENALTY_MEMORY_MS = 120_000;

/** Options of {@link createMemoryBudget}. */
export interface MemoryBudgetOptions {
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default real timers */
  readonly wait?: Wait;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: () => number;
}

interface Pool {
  grantsMs: number[];
  pausedUntilMs: number;
  penalties: number;
}

/** A budget for one process and one organisation. */
export function createMemoryBudget(options: MemoryBudgetOptions = {}): RequestBudget {
  const { clock = systemClock, random = Math.random } = options;
  const pools = new Map<string, Pool>();
  const ledger: BudgetLedger = {
    tryTake: async (name, count) => takeFrom(poolOf(pools, name), count, clock.nowMs()),
    penalise: async (name, attempt): Promise<void> => {
      const pool = poolOf(pools, name);
      const nowMs = clock.nowMs();
      forgetAhead(pool, nowMs);
      // Several 429 of one burst are one offence.
      if (pool.pausedUntilMs <= nowMs) pool.penalties += 1;
      const pauseMs = pauseAfter(Math.max(attempt, pool.penalties), random);
      pool.pausedUntilMs = Math.max(pool.pausedUntilMs, nowMs + pauseMs);
    },
  };
  return createQueueingBudget(ledger, { random, wait: options.wait });
}

/** A budget that never waits, for a service without limits. */
export const unlimitedBudget: RequestBudget = {
  take: async (_pool, options) => options?.signal?.throwIfAborted(),
  penalise: async () => undefined,
};

/** How long to pause after the given number of 429 in a row, in milliseconds, with full jitter. */
export function pauseAfter(penalties: number, random: () => number): number {
  return backoffMs(penalties, { baseMs: PAUSE_MS_MIN, maxMs: PAUSE_MS_MAX, random });
}

function poolOf(pools: Map<string, Pool>, name: string): Pool {
  const known = pools.get(name);
  if (known !== undefined) return known;
  const fresh: Pool = { grantsMs: [], pausedUntilMs: 0, penalties: 0 };
  pools.set(name, fresh);
  return fresh;
}

/** When the clock has gone back, what lies ahead of it holds no caller up for longer than it would have. */
function forgetAhead(pool: Pool, nowMs: number): void {
  if (pool.pausedUntilMs > nowMs + PAUSE_MS_MAX) pool.pausedUntilMs = 0;
  pool.grantsMs = pool.grantsMs.map((grantMs) => Math.min(grantMs, nowMs));
}

function takeFrom(pool: Pool, count: number, nowMs: number): TakeAnswer {
  forgetAhead(pool, nowMs);
  if (pool.pausedUntilMs > nowMs) return { granted: 0, waitMs: pool.pausedUntilMs - nowMs };
  if (pool.pausedUntilMs + PENALTY_MEMORY_MS <= nowMs) pool.penalties = 0;
  pool.grantsMs = pool.grantsMs.filter((grantMs) => grantMs > nowMs - WINDOW_MS);
  const granted = Math.min(count, GRANTS_MAX - pool.grantsMs.length);
  for (let given = 0; given < granted; given++) pool.grantsMs.push(nowMs);
  const oldestMs = pool.grantsMs[0] ?? nowMs;
  return { granted, waitMs: granted === count ? 0 : oldestMs + WINDOW_MS - nowMs };
}
