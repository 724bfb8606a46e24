/**
 * Decides matched and unmatched cases. (What becomes of held ones: `held.job.ts`.)
 *
 * Durable before: the match. Durable after, in one transaction: what the processor showed, the decision
 * with everything it was taken from, the policy's text, and the case's move. The only outside call is
 * one read of the charge at the processor, before it; run again from the start it decides the same from
 * the same facts.
 */

import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { CaseStep, CaseSteps } from '../cases/case-runner.ts';
import { closeHeldCase } from './close-case.ts';
import { commitDecision } from './commit-decision.ts';
import { decide } from './decide.ts';
import type { DecideDeps } from './decide-deps.ts';
import type { DecisionFacts } from './facts.ts';
import { merchantsIn, withFacts } from './gather-facts.ts';
import { createHeldStep } from './held.job.ts';
import { tryDecision } from './try-decision.ts';

/** The steps of the stage. */
export function createDecideSteps(deps: DecideDeps): CaseSteps {
  const step = createDecideStep(deps);
  return { MATCHED: step, UNMATCHED: step, AMBIGUOUS: step, HUMAN: createHeldStep(deps, step) };
}

function createDecideStep(deps: DecideDeps): CaseStep {
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
