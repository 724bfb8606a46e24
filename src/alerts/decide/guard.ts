/** What a guard is, and what it is asked about. */
import type { AlertAction } from '../../service/wire/alert.ts';
import type { DecisionFacts } from './facts.ts';
import type { RefundAmount } from './policy.ts';

/** An answer somebody wants to give. */
export interface Intent {
  readonly action: AlertAction;
  readonly amount: RefundAmount;
  /** A fallback is the last chance before the deadline, so it may accept where others wait. */
  readonly occasion: 'policy' | 'fallback' | 'operator';
}

/** What a guard stops: every answer, refunds only, or cancellations only. */
export type GuardScope = 'everything' | 'refund' | 'cancel';

/**
 * Which fallback an alert may keep that this guard holds: none; accepting, if the rule that applied
 * names it; accepting, also by the policy's `held`; or any.
 */
export type FallbacksLeft = 'none' | 'accept_by_rule' | 'accept' | 'any';

export interface Guard {
  /** Stable; it is also the reason with which a case is held. */
  readonly name: string;
  readonly stops: GuardScope;
  /** `nothing`: there is nothing to decide. `review`: a person decides. */
  readonly effect: 'nothing' | 'review';
  readonly fallbacks: FallbacksLeft;
  /** Ask again soon: the cause may pass by itself. */
  readonly retry?: boolean;
  /** Says why it holds, or undefined when it does not. Pure. */
  readonly check: (facts: DecisionFacts, intent: Intent | null) => string | undefined;
}

/** A guard that spoke. */
export interface GuardHit {
  readonly guard: Guard;
  readonly sentence: string;
}
