/** Second persons, accepting although a part went back, and the breaker. */

import type { Offer } from '../move.ts';
import { covered, isLive, othersFor, oursFor, sumGoneBack } from '../rows.ts';
import { happensBehindLooks } from '../truth.ts';
import type { Alert, World } from '../world.ts';
import { alertAt, breaks, movementAt } from '../world.ts';
import type { Act } from './people.ts';

export function limitActs(world: World, act: Act): void {
  const { shownSlot, shownAmount, rules } = world;
  world.movements.forEach(({ approval, amount }, slot) => {
    if (approval !== 'asked' || shownSlot < 0) return;
    const isShown = slot === shownSlot && amount === shownAmount;
    if (!isShown && rules.agreesToShown) return;
    act(
      `agrees to a refund of ${shownAmount}, which is request ${slot + 1} of ${amount}`,
      (next) => {
        const movement = movementAt(next, slot);
        movement.approval = 'given';
        movement.agreed = shownAmount;
        next.shownSlot = -1;
        next.shownAmount = 0;
      },
    );
  });
  if (world.scenario.exception) for (const alert of world.alerts) exceptionActs(world, act, alert);
  if (world.breakerOpen) {
    act('closes the breaker', (next) => {
      next.breakerOpen = false;
      next.breakerPaged = false;
      next.oursInRow = 0;
    });
  }
}

/** L5's exception: a part went back and the rest cannot; the person is told the sum. */
function exceptionActs(world: World, act: Act, alert: Alert): void {
  const { index } = alert;
  if (alert.service !== 'ACTION_REQUIRED' || alert.dispute === 0) return;
  const sum = sumGoneBack(world, alert.dispute);
  if (alert.case === 'HUMAN' && sum > 0 && !covered(world, alert) && restCannot(world, alert)) {
    act(`accepts alert ${index + 1} although ${sum} went back`, (next) => {
      const accepted = alertAt(next, index);
      accepted.case = 'DECIDED_ACCEPT';
      accepted.told = sum;
      accepted.secondAgreed = false;
    });
  }
  if (alert.told > 0 && !alert.secondAgreed && alert.told > world.scenario.acceptAbove) {
    act(`agrees to accept alert ${index + 1}`, (next) => {
      alertAt(next, index).secondAgreed = true;
    });
  }
}

/** Nothing is in flight or pending, and the processor refused the rest for good. */
export function restCannot(world: World, alert: Alert): boolean {
  if (!world.rules.exceptionRestCannot) return true;
  const { dispute } = alert;
  if (alert.refusal !== 'final') return false;
  const underWay = world.movements.some(
    (it) => it.dispute === dispute && isLive(it) && it.state !== 'CONFIRMED',
  );
  const others = othersFor(world, dispute, 'out') - othersFor(world, dispute, 'settled');
  return !underWay && others === 0 && oursFor(world, dispute, 'out') >= 0;
}

/** A second person opens the page, which shows what is asked for now. */
export function pageMoves(world: World, offer: Offer): void {
  if (world.people === 0) return;
  world.movements.forEach(({ approval, amount }, slot) => {
    const isShown = slot === world.shownSlot && amount === world.shownAmount;
    if (approval !== 'asked' || isShown) return;
    offer(`a second person's page shows request ${slot + 1} of ${amount}`, (next) => {
      next.shownSlot = slot;
      next.shownAmount = amount;
    });
  });
}

/** "Refunded outside" above the limit: one person says it, and it takes effect when another one says the same. */
export function wordActs(
  world: World,
  act: Act,
  { alert, rest }: { readonly alert: Alert; readonly rest: number },
): void {
  const { index, dispute, wordSaid } = alert;
  const name = `refunded ${rest} outside for alert ${index + 1}`;
  const takesEffect = (next: World): void => {
    alertAt(next, dispute - 1).outside += rest;
    alertAt(next, index).wordSaid = false;
    happensBehindLooks(next, true);
  };
  if (!wordSaid) {
    act(`${name}, says one person`, (next) => {
      alertAt(next, index).wordSaid = true;
    });
    return;
  }
  act(`${name}, says another person`, takesEffect);
  if (world.rules.approvalNamesWord) return;
  const isAgreed = world.movements.some((it) => it.dispute === dispute && it.approval === 'given');
  if (!isAgreed) return;
  act(`${name}, says the same person again`, (next) => {
    takesEffect(next);
    breaks(next, 'G1 a word about money above the limit took effect by one person');
  });
}
