/**
 * The ledger of one charge as plain data, and the questions that decide about its money: what may have
 * gone back, what a dispute is covered with, what may still go. Pure. Amounts are minor units of the
 * charge's currency; one in another currency is compared with nothing. `cover` counts for one dispute (L4).
 */
import type { Money } from '../../base/kernel/money.ts';
import type { ChargeStatus, FailureClass } from '../../service/wire/processor.ts';
import type { MovementKind, MovementState } from './movement-state.ts';
import { IN_FLIGHT, MAY_HAVE_EXECUTED } from './movement-state.ts';

/** A movement, reduced to what decides. */
export interface Movement {
  readonly id: string;
  readonly kind: MovementKind;
  readonly state: MovementState;
  readonly version: number;
  readonly disputeId: string | null;
  readonly alertId: string | null;
  /** Null: not ours. */
  readonly key: string | null;
  readonly round: number;
  readonly amountMinor: number;
  readonly currency: string;
  readonly reference: string | null;
  readonly observedFrom: string | null;
  readonly failureCode: string | null;
  readonly failureClass: FailureClass | null;
  readonly wasSent: boolean;
  /** The name of the processor that ours went through; null: not kept. */
  readonly processor: string | null;
  /** When the processor says that somebody else's money moved, in milliseconds since 1970; null: it does not say. */
  readonly movedAtMs: number | null;
  readonly covers: readonly Cover[];
}

/** A part of a movement that answers a dispute. */
export interface Cover {
  readonly disputeId: string;
  readonly amountMinor: number;
}

/** A dispute with the alerts that speak of it. */
export interface Dispute extends Money {
  readonly id: string;
  readonly alerts: readonly DisputedAlert[];
}

/** An alert of a charge. */
export interface DisputedAlert {
  readonly alertId: string;
  readonly caseState: string;
  readonly enrolmentType: string | null;
  readonly status: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** `ACCEPT_DISPUTE` was declared, or is about to be, or somebody said it in the service's dashboard. */
  readonly isAccepted: boolean;
  /** Accepted although this much had gone back, as a person was told. */
  readonly despiteMinor: number;
  /** `REFUND` was declared, or is about to be. */
  readonly isRefundDeclared: boolean;
  /** Its refund is decided and not made yet: it is under way, tried again, or waits for people. */
  readonly isToBeRefunded: boolean;
  /** When the complaint was raised: as the service says, else when we heard of it. In milliseconds since 1970. */
  readonly raisedAtMs: number;
}

/** One charge with everything that moved on it. */
export interface Ledger {
  readonly chargeReference: string;
  /** As the processor last showed it; null: it never did. */
  readonly status: ChargeStatus | null;
  /** What was captured, or authorised while nothing is captured; null: not known. */
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** When the processor was last read, in milliseconds since 1970; null: never. */
  readonly readAtMs: number | null;
  /** Whether the processor last showed a dispute; null: not known. */
  readonly isDisputed: boolean | null;
  readonly movements: readonly Movement[];
  /** In the order in which they were opened. */
  readonly disputes: readonly Dispute[];
  /** Alerts of the charge that belong to no dispute yet. */
  readonly unplaced: readonly DisputedAlert[];
  /** What the network refunded for another payment, or for this one: it is not known which. Null: nothing. */
  readonly networkInDoubt: Doubt | null;
  /** An alert that was accepted for no charge, and may be about this one. Null: none. */
  readonly acceptanceInDoubt: Doubt | null;
}

/** An alert that may be about this charge, although it is not placed on it. */
export interface Doubt {
  readonly alertId: string;
  /** Since when its money is known, in milliseconds since 1970. */
  readonly knownAtMs: number;
}

/** What was captured: nothing of what is only authorised, declined or released. */
export function capturedMinor({ status, amountMinor }: Ledger): number {
  return status === 'captured' ? (amountMinor ?? 0) : 0;
}

/** What the processor shows the other refunds of the charge as. */
export function otherReferences({ movements }: Ledger, id: string): ReadonlySet<string> {
  const beside = movements.filter((each) => each.id !== id && each.kind !== 'network');
  return new Set(beside.map(({ reference }) => reference).filter((each) => each !== null));
}

/** Whether the movement is our own. */
export function isOurs({ key }: Movement): boolean {
  return key !== null;
}

/** `failure_code` of a request in whose place the processor carried out another amount. */
export const ANOTHER_AMOUNT = 'another_amount';

/** Whether the movement ended because the processor carried out another amount under its key. */
export function isAnotherAmountEnd({ state, failureCode }: Movement): boolean {
  return state === 'REJECTED' && failureCode === ANOTHER_AMOUNT;
}

/** Whether it gives money back: a chargeback is the dispute itself. */
export function isRefund({ kind }: Movement): boolean {
  return kind !== 'chargeback';
}

/** Whether its money may have gone back. */
export function mayHaveExecuted(movement: Movement): boolean {
  const { state } = movement;
  return isOurs(movement)
    ? MAY_HAVE_EXECUTED.includes(state)
    : state === 'PENDING' || state === 'CONFIRMED';
}

/** Whether its money counts as gone back; `pendingCounts` is the processor's word about ours. */
export function isSettled(movement: Movement, pendingCounts: boolean): boolean {
  const { state, kind } = movement;
  return state === 'CONFIRMED' || (state === 'PENDING' && pendingCounts && kind !== 'network');
}

/** The movement of ours whose request may be unanswered; there is at most one (L2). */
export function inFlightOf({ movements }: Ledger): Movement | undefined {
  return movements.find((movement) => isOurs(movement) && IN_FLIGHT.includes(movement.state));
}

/** Money of ours that went through another processor: this one knows nothing of it, and may know another charge. */
export function throughAnother({ movements }: Ledger, processor: string): Movement | undefined {
  return movements.find((each) => mayHaveExecuted(each) && isOfAnother(each.processor, processor));
}

/** Whether a name that was kept is another one than today's. */
export function isOfAnother(kept: string | null, today: string): boolean {
  return kept !== null && kept !== today;
}

/** A movement of ours for the dispute that may have executed and is not settled. */
export function unsettledFor(
  { movements }: Ledger,
  disputeId: string | null,
): Movement | undefined {
  return movements.find(
    (each) =>
      isOurs(each) &&
      mayHaveExecuted(each) &&
      each.state !== 'CONFIRMED' &&
      each.disputeId === disputeId,
  );
}

/** What may have gone back on the charge in all (L1), in its currency. */
export function outMinor(ledger: Ledger): number {
  return sum(inCurrency(ledger).filter(mayHaveExecuted));
}

/** Money of the network in another currency: how much of the charge it is cannot be said before a person has. */
export function foreignOut(ledger: Ledger): readonly Movement[] {
  const own = inCurrency(ledger);
  return ledger.movements.filter(
    (each) =>
      !own.includes(each) &&
      each.amountMinor > 0 &&
      mayHaveExecuted(each) &&
      !own.some((said) => isSaidOf(said, each)),
  );
}

/** Whether a person has said by it how much the network's money is in the charge's currency. */
export function isSaidOf(said: Movement, network: Movement): boolean {
  const isWord = said.kind === 'external' && said.observedFrom !== 'processor';
  const isNetwork = network.kind === 'network' && network.alertId !== null;
  return isWord && isNetwork && mayHaveExecuted(said) && said.reference === network.alertId;
}

/** What may have gone back for one dispute, of anybody's. */
export function outForDispute(ledger: Ledger, disputeId: string): number {
  return coverSum(ledger.movements.filter(mayHaveExecuted), disputeId);
}

/** What has gone back for one dispute. */
export function coverOf(ledger: Ledger, disputeId: string, pendingCounts: boolean): number {
  const settled = ledger.movements.filter((movement) => isSettled(movement, pendingCounts));
  return coverSum(settled, disputeId);
}

/**
 * Whether somebody else's money moved before the complaint, or it is not known when, and no person has said that it is
 * for this one: then it was for something else, as far as anybody can tell. Only with all of the charge is it an answer.
 */
export function predates(movement: Movement, { alerts }: Pick<Dispute, 'alerts'>): boolean {
  const { kind, disputeId, observedFrom, movedAtMs } = movement;
  if (kind !== 'external' || disputeId !== null || observedFrom !== 'processor') return false;
  const standing = alerts.filter(({ status }) => status !== 'INVALID');
  return movedAtMs === null || standing.every(({ raisedAtMs }) => movedAtMs < raisedAtMs);
}

/** Money from before the dispute that answers none: it cannot be said whether it was for this one. */
export function unnamedBefore({ movements }: Ledger, dispute: Dispute): readonly Movement[] {
  return movements.filter(
    (each) => mayHaveExecuted(each) && predates(each, dispute) && surplusMinor(each) > 0,
  );
}

/** What of a movement answers no dispute. */
export function surplusMinor({ amountMinor, covers }: Movement): number {
  return amountMinor - covers.reduce((total, each) => total + each.amountMinor, 0);
}

/** Whether the whole charge has gone back, to whichever dispute. What the bank took is no refund. */
export function isWhollyReturned(ledger: Ledger, pendingCounts: boolean): boolean {
  const captured = capturedMinor(ledger);
  const settled = inCurrency(ledger).filter((each) => isSettled(each, pendingCounts));
  return captured > 0 && sum(settled.filter(isRefund)) >= captured;
}

/** Whether the authorisation was released, so that nothing was ever charged. */
export function isReleased({ movements }: Ledger): boolean {
  return movements.some(({ kind, state }) => kind === 'void' && state === 'CONFIRMED');
}

/** An alert's claim on the charge. */
export interface Claim {
  /** Null: it is not known to which dispute it belongs. */
  readonly disputeId: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** Whose claim it is. */
  readonly alertId?: string;
}

/** What an alert claims of its charge's ledger, by what the service last said of it. */
export function claimOfAlert(ledger: Ledger, alertId: string): Claim {
  const dispute = ledger.disputes.find(({ alerts }) =>
    alerts.some((alert) => alert.alertId === alertId),
  );
  const alerts = dispute?.alerts ?? ledger.unplaced;
  const alert = alerts.find((each) => each.alertId === alertId);
  return {
    alertId,
    disputeId: dispute?.id ?? null,
    amountMinor: alert?.amountMinor ?? null,
    currency: alert?.currency ?? null,
  };
}

/**
 * Whether `REFUND` is true of the alert (L4): its dispute's cover reaches its amount in its currency,
 * or the whole charge has gone back, or the authorisation was released.
 */
export function isCovered(ledger: Ledger, claim: Claim, pendingCounts: boolean): boolean {
  if (isReleased(ledger) || isWhollyReturned(ledger, pendingCounts)) return true;
  const { disputeId, amountMinor, currency } = claim;
  if (disputeId === null || amountMinor === null || amountMinor <= 0) return false;
  if (currency === null) return false;
  if (currency === ledger.currency) {
    const settled = ledger.movements.filter((each) => isSettled(each, pendingCounts));
    const dispute = disputeOf(ledger, disputeId);
    const answers = settled.filter((each) => dispute === undefined || !predates(each, dispute));
    return coverSum(answers, disputeId) >= amountMinor;
  }
  // The network gave back what it asks for, in the same currency.
  const back = foreignOut(ledger).filter((each) => isSettled(each, pendingCounts));
  const alike = back.filter((each) => each.currency === currency && each.disputeId === disputeId);
  return sum(alike) >= amountMinor;
}

/** The movement that a covered claim is declared with: one that is through before one in doubt. */
export function movementBehind(ledger: Ledger, { disputeId }: Claim): Movement | undefined {
  const refunds = ledger.movements.filter(isRefund);
  const through = refunds.filter((each) => isSettled(each, true));
  const standing = through.length > 0 ? through : refunds.filter(mayHaveExecuted);
  const own = standing.filter(({ covers }) => covers.some((each) => each.disputeId === disputeId));
  return own.find(isOurs) ?? own[0] ?? standing.find(isOurs) ?? standing[0];
}

/** What is missing for a claim: at most what its dispute is about, less what may have gone back for it. */
export function missingMinor(ledger: Ledger, dispute: Dispute): number {
  return Math.max(0, dispute.amountMinor - outForDispute(ledger, dispute.id));
}

/** What the charge has room for: nothing, while it cannot be said what went back. */
export function roomMinor(ledger: Ledger): number {
  if (foreignOut(ledger).length > 0) return 0;
  return Math.max(0, capturedMinor(ledger) - outMinor(ledger));
}

/**
 * Whether an alert of the dispute is accepted; with none known, any of the charge. An accepted alert
 * whose dispute is not known may be about this one, so it counts for each.
 */
export function isAccepted(ledger: Ledger, disputeId: string | null): boolean {
  const disputes = ledger.disputes.filter(({ id }) => disputeId === null || id === disputeId);
  const alerts = [...disputes.flatMap(({ alerts: members }) => members), ...ledger.unplaced];
  return alerts.some((each) => each.isAccepted);
}

/**
 * Whether another alert of the charge is to be refunded. Accepting one whose dispute is not known counts
 * against every refund of the charge, so only a person does that meanwhile.
 */
export function isRefundAhead({ disputes, unplaced }: Ledger, alertId: string): boolean {
  const alerts = [...disputes.flatMap((dispute) => dispute.alerts), ...unplaced];
  return alerts.some((each) => each.alertId !== alertId && each.isToBeRefunded);
}

/**
 * Whether money is out on the charge, or is about to go, for whichever complaint: an alert that may be about it is not
 * accepted then.
 */
export function hasMoneyOut(ledger: Ledger): boolean {
  const isOut = ledger.movements.some((each) => isRefund(each) && mayHaveExecuted(each));
  return isOut || ledger.networkInDoubt !== null || isRefundAhead(ledger, '');
}

/** The dispute of that id. */
export function disputeOf(ledger: Ledger, disputeId: string | null): Dispute | undefined {
  return ledger.disputes.find(({ id }) => id === disputeId);
}

function coverSum(movements: readonly Movement[], disputeId: string): number {
  return movements
    .flatMap(({ covers }) => covers)
    .filter((each) => each.disputeId === disputeId)
    .reduce((total, { amountMinor }) => total + amountMinor, 0);
}

function inCurrency({ movements, currency }: Ledger): readonly Movement[] {
  return currency === null ? movements : movements.filter((each) => each.currency === currency);
}

function sum(movements: readonly Movement[]): number {
  return movements.reduce((total, { amountMinor }) => total + amountMinor, 0);
}
