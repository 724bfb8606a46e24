/**
 * The sandbox's time: either a clock that stands still until it is moved, or a running clock that can
 * be moved as well, so that twelve hours of retries can pass in milliseconds either way.
 */
import type { Clock, FixedClock } from '../base/kernel/clock.ts';

/** A clock that the sandbox can move. */
export interface SandboxClock extends Clock {
  /** Whether time passes only by {@link SandboxClock.moveTo}. */
  readonly standsStill: boolean;
  /** Milliseconds that pass on it per real one. 0: it stands still. */
  readonly rate: number;
  moveTo(epochMs: number): void;
}

/** How a running clock runs. */
export interface ClockRun {
  /** Where it begins. @default the base's time */
  readonly startsAtMs?: number | undefined;
  /** Milliseconds per real one. @default 1 */
  readonly rate?: number | undefined;
}

/** Wraps the given clock. A fixed clock is moved itself, so that anyone who shares it moves along. */
export function createSandboxClock(base: Clock | FixedClock, run: ClockRun = {}): SandboxClock {
  if ('setMs' in base) {
    if (run.startsAtMs !== undefined) base.setMs(run.startsAtMs);
    return {
      standsStill: true,
      rate: 0,
      nowMs: () => base.nowMs(),
      moveTo: (ms) => base.setMs(ms),
    };
  }
  const { rate = 1 } = run;
  let baseMs = base.nowMs();
  let fromMs = run.startsAtMs ?? baseMs;
  return {
    standsStill: rate === 0,
    rate,
    nowMs: () => Math.floor(fromMs + (base.nowMs() - baseMs) * rate),
    moveTo: (ms): void => {
      fromMs = ms;
      baseMs = base.nowMs();
    },
  };
}
