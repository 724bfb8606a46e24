/** Money that went back more often than it should have. Pure. */
import type { Ledger, Movement } from './ledger.ts';
import {
  capturedMinor,
  foreignOut,
  isOurs,
  mayHaveExecuted,
  outForDispute,
  outMinor,
  predates,
  surplusMinor,
} from './ledger.ts';

/** Why: above the captured amount, besides ours, or for an accepted dispute. */
export function paidTooOften(ledger: Ledger): string | undefined {
  const wentBackMinor = outMinor(ledger) - shownTwiceMinor(ledger);
  if (ledger.status === 'captured' && wentBackMinor > capturedMinor(ledger)) {
    return 'more went back than was captured';
  }
  const foreign = foreignOut(ledger);
  for (const { id, alerts } of ledger.disputes) {
    const accepted = alerts.filter((each) => each.isAccepted);
    // What people were told of when they accepted is no news to them.
    const toldMinor = Math.max(0, ...accepted.map(({ despiteMinor }) => despiteMinor));
    const isForeign = toldMinor === 0 && foreign.some(({ disputeId }) => disputeId === id);
    if (accepted.length > 0 && (isForeign || outForDispute(ledger, id) > toldMinor)) {
      return 'money went back for a dispute that was accepted';
    }
  }
  const moved = ledger.movements.filter(mayHaveExecuted);
  const hasForeignSurplus = moved.some((each) => !isOurs(each) && isSurplus(ledger, each));
  return hasForeignSurplus && moved.some((each) => isOurs(each) && each.amountMinor > 0)
    ? 'somebody else refunded beside our own refund'
    : undefined;
}

/**
 * What the network refunded (RDR) and the acquirer shows as taken in a dispute: RDR settles through the acquirer, so
 * both are one money.
 */
function shownTwiceMinor({ movements, currency }: Ledger): number {
  const sumOf = (kind: Movement['kind']): number =>
    movements
      .filter((each) => each.kind === kind && each.currency === currency && mayHaveExecuted(each))
      .reduce((total, { amountMinor }) => total + amountMinor, 0);
  return Math.min(sumOf('network'), sumOf('chargeback'));
}

/** Money that answers nothing, although there was a complaint when it went, or may have been. */
function isSurplus({ disputes }: Ledger, movement: Movement): boolean {
  const isKnown = movement.movedAtMs !== null && disputes.length > 0;
  const isOlder = isKnown && disputes.every((each) => predates(movement, each));
  return surplusMinor(movement) > 0 && !isOlder;
}
