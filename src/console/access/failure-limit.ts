/**
 * Limits failed attempts per address, so that a token cannot be guessed by trying.
 */
import type { Clock } from '../../kernel/clock.ts';

/** Failures within the window after which further attempts are refused unread. */
export const FAILURES_MAX = 10;

/** The window, in milliseconds. */
export const FAILURE_WINDOW_MS = 15 * 60_000;

/** Addresses remembered; a crowd of them is cut off from its oldest. */
const ADDRESSES_MAX = 10_000;

/** Failed attempts by address. */
export interface FailureLimit {
  /** Seconds until the address may try again; 0 when it may. */
  waitSeconds(address: string): number;
  /** Counts a failure. Returns whether it was the one that closes the door. */
  fail(address: string): boolean;
}

/** Makes a limit without failures. */
export function createFailureLimit(clock: Clock): FailureLimit {
  const failuresMs = new Map<string, number[]>();
  const recent = (address: string): number[] => {
    const sinceMs = clock.nowMs() - FAILURE_WINDOW_MS;
    return (failuresMs.get(address) ?? []).filter((atMs) => atMs > sinceMs);
  };
  return {
    waitSeconds(address): number {
      const [first, ...others] = recent(address);
      if (first === undefined || others.length + 1 < FAILURES_MAX) return 0;
      return Math.ceil((first + FAILURE_WINDOW_MS - clock.nowMs()) / 1_000);
    },
    fail(address): boolean {
      const failures = [...recent(address), clock.nowMs()];
      failuresMs.delete(address);
      failuresMs.set(address, failures);
      const [oldest] = failuresMs.keys();
      if (failuresMs.size > ADDRESSES_MAX && oldest !== undefined) failuresMs.delete(oldest);
      return failures.length === FAILURES_MAX;
    },
  };
}
