/**
 * What Adyen's notifications say about one payment.
 *
 * Adyen has no call that reads a payment back: its webhooks are the only source. `events.ts` checks
 * their HMAC, `store.ts` keeps them, and {@link chargeOf} computes the payment as it is now from all of
 * its items. Order of arrival and duplicates do not matter.
 * https://docs.adyen.com/development-resources/webhooks
 *
 * Switch on "Acquirer result" and "Card BIN" under the webhook's additional settings: without them
 * alerts cannot be matched by authorisation code or card.
 */
import type { ChargeQuery, ChargeStatus, ProcessorCharge, ProcessorRefund } from 'forestall';
import type { JsonObject } from 'forestall/adapter';
import {
  isObject,
  movedMinor,
  oursOf,
  readableCharge,
  readableRefund,
  textAt,
  utcAt,
} from 'forestall/adapter';
import type { AdyenAmount, AdyenMeaning } from './words.ts';
import { ADYEN_WORDS, adyenClassOf, amountOf } from './words.ts';

/** Your store of notifications. Both may throw; Forestall then asks again later. */
export interface AdyenNotifications {
  /**
   * Every stored item whose `pspReference` or `originalReference` is this payment's, and what voids one of
   * its refunds.
   */
  ofPayment(pspReference: string): Promise<readonly unknown[]>;
  /**
   * The references of the payments that fit, at most 100, for a query by ARN, authorisation code or
   * card and amount. Leave it out when your store cannot be searched.
   */
  search?(query: ChargeQuery): Promise<readonly string[]>;
  /** The references of disputes of which a notification came since (ISO 8601). Without it no evidence is filed. */
  disputesSince?(since: string): Promise<readonly string[]>;
}

/** How your merchant account captures: with the authorisation, or by calls of its own. */
export type AdyenCapture = 'automatic' | 'manual';

/** The payment as its notifications show it, null when there are none, or why it cannot be told. */
export function chargeOf(
  pspReference: string,
  stored: readonly unknown[],
  capture: AdyenCapture,
): ProcessorCharge | string | null {
  const items = stored.filter(isObject);
  if (items.length === 0) return null;
  const authorisations = items.filter(
    (item) => meaningOf(item) === 'authorisation' && item['pspReference'] === pspReference,
  );
  // One that was refused first may have been accepted afterwards.
  const authorisation = authorisations.find(isSuccess) ?? authorisations[0];
  const first = amountOf(authorisation);
  if (first === null) return 'its AUTHORISATION notification is missing or unreadable';
  const authorised = adjustedAmount(items, first);
  if (authorised === null) return 'its AUTHORISATION_ADJUSTMENT notification is unreadable';
  const changes = changesOf(items, authorised.currency);
  if (typeof changes === 'string') return changes;
  const { currency } = authorised;
  const refunds = changes
    .filter(({ kind }) => kind === 'refund')
    .map((change) => refundOf(change, { chargeReference: pspReference, currency }));
  const byCapture = capturedMinor(changes);
  // Accounts that capture at once are told about captures only where they ask for it.
  const isAtOnce = capture === 'automatic' && !changes.some(({ kind }) => kind === 'capture');
  const captured = isAtOnce ? authorised.amountMinor : byCapture;
  const status = statusOf(authorisation, changes, { captured, byCapture });
  const dispute = disputeOf(items);
  const isCaptured = status === 'captured';
  const moved = movedMinor(refunds.filter((refund) => refund !== null));
  return readableCharge({
    ...{ reference: pspReference, status, currency, refunds },
    amountMinor: isCaptured ? captured : authorised.amountMinor,
    refundableMinor: isCaptured && dispute !== 'taken' ? Math.max(0, captured - moved) : 0,
    disputed: dispute !== 'none',
    authorisedAt: utcAt(authorisation, 'eventDate'),
    cardBrand: textAt(authorisation, 'paymentMethod'),
    cardBin: textAt(authorisation, 'additionalData', 'cardBin'),
    cardLast4: textAt(authorisation, 'additionalData', 'cardSummary'),
    acquirerReferenceNumber: firstArn(items),
    authorisationCode: textAt(authorisation, 'additionalData', 'authCode'),
    orderReference: textAt(authorisation, 'merchantReference'),
    // Adyen charges stored cards when it is told to; the subscription is yours.
    subscriptionReference: null,
  });
}

/** What is authorised since the last adjustment, as for a tip; null when one of them cannot be read. */
function adjustedAmount(items: readonly JsonObject[], first: AdyenAmount): AdyenAmount | null {
  let authorised = first;
  for (const item of inOrder(items)) {
    if (meaningOf(item) !== 'adjustment' || !isSuccess(item)) continue;
    const adjusted = amountOf(item);
    if (adjusted?.currency !== first.currency) return null;
    authorised = adjusted;
  }
  return authorised;
}

/** One capture, cancellation or refund, with its last word. */
interface Change {
  readonly kind: 'capture' | 'cancel' | 'refund';
  readonly pspReference: string;
  readonly reference: string | null;
  readonly state: ProcessorRefund['status'];
  /** Confirmed before, then taken back by the card's bank, or voided before it left. */
  readonly takenBack: boolean;
  readonly reason: string | null;
  readonly amountMinor: number;
  readonly at: string | null;
}

/** Which kind of change each meaning is about. */
const KINDS: Readonly<Partial<Record<AdyenMeaning, Change['kind']>>> = {
  refund_pending: 'refund',
  capture: 'capture',
  cancel: 'cancel',
  refund: 'refund',
  capture_taken_back: 'capture',
  refund_taken_back: 'refund',
};

/** These take back what an earlier notification of the same reference had confirmed. */
const TAKES_BACK: ReadonlySet<AdyenMeaning> = new Set(['capture_taken_back', 'refund_taken_back']);

/** What the notification is about; one that Adyen may send in future says nothing. */
function meaningOf(item: JsonObject): AdyenMeaning {
  const meaning = oursOf(ADYEN_WORDS.eventCode, textAt(item, 'eventCode')) ?? 'nothing';
  if (meaning !== 'cancel_or_refund') return meaning;
  return textAt(item, 'additionalData', 'modification.action') === 'refund' ? 'refund' : 'cancel';
}

/** The changes by their own reference; a reason when one of them cannot be read. */
function changesOf(items: readonly JsonObject[], currency: string): Change[] | string {
  const byReference = new Map<string, Change>();
  for (const item of inOrder(items)) {
    const meaning = meaningOf(item);
    const kind = KINDS[meaning];
    if (kind === undefined) continue;
    const change = changeOf(item, { kind, meaning, currency });
    if (change === null) return `its ${String(item['eventCode'])} notification is unreadable`;
    byReference.set(change.pspReference, change);
  }
  for (const refund of items.filter(isVoiding)) {
    const voided = byReference.get(textAt(refund, 'originalReference') ?? '');
    if (voided?.kind !== 'refund') continue;
    const change = { ...voided, state: 'failed', takenBack: true, reason: 'voided' } as const;
    byReference.set(voided.pspReference, change);
  }
  return [...byReference.values()];
}

/** A pending refund was cancelled; it names the refund, not the payment. */
function isVoiding(item: JsonObject): boolean {
  return meaningOf(item) === 'refund_voided' && isSuccess(item);
}

/** By rank, then by time: what is postponed comes before its result, what takes back comes last. */
function inOrder(items: readonly JsonObject[]): JsonObject[] {
  const rank = (item: JsonObject): number => {
    const meaning = meaningOf(item);
    if (meaning === 'refund_pending') return 0;
    return TAKES_BACK.has(meaning) ? 2 : 1;
  };
  const time = (item: JsonObject): string => utcAt(item, 'eventDate') ?? '';
  return items.toSorted((a, b) => rank(a) - rank(b) || time(a).localeCompare(time(b)));
}

function changeOf(
  item: JsonObject,
  of: {
    readonly kind: Change['kind'];
    readonly meaning: AdyenMeaning;
    readonly currency: string;
  },
): Change | null {
  const pspReference = textAt(item, 'pspReference');
  const amount = amountOf(item);
  if (pspReference === null) return null;
  if (of.kind !== 'cancel' && amount?.currency !== of.currency) return null;
  const takenBack = TAKES_BACK.has(of.meaning);
  const done = of.meaning === 'refund_pending' ? 'pending' : 'succeeded';
  return {
    ...{ kind: of.kind, pspReference, takenBack, reason: textAt(item, 'reason') },
    reference: textAt(item, 'merchantReference'),
    state: isSuccess(item) && !takenBack ? done : 'failed',
    amountMinor: amount?.amountMinor ?? 0,
    at: utcAt(item, 'eventDate'),
  };
}

function isSuccess(item: JsonObject | undefined): boolean {
  return item?.['success'] === 'true' || item?.['success'] === true;
}

/** The sum of all captures: parts add up, and a tip may go beyond what was authorised. */
function capturedMinor(changes: readonly Change[]): number {
  return changes
    .filter(({ kind, state }) => kind === 'capture' && state === 'succeeded')
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

function statusOf(
  authorisation: JsonObject | undefined,
  changes: readonly Change[],
  { captured, byCapture }: { readonly captured: number; readonly byCapture: number },
): ChargeStatus {
  if (!isSuccess(authorisation)) return 'declined';
  // A cancellation after a capture releases the rest: what was captured stays so.
  if (byCapture > 0) return 'captured';
  if (changes.some(({ kind, state }) => kind === 'cancel' && state === 'succeeded')) {
    return 'voided';
  }
  if (captured > 0) return 'captured';
  const isFailed = changes.some(({ kind, state }) => kind === 'capture' && state === 'failed');
  return isFailed ? 'declined' : 'authorised';
}

function refundOf(
  { pspReference, reference, state, takenBack, reason, amountMinor, at }: Change,
  of: { readonly chargeReference: string; readonly currency: string },
): ProcessorRefund | null {
  return readableRefund({
    ...{ ...of, reference: pspReference, status: state, amountMinor, createdAt: at },
    // The `reference` of the refund call comes back as the merchant reference.
    idempotencyKey: reference,
    failureCode: reason,
    // What the bank gave back cannot be sent to the same card again.
    failureClass: takenBack ? 'final' : adyenClassOf(reason ?? ''),
  });
}

/** Whether a dispute is in force, and whether the bank has taken the money. */
type Dispute = 'none' | 'open' | 'taken';

const DISPUTES: Readonly<Partial<Record<AdyenMeaning, Dispute>>> = {
  dispute_open: 'open',
  dispute_taken: 'taken',
  dispute_over: 'none',
};

function disputeOf(items: readonly JsonObject[]): Dispute {
  const latest = new Map<string, Dispute>();
  for (const item of inOrder(items)) {
    const state = DISPUTES[meaningOf(item)];
    if (state !== undefined) latest.set(textAt(item, 'pspReference') ?? '', state);
  }
  const states = [...latest.values()];
  if (states.includes('taken')) return 'taken';
  return states.includes('open') ? 'open' : 'none';
}

function firstArn(items: readonly JsonObject[]): string | null {
  const arns = items.map((item) => textAt(item, 'additionalData', 'arn'));
  return arns.find((arn) => arn !== null) ?? null;
}
