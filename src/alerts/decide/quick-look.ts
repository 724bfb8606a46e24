/**
 * The quick look at a held case. Most looks find everything as it was, above all those of a case's last
 * hour, every 30 s: then the processor is asked as ever, what it shows is compared with what our rows hold,
 * and the next look is planned, without a transaction. The only end of it is that nothing is to be done;
 * whatever is otherwise is left to the whole look (`held.job.ts`), which asks everything again.
 */
import { nowDate } from '../../base/kernel/clock.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { isOver } from '../cases/claim.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import { claimOfAlert, isCovered, unsettledFor } from '../ledger/ledger.ts';
import { waitUnchanged } from '../ledger/with-ledger.ts';
import { WAITING_REASONS } from '../match/waiting.store.ts';
import type { DecideDeps } from './decide-deps.ts';
import { ledgerDeps } from './decide-deps.ts';
import { isHeldByChoice, nextLook } from './held-plan.ts';
import type { HeldView } from './quick-look.store.ts';
import { readHeldView } from './quick-look.store.ts';

/** Looks. True: nothing is to be done, and the next look is planned. */
export async function isStillHeld(
  deps: DecideDeps,
  claim: CaseRow,
  signal: AbortSignal,
): Promise<boolean> {
  const charge = chargeOf(claim);
  if (charge === undefined || isSomethingDue(claim, nowDate(deps.clock))) return false;
  const view = await readHeldView(deps.db, claim, charge);
  if (view === undefined || !isAsDecided(claim, view)) return false;
  const { ledger } = view;
  const own = claimOfAlert(ledger, claim.alert_id);
  const isToBeDeclared = deps.mode === 'live' && !isHeldByChoice(claim.hold_reason);
  const waited = await waitUnchanged(ledgerDeps(deps), {
    ...{ claim, charge, view, signal },
    waitsOn: ({ pendingCounts }) =>
      !(isToBeDeclared && isCovered(ledger, own, pendingCounts)) &&
      !isSomethingDue(claim, nowDate(deps.clock)),
    nextLook: (now) => nextLook(claim, now),
  });
  return waited === true;
}

function chargeOf({ organisation_id, charge_reference }: CaseRow): ChargeKey | undefined {
  if (charge_reference === null) return undefined;
  return { organisationId: organisation_id, chargeReference: charge_reference };
}

/** A moment has come, or the case waits for more than its charge's money. */
function isSomethingDue(claim: CaseRow, now: Date): boolean {
  const { fallback_at: fallbackAt, retry_at: retryAt } = claim;
  const isDue = [fallbackAt, retryAt].some((at) => at !== null && at <= now);
  return isOver(claim, now) || isDue || claim.match_id === null || WAITS.has(claim.hold_reason);
}

/** For a charge, or for values that may be known by now. */
const WAITS: ReadonlySet<string | null> = new Set([...WAITING_REASONS, 'alert_value_unknown']);

/** The alert is open and says what it said when it was decided, and no guard is asked whether it still speaks. */
function isAsDecided(claim: CaseRow, view: HeldView): boolean {
  const { alert, decision, ledger } = view;
  const { amountMinor, currency } = alert;
  const isOpen = alert.status === 'ACTION_REQUIRED' && alert.enrolmentType !== 'NETB_RDR';
  const isByPerson = decision.decidedBy.startsWith('operator:');
  const isSame = decision.amountMinor === amountMinor && decision.currency === currency;
  const isGuarded = decision.guard !== null && decision.guard === claim.hold_reason;
  const isResolved =
    decision.action === 'REFUND' &&
    claim.hold_reason === 'refund_unresolved' &&
    unsettledFor(ledger, claimOfAlert(ledger, alert.id).disputeId) === undefined;
  return isOpen && !isResolved && (isByPerson || (isSame && !isGuarded));
}
