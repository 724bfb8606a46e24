/** A policy under the layer that says it, and under the guards above it. Pure. */
import type { Policy, PolicyFallback, PolicyOutcome, PolicyProposal } from './policy.ts';

/** What is laid over it. */
export interface PolicyLayer {
  /** Whose policy it is, as people read it. */
  readonly layer: string | undefined;
  /** What follows without a decision follows at least so long before the deadline. */
  readonly fallbackBeforeMs: number | undefined;
}

/** The policy under its layer; of a stated guard only what is tighter than its own word counts. */
export function underLayer(policy: Policy, { layer, fallbackBeforeMs = 0 }: PolicyLayer): Policy {
  if (layer === undefined && fallbackBeforeMs === 0) return policy;
  const earlier = (fallback: PolicyFallback | null): PolicyFallback | null =>
    fallback === null
      ? null
      : { ...fallback, beforeDeadlineMs: Math.max(fallback.beforeDeadlineMs, fallbackBeforeMs) };
  const outcomeOf = (outcome: PolicyOutcome): PolicyOutcome =>
    outcome.action === 'REVIEW' ? { ...outcome, fallback: earlier(outcome.fallback) } : outcome;
  return {
    ...policy,
    ...(layer === undefined ? {} : { layer }),
    held: earlier(policy.held),
    propose(facts): PolicyProposal {
      const proposal = policy.propose(facts);
      return { ...proposal, outcome: outcomeOf(proposal.outcome) };
    },
  };
}
