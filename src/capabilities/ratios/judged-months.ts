/**
 * Months judged one by one, each by the rules that were in force in it, and whether one is in a programme still. Pure.
 */
import type { ReadingState } from './assess.ts';
import type { Line, Programme } from './programme.ts';

export interface JudgedMonth {
  /** YYYY-MM. */
  readonly month: string;
  /** The file that was in force on the month's last day. */
  readonly programme: Programme;
  readonly basis: 'estimated' | 'reported';
  readonly readings: readonly ReadingState[];
  /** The month is not over. */
  readonly isRunning: boolean;
}

/** A merchant that is in a programme: beyond a line, and not out by months without a breach. */
export interface Inside {
  /** The line that was crossed last. */
  readonly line: Line;
  /** YYYY-MM, the first month of this stay; what lies before the months shown is not known. */
  readonly since: string;
  /** Months without a breach that are over, of those that are needed. */
  readonly cleanMonths: number;
  readonly neededMonths: number;
}

/**
 * Goes through the months, oldest first. A running month can be a breach, and is never a clean one; nor is a month whose
 * ratio is not known.
 *
 * @returns undefined: in no programme, or the rules name no number of clean months
 */
export function insideOf(months: readonly JudgedMonth[]): Inside | undefined {
  let inside: Inside | undefined;
  for (const month of months) {
    const neededMonths = month.programme.clean_months;
    if (neededMonths === undefined) continue;
    const line = worstOf(month);
    if (line !== undefined) {
      inside = { line, since: inside?.since ?? month.month, cleanMonths: 0, neededMonths };
    } else if (inside !== undefined && !month.isRunning && isKnown(month)) {
      const cleanMonths = inside.cleanMonths + 1;
      inside = cleanMonths >= neededMonths ? undefined : { ...inside, cleanMonths, neededMonths };
    }
  }
  return inside;
}

/** The last line that a reading crosses: of several readings, that of the one which counts most. */
function worstOf({ programme, readings }: JudgedMonth): Line | undefined {
  return programme.lines.findLast((line) => readings.some(({ crossed }) => crossed === line));
}

function isKnown({ readings }: JudgedMonth): boolean {
  return readings.every(
    ({ lines, missing }) =>
      missing.length === 0 && lines.every(({ unknown }) => !unknown.includes('ratio')),
  );
}
