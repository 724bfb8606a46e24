/** What must hold in every state. What must hold at an effect is checked there: `truth.ts`. */
import { charges, covered, isInFlight, paidTwice } from './rows.ts';
import type { Alert, World } from './world.ts';
import { breaks, OVER } from './world.ts';

export function checkInvariants(world: World): void {
  if (charges(world).some((charge) => inFlight(world, charge) > 1)) {
    breaks(world, 'L2 two movements of ours in flight on one charge');
  }
  for (const alert of world.alerts) checkAlert(world, alert);
  if (!world.paidTwicePaged && paidTwice(world)) {
    breaks(world, 'L1 rows show money paid too often, nobody paged');
  }
  const isAnswered = world.alerts.some((it) => it.case === 'DECLARED_REFUND');
  if (world.disputedRead && isAnswered && !world.disputeTold) {
    breaks(world, 'L6 the bank disputes what was refunded, nobody told');
  }
  if (world.breakerOpen && !world.breakerPaged) {
    breaks(world, 'G2 the breaker stopped sending, nobody paged');
  }
}

function checkAlert(world: World, alert: Alert): void {
  if (alert.case === 'DECLARED_REFUND' && !alert.shrinkPaged && !covered(world, alert)) {
    breaks(world, 'L6 declared REFUND, the cover shrank, nobody paged');
  }
  const isOpen = alert.service === 'ACTION_REQUIRED' && alert.case !== 'none';
  if (world.moment === OVER && isOpen && !alert.missedPaged) breaks(world, 'L7 missed in silence');
}

function inFlight(world: World, charge: number): number {
  return world.movements.filter((it) => it.charge === charge && isInFlight(it)).length;
}
