/**
 * Turns a refund that a provider shows into one of Forestall's four outcomes.
 *
 * What the provider shows must be the refund that was asked for: another amount, currency or charge
 * under our key, or another key, is no confirmation, and stays `unknown` until a person has looked.
 */
import type {
  Answer,
  FailureClass,
  ProcessorCharge,
  ProcessorRefund,
  RefundOutcome,
  RefundRequest,
} from 'forestall';
import type { ProviderReply } from './provider-call.ts';
import { reasonFor } from './provider-call.ts';

/** A refusal in the provider's own words, which prove that nothing was executed. */
export interface Refusal {
  readonly code: string;
  readonly failureClass: FailureClass;
}

/** The class of the provider's word. One that is not in its table is tried again. */
export function classOf(word: string, classes: ReadonlyMap<string, FailureClass>): FailureClass {
  return classes.get(word) ?? 'retry';
}

/** The outcome of an answer that shows no refund: refused where that is proven, else unknown. */
export function refusedOr(refusal: Refusal | null, reason: string): RefundOutcome {
  if (refusal === null) return { kind: 'unknown', reason };
  const { code: failureCode, failureClass } = refusal;
  return { kind: 'rejected', failureCode, failureClass };
}

/** Nothing is sent for an amount that the provider cannot express, and nothing else ever will be. */
export const NOT_REPRESENTABLE: RefundOutcome = {
  kind: 'rejected',
  failureCode: 'amount_not_representable',
  failureClass: 'final',
};

/** The outcome a shown refund stands for. */
export function outcomeOf(refund: ProcessorRefund | null, request: RefundRequest): RefundOutcome {
  if (refund === null) return { kind: 'unknown', reason: 'the answer shows no readable refund' };
  if (!isSame(refund, request)) {
    return { kind: 'unknown', reason: 'the answer shows another refund than the one asked for' };
  }
  switch (refund.status) {
    case 'succeeded':
      return { kind: 'confirmed', refund };
    case 'pending':
      return { kind: 'pending', refund };
    case 'failed':
      return {
        kind: 'rejected',
        failureCode: refund.failureCode ?? 'failed',
        failureClass: refund.failureClass ?? 'retry',
      };
    default:
      return { kind: 'unknown', reason: 'the answer shows a status this adapter does not know' };
  }
}

function isSame(refund: ProcessorRefund, request: RefundRequest): boolean {
  const { idempotencyKey: key } = refund;
  return (
    (key === null || key === request.idempotencyKey) &&
    refund.amountMinor === request.amountMinor &&
    refund.currency === request.currency &&
    refund.chargeReference === request.chargeReference
  );
}

/** Our refund among those listed. A failed one only when nothing else carries the key. */
export function ownRefundAmong(
  refunds: readonly ProcessorRefund[],
  idempotencyKey: string,
): Answer<ProcessorRefund> {
  const own = refunds.filter((refund) => refund.idempotencyKey === idempotencyKey);
  const best = own.find(({ status }) => status !== 'failed') ?? own[0];
  return best === undefined ? { kind: 'absent' } : { kind: 'found', value: best };
}

/** Money that has left or is about to leave. */
export function movedMinor(refunds: readonly ProcessorRefund[]): number {
  return refunds
    .filter(({ status }) => status !== 'failed')
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/**
 * What a search has found. A candidate that cannot be read (a reason instead of a charge) may be the one
 * that is meant, and leaving it out would make another look like the only one: then nothing is known.
 */
export function foundAmong(
  candidates: readonly (ProcessorCharge | string)[],
): Answer<ProcessorCharge[]> {
  const reason = candidates.find((candidate) => typeof candidate === 'string');
  if (reason !== undefined) return { kind: 'unavailable', reason: `of those found, ${reason}` };
  return { kind: 'found', value: candidates.filter((candidate) => typeof candidate !== 'string') };
}

/** A charge as an adapter has read it; a text says why it cannot be read. */
export function readAs(charge: ProcessorCharge | string): Answer<ProcessorCharge> {
  return typeof charge === 'string'
    ? { kind: 'unavailable', reason: charge }
    : { kind: 'found', value: charge };
}

/** What a search by the charge's own reference has found: itself, or nothing. */
export function asList(answer: Answer<ProcessorCharge>): Answer<ProcessorCharge[]> {
  return answer.kind === 'found' ? { kind: 'found', value: [answer.value] } : answer;
}

/** An answer to a question that could not be asked. */
export function unavailable(
  reply: ProviderReply,
  code: string | null = null,
): { readonly kind: 'unavailable'; readonly reason: string } {
  return { kind: 'unavailable', reason: reasonFor(reply, code) };
}
