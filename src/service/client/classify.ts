/**
 * Turns the end of an exchange into an answer or a {@link ServiceError}.
 *
 * The one rule behind it: a write counts as refused only when the service said so clearly (4xx), and
 * as not sent only when it surely never left. Everything else may have taken effect.
 */
import { isRecord } from '../../base/kernel/is-record.ts';
import { toldBody } from '../../base/kernel/told-words.ts';
import type { BrandTokens } from '../wire/brand-tokens.ts';
import type { ErrorBody } from '../wire/error-codes.ts';
import { errorCodeFacts, readErrorBody } from '../wire/error-codes.ts';
import type { JsonRefusal } from '../wire/strict-json.ts';
import { JSON_PROBLEMS, parseJsonStrict } from '../wire/strict-json.ts';
import type { ServiceCall } from './call.ts';
import { endpointOf, requestKindOf } from './call.ts';
import type { ServiceErrorFacts } from './service-error.ts';
import { ServiceError } from './service-error.ts';
import type { WireAnswer } from './transport.ts';

/** An answer the caller asked for: its status and its JSON, brands translated. */
export interface ServiceAnswer {
  readonly httpStatus: number;
  /** `undefined` for an empty body. */
  readonly json: unknown;
}

export type Classified =
  | { readonly ok: true; readonly answer: ServiceAnswer }
  | { readonly ok: false; readonly error: ServiceError };

/** A gateway answers 408 when it gave up waiting; whether the service acted is open. */
const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;

/** Interprets how the exchange of `call` ended. */
export function classify(call: ServiceCall, end: WireAnswer, tokens: BrandTokens): Classified {
  if (end.kind !== 'answer') return { ok: false, error: failureOf(call, end) };
  const { httpStatus, body } = end;
  const isSuccess = httpStatus >= 200 && httpStatus < 300;
  if (!isSuccess && call.alsoAnswers?.includes(httpStatus) !== true) {
    return { ok: false, error: refusalOf(call, httpStatus, readRefusal(body, tokens)) };
  }
  if (body.length === 0) return { ok: true, answer: { httpStatus, json: undefined } };
  const parsed = parseJsonStrict(body);
  if (parsed.ok) {
    const json = withToldErrors(tokens.fromWire(parsed.value));
    return { ok: true, answer: { httpStatus, json } };
  }
  return isSuccess
    ? { ok: false, error: notJson(call, httpStatus, parsed.reason) }
    : { ok: false, error: refusalOf(call, httpStatus, { kind: 'unreadable' }) };
}

/** What an answer of success says of the parts that were refused, as what a refusal says. */
function withToldErrors(json: unknown): unknown {
  if (!isRecord(json) || !Array.isArray(json['errors'])) return json;
  const errors = toldBody(json['errors']);
  return errors === json['errors'] ? json : { ...json, errors };
}

/** An answer arrived but cannot be used; a write behind it may have taken effect. */
export function unreadable(
  call: ServiceCall,
  problem: string,
  facts: { readonly httpStatus?: number; readonly code?: 'UNREADABLE' | 'LIST_INCOMPLETE' } = {},
): ServiceError {
  return build(call, `answered something unreadable: ${problem}.`, {
    kind: 'unreadable',
    code: facts.code ?? 'UNREADABLE',
    retryable: true,
    outcome: 'unknown',
    httpStatus: facts.httpStatus,
  });
}

/** A refusal whose body we were ready to read as an answer, but which was none. */
export function refusalFromJson(call: ServiceCall, answer: ServiceAnswer): ServiceError {
  return refusalOf(call, answer.httpStatus, readErrorBody(answer.json));
}

function readRefusal(body: Uint8Array, tokens: BrandTokens): ErrorBody {
  const parsed = parseJsonStrict(body);
  return parsed.ok ? readErrorBody(tokens.fromWire(parsed.value)) : { kind: 'unreadable' };
}

function notJson(call: ServiceCall, httpStatus: number, reason: JsonRefusal): ServiceError {
  return unreadable(call, JSON_PROBLEMS[reason], { httpStatus });
}

type Failure = Exclude<WireAnswer, { kind: 'answer' }>;
type FailureFacts = Pick<ServiceErrorFacts, 'kind' | 'code' | 'outcome'> & {
  readonly whatHappened: string;
};

/** Exchanges that ended without a status. All of them may go better next time. */
const FAILURES: Record<Exclude<Failure['kind'], 'too_large'>, FailureFacts> = {
  timeout: {
    kind: 'timeout',
    code: 'TIMEOUT',
    outcome: 'unknown',
    whatHappened: 'was not answered in time.',
  },
  aborted: {
    kind: 'aborted',
    code: 'ABORTED',
    outcome: 'unknown',
    whatHappened: 'was ended by its caller.',
  },
  never_sent: {
    kind: 'network',
    code: 'NETWORK',
    outcome: 'not_sent',
    whatHappened: 'was not sent: no connection. Check the address and the network.',
  },
  broken: {
    kind: 'network',
    code: 'NETWORK',
    outcome: 'unknown',
    whatHappened: 'got no answer: the connection broke.',
  },
};

function failureOf(call: ServiceCall, end: Failure): ServiceError {
  if (end.kind === 'too_large') {
    return unreadable(call, 'a body above the size limit', { httpStatus: end.httpStatus });
  }
  const { whatHappened, ...facts } = FAILURES[end.kind];
  const cause = 'cause' in end ? end.cause : undefined;
  return build(call, whatHappened, { ...facts, retryable: true, cause });
}

function refusalOf(call: ServiceCall, httpStatus: number, body: ErrorBody): ServiceError {
  if (httpStatus < 400) {
    return build(call, `answered ${httpStatus}, a redirect, which is not followed.`, {
      kind: 'redirected',
      code: 'REDIRECTED',
      retryable: false,
      outcome: 'unknown',
      httpStatus,
    });
  }
  const errors = body.kind === 'envelope' ? body.errors : [];
  const detail = body.kind === 'detail' ? body.detail : undefined;
  if (httpStatus >= 500) {
    return build(call, `failed at the service with ${httpStatus}.`, {
      kind: 'server',
      code: 'SERVER_ERROR',
      retryable: true,
      outcome: 'unknown',
      httpStatus,
      errors,
    });
  }
  if (httpStatus === TOO_MANY_REQUESTS) {
    return build(call, 'met the rate limit.', {
      kind: 'rate_limited',
      code: 'RATE_LIMITED',
      retryable: true,
      outcome: 'refused',
      httpStatus,
      errors,
    });
  }
  const code = errors[0]?.code ?? codeOfStatus(httpStatus, body);
  const field = errors[0]?.field ?? undefined;
  const facts = errorCodeFacts(code);
  const about = field === undefined ? '' : ` (${field})`;
  return build(call, `was refused with ${code}${about}. ${facts?.operatorText ?? ''}`.trimEnd(), {
    kind: 'refused',
    code,
    retryable: facts?.retryable ?? httpStatus === REQUEST_TIMEOUT,
    outcome: httpStatus === REQUEST_TIMEOUT ? 'unknown' : 'refused',
    httpStatus,
    field,
    errors,
    detail,
  });
}

/** The code that a status implies when the body names none. A bare 404 may be a wrong base URL. */
function codeOfStatus(httpStatus: number, body: ErrorBody): string {
  if (httpStatus === 401) return 'UNAUTHORISED';
  if (httpStatus === 403) return 'FORBIDDEN';
  if (httpStatus === 404 && body.kind === 'detail') return 'NOT_FOUND';
  return `HTTP_${httpStatus}`;
}

function build(
  call: ServiceCall,
  whatHappened: string,
  facts: Omit<ServiceErrorFacts, 'endpoint' | 'requestKind'>,
): ServiceError {
  const endpoint = endpointOf(call);
  return new ServiceError(`${endpoint} ${whatHappened}`, {
    ...facts,
    endpoint,
    requestKind: requestKindOf(call),
  });
}
