/** What happens at the rim: another provider, a dispute after the answer, a second capture, an alert that is corrected. */
import type { Offer } from '../move.ts';
import { isClosed } from '../readings.ts';
import { isLive } from '../rows.ts';
import { happensBehindLooks } from '../truth.ts';
import { rowsChanged } from '../workers.ts';
import type { Alert, World } from '../world.ts';
import { alertAt, LAST_HOUR, OVER } from '../world.ts';
import { pageMoves } from './people-limits.ts';

export function rimMoves(world: World, offer: Offer): void {
  const { scenario, moment } = world;
  pageMoves(world, offer);
  if (scenario.changesProvider && world.provider === 0 && moment < LAST_HOUR) {
    offer('another provider is set', (next) => {
      next.provider = 1;
      rowsChanged(next);
    });
  }
  const isRefunded = world.alerts.some(({ service }) => service === 'REFUNDED');
  if (scenario.disputesAfter && isRefunded && !world.disputed) {
    offer('the bank disputes what was refunded', (next) => {
      next.disputed = true;
    });
  }
  if (scenario.capturesMore > 0 && !world.capturedMore && moment < OVER) {
    offer(`the merchant captures ${scenario.capturesMore} more`, (next) => {
      next.capturedMore = true;
      happensBehindLooks(next, false);
    });
  }
  if (scenario.corrections) for (const alert of world.alerts) offerCorrection(world, offer, alert);
}

/** While nothing moved for it: what is corrected later is people's. */
function offerCorrection(world: World, offer: Offer, alert: Alert): void {
  const { index, corrected, correctedRead, service } = alert;
  const isMoved = world.movements.some(
    (it) => it.dispute === alert.dispute && isLive(it) && it.state !== 'INTENT',
  );
  if (!corrected && service === 'ACTION_REQUIRED' && world.moment < LAST_HOUR && !isMoved) {
    offer(`alert ${index + 1} is corrected: it is about another payment`, (next) => {
      alertAt(next, index).corrected = true;
      happensBehindLooks(next, false);
    });
  }
  if (corrected && !correctedRead && !isClosed(alert)) {
    offer(`GET says that alert ${index + 1} is about another payment: matched again`, (next) => {
      const read = alertAt(next, index);
      read.correctedRead = true;
      // No charge of ours: the policy's fallback.
      Object.assign(read, { case: 'HUMAN', refusal: 'final', refused: true, wanted: 0 });
      rowsChanged(next);
    });
  }
}
