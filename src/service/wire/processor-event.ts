/**
 * What the merchant's processor tells by itself: early fraud warnings, disputes, refunds that moved.
 *
 * An event is a hint. Whatever is irreversible depends on a look at the processor that the event causes, so
 * a forged or repeated one costs a question and moves nothing.
 */

/** What an event can say. */
export const PROCESSOR_EVENT_KINDS = [
  'fraud_warning',
  'dispute_opened',
  'dispute_closed',
  'refund_updated',
  'refund_failed',
  'captured',
  'authorisation_expiring',
] as const;
export type ProcessorEventKind = (typeof PROCESSOR_EVENT_KINDS)[number];

/** One event, in our words. */
export interface ProcessorEvent {
  /** The provider's own id: the same one comes again and is known. At most 200 characters. */
  readonly id: string;
  readonly kind: ProcessorEventKind;
  /** Every name under which your orders may know the charge, the one that `readCharge` takes first. */
  readonly chargeReferences: readonly string[];
  readonly refundReference: string | null;
  readonly disputeReference: string | null;
  /** Of the refund, dispute or capture, in minor units; null where the event names none. */
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** ISO 8601. */
  readonly occurredAt: string | null;
}

/** The headers of a delivery, by name in lower case. Of one that came twice, the values joined by ", ". */
export type EventHeaders = Readonly<Record<string, string | undefined>>;

/**
 * Who sent a delivery. `stale`: the holder of the secret signed it, too long ago or in the future.
 * `unavailable`: what is needed to verify it could not be had; the provider must repeat it.
 */
export type EventVerdict =
  | { readonly kind: 'genuine' | 'forged' | 'stale' }
  | { readonly kind: 'unavailable'; readonly reason: string };

/** The optional part of a processor that takes its provider's webhooks. */
export interface ProcessorEvents {
  /** The last part of the path, `POST /processor-events/{name}`: lower case, digits, hyphens. */
  readonly name: string;
  /** Whether any body could be genuine under these headers. The body of others is not read. */
  admits(headers: EventHeaders): boolean;
  /**
   * Says who sent these bytes. Compare in constant time, over the bytes as they came.
   *
   * @param nowMs the moment by which an old signature is judged, in milliseconds since 1970
   */
  verify(
    raw: Uint8Array,
    headers: EventHeaders,
    nowMs: number,
  ): EventVerdict | Promise<EventVerdict>;
  /** The events of a genuine delivery; none where it says nothing of these kinds. Throws for no event. */
  read(raw: Uint8Array): readonly ProcessorEvent[];
  /** Keeps what the adapter itself needs of a genuine delivery, before it is answered with 200. */
  keep?(raw: Uint8Array): Promise<void>;
}
