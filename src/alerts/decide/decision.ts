/** What a decision is: the answer, who took it, and everything a person needs to check it. */
import type { DecisionAction } from './decision.table.ts';
import type { Trial } from './explore.ts';
import type { Policy, PolicyAnswer, RuleTrace, SideAction } from './policy.ts';

/** What a held alert falls back to, and when. */
export interface DecidedFallback {
  readonly answer: PolicyAnswer;
  /** ISO 8601 UTC; never before the moment of the decision. */
  readonly at: string;
}

/** A decision, complete with its reasons. */
export interface Decision {
  readonly action: DecisionAction;
  /** What to refund; 0 when it has gone back already; null unless the action is `REFUND`. */
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly decidedBy: 'policy' | 'guard' | 'fallback';
  /** Null when the policy could not be asked. */
  readonly policyVersion: string | null;
  readonly rule: string | null;
  readonly guard: string | null;
  /** Why it is held; null unless the action is `REVIEW`. */
  readonly holdReason: string | null;
  readonly fallback: DecidedFallback | null;
  /** A refusal for good is conceded at once. */
  readonly whenRefused?: 'ACCEPT_DISPUTE';
  /** The cause of the hold may pass by itself: ask again soon. */
  readonly retry: boolean;
  readonly sentence: string;
  /** Its part in a trial of the policy; undefined: none. */
  readonly trial?: Trial;
  readonly trace: readonly RuleTrace[];
  /** What the policy proposed, before any guard. */
  readonly proposed: string;
  /** What its rule wants done besides; due once the case is decided. */
  readonly sideActions: readonly SideAction[];
}

/** What a second policy would have decided from the same facts. */
export interface SecondDecision {
  readonly policy: Policy;
  readonly decision: Decision;
}

/** How a decision is held when no guard speaks. */
export const POLICY_REVIEW = 'policy_review';
/** How a decision is held when the policy itself failed. */
export const POLICY_ERROR = 'policy_error';
