/** Decisions that leave an alert to a person, with the fallback that is left; pure, as `decide.ts` is. */
import { claimSourceOf } from '../cases/claim.ts';
import type { DecidedFallback, Decision } from './decision.ts';
import { POLICY_ERROR, POLICY_REVIEW } from './decision.ts';
import type { DecisionFacts } from './facts.ts';
import type { GuardHit } from './guard.ts';
import type { Policy, PolicyFallback, PolicyProposal } from './policy.ts';
import { heldSentence } from './sentences.ts';

/** Why an alert that is no alert of the service goes to a person. */
export const UNNAMED = 'no rule of the policy about its source applies';

/** What a person has asked for is never left unrefunded because a guard held it. */
export function generalFallback({ held }: Policy, { alert }: DecisionFacts): PolicyFallback | null {
  const source = claimSourceOf(alert.enrolmentType);
  return source === undefined || source === 'FRAUD_WARNING' ? held : null;
}

/** What a decision is made of. */
export interface Context {
  readonly policy: Policy;
  readonly facts: DecisionFacts;
  readonly proposal: PolicyProposal;
}

/** Of an answer that moves nothing. */
export const NO_MONEY = { amountMinor: null, currency: null };

/** A review that the policy itself asks for. */
export function review(context: Context): Decision {
  const { proposal, facts } = context;
  const wanted = proposal.outcome.action === 'REVIEW' ? proposal.outcome.fallback : null;
  const fallback = fallbackAt(wanted, facts);
  return {
    ...policyColumns(context),
    ...NO_MONEY,
    action: 'REVIEW',
    decidedBy: 'policy',
    guard: null,
    holdReason: POLICY_REVIEW,
    fallback,
    retry: false,
    sentence: heldSentence(facts, { why: reasonOf(proposal), fallback }),
  };
}

/** A guard ends the matter, or hands it to a person with whatever fallback it leaves. */
export function hold(context: Context, hit: GuardHit): Decision {
  const { proposal, facts, policy } = context;
  const { guard } = hit;
  const ended = guard.effect === 'nothing';
  const fallback = ended
    ? null
    : fallbackAt(fallbackLeft(hit, proposal, generalFallback(policy, facts)), facts);
  const { action } = proposal.outcome;
  const stopped = action === 'REVIEW' ? undefined : `${action} by ${sourceOf(proposal)}`;
  return {
    ...policyColumns(context),
    ...NO_MONEY,
    action: ended ? 'NONE' : 'REVIEW',
    decidedBy: 'guard',
    guard: guard.name,
    holdReason: guard.name,
    fallback,
    retry: guard.retry ?? false,
    sentence: heldSentence(facts, { hit, fallback, ...(stopped === undefined ? {} : { stopped }) }),
  };
}

/** The rule's own fallback before the policy's general one, as far as the guard leaves them. */
function fallbackLeft(
  { guard: { fallbacks } }: GuardHit,
  { outcome }: PolicyProposal,
  general: PolicyFallback | null,
): PolicyFallback | null {
  const own = outcome.action === 'REVIEW' ? outcome.fallback : null;
  if (fallbacks === 'none') return null;
  if (own !== null && (fallbacks === 'any' || own.answer.action === 'ACCEPT_DISPUTE')) return own;
  return fallbacks === 'accept_by_rule' ? null : general;
}

/** When it is due: so long before the deadline, and never in the past. */
export function fallbackAt(
  fallback: PolicyFallback | null,
  { now, deadlineAt }: DecisionFacts,
): DecidedFallback | null {
  if (fallback === null) return null;
  const momentMs = Date.parse(deadlineAt) - fallback.beforeDeadlineMs;
  const at = new Date(Math.max(momentMs, Date.parse(now))).toISOString();
  return { answer: fallback.answer, at };
}

/** What every decision says of its policy. */
export function policyColumns({
  policy,
  proposal,
}: Context): Pick<Decision, 'policyVersion' | 'rule' | 'trace' | 'proposed' | 'sideActions'> {
  return {
    policyVersion: policy.version,
    rule: proposal.rule,
    trace: proposal.trace,
    proposed: proposal.outcome.action,
    sideActions: proposal.sideActions,
  };
}

function sourceOf({ rule }: PolicyProposal): string {
  return rule === null ? 'the policy\'s "otherwise"' : `rule "${rule}"`;
}

/** Why the policy proposes it, as a part of a sentence. */
export function reasonOf(proposal: PolicyProposal): string {
  if (proposal.because === UNNAMED) return UNNAMED;
  return proposal.rule === null
    ? 'no rule of the policy applies, so its "otherwise" does'
    : `rule "${proposal.rule}" applies, because ${proposal.because}`;
}

/** A policy that threw: nothing is decided. */
export function policyFailed(policy: Policy, facts: DecisionFacts, message: string): Decision {
  return {
    ...NO_MONEY,
    action: 'REVIEW',
    decidedBy: 'guard',
    policyVersion: policy.version,
    rule: null,
    guard: POLICY_ERROR,
    holdReason: POLICY_ERROR,
    fallback: null,
    retry: false,
    sentence: heldSentence(facts, { why: `the policy failed: ${message}`, fallback: null }),
    trace: [],
    proposed: 'nothing',
    sideActions: [],
  };
}
