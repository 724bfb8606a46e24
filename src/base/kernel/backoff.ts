/**
 * Waiting between attempts: exponential with full jitter, so that processes that failed together
 * do not come back together.
 */
import { LAST_HOUR_MS, LAST_HOUR_WAIT_MS } from './limits.ts';

/** Bounds of a backoff, in milliseconds. */
export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: () => number;
}

/**
 * How long to wait before the next attempt, in milliseconds: at least `baseMs`, at most `maxMs`.
 *
 * @param attempt how many attempts have been made already, from 1
 */
export function backoffMs(attempt: number, options: BackoffOptions): number {
  const { baseMs, maxMs, random = Math.random } = options;
  const ceilingMs = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(baseMs + random() * Math.max(0, ceilingMs - baseMs));
}

/**
 * A wait cut to the deadline ahead, in milliseconds: it ends where the last hour begins, and within the
 * last hour after 30 s.
 */
export function cutWaitMs(waitMs: number, deadlineMs: number, nowMs: number): number {
  const leftMs = deadlineMs - nowMs;
  if (leftMs <= 0) return waitMs;
  if (leftMs <= LAST_HOUR_MS) return Math.min(waitMs, LAST_HOUR_WAIT_MS);
  return Math.min(waitMs, leftMs - LAST_HOUR_MS);
}
