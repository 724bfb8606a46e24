/**
 * A processor behind HTTP: the contract of "HTTP surfaces" in any language, as a {@link Processor}.
 *
 * Reads answer `unavailable` for whatever is not a clear answer. A refund answers `unknown` for it:
 * a timeout, a 5xx, a broken connection or an unreadable body may all mean an executed refund.
 * A refusal is believed when the answer proves it: see {@link refusalIn}.
 */
import type {
  Answer,
  ChargeQuery,
  Processor,
  ProcessorCapabilities,
  ProcessorCharge,
  ProcessorRefund,
  RefundOutcome,
  RefundRequest,
} from '../wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../wire/processor.ts';
import type { StatedRefusal } from '../wire/processor-contract.ts';
import {
  readCapabilities,
  readCharge,
  readCharges,
  readRefund,
  readRefunds,
} from '../wire/processor-contract.ts';
import {
  answerOf,
  failureOf,
  NOT_FOUND,
  NOT_IMPLEMENTED,
  PROVEN_BY_CLASS_ONLY,
  REQUEST_TIMEOUT,
  refusalIn,
} from './http-answer.ts';
import { createHttpDisputes } from './http-disputes.ts';
import type { HttpProcessorOptions, ProcessorAnswer, ProcessorCall } from './processor-call.ts';
import { createProcessorCall } from './processor-call.ts';
import { standingAmong } from './standing-refund.ts';

/** Creates a processor that speaks the HTTP contract. */
export function createHttpProcessor(options: HttpProcessorOptions): Processor {
  const call = createProcessorCall(options);
  let known: ProcessorCapabilities | undefined;
  let knownUntilMs = 0;
  return {
    name: new URL(options.baseUrl).host,
    async capabilities(signal): ReturnType<Processor['capabilities']> {
      const nowMs = options.clock.nowMs();
      if (known !== undefined && nowMs < knownUntilMs) return known;
      const stated = capabilitiesOf(await call({ method: 'GET', path: '/capabilities' }, signal));
      // Only an answer is kept. What was answered before holds through an outage, which is not asked at every step.
      known = stated ?? known;
      knownUntilMs = nowMs + (stated === undefined ? ASK_AGAIN_MS : KEEP_MS);
      return known;
    },
    async searchCharges(query, signal): ReturnType<Processor['searchCharges']> {
      const end = await call({ method: 'GET', path: '/charges', query: searchOf(query) }, signal);
      return answerOf(end, readCharges, 'not_offered');
    },
    async readCharge(reference, signal): ReturnType<Processor['readCharge']> {
      const path = `/charges/${encodeURIComponent(reference)}`;
      const answer = answerOf(await call({ method: 'GET', path }, signal), readCharge, 'absent');
      return answer.kind === 'found' && !isAllAbout(answer.value, reference)
        ? { kind: 'unavailable', reason: 'the processor answered another charge' }
        : answer;
    },
    async findRefund(request, signal): Promise<Answer<ProcessorRefund>> {
      const query = { idempotency_key: request.idempotencyKey };
      const end = await call({ method: 'GET', path: '/refunds', query }, signal);
      const answer = answerOf(end, readRefunds, 'not_offered');
      return answer.kind === 'found' ? ownOf(answer.value, request) : answer;
    },
    async refund(request, signal): Promise<RefundOutcome> {
      return refundOutcomeOf(await call(refundCall(request), signal), request);
    },
    async voidCharge(reference, idempotencyKey, signal): ReturnType<Processor['voidCharge']> {
      const body = { charge_reference: reference };
      const end = await call({ method: 'POST', path: '/voids', body, idempotencyKey }, signal);
      const effect = effectOf(end);
      return effect === 'done' ? 'voided' : effect;
    },
    async cancelSubscription(
      reference,
      idempotencyKey,
      signal,
    ): ReturnType<Processor['cancelSubscription']> {
      const path = `/subscriptions/${encodeURIComponent(reference)}/cancel`;
      const end = await call({ method: 'POST', path, body: {}, idempotencyKey }, signal);
      const effect = effectOf(end);
      return effect === 'done' ? 'cancelled' : effect;
    },
    disputes: createHttpDisputes(call),
  };
}

/** How long an answer about abilities is kept, in milliseconds: a 404 may come from a deploy. */
const KEEP_MS = 10 * 60_000;

/** How long an answer that is older holds where none comes, in milliseconds. */
const ASK_AGAIN_MS = 60_000;

function capabilitiesOf(end: ProcessorAnswer): ProcessorCapabilities | undefined {
  if (end.kind === 'none') return undefined;
  if (end.httpStatus === NOT_FOUND || end.httpStatus === NOT_IMPLEMENTED) {
    return CAUTIOUS_CAPABILITIES;
  }
  return end.httpStatus === 200 ? readCapabilities(end.json) : undefined;
}

function searchOf(query: ChargeQuery): Record<string, string | undefined> {
  return {
    reference: query.reference,
    acquirer_reference_number: query.acquirerReferenceNumber,
    authorisation_code: query.authorisationCode,
    card_bin: query.cardBin,
    card_last4: query.cardLast4,
    amount_in_cents: query.amountMinor?.toString(),
    currency: query.currency,
    authorised_from: query.authorisedFrom,
    authorised_to: query.authorisedTo,
  };
}

/** Whether the charge, and each refund on its list, is the one that was asked for. */
function isAllAbout({ reference, refunds }: ProcessorCharge, asked: string): boolean {
  return reference === asked && refunds.every((refund) => refund.chargeReference === asked);
}

/**
 * The refund under our key. A list that was not searched by the key does not prove that there is none: ours may be on another page.
 */
function ownOf(
  items: readonly ProcessorRefund[],
  { idempotencyKey, chargeReference }: RefundRequest,
): Answer<ProcessorRefund> {
  const own = items.filter((refund) => refund.idempotencyKey === idempotencyKey);
  const best = standingAmong(own, null);
  if (best === undefined) {
    return items.length === 0
      ? { kind: 'absent' }
      : { kind: 'unavailable', reason: 'the processor did not search by our key' };
  }
  return best.chargeReference === chargeReference
    ? { kind: 'found', value: best }
    : { kind: 'unavailable', reason: 'under our key stands a refund of another charge' };
}

function refundCall(request: RefundRequest): ProcessorCall {
  return {
    method: 'POST',
    path: '/refunds',
    idempotencyKey: request.idempotencyKey,
    body: {
      charge_reference: request.chargeReference,
      amount_in_cents: request.amountMinor,
      currency: request.currency,
      reason: request.reason,
      alert_id: request.alertId,
    },
  };
}

function refundOutcomeOf(end: ProcessorAnswer, request: RefundRequest): RefundOutcome {
  if (end.kind === 'none') return { kind: 'unknown', reason: end.reason };
  const { httpStatus, json } = end;
  const isAnswer = httpStatus >= 200 && httpStatus < 300;
  const outcome = isAnswer ? acceptedOf(readRefund(json), request) : rejectedOf(refusalIn(end));
  return outcome ?? { kind: 'unknown', reason: `the processor answered ${httpStatus}` };
}

function rejectedOf(refusal: StatedRefusal | undefined): RefundOutcome | undefined {
  if (refusal === undefined) return undefined;
  const { code, failureClass = 'retry' } = refusal;
  return { kind: 'rejected', failureCode: code, failureClass };
}

function acceptedOf(
  refund: ProcessorRefund | undefined,
  request: RefundRequest,
): RefundOutcome | undefined {
  if (refund === undefined || refund.chargeReference !== request.chargeReference) return undefined;
  const { idempotencyKey: key } = refund;
  if (key !== null && key !== request.idempotencyKey) return undefined;
  switch (refund.status) {
    case 'succeeded':
      return { kind: 'confirmed', refund };
    case 'pending':
      return { kind: 'pending', refund };
    case 'failed':
      return rejectedOf(failureOf(refund));
  }
}

function effectOf(end: ProcessorAnswer): 'done' | 'not_offered' | 'rejected' | 'unknown' {
  if (end.kind === 'none') return 'unknown';
  const { httpStatus } = end;
  if (httpStatus >= 200 && httpStatus < 300) return 'done';
  if (httpStatus === NOT_IMPLEMENTED) return 'not_offered';
  const isClear =
    httpStatus >= 400 &&
    httpStatus < 500 &&
    httpStatus !== REQUEST_TIMEOUT &&
    !PROVEN_BY_CLASS_ONLY.has(httpStatus);
  return isClear || refusalIn(end) !== undefined ? 'rejected' : 'unknown';
}
