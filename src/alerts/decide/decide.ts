/**
 * Takes the decision on one alert: guards first, then the merchant's policy, then guards about what
 * it proposes. Pure: the same policy and facts give the same decision.
 *
 * A policy that throws decides nothing: the alert goes to a person, and is never accepted by mistake.
 *
 * @example
 * const decision = decide(loadPolicy(text, { file: 'policy.yaml' }), facts);
 * decision.sentence; // 'Refund 29.90 USD in full: rule "small amounts" applies, because …'
 */
import { assertInvariant, messageOf } from '../../base/kernel/errors.ts';
import { claimSourceOf } from '../cases/claim.ts';
import type { Decision } from './decision.ts';
import type { DecisionFacts } from './facts.ts';
import type { GuardHit, Intent } from './guard.ts';
import { alertMoneyText, FRAME_GUARDS, firstGuard } from './guards.ts';
import type { Context } from './held-decision.ts';
import {
  fallbackAt,
  generalFallback,
  hold,
  NO_MONEY,
  policyColumns,
  policyFailed,
  reasonOf,
  review,
  UNNAMED,
} from './held-decision.ts';
import { MONEY_GUARDS } from './money-guards.ts';
import { accountOf, amountToRefund, isSettled, verdictIn } from './money-state.ts';
import type { Policy, PolicyAnswer, PolicyProposal, SideAction } from './policy.ts';
import { answerSentence, heldSentence, moneyCurrency, settledSentence } from './sentences.ts';

export { POLICY_ERROR, POLICY_REVIEW } from './decision.ts';

/** Decides. Never throws for anything the policy does. */
export function decide(policy: Policy, facts: DecisionFacts): Decision {
  let proposal: PolicyProposal;
  try {
    proposal = proposalOf(policy, facts);
  } catch (error) {
    return policyFailed(policy, facts, messageOf(error));
  }
  const { outcome } = proposal;
  const intent: Intent | null = outcome.action === 'REVIEW' ? null : intentOf(outcome, 'policy');
  const context: Context = { policy, facts, proposal };
  const frame = firstGuard(FRAME_GUARDS, facts, intent);
  if (frame !== undefined) return hold(context, frame);
  if (outcome.action === 'REVIEW') {
    // The money has gone back: no guard has anything to protect, and whatever the fallback says,
    // `decideFallback` answers REFUND, which is the truth.
    if (isSettled(facts)) return review(context);
    const blocked = firstGuard(MONEY_GUARDS, facts, null);
    return blocked === undefined ? review(context) : hold(context, blocked);
  }
  const answer = answerOf(outcome, facts, 'policy');
  return answer.kind === 'held' ? hold(context, answer.hit) : settle(context, outcome, answer);
}

/**
 * Decides what becomes of a held alert whose fallback is due.
 *
 * @param answer what the policy chose as the fallback when the alert was held
 * @param sideActions what its rule wanted done besides
 */
export function decideFallback(
  answer: PolicyAnswer,
  facts: DecisionFacts,
  sideActions: readonly SideAction[] = [],
): Decision {
  const frame = firstGuard(FRAME_GUARDS, facts, intentOf(answer, 'fallback'));
  const result: AnswerResult =
    frame === undefined ? answerOf(answer, facts, 'fallback') : { kind: 'held', hit: frame };
  const shared = {
    decidedBy: 'fallback' as const,
    policyVersion: null,
    rule: null,
    fallback: null,
    trace: [],
    proposed: answer.action,
    sideActions,
  };
  const why = 'nobody decided in time, so the fallback applies';
  if (result.kind === 'held') {
    const { guard } = result.hit;
    return {
      ...shared,
      ...NO_MONEY,
      action: guard.effect === 'nothing' ? 'NONE' : 'REVIEW',
      guard: guard.name,
      holdReason: guard.name,
      retry: guard.retry ?? false,
      sentence: heldSentence(facts, {
        hit: result.hit,
        stopped: `the fallback ${answer.action}`,
        fallback: null,
      }),
    };
  }
  return {
    ...shared,
    ...answered(answer, { result, facts, why }),
    guard: SETTLED_BY[result.kind],
    holdReason: null,
    retry: false,
  };
}

/**
 * A policy decides about alerts, and about the claims that a rule of it names. Without one, what somebody
 * asks for is a person's, and a warning alone moves nothing.
 */
function proposalOf(policy: Policy, facts: DecisionFacts): PolicyProposal {
  const source = claimSourceOf(facts.alert.enrolmentType);
  if (source === undefined) return policy.propose(facts);
  const proposal = policy.sources?.includes(source) === true ? policy.propose(facts) : undefined;
  if (proposal !== undefined && proposal.rule !== null) return proposal;
  return {
    outcome:
      source === 'FRAUD_WARNING'
        ? { action: 'ACCEPT_DISPUTE' }
        : { action: 'REVIEW', fallback: null },
    rule: null,
    because: UNNAMED,
    trace: proposal?.trace ?? [],
    sideActions: [],
  };
}

/** What came of an intent. */
type AnswerResult =
  | { readonly kind: 'held'; readonly hit: GuardHit }
  /** The money has gone back, or is on its way by our refund: `REFUND` is true already. */
  | { readonly kind: 'settled'; readonly amountMinor: number }
  | { readonly kind: 'answer'; readonly amountMinor: number | null }
  /** The bank has taken the money back: nothing is to be refunded, and the dispute is accepted. */
  | { readonly kind: 'charged_back' };

function answerOf(
  answer: PolicyAnswer,
  facts: DecisionFacts,
  occasion: Intent['occasion'],
): AnswerResult {
  const intent = intentOf(answer, occasion);
  if (isSettled(facts)) return settledBy(facts);
  const hit = firstGuard(MONEY_GUARDS, facts, intent);
  if (hit !== undefined) return { kind: 'held', hit };
  const isTaken = answer.action === 'REFUND' && verdictIn(facts, intent).kind === 'accept';
  if (isTaken) return { kind: 'charged_back' };
  if (answer.action === 'ACCEPT_DISPUTE') return { kind: 'answer', amountMinor: null };
  const { charge } = facts;
  // The guards let no refund pass without a charge; were one missing, nothing may be moved.
  assertInvariant(charge.kind === 'found', 'A refund passed the guards without a charge.');
  return { kind: 'answer', amountMinor: amountToRefund(answer.amount, facts, charge) };
}

/** What the money itself decides. */
const SETTLED_BY = {
  settled: 'already_refunded',
  charged_back: 'charged_back',
  answer: null,
} as const;

function settledBy(facts: DecisionFacts): Extract<AnswerResult, { kind: 'settled' }> {
  const { isCovered, underWay } = accountOf(facts);
  return { kind: 'settled', amountMinor: isCovered ? 0 : (underWay?.amountMinor ?? 0) };
}

function intentOf(answer: PolicyAnswer, occasion: Intent['occasion']): Intent {
  return {
    action: answer.action,
    amount: answer.action === 'REFUND' ? answer.amount : 'full',
    occasion,
  };
}

type Answered = Pick<Decision, 'action' | 'amountMinor' | 'currency' | 'sentence'>;

function answered(
  answer: PolicyAnswer,
  about: {
    readonly result: Exclude<AnswerResult, { kind: 'held' }>;
    readonly facts: DecisionFacts;
    readonly why: string;
  },
): Answered {
  const { result, facts, why } = about;
  if (result.kind === 'charged_back') {
    const sentence = `Accept the dispute of ${alertMoneyText(facts.alert)}: the bank has taken the money of the charge back, so nothing is refunded (${why}).`;
    return { action: 'ACCEPT_DISPUTE', ...NO_MONEY, sentence };
  }
  const { amountMinor } = result;
  // Money moves in the charge's currency only.
  const currency = moneyCurrency(facts);
  if (result.kind === 'settled') {
    const sentence = settledSentence(facts, why);
    return { action: 'REFUND', amountMinor, currency, sentence };
  }
  const sentence = answerSentence(answer, { facts, amountMinor, why });
  return answer.action === 'REFUND'
    ? { action: 'REFUND', amountMinor, currency, sentence }
    : { action: 'ACCEPT_DISPUTE', ...NO_MONEY, sentence };
}

function settle(
  context: Context,
  answer: PolicyAnswer,
  result: Exclude<AnswerResult, { kind: 'held' }>,
): Decision {
  const guard = SETTLED_BY[result.kind];
  return {
    ...policyColumns(context),
    ...answered(answer, { result, facts: context.facts, why: reasonOf(context.proposal) }),
    decidedBy: guard === null ? 'policy' : 'guard',
    guard,
    holdReason: null,
    ...(answer.action === 'REFUND' && answer.whenRefused !== undefined
      ? { whenRefused: answer.whenRefused }
      : {}),
    // Should the refund be refused later, this is what the alert falls back to.
    fallback: fallbackAt(generalFallback(context.policy, context.facts), context.facts),
    retry: false,
  };
}
