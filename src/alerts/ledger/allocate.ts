/**
 * Which dispute somebody else's money answers: the first that still lacks some, in the order in which
 * they were opened. A dispute whose alerts were all withdrawn takes none: the money is for another. Pure.
 *
 * What moved before a complaint is for a part of the charge only where a person names it (`predates`); a dispute about the
 * whole charge takes it, as it is covered with all of the charge only.
 *
 * What may be a request of ours that waits for its answer answers nothing new until that is known.
 * What was allocated stays, so that a declaration built on it stays true; a movement that shrinks gives
 * up what it covered last. The network's money answers its own alert's dispute only.
 */
import type { Cover, Dispute, Ledger, Movement } from './ledger.ts';
import {
  disputeOf,
  inFlightOf,
  isOurs,
  mayHaveExecuted,
  outForDispute,
  predates,
} from './ledger.ts';

/** A movement whose covers are to be these from now on. */
export interface Allocation {
  readonly movement: Movement;
  readonly covers: readonly Cover[];
}

/** The ledger with its covers in order, and which changed. */
export function allocate(ledger: Ledger): { ledger: Ledger; changed: readonly Allocation[] } {
  const others = ledger.movements.filter((movement) => !isOurs(movement));
  let current = ledger;
  // What one gives up is there for all: every movement gives up first.
  for (const movement of others) current = withCovers(current, movement, keep(ledger, movement));
  for (const { id } of others) {
    const movement = current.movements.find((each) => each.id === id);
    if (movement !== undefined) current = withCovers(current, movement, extend(current, movement));
  }
  const changed: Allocation[] = [];
  for (const movement of others) {
    const covers = current.movements.find(({ id }) => id === movement.id)?.covers ?? [];
    if (isSame(movement.covers, covers)) current = withCovers(current, movement, movement.covers);
    else changed.push({ movement, covers });
  }
  return { ledger: current, changed };
}

/** What the movement can still cover of what it covered, the oldest dispute first. */
function keep(ledger: Ledger, movement: Movement): Cover[] {
  const { disputes } = ledger;
  if (!mayHaveExecuted(movement)) return [];
  let left = movement.amountMinor;
  const age = (cover: Cover): number => disputes.findIndex(({ id }) => id === cover.disputeId);
  const covers = movement.covers
    .filter(({ disputeId }) => mayStay(ledger, movement, disputeId))
    .sort((a, b) => age(a) - age(b));
  return covers.flatMap(({ disputeId, amountMinor }) => {
    const part = Math.min(amountMinor, left);
    left -= part;
    return part > 0 ? [{ disputeId, amountMinor: part }] : [];
  });
}

function extend(ledger: Ledger, movement: Movement): readonly Cover[] {
  if (!mayHaveExecuted(movement) || movement.kind === 'chargeback') return movement.covers;
  if (isMaybeOurs(ledger, movement)) return movement.covers;
  let left = movement.amountMinor - total(movement.covers);
  const covers = new Map(movement.covers.map((each) => [each.disputeId, each.amountMinor]));
  for (const dispute of disputesFor(ledger, movement)) {
    const lacking = dispute.amountMinor - outForDispute(ledger, dispute.id);
    const part = Math.min(left, lacking);
    if (part <= 0) continue;
    covers.set(dispute.id, (covers.get(dispute.id) ?? 0) + part);
    left -= part;
  }
  return [...covers].map(([disputeId, amountMinor]) => ({ disputeId, amountMinor }));
}

/** What a declaration was built on stays. */
function mayStay(ledger: Ledger, movement: Movement, disputeId: string): boolean {
  const dispute = disputeOf(ledger, disputeId);
  if (dispute === undefined || dispute.alerts.some((each) => each.isRefundDeclared)) return true;
  return mayAnswer(ledger, movement, dispute);
}

function mayAnswer(ledger: Ledger, movement: Movement, dispute: Dispute): boolean {
  return !predates(movement, dispute) || dispute.amountMinor >= (ledger.amountMinor ?? 0);
}

/** Of the amount that we asked for and have no answer to: not every processor shows our keys. */
function isMaybeOurs(ledger: Ledger, { observedFrom, amountMinor, currency }: Movement): boolean {
  const asked = inFlightOf(ledger);
  const isAlike = asked?.amountMinor === amountMinor && asked.currency === currency;
  return observedFrom === 'processor' && isAlike;
}

function disputesFor(ledger: Ledger, movement: Movement): readonly Dispute[] {
  const inCurrency = ledger.disputes.filter(
    (each) => each.currency === movement.currency && mayAnswer(ledger, movement, each),
  );
  if (movement.disputeId !== null) return inCurrency.filter(({ id }) => id === movement.disputeId);
  if (movement.kind === 'network') return [];
  return inCurrency.filter(({ alerts }) => alerts.some(({ status }) => status !== 'INVALID'));
}

function withCovers(ledger: Ledger, { id }: Movement, covers: readonly Cover[]): Ledger {
  const movements = ledger.movements.map((each) => (each.id === id ? { ...each, covers } : each));
  return { ...ledger, movements };
}

function isSame(before: readonly Cover[], after: readonly Cover[]): boolean {
  const amounts = new Map(before.map((each) => [each.disputeId, each.amountMinor]));
  return (
    before.length === after.length &&
    after.every((each) => amounts.get(each.disputeId) === each.amountMinor)
  );
}

function total(covers: readonly Cover[]): number {
  return covers.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}
