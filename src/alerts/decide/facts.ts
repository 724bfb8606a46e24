/**
 * Everything a decision may look at, as plain data: what was known at that moment, and no more.
 *
 * It is stored with the decision, so that anybody can ask later why, and what another policy would
 * have said. What may be absent is absent from decisions that earlier versions stored: it counts as
 * not known.
 */

import type { ChargeStatus, FailureClass } from '../../service/wire/processor.ts';
import type { Standing } from '../ledger/verdict.ts';
import type { MatchTier } from '../match/match-settings.ts';
import type { MatchOutcome } from '../match/matcher.ts';
import type { ChargeHistory, CustomerFacts } from './history-facts.ts';
import type { OrderFacts } from './order-facts.ts';
import type { RatioInputs } from './ratio-standing.store.ts';

/** The alert's side. Null: the service did not say. */
export interface AlertInputs {
  readonly id: string;
  readonly status: string;
  readonly enrolmentType: string | null;
  readonly refundOutcome: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly descriptor: string | null;
  readonly scheme: string | null;
  readonly issuer: string | null;
  readonly reasonCode: string | null;
  readonly merchantId: string | null;
  readonly cardBin: string | null;
  readonly authorisedAt: string | null;
  readonly createdAt: string | null;
  readonly updatedAt?: string | null;
  readonly cardLast4?: string | null;
  readonly networkId?: string | null;
  readonly authorisationCode?: string | null;
  readonly acquirerReferenceNumber?: string | null;
  readonly enrolmentId?: string | null;
  readonly integrationId?: string | null;
  /** The `reference_id` of the transaction that the service matched. */
  readonly transactionReference?: string | null;
  readonly subscriptionCancelOutcome?: string | null;
  readonly note?: string | null;
  /** Every merchant it concerns, where the service names several. */
  readonly merchantIds?: readonly string[];
}

/** What the match found, and how sure it is. */
export interface MatchInputs {
  readonly outcome: MatchOutcome;
  readonly tier: MatchTier | string | null;
  /** The chosen candidate's score, and how far it lies above the next one's. */
  readonly score?: number | null;
  readonly margin?: number | null;
  /** `matcher`, or `operator` when a person chose. */
  readonly by?: string | null;
  /** The processor's search did not answer: what it would have shown is not known. */
  readonly unanswered?: boolean;
}

/** The charge as the processor showed it, or why it did not. `none`: no single charge to ask about. */
export type ChargeInputs =
  | { readonly kind: 'none' | 'absent' | 'not_offered' }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | ({ readonly kind: 'found' } & FoundChargeInputs);

export interface FoundChargeInputs {
  readonly reference: string;
  readonly status: ChargeStatus;
  readonly amountMinor: number;
  readonly currency: string;
  readonly refundableMinor: number;
  readonly disputed: boolean;
  /** Refunds the processor lists, settled ones; ours included. */
  readonly refundedMinor: number;
  /** Refunds the processor lists as pending. */
  readonly pendingMinor: number;
  /** The first refund listed, to be named in a note. */
  readonly refundReference: string | null;
  /** The bank has taken the money back. Absent in decisions that earlier versions stored, as is the next. */
  readonly isChargedBack?: boolean;
  /** Whether the processor refuses a refund above the remainder. */
  readonly refusesOverRefund?: boolean;
}

/** What the charge's ledger says about the alert. */
export interface AccountInputs {
  readonly disputeId: string | null;
  /** Whether it is the first complaint about the charge, a further one, or a person must say. */
  readonly dispute: 'first' | 'further' | 'unclear';
  readonly unclearBecause: string | null;
  /** `REFUND` is true of the alert already. */
  readonly isCovered: boolean;
  /** What has gone back for its dispute. */
  readonly coveredMinor: number;
  /** What may have gone back for its dispute. */
  readonly outMinor: number;
  /** What may have gone back on the charge in all. */
  readonly chargeOutMinor: number;
  /** Somebody else's money from before the complaint, which answers none. Absent in decisions that earlier versions stored. */
  readonly unnamedMinor?: number;
  /** A movement of ours for its dispute that is not settled. */
  readonly underWay: {
    readonly id: string;
    readonly amountMinor: number;
    readonly isVoid: boolean;
  } | null;
  /** An alert of its dispute was, or is being, answered `ACCEPT_DISPUTE`. */
  readonly isAccepted: boolean;
  /** Another alert of the charge is to be refunded. Absent in decisions that earlier versions stored. */
  readonly isRefundAhead?: boolean;
  /** A refund of ours for its dispute failed after it was confirmed, and nothing replaced it. */
  readonly isReversed: boolean;
  /** The last refusal of a refund for its dispute. */
  readonly refusal: { readonly code: string | null; readonly failureClass: FailureClass } | null;
  /** Whose money covers it, where some does. */
  readonly refundedBy: 'us' | 'support' | 'network' | null;
  /** How a person finds the money that went back. */
  readonly reference: string | null;
  /** What the outcome table looks at. Absent in decisions that earlier versions stored: it is read from the rest. */
  readonly standing?: Standing;
}

/** The refund row of decisions that versions before the ledger stored. */
export interface OwnRefundInputs {
  readonly id: string;
  readonly state: string;
  readonly amountMinor: number;
  readonly externalMinor: number;
  /** An authorisation that was released instead of a refund. */
  readonly isVoid: boolean;
  readonly currency: string;
}

/** Whether a dispute about the payment would be won, or kept from counting, with what orders say. */
export interface EvidenceFacts {
  readonly ce3: 'qualifies' | 'edge' | 'not';
  readonly ce3Why: string;
  readonly fpt: 'qualifies' | 'edge' | 'not';
  readonly fptWhy: string;
}

export interface DecisionFacts {
  /** ISO 8601 UTC. */
  readonly now: string;
  readonly deadlineAt: string;
  readonly mode: 'live' | 'shadow';
  /** `CUSTOM_ORDERS`, or a processor's type. */
  readonly integrationType: string;
  /** What must be left before the deadline for a refund to be started, in milliseconds. */
  readonly refundGuardMs: number;
  readonly alert: AlertInputs;
  readonly match: MatchInputs;
  readonly charge: ChargeInputs;
  /** Null: there is no single charge. Absent: stored before there was a ledger. */
  readonly account?: AccountInputs | null;
  readonly ownRefund?: OwnRefundInputs | null;
  readonly order: OrderFacts | null;
  /** Null: the order names no customer, or there is no order. */
  readonly customer?: CustomerFacts | null;
  /** What else happened to the charge. Null: there is no single charge. */
  readonly history?: ChargeHistory | null;
  /** Whether the dispute would qualify as evidence. Null: no order tells of the payment. */
  readonly evidence?: EvidenceFacts | null;
  /** The state of the schemes' programmes. Null: not counted lately. */
  readonly ratio?: RatioInputs | null;
}

/** What is known of a case without its order, whose history and evidence only a decision looks at. */
export type CaseFacts = Omit<DecisionFacts, 'order' | 'customer' | 'evidence'>;
