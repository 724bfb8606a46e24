/**
 * Whether `REFUND` is true of an alert right now (L4): its dispute is covered, as the processor was seen
 * to show within the last seconds.
 */

import type { CaseRow } from '../cases/case.store.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import { processorAt } from '../cases/routed-processor.ts';
import { readLedger } from '../ledger/ledger.store.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { claimOfAlert, isCovered } from '../ledger/ledger.ts';
import { withLedger } from '../ledger/with-ledger.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import { ledgerDeps } from '../refund/saga-deps.ts';

/** What an alert claims. */
export interface ClaimedMoney {
  readonly amountMinor: number | null;
  readonly currency: string | null;
}

/** Whether the answer may be sent. */
export type CoverCheck =
  | { readonly kind: 'covered' }
  | { readonly kind: 'missing'; readonly reason: HoldReason }
  /** The processor could not be asked. */
  | { readonly kind: 'later'; readonly reason: string };

/** What the processor showed this lately is taken as shown now, in milliseconds. */
const FRESH_MS = 15_000;

/** Checks the cover of the alert that the case is about. */
export async function checkCover(
  deps: SagaDeps,
  about: {
    readonly claim: CaseRow;
    readonly money: ClaimedMoney;
    /** As it was just read. */
    readonly ledger: Ledger | undefined;
  },
  signal: AbortSignal,
): Promise<CoverCheck> {
  const { claim, money } = about;
  const { organisationId, db, clock } = deps;
  const charge = { organisationId, chargeReference: claim.charge_reference ?? '' };
  const stored = about.ledger ?? (await readLedger(db, charge));
  const processor = await processorAt(deps.processor, charge.chargeReference);
  const capabilities = await processor.capabilities(signal);
  if (capabilities === undefined) {
    return { kind: 'later', reason: 'the processor did not say what it offers' };
  }
  const { pendingCounts } = capabilities;
  const ageMs = clock.nowMs() - (stored.readAtMs ?? 0);
  // One that lies ahead was read before the clock was set back, nobody knows how long ago.
  if (ageMs >= 0 && ageMs <= FRESH_MS) return judge(stored, { claim, money, pendingCounts });
  const asked = { charge, alertId: claim.alert_id, signal };
  const read = await withLedger(ledgerDeps(deps), asked, async (_, { ledger }) =>
    judge(ledger, { claim, money, pendingCounts }),
  );
  return read.kind === 'done' ? read.result : { kind: 'later', reason: read.reason };
}

function judge(
  ledger: Ledger,
  about: { readonly claim: CaseRow; readonly money: ClaimedMoney; readonly pendingCounts: boolean },
): CoverCheck {
  const { claim, money, pendingCounts } = about;
  const { disputeId } = claimOfAlert(ledger, claim.alert_id);
  if (isCovered(ledger, { disputeId, ...money }, pendingCounts)) return { kind: 'covered' };
  const movement = ledger.movements.find(({ id }) => id === claim.movement_id);
  switch (movement?.state) {
    case 'REVERSED':
    case 'REJECTED':
      return { kind: 'missing', reason: 'refund_reversed' };
    case 'PENDING':
    case 'HUMAN':
    case 'UNKNOWN':
      return { kind: 'missing', reason: 'refund_unresolved' };
    default:
      return { kind: 'missing', reason: 'not_declarable' };
  }
}
