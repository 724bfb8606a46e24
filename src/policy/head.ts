/** The head of a policy: who wrote it, its time zone, named lists, rates, and what the same part again means. */
import { z } from 'zod';
import type { SamePartRule } from '../alerts/ledger/same-dispute.ts';
import { isCurrencyCode } from '../base/kernel/money.ts';
import type { RateTable } from '../base/kernel/rates.ts';
import type { Parsed } from '../base/kernel/units.ts';
import { FORMS, parsed, required, text, wrongCode } from './language.ts';
import { KEY, OF_KEY, problemsOf } from './problems.ts';
import { PolicyError, readSource } from './source.ts';
import { suggestion } from './suggestion.ts';
import { isTimeZone } from './zone.ts';

const NAME_LENGTH_MAX = 80;

/** The name of a policy, a rule or an example. */
export const NAME = text(
  `a name is a text of 1 to ${NAME_LENGTH_MAX} characters.`,
  NAME_LENGTH_MAX,
);

/** Who wrote the policy. */
export const AUTHOR = text(
  `an author is a text of 1 to ${NAME_LENGTH_MAX} characters.`,
  NAME_LENGTH_MAX,
);

/** The zone of `weekday` and `hour`. */
export const TIME_ZONE = parsed(parseTimeZone, {
  description: 'Zone of weekday and hour, like Europe/Berlin.',
});

function parseTimeZone(written: string): Parsed<string> {
  if (written !== '' && isTimeZone(written)) return { ok: true, value: written };
  const near = suggestion(written, ['UTC', ...Intl.supportedValuesOf('timeZone')]);
  const hint = near.startsWith('Did') ? near : 'Write it like Europe/Berlin.';
  return { ok: false, message: `"${written}" is no time zone. ${hint}` };
}

const SAME_PART_RULES = {
  review: 'REVIEW',
  again: 'AGAIN',
  another: 'ANOTHER',
} as const satisfies Record<string, SamePartRule>;

/** What the same part of a charge means that one network reports twice. */
export const SAME_PART = z
  .enum(['review', 'again', 'another'], {
    error: '"same_part" takes review, again (the same complaint) or another (another one).',
  })
  .register(FORMS, {
    description:
      'One network reports the same part of a charge twice: the same complaint, or another.',
  })
  .transform((word): SamePartRule => SAME_PART_RULES[word]);

/** Most entries of one list. */
export const LIST_ENTRIES_MAX = 100_000;

/** What is said of a list that is too long. */
export function tooLong(list: string, entries: number): string {
  return `the list "${list}" has ${entries} entries; at most ${LIST_ENTRIES_MAX}.`;
}

/** Lists by name: a file with one entry per line, or the entries themselves. */
export const LISTS: z.ZodType<Record<string, string | string[]>> = z.record(
  z.string(),
  z.union(
    [
      z.array(text('an entry of a list is a text.')).max(LIST_ENTRIES_MAX, {
        error: ({ input }) => tooLong(KEY, Array.isArray(input) ? input.length : 0),
      }),
      z
        .string()
        .min(1, { error: `the list "${KEY}" names no file.` })
        .register(FORMS, { description: 'A file with one entry per line.' }),
    ],
    { error: 'a list is a file, or entries in brackets.' },
  ),
  { error: 'lists are written as "name: file" or "name: [entry, …]".' },
);

/** The entries of a list file: one per line; empty lines and what follows a `#` do not count. */
export function linesOf(content: string): string[] {
  return content
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}

/** Decimals a rate may have. */
const RATE_DIGITS = 10;

/** Most currencies: there are fewer in the world. */
const RATES_MAX = 300;

const RATE = /^(\d{1,9})(?:\.(\d{1,10}))?$/;

function parseRate(text: string): Parsed<bigint> {
  const [, whole, fraction = ''] = RATE.exec(text) ?? [];
  const rate = BigInt(`${whole ?? '0'}${fraction.padEnd(RATE_DIGITS, '0')}`);
  return rate === 0n
    ? { ok: false, message: `the rate of ${KEY} is a number above 0, like 1.08.` }
    : { ok: true, value: rate };
}

const TAKES_RATES = 'rates are a file, or "base: USD" and lines like EUR: 1.08.';

/** `{base: USD, EUR: 1.08}`: one EUR is worth 1.08 USD. In a policy, or in a file of its own. */
const RATES: z.ZodType<RateTable> = z
  .object(
    {
      base: required(
        parsed(parseBase, { pattern: '^[A-Z]{3}$' }),
        '"base" is missing: the currency that all rates are given in.',
      ),
    },
    { error: TAKES_RATES },
  )
  .catchall(parsed(parseRate, { type: ['number', 'string'] }))
  .register(FORMS, { propertyNames: { pattern: '^([A-Z]{3}|base)$' } })
  .transform(({ base, ...rates }, context) => {
    const count = Object.keys(rates).length + 1;
    if (count > RATES_MAX) context.addIssue(`${count} rates; at most ${RATES_MAX} are allowed.`);
    for (const currency of Object.keys(rates)) {
      const message =
        currency === base
          ? `"${base}" is the base: its rate is 1. Remove it.`
          : wrongCode(currency);
      if (message !== null) {
        context.addIssue({ code: 'custom', path: [currency], message, params: OF_KEY });
      }
    }
    return new Map([[base, 10n ** BigInt(RATE_DIGITS)], ...Object.entries(rates)]);
  });

function parseBase(text: string): Parsed<string> {
  const message = '"base" is a currency. Write three capital letters, like USD.';
  return isCurrencyCode(text) ? { ok: true, value: text } : { ok: false, message };
}

/**
 * Reads a file of rates.
 *
 * @throws {PolicyError} listing what is wrong with it
 */
export function readRates(text: string, file: string): RateTable {
  const source = readSource(text, file);
  const read = RATES.safeParse(source.data);
  if (!read.success) throw new PolicyError(problemsOf(read.error, source));
  return read.data;
}

/** A file of rates, or the rates themselves. */
export const POLICY_RATES: z.ZodType<string | RateTable> = z.union(
  [
    z
      .string()
      .min(1, { error: TAKES_RATES })
      .register(FORMS, { description: 'A file with the same lines.' }),
    RATES,
  ],
  { error: TAKES_RATES },
);
