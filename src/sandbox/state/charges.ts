/** The books of the sandbox's processor: the oracle for "was money moved, and how often". */
import type { FailureClass } from '../../service/wire/processor.ts';
import type { ProcessorEventKind } from '../../service/wire/processor-event.ts';

export interface RefundRecord {
  readonly reference: string;
  /** Null for a refund that somebody made by hand. */
  readonly idempotency_key: string | null;
  readonly charge_reference: string;
  status: 'succeeded' | 'pending' | 'failed';
  failure_code: string | null;
  failure_class: FailureClass | null;
  readonly amount_in_cents: number;
  readonly currency: string;
  readonly created_at: string;
}

export interface ChargeRecord {
  readonly reference: string;
  status: 'authorised' | 'captured' | 'declined' | 'voided';
  /** What was captured; of an authorisation, what was authorised. */
  amount_in_cents: number;
  /** What was authorised, less what was released; absent while it is `amount_in_cents`. */
  authorised_in_cents?: number;
  /** What the issuer has taken back. */
  chargeback_in_cents?: number;
  currency: string;
  disputed: boolean;
  authorised_at: string;
  card: { brand: string | null; bin: string | null; last4: string | null };
  acquirer_reference_number: string | null;
  authorisation_code: string | null;
  order_reference: string | null;
  subscription_reference: string | null;
  refunds: RefundRecord[];
}

/** One webhook of the processor. */
export interface ToldEvent {
  readonly id: string;
  readonly kind: ProcessorEventKind;
  /** The exact body of every attempt. */
  readonly body: string;
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  readonly attempts: {
    readonly at: string;
    /** The receiver's answer, or null when there was none. */
    readonly http_status: number | null;
    readonly error: string | null;
  }[];
}

export interface KeyUse {
  readonly key: string;
  readonly usedAtMs: number;
  readonly request: string;
  readonly status: number;
  readonly body: unknown;
}
