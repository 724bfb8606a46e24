/**
 * What intake is given wherever orders come in: the library, the console, the command line. Alerts that
 * wait for a charge of such an order are woken, and the order hears of refunds that were made before it came.
 */
import { reportEarlier } from '../../alerts/ledger/tell-order-feed.ts';
import { rematchWaiting } from '../../alerts/match/waiting.store.ts';
import type { ChargesKnown } from '../../orders/charge-index.ts';
import type { IntakeDeps } from '../../orders/intake.ts';

/** Adds who hears of new charges. */
export function intakeDeps<Own extends Omit<IntakeDeps, 'onCharges'>>(own: Own): Own & IntakeDeps {
  return { ...own, onCharges };
}

const onCharges: ChargesKnown = async (...news) => {
  await rematchWaiting(...news);
  await reportEarlier(...news);
};
