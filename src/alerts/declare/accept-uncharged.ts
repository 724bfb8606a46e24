/**
 * The step of a case decided as `ACCEPT_DISPUTE` whose charge is not known: what it may be about is looked for once more
 * before it is said (A2).
 */
import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { CaseDecision } from '../cases/case-decision.store.ts';
import { readPolicyFallback } from '../cases/case-decision.store.ts';
import { holdCase } from '../cases/hold-case.ts';
import { ACCEPT_NOTE } from '../ledger/answer-notes.ts';
import { hasMoneyOut } from '../ledger/ledger.ts';
import { withLedgers } from '../ledger/with-ledger.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import { ledgerDeps } from '../refund/saga-deps.ts';
import { accept, examined } from './owe-acceptance.ts';

/** An acceptance that was decided, by whom. */
export interface AboutAcceptance {
  readonly claim: CaseRow;
  readonly decision: CaseDecision | undefined;
}

/**
 * No charge is known: it is looked for again, and what may be meant is looked at, under its lock. While money is
 * out, or about to go, on one of them, nothing is accepted except by a person who was told of it, and has chosen between them.
 *
 * @returns what it has to wait for, so that nothing was decided
 */
export async function acceptUncharged(
  deps: SagaDeps,
  { claim, decision }: AboutAcceptance,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { alert_id: alertId } = claim;
  const found = await deps.locateCharge(alertId, signal);
  if (found.kind === 'single') {
    await examined();
    return void (await inTransaction(deps.db, (trx) =>
      decideOnCharge(trx, claim, nowDate(deps.clock)),
    ));
  }
  const byPerson = decision?.byOperator === true;
  if (found.kind === 'unanswered' && !byPerson) return "the processor's search did not answer";
  const { organisationId } = deps;
  const toldCharges =
    byPerson && decision.heldFor === 'candidate_refunded' ? decision.toldCharges : [];
  // One that was refunded since then is none that the person knew of.
  const candidates = (found.candidates ?? []).filter((charge) => !toldCharges.includes(charge));
  const charges = candidates.map((chargeReference) => ({ organisationId, chargeReference }));
  const asked = { charges, alertId: null, holds: alertId, ahead: examined, signal };
  const decided = await withLedgers(ledgerDeps(deps), asked, async (trx, opened) => {
    const paid = opened.filter(({ ledger }) => hasMoneyOut(ledger));
    if (paid.length === 0)
      return await accept(trx, claim, { deps, note: ACCEPT_NOTE, despiteMinor: 0 });
    // Those that the person knew of already are named again: the next word is said of all of them.
    const charges = [...toldCharges, ...paid.map(({ charge }) => charge.chargeReference)];
    return await holdInDoubt(trx, claim, { charges, now: nowDate(deps.clock) });
  });
  return decided.kind === 'done' ? undefined : decided.reason;
}

/** With its charge known it is another case: it is decided again. */
async function decideOnCharge(trx: Trx, claim: CaseRow, now: Date): Promise<void> {
  const fallback = await readPolicyFallback(trx, claim);
  await holdCase(trx, claim, { reason: 'no_charge', fallback, againAt: now, now });
}

/** What the policy planned stays planned: it is carried out once the doubt is ended. */
async function holdInDoubt(
  trx: Trx,
  claim: CaseRow,
  { charges, now }: { readonly charges: readonly string[]; readonly now: Date },
): Promise<void> {
  const fallback = await readPolicyFallback(trx, claim);
  await holdCase(trx, claim, { reason: 'candidate_refunded', fallback, now, detail: { charges } });
  await notify(trx, {
    organisationId: claim.organisation_id,
    dedupeKey: `accept_in_doubt:${claim.alert_id}:${charges.toSorted().join()}`,
    kind: 'accept_in_doubt',
    severity: 'error',
    alertId: claim.alert_id,
    text: `Alert ${claim.alert_id}, due ${utcWords(claim.deadline_at)}, is to be accepted, and may be about ${charges.join(' or ')}, refunded or about to be. Nothing is answered by itself: choose the charge, and the refund answers the alert, or accept the dispute.`,
    at: now,
  });
}
