/**
 * A loop that drains: it runs again at once while there is work, otherwise when it is woken or after
 * its idle time. A failing round is logged and retried with backoff; it never ends the loop.
 */
import { backoffMs } from '../kernel/backoff.ts';
import type { Log } from '../kernel/log.ts';
import type { DueCondition } from './due.store.ts';

/** What a stage registers. */
export interface LoopSpec {
  /** Shown in logs, for example `apply`. */
  readonly name: string;
  /**
   * One round. Returns how much it did; 0 means there is nothing left. Given `onSlotFree`, it may leave
   * work under way (`worker-pool.ts`), calls `onSlotFree` when a free slot may find more, and has a `finish`.
   */
  readonly runOnce: (onSlotFree?: () => void) => Promise<number>;
  /** A round that did less than this has left nothing. @default 1 */
  readonly fullAt?: number;
  /** Waits for what rounds have left under way. */
  readonly finish?: () => Promise<void>;
  /** Longest time between two rounds, in milliseconds. */
  readonly idleMs: number;
  /** Topics that start a round early. */
  readonly wakeOn?: readonly string[];
  /** Whether a round would find something: `due-look.ts` asks for all loops together, and wakes those. */
  readonly isDue?: DueCondition;
  /** It does so for the process: once, however many organisations share it. */
  readonly perProcess?: boolean;
  /** See {@link Pace}. @default 60000 with `isDue`, else 20000 */
  readonly spreadMs?: number;
}

/**
 * How long loops rest where many organisations share a process (`pace.ts`): each organisation adds `spreadMs`
 * to the idle time of one with nothing going on, so that all of them together ask no more than one does.
 */
export interface Pace {
  /** Before the first round: the look wakes those that have something due. */
  firstMs(spec: LoopSpec): number;
  idleMs(spec: LoopSpec): number;
  /** Nothing has been going on for a while. */
  isQuiet(): boolean;
  /** The organisation has something to do. */
  stir(): void;
  /** Adds a loop to those that are hastened when a quiet organisation is stirred. */
  follow(loop: Pick<Loop, 'hasten'>): void;
}

/** A running loop. */
export interface Loop {
  wake(): void;
  /** The next round comes within its own idle time. */
  hasten(): void;
  /** No round has begun long after it was woken, or after its idle time: it hangs. */
  isOverdue(): boolean;
  /** Lets the round, and what it left under way, end; then stops. */
  stop(): Promise<void>;
}

/**
 * Idle time of a loop that the shared look wakes, in milliseconds: its own round is the safety net, for
 * a condition that fails.
 */
export const SAFETY_MS = 60_000;

const RETRY = { baseMs: 500, maxMs: 15_000 };

/** How late a round may begin, in milliseconds: above the longest backoff. */
const OVERDUE_MS = 20_000;

/** Safety rounds come earlier by up to this share, so that those of all loops do not come at one moment. */
const JITTER = 0.2;

function wakeNobody(): void {
  // What the minute job begins in a slot ends by itself; the loop, or the next minute, sees the free slot.
}

/**
 * One round of each, side by side, whether or not the loops themselves still run. Slots are shared
 * with them, so that only free ones are filled, and nothing is waited for that hangs in one. A round that
 * fails is logged and blocks no other.
 */
export async function runEachOnce(specs: readonly LoopSpec[], log: Log): Promise<void> {
  const once = async ({ name, runOnce, finish }: LoopSpec): Promise<void> => {
    try {
      await runOnce(finish === undefined ? undefined : wakeNobody);
    } catch (error) {
      log.error({ err: error, loop: name }, 'round failed');
    }
  };
  await Promise.all(specs.map(once));
}

/** Starts the loop; without a pace its first round begins at once. */
export function startLoop(spec: LoopSpec, log: Log, pace?: Pace): Loop {
  let stopped = false;
  let woken = false;
  let paused: Pause | undefined;
  let failures = 0;
  const firstMs = pace?.firstMs(spec) ?? 0;
  /** When the next round should have begun at the latest. */
  let dueMs = performance.now() + firstMs;

  const pause = async (durationMs: number): Promise<void> => {
    if (woken || stopped) return;
    paused = createPause(durationMs);
    await paused.over;
    paused = undefined;
  };
  const wake = (): void => {
    woken = true;
    dueMs = Math.min(dueMs, performance.now());
    paused?.end();
  };
  const idleMs = (): number => {
    if (pace !== undefined) return pace.idleMs(spec);
    return spec.isDue === undefined ? spec.idleMs : spec.idleMs * (1 - JITTER * Math.random());
  };
  const round = async (): Promise<number> => {
    const restMs = idleMs();
    dueMs = performance.now() + Math.max(restMs, spec.idleMs);
    try {
      const done = await spec.runOnce(wake);
      failures = 0;
      // What a paced loop finds to count is no sign of business.
      if (done > 0 && spec.isDue !== undefined) pace?.stir();
      return done >= (spec.fullAt ?? 1) ? 0 : restMs;
    } catch (error) {
      failures += 1;
      log.error({ err: error, loop: spec.name, failures }, 'round failed');
      woken = false;
      return backoffMs(failures, RETRY);
    }
  };
  const run = async (): Promise<void> => {
    if (firstMs > 0) await pause(firstMs);
    while (!stopped) {
      woken = false;
      const waitMs = await round();
      if (waitMs > 0) await pause(waitMs);
    }
  };
  const finished = run();

  const loop: Loop = {
    wake(): void {
      pace?.stir();
      wake();
    },
    hasten: () => paused?.shorten(spec.idleMs),
    isOverdue: () => performance.now() - dueMs > OVERDUE_MS,
    async stop(): Promise<void> {
      stopped = true;
      paused?.end();
      // At once, for a round may wait for a slot; and again, for one that was just being filled.
      await Promise.all([finished, spec.finish?.()]);
      await spec.finish?.();
    },
  };
  if (spec.isDue === undefined) pace?.follow(loop);
  return loop;
}

interface Pause {
  readonly over: Promise<void>;
  end(): void;
  /** It ends at most so much later than now. */
  shorten(durationMs: number): void;
}

function createPause(durationMs: number): Pause {
  const { promise, resolve } = Promise.withResolvers<void>();
  let endsMs = performance.now() + durationMs;
  let timer = setTimeout(resolve, durationMs);
  return {
    over: promise,
    end(): void {
      clearTimeout(timer);
      resolve();
    },
    shorten(atMostMs): void {
      if (performance.now() + atMostMs >= endsMs) return;
      endsMs = performance.now() + atMostMs;
      clearTimeout(timer);
      timer = setTimeout(resolve, atMostMs);
    },
  };
}
