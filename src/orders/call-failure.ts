/**
 * What a failed call to the service means for the feed.
 */
import type { ServiceError } from '../service/client/service-error.ts';
import { isServiceError } from '../service/client/service-error.ts';

export type FailureKind =
  /** It may have taken effect or not; the repeat is idempotent. */
  | 'unknown'
  /** The service objects to the content; splitting finds out to which. */
  | 'content'
  /** Not there (404). */
  | 'missing'
  /** The key, the organisation or the address is wrong: no order can pass until a person acts. */
  | 'access'
  /** Not our turn: the budget is used up, or the process stops. */
  | 'not_now';

/** A failed call. */
export interface CallFailure {
  readonly kind: FailureKind;
  readonly error: ServiceError;
}

const ACCESS_STATUSES: ReadonlySet<number> = new Set([401, 403, 404]);

/** Classifies what a call threw. @throws whatever is no {@link ServiceError} */
export function failureOf(thrown: unknown): CallFailure {
  if (!isServiceError(thrown)) throw thrown;
  return { kind: kindOf(thrown), error: thrown };
}

function kindOf(error: ServiceError): FailureKind {
  switch (error.kind) {
    case 'rate_limited':
    case 'aborted':
    case 'budget':
      return error.outcome === 'unknown' ? 'unknown' : 'not_now';
    case 'invalid_request':
      return 'content';
    case 'refused':
      return kindOfRefusal(error);
    case 'redirected':
      return 'access';
    case 'server':
    case 'network':
    case 'timeout':
    case 'unreadable':
      return 'unknown';
    default:
      return error.kind satisfies never;
  }
}

function kindOfRefusal(error: ServiceError): FailureKind {
  const status = error.httpStatus ?? 0;
  if (status === 404 && error.endpoint.startsWith('PATCH ')) return 'missing';
  if (status === 408 || status === 425) return 'unknown';
  return ACCESS_STATUSES.has(status) ? 'access' : 'content';
}
