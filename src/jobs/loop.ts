/**
 * A loop that drains: it runs again at once while there is work, otherwise when it is woken or after
 * its idle time. A failing round is logged and retried with backoff; it never ends the loop.
 */
import { backoffMs } from '../kernel/backoff.ts';
import type { Log } from '../kernel/log.ts';

/** What a stage registers. */
export interface LoopSpec {
  /** Shown in logs, for example `apply`. */
  readonly name: string;
  /** One round. Returns how much it did; 0 means there is nothing left. */
  readonly runOnce: () => Promise<number>;
  /** Longest time between two rounds, in milliseconds. */
  readonly idleMs: number;
  /** Topics that start a round early. */
  readonly wakeOn?: readonly string[];
}

/** A running loop. */
export interface Loop {
  wake(): void;
  /** Lets the round under way end, then stops. */
  stop(): Promise<void>;
}

const RETRY = { baseMs: 500, maxMs: 15_000 };

/** Starts the loop; its first round begins at once. */
export function startLoop(spec: LoopSpec, log: Log): Loop {
  let stopped = false;
  let woken = false;
  let interrupt: (() => void) | undefined;
  let failures = 0;

  const pause = async (durationMs: number): Promise<void> => {
    if (woken || stopped) return;
    await new Promise<void>((done) => {
      const timer = setTimeout(done, durationMs);
      interrupt = (): void => {
        clearTimeout(timer);
        done();
      };
    });
    interrupt = undefined;
  };
  const round = async (): Promise<number> => {
    try {
      const done = await spec.runOnce();
      failures = 0;
      return done > 0 ? 0 : spec.idleMs;
    } catch (error) {
      failures += 1;
      log.error({ err: error, loop: spec.name, failures }, 'round failed');
      woken = false;
      return backoffMs(failures, RETRY);
    }
  };
  const run = async (): Promise<void> => {
    while (!stopped) {
      woken = false;
      const waitMs = await round();
      if (waitMs > 0) await pause(waitMs);
    }
  };
  const finished = run();

  return {
    wake(): void {
      woken = true;
      interrupt?.();
    },
    async stop(): Promise<void> {
      stopped = true;
      interrupt?.();
      await finished;
    },
  };
}
