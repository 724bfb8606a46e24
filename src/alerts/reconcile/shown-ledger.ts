/**
 * A charge's ledger as the processor shows it now: what our rows say with the processor's own list
 * in place of their amounts. Pure; nothing is written, so that a comparison never changes what it
 * compares.
 */

import type { ProcessorCharge, ProcessorRefund } from '../../service/wire/processor.ts';
import { allocate } from '../ledger/allocate.ts';
import type { Ledger, Movement } from '../ledger/ledger.ts';
import { isOurs } from '../ledger/ledger.ts';
import type { Observed } from '../ledger/reading-changes.ts';
import {
  isAnotherAmount,
  isCountedAs,
  observedOf,
  readingChanges,
} from '../ledger/reading-changes.ts';

/** The ledger as shown, and what of the list our rows do not account for. */
export interface ShownLedger {
  readonly ledger: Ledger;
  /** Refunds that moved money or are about to. */
  readonly moved: readonly ProcessorRefund[];
  /** Moved under a key of ours that our rows call refused, or do not know. */
  readonly unbooked: readonly ProcessorRefund[];
  /** Moved, besides another one under the same key or reference of ours. */
  readonly repeated: readonly ProcessorRefund[];
  /** The refunds on the list that are this movement of ours. */
  readonly shownOf: (movement: Movement) => readonly ProcessorRefund[];
}

/** Whether the refund moved money or is about to. */
export function hasMoved({ status }: ProcessorRefund): boolean {
  return status !== 'failed';
}

export function sumOf(refunds: readonly ProcessorRefund[]): number {
  return refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** Draws it; `ourKeys` are all we have ever used on the charge and the next one, which is last. */
export function showLedger(
  ledger: Ledger,
  charge: ProcessorCharge,
  ourKeys: readonly string[],
): ShownLedger {
  const { own, repeated, observed } = readingChanges(ledger, charge, ourKeys.at(-1) ?? '');
  const isBooked = (refund: ProcessorRefund): boolean =>
    observedOf(ledger, refund).movement !== undefined;
  const shownOf = ({ id }: Movement): ProcessorRefund[] =>
    own
      .filter(({ movement, refund }) => movement.id === id && isCountedAs(movement, refund))
      .map(({ refund }) => refund);
  // Another amount than we asked for is booked as money of its own.
  const refused = own.filter(
    ({ movement, refund }) =>
      movement.state === 'REJECTED' && !isAnotherAmount(movement, refund) && !isBooked(refund),
  );
  const known = new Set([...own.map(({ refund }) => refund), ...repeated]);
  const isUnknownKey = (refund: ProcessorRefund): boolean =>
    !known.has(refund) && refund.idempotencyKey !== null && ourKeys.includes(refund.idempotencyKey);
  const unbooked = [...refused.map(({ refund }) => refund), ...charge.refunds.filter(isUnknownKey)];
  const drawn = {
    ...ledger,
    status: charge.status,
    amountMinor: charge.amountMinor,
    currency: charge.currency,
    movements: [
      ...ledger.movements.map((each) => drawnAs(each, { shown: shownOf(each), observed })),
      ...observed.flatMap(newlyObserved),
      ...unbooked.filter((refund) => isUnknownKey(refund) && hasMoved(refund)).map(asExternal),
    ],
  };
  return {
    ledger: allocate(drawn).ledger,
    moved: charge.refunds.filter(hasMoved),
    unbooked: unbooked.filter(hasMoved),
    repeated,
    shownOf,
  };
}

function drawnAs(
  movement: Movement,
  found: { readonly shown: readonly ProcessorRefund[]; readonly observed: readonly Observed[] },
): Movement {
  if (!isOurs(movement)) {
    const news = found.observed.find((each) => each.movement?.id === movement.id);
    if (news === undefined) return movement;
    const { state, amountMinor, currency } = news;
    return { ...movement, state, amountMinor, currency };
  }
  const moved = found.shown.filter(hasMoved);
  if (moved.length === 0) {
    const isMissing = movement.kind === 'refund' && movement.state === 'CONFIRMED';
    return isMissing ? { ...movement, state: 'REVERSED', covers: [] } : movement;
  }
  const inCurrency = moved.filter(({ currency }) => currency === movement.currency);
  const amountMinor = sumOf(inCurrency);
  const covers = movement.covers.map((each) => ({
    ...each,
    amountMinor: Math.min(each.amountMinor, amountMinor),
  }));
  return { ...movement, state: 'CONFIRMED', amountMinor, covers };
}

function newlyObserved({ movement, kind, reference, ...money }: Observed): Movement[] {
  return movement === undefined ? [observedMovement({ ...money, kind, reference })] : [];
}

function asExternal(refund: ProcessorRefund): Movement {
  const { reference, status, amountMinor, currency, createdAt: movedAt } = refund;
  const state = status === 'pending' ? 'PENDING' : 'CONFIRMED';
  return observedMovement({ kind: 'external', reference, state, amountMinor, currency, movedAt });
}

function observedMovement({ movedAt, ...observed }: Omit<Observed, 'movement'>): Movement {
  return {
    ...observed,
    movedAtMs: movedAt == null ? null : Date.parse(movedAt),
    id: `shown:${observed.reference}`,
    version: 1,
    disputeId: null,
    alertId: null,
    key: null,
    round: 1,
    observedFrom: 'processor',
    failureCode: null,
    failureClass: null,
    wasSent: false,
    processor: null,
    covers: [],
  };
}
