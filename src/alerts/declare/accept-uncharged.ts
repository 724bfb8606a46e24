/**
 * The step of a case decided as `ACCEPT_DISPUTE` whose charge is not known: what it may be about is looked for once more
 * before it is said (A2).
 */
import type { Trx } from '../../base/db/database.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { CaseDecision } from '../cases/case-decision.store.ts';
import { readPolicyFallback } from '../cases/case-decision.store.ts';
import { holdCase } from '../cases/hold-case.ts';
import { ACCEPT_NOTE } from '../ledger/answer-notes.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import { hasMoneyOut } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import type { ReadingAnswer } from '../ledger/take-reading.ts';
import { readingOf, takeReading } from '../ledger/take-reading.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import { accept, later } from './owe-acceptance.ts';

/**
 * No charge is known: it is looked for again, and what may be meant is looked at, under its lock. Beside money that is
 * out, or about to go, on one of them nothing is accepted but by a person, who has chosen between them.
 *
 * @returns what is to be done in one transaction; undefined: it waits
 */
export async function examineUncharged(
  deps: SagaDeps,
  { claim, decision }: { readonly claim: CaseRow; readonly decision: CaseDecision | undefined },
  signal: AbortSignal,
): Promise<((trx: Trx) => Promise<undefined>) | undefined> {
  const found = await deps.locateCharge(claim.alert_id, signal);
  // With its charge known it is another case: it is decided again.
  if (found.kind === 'single') return (trx) => decideOnCharge(trx, claim, nowDate(deps.clock));
  const byPerson = decision?.byOperator === true;
  if (found.kind === 'unanswered' && !byPerson) {
    return void (await later(deps, claim, "the processor's search did not answer"));
  }
  const candidates = byPerson ? [] : [...(found.candidates ?? [])].sort();
  const looked: LookedAt[] = [];
  for (const chargeReference of candidates) {
    const charge = { organisationId: deps.organisationId, chargeReference };
    const reading = await takeReading(deps, charge, signal);
    if (reading.kind === 'unavailable') return void (await later(deps, claim, reading.reason));
    looked.push({ charge, reading });
  }
  return async (trx) => {
    const chargeReference = await firstWithMoneyOut(trx, deps, { alertId: claim.alert_id, looked });
    if (chargeReference === undefined) {
      await accept(trx, claim, { deps, note: ACCEPT_NOTE, despiteMinor: 0 });
    } else {
      await holdInDoubt(trx, claim, { chargeReference, now: nowDate(deps.clock) });
    }
    return undefined;
  };
}

/** A charge that the alert may be about, as the processor shows it. */
interface LookedAt {
  readonly charge: ChargeKey;
  readonly reading: Exclude<ReadingAnswer, { kind: 'unavailable' }>;
}

async function firstWithMoneyOut(
  trx: Trx,
  deps: SagaDeps,
  { alertId, looked }: { readonly alertId: string; readonly looked: readonly LookedAt[] },
): Promise<string | undefined> {
  const paid: string[] = [];
  // Each is locked, in one order, before the answer is stored.
  for (const { charge, reading } of looked) {
    const ledger = await openLedger(trx, {
      charge,
      reading: readingOf(reading),
      capabilities: reading.capabilities,
      samePart: deps.settings.rules.samePart,
      alertId: null,
      holds: alertId,
      now: nowDate(deps.clock),
    });
    if (hasMoneyOut(ledger)) paid.push(charge.chargeReference);
  }
  return paid[0];
}

async function decideOnCharge(trx: Trx, claim: CaseRow, now: Date): Promise<undefined> {
  const fallback = await readPolicyFallback(trx, claim);
  await holdCase(trx, claim, { reason: 'no_charge', fallback, againAt: now, now });
}

/** What the policy planned stays planned: it is carried out once the doubt is ended. */
async function holdInDoubt(
  trx: Trx,
  claim: CaseRow,
  { chargeReference, now }: { readonly chargeReference: string; readonly now: Date },
): Promise<void> {
  const fallback = await readPolicyFallback(trx, claim);
  await holdCase(trx, claim, {
    reason: 'candidate_refunded',
    fallback,
    now,
    detail: { charge: chargeReference },
  });
  await notify(trx, {
    organisationId: claim.organisation_id,
    dedupeKey: `accept_in_doubt:${claim.alert_id}`,
    kind: 'accept_in_doubt',
    severity: 'error',
    alertId: claim.alert_id,
    text: `Alert ${claim.alert_id}, due ${utcWords(claim.deadline_at)}, is to be accepted, and charge ${chargeReference}, which it may be about, was refunded or is about to be. Nothing is answered by itself: choose that charge, and the refund answers the alert, or accept the dispute.`,
    at: now,
  });
}
