/**
 * Checkout.com as Forestall's processor.
 *
 * Your orders must carry the payment's id (`pay_…`) as the transaction's reference: payments are not
 * searched by card here. A refund is accepted first and decided afterwards, so each is pending until its
 * action is approved. The key goes out twice: as `Cko-Idempotency-Key`, and as the refund's reference, by
 * which it is found among the payment's actions.
 *
 * https://www.checkout.com/docs/payments/manage-payments/refund-a-payment
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
import type { JsonObject } from 'forestall/adapter';
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
import type { CheckoutAccess, CheckoutApi } from './checkout-api.ts';
import {
  actionIdOf,
  checkoutErrorCode,
  createCheckoutApi,
  isMissing,
  wholeListOf,
} from './checkout-api.ts';
import { chargeOf, checkoutAmountOf, refundOf } from './payment.ts';
import { refusalOf } from './refusals.ts';

export interface CheckoutOptions extends CheckoutAccess {
  /** Whether a refund that is accepted but not approved may be declared. @default false */
  readonly pendingCounts?: boolean;
}

/** Makes the processor that Forestall calls. */
export function createCheckoutProcessor(options: CheckoutOptions): Processor {
  const api = createCheckoutApi(options);
  return {
    name: 'Checkout.com',
    capabilities: () => Promise.resolve(capabilitiesOf(options)),
    searchCharges: (query, signal) => searchCharges(api, query, signal),
    readCharge: (reference, signal) => readCharge(api, reference, signal),
    findRefund: (request, signal) => findRefund(api, request, signal),
    refund: (request, signal) => refund(api, request, signal),
    voidCharge: (reference, key, signal) => voidCharge(api, { reference, key }, signal),
    // Subscriptions are your own system's.
    cancelSubscription: () => Promise.resolve('not_offered'),
  };
}

const HOSTS = {
  test: /(?:^|\.)api\.sandbox\.checkout\.com$/,
  live: /(?:^|\.)api\.checkout\.com$/,
};

function capabilitiesOf({ pendingCounts, baseUrl }: CheckoutOptions): ProcessorCapabilities {
  return {
    // A key is kept for 24 hours only where the first request was answered with 2xx.
    idempotencyTtlHours: 0,
    // It is not documented when an action is listed at the latest, so absence proves nothing.
    canLookupByReference: false,
    lookupLagSeconds: 600,
    refusesOverRefund: true,
    asyncRefunds: true,
    pendingCounts: pendingCounts ?? false,
    requestLifetimeSeconds: 600,
    ...modeOfHost(baseUrl, HOSTS),
  };
}

async function searchCharges(
  api: CheckoutApi,
  query: ChargeQuery,
  signal?: AbortSignal,
): Promise<Answer<ProcessorCharge[]>> {
  if (query.reference === undefined) return { kind: 'not_offered' };
  return asList(await readCharge(api, query.reference, signal));
}

/** Checkout.com's largest page of disputes. A payment has far fewer. */
const DISPUTES_MAX = 250;

async function readCharge(
  api: CheckoutApi,
  reference: string,
  signal?: AbortSignal,
): Promise<Answer<ProcessorCharge>> {
  const id = encodeURIComponent(reference);
  const payment = await api.get(`/payments/${id}`, signal);
  if (isMissing(payment)) return { kind: 'absent' };
  if (payment.kind === 'silence' || payment.status !== 200) {
    return unavailable(payment, checkoutErrorCode(payment));
  }
  const [actionReply, disputeReply] = await Promise.all([
    api.get(`/payments/${id}/actions`, signal),
    api.get(`/disputes?payment_id=${id}&limit=${DISPUTES_MAX}`, signal),
  ]);
  const actions = wholeListOf(actionReply, 'items');
  const disputes = wholeListOf(disputeReply, 'data');
  if (actions === null) return unavailable(actionReply, checkoutErrorCode(actionReply));
  if (disputes === null) return unavailable(disputeReply, checkoutErrorCode(disputeReply));
  const charge = chargeOf(payment.body, { actions, disputes });
  return readAs(charge);
}

/** Found, or not known: see `canLookupByReference`. */
async function findRefund(
  api: CheckoutApi,
  { chargeReference, idempotencyKey }: RefundRequest,
  signal?: AbortSignal,
): Promise<Answer<ProcessorRefund>> {
  const charge = await readCharge(api, chargeReference, signal);
  if (charge.kind === 'unavailable') return charge;
  if (charge.kind !== 'found') return { kind: 'not_offered' };
  const own = ownRefundAmong(charge.value.refunds, idempotencyKey);
  return own.kind === 'absent' ? { kind: 'not_offered' } : own;
}

async function refund(
  api: CheckoutApi,
  request: RefundRequest,
  signal: AbortSignal,
): Promise<RefundOutcome> {
  const { chargeReference, currency, idempotencyKey } = request;
  const amount = checkoutAmountOf(request.amountMinor, currency);
  if (amount === undefined) return NOT_REPRESENTABLE;
  const metadata = { forestall_alert: request.alertId };
  const body: JsonObject = { amount, reference: idempotencyKey, metadata };
  const path = `/payments/${encodeURIComponent(chargeReference)}/refunds`;
  const reply = await api.post(path, { body, idempotencyKey }, signal);
  if (reply.kind === 'silence') return { kind: 'unknown', reason: reply.reason };
  const action = actionIdOf(reply);
  if (action === null) {
    return refusedOr(refusalOf(reply), reasonFor(reply, checkoutErrorCode(reply)));
  }
  if (textAt(reply.body, 'reference') !== idempotencyKey) return outcomeOf(null, request);
  return await acceptedOutcome(api, { request, action }, signal);
}

/**
 * The answer shows no amount. A key that was used before answers with the action of that time, so the
 * action is looked at where it is listed already.
 */
async function acceptedOutcome(
  api: CheckoutApi,
  { request, action }: { readonly request: RefundRequest; readonly action: string },
  signal: AbortSignal,
): Promise<RefundOutcome> {
  const { chargeReference, currency, idempotencyKey, amountMinor } = request;
  const path = `/payments/${encodeURIComponent(chargeReference)}/actions`;
  const listed = wholeListOf(await api.get(path, signal), 'items') ?? [];
  const shown = listed.find((one) => textAt(one, 'id') === action);
  if (shown !== undefined)
    return outcomeOf(refundOf(shown, { chargeReference, currency }), request);
  const accepted = { reference: action, idempotencyKey, chargeReference, amountMinor, currency };
  const refund = { ...accepted, status: 'pending', failureCode: null, createdAt: null } as const;
  return { kind: 'pending', refund };
}

async function voidCharge(
  api: CheckoutApi,
  { reference, key }: { readonly reference: string; readonly key: string },
  signal: AbortSignal,
): Promise<'voided' | 'not_offered' | 'rejected' | 'unknown'> {
  const before = await readCharge(api, reference, signal);
  if (before.kind === 'absent') return 'rejected';
  if (before.kind !== 'found') return 'unknown';
  if (before.value.status !== 'authorised') {
    return before.value.status === 'voided' ? 'voided' : 'rejected';
  }
  const path = `/payments/${encodeURIComponent(reference)}/voids`;
  const write = { body: { reference: `${key}_void` }, idempotencyKey: `${key}_void` };
  const reply = await api.post(path, write, signal);
  const after = await readCharge(api, reference, signal);
  if (after.kind === 'found' && after.value.status === 'voided') return 'voided';
  // Accepted is not released yet.
  return refusalOf(reply) === null ? 'unknown' : 'rejected';
}
