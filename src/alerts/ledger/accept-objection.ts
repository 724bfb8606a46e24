/**
 * Why `ACCEPT_DISPUTE` may not be said of a dispute: money went back for it, or may have (L5). Pure.
 */
import type { Ledger, Movement } from './ledger.ts';
import { isOurs, isRefund, mayHaveExecuted } from './ledger.ts';

/** Why a dispute may not be accepted, and how much of whose money it is (L5). */
export interface AcceptObjection {
  /** `network_unclear`: it is not said how much the network refunded, or whether. */
  readonly kind: 'ours_under_way' | 'others_pending' | 'network_unclear' | 'part_went_back';
  readonly amountMinor: number;
  readonly currency: string;
  readonly movementId: string;
}

/**
 * Why `ACCEPT_DISPUTE` may not be said of the dispute: money went back for it, or may have. With no
 * dispute known, any money on the charge counts.
 */
export function objectionToAccept(
  ledger: Ledger,
  disputeId: string | null,
): AcceptObjection | undefined {
  const about = ledger.movements
    .filter((movement) => mayHaveExecuted(movement) && isRefund(movement))
    .map((movement) => ({ movement, amountMinor: partFor(ledger, movement, disputeId) }))
    .filter(({ movement, amountMinor }) => amountMinor > 0 || isVoidFor(movement, disputeId));
  const open =
    about.find(({ movement }) => isOurs(movement) && movement.state !== 'CONFIRMED') ??
    about.find(({ movement }) => movement.state === 'PENDING') ??
    about[0];
  if (open === undefined) return undefined;
  const { movement } = open;
  const amountMinor = about
    .filter(({ movement: { currency } }) => currency === movement.currency)
    .reduce((total, each) => total + each.amountMinor, 0);
  const shared = { amountMinor, currency: movement.currency, movementId: movement.id };
  if (movement.state === 'CONFIRMED') return { kind: 'part_went_back', ...shared };
  if (movement.kind === 'network') return { kind: 'network_unclear', ...shared };
  return { kind: isOurs(movement) ? 'ours_under_way' : 'others_pending', ...shared };
}

/** Whether a person may accept all the same, who is told the sum that may be paid twice. */
export function isToldSum({ kind }: AcceptObjection): boolean {
  return kind === 'part_went_back' || kind === 'network_unclear';
}

function isVoidFor({ kind, disputeId }: Movement, wanted: string | null): boolean {
  return kind === 'void' && (wanted === null || disputeId === null || disputeId === wanted);
}

function partFor({ currency }: Ledger, movement: Movement, disputeId: string | null): number {
  const { covers, amountMinor } = movement;
  // In another currency it covers nothing, and went back all the same.
  const isForeign = movement.currency !== currency && movement.disputeId === disputeId;
  if (disputeId === null || isForeign) return amountMinor;
  return covers.find((each) => each.disputeId === disputeId)?.amountMinor ?? 0;
}
