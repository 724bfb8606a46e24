/**
 * The shapes of the HTTP processor contract, as its answers are read: tolerant of what a merchant's
 * adapter adds or leaves out, strict about amounts and states.
 */
import { z } from 'zod';
import { amountMinor, maybeText, text } from './fields.ts';
import type {
  FailureClass,
  ProcessorCapabilities,
  ProcessorCharge,
  ProcessorRefund,
} from './processor.ts';
import { CAUTIOUS_CAPABILITIES, FAILURE_CLASSES } from './processor.ts';
import { PROCESSOR_EVENT_KINDS } from './processor-event.ts';

/** An absent word, or one that is none of ours, leaves the class open. */
const failureClass = z.enum(FAILURE_CLASSES).optional().catch(undefined);

export const refundShape = z.looseObject({
  reference: text,
  idempotency_key: maybeText,
  charge_reference: text,
  status: z.enum(['succeeded', 'pending', 'failed']),
  failure_code: maybeText,
  failure_class: failureClass,
  amount_in_cents: amountMinor.min(0),
  currency: text,
  created_at: maybeText,
});

export const chargeShape = z.looseObject({
  reference: text,
  status: z.enum(['authorised', 'captured', 'declined', 'voided']),
  amount_in_cents: amountMinor.min(0),
  currency: text,
  refundable_in_cents: amountMinor.min(0),
  disputed: z.boolean(),
  authorised_at: maybeText,
  card: z.looseObject({ brand: maybeText, bin: maybeText, last4: maybeText }).nullish(),
  acquirer_reference_number: maybeText,
  authorisation_code: maybeText,
  order_reference: maybeText,
  subscription_reference: maybeText,
  refunds: z.array(refundShape).nullish(),
});

const refundList = z.looseObject({ items: z.array(refundShape) });
const chargeList = z.looseObject({ items: z.array(chargeShape) });

export const capabilitiesShape = z.looseObject({
  idempotency_ttl_hours: z.number().min(0).nullish(),
  can_lookup_by_reference: z.boolean().nullish(),
  lookup_lag_seconds: z.number().min(0).nullish(),
  refuses_over_refund: z.boolean().nullish(),
  async_refunds: z.boolean().nullish(),
  pending_counts: z.boolean().nullish(),
  request_lifetime_seconds: z.number().min(0).nullish(),
  mode: z.enum(['test', 'live']).nullish(),
});

const error = z.looseObject({ code: text, failure_class: failureClass });
const refusalShape = error
  .or(z.looseObject({ error }).transform((body) => body.error))
  .or(
    z.looseObject({ errors: z.tuple([error], z.unknown()) }).transform(({ errors }) => errors[0]),
  );

/** A webhook of the contract: `POST /processor-events/http`. */
export const eventShape = z.looseObject({
  id: text,
  kind: z.enum(PROCESSOR_EVENT_KINDS),
  charge_references: z.array(text).min(1),
  refund_reference: maybeText,
  dispute_reference: maybeText,
  amount_in_cents: amountMinor.min(0).nullish(),
  currency: maybeText,
  occurred_at: maybeText,
});

type WireRefund = z.infer<typeof refundShape>;
type WireCharge = z.infer<typeof chargeShape>;

/** Reads a refund; undefined when it is none. */
export function readRefund(json: unknown): ProcessorRefund | undefined {
  const read = refundShape.safeParse(json);
  return read.success ? refundOf(read.data) : undefined;
}

/** Reads `{items: [Refund]}`; undefined when any item is unreadable, so that none is overlooked. */
export function readRefunds(json: unknown): ProcessorRefund[] | undefined {
  const read = refundList.safeParse(json);
  return read.success ? read.data.items.map(refundOf) : undefined;
}

/** Reads a charge; undefined when it is none. */
export function readCharge(json: unknown): ProcessorCharge | undefined {
  const read = chargeShape.safeParse(json);
  return read.success ? chargeOf(read.data) : undefined;
}

/** Reads `{items: [Charge]}`; undefined when any item is unreadable. */
export function readCharges(json: unknown): ProcessorCharge[] | undefined {
  const read = chargeList.safeParse(json);
  return read.success ? read.data.items.map(chargeOf) : undefined;
}

/** Reads the abilities; what is not stated is the most cautious value. */
export function readCapabilities(json: unknown): ProcessorCapabilities | undefined {
  const read = capabilitiesShape.safeParse(json);
  if (!read.success) return undefined;
  const stated = read.data;
  const cautious = CAUTIOUS_CAPABILITIES;
  return {
    idempotencyTtlHours: stated.idempotency_ttl_hours ?? cautious.idempotencyTtlHours,
    canLookupByReference: stated.can_lookup_by_reference ?? cautious.canLookupByReference,
    lookupLagSeconds: stated.lookup_lag_seconds ?? cautious.lookupLagSeconds,
    refusesOverRefund: stated.refuses_over_refund ?? cautious.refusesOverRefund,
    asyncRefunds: stated.async_refunds ?? cautious.asyncRefunds,
    pendingCounts: stated.pending_counts ?? cautious.pendingCounts,
    requestLifetimeSeconds: stated.request_lifetime_seconds ?? cautious.requestLifetimeSeconds,
    ...(stated.mode == null ? {} : { mode: stated.mode }),
  };
}

/** What a refusal's body states. */
export interface StatedRefusal {
  readonly code: string;
  /** Undefined when the body names no class, or none of ours. */
  readonly failureClass?: FailureClass | undefined;
}

/** Reads a refusal's body: `{code, failure_class}`, alone, in `{error}` or first in `{errors: []}`. */
export function readRefusal(json: unknown): StatedRefusal | undefined {
  const read = refusalShape.safeParse(json);
  if (!read.success) return undefined;
  return { code: read.data.code, failureClass: read.data.failure_class };
}

function refundOf(wire: WireRefund): ProcessorRefund {
  return {
    reference: wire.reference,
    idempotencyKey: wire.idempotency_key ?? null,
    chargeReference: wire.charge_reference,
    status: wire.status,
    failureCode: wire.failure_code ?? null,
    ...(wire.failure_class === undefined ? {} : { failureClass: wire.failure_class }),
    amountMinor: wire.amount_in_cents,
    currency: wire.currency,
    createdAt: wire.created_at ?? null,
  };
}

function chargeOf(wire: WireCharge): ProcessorCharge {
  return {
    reference: wire.reference,
    status: wire.status,
    amountMinor: wire.amount_in_cents,
    currency: wire.currency,
    refundableMinor: wire.refundable_in_cents,
    disputed: wire.disputed,
    authorisedAt: wire.authorised_at ?? null,
    cardBrand: wire.card?.brand ?? null,
    cardBin: wire.card?.bin ?? null,
    cardLast4: wire.card?.last4 ?? null,
    acquirerReferenceNumber: wire.acquirer_reference_number ?? null,
    authorisationCode: wire.authorisation_code ?? null,
    orderReference: wire.order_reference ?? null,
    subscriptionReference: wire.subscription_reference ?? null,
    refunds: (wire.refunds ?? []).map(refundOf),
  };
}
