/**
 * What a policy is to the rest of the program: something that, given the facts, proposes an answer
 * and says why. Pure, without I/O, the same answer for the same facts.
 */
import type { ClaimSource } from '../cases/claim.ts';
import type { SamePartRule } from '../ledger/same-dispute.ts';
import type { EvidenceWords } from './evidence-words.ts';
import type { Explore } from './explore.ts';
import type { DecisionFacts } from './facts.ts';

/**
 * How much to refund. `full`: the charge as it is; `remainder`: what earlier refunds left of it;
 * `alert_amount`: also where the alert is about less than the charge; `whole_charge`: the charge as it
 * is, also where the alert is about more, or in another currency.
 */
export const REFUND_AMOUNTS = ['full', 'remainder', 'alert_amount', 'whole_charge'] as const;
export type RefundAmount = (typeof REFUND_AMOUNTS)[number];

/** An answer that ends the alert. */
export type PolicyAnswer =
  | {
      readonly action: 'REFUND';
      readonly amount: RefundAmount;
      /** A refusal for good is conceded at once, instead of at the fallback's moment. */
      readonly whenRefused?: 'ACCEPT_DISPUTE';
    }
  | { readonly action: 'ACCEPT_DISPUTE' };

/** What happens without a decision in time, and when that is. */
export interface PolicyFallback {
  readonly answer: PolicyAnswer;
  /** Milliseconds before the deadline. */
  readonly beforeDeadlineMs: number;
}

/** What a rule leads to. */
export type PolicyOutcome =
  | PolicyAnswer
  | { readonly action: 'REVIEW'; readonly fallback: PolicyFallback | null };

/** What can be wanted besides the answer. */
export const SIDE_ACTIONS = [
  'cancel_subscription',
  'stop_fulfilment',
  'block_customer',
  'notify',
] as const;
export type SideActionKind = (typeof SIDE_ACTIONS)[number];

/** Something to be done besides the answer. It is stored with the decision, and carried out later. */
export type SideAction =
  | { readonly kind: Exclude<SideActionKind, 'notify'> }
  /** `text`: what to tell; null leaves it to the sentence of the decision. */
  | { readonly kind: 'notify'; readonly text: string | null };

/** `unknown`: a fact it asks for is not there, so it neither holds nor fails. */
export type Truth = 'yes' | 'no' | 'unknown';

/** How one rule fared. */
export interface RuleTrace {
  readonly rule: string;
  /** Line in the policy's file. */
  readonly line: number;
  readonly result: Truth | 'not reached';
  /** Which condition settled it, in words. */
  readonly why: string;
}

/** What a policy proposes. */
export interface PolicyProposal {
  readonly outcome: PolicyOutcome;
  /** Null: no rule applied, `otherwise` did. */
  readonly rule: string | null;
  readonly because: string;
  readonly trace: readonly RuleTrace[];
  /** What the rule wants done besides. */
  readonly sideActions: readonly SideAction[];
}

export interface Policy {
  readonly name: string;
  /** Derived from the text: the same text is the same version everywhere. */
  readonly version: string;
  /** The text as written. */
  readonly source: string;
  /** How it is written. @default 'yaml' */
  readonly kind?: 'yaml' | 'module';
  /** Who wrote it, as far as it says so. */
  readonly author?: string | null;
  /** Lists and rate tables it has read, by path as it names them; part of the version. */
  readonly files?: Readonly<Record<string, string>>;
  /** What an alert falls back to that a guard holds. Null: nothing, a person must decide. */
  readonly held: PolicyFallback | null;
  /** What the same part of a charge means that one network reports twice. @default 'REVIEW' */
  readonly samePart?: SamePartRule;
  /** A small share of what its rules refund is accepted, to learn. @default none */
  readonly explore?: Explore;
  /** Whether evidence for disputes is handed in at the processor. @default as the settings say */
  readonly evidence?: EvidenceWords;
  /** The claims besides alerts that its rules name. It is never asked about others. @default none */
  readonly sources?: readonly ClaimSource[];
  /** Whose it is, where several layers may have one: `organisation`, `merchant mrch_…`. */
  readonly layer?: string;
  propose(facts: DecisionFacts): PolicyProposal;
}
