/** Values of options that are moments and durations. */
import { InvalidArgumentError, Option } from 'commander';
import { ConfigError } from '../../base/kernel/errors.ts';
import { parseDuration } from '../../base/kernel/units.ts';

/** Reads an option that is a moment. */
export function readMoment(text: string): Date {
  const moment = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(moment.getTime())) {
    throw new InvalidArgumentError('Give ISO 8601, for example 2026-11-21T08:00:00Z.');
  }
  return moment;
}

/** Reads an option that is a day, UTC. */
export function readDay(text: string): string {
  if (/^[12]\d{3}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('Give a day, for example 2026-11-21.');
}

/** Reads an option that is a duration. Returns milliseconds. */
export function readDuration(text: string): number {
  const parsed = parseDuration(text);
  if (!parsed.ok) throw new InvalidArgumentError(parsed.message);
  return parsed.value;
}

/** Reads `--column FIELD=NAME`, once for each field that a file names otherwise. */
export function readColumns<Field extends string>(
  pairs: readonly string[],
  fields: readonly Field[],
): Partial<Record<Field, string>> {
  const columns: Partial<Record<Field, string>> = {};
  for (const pair of pairs) {
    const [name = '', ...rest] = pair.split('=');
    const field = fields.find((candidate) => candidate === name);
    if (field === undefined || rest.length === 0) {
      throw new ConfigError(
        `--column ${pair}: give FIELD=NAME, FIELD one of ${fields.join(', ')}.`,
      );
    }
    columns[field] = rest.join('=');
  }
  return columns;
}

/** How a file from outside writes amounts. */
export function amountsOption(): Option {
  const forms = ['decimal', 'comma', 'minor'];
  return new Option('--amounts <form>', 'how amounts are written').choices(forms);
}
