/** The transactions before an irreversible answer: cover for REFUND, nothing at stake for ACCEPT. */
import { isClosed, writeLook } from '../readings.ts';
import { isHeldByOlder, isWeak } from '../rim.ts';
import { covered, mayAccept, sumGoneBack } from '../rows.ts';
import { release, rowsChanged } from '../workers.ts';
import type { Alert, Worker, World } from '../world.ts';
import { alertAt, breaks, disputeOf, FALLBACK_DUE } from '../world.ts';
import { isFallbackDue, isHeldBack } from './looks.ts';
import { restCannot } from './people-limits.ts';
import { isRdrUntold } from './send.ts';

export function declareRefund(world: World, worker: Worker) {
  const alert = alertAt(world, worker.alert);
  if (worker.saw !== undefined) writeLook(world, worker.saw);
  rowsChanged(world, worker);
  const answered = alert.case === 'DECLARE_ACCEPT' || isClosed(alert);
  if (answered || !covered(world, alert)) return release(worker);
  checkWithdrawn(world, alert);
  alert.case = 'DECLARE_REFUND';
  Object.assign(worker, { doing: 'writes the PATCH', answer: 'REFUND', saw: undefined });
}

function checkWithdrawn(world: World, { withdrawnKnown }: Alert): void {
  if (withdrawnKnown) breaks(world, 'P4 an alert known to be withdrawn is answered');
}

export function declareAccept(world: World, worker: Worker) {
  const alert = alertAt(world, worker.alert);
  if (worker.saw !== undefined) writeLook(world, worker.saw);
  rowsChanged(world, worker);
  const byPerson = alert.case === 'DECIDED_ACCEPT' || alert.case === 'DECLARE_ACCEPT';
  if (!byPerson && !isFallbackDue(world, alert)) return release(worker);
  if (isClosed(alert) || alert.case === 'DECLARE_REFUND') return release(worker);
  const nothingAtStake = isBlind(world, alert, byPerson) || mayAccept(world, alert);
  if (!nothingAtStake && !isExcepted(world, alert)) {
    if (alert.case === 'DECIDED_ACCEPT' && !waitsForSecond(world, alert)) backToPeople(alert);
    return release(worker);
  }
  if (!byPerson) checkFallback(world, alert);
  endUnsentOf(world, disputeOf(alert));
  if (isRdrUntold(world)) worker.excused = true;
  checkWithdrawn(world, alert);
  if (nothingAtStake) alert.told = 0;
  alert.case = 'DECLARE_ACCEPT';
  Object.assign(worker, { doing: 'writes the PATCH', answer: 'ACCEPT', saw: undefined });
}

/** Without its rule nothing is looked at where no charge is known; without the other, not for a person. */
function isBlind(world: World, alert: Alert, byPerson: boolean): boolean {
  const { acceptLooksAtCandidates, personToldFirst } = world.rules;
  const isUntold = byPerson && alert.dispute === 0 && !personToldFirst;
  return isWeak(world, alert) && (!acceptLooksAtCandidates || isUntold);
}

function backToPeople(alert: Alert): void {
  Object.assign(alert, { case: 'HUMAN', told: 0, secondAgreed: false });
}

function waitsForSecond(world: World, { told, secondAgreed }: Alert): boolean {
  if (!world.rules.exceptionSecondPerson) return false;
  return told > world.scenario.acceptAbove && !secondAgreed;
}

/** P: the fallback at its own moment, and only after the processor was asked or could not be. */
function checkFallback(world: World, alert: Alert): void {
  if (world.moment < FALLBACK_DUE) breaks(world, "P1 conceded before the fallback's moment");
  if (alert.case === 'UNMATCHED' || alert.dispute === 0) return;
  if (!alert.refused && !isHeldBack(world, alert) && !isHeldByOlder(world, alert)) {
    breaks(world, 'P2 conceded although the processor was never asked');
  }
  if (!alert.refused && world.breakerStale) {
    breaks(world, 'P2 conceded although what held the refund back had ended');
  }
}

/** L5's exception: the sum is still what the person was told, and nothing is under way. */
function isExcepted(world: World, alert: Alert): boolean {
  const { rules } = world;
  const sum = sumGoneBack(world, disputeOf(alert));
  if (!world.scenario.exception) return false;
  if (alert.told === 0 && rules.exceptionByPerson) return false;
  if (alert.told > 0 && rules.exceptionTellsSum && sum !== alert.told) return false;
  if (!restCannot(world, alert)) return false;
  return !waitsForSecond(world, alert);
}

/** What was to be sent again for this dispute is not: ACCEPT_DISPUTE is on its way. */
function endUnsentOf(world: World, dispute: number): void {
  for (const movement of world.movements) {
    if (movement.dispute !== dispute) continue;
    movement.again = false;
    if (movement.state === 'INTENT') movement.state = 'NOT_SENT';
  }
}
