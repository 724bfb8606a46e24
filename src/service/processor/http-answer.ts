/** What the answers of an HTTP processor prove. */
import type { Answer, ProcessorRefund } from '../wire/processor.ts';
import type { StatedRefusal } from '../wire/processor-contract.ts';
import { readRefund, readRefusal } from '../wire/processor-contract.ts';
import type { ProcessorAnswer } from './processor-call.ts';

export const NOT_FOUND = 404;
export const NOT_IMPLEMENTED = 501;

/** The endpoint gave up waiting for the request: it cannot know what became of it. */
export const REQUEST_TIMEOUT = 408;

/**
 * 4xx that anything in between answers too (a gateway, a rate limit, a lock), whatever happened behind
 * it. They prove a refusal only where the body names a class of ours: that is the endpoint's own word.
 */
export const PROVEN_BY_CLASS_ONLY: ReadonlySet<number> = new Set([401, 403, 409, 423, 425, 429]);

/** The answer of a read. `on404`: what that status means for it. */
export function answerOf<Value>(
  end: ProcessorAnswer,
  read: (json: unknown) => Value | undefined,
  on404: 'absent' | 'not_offered',
): Answer<Value> {
  if (end.kind === 'none') return { kind: 'unavailable', reason: end.reason };
  if (end.httpStatus === NOT_FOUND) return { kind: on404 };
  if (end.httpStatus === NOT_IMPLEMENTED) return { kind: 'not_offered' };
  const isAnswer = end.httpStatus >= 200 && end.httpStatus < 300;
  const value = isAnswer ? read(end.json) : undefined;
  return value === undefined
    ? { kind: 'unavailable', reason: `the processor answered ${end.httpStatus}, unreadable` }
    : { kind: 'found', value };
}

/**
 * The refusal that an answer proves: this request executed nothing and never will.
 *
 * Only a 4xx with a code, or with a failed refund, can be one. A 5xx never is, whatever it says: who
 * broke off in the middle cannot know. A quarrel about the key is none either, because it says nothing
 * about the money behind the key.
 */
export function refusalIn(
  end: Extract<ProcessorAnswer, { readonly kind: 'answer' }>,
): StatedRefusal | undefined {
  const { httpStatus, json } = end;
  if (httpStatus < 400 || httpStatus >= 500 || httpStatus === REQUEST_TIMEOUT) return undefined;
  const refund = readRefund(json);
  const stated = refund?.status === 'failed' ? failureOf(refund) : readRefusal(json);
  if (stated === undefined || /idempot/i.test(stated.code)) return undefined;
  const isProven = !PROVEN_BY_CLASS_ONLY.has(httpStatus) || stated.failureClass !== undefined;
  return isProven ? stated : undefined;
}

export function failureOf({ failureCode, failureClass }: ProcessorRefund): StatedRefusal {
  return { code: failureCode ?? 'failed', failureClass };
}
