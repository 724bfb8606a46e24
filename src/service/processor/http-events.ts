/**
 * Webhooks of a processor behind the HTTP contract: one event each, signed as the service signs its own,
 * `X-Signature: t=…,v1=…` with HMAC-SHA512 over `<t>.<raw body>`.
 */
import { KitError } from '../../base/kernel/errors.ts';
import { eventShape } from '../wire/processor-contract.ts';
import type { EventVerdict, ProcessorEvent, ProcessorEvents } from '../wire/processor-event.ts';
import { parseJsonStrict } from '../wire/strict-json.ts';

/** Decides about a signature; `alerts/receive/signature.ts` makes one. */
export interface EventSignature {
  /** Whether some body could be genuine under this value of the header. */
  isForm(header: string): boolean;
  verify(header: string, raw: Uint8Array): EventVerdict;
}

/** The last part of the path. */
export const HTTP_EVENTS = 'http';

class UnreadableEvent extends KitError {
  readonly code = 'UNREADABLE_EVENT';
  readonly retryable = false;
}

/** Creates the part of an HTTP processor that takes its webhooks. */
export function createHttpEvents(signature: EventSignature): ProcessorEvents {
  return {
    name: HTTP_EVENTS,
    admits: (headers) => signature.isForm(headers['x-signature'] ?? ''),
    verify: (raw, headers) => signature.verify(headers['x-signature'] ?? '', raw),
    read: (raw) => [readHttpEvent(raw)],
  };
}

/** @throws when it is no event of the contract */
function readHttpEvent(raw: Uint8Array): ProcessorEvent {
  const parsed = parseJsonStrict(Buffer.from(raw));
  const read = eventShape.safeParse(parsed.ok ? parsed.value : undefined);
  if (!read.success) {
    const path = read.error.issues[0]?.path.join('.') ?? '';
    throw new UnreadableEvent(`The event is none of the contract (${path}).`);
  }
  const event = read.data;
  return {
    id: event.id,
    kind: event.kind,
    chargeReferences: event.charge_references,
    refundReference: event.refund_reference ?? null,
    disputeReference: event.dispute_reference ?? null,
    amountMinor: event.amount_in_cents ?? null,
    currency: event.currency ?? null,
    occurredAt: event.occurred_at ?? null,
  };
}
