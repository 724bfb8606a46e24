/** Whether a reader can go on from its cursor. */
import { nearestWord } from '../../base/kernel/nearest-word.ts';
import type { Changes } from './event.store.ts';
import { EVENT_DAYS } from './events.table.ts';

/**
 * - `ahead`: the stream ends before it: it is of another organisation, or the database was put back to an earlier state
 * - `too_old`: events behind it are no longer kept
 */
export interface PlaceProblem {
  readonly reason: 'ahead' | 'too_old';
  readonly message: string;
  /** From where the reader can go on, after it compared what it has with the present state. */
  readonly next: number;
}

export function placeProblem(
  after: number,
  { first, last }: Pick<Changes, 'first' | 'last'>,
): PlaceProblem | undefined {
  if (after > last) {
    const message = `The stream ends at ${last}, before this cursor: it is of another organisation, or the database was put back to an earlier state.`;
    return { reason: 'ahead', message, next: last };
  }
  if (after >= first - 1) return undefined;
  const message = `Events are kept for ${EVENT_DAYS} days, and ${first - 1 - after} behind this cursor are gone.`;
  return { reason: 'too_old', message, next: first - 1 };
}

/** The first type that there is not. */
export function unknownType(
  types: readonly string[],
  known: readonly string[],
): string | undefined {
  return types.find((type) => !known.includes(type));
}

export function unknownTypeWords(unknown: string, known: readonly string[]): string {
  const near = nearestWord(unknown, known);
  const hint = near === undefined ? `The types are ${known.join(', ')}.` : `Do you mean ${near}?`;
  return `there is no type ${unknown}. ${hint}`;
}
