/** Values of options that are days, moments and durations. */
import { InvalidArgumentError, Option } from 'commander';
import { ConfigError } from '../../base/kernel/errors.ts';
import { AMOUNT_FORMS } from '../../base/kernel/file-amount.ts';
import { epochMsOf, toInstant } from '../../base/kernel/instant.ts';
import { parseDuration } from '../../base/kernel/units.ts';

const TO_THE_MINUTE = /^(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d)(?!:)/;

/** Reads an option that is a moment. Without a zone it is UTC, as days are, wherever the command runs. */
export function readMoment(text: string): Date {
  const moment = momentOf(text);
  if (moment !== undefined) return moment;
  throw new InvalidArgumentError('Give ISO 8601, for example 2026-11-21T08:00:00Z.');
}

/** The moment of a text; undefined when it is none. */
export function momentOf(text: string): Date | undefined {
  const instant = toInstant(text.replace(TO_THE_MINUTE, '$1:00'));
  return instant === null ? undefined : new Date(epochMsOf(instant));
}

/** Reads an option that is a day of the calendar. Returns it as it was given. */
export function readDay(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || toInstant(text) === null) {
    throw new InvalidArgumentError('Give a day, for example 2026-11-21.');
  }
  return text;
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
  return new Option('--amounts <form>', 'how amounts are written').choices(AMOUNT_FORMS);
}
