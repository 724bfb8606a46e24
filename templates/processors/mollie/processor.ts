/**
 * Mollie as Forestall's processor, over its Payments, Refunds and Chargebacks API.
 *
 * Your orders must carry the payment's id (`tr_…`) as the transaction's reference: Mollie cannot be
 * searched by card or amount. The key goes out twice: as `Idempotency-Key`, and in the refund's metadata,
 * where it is found among the payment's refunds. Mollie may refund more than was paid, so nothing there
 * stops a refund that support makes at the same moment.
 *
 * https://docs.mollie.com/reference/create-refund
 */
import type {
  Answer,
  ChargeQuery,
  Processor,
  ProcessorCapabilities,
  ProcessorCharge,
  ProcessorRefund,
  RefundOutcome,
  RefundRequest,
} from 'forestall';
import type { JsonObject, ProviderReply } from 'forestall/adapter';
import {
  asList,
  NOT_REPRESENTABLE,
  oursOf,
  outcomeOf,
  ownRefundAmong,
  readAs,
  reasonFor,
  refusedOr,
  textAt,
  toDecimal,
  unavailable,
} from 'forestall/adapter';
import type { MollieAccess, MollieApi } from './mollie-api.ts';
import {
  createMollieApi,
  isMissing,
  mollieErrorCode,
  mollieModeOf,
  wholeListOf,
} from './mollie-api.ts';
import { chargeOf, KEY_FIELD, refundOf } from './payment.ts';
import { refusalOf } from './refusals.ts';
import { MOLLIE_WORDS } from './words.ts';

export interface MollieOptions extends MollieAccess {
  /** @default 'order_id' */
  readonly orderMetadataKey?: string;
  /** What the customer's statement may show of a refund. @default 'Refund' */
  readonly description?: string;
  /**
   * Whether a refund that Mollie has accepted but not completed may be declared. Without it each alert is refunded and then
   * runs out: refunds settle after alerts have ended. With it you declare what may still fail. So you decide.
   */
  readonly pendingCounts: boolean;
}

interface Mollie {
  readonly api: MollieApi;
  readonly options: MollieOptions;
}

/** Mollie's largest page. A payment has far fewer refunds and chargebacks. */
const LIST_MAX = 250;

/** A refund is settled a day or two after it was accepted. */
const SETTLES_AFTER_HOURS = 50;

/** Makes the processor that Forestall calls. */
export function createMollieProcessor(options: MollieOptions): Processor {
  const mollie: Mollie = { api: createMollieApi(options), options };
  return {
    name: 'Mollie',
    capabilities: () => Promise.resolve(capabilitiesOf(options)),
    searchCharges: (query, signal) => searchCharges(mollie, query, signal),
    readCharge: (reference, signal) => readCharge(mollie, reference, signal),
    findRefund: (request, signal) => findRefund(mollie, request, signal),
    refund: (request, signal) => refund(mollie, request, signal),
    voidCharge: (reference, key, signal) => voidCharge(mollie, { reference, key }, signal),
    cancelSubscription: (reference, _key, signal) => cancelSubscription(mollie, reference, signal),
  };
}

function capabilitiesOf(options: MollieOptions): ProcessorCapabilities {
  return {
    // Mollie keeps a key for a time that is too short to count on: the look-up is the proof.
    idempotencyTtlHours: 0,
    canLookupByReference: true,
    lookupLagSeconds: 60,
    // Cards can be refunded beyond what was paid.
    refusesOverRefund: false,
    asyncRefunds: true,
    pendingCounts: options.pendingCounts,
    settlesAfterHours: SETTLES_AFTER_HOURS,
    requestLifetimeSeconds: 600,
    ...mollieModeOf(options),
  };
}

async function searchCharges(
  mollie: Mollie,
  query: ChargeQuery,
  signal?: AbortSignal,
): Promise<Answer<ProcessorCharge[]>> {
  if (query.reference === undefined) return { kind: 'not_offered' };
  return asList(await readCharge(mollie, query.reference, signal));
}

async function readCharge(
  { api, options }: Mollie,
  reference: string,
  signal?: AbortSignal,
): Promise<Answer<ProcessorCharge>> {
  const path = `/payments/${encodeURIComponent(reference)}`;
  const payment = await api.get(path, signal);
  if (isMissing(payment)) return { kind: 'absent' };
  if (payment.kind === 'silence' || payment.status !== 200) {
    return unavailable(payment, mollieErrorCode(payment));
  }
  const [refundReply, chargebackReply] = await Promise.all([
    api.get(`${path}/refunds?limit=${LIST_MAX}`, signal),
    api.get(`${path}/chargebacks?limit=${LIST_MAX}`, signal),
  ]);
  const refunds = wholeListOf(refundReply, 'refunds');
  const chargebacks = wholeListOf(chargebackReply, 'chargebacks');
  if (refunds === null) return unavailable(refundReply, mollieErrorCode(refundReply));
  if (chargebacks === null) return unavailable(chargebackReply, mollieErrorCode(chargebackReply));
  const orderMetadataKey = options.orderMetadataKey ?? 'order_id';
  const charge = chargeOf(payment.body, { refunds, chargebacks, orderMetadataKey });
  return readAs(charge);
}

async function findRefund(
  { api }: Mollie,
  { chargeReference, idempotencyKey }: RefundRequest,
  signal?: AbortSignal,
): Promise<Answer<ProcessorRefund>> {
  const id = encodeURIComponent(chargeReference);
  const reply = await api.get(`/payments/${id}/refunds?limit=${LIST_MAX}`, signal);
  if (isMissing(reply)) return { kind: 'absent' };
  const listed = wholeListOf(reply, 'refunds');
  if (listed === null) return unavailable(reply, mollieErrorCode(reply));
  const refunds = listed.map(refundOf);
  if (refunds.includes(null)) return { kind: 'unavailable', reason: 'a refund is unreadable' };
  return ownRefundAmong(
    refunds.filter((refund) => refund !== null),
    idempotencyKey,
  );
}

async function refund(
  { api, options }: Mollie,
  request: RefundRequest,
  signal: AbortSignal,
): Promise<RefundOutcome> {
  const { chargeReference, idempotencyKey, currency } = request;
  const value = toDecimal(request.amountMinor, currency);
  if (value === undefined) return NOT_REPRESENTABLE;
  const body: JsonObject = {
    amount: { currency, value },
    description: options.description ?? 'Refund',
    metadata: { [KEY_FIELD]: idempotencyKey, forestall_alert: request.alertId },
  };
  const path = `/payments/${encodeURIComponent(chargeReference)}/refunds`;
  const reply = await api.post(path, { body, idempotencyKey }, signal);
  if (reply.kind === 'silence') return { kind: 'unknown', reason: reply.reason };
  if (reply.status === 201) {
    const shown = refundOf(reply.body);
    // A key that was used before answers with the refund of that time.
    const isOurs = shown?.idempotencyKey === idempotencyKey;
    return outcomeOf(isOurs ? shown : null, request);
  }
  return refusedOr(refusalOf(reply), reasonFor(reply, mollieErrorCode(reply)));
}

async function voidCharge(
  mollie: Mollie,
  { reference, key }: { readonly reference: string; readonly key: string },
  signal: AbortSignal,
): Promise<'voided' | 'not_offered' | 'rejected' | 'unknown'> {
  const before = await readCharge(mollie, reference, signal);
  if (before.kind === 'absent') return 'rejected';
  if (before.kind !== 'found') return 'unknown';
  if (before.value.status !== 'authorised') {
    return before.value.status === 'voided' ? 'voided' : 'rejected';
  }
  const path = `/payments/${encodeURIComponent(reference)}/release-authorization`;
  const write = { body: {}, idempotencyKey: `${key}_void` };
  const reply = await mollie.api.post(path, write, signal);
  const after = await readCharge(mollie, reference, signal);
  if (after.kind === 'found' && after.value.status === 'voided') return 'voided';
  // Accepted is not released yet.
  return refusalOf(reply) === null ? 'unknown' : 'rejected';
}

/** The reference is the customer's id and the subscription's, as the payment shows them. */
const SUBSCRIPTION = /^(cst_\w+)\/(sub_\w+)$/;

async function cancelSubscription(
  { api }: Mollie,
  reference: string,
  signal: AbortSignal,
): Promise<'cancelled' | 'not_offered' | 'rejected' | 'unknown'> {
  const [, customer, subscription] = SUBSCRIPTION.exec(reference) ?? [];
  if (customer === undefined || subscription === undefined) return 'rejected';
  const path = `/customers/${customer}/subscriptions/${subscription}`;
  const reply = await api.delete(path, signal);
  if (isCancelled(reply)) return 'cancelled';
  const refusal = refusalOf(reply);
  if (refusal === null) return 'unknown';
  const read = await api.get(path, signal);
  if (isCancelled(read)) return 'cancelled';
  return isMissing(read) || (read.kind === 'answer' && read.status === 200)
    ? 'rejected'
    : 'unknown';
}

function isCancelled(reply: ProviderReply): boolean {
  return (
    reply.kind === 'answer' &&
    reply.status === 200 &&
    oursOf(MOLLIE_WORDS['subscription.status'], textAt(reply.body, 'status')) === 'cancelled'
  );
}
