/**
 * What a reading of the charge changes in its ledger: the processor's list of refunds against our rows.
 * Pure.
 *
 * Our own movements are recognised by key or reference and follow what is shown; absence proves nothing
 * about them. Under our key another amount is not what we asked for: it is booked as it is shown, and our
 * own movement ends. A second refund under one key is money of its own. Everything else on the list is
 * somebody else's money, and is written again by every reading: what is no longer listed is no longer there.
 */
import { standingAmong } from '../../service/processor/standing-refund.ts';
import type { ProcessorCharge, ProcessorRefund } from '../../service/wire/processor.ts';
import type { Ledger, Movement } from './ledger.ts';
import { isOurs } from './ledger.ts';
import type { MovementState, ObservedState } from './movement-state.ts';
import { referenceKey } from './reference.ts';

/** Somebody else's money, as it is to be in the ledger. */
export interface Observed {
  readonly kind: 'external' | 'void' | 'chargeback';
  /** The movement that represents it; undefined: none yet. */
  readonly movement: Movement | undefined;
  readonly reference: string;
  readonly state: ObservedState;
  readonly amountMinor: number;
  readonly currency: string;
  /** Which dispute it answers, where that is known. */
  readonly disputeId?: string;
  /** When the processor says that it was made. */
  readonly movedAt?: string | null;
}

/** What the processor shows of a movement of ours. */
export interface OwnShown {
  readonly movement: Movement;
  readonly refund: ProcessorRefund;
}

/** What a reading changes. */
export interface ReadingChanges {
  readonly own: readonly OwnShown[];
  /** Money that moved besides `own` under the same key or reference; it is among `observed` too. */
  readonly repeated: readonly ProcessorRefund[];
  /** Those that differ from what is stored. */
  readonly observed: readonly Observed[];
  /**
   * A refund that carries the next key of ours, which our rows do not know: made in time that was lost. One
   * that fitted no dispute counts as somebody else's from then on.
   */
  readonly forgotten: ProcessorRefund | undefined;
}

const STATE_OF: Readonly<Record<ProcessorRefund['status'], ObservedState>> = {
  succeeded: 'CONFIRMED',
  pending: 'PENDING',
  failed: 'REVERSED',
};

/** Why a release of ours counts as failed. */
const CAPTURED_AFTER_RELEASE = 'captured_after_release';

/** Releases of ours that were confirmed, of a charge that is shown as captured all the same. */
function releasesUndone(ours: readonly Movement[], charge: ProcessorCharge): OwnShown[] {
  if (charge.status !== 'captured') return [];
  return ours
    .filter(({ kind, state }) => kind === 'void' && state === 'CONFIRMED')
    .map((movement) => ({
      movement,
      refund: {
        reference: charge.reference,
        idempotencyKey: movement.key,
        chargeReference: charge.reference,
        status: 'failed',
        failureCode: CAPTURED_AFTER_RELEASE,
        failureClass: 'final',
        amountMinor: 0,
        currency: movement.currency,
        createdAt: null,
      },
    }));
}

const MAY_END_AS_ANOTHER: ReadonlySet<MovementState> = new Set([
  'UNKNOWN',
  'HUMAN',
  'PENDING',
  'REJECTED',
]);

/** Whether the processor carried out another amount under the key of this movement. */
export function isAnotherAmount(
  { kind, state, amountMinor, currency }: Movement,
  refund: ProcessorRefund,
): boolean {
  const isMoney = kind === 'refund' && refund.status !== 'failed' && refund.currency === currency;
  return isMoney && MAY_END_AS_ANOTHER.has(state) && refund.amountMinor !== amountMinor;
}

/**
 * Whether the movement itself counts what is shown of it. A refund that failed once, and one that we take
 * for refused and that is shown in another currency, count as somebody else's where they are shown as made.
 */
export function isCountedAs(movement: Movement, refund: ProcessorRefund): boolean {
  if (movement.state === 'REVERSED' || isAnotherAmount(movement, refund)) return false;
  return movement.state !== 'REJECTED' || movement.currency === refund.currency;
}

const SHOWN_AS: Readonly<Record<ProcessorRefund['status'], MovementState>> = {
  succeeded: 'CONFIRMED',
  pending: 'PENDING',
  failed: 'REJECTED',
};

/** Whether a movement of ours is shown as it is stored: most are. */
export function isShownAsStored({ movement, refund }: OwnShown): boolean {
  const { state } = movement;
  // Its own end, once it is booked.
  if (isAnotherAmount(movement, refund)) return state === 'REJECTED';
  return state === SHOWN_AS[refund.status] || state === 'REVERSED';
}

/** Compares; `nextKey` is the key that a new request of ours would carry. */
export function readingChanges(
  ledger: Ledger,
  charge: ProcessorCharge,
  nextKey: string,
): ReadingChanges {
  // What never left is not at the processor: its key is that of the next request.
  const ours = ledger.movements.filter((each) => isOurs(each) && each.state !== 'NOT_SENT');
  const ownOf = (refund: ProcessorRefund): Movement | undefined =>
    ours.find(({ key }) => key === refund.idempotencyKey) ?? namedBy(ours, refund.reference);
  const refunds = distinct(charge.refunds);
  const forgotten = refunds.find(
    (refund) =>
      refund.idempotencyKey === nextKey &&
      refund.status !== 'failed' &&
      ownOf(refund) === undefined &&
      observedOf(ledger, refund).movement === undefined,
  );
  const own = ours.flatMap((movement) => {
    const shown = refunds.filter((refund) => ownOf(refund) === movement);
    const refund = standingAmong(shown, movement.reference);
    return refund === undefined ? [] : [{ movement, refund }];
  });
  const repeated = refunds.filter(
    (refund) =>
      refund.status !== 'failed' &&
      ownOf(refund) !== undefined &&
      !own.some((each) => each.refund === refund),
  );
  own.push(...releasesUndone(ours, charge));
  const others = refunds.flatMap((refund) => {
    const movement = ownOf(refund);
    if (movement === undefined) return refund === forgotten ? [] : [observedOf(ledger, refund)];
    if (refund.status === 'failed') return [];
    if (!repeated.includes(refund) && isCountedAs(movement, refund)) return [];
    const { disputeId } = movement;
    return [{ ...observedOf(ledger, refund), ...(disputeId === null ? {} : { disputeId }) }];
  });
  const observedNow = [...others, ...ofCharge(ledger, charge)];
  const gone = ledger.movements
    .filter(isFromProcessor)
    .filter((movement) => !observedNow.some((each) => each.movement?.id === movement.id))
    .map(asGone);
  return { own, repeated, forgotten, observed: [...observedNow, ...gone].filter(isNews) };
}

/** What the processor shows can change this movement; what a person or the network said it cannot. */
function isFromProcessor(movement: Movement): boolean {
  return !isOurs(movement) && movement.observedFrom === 'processor';
}

function asGone(movement: Movement): Observed {
  const { kind, reference, currency } = movement;
  return {
    kind: kind === 'void' || kind === 'chargeback' ? kind : 'external',
    movement,
    reference: reference ?? movement.id,
    state: 'REVERSED',
    amountMinor: 0,
    currency,
  };
}

/** Pages that overlap name a refund twice. */
function distinct(refunds: readonly ProcessorRefund[]): readonly ProcessorRefund[] {
  const references = new Set<string>();
  return refunds.filter(({ reference }) => !references.has(reference) && references.add(reference));
}

/** The movement of that reference: a person who named it before the processor did may have written it otherwise. */
function namedBy(movements: readonly Movement[], shown: string): Movement | undefined {
  return (
    movements.find(({ reference }) => reference === shown) ??
    movements.find(
      ({ reference }) => reference !== null && referenceKey(reference) === referenceKey(shown),
    )
  );
}

/** A refund as somebody else's. A person may have said before the processor did that it was made. */
export function observedOf({ movements }: Ledger, refund: ProcessorRefund): Observed {
  const state = STATE_OF[refund.status];
  return {
    kind: 'external',
    movement: namedBy(
      movements.filter((each) => !isOurs(each) && each.kind === 'external'),
      refund.reference,
    ),
    reference: refund.reference,
    state,
    amountMinor: state === 'REVERSED' ? 0 : refund.amountMinor,
    currency: refund.currency,
    movedAt: refund.createdAt,
  };
}

/** What the charge itself says: released by somebody else, or taken back by the issuer. */
function ofCharge(ledger: Ledger, charge: ProcessorCharge): Observed[] {
  const find = (kind: 'void' | 'chargeback'): Movement | undefined =>
    ledger.movements.find((each) => isFromProcessor(each) && each.kind === kind);
  const shared = {
    reference: charge.reference,
    currency: charge.currency,
    state: 'CONFIRMED',
  } as const;
  const isReleasedByUs = ledger.movements.some(
    (each) =>
      isOurs(each) &&
      each.kind === 'void' &&
      each.state !== 'REJECTED' &&
      each.state !== 'NOT_SENT',
  );
  const observed: Observed[] = [];
  if (charge.status === 'voided' && !isReleasedByUs) {
    observed.push({ ...shared, kind: 'void', movement: find('void'), amountMinor: 0 });
  }
  if (isChargedBack(charge)) {
    const amountMinor = charge.amountMinor - refundedMinor(charge);
    observed.push({ ...shared, kind: 'chargeback', movement: find('chargeback'), amountMinor });
  }
  return observed;
}

function isNews({ movement, state, amountMinor, currency }: Observed): boolean {
  if (movement === undefined) return state !== 'REVERSED';
  return (
    movement.state !== state ||
    (state !== 'REVERSED' &&
      (movement.amountMinor !== amountMinor || movement.currency !== currency))
  );
}

/** What refunds have moved or are about to move; failed ones moved nothing. */
function refundedMinor({ refunds }: ProcessorCharge): number {
  return refunds
    .filter(({ status }) => status !== 'failed')
    .reduce((total, { amountMinor }) => total + amountMinor, 0);
}

/** Whether the bank has taken the money back: a dispute is open, nothing is left, and it was not refunded. */
export function isChargedBack(charge: ProcessorCharge): boolean {
  const isTaken = charge.refundableMinor === 0 && refundedMinor(charge) < charge.amountMinor;
  return charge.disputed && charge.status === 'captured' && isTaken;
}
