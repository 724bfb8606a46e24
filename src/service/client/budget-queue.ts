/**
 * Lines up the requests of one process in front of a ledger: smallest priority first, then in order
 * of arrival. One question to the ledger serves everybody who waits, and nothing is held between
 * questions, neither a lock nor a connection.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** How one request waits for its turn. */
export interface TakeOptions {
  /** Ends the wait; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Smaller goes first among this process's waiters, for example a deadline in milliseconds. @default Infinity */
  readonly priority?: number | undefined;
}

/** Asked before every request of one organisation. */
export interface RequestBudget {
  /** Waits until a request of `pool` may be sent. Nothing is held while waiting. */
  take(pool: string, options?: TakeOptions): Promise<void>;
  /**
   * Records a 429: nothing is taken from `pool` for a while. Returns at once.
   *
   * @param attempt how often this request met a 429, from 1; each doubles the longest pause
   */
  penalise(pool: string, attempt: number): Promise<void>;
}

/** What a ledger answers: how many were granted, and how long until it is worth asking again. */
export interface TakeAnswer {
  readonly granted: number;
  readonly waitMs: number;
}

/** A log of grants that never waits. */
export interface BudgetLedger {
  tryTake(pool: string, count: number): Promise<TakeAnswer>;
  penalise(pool: string, attempt: number): Promise<void>;
}

/** Most grants asked for at once, so that one process does not empty the pool for the others. */
const TAKE_BATCH_MAX = 20;

/** Spread of wake-ups, in milliseconds, so that processes that wait alike do not ask at once. */
const WAKE_JITTER_MS = 50;

interface Waiter {
  readonly priority: number;
  readonly grant: () => void;
  readonly refuse: (error: unknown) => void;
}

/** One pool's line, and the pump that serves it while anybody waits there. */
interface Line {
  readonly waiters: Waiter[];
  /** Ends the pump's nap when the last waiter has left. */
  nap: AbortController;
  pumping: boolean;
}

/** Creates a budget that waits in front of `ledger`. */
export function createQueueingBudget(
  ledger: BudgetLedger,
  options: { readonly wait?: Wait | undefined; readonly random?: () => number } = {},
): RequestBudget {
  const wait: Wait = options.wait ?? waitOnTimer;
  const random = options.random ?? Math.random;
  const lines = new Map<string, Line>();

  async function step(pool: string, line: Line): Promise<void> {
    const asked = Math.min(line.waiters.length, TAKE_BATCH_MAX);
    const { granted, waitMs } = await ledger.tryTake(pool, asked);
    for (const waiter of line.waiters.splice(0, granted)) waiter.grant();
    if (granted < asked && line.waiters.length > 0) {
      await nap(line, Math.ceil(waitMs + random() * WAKE_JITTER_MS));
    }
  }

  /**
   * Serves the line until it is empty. Between the last look at the line and `pumping = false` there
   * must be no `await`: anyone who joined in between would wait for ever.
   */
  async function serve(pool: string, line: Line): Promise<void> {
    if (line.pumping) return;
    line.pumping = true;
    try {
      while (line.waiters.length > 0) await step(pool, line);
    } catch (error) {
      for (const waiter of line.waiters.splice(0)) waiter.refuse(error);
    } finally {
      line.pumping = false;
    }
  }

  async function nap(line: Line, durationMs: number): Promise<void> {
    line.nap = new AbortController();
    try {
      await wait(durationMs, line.nap.signal);
    } catch (error) {
      if (!line.nap.signal.aborted) throw error;
    }
  }

  return {
    take: (pool, takeOptions = {}): Promise<void> => {
      const { signal, priority = Number.POSITIVE_INFINITY } = takeOptions;
      const line = lineOf(lines, pool);
      return new Promise<void>((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason);
          return;
        }
        const onAbort = (): void => {
          leave(line, waiter);
          reject(signal?.reason);
        };
        const waiter: Waiter = {
          priority,
          grant: () => {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
          refuse: (error) => {
            signal?.removeEventListener('abort', onAbort);
            reject(error);
          },
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        join(line, waiter);
        void serve(pool, line);
      });
    },
    penalise: (pool, attempt) => ledger.penalise(pool, attempt),
  };
}

function lineOf(lines: Map<string, Line>, pool: string): Line {
  const known = lines.get(pool);
  if (known !== undefined) return known;
  const fresh: Line = { waiters: [], nap: new AbortController(), pumping: false };
  lines.set(pool, fresh);
  return fresh;
}

function join(line: Line, waiter: Waiter): void {
  const place = line.waiters.findIndex((other) => other.priority > waiter.priority);
  if (place === -1) line.waiters.push(waiter);
  else line.waiters.splice(place, 0, waiter);
}

function leave(line: Line, waiter: Waiter): void {
  const place = line.waiters.indexOf(waiter);
  if (place !== -1) line.waiters.splice(place, 1);
  // A sleeping pump would keep the process alive for nothing.
  if (line.waiters.length === 0) line.nap.abort();
}

/** Waits, and throws the signal's reason when it fires before the time is over. */
export type Wait = (durationMs: number, signal?: AbortSignal) => Promise<void>;

/** Waits on the machine's timers. */
export const waitOnTimer: Wait = async (durationMs, signal) => {
  signal?.throwIfAborted();
  try {
    await sleep(durationMs, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
};
