/**
 * PayPal as Forestall's processor: captures of Orders v2 and Payments v2.
 *
 * Your orders must carry the capture's id as the transaction's reference. The key goes out twice: as
 * `PayPal-Request-Id`, which PayPal deduplicates by, and as the refund's `custom_id`, which it is
 * found by among the refunds of the order.
 *
 * The calls are made by hand: what PayPal's SDK would lose is in this folder's README. The REST app needs the scopes for
 * payments, refunds and disputes; `transactionSearch` also needs the one for the transaction report.
 */
import type { ChargeQuery, Processor, ProcessorCapabilities, ProcessorCharge } from 'forestall';
import type { AdapterCalls, Caller, JsonObject, ProviderAnswer } from 'forestall/adapter';
import {
  accessTokens,
  adapterOf,
  CallFailure,
  callerOf,
  isDenial,
  modeOfHost,
  NOT_REPRESENTABLE,
  nullIfMissing,
  objectsAt,
  textAt,
} from 'forestall/adapter';
import { payPalDisputes } from './disputes.ts';
import type { PayPalOrderField, SeenPayment } from './payment.ts';
import {
  chargeOf,
  hasEnded,
  orderIdOf,
  PAYPAL_CLASSES,
  payPalValueOf,
  refundOf,
} from './payment.ts';

export interface PayPalOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** `https://api-m.sandbox.paypal.com` for the sandbox. @default live */
  readonly baseUrl?: string;
  /** @default 'invoice_id' */
  readonly orderField?: PayPalOrderField;
  /** Search by card and amount through the transaction report. @default false */
  readonly transactionSearch?: boolean;
  /** Whether a refund that PayPal shows as pending may be declared. @default false */
  readonly pendingCounts?: boolean;
}

const PAYPAL_LIVE = 'https://api-m.paypal.com';

/** Makes the processor that Forestall calls. */
export function createPayPalProcessor(options: PayPalOptions): Processor {
  const { baseUrl = PAYPAL_LIVE, clientId, clientSecret } = options;
  const tokens = accessTokens({ url: `${baseUrl}/v1/oauth2/token`, clientId, clientSecret });
  const api = { baseUrl, headers: {}, codeOf, classes: PAYPAL_CLASSES, isOpen, tokens };
  return adapterOf<Caller>({
    name: 'PayPal',
    capabilities: capabilitiesOf(options),
    open: (signal, timeoutMs) => callerOf(api, signal, timeoutMs),
    ...callsWith(options),
    disputes: payPalDisputes(),
  });
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

/** PayPal's own word for what was wrong. `error` alone is the word of its token service, and of many a gateway. */
function codeOf({ status, body }: ProviderAnswer): string | null {
  const [detail] = objectsAt(body, 'details');
  const name = textAt(body, 'name') ?? (isDenial(status) ? textAt(body, 'error') : null);
  return name === null ? null : (textAt(detail, 'issue') ?? name);
}

/** Words about an earlier request under the same id, which may have executed. */
const OF_THE_KEY = /^(?:PREVIOUS_REQUEST_IN_PROGRESS|DUPLICATE_REQUEST_ID)$/;

/** What PayPal says of credentials, tokens and scopes that it does not accept. */
const DENIALS = /^(?:AUTHENTICATION_FAILURE|NOT_AUTHORIZED|invalid_client|invalid_token)$/;

/** Words that prove nothing: of the key, and a 401, 403 or 404 that is not in PayPal's words for it. */
function isOpen({ status, body }: ProviderAnswer): boolean {
  const name = textAt(body, 'name') ?? textAt(body, 'error') ?? '';
  const issues = objectsAt(body, 'details').map((detail) => textAt(detail, 'issue') ?? '');
  if ([name, ...issues].some((word) => OF_THE_KEY.test(word))) return true;
  if (isDenial(status)) return !DENIALS.test(name);
  return status === 404 && name !== 'RESOURCE_NOT_FOUND';
}

const pathOf = (kind: 'captures' | 'authorizations', reference: string): string =>
  `/v2/payments/${kind}/${encodeURIComponent(reference)}`;

/** PayPal answers a repeat with the state of what the first request made; without `prefer` with its id alone. */
const keyed = (key: string): Readonly<Record<string, string>> => ({
  'paypal-request-id': key,
  prefer: 'return=representation',
});

function callsWith(options: PayPalOptions): AdapterCalls<Caller> {
  const { orderField = 'invoice_id', transactionSearch = false } = options;
  async function readCharge(
    api: Caller,
    reference: string,
  ): Promise<ProcessorCharge | string | null> {
    const seen = await seePayment(api, reference);
    return seen === null ? null : chargeOf(seen, orderField);
  }
  const calls: AdapterCalls<Caller> = {
    readCharge,

    search: async (api, query) => {
      const path = transactionSearch ? reportPath(query) : null;
      if (path === null) return null;
      const rows = objectsAt(await api.get(path), 'transaction_details');
      if (rows.length > CANDIDATES_MAX) {
        throw new CallFailure(`more than ${CANDIDATES_MAX} payments fit`);
      }
      const charges: (ProcessorCharge | string | null)[] = [];
      for (const row of rows) {
        const reference = textAt(row, 'transaction_info', 'transaction_id');
        if (reference !== null) charges.push(await readCharge(api, reference));
      }
      return charges.filter((charge) => charge !== null);
    },

    refundsOf: async (api, { chargeReference }) => {
      const seen = await seePayment(api, chargeReference);
      if (seen?.isCapture !== true) return [];
      // Only the order lists refunds.
      if (seen.order === null) return null;
      const charge = chargeOf(seen, orderField);
      if (typeof charge === 'string') throw new CallFailure(charge);
      return charge.refunds;
    },

    refund: async (api, { chargeReference, idempotencyKey, amountMinor, currency }) => {
      const value = payPalValueOf(amountMinor, currency);
      if (value === undefined) return NOT_REPRESENTABLE;
      const made = await api.post(`${pathOf('captures', chargeReference)}/refund`, {
        body: { amount: { value, currency_code: currency }, custom_id: idempotencyKey },
        headers: keyed(idempotencyKey),
        status: [200, 201],
      });
      return refundOf(made, chargeReference);
    },

    voidCharge: async (api, reference, key) => {
      const release = { body: {}, headers: keyed(`${key}_void`), status: [200, 204] };
      try {
        await api.post(`${pathOf('authorizations', reference)}/void`, release);
        return 'voided';
      } catch (error) {
        if (!isRefused(error)) throw error;
      }
      // Voided before is voided; captured in the meantime is not.
      const charge = await readCharge(api, reference).catch(() => null);
      const isVoided = typeof charge === 'object' && charge?.status === 'voided';
      return isVoided ? 'voided' : 'rejected';
    },

    cancelSubscription: async (api, reference, key) => {
      const path = `/v1/billing/subscriptions/${encodeURIComponent(reference)}`;
      const body = { reason: 'Payment disputed' };
      const cancel = { body, headers: keyed(`${key}_cancel`), status: [200, 204] };
      try {
        await api.post(`${path}/cancel`, cancel);
        return 'cancelled';
      } catch (error) {
        if (!isRefused(error)) throw error;
      }
      const shown = await api.get(path).catch(() => null);
      return textAt(shown, 'status') === 'CANCELLED' ? 'cancelled' : 'rejected';
    },
  };
  return calls;
}

function isRefused(error: unknown): boolean {
  return error instanceof CallFailure && error.refusal !== null;
}

/** The capture of this id, or the authorization that was not captured yet, with its order and disputes. */
async function seePayment(api: Caller, reference: string): Promise<SeenPayment | null> {
  const capture = await api.get(pathOf('captures', reference)).catch(nullIfMissing);
  const payment =
    capture ?? (await api.get(pathOf('authorizations', reference)).catch(nullIfMissing));
  if (payment === null) return null;
  const orderId = orderIdOf(payment);
  const orderPath = `/v2/checkout/orders/${encodeURIComponent(orderId ?? '')}`;
  const [order, disputes] = await Promise.all([
    // Payments made through other PayPal products have no order, or none that may be read.
    orderId === null ? null : api.get(orderPath).catch(nullIfMissing),
    disputesOf(api, textAt(payment, 'id') ?? ''),
  ]);
  return { payment, isCapture: capture !== null, order, disputes };
}

/** The disputes; those that have ended as PayPal shows each by itself. Without them it may be paid twice. */
async function disputesOf(api: Caller, id: string): Promise<readonly JsonObject[]> {
  const path = '/v1/customer/disputes';
  const query = new URLSearchParams({ disputed_transaction_id: id, page_size: '50' });
  const page = await api.get(`${path}?${query}`);
  // An empty list may have links alone.
  const isList = Array.isArray(page['items']) || Array.isArray(page['links']);
  const isCut = objectsAt(page, 'links').some((link) => link['rel'] === 'next');
  if (!isList || isCut) throw new CallFailure('the list of its disputes is not whole');
  const disputes: JsonObject[] = [];
  for (const dispute of objectsAt(page, 'items')) {
    const own = `${path}/${encodeURIComponent(textAt(dispute, 'dispute_id') ?? '')}`;
    disputes.push(hasEnded(dispute) ? await api.get(own) : dispute);
  }
  return disputes;
}

/** Most payments that are read for one question: the report shows no card, and each costs three calls. */
const CANDIDATES_MAX = 20;

/**
 * The path of the transaction report; null when the query is too wide to be answered. The report lags by up to three
 * hours and covers 31 days per question. https://developer.paypal.com/docs/api/transaction-search/v1/
 */
export function reportPath(query: ChargeQuery): string | null {
  const { amountMinor, currency, authorisedFrom, authorisedTo } = query;
  if (query.acquirerReferenceNumber !== undefined || query.authorisationCode !== undefined) {
    return null;
  }
  if (amountMinor === undefined || currency === undefined) return null;
  if (authorisedFrom === undefined || authorisedTo === undefined) return null;
  const parameters = new URLSearchParams({
    start_date: authorisedFrom,
    end_date: authorisedTo,
    // In minor units, unlike every other amount of this API.
    transaction_amount: `${amountMinor} TO ${amountMinor}`,
    transaction_currency: currency,
    fields: 'transaction_info',
    page_size: String(CANDIDATES_MAX + 1),
  });
  return `/v1/reporting/transactions?${parameters.toString()}`;
}
