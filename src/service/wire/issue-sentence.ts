/**
 * What is wrong with a request, as a sentence with the next step. Never the value that was sent: it may
 * be personal, and messages go into logs.
 */
import type { z } from 'zod';
import { nearestWord } from '../../base/kernel/nearest-word.ts';

type Issue = z.core.$ZodIssue;
type IssueOf<Code extends Issue['code']> = Extract<Issue, { readonly code: Code }>;

/** One issue of a failed parse as a sentence. With `reportInput` the near miss of a value is named. */
export function issueSentence(issue: Issue): string {
  const field = issue.path.map(String).join('.') || 'The body';
  if (isAbsent(issue)) return `${field} is missing. Add ${wanted(issue)}.`;
  switch (issue.code) {
    case 'invalid_type':
      return `${field} is ${kindOf(issue)}. Send ${wanted(issue)}.`;
    case 'invalid_value':
      return `${field} has a value that is not taken. ${meant(issue)}Send ${wanted(issue)}.`;
    case 'unrecognized_keys':
      return `${field} has no field ${issue.keys.join(', ')}. Remove it, or correct its name.`;
    case 'too_small':
      return `${field} is ${LESS[issue.origin] ?? 'too small'}. Send ${sizeOf(issue, 'at least', issue.minimum)}.`;
    case 'too_big':
      return `${field} is ${MORE[issue.origin] ?? 'too large'}. Send ${sizeOf(issue, 'at most', issue.maximum)}.`;
    case 'invalid_format':
      return `${field} ${formOf(issue)}. Correct it.`;
    case 'invalid_union':
      return `${field} ${unionOf(issue)}. Correct it.`;
    default:
      return `${field} ${issue.message}. Correct it.`;
  }
}

/** The same without the next step, as what comes after a field's name. */
export function issueProblem(issue: Issue): string {
  if (isAbsent(issue)) return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_value':
      return `must be ${wanted(issue)}`;
    case 'too_small':
      return `must ${verbOf(issue)} ${sizeOf(issue, 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${verbOf(issue)} ${sizeOf(issue, 'at most', issue.maximum)}`;
    case 'invalid_format':
      return formOf(issue);
    case 'invalid_union':
      return unionOf(issue);
    default:
      return issue.message;
  }
}

/** Whether nothing was sent. Without `reportInput` the issue's own words tell. */
export function isAbsent(issue: Issue): boolean {
  return 'input' in issue ? issue.input === undefined : / received undefined$/.test(issue.message);
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function wanted(issue: Issue): string {
  if (issue.code === 'invalid_type') return KINDS[issue.expected] ?? `a ${issue.expected}`;
  if (issue.code !== 'invalid_value') return 'it';
  const values = issue.values.map(String);
  return values.length === 1 ? values.join('') : `one of ${values.join(', ')}`;
}

function kindOf(issue: Issue): string {
  const { input } = issue;
  if (input === undefined) return 'of another type';
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'a list';
  // A number that is none of the whole ones is refused as a type as well.
  if (typeof input === 'number' && !Number.isInteger(input)) return 'a fraction';
  return KINDS[typeof input] ?? 'of another type';
}

function meant(issue: IssueOf<'invalid_value'>): string {
  const { input } = issue;
  const nearest =
    typeof input === 'string' ? nearestWord(input, issue.values.map(String)) : undefined;
  return nearest === undefined ? '' : `Did you mean ${nearest}? `;
}

const LESS: Readonly<Record<string, string>> = { string: 'too short', array: 'too short' };
const MORE: Readonly<Record<string, string>> = { string: 'too long', array: 'too long' };

function sizeOf(
  issue: IssueOf<'too_small'> | IssueOf<'too_big'>,
  bound: string,
  size: number | bigint,
): string {
  const counted = issue.exact === true ? `exactly ${size}` : `${bound} ${size}`;
  if (issue.origin === 'string') return `${counted} ${size === 1 ? 'character' : 'characters'}`;
  if (issue.origin === 'array') return `${counted} ${size === 1 ? 'entry' : 'entries'}`;
  return counted;
}

/** A text and a list have a size, a number is one. */
function verbOf({ origin }: IssueOf<'too_small'> | IssueOf<'too_big'>): string {
  return origin === 'string' || origin === 'array' ? 'have' : 'be';
}

const MOMENT = 'a moment such as 2026-11-20T10:00:00Z';

function formOf({ format, message }: IssueOf<'invalid_format'>): string {
  if (format === 'datetime') return `must be ${MOMENT}`;
  if (format === 'date') return 'must be a day such as 2026-11-20';
  return format === 'regex' && !message.startsWith('Invalid') ? message : 'has another form';
}

function unionOf(issue: IssueOf<'invalid_union'>): string {
  const { errors } = issue;
  // Where one field says which of the forms is meant, its values are known.
  if ('options' in issue && Array.isArray(issue.options)) {
    return `must be one of ${issue.options.map(String).join(', ')}`;
  }
  const formats = errors.flat().map((issue) => ('format' in issue ? issue.format : undefined));
  return formats.includes('datetime')
    ? `must be ${MOMENT}, or a day such as 2026-11-20`
    : 'fits none of the forms that are taken';
}
