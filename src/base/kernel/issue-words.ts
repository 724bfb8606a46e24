/** What is wrong with a value in a file that somebody wrote, in words behind the value's name. */
import type { z } from 'zod';

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of settings',
  record: 'a group of settings',
  map: 'a group of settings',
  date: 'a day',
  null: 'empty',
};

const FORMATS: Readonly<Record<string, string>> = {
  url: 'an address like https://shop.example',
  date: 'a day like 2026-11-21',
  datetime: 'a moment like 2026-11-21T08:00:00Z',
  email: 'an e-mail address',
};

/**
 * The words for the second argument of `safeParse`; a message of the schema's own goes before them. Undefined: the
 * platform's words, which need none.
 *
 * @example
 * schema.safeParse(value, { error: issueWords });
 */
export function issueWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeWords(issue.expected, issue.input);
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `does not know ${issue.keys.join(', ')}`;
    case 'too_small':
      return sizeWords(issue.origin, 'at least', Number(issue.minimum));
    case 'too_big':
      return sizeWords(issue.origin, 'at most', Number(issue.maximum));
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
      return 'has a name that is not known here';
    case 'invalid_union':
      return 'has none of the forms that are taken';
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'written in another form'}`;
    default:
      return undefined;
  }
}

function typeWords(expected: string, input: unknown): string {
  if (input === undefined) return 'is missing';
  const wanted = KINDS[expected] ?? `a ${expected}`;
  if (input === null) return `is empty; it must be ${wanted}`;
  return `must be ${wanted}`;
}

function sizeWords(origin: string, bound: string, size: number): string {
  if (origin === 'string') return `must have ${bound} ${size} ${size === 1 ? 'letter' : 'letters'}`;
  if (origin === 'array' || origin === 'set' || origin === 'map') {
    return `must have ${bound} ${size} ${size === 1 ? 'entry' : 'entries'}`;
  }
  return `must be ${bound} ${size}`;
}
