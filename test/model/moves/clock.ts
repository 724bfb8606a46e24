/** Time. A request and a lease live less than one moment; answers and looks may be early or late. */
import type { Offer } from '../move.ts';
import { isLeftToPeople, isShownHere } from '../rim.ts';
import { covered, differs, mayAccept } from '../rows.ts';
import { trulyCovered } from '../truth.ts';
import { leaseEnds } from '../workers.ts';
import type { Alert, World } from '../world.ts';
import { breaks, LAST_HOUR, OVER } from '../world.ts';

const CLOCK_LABELS = ['', 'clock: fallback due', 'clock: last hour', 'clock: deadline'] as const;

export function clockMoves(world: World, offer: Offer): void {
  const { moment } = world;
  if (moment === OVER) return;
  if (moment === LAST_HOUR && !isHindered(world) && isWorkDue(world)) return;
  offer(CLOCK_LABELS[moment + 1] ?? '', tick);
}

/** Somebody did not answer or was paused in the last hour: then work may stay undone. */
function isHindered({ unanswered, workers }: World): boolean {
  return unanswered || workers.some(({ leaseOver }) => leaseOver);
}

/** What the design has done before the last hour may end. */
function isWorkDue(world: World): boolean {
  if (world.workers.some(({ doing }) => doing !== 'nothing')) return true;
  if (differs(world) && world.rules.lastHourLooks) return true;
  if (isRdrBehind(world)) return true;
  if (world.movements.some((it) => it.state === 'SENT' || isUnresolved(world, it))) return true;
  return world.alerts.some(
    (it) => isOpen(it) && it.dispute !== 0 && world.chargeKnown && covered(world, it),
  );
}

function isUnresolved(world: World, movement: World['movements'][number]): boolean {
  const { state, truth } = movement;
  // Of another provider: people are asked.
  if (state === 'HUMAN' && !isShownHere(world, movement)) return false;
  const looked = state === 'UNKNOWN' || (state === 'HUMAN' && world.rules.humanExit);
  return looked && truth !== 'none';
}

/** An RDR event has come that is not in our rows yet. */
function isRdrBehind({ rdr, rdrRead, rdrRow, chargeKnown }: World): boolean {
  return rdr !== rdrRead && rdrRow !== 'forgotten' && chargeKnown;
}

export function isOpen({ service, case: state }: Alert): boolean {
  return service === 'ACTION_REQUIRED' && state !== 'none';
}

function tick(world: World): void {
  if (world.moment === LAST_HOUR && !isHindered(world)) checkNothingWasLeft(world);
  world.moment += 1;
  world.unanswered = false;
  world.capFull = false;
  endRequests(world);
  for (const worker of world.workers) leaseEnds(world, worker);
  for (const alert of world.alerts) endPatch(world, alert);
  probeBreaker(world);
  findWaitingRdr(world);
}

/** L7: settled money, everybody answered, and yet no answer in time. */
function checkNothingWasLeft(world: World): void {
  if (isRdrBehind(world) || !world.chargeKnown || isLeftToPeople(world)) return;
  if (world.movements.some((it) => !isShownHere(world, it))) return;
  if (world.workers.some(({ doing }) => doing !== 'nothing')) return;
  if (world.alerts.some((it) => isOpen(it) && it.dispute !== 0 && trulyCovered(world, it))) {
    breaks(world, 'L7 missed although the money had settled and everybody answered');
  }
}

/** No request lives longer than a moment, and no approval. */
function endRequests(world: World): void {
  for (const movement of world.movements) {
    movement.requests = 0;
    const { state } = movement;
    if (state === 'SENT' || state === 'UNKNOWN' || state === 'HUMAN') movement.outlived = true;
    movement.agreed = 0;
    if (world.rules.approvalEnds) movement.approval = 'none';
  }
}

/** A PATCH can no longer arrive: an answer that may not be repeated is decided anew. */
function endPatch(world: World, alert: Alert): void {
  alert.patch = 'none';
  alert.patchExcused = false;
  if (alert.service !== 'ACTION_REQUIRED') return;
  if (world.rules.declareReopens && !mayBeRepeated(world, alert)) {
    alert.case = 'HUMAN';
    alert.told = 0;
    alert.secondAgreed = false;
  }
  if (world.moment === OVER && alert.case !== 'none' && world.rules.deadlineSweep) {
    alert.missedPaged = true;
  }
}

function mayBeRepeated(world: World, alert: Alert): boolean {
  if (alert.case === 'DECLARE_REFUND') return covered(world, alert);
  if (alert.case === 'DECLARE_ACCEPT') return mayAccept(world, alert);
  return true;
}

/** After a while an open breaker lets one request through. */
function probeBreaker(world: World): void {
  if (!world.breakerOpen) return;
  if (!world.rules.breakerProbes) {
    world.breakerStale = !world.credentialsWrong;
    return;
  }
  world.breakerOpen = false;
  world.breakerPaged = false;
  world.oursInRow = world.scenario.breakerAfter - 1;
}

/** L8: the comparison of the books once a day. */
function findWaitingRdr(world: World): void {
  if (world.rdrRow !== 'waiting') return;
  if (world.rules.waitingRdrFound) world.rdrFound = true;
  if (world.moment >= LAST_HOUR && !world.rdrFound) {
    breaks(world, 'L8 network money without a charge for a day, and no finding');
  }
}
