/**
 * Reads request bodies: what does not fit its schema is refused as `422 VALIDATION_*`, one entry
 * per fault with the field's path.
 */
import type { z } from 'zod';
import { isAbsent, issueSentence } from '../service/wire/issue-sentence.ts';
import type { RefusalEntry } from './refusal.ts';
import { invalid } from './refusal.ts';

/** At most this many faults are named in one answer. */
const ERRORS_MAX = 100;

/**
 * Reads `body` by `schema`.
 *
 * @param within - where it stands in the whole body, for the field's path
 * @throws Refusal 422
 */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  within: readonly PropertyKey[] = [],
): z.infer<Schema> {
  const parsed = schema.safeParse(body, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, ERRORS_MAX);
  throw invalid(issues.map((issue) => entryOf({ ...issue, path: [...within, ...issue.path] })));
}

function entryOf(issue: z.core.$ZodIssue): RefusalEntry {
  const field = issue.path.map(String).join('.');
  const entry = { code: codeOf(issue), message: issueSentence(issue) };
  return field === '' ? entry : { ...entry, field };
}

/** The issues that say more than "invalid value". */
const CODES: Readonly<Record<string, string>> = {
  invalid_format: 'VALIDATION_INVALID_FORMAT',
  too_small: 'VALIDATION_TOO_SMALL',
  too_big: 'VALIDATION_TOO_BIG',
  unrecognized_keys: 'VALIDATION_UNKNOWN_FIELD',
};

function codeOf(issue: z.core.$ZodIssue): string {
  if (isAbsent(issue)) return 'VALIDATION_REQUIRED';
  if (issue.code === 'invalid_type') return 'VALIDATION_INVALID_TYPE';
  return CODES[issue.code] ?? 'VALIDATION_INVALID_VALUE';
}
