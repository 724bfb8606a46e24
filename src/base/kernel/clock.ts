/**
 * Time as an argument: nothing else in Forestall asks the machine what time it is.
 *
 * Production runs on {@link databaseClock}: the database's wall clock, carried forward by this
 * process's monotonic timer. A machine whose clock jumps therefore neither ages nor revives a lease,
 * and all replicas agree. Tests and the sandbox run on {@link createFixedClock}, which they move.
 */
import { performance } from 'node:perf_hooks';

/** A source of the current time. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number;
}

/** A clock that a test or the sandbox moves by hand. It never moves by itself. */
export interface FixedClock extends Clock {
  advanceMs(durationMs: number): void;
  setMs(epochMs: number): void;
}

/** The machine's own wall clock. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** Creates a clock that stands still at `startsAt` (ISO 8601, or milliseconds) until it is moved. */
export function createFixedClock(startsAt: string | number): FixedClock {
  let nowMs = typeof startsAt === 'number' ? startsAt : Date.parse(startsAt);
  if (!Number.isFinite(nowMs)) throw new RangeError(`Not a time: ${startsAt}. Give ISO 8601 UTC.`);
  return {
    nowMs: () => nowMs,
    advanceMs: (durationMs): void => {
      nowMs += durationMs;
    },
    setMs: (epochMs): void => {
      nowMs = epochMs;
    },
  };
}

/** A clock that follows the database and can be set again by {@link SyncedClock.sync}. */
export interface SyncedClock extends Clock {
  /** Takes over the given database time, as of this moment. */
  sync(databaseEpochMs: number): void;
}

/** Creates a clock that starts at the machine's time and follows the database from its first `sync`. */
export function databaseClock(): SyncedClock {
  let offsetMs = Date.now() - performance.now();
  return {
    nowMs: () => Math.round(performance.now() + offsetMs),
    sync: (databaseEpochMs): void => {
      offsetMs = databaseEpochMs - performance.now();
    },
  };
}

/** The clock's time as a `Date`, for a query parameter. */
export function nowDate(clock: Clock): Date {
  return new Date(clock.nowMs());
}

/** The clock's time as ISO 8601 UTC with milliseconds. */
export function nowIso(clock: Clock): string {
  return new Date(clock.nowMs()).toISOString();
}
