/**
 * Logs refused deliveries without letting their sender fill the disk: anybody can send garbage to a
 * public address. Past a number per minute they are counted only.
 */
import type { Clock } from '../../base/kernel/clock.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { RefusedReason } from './counters.ts';

/** Lines per minute and process. */
export const REFUSAL_LINES_PER_MINUTE_MAX = 120;

const MINUTE_MS = 60_000;

/** Logs refusals, within bounds. */
export type RefusalLog = (reason: RefusedReason, facts: Readonly<Record<string, unknown>>) => void;

/** Makes the log. `facts` hold lengths, hashes and ids; never the body. */
export function createRefusalLog(log: Log, clock: Clock): RefusalLog {
  let minute = Number.NaN;
  let lines = 0;
  let suppressed = 0;
  return (reason, facts) => {
    const now = Math.floor(clock.nowMs() / MINUTE_MS);
    if (now !== minute) {
      if (suppressed > 0) log.warn({ suppressed }, 'more deliveries were refused than logged');
      minute = now;
      lines = 0;
      suppressed = 0;
    }
    lines += 1;
    if (lines <= REFUSAL_LINES_PER_MINUTE_MAX) log.warn({ reason, ...facts }, 'delivery refused');
    else suppressed += 1;
  };
}
