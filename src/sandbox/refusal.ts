/** How a rule says no: thrown inside the sandbox, answered as the specification's error envelope. */
import type { z } from 'zod';
import { KitError } from '../base/kernel/errors.ts';
import type { ErrorCode } from '../service/wire/error-codes.ts';
import { ERROR_CODES } from '../service/wire/error-codes.ts';
import { isAbsent, issueSentence } from '../service/wire/issue-sentence.ts';

export interface RefusalEntry {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

/** The standard envelope, or the exception of the order update. */
export type RefusalBody =
  | { readonly errors: readonly RefusalEntry[] }
  | { readonly detail: string };

/** A request that a rule refuses. Its message is what the answer says. */
export class Refusal extends KitError {
  readonly code = 'REFUSED';
  readonly retryable = false;
  readonly httpStatus: number;
  /** The whole body of the answer. */
  readonly body: RefusalBody;

  constructor(httpStatus: number, body: RefusalBody, options?: ErrorOptions) {
    super(sentenceOf(body), options);
    this.httpStatus = httpStatus;
    this.body = body;
  }
}

/** More are counted, not told one by one: the answer has them all. */
const MESSAGES_MAX = 3;

function sentenceOf(body: RefusalBody): string {
  if ('detail' in body) return body.detail;
  const messages = body.errors.slice(0, MESSAGES_MAX).map(({ message }) => message);
  const more = body.errors.length - messages.length;
  return [...messages, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}

/** A refusal by a code of the specification, with its status. */
export function refusal(code: ErrorCode, message: string, field?: string): Refusal {
  const entry = field === undefined ? { code, message } : { code, message, field };
  return new Refusal(ERROR_CODES[code].httpStatus ?? 422, { errors: [entry] });
}

/** `404`: missing and out of scope look alike. */
export function notFound(what: string, field?: string): Refusal {
  return refusal(
    'NOT_FOUND',
    `${what} was not found. Check its id, and what the key reaches.`,
    field,
  );
}

/** `422` with codes of the `VALIDATION_*` family, whose members the specification does not list. */
export function invalid(errors: readonly RefusalEntry[], options?: ErrorOptions): Refusal {
  return new Refusal(422, { errors }, options);
}

/** At most this many faults are named in one answer. */
const ERRORS_MAX = 100;

/**
 * Reads `body` by `schema`.
 *
 * @param within - where it is in the whole body, for the field's path
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
