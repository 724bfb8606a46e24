/**
 * How much of the time this machine gave the doctor no turn. Where it was busy with something else, what did not end in time is
 * not known: that is no fault of the one who was asked.
 */

import type { StatusLine } from '../../base/kernel/status-line.ts';
import { warning } from '../../base/kernel/status-line.ts';

/** Between two beats, in milliseconds. */
const BEAT_MS = 50;

/** A beat this late was only late, in milliseconds. */
const LATE_MS = 25;

/** Part of the time without a turn above which the machine is too busy to judge others by. */
const BUSY_PART = 0.25;

/** No wait in vain is shorter than this, in milliseconds: every question has more. */
export const WAIT_MS_MIN = 2_000;

export interface Pulse {
  /** Whether the machine had too little time for us. */
  isBusy(): boolean;
  stop(): void;
}

export function startPulse(waitMsMin = WAIT_MS_MIN): Pulse {
  const startedMs = performance.now();
  let beatMs = startedMs;
  let lostMs = 0;
  const beat = (): void => {
    const now = performance.now();
    const late = now - beatMs - BEAT_MS;
    if (late > LATE_MS) lostMs += late;
    beatMs = now;
  };
  const timer = setInterval(beat, BEAT_MS);
  return {
    isBusy(): boolean {
      beat();
      const passedMs = performance.now() - startedMs;
      return passedMs > waitMsMin && lostMs > BUSY_PART * passedMs;
    },
    stop: () => clearInterval(timer),
  };
}

/** What a check says that waited in vain, in its own words. */
const WAITED =
  /no end in time|does not answer|timeout|aborted|did not say|none that can be read|longer than \d+ s/i;

/** The lines as they are where this machine had no time for us: a wait in vain is no fault then. */
export function unlessBusy(lines: readonly StatusLine[], isBusy: boolean): readonly StatusLine[] {
  if (!isBusy) return lines;
  return lines.map((line) =>
    line.status === 'failed' && WAITED.test(line.detail)
      ? warning(
          line.name,
          `${line.detail}; not known, because this machine is too busy to tell`,
          'Run the doctor again once it has less to do, or from another machine.',
        )
      : line,
  );
}
