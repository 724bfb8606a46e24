/** When the service or the processor gave no answer: the refund's step is tried again, and then held. */
import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { backoffMs, cutWaitMs } from '../../base/kernel/backoff.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { postponeCase } from '../cases/case-plan.store.ts';
import { isClaimId } from '../cases/claim.ts';
import type { Hold } from '../cases/hold-case.ts';
import { holdCase } from '../cases/hold-case.ts';
import type { SagaDeps } from './saga-deps.ts';

/** Soon at first; later rarely, as each asks the service too. */
const ASK_AGAIN = { baseMs: 2_000, maxMs: 10 * 60_000 };

/** After so many vain tries, minutes in all, a person sees the case; from there each look is one try, so that it stays theirs. */
const TRIES_MAX = 5;

/** What could not be asked is asked again from the held case this often, in milliseconds. */
const HELD_AGAIN_MS = 5 * 60_000;

/** The wait before the case's next try, in milliseconds. */
export function nextWaitMs({ attempts }: Pick<CaseRow, 'attempts'>): number {
  return backoffMs(attempts + 1, ASK_AGAIN);
}

/** The next try: by the ladder, and every 30 s in the last hour; after the last one the case is held. */
export async function askAgain(
  deps: SagaDeps,
  claim: CaseRow,
  why: { readonly reason: Hold['reason']; readonly error: string },
): Promise<void> {
  await inTransaction(deps.db, (trx) => askAgainIn(trx, claim, { deps, ...why }));
}

/** The same within a transaction. */
export async function askAgainIn(
  trx: Trx,
  claim: CaseRow,
  {
    deps,
    reason,
    error,
  }: { readonly deps: SagaDeps; readonly reason: Hold['reason']; readonly error: string },
): Promise<void> {
  const now = nowDate(deps.clock);
  const leftMs = claim.deadline_at.getTime() - now.getTime();
  const after = (waitMs: number): Date =>
    new Date(now.getTime() + cutWaitMs(waitMs, claim.deadline_at.getTime(), now.getTime()));
  const isPastGuard = leftMs <= deps.settings.guardMs && !isClaimId(claim.alert_id);
  if (claim.hold_reason !== reason && claim.attempts + 1 < TRIES_MAX && !isPastGuard) {
    const retryAt = after(nextWaitMs(claim));
    return await postponeCase(trx, claim, { now, retryAt, error });
  }
  await holdCase(trx, claim, {
    reason: isPastGuard ? 'too_late' : reason,
    fallback: 'keep',
    againAt: isPastGuard ? null : after(HELD_AGAIN_MS),
    now,
    detail: { error },
  });
}
