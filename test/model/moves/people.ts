/** People: one transaction each, and true to what the processor's own page shows at that moment. */
import type { Offer } from '../move.ts';
import { isChangeable, pagePaidTwice, pageShrunk, settleRow, wantsMoney } from '../readings.ts';
import { isHeldByOlder, isWeak } from '../rim.ts';
import {
  acceptStands,
  chargebackAgainst,
  claimFor,
  isLive,
  othersFor,
  othersOn,
  oursFor,
  oursOn,
} from '../rows.ts';
import { happensBehindLooks } from '../truth.ts';
import { rowsChanged } from '../workers.ts';
import type { Alert, World } from '../world.ts';
import { alertAt, capturedOn, disputeOf, movementAt, OVER } from '../world.ts';
import { disputeActs } from './people-disputes.ts';
import { limitActs, wordActs } from './people-limits.ts';
import { olderAct, rimActs } from './people-rim.ts';

/** What a person may do, offered with what it costs and what follows in the same transaction. */
export type Act = (label: string, apply: (next: World) => void) => void;

export function peopleMoves(world: World, offer: Offer): void {
  if (world.people === 0 || world.moment === OVER) return;
  const act: Act = (label, apply) => {
    const done = (next: World): void => {
      apply(next);
      next.people -= 1;
      pagePaidTwice(next);
      rowsChanged(next);
    };
    offer(`PERSON ${label}`, done, 'person');
  };
  for (const alert of world.alerts) {
    if (alert.service !== 'ACTION_REQUIRED' || !world.chargeKnown) continue;
    decisionActs(world, act, alert);
    outsideAct(world, act, alert);
  }
  movementActs(world, act);
  disputeActs(world, act);
  limitActs(world, act);
  rimActs(world, act);
}

function mayDecide(world: World, alert: Alert): boolean {
  if (isChangeable(alert)) return true;
  const declaring = alert.case === 'DECLARE_REFUND' || alert.case === 'DECLARE_ACCEPT';
  return declaring && !world.rules.declareSticks;
}

function decisionActs(world: World, act: Act, alert: Alert) {
  if (!mayDecide(world, alert) || (isWeak(world, alert) && alert.dispute === 0)) return;
  const { index } = alert;
  const decide = (wanted: number) => (next: World) => {
    const decided = alertAt(next, index);
    decided.case = 'DECIDED_REFUND';
    decided.refusal = 'none';
    decided.wanted = wanted;
    const { older, vain } = next.scenario;
    decided.byPerson = older > 0 || vain;
    decided.told = 0;
    decided.secondAgreed = false;
  };
  const name = `for alert ${index + 1}`;
  const waiting = wantsMoney(alert) && alert.refusal === 'none' && alert.wanted === 0;
  const isHeld = isHeldByOlder(world, alert);
  // Who knows that the older refund was for it does not refund it again.
  if (isHeld && world.scenario.olderWasForIt) return olderAct(world, act, alert);
  if (!waiting || isHeld) act(`refunds what is missing ${name}`, decide(0));
  const plan = world.scenario.alerts[index];
  const isPart = plan !== undefined && plan.amount > 1 && !world.scenario.authorisedOnly;
  if (isPart) act(`refunds 1 ${name}`, decide(1));
  act(`accepts ${name}`, (next) => {
    const accepted = alertAt(next, index);
    accepted.case = 'DECIDED_ACCEPT';
    accepted.told = 0;
    accepted.secondAgreed = false;
  });
}

/** "This was refunded outside, reference X": of what is missing, where nothing of ours is under way. */
function outsideAct(world: World, act: Act, alert: Alert) {
  if (!wantsMoney(alert) && alert.case !== 'HUMAN') return;
  if (alert.dispute === 0 || !world.rules.movementsPerDispute) return;
  if (world.scenario.authorisedOnly) return;
  const { dispute, charge } = alert;
  const refunded = oursFor(world, dispute, 'live') + othersFor(world, dispute, 'out');
  const gone = refunded + chargebackAgainst(world, dispute);
  const rest = claimFor(world, dispute) - gone;
  const underWay = world.movements.some(
    (it) => it.dispute === dispute && isLive(it) && it.state !== 'CONFIRMED',
  );
  if (rest <= 0 || underWay || acceptStands(world, dispute, charge)) return;
  const onCharge = oursOn(world, charge, 'live') + othersOn(world, charge, 'out');
  if (onCharge + rest > capturedOn(world, charge)) return;
  const name = `for alert ${alert.index + 1}`;
  if (rest > world.scenario.approvalAbove) return wordActs(world, act, { alert, rest });
  act(`refunded ${rest} outside ${name}`, (next) => {
    alertAt(next, dispute - 1).outside += rest;
    happensBehindLooks(next, true);
  });
  if (world.scenario.errs && !world.rules.referenceOnce && countsElsewhere(world, dispute)) {
    act(`names money that counts already ${name}`, (next) => {
      alertAt(next, dispute - 1).saidAmiss += rest;
    });
  }
}

/** A reference that stands for money of another complaint. */
function countsElsewhere({ movements }: World, dispute: number): boolean {
  return movements.some((it) => it.state === 'CONFIRMED' && it.dispute !== dispute);
}

/** "It did execute, reference X" and "it did not". */
function movementActs(world: World, act: Act): void {
  world.movements.forEach(({ state, truth, outlived }, slot) => {
    if (state !== 'UNKNOWN' && !(state === 'HUMAN' && world.rules.humanExit)) return;
    if (truth !== 'none') {
      act(`says that request ${slot + 1} did execute`, (next) => {
        settleRow(next, movementAt(next, slot), truth);
        pageShrunk(next);
      });
    } else if (outlived || !world.rules.personWaitsLifetime) {
      act(`says that request ${slot + 1} did not execute`, (next) => didNotExecute(next, slot));
    }
  });
}

function didNotExecute(world: World, slot: number): void {
  const movement = movementAt(world, slot);
  movement.state = 'REJECTED';
  movement.again = false;
  for (const alert of world.alerts) {
    if (alert.case === 'none' || disputeOf(alert) !== movement.dispute) continue;
    if (wantsMoney(alert) || alert.case === 'HUMAN') {
      alert.case = 'DECIDED_REFUND';
      alert.refusal = 'none';
    }
  }
}
