/**
 * Explains a decision from what was stored with it: which rule matched, why earlier ones did not,
 * which guards were asked, and what would change the answer. Pure.
 */
import type { DecisionFacts } from '../alerts/decide/facts.ts';
import type { Guard, Intent } from '../alerts/decide/guard.ts';
import { firstGuard, GUARDS } from '../alerts/decide/guards.ts';
import type { PolicyOutcome, PolicyProposal, RuleTrace } from '../alerts/decide/policy.ts';
import type { Condition } from './conditions.ts';
import { evaluate } from './evaluate.ts';
import type { FactView } from './fact-view.ts';
import { viewOf } from './fact-view.ts';
import type { PolicyParts } from './load.ts';
import { proposeOn } from './load.ts';
import { outcomeText } from './outcomes.ts';

/** A decision that a policy or a guard took, as stored. */
export interface ExplainedDecision {
  readonly facts: DecisionFacts;
  /** The guard that spoke, if one did. */
  readonly guard: string | null;
  readonly fallback: { readonly action: string; readonly at: string } | null;
}

/** One guard and what it said. */
export interface GuardVerdict {
  readonly guard: string;
  readonly verdict: 'did not speak' | 'spoke' | 'not asked';
  /** Why it spoke. */
  readonly why: string | null;
}

export interface Explanation {
  /** What the policy proposed, before any guard. */
  readonly proposed: string;
  readonly rules: readonly RuleTrace[];
  readonly guards: readonly GuardVerdict[];
  /** What would change the answer, in sentences. */
  readonly changes: readonly string[];
}

/** Explains a decision under the policy that took it. */
export function explainDecision(policy: PolicyParts, decision: ExplainedDecision): Explanation {
  const { facts } = decision;
  const view = viewOf(facts, policy);
  const proposal = proposeOn(policy, view);
  return {
    proposed: `${outcomeText(proposal.outcome)}, by ${sourceText(proposal.rule)}`,
    rules: proposal.trace,
    guards: guardVerdicts(proposal.outcome, decision),
    changes: [
      ...guardChanges(proposal, decision),
      ...earlierRules(policy, proposal, view),
      ...withoutRule(policy, proposal, view),
      ...fallbackChange(decision),
    ],
  };
}

function sourceText(rule: string | null): string {
  return rule === null ? '"otherwise"' : `rule "${rule}"`;
}

function intentOf(outcome: PolicyOutcome): Intent | null {
  if (outcome.action === 'REVIEW') return null;
  return {
    action: outcome.action,
    amount: outcome.action === 'REFUND' ? outcome.amount : 'full',
    occasion: 'policy',
  };
}

/** The guards in their order; those after the one that spoke were not asked, nor those about other answers. */
function guardVerdicts(
  outcome: PolicyOutcome,
  { facts, guard: spoken }: ExplainedDecision,
): readonly GuardVerdict[] {
  const intent = intentOf(outcome);
  let over = false;
  return GUARDS.map((guard): GuardVerdict => {
    const asked = !over && isAsked(guard, intent);
    if (!asked) return { guard: guard.name, verdict: 'not asked', why: null };
    if (guard.name !== spoken) return { guard: guard.name, verdict: 'did not speak', why: null };
    over = true;
    return { guard: guard.name, verdict: 'spoke', why: sentenceOf(guard, facts, intent) };
  });
}

/** Whether a guard has a say in what was proposed: those about refunds have none in a review. */
function isAsked({ stops }: Guard, intent: Intent | null): boolean {
  if (stops === 'everything') return true;
  return stops === 'refund' ? intent?.action === 'REFUND' : false;
}

function sentenceOf(guard: Guard, facts: DecisionFacts, intent: Intent | null): string | null {
  return firstGuard([guard], facts, intent)?.sentence ?? guard.check(facts, intent) ?? null;
}

function guardChanges(
  { outcome, rule }: PolicyProposal,
  { facts, guard }: ExplainedDecision,
): string[] {
  if (guard === null || outcome.action === 'REVIEW') return [];
  const rest = GUARDS.slice(GUARDS.findIndex(({ name }) => name === guard) + 1);
  const next = firstGuard(rest, facts, intentOf(outcome));
  const then =
    next === undefined
      ? `${outcomeText(outcome)} by ${sourceText(rule)} would stand`
      : `guard "${next.guard.name}" would hold it as well, because ${next.sentence}`;
  return [`Had guard "${guard}" not spoken, ${then}.`];
}

/** What each rule before the one that applied still lacks. */
function earlierRules(
  { rules }: PolicyParts,
  { rule: applied }: PolicyProposal,
  view: FactView,
): string[] {
  const end = applied === null ? rules.length : rules.findIndex(({ name }) => name === applied);
  return rules.slice(0, end).map(({ name, line, when, outcome }) => {
    const lacks = lackingIn(when, view).join('; and ');
    return `Rule "${name}" (line ${line}) would answer ${outcomeText(outcome)} first, if this were otherwise: ${lacks}.`;
  });
}

/** Which conditions keep `condition` from a plain yes, in words. */
function lackingIn(condition: Condition, view: FactView): readonly string[] {
  const { truth, why } = evaluate(condition, view);
  if (truth === 'yes') return [];
  if (condition.kind === 'all') return condition.inner.flatMap((part) => lackingIn(part, view));
  if (condition.kind === 'any') {
    return [condition.inner.map((part) => lackingIn(part, view).join(' and ')).join(', or ')];
  }
  return [why];
}

/** What would have decided in place of the rule that did. */
function withoutRule(policy: PolicyParts, proposal: PolicyProposal, view: FactView): string[] {
  if (proposal.rule === null) return [];
  const rules = policy.rules.filter(({ name }) => name !== proposal.rule);
  const instead = proposeOn({ rules, otherwise: policy.otherwise }, view);
  const text = outcomeText(instead.outcome);
  return [
    `Rule "${proposal.rule}" depends on this: ${proposal.because}. Without it, ${sourceText(instead.rule)} would answer ${text}.`,
  ];
}

function fallbackChange({ fallback }: ExplainedDecision): string[] {
  return fallback === null
    ? []
    : [
        `A person can decide otherwise; if nobody does, it becomes ${fallback.action} at ${fallback.at}.`,
      ];
}
