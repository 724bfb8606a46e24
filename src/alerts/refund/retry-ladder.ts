/**
 * How long a refund waits before it is looked at again: one ladder for a refund, from the first try of
 * its key to its end, whether it could not be examined, was not answered, or could not be asked about.
 * Pure.
 *
 * The ladder never starts again between these, so that a processor that is away for a day, or that
 * never answers, hears of each refund a few dozen times and not a thousand. Each wait is drawn again
 * between its rung and the one below, so that refunds that failed together do not come back together.
 */
import { LAST_HOUR_MS, LAST_HOUR_WAIT_MS } from '../../base/kernel/limits.ts';
import type { OpenDeadline } from '../ledger/movement-lease.store.ts';

/** The rungs, in milliseconds: most look-ups find a refund at once; then the catalogue's 1, 5, 15, 60 minutes. */
const RUNGS_MS: readonly number[] = [2_000, 60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000];

/** The shortest wait, in milliseconds. */
const LEAST_MS = 1_000;

/**
 * The wait after `tries` fruitless ones, in milliseconds: above the rung below, at most the rung.
 *
 * @param tries from 0; beyond the last rung the wait grows no further
 * @param draw.random from 0 up to, not including, 1
 * @param draw.maxMs the highest rung, in place of those above it
 */
export function ladderMs(
  tries: number,
  draw: { readonly random: number; readonly maxMs?: number | undefined },
): number {
  const { random, maxMs = Number.POSITIVE_INFINITY } = draw;
  const below = RUNGS_MS.filter((rungMs) => rungMs < maxMs);
  const rungs = below.length < RUNGS_MS.length ? [...below, maxMs] : below;
  const rung = Math.min(tries, rungs.length - 1);
  const fromMs = rungs[rung - 1] ?? LEAST_MS;
  const toMs = rungs[rung] ?? fromMs;
  return toMs - Math.floor(random * (toMs - fromMs));
}

/** Moments that cut a wait short: what is decided changes there, so the refund is looked at then. */
export interface LadderBounds {
  readonly nowMs: number;
  /** From 0 up to, not including, 1. */
  readonly random: number;
  /** Those that are over, or null, cut nothing. */
  readonly momentsMs: readonly (number | null)[];
  /** The longest wait, where the last rungs are too long, in milliseconds. */
  readonly maxMs?: number | undefined;
}

/** The next look, in milliseconds since 1970: by the ladder, and no later than the next moment. */
export function nextTryMs(tries: number, bounds: LadderBounds): number {
  const { nowMs, random, momentsMs, maxMs } = bounds;
  const ahead = momentsMs.filter((moment): moment is number => moment !== null && moment > nowMs);
  return Math.min(nowMs + ladderMs(tries, { random, maxMs }), ...ahead);
}

/** The longest wait while an alert's deadline is near, in milliseconds; undefined: as the ladder says. */
export function waitMaxMs(deadlineMs: number | null, nowMs: number): number | undefined {
  if (deadlineMs === null || deadlineMs <= nowMs) return undefined;
  return deadlineMs - nowMs <= LAST_HOUR_MS ? LAST_HOUR_WAIT_MS : undefined;
}

/** The deadlines that decide how soon a movement is looked at. */
export interface Deadlines {
  /** The first one ahead of an open alert of the dispute, in milliseconds since 1970; null: none. */
  readonly nextMs: number | null;
  /** The last one of an alert that waits for the movement; null: none waits. */
  readonly lastWaitingMs: number | null;
}

/** Of a movement, as they were when it was claimed. */
export function deadlinesOf(open: readonly OpenDeadline[], nowMs: number): Deadlines {
  const ahead = open.filter(({ atMs }) => atMs > nowMs);
  const waiting = open.filter(({ waits }) => waits);
  return {
    nextMs: ahead.length === 0 ? null : Math.min(...ahead.map(({ atMs }) => atMs)),
    lastWaitingMs: waiting.length === 0 ? null : Math.max(...waiting.map(({ atMs }) => atMs)),
  };
}
