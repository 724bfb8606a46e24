/**
 * Adyen as Forestall's processor: Checkout API for refunds and cancellations, your stored
 * notifications for everything that is read.
 *
 * Adyen answers a refund with `received` and decides afterwards, so every refund is pending until its
 * REFUND notification is in your store. Without `notifications` nothing can be read, and Forestall
 * holds every alert for a person.
 *
 * https://docs.adyen.com/online-payments/refund, /cancel, /development-resources/api-idempotency
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
import type { ProviderReply } from 'forestall/adapter';
import {
  asList,
  callProvider,
  foundAmong,
  modeOfHost,
  NOT_REPRESENTABLE,
  outcomeOf,
  ownRefundAmong,
  readAs,
  reasonFor,
  refusedOr,
  textAt,
} from 'forestall/adapter';
import { adyenValueOf, amountOf } from './amounts.ts';
import type { AdyenCapture, AdyenNotifications } from './notifications.ts';
import { chargeOf } from './notifications.ts';
import { refusalOf } from './refusals.ts';

export interface AdyenOptions {
  /** A key of an API credential with the Checkout webservice role. */
  readonly apiKey: string;
  readonly merchantAccount: string;
  /**
   * `https://checkout-test.adyen.com/v71`, or live with your own prefix:
   * `https://<prefix>-checkout-live.adyenpayments.com/checkout/v71`.
   */
  readonly baseUrl: string;
  readonly notifications?: AdyenNotifications;
  /** @default 'automatic' */
  readonly capture?: AdyenCapture;
  /** Whether a refund that Adyen has received but not decided may be declared. @default false */
  readonly pendingCounts?: boolean;
}

/** Makes the processor that Forestall calls. */
export function createAdyenProcessor(options: AdyenOptions): Processor {
  return {
    name: 'Adyen',
    capabilities: () => Promise.resolve(capabilitiesOf(options)),
    searchCharges: (query) => searchCharges(options, query),
    readCharge: (reference) => readCharge(options, reference),
    findRefund: (request) => findRefund(options, request),
    refund: (request, signal) => refund(options, request, signal),
    voidCharge: (reference, key, signal) => voidCharge(options, { reference, key }, signal),
    // Adyen keeps stored cards, not subscriptions: cancel in your own system.
    cancelSubscription: () => Promise.resolve('not_offered'),
  };
}

/** https://docs.adyen.com/development-resources/live-endpoints */
const HOSTS = { test: /-test\.adyen\.com$/, live: /-live(?:-[a-z]+)?\.adyen(?:payments)?\.com$/ };

function capabilitiesOf({ pendingCounts, baseUrl }: AdyenOptions): ProcessorCapabilities {
  return {
    // Keys are valid for at least 31 days; an hour less for the clocks in between.
    idempotencyTtlHours: 31 * 24 - 1,
    // A refund whose notification is missing may exist all the same, so absence proves nothing.
    canLookupByReference: false,
    lookupLagSeconds: 600,
    // Totals above the captured amount are refused by default, in the REFUND notification.
    refusesOverRefund: true,
    asyncRefunds: true,
    pendingCounts: pendingCounts ?? false,
    requestLifetimeSeconds: 600,
    ...modeOfHost(baseUrl, HOSTS),
  };
}

async function readCharge(
  { notifications, capture }: AdyenOptions,
  reference: string,
): Promise<Answer<ProcessorCharge>> {
  if (notifications === undefined) return { kind: 'not_offered' };
  try {
    const stored = await notifications.ofPayment(reference);
    const charge = chargeOf(reference, stored, capture ?? 'automatic');
    if (charge === null) return { kind: 'absent' };
    return readAs(charge);
  } catch {
    return { kind: 'unavailable', reason: 'the stored notifications could not be read' };
  }
}

async function searchCharges(
  options: AdyenOptions,
  query: ChargeQuery,
): Promise<Answer<ProcessorCharge[]>> {
  const { notifications } = options;
  if (query.reference !== undefined) {
    return asList(await readCharge(options, query.reference));
  }
  if (notifications?.search === undefined) return { kind: 'not_offered' };
  const references = await notifications.search(query).catch(() => null);
  if (references === null) {
    return { kind: 'unavailable', reason: 'the stored notifications could not be searched' };
  }
  const candidates: (ProcessorCharge | string)[] = [];
  for (const reference of references) {
    const answer = await readCharge(options, reference);
    if (answer.kind === 'found') candidates.push(answer.value);
    if (answer.kind === 'unavailable') candidates.push(answer.reason);
  }
  return foundAmong(candidates);
}

/** Found, or not known: see `canLookupByReference`. */
async function findRefund(
  options: AdyenOptions,
  request: RefundRequest,
): Promise<Answer<ProcessorRefund>> {
  const charge = await readCharge(options, request.chargeReference);
  if (charge.kind === 'unavailable') return charge;
  if (charge.kind !== 'found') return { kind: 'not_offered' };
  const own = ownRefundAmong(charge.value.refunds, request.idempotencyKey);
  return own.kind === 'absent' ? { kind: 'not_offered' } : own;
}

async function refund(
  options: AdyenOptions,
  request: RefundRequest,
  signal: AbortSignal,
): Promise<RefundOutcome> {
  const { chargeReference, currency, idempotencyKey } = request;
  const value = adyenValueOf(request.amountMinor, currency);
  if (value === undefined) return NOT_REPRESENTABLE;
  const body = {
    merchantAccount: options.merchantAccount,
    amount: { value, currency },
    reference: idempotencyKey,
  };
  const call = { path: `/payments/${encodeURIComponent(chargeReference)}/refunds`, body };
  const reply = await post(options, { ...call, idempotencyKey }, signal);
  if (reply.kind === 'silence') return { kind: 'unknown', reason: reply.reason };
  if (reply.status === 200 || reply.status === 201) {
    return outcomeOf(receivedRefund(reply, request), request);
  }
  return refusedOr(refusalOf(reply), reasonFor(reply, textAt(reply.body, 'errorCode')));
}

function receivedRefund(reply: ProviderReply, request: RefundRequest): ProcessorRefund | null {
  if (reply.kind === 'silence' || textAt(reply.body, 'status') !== 'received') return null;
  const reference = textAt(reply.body, 'pspReference');
  const chargeReference = textAt(reply.body, 'paymentPspReference');
  const amount = amountOf(reply.body);
  if (reference === null || chargeReference === null || amount === null) return null;
  const { idempotencyKey } = request;
  return {
    reference,
    idempotencyKey,
    chargeReference,
    status: 'pending',
    failureCode: null,
    ...amount,
    createdAt: null,
  };
}

async function voidCharge(
  options: AdyenOptions,
  { reference, key }: { readonly reference: string; readonly key: string },
  signal: AbortSignal,
): Promise<'voided' | 'not_offered' | 'rejected' | 'unknown'> {
  const charge = await readCharge(options, reference);
  if (charge.kind === 'found' && charge.value.status !== 'authorised') {
    return charge.value.status === 'voided' ? 'voided' : 'rejected';
  }
  const reply = await post(
    options,
    {
      path: `/payments/${encodeURIComponent(reference)}/cancels`,
      body: { merchantAccount: options.merchantAccount, reference: key },
      // Another key than the refund's, within the 64 characters that Adyen allows.
      idempotencyKey: `${key}_void`,
    },
    signal,
  );
  // Received is not cancelled: the CANCELLATION notification decides.
  return refusalOf(reply) === null ? 'unknown' : 'rejected';
}

async function post(
  { baseUrl, apiKey }: AdyenOptions,
  call: { readonly path: string; readonly body: unknown; readonly idempotencyKey: string },
  signal: AbortSignal,
): Promise<ProviderReply> {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': apiKey,
    'idempotency-key': call.idempotencyKey,
  };
  const body = JSON.stringify(call.body);
  return await callProvider(
    { method: 'POST', url: `${baseUrl}${call.path}`, headers, body },
    signal,
  );
}
