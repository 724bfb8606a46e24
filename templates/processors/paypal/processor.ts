/**
 * PayPal as Forestall's processor: captures of Orders v2 and Payments v2.
 *
 * Your orders must carry the capture's id as the transaction's reference. The key goes out twice: as
 * `PayPal-Request-Id`, which PayPal deduplicates by, and as the refund's `custom_id`, which it is
 * found by among the refunds of the order.
 *
 * The REST app needs the scopes for payments, refunds and disputes; `transactionSearch` also needs
 * the one for the transaction report.
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
  modeOfHost,
  NOT_REPRESENTABLE,
  outcomeOf,
  ownRefundAmong,
  readAs,
  reasonFor,
  refusedOr,
  textAt,
  unavailable,
} from 'forestall/adapter';
import type { BesideCapture, PayPalOrderField } from './capture.ts';
import {
  chargeOfAuthorization,
  chargeOfCapture,
  hasEnded,
  orderIdOf,
  payPalValueOf,
  refundOf,
} from './capture.ts';
import type { PayPalAccess, PayPalApi } from './paypal-api.ts';
import {
  createPayPalApi,
  isMissing,
  PAYPAL_LIVE,
  payPalErrorCode,
  wholeListOf,
} from './paypal-api.ts';
import { refusalOf } from './refusals.ts';
import { searchReport } from './search.ts';

export interface PayPalOptions extends PayPalAccess {
  /** @default 'invoice_id' */
  readonly orderField?: PayPalOrderField;
  /** Search by card and amount through the transaction report. @default false */
  readonly transactionSearch?: boolean;
  /** Whether a refund that PayPal shows as pending may be declared. @default false */
  readonly pendingCounts?: boolean;
}

interface PayPal {
  readonly api: PayPalApi;
  readonly options: PayPalOptions;
}

/** Makes the processor that Forestall calls. */
export function createPayPalProcessor(options: PayPalOptions): Processor {
  const paypal: PayPal = { api: createPayPalApi(options), options };
  return {
    name: 'PayPal',
    capabilities: () => Promise.resolve(capabilitiesOf(options)),
    searchCharges: (query, signal) => searchCharges(paypal, query, signal),
    readCharge: (reference, signal) => readCharge(paypal, reference, signal),
    findRefund: (request, signal) => findRefund(paypal, request, signal),
    refund: (request, signal) => refund(paypal, request, signal),
    voidCharge: (reference, key, signal) => voidCharge(paypal, { reference, key }, signal),
    cancelSubscription: (reference, key, signal) =>
      cancelSubscription(paypal, { reference, key }, signal),
  };
}

/** https://developer.paypal.com/api/rest/requests */
const HOSTS = { test: /^api(?:-m)?\.sandbox\.paypal\.com$/, live: /^api(?:-m)?\.paypal\.com$/ };

function capabilitiesOf({ pendingCounts, baseUrl }: PayPalOptions): ProcessorCapabilities {
  return {
    // Refund request ids are stored for 45 days; an hour less for the clocks in between.
    idempotencyTtlHours: 45 * 24 - 1,
    canLookupByReference: true,
    // PayPal does not say when an order shows a new refund; ten minutes is our caution.
    lookupLagSeconds: 600,
    refusesOverRefund: true,
    asyncRefunds: true,
    pendingCounts: pendingCounts ?? false,
    requestLifetimeSeconds: 600,
    ...modeOfHost(baseUrl ?? PAYPAL_LIVE, HOSTS),
  };
}

async function searchCharges(
  paypal: PayPal,
  query: ChargeQuery,
  signal?: AbortSignal,
): Promise<Answer<ProcessorCharge[]>> {
  if (query.reference !== undefined) {
    return asList(await readCharge(paypal, query.reference, signal));
  }
  if (paypal.options.transactionSearch !== true) return { kind: 'not_offered' };
  const read = (reference: string): Promise<Answer<ProcessorCharge>> =>
    readCharge(paypal, reference, signal);
  return await searchReport(paypal.api, { query, read }, signal);
}

async function readCharge(
  paypal: PayPal,
  reference: string,
  signal?: AbortSignal,
): Promise<Answer<ProcessorCharge>> {
  const found = await findPayment(paypal, reference, signal);
  if (found.kind !== 'found') return found;
  const { payment, isCapture } = found.value;
  const beside = await besideOf(paypal, payment, signal);
  if ('kind' in beside) return beside;
  const charge = isCapture
    ? chargeOfCapture(payment, beside)
    : chargeOfAuthorization(payment, beside);
  return readAs(charge);
}

interface Payment {
  readonly payment: JsonObject;
  readonly isCapture: boolean;
}

/** The capture of this id, or the authorization that was not captured yet. */
async function findPayment(
  { api }: PayPal,
  reference: string,
  signal?: AbortSignal,
): Promise<Answer<Payment>> {
  const id = encodeURIComponent(reference);
  const capture = await api.get(`/v2/payments/captures/${id}`, signal);
  if (isRead(capture)) return { kind: 'found', value: { payment: capture.body, isCapture: true } };
  if (!isMissing(capture)) return unavailable(capture, payPalErrorCode(capture));
  const authorization = await api.get(`/v2/payments/authorizations/${id}`, signal);
  if (isRead(authorization)) {
    return { kind: 'found', value: { payment: authorization.body, isCapture: false } };
  }
  if (isMissing(authorization)) return { kind: 'absent' };
  return unavailable(authorization, payPalErrorCode(authorization));
}

/** The order and the disputes. Without the disputes nothing is refunded: it may be paid twice. */
async function besideOf(
  { api, options }: PayPal,
  payment: JsonObject,
  signal?: AbortSignal,
): Promise<BesideCapture | { kind: 'unavailable'; reason: string }> {
  const orderId = orderIdOf(payment);
  const id = encodeURIComponent(textAt(payment, 'id') ?? '');
  const disputePath = `/v1/customer/disputes?disputed_transaction_id=${id}&page_size=50`;
  const orderPath = `/v2/checkout/orders/${encodeURIComponent(orderId ?? '')}`;
  const [orderReply, disputeReply] = await Promise.all([
    orderId === null ? undefined : api.get(orderPath, signal),
    api.get(disputePath, signal),
  ]);
  if (!isRead(disputeReply)) return unavailable(disputeReply, payPalErrorCode(disputeReply));
  const listed = wholeListOf(disputeReply.body);
  if (listed === null) {
    return { kind: 'unavailable', reason: 'the list of its disputes is not whole' };
  }
  const disputes = await withOutcomes(api, listed, signal);
  if ('kind' in disputes) return disputes;
  const orderField = options.orderField ?? 'invoice_id';
  // Payments made through other PayPal products have no order, or none that may be read.
  if (orderReply === undefined || isMissing(orderReply)) {
    return { order: null, disputes, orderField };
  }
  if (!isRead(orderReply)) return unavailable(orderReply, payPalErrorCode(orderReply));
  return { order: orderReply.body, disputes, orderField };
}

/** The disputes; those that have ended as PayPal shows each by itself. */
async function withOutcomes(
  api: PayPalApi,
  listed: readonly JsonObject[],
  signal?: AbortSignal,
): Promise<readonly JsonObject[] | { kind: 'unavailable'; reason: string }> {
  const disputes: JsonObject[] = [];
  for (const dispute of listed) {
    if (!hasEnded(dispute)) {
      disputes.push(dispute);
      continue;
    }
    const id = encodeURIComponent(textAt(dispute, 'dispute_id') ?? '');
    const reply = await api.get(`/v1/customer/disputes/${id}`, signal);
    if (!isRead(reply)) return unavailable(reply, payPalErrorCode(reply));
    disputes.push(reply.body);
  }
  return disputes;
}

async function findRefund(
  paypal: PayPal,
  { chargeReference, idempotencyKey }: RefundRequest,
  signal?: AbortSignal,
): Promise<Answer<ProcessorRefund>> {
  const found = await findPayment(paypal, chargeReference, signal);
  if (found.kind !== 'found') return found;
  if (!found.value.isCapture) return { kind: 'absent' };
  const beside = await besideOf(paypal, found.value.payment, signal);
  if ('kind' in beside) return beside;
  // Only the order lists refunds.
  if (beside.order === null) return { kind: 'not_offered' };
  const charge = chargeOfCapture(found.value.payment, beside);
  return typeof charge === 'string'
    ? { kind: 'unavailable', reason: charge }
    : ownRefundAmong(charge.refunds, idempotencyKey);
}

async function refund(
  { api }: PayPal,
  request: RefundRequest,
  signal: AbortSignal,
): Promise<RefundOutcome> {
  const { chargeReference, idempotencyKey, currency } = request;
  const value = payPalValueOf(request.amountMinor, currency);
  if (value === undefined) return NOT_REPRESENTABLE;
  const path = `/v2/payments/captures/${encodeURIComponent(chargeReference)}/refund`;
  const body = { amount: { value, currency_code: currency }, custom_id: idempotencyKey };
  const reply = await api.post(path, { body, requestId: idempotencyKey }, signal);
  if (reply.kind === 'silence') return { kind: 'unknown', reason: reply.reason };
  if (isRead(reply)) return outcomeOf(refundOf(reply.body, chargeReference), request);
  return refusedOr(refusalOf(reply), reasonFor(reply, payPalErrorCode(reply)));
}

async function voidCharge(
  paypal: PayPal,
  { reference, key }: { readonly reference: string; readonly key: string },
  signal: AbortSignal,
): Promise<'voided' | 'not_offered' | 'rejected' | 'unknown'> {
  const path = `/v2/payments/authorizations/${encodeURIComponent(reference)}/void`;
  const reply = await paypal.api.post(path, { body: {}, requestId: `${key}_void` }, signal);
  if (isDone(reply)) return 'voided';
  if (refusalOf(reply) === null) return 'unknown';
  // Voided before is voided; captured in the meantime is not.
  const charge = await readCharge(paypal, reference, signal);
  if (charge.kind === 'found' && charge.value.status === 'voided') return 'voided';
  return 'rejected';
}

async function cancelSubscription(
  { api }: PayPal,
  { reference, key }: { readonly reference: string; readonly key: string },
  signal: AbortSignal,
): Promise<'cancelled' | 'not_offered' | 'rejected' | 'unknown'> {
  const path = `/v1/billing/subscriptions/${encodeURIComponent(reference)}`;
  const write = { body: { reason: 'Payment disputed' }, requestId: `${key}_cancel` };
  const reply = await api.post(`${path}/cancel`, write, signal);
  if (isDone(reply)) return 'cancelled';
  if (refusalOf(reply) === null) return 'unknown';
  const read = await api.get(path, signal);
  if (isRead(read) && textAt(read.body, 'status') === 'CANCELLED') return 'cancelled';
  return 'rejected';
}

function isRead(reply: ProviderReply): reply is ProviderReply & { kind: 'answer' } {
  return reply.kind === 'answer' && (reply.status === 200 || reply.status === 201);
}

function isDone(reply: ProviderReply): boolean {
  return reply.kind === 'answer' && (reply.status === 200 || reply.status === 204);
}
