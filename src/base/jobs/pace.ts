/**
 * How fast loops go where many organisations share a process. One with something going on keeps the loops'
 * own times; one that is quiet is looked at by the shared look, and its loops rest longer the more
 * organisations there are, each at a moment of its own.
 */
import type { Loop, LoopSpec, Pace } from './loop.ts';

/** How long an organisation counts as busy after it had something to do, in milliseconds. */
const BUSY_MS = 10 * 60_000;

/** What an organisation adds to the idle time of a loop that says nothing of it, in milliseconds. */
const SPREAD_MS = { looked: 60_000, paced: 20_000 };

/** Longest rest, in milliseconds. */
const REST_MS_MAX = 24 * 3_600_000;

/** Rests differ by up to this share, so that loops do not fall into step. */
const JITTER = 0.2;

/** Creates the pace of one organisation among `count()`. `random` draws from 0 up to, not including, 1. */
export function createPace(
  count: () => number,
  nowMs = (): number => performance.now(),
  random = (): number => Math.random(),
): Pace {
  const loops: Pick<Loop, 'hasten'>[] = [];
  let busyUntilMs = Number.NEGATIVE_INFINITY;
  const isBusy = (): boolean => nowMs() < busyUntilMs;
  const restMs = (spec: LoopSpec): number => {
    const {
      idleMs,
      isDue,
      spreadMs = isDue === undefined ? SPREAD_MS.paced : SPREAD_MS.looked,
    } = spec;
    // What the look watches needs no round of its own, busy or not.
    const isOwn = isDue === undefined && isBusy();
    return isOwn ? idleMs : Math.min(REST_MS_MAX, Math.max(idleMs, count() * spreadMs));
  };
  return {
    firstMs: (spec) => restMs(spec) * random(),
    idleMs: (spec) => restMs(spec) * (1 - JITTER * random()),
    isQuiet: () => !isBusy(),
    stir(): void {
      const wasBusy = isBusy();
      busyUntilMs = nowMs() + BUSY_MS;
      if (wasBusy) return;
      for (const loop of loops) loop.hasten();
    },
    follow: (loop) => void loops.push(loop),
  };
}
