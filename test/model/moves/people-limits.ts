/** Second persons, accepting although a part went back, and the breaker. */
import { covered, isLive, othersFor, oursFor, sumGoneBack } from '../rows.ts';
import type { Alert, World } from '../world.ts';
import { alertAt, movementAt } from '../world.ts';
import type { Act } from './people.ts';

export function limitActs(world: World, act: Act): void {
  world.movements.forEach(({ approval, amount }, slot) => {
    if (approval !== 'asked') return;
    act(`agrees to refund ${slot + 1} of ${amount}`, (next) => {
      const movement = movementAt(next, slot);
      movement.approval = 'given';
      movement.agreed = movement.amount;
    });
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
