/**
 * What to do about a refund whose answer is missing: believe it, wait, send the same key again, or
 * call a person. Pure: times and answers come in, a ruling goes out.
 *
 * A request may still execute after we gave up on it, a new refund may be invisible for a while, and
 * a key stops protecting when it expires: a repeat is safe only between those moments.
 */
import { LAST_HOUR_MS, LEASE_MS } from '../../base/kernel/limits.ts';
import type {
  Answer,
  FailureClass,
  ProcessorCapabilities,
  ProcessorRefund,
} from '../../service/wire/processor.ts';
import { AMOUNT_DIFFERS } from '../ledger/settle-movement.ts';
import { nextTryMs, waitMaxMs } from './retry-ladder.ts';

/** The refund in question. Times are milliseconds since 1970. */
export interface UnansweredRefund {
  readonly amountMinor: number;
  readonly currency: string;
  readonly firstSentAtMs: number;
  /** When it was last sent; that request may have left as late as a lease after it. */
  readonly sentAtMs: number;
  /** Fruitless tries under this key so far, sendings and look-ups alike. */
  readonly tries: number;
  /** After this moment no money may be sent for any alert; null: no alert waits for it. */
  readonly guardAtMs: number | null;
  /** The first deadline ahead of an alert that waits for it; null: none. */
  readonly deadlineMs: number | null;
}

/** What {@link ruleUnknown} says. */
export type UnknownRuling =
  | {
      readonly kind: 'settle';
      readonly to: 'CONFIRMED' | 'PENDING';
      readonly refund: ProcessorRefund;
    }
  /** It did not and will not execute. */
  | {
      readonly kind: 'rejected';
      readonly failureCode: string;
      readonly failureClass: FailureClass;
    }
  | { readonly kind: 'resend' }
  | { readonly kind: 'wait'; readonly untilMs: number }
  | {
      readonly kind: 'human';
      readonly reason: UnresolvedReason;
      /** What the processor shows instead. */
      readonly reference?: string;
    };

/**
 * Why only a person can continue: another amount under our key; the key no longer protects a repeat;
 * neither keys nor look-ups exist; or the alert's deadline is too near.
 */
export type UnresolvedReason =
  | typeof AMOUNT_DIFFERS
  | 'key_expired'
  | 'cannot_be_proven'
  | 'too_late';

/** `failure_code` of a request that is proven to have had no effect. */
export const NEVER_EXECUTED = 'never_executed';

/** From this moment on a request under way can no longer execute unseen. */
export function provenAtMs(
  sentAtMs: number,
  { requestLifetimeSeconds, lookupLagSeconds }: ProcessorCapabilities,
): number {
  return sentAtMs + LEASE_MS + (requestLifetimeSeconds + lookupLagSeconds) * 1000;
}

/** From this moment on the key may expire before a repeat executes; null when keys do nothing. */
export function keyEndsAtMs(
  firstSentAtMs: number,
  { idempotencyTtlHours, requestLifetimeSeconds }: ProcessorCapabilities,
): number | null {
  if (idempotencyTtlHours <= 0) return null;
  return firstSentAtMs + idempotencyTtlHours * 3_600_000 - requestLifetimeSeconds * 1000 - LEASE_MS;
}

/** What a ruling is made by. */
export interface RulingContext {
  readonly capabilities: ProcessorCapabilities;
  readonly nowMs: number;
  /** Spreads the waits: from 0 up to, not including, 1. */
  readonly random: number;
}

/** Rules on an unanswered refund. `answer` is `not_offered` when the processor cannot look up by key. */
export function ruleUnknown(
  refund: UnansweredRefund,
  answer: Answer<ProcessorRefund>,
  context: RulingContext,
): UnknownRuling {
  const { capabilities, nowMs } = context;
  if (answer.kind === 'found') return ruleFound(refund, answer.value);
  const provenMs = provenAtMs(refund.sentAtMs, capabilities);
  const endsMs = keyEndsAtMs(refund.firstSentAtMs, capabilities);
  const isProven = nowMs > provenMs;
  const absent = answer.kind === 'absent';
  if (endsMs !== null && nowMs >= endsMs) return { kind: 'human', reason: 'key_expired' };
  if (endsMs === null && answer.kind === 'not_offered' && isProven) {
    return { kind: 'human', reason: 'cannot_be_proven' };
  }
  if (refund.guardAtMs !== null && nowMs >= refund.guardAtMs) {
    return absent && isProven
      ? { kind: 'rejected', failureCode: NEVER_EXECUTED, failureClass: 'retry' }
      : { kind: 'human', reason: 'too_late' };
  }
  // With a look-up only its "absent" allows a repeat; without one, the living key does.
  if (isProven && (absent || answer.kind === 'not_offered')) return { kind: 'resend' };
  return { kind: 'wait', untilMs: nextLookMs(refund, context) };
}

function ruleFound(refund: UnansweredRefund, found: ProcessorRefund): UnknownRuling {
  if (found.status === 'failed') {
    const failureCode = found.failureCode ?? 'failed';
    return { kind: 'rejected', failureCode, failureClass: found.failureClass ?? 'retry' };
  }
  if (found.amountMinor !== refund.amountMinor || found.currency !== refund.currency) {
    return { kind: 'human', reason: AMOUNT_DIFFERS, reference: found.reference };
  }
  return {
    kind: 'settle',
    to: found.status === 'pending' ? 'PENDING' : 'CONFIRMED',
    refund: found,
  };
}

/**
 * The next look: by the ladder, or at the next moment at which the ruling changes. Only the first
 * request is repeated as soon as it is proven absent; what was repeated once climbs the ladder.
 */
export function nextLookMs(refund: UnansweredRefund, context: RulingContext): number {
  const { capabilities, nowMs, random } = context;
  const { firstSentAtMs, sentAtMs, guardAtMs } = refund;
  const isFirst = sentAtMs === firstSentAtMs;
  const { deadlineMs } = refund;
  const momentsMs = [
    deadlineMs === null ? null : deadlineMs - LAST_HOUR_MS,
    isFirst ? provenAtMs(sentAtMs, capabilities) + 1 : null,
    keyEndsAtMs(firstSentAtMs, capabilities),
    guardAtMs,
  ];
  const maxMs = waitMaxMs(deadlineMs, nowMs);
  return nextTryMs(refund.tries, { nowMs, random, momentsMs, maxMs });
}
