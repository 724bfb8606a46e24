/** What our rows say: sums of movements, cover, what is missing, and whether accepting is possible. */

import { isWeak, network, olderFor } from './rim.ts';
import type { Counting } from './truth.ts';
import { claimOf, counts } from './truth.ts';
import type { Alert, Movement, World } from './world.ts';
import { capturedRow, disputeOf } from './world.ts';

const IN_FLIGHT: ReadonlySet<string> = new Set(['INTENT', 'SENT', 'UNKNOWN', 'HUMAN']);
const LIVE: ReadonlySet<string> = new Set([...IN_FLIGHT, 'PENDING', 'CONFIRMED']);

/** Money that went or may have gone, or is reserved. */
export function isLive({ state }: Movement): boolean {
  return LIVE.has(state);
}

/** Nobody knows yet whether its request executed, or it has not left. */
export function isInFlight({ state }: Movement): boolean {
  return IN_FLIGHT.has(state);
}

export function holdsCharge(world: World, movement: Movement): boolean {
  return isInFlight(movement) || (!world.rules.pendingFreesCharge && movement.state === 'PENDING');
}

/** L2: in flight on this charge, as the unique index sees it. */
export function inFlightOn(world: World, charge: number): number {
  let count = 0;
  for (const it of world.movements) if (it.charge === charge && holdsCharge(world, it)) count += 1;
  return count;
}

function rowCounts({ state }: Movement, counting: Counting | 'live'): boolean {
  if (counting === 'settled') return state === 'CONFIRMED';
  if (counting === 'out') return state === 'CONFIRMED' || state === 'PENDING';
  return LIVE.has(state);
}

export function oursFor(world: World, dispute: number, counting: Counting | 'live'): number {
  let sum = 0;
  for (const it of world.movements) {
    if (it.dispute === dispute && rowCounts(it, counting)) sum += it.amount;
  }
  return sum;
}

export function oursOn(world: World, charge: number, counting: Counting | 'live'): number {
  let sum = 0;
  for (const it of world.movements) {
    if (it.charge === charge && rowCounts(it, counting)) sum += it.amount;
  }
  return sum;
}

/** Refunds of others as our rows know them. */
export function othersFor(world: World, dispute: number, counting: Counting): number {
  const { scenario, rules } = world;
  let sum = world.alerts[dispute - 1]?.outside ?? 0;
  if (world.supportDispute === dispute && counts(world.supportRead, counting)) {
    sum += scenario.support;
  }
  sum += world.alerts[dispute - 1]?.saidAmiss ?? 0;
  if (dispute !== 1) return sum;
  if (!rules.releaseIsNoRefund) sum += scenario.shownAsRefund;
  return sum + network(world, counting) + olderFor(world);
}

export function othersOn(world: World, charge: number, counting: Counting): number {
  let sum = 0;
  for (const alert of world.alerts) {
    if (alert.charge === charge) sum += alert.outside + alert.saidAmiss;
  }
  if (charge !== 0) return sum;
  if (counts(world.supportRead, counting)) sum += world.scenario.support;
  if (!world.rules.releaseIsNoRefund) sum += world.scenario.shownAsRefund;
  return sum + network(world, counting) + world.scenario.older;
}

export function chargebackRow({ chargebackRead, scenario }: World): number {
  return chargebackRead === 'settled' ? scenario.chargeback : 0;
}

/** The chargeback where it stops a refund: it speaks of the first dispute. */
export function chargebackAgainst(world: World, dispute: number): number {
  return dispute === 1 && world.rules.chargebackStopsRefund ? chargebackRow(world) : 0;
}

export function charges(world: World): number[] {
  return world.scenario.captured.map((_, charge) => charge);
}

/** What a dispute claims, in its charge's currency. */
export function claimFor(world: World, dispute: number): number {
  let claim = 0;
  for (const alert of world.alerts) {
    if (alert.case === 'none' || disputeOf(alert) !== dispute) continue;
    if (!world.rules.largestClaim && claim > 0) continue;
    claim = Math.max(claim, claimOf(world, alert));
  }
  return claim;
}

/** What the rows count as the refundable whole of a charge. */
export function wholeOf(world: World, charge: number): number {
  const captured = capturedRow(world, charge);
  return world.rules.remainderOfCapture ? captured : captured + world.scenario.shownAsRefund;
}

function wentBackOn(world: World, charge: number): number {
  const taken = charge === 0 && !world.rules.chargebackIsNoCover ? chargebackRow(world) : 0;
  return oursOn(world, charge, 'settled') + othersOn(world, charge, 'settled') + taken;
}

function wholeChargeWentBack(world: World, charge: number): boolean {
  if (!world.rules.wholeChargeCovers) return false;
  if (world.rules.captureIsCharge) return wentBackOn(world, charge) >= capturedRow(world, charge);
  const sum = charges(world).reduce((total, it) => total + wentBackOn(world, it), 0);
  return sum >= capturedRow(world, charge);
}

function released(world: World, charge: number): boolean {
  return world.rules.voidCovers && charge === 0 && world.authorisationRead === 'released';
}

/** Voids move no money: without their rule they cover nothing. */
function ownCover(world: World, alert: Alert): number {
  const dispute = disputeOf(alert);
  if (world.rules.ownCover) {
    return oursFor(world, dispute, 'settled') + othersFor(world, dispute, 'settled');
  }
  return oursOn(world, alert.charge, 'settled') + othersOn(world, alert.charge, 'settled');
}

/** L4 as our rows see it. */
export function covered(world: World, alert: Alert): boolean {
  if (released(world, alert.charge)) return true;
  if (world.scenario.authorisedOnly && world.authorisationRead !== 'captured') return false;
  if (wholeChargeWentBack(world, alert.charge)) return true;
  const plan = world.scenario.alerts[alert.index];
  if (plan === undefined || (plan.otherCurrency && world.rules.currencyCompared)) return false;
  return ownCover(world, alert) >= plan.amount;
}

/** L3 and L1: what may still be sent for an alert, by its dispute. */
export function missing(world: World, alert: Alert): number {
  const dispute = disputeOf(alert);
  const gone =
    oursFor(world, dispute, 'live') +
    othersFor(world, dispute, 'out') +
    chargebackAgainst(world, dispute);
  const rest = claimAboveCapture(world, alert) - gone;
  return alert.wanted > 0 ? Math.min(rest, alert.wanted) : rest;
}

/** Without the rule about captures the claim is cut at what was authorised. */
function claimAboveCapture(world: World, alert: Alert): number {
  const claim = claimFor(world, disputeOf(alert));
  const plan = world.scenario.alerts[alert.index];
  if (world.rules.remainderOfCapture || plan === undefined) return claim;
  return Math.min(plan.amount, wholeOf(world, alert.charge));
}

/** What went back for a dispute, as a person is told it. */
export function sumGoneBack(world: World, dispute: number): number {
  return oursFor(world, dispute, 'live') + othersFor(world, dispute, 'out');
}

/** Stopped by nothing but the acceptance of an alert whose dispute nobody has decided. */
export function isStoppedByUndecided(world: World, alert: Alert): boolean {
  const own = { ...world, rules: { ...world.rules, undecidedAcceptStands: false } };
  const dispute = disputeOf(alert);
  const stopped = acceptStands(world, dispute, alert.charge);
  return stopped && !acceptStands(own, dispute, alert.charge);
}

/**
 * An ACCEPT_DISPUTE stands or is on its way for this dispute; or for an alert of the charge of which
 * nobody has said which dispute it is, and which may therefore be this one.
 */
export function acceptStands(world: World, dispute: number, charge: number): boolean {
  return world.alerts.some((it) => {
    if (it.case !== 'DECLARE_ACCEPT' && !isAcceptedRow(it)) return false;
    if (it.orphan) return false;
    const unknown = it.dispute === 0 && it.charge === charge;
    const stands = isWeak(world, it)
      ? world.rules.weakAcceptStands
      : world.rules.undecidedAcceptStands;
    return disputeOf(it) === dispute || (unknown && stands);
  });
}

/** L5 by the rows, under the charge's lock. Where nobody has decided, the whole charge counts. */
export function mayAccept(world: World, alert: Alert): boolean {
  return !oursStopAccept(world, alert) && !othersStopAccept(world, alert);
}

function concerns(alert: Alert, dispute: number): boolean {
  return alert.dispute === 0 || alert.dispute === dispute;
}

function oursStopAccept(world: World, alert: Alert): boolean {
  const { rules } = world;
  return world.movements.some((it) => {
    if (it.state === 'none' || !concerns(alert, it.dispute)) return false;
    if (!rules.movementsPerDispute) return true;
    if (it.state === 'INTENT') return false;
    return it.state === 'CONFIRMED' ? rules.acceptSeesSettled : isLive(it);
  });
}

function othersStopAccept(world: World, alert: Alert): boolean {
  const { rules } = world;
  const said = ({ outside, saidAmiss, index }: Alert): boolean =>
    outside + saidAmiss > 0 && concerns(alert, index + 1);
  if (world.alerts.some(said)) return true;
  if (concerns(alert, 1)) {
    if (network(world, 'out') > 0 || olderFor(world) > 0) return true;
    if (!rules.chargebackLetsAccept && chargebackRow(world) > 0) return true;
  }
  return rules.acceptSeesOthers && supportStopsAccept(world, alert);
}

function supportStopsAccept({ supportRead, supportDispute, rules }: World, alert: Alert): boolean {
  if (!concerns(alert, supportDispute)) return false;
  return supportRead === 'pending' || (supportRead === 'settled' && rules.acceptSeesSettled);
}

type Sees = Pick<World['rules'], 'exceptionFound' | 'conflictPaged'>;

const SEES_ALL: Sees = { exceptionFound: true, conflictPaged: true };

/** An answer of this kind stands at the service, ours or somebody else's. */
function isAcceptedRow({ case: state, service }: Alert): boolean {
  const remote = state === 'CLOSED_REMOTE' || state === 'CONFLICT';
  return state === 'DECLARED_ACCEPT' || (remote && service === 'ACCEPTED');
}

/** More than a claim, more than a charge, or money beside an accepted dispute. */
export function paidTwice(world: World, sees: Sees = SEES_ALL): boolean {
  for (const charge of charges(world)) {
    const taken = charge === 0 ? chargebackRow(world) : 0;
    const gone = oursOn(world, charge, 'out') + othersOn(world, charge, 'out') + taken;
    if (gone > capturedRow(world, charge)) return true;
  }
  return world.alerts.some((alert) => {
    if (alert.case === 'none') return false;
    const dispute = disputeOf(alert);
    const gone = oursFor(world, dispute, 'out') + othersFor(world, dispute, 'out');
    const excepted = alert.told > 0 && !sees.exceptionFound;
    const seen = !excepted && (!alert.elsewhere || sees.conflictPaged);
    if (isAcceptedRow(alert) && gone > 0 && seen) return true;
    return gone > claimFor(world, dispute);
  });
}

/** The processor's answer differs from our rows: somebody has to look. */
export function differs(world: World): boolean {
  if (world.support !== world.supportRead || world.chargeback !== world.chargebackRead) return true;
  if (world.disputed !== world.disputedRead) return true;
  if (world.capturedMore !== world.capturedMoreRead) return true;
  return world.movements.some(({ state, truth, provider }) => {
    // Another provider shows nothing of it.
    if (provider !== world.provider) return false;
    if (state === 'PENDING') return truth !== 'pending';
    if (state === 'CONFIRMED') return truth !== 'settled';
    return state === 'HUMAN' && world.rules.humanExit && truth !== 'none';
  });
}
