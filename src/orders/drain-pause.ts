/**
 * Pauses a drain for a while after rounds in which no request succeeded. Kept in memory, per
 * process.
 */
import { backoffMs } from '../base/kernel/backoff.ts';
import type { FeedDeps } from './feed-deps.ts';
import { DRAIN_RETRY, randomOf } from './feed-deps.ts';

/** What a round tells about the way to the service. */
export interface RoundReport {
  /** Requests the service answered, whatever it said. */
  readonly answered: number;
  /** Set when something went wrong: the shortest pause, in milliseconds. */
  readonly troubleMs: number | undefined;
}

export interface DrainPause {
  /** Rounds in a row in which nothing got through. */
  failedRounds(): number;
  isOver(): boolean;
  report(round: RoundReport): void;
}

/** Creates the pause of one drain. */
export function createDrainPause(deps: FeedDeps, name: string): DrainPause {
  let failedRounds = 0;
  let untilMs = 0;
  return {
    failedRounds: () => failedRounds,
    isOver: () => deps.clock.nowMs() >= untilMs,
    report: ({ answered, troubleMs }): void => {
      if (answered > 0 || troubleMs === undefined) {
        failedRounds = 0;
        return;
      }
      failedRounds += 1;
      const backoff = backoffMs(failedRounds, { ...DRAIN_RETRY, ...randomOf(deps) });
      const waitMs = Math.max(troubleMs, backoff);
      untilMs = deps.clock.nowMs() + waitMs;
      deps.log.warn({ drain: name, failedRounds, waitMs }, 'the service cannot be reached');
    },
  };
}
