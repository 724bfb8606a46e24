/**
 * What a call to the service throws: one class, with everything a caller decides by.
 *
 * The question that matters after a write is {@link ServiceError.outcome}: was it refused, or may it
 * have taken effect although no clear answer came back? Only `refused` and `not_sent` are proof that
 * nothing happened.
 */
import { KitError } from '../../base/kernel/errors.ts';
import type { ErrorCode, ErrorEntry } from '../wire/error-codes.ts';

/** Where a call failed. */
export type ServiceErrorKind =
  /** The service answered 4xx. */
  | 'refused'
  /** 429; the endpoint's budget is paused. */
  | 'rate_limited'
  /** The service answered 5xx. */
  | 'server'
  /** No connection, or it broke. */
  | 'network'
  | 'timeout'
  /** The caller's signal ended the call. */
  | 'aborted'
  /** A 3xx, which is never followed: it would carry the key to another place. */
  | 'redirected'
  /** An answer of the wrong type, shape or size, or a list with parts missing. */
  | 'unreadable'
  /** Our own request does not fit the specification; it was not sent. */
  | 'invalid_request'
  /** The request budget failed; the request was not sent. */
  | 'budget';

/** Codes of failures that the specification does not name. */
const CLIENT_ERROR_CODES = [
  'SERVER_ERROR',
  'NETWORK',
  'TIMEOUT',
  'ABORTED',
  'REDIRECTED',
  'UNREADABLE',
  'LIST_INCOMPLETE',
  'INVALID_REQUEST',
  'BUDGET_UNAVAILABLE',
] as const;
export type ClientErrorCode = (typeof CLIENT_ERROR_CODES)[number];

/** A specified code, one of ours, `VALIDATION_…`, `HTTP_<status>`, or one the service added. */
export type ServiceErrorCode = ErrorCode | ClientErrorCode | (string & {});

/** What is known about the effect of a failed call. */
export type CallOutcome = 'refused' | 'unknown' | 'not_sent';

/** Whether the call could change anything at the service. */
export type RequestKind = 'read' | 'write';

/** Everything about a failed call but its text. */
export interface ServiceErrorFacts {
  readonly kind: ServiceErrorKind;
  readonly code: ServiceErrorCode;
  readonly retryable: boolean;
  readonly requestKind: RequestKind;
  readonly outcome: CallOutcome;
  /** Method and path template, for example `GET /v1/alerts/{alert_id}`; never an id or a query. */
  readonly endpoint: string;
  readonly httpStatus?: number | undefined;
  readonly field?: string | undefined;
  readonly errors?: readonly ErrorEntry[] | undefined;
  readonly detail?: string | undefined;
  readonly cause?: unknown;
}

/** A call to the service failed. */
export class ServiceError extends KitError {
  readonly code: ServiceErrorCode;
  readonly retryable: boolean;
  readonly kind: ServiceErrorKind;
  readonly requestKind: RequestKind;
  /** `unknown` means that a write may have taken effect: read before trying again. */
  readonly outcome: CallOutcome;
  readonly endpoint: string;
  readonly httpStatus: number | undefined;
  /** The field the service, or our own check, objected to. */
  readonly field: string | undefined;
  /** All errors of the envelope; their messages are the service's words and may quote data. */
  readonly errors: readonly ErrorEntry[];
  /** The text of the order update's `404`. */
  readonly detail: string | undefined;

  constructor(message: string, facts: ServiceErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.retryable = facts.retryable;
    this.kind = facts.kind;
    this.requestKind = facts.requestKind;
    this.outcome = facts.outcome;
    this.endpoint = facts.endpoint;
    this.httpStatus = facts.httpStatus;
    this.field = facts.field;
    this.errors = facts.errors ?? [];
    this.detail = facts.detail;
  }
}

/** Whether `error` is a {@link ServiceError}, and of one of `codes` when any are given. */
export function isServiceError(
  error: unknown,
  ...codes: readonly ServiceErrorCode[]
): error is ServiceError {
  return error instanceof ServiceError && (codes.length === 0 || codes.includes(error.code));
}
