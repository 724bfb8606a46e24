/** Workers take up what is due: a case, an unknown request, or rows that differ from the processor. */
import type { Offer } from '../move.ts';
import { emptyLook, isClosed, wantsMoney } from '../readings.ts';
import { isHeldByOlder, isShownHere, isWeak } from '../rim.ts';
import { chargebackAgainst, covered, differs, holdsCharge, inFlightOn, missing } from '../rows.ts';
import type { Task } from '../workers.ts';
import { idleWorker, isClaimed, isHeld, rowsChanged, startTask } from '../workers.ts';
import type { Alert, Movement, World } from '../world.ts';
import { alertAt, FALLBACK_DUE, LAST_HOUR, movementAt, OVER } from '../world.ts';
import { chargeBecomesKnown } from './arrivals.ts';

export function lookMoves(world: World, offer: Offer) {
  if (world.scenario.charge === 'search' && !world.chargeKnown) offerSearch(world, offer);
  for (const alert of world.alerts) offerCase(world, offer, alert);
  for (const [slot, movement] of world.movements.entries()) {
    offerUnknown(world, offer, { movement, slot });
  }
  const routine = world.workers.some(({ doing }) => doing === 'looked');
  if (differs(world) && !routine && (world.moment !== LAST_HOUR || world.rules.lastHourLooks)) {
    const worker = idleWorker(world);
    if (worker < 0) return;
    const task: Task = { doing: 'looked', alert: 0, movement: -1 };
    offer('routine look, answered', (next) => startTask(next, worker, task));
    offerUnanswered(world, offer, 'routine look');
  }
}

/** Only in the last hour does it matter that a look was not answered: else the next one follows. */
function offerUnanswered(world: World, offer: Offer, label: string): void {
  if (world.unanswered || world.moment !== LAST_HOUR) return;
  offer(`${label}, not answered`, (next) => {
    next.unanswered = true;
  });
}

/** A look that a refusal to answer must not turn into "nothing there". */
function offerLook(world: World, offer: Offer, label: string, task: Task) {
  const worker = idleWorker(world);
  if (worker < 0) return;
  offer(`${label}, answered`, (next) => {
    const started = startTask(next, worker, task);
    const blind = task.doing === 'looked before sending' && !next.rules.lockedSend;
    if (blind) started.amountBefore = missing(next, alertAt(next, task.alert));
  });
  if (world.rules.unansweredIsUnknown) return offerUnanswered(world, offer, label);
  if (task.doing === 'looked before declaring') return;
  offer(`${label}, NOT ANSWERED`, (next) => {
    startTask(next, worker, task, emptyLook(next));
    next.unanswered = true;
  });
}

function offerSearch(world: World, offer: Offer): void {
  offer('the search for the charge is answered', chargeBecomesKnown);
  if (!world.rules.unansweredSearchIsOpen && !world.foundNothing) {
    offer('the search for the charge is NOT ANSWERED', (next) => {
      next.foundNothing = true;
      rowsChanged(next);
    });
  }
}

function offerCase(world: World, offer: Offer, alert: Alert) {
  const { index, service, case: state } = alert;
  if (
    state === 'none' ||
    service === 'absent' ||
    !isReadBefore(world, alert) ||
    isClaimed(world, index)
  )
    return;
  if (state === 'UNMATCHED' && isFallbackDue(world, alert)) offerUncharged(world, offer, alert);
  if (saysWithoutLook(world, alert)) return offerResumed(world, offer, alert);
  if (state === 'DECIDED_ACCEPT' && !world.chargeKnown) offerBlindAccept(world, offer, alert);
  if (state === 'UNMATCHED' || isClosed(alert) || !world.chargeKnown) return;
  if (mayDeclare(world, alert)) offerDeclare(world, offer, alert);
  else if (world.moment !== OVER) offerBeforeDeadline(world, offer, alert);
}

/** What is irreversible rests on what the service says of every alert of the charge, not of this one alone. */
function isReadBefore(world: World, { charge, index, corrected, correctedRead }: Alert): boolean {
  const { alerts, rules } = world;
  if (corrected && !correctedRead && rules.comparedBeforeSending) return false;
  return !alerts.some((it) => {
    if (it.charge !== charge || !isAnsweredUnread(it)) return false;
    if (it.index === index) return !it.elsewhere || rules.alertRead;
    return it.elsewhere && rules.alertsOfChargeRead;
  });
}

/** The service has an answer that our rows do not know. */
function isAnsweredUnread(alert: Alert): boolean {
  const isAnswered = alert.service === 'REFUNDED' || alert.service === 'ACCEPTED';
  return isAnswered && !isClosed(alert);
}

/** What is offered only while the service still takes an answer. */
function offerBeforeDeadline(world: World, offer: Offer, alert: Alert): void {
  const { case: state } = alert;
  if (state === 'DECLARE_REFUND') return;
  if (state === 'DECLARE_ACCEPT') {
    if (alert.patch === 'none') offerAccept(world, offer, alert);
    return;
  }
  if (state === 'DECIDED_ACCEPT' || isFallbackDue(world, alert)) offerAccept(world, offer, alert);
  offerSend(world, offer, alert);
}

function mayDeclare(world: World, alert: Alert): boolean {
  if (alert.dispute === 0 || alert.case === 'DECLARE_ACCEPT' || !covered(world, alert))
    return false;
  return alert.case !== 'DECLARE_REFUND' || alert.patch === 'none';
}

function offerDeclare(world: World, offer: Offer, { index }: Alert) {
  if (world.rules.freshBeforeDeclare) {
    const task: Task = { doing: 'looked before declaring', alert: index, movement: -1 };
    return offerLook(world, offer, `look before declaring alert ${index + 1}`, task);
  }
  const worker = idleWorker(world);
  if (worker < 0) return;
  offer(`alert ${index + 1} is declared from the rows`, (next) => {
    const task: Task = { doing: 'writes the PATCH', alert: index, movement: -1 };
    const started = startTask(next, worker, task);
    started.saw = undefined;
    started.answer = 'REFUND';
    alertAt(next, index).case = 'DECLARE_REFUND';
    rowsChanged(next, started);
  });
}

function offerAccept(world: World, offer: Offer, { index }: Alert): void {
  const task: Task = { doing: 'looked before accepting', alert: index, movement: -1 };
  offerLook(world, offer, `look before accepting alert ${index + 1}`, task);
}

/** The fallback of an alert without a charge: charges that it may be about are looked at first, or it is decided and said later. */
function offerUncharged(world: World, offer: Offer, alert: Alert) {
  const { index } = alert;
  if (isWeak(world, alert) && world.rules.acceptLooksAtCandidates) {
    return offerAccept(world, offer, alert);
  }
  if (!world.scenario.acceptsUnmatched) return offerBlindAccept(world, offer, alert);
  offer(`alert ${index + 1} without a charge: DECIDED_ACCEPT`, (next) => {
    alertAt(next, index).case = 'DECIDED_ACCEPT';
    rowsChanged(next);
  });
}

/** Decided before its order came, and said after it as if nothing had happened: only where that rule is removed. */
function saysWithoutLook({ scenario, rules, chargeKnown }: World, alert: Alert): boolean {
  const isResumed = scenario.acceptsUnmatched && !rules.resumedAcceptLooks && chargeKnown;
  return isResumed && alert.case === 'DECIDED_ACCEPT';
}

function offerResumed(world: World, offer: Offer, { index }: Alert): void {
  const worker = idleWorker(world);
  if (worker < 0) return;
  offer(`alert ${index + 1}: said as it was decided, DECLARE_ACCEPT`, (next) => {
    const task: Task = { doing: 'writes the PATCH', alert: index, movement: -1 };
    const started = startTask(next, worker, task);
    Object.assign(started, { saw: undefined, answer: 'ACCEPT' });
    alertAt(next, index).case = 'DECLARE_ACCEPT';
    rowsChanged(next, started);
  });
}

/** Where no charge is known there is nothing to look at. */
function offerBlindAccept(world: World, offer: Offer, { index }: Alert): void {
  const worker = idleWorker(world);
  if (worker < 0) return;
  const task: Task = { doing: 'looked before accepting', alert: index, movement: -1 };
  offer(`alert ${index + 1} without a charge is to be accepted`, (next) => {
    startTask(next, worker, task, emptyLook(next));
  });
}

/** The policy's fallback: after a refusal, or while nobody decided, or while a cause holds sending up. */
export function isFallbackDue(world: World, alert: Alert): boolean {
  const { moment, rules } = world;
  const atOnce = !rules.waitForFallback && alert.refusal !== 'none';
  if (moment < FALLBACK_DUE && !atOnce) return false;
  if (moment === OVER) return false;
  if (alert.case === 'UNMATCHED') return world.foundNothing || mayConcedeWeak(world, alert);
  if (alert.case === 'HUMAN') return alert.refusal === 'final' || mayConcedeUndecided(world, alert);
  if (!wantsMoney(alert)) return false;
  if (isHeldByOlder(world, alert)) return true;
  return alert.refusal !== 'none' || isHeldBack(world, alert);
}

/** As where nobody has decided which dispute it is: what it may be about is not to be refunded any more. */
function mayConcedeWeak(world: World, alert: Alert): boolean {
  if (!isWeak(world, alert)) return false;
  return !world.rules.acceptLooksAtCandidates || !world.alerts.some(wantsMoney);
}

/** Not while another alert of the charge still is to be refunded: conceding would stop its refund. */
function mayConcedeUndecided(world: World, alert: Alert): boolean {
  if (alert.dispute !== 0) return false;
  if (!world.rules.undecidedWaits) return true;
  return !world.alerts.some((it) => it.charge === alert.charge && wantsMoney(it));
}

/** A movement of its dispute never left, and what held it back still stands. */
export function isHeldBack(world: World, alert: Alert): boolean {
  return world.movements.some((it) => it.dispute === alert.dispute && causeStands(world, it));
}

export function causeStands(world: World, movement: Movement): boolean {
  if (movement.state !== 'NOT_SENT' || !movement.again) return false;
  if (movement.cause === 'cap') return world.capFull;
  if (movement.cause === 'breaker') return world.breakerOpen;
  return movement.approval === 'asked';
}

/** The movement of this dispute that is taken up again; -1: a new one. */
export function movementToRetry(world: World, dispute: number): number {
  return world.movements.findIndex((it, slot) => {
    if (it.dispute !== dispute) return false;
    if (it.state === 'INTENT') return !isHeld(world, slot) && it.approval !== 'asked';
    return it.again && !causeStands(world, it);
  });
}

export function mayReserve(world: World, alert: Alert, slot: number): boolean {
  const retried = world.movements[slot];
  const own = retried !== undefined && holdsCharge(world, retried) ? 1 : 0;
  if (world.rules.oneInFlight && inFlightOn(world, alert.charge) > own) return false;
  return world.rules.movementsPerDispute || slot >= 0 || world.movements.every(isFree);
}

function isFree({ state }: Movement): boolean {
  return state === 'none';
}

/** A retry waits for the fallback once that is due. */
function offerSend(world: World, offer: Offer, alert: Alert): void {
  if (!wantsMoney(alert) || alert.dispute === 0) return;
  if (alert.refusal !== 'none' && world.moment >= FALLBACK_DUE) return;
  if (isHeldBack(world, alert) || isHeldByOlder(world, alert)) return;
  const slot = movementToRetry(world, alert.dispute);
  const held = slot >= 0 ? movementAt(world, slot) : undefined;
  const reserved = held?.state === 'INTENT' ? held.amount : 0;
  const wanted =
    missing(world, alert) + reserved > 0 || chargebackAgainst(world, alert.dispute) > 0;
  if (!wanted || !mayReserve(world, alert, slot)) return;
  const task: Task = { doing: 'looked before sending', alert: alert.index, movement: slot };
  offerLook(world, offer, `look before sending for alert ${alert.index + 1}`, task);
}

/** The look for a request may end in sending it again: what the service says is read with it. */
function mayResend({ alerts, rules }: World, { charge, dispute }: Movement): boolean {
  const isChanged = alerts.some(
    (it) => it.dispute === dispute && it.corrected && !it.correctedRead,
  );
  if (isChanged && rules.resendCompares) return false;
  if (!rules.resendReadsAlerts) return true;
  return !alerts.some((it) => it.charge === charge && it.elsewhere && isAnsweredUnread(it));
}

/** A9: another provider is never asked about it, and never sent it. */
function leaveToPeople(
  offer: Offer,
  { movement, slot }: { readonly movement: Movement; readonly slot: number },
): void {
  if (movement.state === 'HUMAN') return;
  offer(`request ${slot + 1} went through another provider: HUMAN`, (next) => {
    movementAt(next, slot).state = 'HUMAN';
    rowsChanged(next);
  });
}

function offerUnknown(
  world: World,
  offer: Offer,
  { movement, slot }: { readonly movement: Movement; readonly slot: number },
) {
  const { state, truth, outlived, dispute } = movement;
  if (state === 'SENT' && !isHeld(world, slot)) {
    offer(`the lease of request ${slot + 1} is over: UNKNOWN`, (next) => {
      movementAt(next, slot).state = 'UNKNOWN';
      rowsChanged(next);
    });
  }
  const looked = state === 'UNKNOWN' || (state === 'HUMAN' && world.rules.humanExit);
  const isOpen = looked || state === 'PENDING';
  if (isOpen && !isShownHere(world, movement)) return leaveToPeople(offer, { movement, slot });
  if (!looked || world.moment === OVER || !mayResend(world, movement)) return;
  if (world.workers.some((it) => it.doing === 'looked for a request' && it.movement === slot))
    return;
  const tells = truth !== 'none' || outlived || world.moment === LAST_HOUR;
  if (!tells && world.rules.provenAbsent && world.rules.unansweredIsUnknown) return;
  const label = `look for request ${slot + 1}`;
  offerLook(world, offer, label, {
    doing: 'looked for a request',
    alert: dispute - 1,
    movement: slot,
  });
  if (state === 'UNKNOWN' && world.moment > 0 && world.rules.unansweredIsUnknown) {
    offer(`${label}, not answered for long: HUMAN`, (next) => {
      movementAt(next, slot).state = 'HUMAN';
      if (next.moment === LAST_HOUR) next.unanswered = true;
      rowsChanged(next);
    });
  }
}
