/**
 * A decision in its policy's trial, in the transaction that stores it: drawn, taken out of the budget, and checked by every
 * guard that an acceptance passes. It only ever turns a rule's `REFUND` into `ACCEPT_DISPUTE`.
 */
import type { Trx } from '../../base/db/database.ts';
import { decide } from './decide.ts';
import type { Decision } from './decision.ts';
import type { Trial } from './explore.ts';
import type { DecisionFacts } from './facts.ts';
import type { Policy } from './policy.ts';
import { drawnBefore, hasBudget, takeFromBudget, trialKey } from './trial.store.ts';
import { armOf, controlSentence, keptOut, trialSentence, unitOf } from './trial.ts';

export interface Tried {
  readonly organisationId: string;
  readonly policy: Policy;
  readonly facts: DecisionFacts;
  readonly decision: Decision;
  readonly now: Date;
}

export async function tryDecision(trx: Trx, tried: Tried): Promise<Decision> {
  const { organisationId, policy, facts, decision, now } = tried;
  const { explore } = policy;
  const unit = unitOf(facts);
  if (explore === undefined || unit === undefined || facts.charge.kind !== 'found') return decision;
  if (keptOut(explore, decision, facts) !== undefined) return decision;
  const accepted = accept(policy, facts);
  if (accepted === undefined) return decision;
  const { reference: chargeReference } = facts.charge;
  const about = {
    organisationId,
    chargeReference,
    alertId: facts.alert.id,
    experiment: explore.name,
  };
  const before = await drawnBefore(trx, about);
  if (before.isElsewhere) return decision;
  const { amountMinor, currency } = decision;
  const headroom = facts.ratio?.headroom ?? 0;
  if (amountMinor === null || currency === null) return decision;
  const taken = { organisationId, explore, amountMinor, headroom, now };
  if (before.trial === null && !(await hasBudget(trx, taken))) return decision;
  const trial = before.trial ?? armOf(await trialKey(trx, organisationId, now), explore, unit);
  if (trial.arm === 'refund') {
    return { ...decision, trial, sentence: decision.sentence + controlSentence(trial) };
  }
  // A twin of an accepted case is the same dispute: it was taken out of the budget once.
  if (before.trial === null && !(await takeFromBudget(trx, taken))) return decision;
  return { ...accepted, trial, sentence: sentenceOf(trial, decision) };
}

function sentenceOf(trial: Trial, { amountMinor, currency, rule }: Decision): string {
  const money = { amountMinor: amountMinor ?? 0, currency: currency ?? '' };
  return trialSentence(trial, { money, rule: rule ?? '' });
}

/** The same decision with `ACCEPT_DISPUTE` in place of the rule's refund; undefined: a guard comes before it. */
function accept(policy: Policy, facts: DecisionFacts): Decision | undefined {
  const accepting: Policy = {
    ...policy,
    propose: (asked) => ({ ...policy.propose(asked), outcome: { action: 'ACCEPT_DISPUTE' } }),
  };
  const decision = decide(accepting, facts);
  return decision.action === 'ACCEPT_DISPUTE' && decision.guard === null ? decision : undefined;
}
