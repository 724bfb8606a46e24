/**
 * Decides matched and unmatched cases. (What becomes of held ones: `held.job.ts`.)
 *
 * Durable before: the match. Durable after, in one transaction: what the processor showed, the decision
 * with everything it was taken from, the policy's text, and the case's move. The only outside call is
 * one read of the charge at the processor, before it; run again from the start it decides the same from
 * the same facts.
 */

import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { Severity } from '../../base/notify/notification.table.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import type { CaseStep, CaseSteps } from '../cases/case-runner.ts';
import type { CaseState } from '../cases/case-state.ts';
import { waitsForCharge } from '../match/waiting.store.ts';
import { closeHeldCase } from './close-case.ts';
import { decide } from './decide.ts';
import type { DecideDeps } from './decide-deps.ts';
import { insertingDecision, keepingPolicies } from './decision.store.ts';
import type { FallbackAction } from './decision.table.ts';
import type { Decision, SecondDecision } from './decision.ts';
import { POLICY_ERROR, POLICY_REVIEW } from './decision.ts';
import type { DecisionFacts } from './facts.ts';
import { merchantsIn, withFacts } from './gather-facts.ts';
import { planHeldCase } from './held-plan.ts';
import type { Policy } from './policy.ts';
import { tryDecision } from './try-decision.ts';

/** The steps of what was matched, or could not be. */
export function createDecideSteps(deps: DecideDeps): CaseSteps {
  const step = createDecideStep(deps);
  return { MATCHED: step, UNMATCHED: step, AMBIGUOUS: step };
}

/** The step that they share. */
export function createDecideStep(deps: DecideDeps): CaseStep {
  return async function decideStep(claim, signal): Promise<void> {
    const about = { claim, signal, ahead: (): Promise<void> => crashPoint('decision.made') };
    await withFacts(deps, about, async (facts, trx) => {
      if (facts.alert.status === 'RESOLVED' || facts.alert.status === 'INVALID') {
        return await closeHeldCase(deps, { claim, facts }, signal);
      }
      if (trx !== undefined) return await decideIn(trx, deps, { claim, facts });
      await inTransaction(deps.db, (own) => decideIn(own, deps, { claim, facts }));
    });
  };
}

async function decideIn(
  trx: Trx,
  deps: DecideDeps,
  { claim, facts }: { readonly claim: CaseRow; readonly facts: DecisionFacts },
): Promise<void> {
  const policy = deps.currentPolicy(merchantsIn(facts));
  const now = nowDate(deps.clock);
  const organisationId = claim.organisation_id;
  const untried = decide(policy, facts);
  const decision = await tryDecision(trx, {
    organisationId,
    policy,
    facts,
    decision: untried,
    now,
  });
  const second = deps.policyBeside?.() ?? null;
  const beside = second === null ? undefined : { policy: second, decision: decide(second, facts) };
  await commitDecision(trx, { claim, facts, decision, policy, beside, now });
}

/** The reason with which shadow mode holds every case. */
const SHADOW_MODE = 'shadow_mode';

/** How soon a case is first looked at again whose cause may pass by itself, in milliseconds. */
const RETRY_MS = 15_000;

/** The first time sooner where it waits for a charge: an order that came while the alert was matched was not there to be found. */
const FIRST_REMATCH_MS = 60_000;

/** A decision on its way into the database. */
interface Commit {
  readonly claim: CaseRow;
  readonly facts: DecisionFacts;
  readonly decision: Decision;
  /** Undefined for a fallback: it was chosen by the version that held the alert. */
  readonly policy: Policy | undefined;
  /** What the policy beside it says, where one is set. */
  readonly beside?: SecondDecision | undefined;
  readonly now: Date;
}

/**
 * Writes a decision and moves its case, in the caller's transaction: the decision with its inputs, the policy's text, the
 * case's next plan, and word to a person where one is needed. In shadow mode the decision is kept and the case
 * goes to a person, without a fallback.
 */
export async function commitDecision(trx: Trx, commit: Commit): Promise<void> {
  const { claim, facts, decision, policy, beside, now } = commit;
  const organisationId = claim.organisation_id;
  const policies = [policy, beside?.policy].filter((each) => each !== undefined);
  const about = { organisationId, alertId: claim.alert_id };
  const decided = insertingDecision(trx, {
    ...{ ...about, decision, facts, beside, now },
    layer: policy?.layer,
  });
  const to = facts.mode === 'shadow' ? 'HUMAN' : STATE_OF[decision.action];
  const isHeld = to === 'HUMAN';
  const hold = holdColumns(commit);
  await moveCase(trx, claim, {
    to,
    now,
    nextActionAt: isHeld ? planHeld(commit) : now,
    what: decision.sentence,
    detail: { rule: decision.rule, guard: decision.guard },
    set: { retry_at: null, when_refused: whenRefused(commit), ...hold },
    beside: { ...keepingPolicies(organisationId, { policies, now }), decided },
    setFrom: { decision_id: sql<number>`(select id from decided)` },
    detailOf: sql`(select jsonb_build_object('decision_id', id) from decided)`,
  });
  if (isHeld && facts.mode === 'live') await tellPerson(trx, commit, hold.hold_reason ?? '');
}

function whenRefused({ decision, claim }: Commit): 'ACCEPT_DISPUTE' | null {
  return decision.action === 'REFUND' ? (decision.whenRefused ?? claim.when_refused ?? null) : null;
}

const STATE_OF: Readonly<Record<Decision['action'], CaseState>> = {
  REFUND: 'DECIDED_REFUND',
  ACCEPT_DISPUTE: 'DECIDED_ACCEPT',
  REVIEW: 'HUMAN',
  NONE: 'HUMAN',
};

interface HoldColumns {
  readonly hold_reason: string | null;
  readonly fallback_action: FallbackAction | null;
  readonly fallback_at: string | null;
}

function holdColumns({ facts, decision }: Commit): HoldColumns {
  if (facts.mode === 'shadow') {
    return { hold_reason: SHADOW_MODE, fallback_action: null, fallback_at: null };
  }
  return {
    hold_reason: decision.holdReason ?? (decision.action === 'NONE' ? decision.guard : null),
    fallback_action: decision.fallback?.answer.action ?? null,
    fallback_at: decision.fallback?.at ?? null,
  };
}

/** The next look at a held case: its fallback, a retry, another match, its deadline; later, daily. */
function planHeld({ claim, facts, decision, now }: Commit): Date {
  const shadow = facts.mode === 'shadow';
  const { fallback } = decision;
  return planHeldCase({
    deadlineAt: claim.deadline_at,
    fallbackAt: shadow || fallback === null ? null : new Date(fallback.at),
    againMs: shadow ? null : againMs(decision, claim),
    now,
  });
}

/** How soon to look again because of the reason itself; null: not because of it. */
function againMs({ holdReason, retry }: Decision, claim: CaseRow): number | null {
  if (retry) return RETRY_MS;
  return claim.state !== 'HUMAN' && waitsForCharge(holdReason) ? FIRST_REMATCH_MS : null;
}

/** Reasons that a person must hear about at once; the others at the usual volume. */
const LOUD: ReadonlySet<string> = new Set([
  'alert_status_unknown',
  'alert_value_unknown',
  'deadline_unusable',
  'deadline_passed',
  'refund_reversed',
  POLICY_ERROR,
]);

async function tellPerson(
  trx: Trx,
  { claim, decision, now }: Commit,
  reason: string,
): Promise<void> {
  await notify(trx, {
    organisationId: claim.organisation_id,
    dedupeKey: `hold:${claim.alert_id}:${reason}`,
    kind: 'case_held',
    severity: severityOf(reason, decision),
    alertId: claim.alert_id,
    text: `Alert ${claim.alert_id}, due ${utcWords(claim.deadline_at)}. ${decision.sentence}`,
    at: now,
  });
}

function severityOf(reason: string, decision: Decision): Severity {
  if (LOUD.has(reason)) return 'error';
  return reason === POLICY_REVIEW && decision.fallback !== null ? 'info' : 'warning';
}
