/**
 * The port to the merchant's processor: where the money really is.
 *
 * Everything a refund needs to be safe goes through here: what a charge is worth now, whether our
 * refund exists, and a call that answers in exactly four ways. An adapter never throws for an
 * outcome it understood, and never turns a missing answer into "failed".
 */
import type { Money } from '../../base/kernel/money.ts';
import type { Answer, FailureClass } from './processor-answer.ts';
import type { ProcessorDisputes } from './processor-dispute.ts';
import type { ProcessorEvents } from './processor-event.ts';

export type { Answer, FailureClass } from './processor-answer.ts';
export { FAILURE_CLASSES } from './processor-answer.ts';

/** What a processor can do; the most cautious values hold for whatever it does not say. */
export interface ProcessorCapabilities {
  /** How long a repeat of an idempotency key returns the first result, in hours. 0: keys do nothing. */
  readonly idempotencyTtlHours: number;
  /** Whether a refund can be found by our key. */
  readonly canLookupByReference: boolean;
  /** How long a new refund may be invisible to look-ups, in seconds. */
  readonly lookupLagSeconds: number;
  /** Whether it refuses a refund above what is left. */
  readonly refusesOverRefund: boolean;
  /** Whether a refund may be accepted first and fail later. */
  readonly asyncRefunds: boolean;
  /** Whether a pending refund may be declared. */
  readonly pendingCounts: boolean;
  /** How long an accepted refund usually stays pending, in hours; where it says so. */
  readonly settlesAfterHours?: number;
  /** How long a request may still execute after we gave up on it, in seconds. */
  readonly requestLifetimeSeconds: number;
  /** Whether it moves real money, where it says so: a test organisation never meets a live processor. */
  readonly mode?: 'test' | 'live';
}

/** Used for everything a processor does not state. */
export const CAUTIOUS_CAPABILITIES: ProcessorCapabilities = {
  idempotencyTtlHours: 0,
  canLookupByReference: false,
  lookupLagSeconds: 600,
  refusesOverRefund: false,
  asyncRefunds: true,
  pendingCounts: false,
  requestLifetimeSeconds: 600,
};

export type ChargeStatus = 'authorised' | 'captured' | 'declined' | 'voided';

/** A payment as the processor sees it now. */
export interface ProcessorCharge {
  readonly reference: string;
  readonly status: ChargeStatus;
  readonly amountMinor: number;
  readonly currency: string;
  readonly refundableMinor: number;
  readonly disputed: boolean;
  readonly authorisedAt: string | null;
  readonly cardBrand: string | null;
  readonly cardBin: string | null;
  readonly cardLast4: string | null;
  readonly acquirerReferenceNumber: string | null;
  readonly authorisationCode: string | null;
  readonly orderReference: string | null;
  readonly subscriptionReference: string | null;
  readonly refunds: readonly ProcessorRefund[];
}

/** A refund as the processor sees it now. */
export interface ProcessorRefund {
  readonly reference: string;
  readonly idempotencyKey: string | null;
  readonly chargeReference: string;
  readonly status: 'succeeded' | 'pending' | 'failed';
  readonly failureCode: string | null;
  /** Why a failed refund failed; absent is `retry`. */
  readonly failureClass?: FailureClass;
  readonly amountMinor: number;
  readonly currency: string;
  readonly createdAt: string | null;
}

/** What to search charges by. Every field narrows. */
export interface ChargeQuery {
  readonly reference?: string;
  readonly acquirerReferenceNumber?: string;
  readonly authorisationCode?: string;
  readonly cardBin?: string;
  readonly cardLast4?: string;
  readonly amountMinor?: number;
  readonly currency?: string;
  readonly authorisedFrom?: string;
  readonly authorisedTo?: string;
}

/** An order to move money back. The key is stored before this is sent and never changes. */
export interface RefundRequest extends Money {
  readonly idempotencyKey: string;
  readonly chargeReference: string;
  readonly alertId: string;
  readonly reason: string;
}

/**
 * The four answers to a refund. `unknown`: it may or may not have executed. `rejected`: this request
 * executed nothing and never will; an earlier one under the same key may have, and is looked up.
 */
export type RefundOutcome =
  | { readonly kind: 'confirmed'; readonly refund: ProcessorRefund }
  | { readonly kind: 'pending'; readonly refund: ProcessorRefund }
  | { readonly kind: 'rejected'; readonly failureCode: string; readonly failureClass: FailureClass }
  | { readonly kind: 'unknown'; readonly reason: string };

/** The merchant's processor. Reads never throw; they answer `unavailable`. */
export interface Processor {
  /** Shown to people, for example `sandbox` or a host name. */
  readonly name: string;
  /** `undefined`: the processor did not answer. That says nothing about what it offers: ask again. */
  capabilities(signal?: AbortSignal): Promise<ProcessorCapabilities | undefined>;
  searchCharges(query: ChargeQuery, signal?: AbortSignal): Promise<Answer<ProcessorCharge[]>>;
  readCharge(reference: string, signal?: AbortSignal): Promise<Answer<ProcessorCharge>>;
  /** Refunds carrying our key; `absent` when the processor says there is none. */
  findRefund(request: RefundRequest, signal?: AbortSignal): Promise<Answer<ProcessorRefund>>;
  refund(request: RefundRequest, signal: AbortSignal): Promise<RefundOutcome>;
  voidCharge(
    reference: string,
    idempotencyKey: string,
    signal: AbortSignal,
  ): Promise<'voided' | 'not_offered' | 'rejected' | 'unknown'>;
  cancelSubscription(
    reference: string,
    idempotencyKey: string,
    signal: AbortSignal,
  ): Promise<'cancelled' | 'not_offered' | 'rejected' | 'unknown'>;
  /** Takes the provider's webhooks. Left out: nothing is told early, and pending refunds are asked about. */
  readonly events?: ProcessorEvents;
  /** Its disputes, and evidence for them. Left out: people hand evidence in themselves. */
  readonly disputes?: ProcessorDisputes;
}
