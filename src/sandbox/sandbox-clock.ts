/**
 * The sandbox's time: either a clock that stands still until it is moved, or a running clock with an
 * offset, so that twelve hours of retries can pass in milliseconds either way.
 */
import type { Clock, FixedClock } from '../base/kernel/clock.ts';

/** A clock that the sandbox can move. */
export interface SandboxClock extends Clock {
  /** Whether time passes only by {@link SandboxClock.moveTo}. */
  readonly standsStill: boolean;
  moveTo(epochMs: number): void;
}

/** Wraps the given clock. A fixed clock is moved itself, so that whoever shares it moves along. */
export function createSandboxClock(base: Clock | FixedClock): SandboxClock {
  if ('setMs' in base) {
    return { standsStill: true, nowMs: () => base.nowMs(), moveTo: (ms) => base.setMs(ms) };
  }
  let offsetMs = 0;
  return {
    standsStill: false,
    nowMs: () => base.nowMs() + offsetMs,
    moveTo: (ms): void => {
      offsetMs = ms - base.nowMs();
    },
  };
}
