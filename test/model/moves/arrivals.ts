/** Alerts, orders, RDR, support and the issuer: what others do, and when we hear of it. */
import type { Offer } from '../move.ts';
import { pagePaidTwice, pageShrunk } from '../readings.ts';
import { firstCase, matchedCase } from '../start.ts';
import { happensBehindLooks, networkMoved, trueOthersOn, trueOursOn } from '../truth.ts';
import { rowsChanged } from '../workers.ts';
import type { Alert, RdrStatus, World } from '../world.ts';
import { alertAt, capturedOn, LAST_HOUR, OVER } from '../world.ts';

export function arrivalMoves(world: World, offer: Offer): void {
  if (world.moment < LAST_HOUR) {
    offerNextAlert(world, offer);
    if (world.scenario.charge === 'order' && !world.chargeKnown) {
      offer('the order arrives, the charge is known', chargeBecomesKnown);
    }
    if (world.scenario.rdrWithoutOrder && world.rdrRow === 'waiting') {
      offer("RDR's order arrives", (next) => matchRdr(next));
    }
  }
  offerWithdrawals(world, offer);
  offerRdr(world, offer);
  offerSupport(world, offer);
  offerChargeback(world, offer);
  if (world.credentialsWrong) {
    offer('the credentials are put right', (next) => {
      next.credentialsWrong = false;
      next.oursInRow = 0;
    });
  }
  if (world.capFull) {
    offer("the cap's window ends", (next) => {
      next.capFull = false;
    });
  }
  if (world.authorisation === 'authorised' && world.moment < LAST_HOUR) {
    offer('the merchant captures the charge', (next) => {
      next.authorisation = 'captured';
    });
  }
}

function offerNextAlert(world: World, offer: Offer): void {
  const next = world.alerts.findIndex(({ service }) => service === 'absent');
  const plan = world.scenario.alerts[next];
  if (plan === undefined) return;
  const label = `alert ${next + 1} arrives`;
  if (plan.joins !== 'ask' || (world.scenario.complaints === 'people' && !plan.weak)) {
    offer(label, (it) => alertArrives(it, next, plan.joins === 'same' ? 1 : next + 1));
    return;
  }
  offer(`${label}, of the same complaint`, (it) => alertArrives(it, next, 1));
  offer(`${label}, of another complaint`, (it) => alertArrives(it, next, next + 1));
}

function alertArrives(world: World, index: number, complaint: number): void {
  const alert = alertAt(world, index);
  const plan = world.scenario.alerts[index];
  if (plan === undefined) return;
  alert.service = 'ACTION_REQUIRED';
  alert.complaint = complaint;
  alert.dispute = plan.weak ? 0 : disputeByRule(world, index);
  const isUnclear = alert.dispute === 0 && !plan.weak;
  alert.case = isUnclear ? 'HUMAN' : firstCase(world, plan);
  rowsChanged(world);
}

/** The product's rule: the same dispute, one of its own, or a person is asked. */
function disputeByRule({ scenario, rules }: World, index: number): number {
  const joins = scenario.alerts[index]?.joins;
  if (joins === 'same') return 1;
  if (joins === 'own') return index + 1;
  if (scenario.complaints === 'people') return 0;
  if (!rules.samePartIsNotJoined) return 1;
  return rules.samePartIsNotParted ? 0 : index + 1;
}

/** A new order or a search that was answered: every case it touches goes on. */
export function chargeBecomesKnown(world: World): void {
  world.chargeKnown = true;
  world.foundNothing = false;
  if (!world.scenario.rdrWithoutOrder && !world.scenario.rdrSign) matchRdr(world);
  for (const alert of world.alerts) {
    const plan = world.scenario.alerts[alert.index];
    if (plan === undefined || plan.weak) continue;
    if (adoptsAcceptance(world, alert)) continue;
    if (alert.case !== 'UNMATCHED' || !world.rules.factsWake) continue;
    alert.case = matchedCase(world, plan);
  }
  rowsChanged(world);
}

/** What was accepted before its order came stands on the charge from now on; what was decided and not said is decided anew. */
function adoptsAcceptance(world: World, alert: Alert): boolean {
  const { scenario, rules } = world;
  if (!scenario.acceptsUnmatched) return false;
  const plan = scenario.alerts[alert.index];
  if (alert.case === 'DECIDED_ACCEPT' && plan !== undefined && rules.resumedAcceptLooks) {
    alert.case = matchedCase(world, plan);
  }
  const isAccepted = alert.case === 'DECLARE_ACCEPT' || alert.case === 'DECLARED_ACCEPT';
  if (isAccepted && !rules.acceptanceAdopted) alert.orphan = true;
  return alert.case !== 'UNMATCHED';
}

export function matchRdr(world: World): void {
  if (world.rdrRow !== 'waiting') return;
  world.rdrRow = 'matched';
  pageShrunk(world);
  pagePaidTwice(world);
  rowsChanged(world);
}

function offerWithdrawals(world: World, offer: Offer): void {
  for (const alert of world.alerts) {
    if (alert.service === 'ACTION_REQUIRED' && world.withdrawals > 0 && world.moment < OVER) {
      offer(`alert ${alert.index + 1} is withdrawn`, (next) => {
        alertAt(next, alert.index).service = 'INVALID';
        next.withdrawals -= 1;
      });
    }
    if (alert.service === 'INVALID' && !alert.withdrawnKnown) {
      offer(`the event says that alert ${alert.index + 1} is withdrawn`, (next) => {
        closeWithdrawn(next, alertAt(next, alert.index));
      });
    }
  }
}

function closeWithdrawn(world: World, alert: Alert): void {
  alert.withdrawnKnown = true;
  if (world.rules.withdrawnStops) alert.case = 'CLOSED_INVALID';
  for (const other of world.alerts) {
    const twin = other !== alert && other.dispute === alert.dispute && other.case !== 'none';
    if (twin && !world.rules.twinGoesOn) other.case = 'CLOSED_INVALID';
  }
  rowsChanged(world);
}

const RDR_CHANGES: readonly RdrStatus[] = ['REFUNDED', 'NOT_REFUNDED', 'INVALID'];

const RDR_UNSAID: readonly RdrStatus[] = [
  ...RDR_CHANGES,
  'UNSAID, REFUNDED',
  'UNSAID, LET THROUGH',
];

function offerRdr(world: World, offer: Offer): void {
  const changes = world.scenario.unsaid ? RDR_UNSAID : RDR_CHANGES;
  for (const status of world.flips > 0 ? changes : []) {
    if (status === world.rdr) continue;
    offer(`RDR becomes ${status}`, (next) => {
      next.rdr = status;
      next.flips -= 1;
      happensBehindLooks(next, networkMoved(next));
    });
  }
  const news = world.rdr !== 'none' && (world.rdrRead !== world.rdr || world.rdrRow === 'none');
  const first = world.rdrRow === 'none';
  if (news && world.rdrRow !== 'forgotten' && (first || world.rules.rdrRecomputed)) {
    offer('the event of RDR is applied', applyRdr);
  }
}

function applyRdr(world: World): void {
  const { rdrWithoutOrder, rdrSign } = world.scenario;
  const chargeUnknown = rdrWithoutOrder || rdrSign || !world.chargeKnown;
  if (world.rdrRow === 'none') {
    world.rdrRow = chargeUnknown ? waitsOrNot(world) : 'matched';
  }
  world.rdrRead = world.rdr;
  pageShrunk(world);
  pagePaidTwice(world);
  rowsChanged(world);
}

function waitsOrNot({ rules }: World): 'waiting' | 'forgotten' {
  return rules.rdrWaits ? 'waiting' : 'forgotten';
}

function offerSupport(world: World, offer: Offer): void {
  const { scenario, support } = world;
  const gone = trueOursOn(world, 0, 'out') + trueOthersOn(world, 0, 'out');
  const fits = !scenario.refusesOver || gone + scenario.support <= capturedOn(world, 0);
  if (scenario.support > 0 && support === 'none' && world.moment < OVER && fits) {
    for (const money of ['pending', 'settled'] as const) {
      offer(`support refunds ${scenario.support}, ${money}`, (next) => {
        next.support = money;
        happensBehindLooks(next, true);
      });
    }
  }
  if (support === 'pending') {
    const settles = (next: World): void => {
      next.support = 'settled';
    };
    offer("support's refund settles", settles, 'settles');
    offer("support's refund fails", supportFails, 'settles');
  }
  if (support === 'settled' && world.trouble > 0) {
    offer("support's refund is reversed", (next) => {
      next.trouble -= 1;
      supportFails(next);
    });
  }
}

function supportFails(world: World): void {
  world.support = 'failed';
  happensBehindLooks(world, false);
}

function offerChargeback(world: World, offer: Offer): void {
  if (world.scenario.chargeback === 0) return;
  if (world.chargeback === 'none' && world.moment < OVER) {
    offer('the issuer charges back', (next) => {
      next.chargeback = 'settled';
      happensBehindLooks(next, false);
    });
  }
  if (world.chargeback === 'settled') {
    const wonBack = (next: World): void => {
      next.chargeback = 'failed';
      happensBehindLooks(next, false);
    };
    offer('the chargeback is won back', wonBack, 'settles');
  }
}
