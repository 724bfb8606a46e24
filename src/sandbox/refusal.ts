/**
 * How a rule says no: thrown inside the sandbox, answered as the specification's error envelope.
 */
import { KitError } from '../base/kernel/errors.ts';
import type { ErrorCode } from '../service/wire/error-codes.ts';
import { ERROR_CODES } from '../service/wire/error-codes.ts';

/** One entry of `errors[]`. */
export interface RefusalEntry {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

/** A request that a rule refuses. */
export class Refusal extends KitError {
  readonly code = 'REFUSED';
  readonly retryable = false;
  readonly httpStatus: number;
  /** The whole body of the answer. */
  readonly body: unknown;

  constructor(httpStatus: number, body: unknown, options?: ErrorOptions) {
    super(`refused with ${httpStatus}: ${JSON.stringify(body)}`, options);
    this.httpStatus = httpStatus;
    this.body = body;
  }
}

/** A refusal by a code of the specification, with its status. */
export function refusal(code: ErrorCode, message: string, field?: string): Refusal {
  const entry = field === undefined ? { code, message } : { code, message, field };
  return new Refusal(ERROR_CODES[code].httpStatus ?? 422, { errors: [entry] });
}

/** `404`: missing and out of scope look alike. */
export function notFound(what: string, field?: string): Refusal {
  return refusal('NOT_FOUND', `${what} was not found.`, field);
}

/** `422` with codes of the `VALIDATION_*` family, whose members the specification does not list. */
export function invalid(errors: readonly RefusalEntry[], options?: ErrorOptions): Refusal {
  return new Refusal(422, { errors }, options);
}
