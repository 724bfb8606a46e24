/** The transactions around sending: reserve (INTENT), send (SENT or NOT_SENT), send again. */
import { refuseCase, wantsMoney, writeLook } from '../readings.ts';
import {
  acceptStands,
  chargebackAgainst,
  claimFor,
  inFlightOn,
  isLive,
  isStoppedByUndecided,
  missing,
  othersFor,
  othersOn,
  oursFor,
  oursOn,
  wholeOf,
} from '../rows.ts';
import { networkMoved } from '../truth.ts';
import { isHeld, release, rowsChanged } from '../workers.ts';
import type { Alert, Movement, Worker, World } from '../world.ts';
import { alertAt, breaks, disputeOf, movementAt, NO_MOVEMENT, OVER } from '../world.ts';
import { causeStands, mayReserve } from './looks.ts';

/** Under the charge's lock: everything is checked again on what was just seen. */
export function reserve(world: World, worker: Worker) {
  const alert = alertAt(world, worker.alert);
  if (world.rules.lockedSend && worker.saw !== undefined) writeLook(world, worker.saw);
  rowsChanged(world, worker);
  giveBackIntent(world, worker.movement);
  const amount = world.rules.lockedSend ? missing(world, alert) : worker.amountBefore;
  if (world.rules.lockedSend) {
    if (!mayStillReserve(world, worker)) return release(worker);
    if (amount <= 0 && chargebackAgainst(world, alert.dispute) === 0) return release(worker);
    if (amount <= 0 || cannotGoBack(world, alert, amount)) {
      endRetry(world, worker.movement);
      refuseHere(world, alert);
      return release(worker);
    }
  }
  const slot = slotFor(world, { alert, retried: worker.movement, amount });
  if (slot < 0) {
    // Out of rows: beyond the bounds of this search.
    alert.case = 'HUMAN';
    return release(worker);
  }
  alert.case = alert.wanted > 0 ? 'HUMAN' : 'REFUNDING';
  alert.wanted = 0;
  Object.assign(worker, { doing: 'reserved', movement: slot, saw: undefined, amountBefore: 0 });
}

/** Where a person asked for what cannot be made, the policy's fallback is back. */
function refuseHere(world: World, alert: Alert): void {
  refuseCase(alert, 'final');
  if (alert.byPerson && !world.rules.vainActKeepsFallback) alert.refusal = 'none';
  alert.refused = !isStoppedByUndecided(world, alert) || hasPersonActed(world);
}

/** What a person accepted is the person's matter; what the fallback conceded is ours. */
function hasPersonActed({ people, scenario }: World): boolean {
  return people < scenario.people;
}

/** An INTENT that another worker left behind is reserved anew. */
function giveBackIntent(world: World, slot: number): void {
  const movement = world.movements[slot];
  if (movement?.state !== 'INTENT') return;
  movement.state = 'NOT_SENT';
  movement.again = true;
  movement.cause = 'none';
}

function mayStillReserve(world: World, worker: Worker): boolean {
  const alert = alertAt(world, worker.alert);
  const retried = world.movements[worker.movement];
  if (!wantsMoney(alert) || alert.dispute === 0) return false;
  if (retried !== undefined && (!retried.again || causeStands(world, retried))) return false;
  return mayReserve(world, alert, worker.movement);
}

/** L5 and L1: beside an ACCEPT_DISPUTE or a chargeback, or beyond what was captured, no refund begins. */
function cannotGoBack(world: World, alert: Alert, amount: number): boolean {
  const accepted = acceptStands(world, disputeOf(alert), alert.charge);
  if (accepted && world.rules.noRefundBesideAccept) return true;
  return goneOn(world, alert.charge) + amount > wholeOf(world, alert.charge);
}

function goneOn(world: World, charge: number): number {
  const taken = charge === 0 ? chargebackAgainst(world, 1) : 0;
  return oursOn(world, charge, 'live') + othersOn(world, charge, 'out') + taken;
}

function endRetry(world: World, slot: number): void {
  const retried = world.movements[slot];
  if (retried !== undefined) retried.again = false;
}

/** The row that is sent: the retried one at the same amount, else a new one. -1: no row left. */
function slotFor(
  world: World,
  wanted: { readonly alert: Alert; readonly retried: number; readonly amount: number },
): number {
  const { alert, retried, amount } = wanted;
  const kind = kindOf(world);
  const old = world.movements[retried];
  if (old !== undefined && isSame(world, old, { ...NO_MOVEMENT, kind, amount })) {
    if (world.rules.retryReservesAnew && !world.rules.approvalBindsAmount) old.amount = amount;
    Object.assign(old, { state: 'INTENT', again: false, cause: 'none' });
    return retried;
  }
  if (old !== undefined) old.again = false;
  const slot = world.movements.findLastIndex(({ state }) => state === 'none');
  if (slot < 0) return slot;
  const approval = inheritedApproval(world, alert.charge);
  const plan = world.scenario.alerts[alert.index];
  world.movements[slot] = {
    ...NO_MOVEMENT,
    state: 'INTENT',
    kind,
    charge: alert.charge,
    dispute: disputeOf(alert),
    complaint: alert.complaint,
    amount,
    otherCurrency: plan?.otherCurrency === true && !world.rules.chargeCurrencyMoves,
    approval,
    provider: world.provider,
  };
  return slot;
}

/** Another amount, or a refund in place of a void, is another movement. */
function isSame({ rules }: World, old: Movement, wanted: Movement): boolean {
  if (old.kind !== wanted.kind) return false;
  return old.amount === wanted.amount || !rules.retryReservesAnew || !rules.approvalBindsAmount;
}

function kindOf({ authorisationRead, rules, scenario }: World): Movement['kind'] {
  if (!rules.kindFromLook) return scenario.authorisedOnly ? 'void' : 'refund';
  return authorisationRead === 'captured' ? 'refund' : 'void';
}

/** Without its rule an approval serves whatever else moves on the charge. */
function inheritedApproval(world: World, charge: number): Movement['approval'] {
  if (world.rules.approvalBindsMovement) return 'none';
  const given = world.movements.some((it) => it.charge === charge && it.approval === 'given');
  return given ? 'given' : 'none';
}

/** The guards, read in the transaction that sends. */
export function send(world: World, worker: Worker) {
  const movement = movementAt(world, worker.movement);
  rowsChanged(world, worker);
  const cause = heldBackBy(world, movement);
  if (cause !== 'none') {
    release(worker);
    return holdBack(world, movement, cause);
  }
  const known = world.alerts.filter(({ dispute }) => dispute === movement.dispute);
  if (known.every(({ withdrawnKnown }) => withdrawnKnown)) {
    breaks(world, 'P4 money sent for an alert known to be withdrawn');
  }
  movement.state = 'SENT';
  movement.outlived = false;
  movement.excused = worker.excused || isRdrUntold(world);
  worker.doing = 'writes the request';
}

/** RDR has refunded, and nobody has told us yet. */
export function isRdrUntold(world: World): boolean {
  if (!networkMoved(world) || world.rdrRow === 'forgotten') return false;
  return world.rdrRead !== world.rdr || world.rdrRow === 'none' || !world.chargeKnown;
}

function heldBackBy(world: World, movement: Movement): Movement['cause'] {
  if (world.capFull) return 'cap';
  if (world.breakerOpen && (world.rules.breakerEverywhere || movement.dispute === 1)) {
    return 'breaker';
  }
  const beside = world.rules.limitCountsComplaint ? besideFor(world, movement) : 0;
  const sum = movement.amount + beside;
  const above = sum > world.scenario.approvalAbove && movement.kind === 'refund';
  return above && movement.approval !== 'given' ? 'approval' : 'none';
}

/** What else went back, or may have, for its complaint because of us. */
function besideFor(world: World, movement: Movement): number {
  const own = isLive(movement) ? movement.amount : 0;
  return oursFor(world, movement.dispute, 'live') - own;
}

function holdBack(world: World, movement: Movement, cause: Movement['cause']): void {
  if (cause === 'approval') movement.approval = 'asked';
  if (cause === 'approval' && !world.rules.approvalFreesCharge) return;
  movement.state = 'NOT_SENT';
  movement.again = true;
  movement.cause = cause;
  if (world.rules.notSentIsNoRefusal) return;
  for (const alert of world.alerts) {
    if (alert.dispute !== movement.dispute || !wantsMoney(alert)) continue;
    alert.case = 'HUMAN';
    alert.refusal = 'final';
  }
}

/** An INTENT that nobody holds and no case wants any more. */
export function endUnsent(world: World, slot: number): (() => void) | undefined {
  const movement = movementAt(world, slot);
  if (movement.state !== 'INTENT' || isHeld(world, slot)) return undefined;
  const wanted = world.alerts.some((it) => it.dispute === movement.dispute && wantsMoney(it));
  if (wanted && world.moment < OVER) return undefined;
  return () => {
    Object.assign(movement, { state: 'NOT_SENT', again: false, cause: 'none' });
    rowsChanged(world);
  };
}

/** What was seen of an unknown request: booked; or proven absent, and sent again or ended. */
export function resend(world: World, worker: Worker) {
  const { movement: slot, saw } = worker;
  const movement = movementAt(world, slot);
  if (saw !== undefined) writeLook(world, saw);
  rowsChanged(world, worker);
  const unresolved = movement.state === 'UNKNOWN' || movement.state === 'HUMAN';
  if (!unresolved || (saw?.ours[slot] ?? 'none') !== 'none') return release(worker);
  if (!world.rules.provenAbsent) {
    movement.state = 'REJECTED';
    return release(worker);
  }
  const mayStillExecute = !movement.outlived && world.rules.unansweredIsUnknown;
  if (mayStillExecute || world.moment === OVER) return release(worker);
  if (!isStillWanted(world, movement)) {
    movement.state = 'REJECTED';
    return release(worker);
  }
  if (heldBackBy(world, movement) !== 'none') {
    // Proven never to execute, and not to be sent now: tried again as what was refused is.
    Object.assign(movement, { state: 'REJECTED', again: true });
    return release(worker);
  }
  const excused = worker.excused || isRdrUntold(world);
  Object.assign(movement, {
    state: 'SENT',
    outlived: false,
    excused,
    provider: world.provider,
  });
  Object.assign(worker, { doing: 'writes the request', saw: undefined });
}

function isStillWanted(world: World, movement: Movement): boolean {
  const { dispute, charge } = movement;
  if (acceptStands(world, dispute, charge) && world.rules.noRefundBesideAccept) return false;
  const claimed =
    oursFor(world, dispute, 'live') +
    othersFor(world, dispute, 'out') +
    chargebackAgainst(world, dispute);
  if (claimed > claimFor(world, dispute)) return false;
  if (inFlightOn(world, charge) > 1 && world.rules.oneInFlight) return false;
  const open = world.alerts.some((it) => {
    const isAnother = it.correctedRead && world.rules.resendCompares;
    return it.dispute === dispute && !it.withdrawnKnown && !isAnother;
  });
  return goneOn(world, charge) <= wholeOf(world, charge) && open;
}
