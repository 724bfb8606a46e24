/**
 * Checkout.com as Forestall's processor.
 *
 * Your orders must carry the payment's id (`pay_…`) as the transaction's reference: payments are not
 * searched by card here. A refund is accepted first and decided afterwards, so each is pending until its
 * action is approved. The key goes out twice: as `Cko-Idempotency-Key`, and as the refund's reference, by
 * which it is found among the payment's actions.
 *
 * The calls are made by hand: what Checkout.com's SDK would lose is in this folder's README.
 * https://www.checkout.com/docs/payments/manage-payments/refund-a-payment
 */
import type {
  Processor,
  ProcessorCapabilities,
  ProcessorCharge,
  ProcessorRefund,
  RefundRequest,
} from 'forestall';
import type { AdapterCalls, Caller, JsonObject, ProviderAnswer } from 'forestall/adapter';
import {
  adapterOf,
  CallFailure,
  callerOf,
  isObject,
  modeOfHost,
  NOT_REPRESENTABLE,
  nullIfMissing,
  releaseAuthorised,
  textAt,
  valueAt,
} from 'forestall/adapter';
import { checkoutDisputes } from './disputes.ts';
import { CHECKOUT_CLASSES, chargeOf, checkoutAmountOf, refundOf } from './payment.ts';

export interface CheckoutOptions {
  /** `sk_…` or `sk_sbox_…` that may read payments and disputes, and refund; not of the former platform. */
  readonly secretKey: string;
  /** Yours: `https://<prefix>.api.checkout.com`, or `https://<prefix>.api.sandbox.checkout.com`. */
  readonly baseUrl: string;
  /** Whether a refund that is accepted but not approved may be declared. @default false */
  readonly pendingCounts?: boolean;
}

/** Makes the processor that Forestall calls. */
export function createCheckoutProcessor(options: CheckoutOptions): Processor {
  const { secretKey, baseUrl } = options;
  const headers = { authorization: `Bearer ${secretKey}` };
  const api = { baseUrl, headers, codeOf, classes: CHECKOUT_CLASSES, isBare: true };
  return adapterOf<Caller>({
    name: 'Checkout.com',
    capabilities: capabilitiesOf(options),
    open: (signal, timeoutMs) => callerOf(api, signal, timeoutMs),
    ...CALLS,
    disputes: checkoutDisputes(),
  });
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

/**
 * Checkout.com's first word for what was wrong, else the status. Some of its answers have no body: what tells that it
 * spoke itself, and no gateway in between, is the header with its id of the request.
 */
function codeOf({ status, body, headers }: ProviderAnswer): string | null {
  if (headers.get('cko-request-id') === null) return null;
  const codes = valueAt(body, 'error_codes');
  const [code] = Array.isArray(codes) ? codes : [];
  return typeof code === 'string' ? code : String(status);
}

const pathOf = (reference: string): string => `/payments/${encodeURIComponent(reference)}`;

/** Checkout.com's largest page of disputes. A payment has far fewer. */
const DISPUTES_MAX = 250;

const CALLS: AdapterCalls<Caller> = {
  readCharge,

  refund: async (api, request) => {
    const { chargeReference, currency, idempotencyKey } = request;
    const amount = checkoutAmountOf(request.amountMinor, currency);
    if (amount === undefined) return NOT_REPRESENTABLE;
    const metadata = { forestall_alert: request.alertId };
    const accepted = await api.post(`${pathOf(chargeReference)}/refunds`, {
      body: { amount, reference: idempotencyKey, metadata },
      headers: { 'cko-idempotency-key': idempotencyKey },
      status: 202,
    });
    const action = textAt(accepted, 'action_id');
    if (action === null || textAt(accepted, 'reference') !== idempotencyKey) return null;
    return await acceptedRefund(api, request, action);
  },

  voidCharge: (api, reference, key) =>
    releaseAuthorised(
      () => readCharge(api, reference),
      () =>
        api.post(`${pathOf(reference)}/voids`, {
          body: { reference: `${key}_void` },
          headers: { 'cko-idempotency-key': `${key}_void` },
          status: 202,
        }),
    ),
  // Subscriptions are your own system's.
};

async function readCharge(
  api: Caller,
  reference: string,
): Promise<ProcessorCharge | string | null> {
  const payment = await api.get(pathOf(reference)).catch(nullIfMissing);
  if (payment === null) return null;
  const disputesPath = `/disputes?payment_id=${encodeURIComponent(reference)}&limit=${DISPUTES_MAX}`;
  const [actions, disputes] = await Promise.all([
    api.get(`${pathOf(reference)}/actions`).then((page) => wholeListOf(page, 'items')),
    api.get(disputesPath).then((page) => wholeListOf(page, 'data')),
  ]);
  return chargeOf(payment, { actions, disputes });
}

/**
 * The answer shows no amount. A key that was used before answers with the action of that time, so the
 * action is looked at where it is listed already.
 */
async function acceptedRefund(
  api: Caller,
  { chargeReference, currency, idempotencyKey, amountMinor }: RefundRequest,
  action: string,
): Promise<ProcessorRefund | null> {
  const listed = await api
    .get(`${pathOf(chargeReference)}/actions`)
    .then((page) => wholeListOf(page, 'items'))
    .catch(() => []);
  const shown = listed.find((one) => textAt(one, 'id') === action);
  if (shown !== undefined) return refundOf(shown, { chargeReference, currency });
  const accepted = { reference: action, idempotencyKey, chargeReference, amountMinor, currency };
  return { ...accepted, status: 'pending', failureCode: null, createdAt: null };
}

/** The objects of a list, all of them. @throws {CallFailure} when this is none, or a part */
function wholeListOf(page: JsonObject, name: string): JsonObject[] {
  const list = valueAt(page, name);
  const total = valueAt(page, 'total_count');
  if (Array.isArray(list) && list.every(isObject)) {
    if (typeof total !== 'number' || total <= list.length) return list;
  }
  throw new CallFailure('a list is cut, or none');
}
