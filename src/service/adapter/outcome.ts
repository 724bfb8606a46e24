/**
 * Turns a refund that a provider shows into one of Forestall's four outcomes.
 *
 * What the provider shows must be the refund that was asked for: another amount, currency or charge
 * under our key, or another key, is no confirmation, and stays `unknown` until a person has looked.
 */
import { isCurrencyCode } from '../../base/kernel/money.ts';
import type {
  Answer,
  ChargeQuery,
  FailureClass,
  ProcessorCharge,
  ProcessorRefund,
  RefundOutcome,
  RefundRequest,
} from '../wire/processor.ts';
import { FAILURE_CLASSES } from '../wire/processor.ts';
import type { ProviderEnd } from './provider-call.ts';
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

/** A table of classes from the provider's words, listed by their class with blanks between them. */
export function classesOf(
  words: Readonly<Partial<Record<FailureClass, string>>>,
): ReadonlyMap<string, FailureClass> {
  return new Map(
    FAILURE_CLASSES.flatMap((failureClass) =>
      (words[failureClass]?.trim().split(/\s+/) ?? []).map((word) => [word, failureClass] as const),
    ),
  );
}

/** The outcome of an answer that shows no refund: refused where that is proven, else unknown. */
export function refusedOr(refusal: Refusal | null, reason: string): RefundOutcome {
  if (refusal === null) return { kind: 'unknown', reason };
  const { code: failureCode, failureClass } = refusal;
  return { kind: 'rejected', failureCode, failureClass };
}

/** Nothing is sent for an amount that the provider cannot express, and nothing else ever will be. */
export const NOT_REPRESENTABLE = {
  kind: 'rejected',
  failureCode: 'amount_not_representable',
  failureClass: 'final',
} as const satisfies RefundOutcome;

/** The outcome that a shown refund means. */
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

/** What a provider shows, before anybody has looked whether it is all there. */
export type Shown<Facts> = { readonly [Name in keyof Facts]: Facts[Name] | null | undefined };

const STATUSES = ['succeeded', 'pending', 'failed'] as const;

/**
 * The refund, or null when it cannot be read. The types of an SDK promise what a provider may leave out or write
 * in another way, so each field that money depends on is looked at.
 */
export function readableRefund(shown: Shown<ProcessorRefund>): ProcessorRefund | null {
  const { reference, chargeReference, amountMinor, currency } = shown;
  const status = STATUSES.find((each) => each === shown.status);
  if (!isText(reference) || !isText(chargeReference) || status === undefined) return null;
  if (!isAmount(amountMinor) || !isCurrencyCode(currency)) return null;
  const hasFailed = status === 'failed';
  return {
    reference,
    idempotencyKey: textOrNull(shown.idempotencyKey),
    chargeReference,
    status,
    failureCode: hasFailed ? (textOrNull(shown.failureCode) ?? status) : null,
    ...(hasFailed ? { failureClass: shown.failureClass ?? 'retry' } : {}),
    amountMinor,
    currency,
    createdAt: textOrNull(shown.createdAt),
  };
}

/** The charge, or the reason why it cannot be read: one unreadable refund is one that may be ours. */
export function readableCharge(
  shown: Shown<Omit<ProcessorCharge, 'refunds'>> & {
    readonly refunds: readonly (ProcessorRefund | null)[];
  },
): ProcessorCharge | string {
  const { reference, status, amountMinor, currency, refundableMinor, disputed } = shown;
  if (!isText(reference) || !isCurrencyCode(currency)) {
    return 'the charge has no reference or currency';
  }
  if (!isText(status)) return 'the charge is of no known status';
  if (!isAmount(amountMinor) || !isAmount(refundableMinor)) {
    return 'the charge has no readable amount';
  }
  const refunds = shown.refunds.filter((refund) => refund !== null);
  if (refunds.length < shown.refunds.length) return 'one of its refunds is unreadable';
  if (typeof disputed !== 'boolean') return 'whether the charge is disputed cannot be told';
  return {
    ...{ reference, status, amountMinor, currency, refundableMinor, disputed },
    authorisedAt: textOrNull(shown.authorisedAt),
    cardBrand: textOrNull(shown.cardBrand),
    cardBin: textOrNull(shown.cardBin),
    cardLast4: textOrNull(shown.cardLast4),
    acquirerReferenceNumber: textOrNull(shown.acquirerReferenceNumber),
    authorisationCode: textOrNull(shown.authorisationCode),
    orderReference: textOrNull(shown.orderReference),
    subscriptionReference: textOrNull(shown.subscriptionReference),
    refunds,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function textOrNull(value: unknown): string | null {
  return isText(value) ? value : null;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Our refund among those read of a list. One that cannot be read may be ours: then nothing is known. */
export function ownRefundIn(
  refunds: readonly (ProcessorRefund | null)[],
  idempotencyKey: string,
): Answer<ProcessorRefund> {
  const readable = refunds.filter((refund) => refund !== null);
  if (readable.length < refunds.length) {
    return { kind: 'unavailable', reason: 'a refund is unreadable' };
  }
  return ownRefundAmong(readable, idempotencyKey);
}

/**
 * Whether the charge contradicts the code or the card's digits of the query, which not every provider can be asked for.
 * What it does not show fits.
 */
export function fitsUnasked(charge: ProcessorCharge, query: ChargeQuery): boolean {
  const { authorisationCode, cardBin, cardLast4 } = query;
  if (differs(charge.cardLast4, cardLast4)) return false;
  const isOtherCode = differs(charge.authorisationCode, authorisationCode);
  const shown = charge.cardBin?.slice(0, cardBin?.length);
  return !isOtherCode && !differs(shown ?? null, cardBin?.slice(0, charge.cardBin?.length));
}

function differs(shown: string | null, wanted: string | undefined): boolean {
  return shown !== null && wanted !== undefined && shown.toUpperCase() !== wanted.toUpperCase();
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
  reply: ProviderEnd,
  code: string | null = null,
): { readonly kind: 'unavailable'; readonly reason: string } {
  return { kind: 'unavailable', reason: reasonFor(reply, code) };
}
