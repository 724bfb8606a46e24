/** Values of options that are moments and durations. */
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../base/kernel/units.ts';

/** Reads an option that is a moment. */
export function readMoment(text: string): Date {
  const moment = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(moment.getTime())) {
    throw new InvalidArgumentError('Give ISO 8601, for example 2026-11-21T08:00:00Z.');
  }
  return moment;
}

/** Reads an option that is a duration. Returns milliseconds. */
export function readDuration(text: string): number {
  const parsed = parseDuration(text);
  if (!parsed.ok) throw new InvalidArgumentError(parsed.message);
  return parsed.value;
}
