/** Events and their way to the receivers. */
import type { Buffer } from 'node:buffer';

/** An event as emitted; its bytes never change afterwards. */
export interface EventRecord {
  readonly id: string;
  readonly type: string;
  readonly organisation_id: string;
  readonly created_at: string;
  /** The exact body of every delivery. */
  readonly body: string | Buffer;
}

const DELIVERY_STATUSES = ['PENDING', 'SUCCEEDED', 'FAILED', 'LOST'] as const;
/** `LOST` is a fault of the sandbox: the service believes it was delivered. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One HTTP request to the receiver. */
export interface DeliveryAttempt {
  readonly at: string;
  /** The receiver's answer, or null when there was none. */
  readonly http_status: number | null;
  /** What the receiver wrote, cut to 2,000 characters; null when there was no answer. */
  readonly answer: string | null;
  readonly error: string | null;
  /** Which fault bent this attempt, if any. */
  readonly fault: string | null;
}

/** One event on its way to one subscription. */
export interface DeliveryRecord {
  /** Sent as `X-Idempotency-Key`. */
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly subscription_id: string;
  readonly created_at: string;
  status: DeliveryStatus;
  attempts: DeliveryAttempt[];
  next_attempt_at: string | null;
  /** The `t` of the first attempt, for services that sign retries with it. */
  first_signed_at_seconds: number | null;
}
