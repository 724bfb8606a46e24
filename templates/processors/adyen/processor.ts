/**
 * Adyen as Forestall's processor: Checkout API for refunds and cancellations, your stored
 * notifications for everything that is read.
 *
 * Adyen answers a refund with `received` and decides afterwards, so every refund is pending until its
 * REFUND notification is in your store. Without `notifications` nothing can be read, and Forestall
 * holds every alert for a person.
 *
 * The calls are those of Adyen's SDK, which takes an HTTP client of ours: its own believes the status in an answer's body,
 * so that an outage could be a refusal, follows redirects, and reads answers of any size.
 *
 * https://docs.adyen.com/online-payments/refund, /cancel, /development-resources/api-idempotency
 */
import { CheckoutAPI, Client, DisputesAPI, EnvironmentEnum } from '@adyen/api-library';
import type {
  Processor,
  ProcessorCapabilities,
  ProcessorCharge,
  ProcessorRefund,
  RefundRequest,
} from 'forestall';
import type { AdapterCalls, AdapterParts, Caller, ProviderAnswer } from 'forestall/adapter';
import {
  adapterOf,
  CallFailure,
  callerOf,
  isDenial,
  jsonOf,
  modeOfHost,
  NOT_REPRESENTABLE,
  oursOf,
  readableRefund,
  textAt,
} from 'forestall/adapter';
import type { WithDisputes } from './disputes.ts';
import { adyenDisputes } from './disputes.ts';
import type { AdyenCapture, AdyenNotifications } from './notifications.ts';
import { chargeOf } from './notifications.ts';
import { ADYEN_CLASSES, ADYEN_WORDS, adyenValueOf, amountOf } from './words.ts';

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
  /**
   * `https://ca-test.adyen.com/ca/services/DisputeService/v30`, or `https://ca-live.adyen.com/…`. Without it, or without
   * `disputesSince` of your store, no evidence is filed.
   */
  readonly disputesUrl?: string;
  /** Codes of defences, the best first. @default the one that requires the fewest documents */
  readonly defenses?: readonly string[];
}

/** The parts of the SDK that are called. */
interface AdyenSdk extends WithDisputes {
  readonly modifications: Modifications;
}

type Modifications = CheckoutAPI['ModificationsApi'];

/** Makes the processor that Forestall calls. */
export function createAdyenProcessor(options: AdyenOptions): Processor {
  return adapterOf<AdyenSdk>({
    name: 'Adyen',
    capabilities: capabilitiesOf(options),
    open: (signal, timeoutMs) => openSdk(options, signal, timeoutMs),
    ...callsWith(options),
    ...disputesWith(options),
  });
}

function disputesWith(options: AdyenOptions): Pick<AdapterParts<AdyenSdk>, 'disputes'> {
  const { disputesUrl, notifications, merchantAccount, defenses = [] } = options;
  const disputesSince = notifications?.disputesSince?.bind(notifications);
  if (disputesUrl === undefined || notifications === undefined || disputesSince === undefined) {
    return {};
  }
  const { ofPayment } = notifications;
  const stored = { ofPayment: ofPayment.bind(notifications), disputesSince };
  return { disputes: adyenDisputes({ merchantAccount, notifications: stored, defenses }) };
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

/** What the SDK has as the address of its API, in its own version; yours is `baseUrl`. */
const OF_SDK = /^https:\/\/checkout-test\.adyen\.com\/v\d+/;

/** The same of the Disputes API; yours is `disputesUrl`. */
const DISPUTES_OF_SDK = /^https:\/\/ca-test\.adyen\.com\/ca\/services\/DisputeService\/v\d+/;

/** The SDK over one call of ours: it goes out once, and what is no success throws in Adyen's words. */
function openSdk(
  options: AdyenOptions,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): AdyenSdk {
  const { baseUrl, disputesUrl = '' } = options;
  const over = (address: string, ofSdk: RegExp): Client =>
    clientOver(callerWith(options, address, { signal, timeoutMs }), options.apiKey, ofSdk);
  return {
    modifications: new CheckoutAPI(over(baseUrl, OF_SDK)).ModificationsApi,
    disputes: new DisputesAPI(over(disputesUrl, DISPUTES_OF_SDK)).DisputesApi,
  };
}

function callerWith(
  { apiKey }: AdyenOptions,
  baseUrl: string,
  {
    signal,
    timeoutMs,
  }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number | undefined },
): Caller {
  const headers = { 'x-api-key': apiKey };
  const api = { baseUrl, headers, codeOf, classes: ADYEN_CLASSES, isOpen };
  return callerOf(api, signal, timeoutMs);
}

function clientOver(caller: Caller, apiKey: string, ofSdk: RegExp): Client {
  const client = new Client({ apiKey, environment: EnvironmentEnum.TEST });
  client.httpClient = {
    request: async (endpoint, json, _config, _isKeyRequired, asked): Promise<string> => {
      const { idempotencyKey } = asked ?? {};
      const received = await caller.post(endpoint.replace(ofSdk, ''), {
        body: jsonOf(Buffer.from(json.toString())),
        headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
        status: [200, 201],
      });
      return JSON.stringify(received);
    },
  };
  return client;
}

function codeOf({ body }: ProviderAnswer): string | null {
  return textAt(body, 'errorCode');
}

/**
 * What proves nothing: 704, whose key is in use by a request under way or processed while this one was asked;
 * `transient-error`, which another attempt under the same key may overturn; and a denial that is not Adyen's own.
 * https://docs.adyen.com/development-resources/api-idempotency#error-handling
 */
function isOpen({ status, body, headers }: ProviderAnswer): boolean {
  if (textAt(body, 'errorCode') === '704' || headers.get('transient-error') === 'true') return true;
  return isDenial(status) && textAt(body, 'errorType') !== 'security';
}

function callsWith({
  merchantAccount,
  notifications,
  capture = 'automatic',
}: AdyenOptions): AdapterCalls<AdyenSdk> {
  /** Null where nothing is stored of the payment, or nothing is stored at all. */
  async function read(reference: string): Promise<ProcessorCharge | string | null> {
    const stored = await notifications?.ofPayment(reference).catch(failing('read'));
    return stored === undefined ? null : chargeOf(reference, stored, capture);
  }
  const calls: AdapterCalls<AdyenSdk> = {
    ...(notifications === undefined ? {} : { readCharge: (_api, reference) => read(reference) }),

    search: async (_api, query) => {
      if (notifications?.search === undefined) return null;
      const references = await notifications.search(query).catch(failing('searched'));
      const found: (ProcessorCharge | string | null)[] = [];
      for (const reference of references) found.push(await read(reference));
      return found.filter((charge) => charge !== null);
    },

    refund: async ({ modifications: api }, request) => {
      const { chargeReference, currency, idempotencyKey } = request;
      const value = adyenValueOf(request.amountMinor, currency);
      if (value === undefined) return NOT_REPRESENTABLE;
      const wanted = { merchantAccount, amount: { value, currency }, reference: idempotencyKey };
      const options = { idempotencyKey };
      const received = await api.refundCapturedPayment(chargeReference, wanted, options);
      return receivedRefund(received, request);
    },

    voidCharge: async ({ modifications: api }, reference, key) => {
      const charge = await read(reference).catch(() => null);
      if (charge !== null && typeof charge !== 'string' && charge.status !== 'authorised') {
        return charge.status === 'voided' ? 'voided' : 'rejected';
      }
      // Another key than the refund's, within the 64 characters that Adyen allows.
      const options = { idempotencyKey: `${key}_void` };
      const wanted = { merchantAccount, reference: key };
      await api.cancelAuthorisedPaymentByPspReference(reference, wanted, options);
      // Received is not cancelled: the CANCELLATION notification decides.
      return 'unknown';
    },
    // Adyen keeps stored cards, not subscriptions: cancel in your own system.
  };
  return calls;
}

function failing(done: 'read' | 'searched'): () => never {
  return () => {
    throw new CallFailure(`the stored notifications could not be ${done}`);
  };
}

type Received = Awaited<ReturnType<Modifications['refundCapturedPayment']>>;

function receivedRefund(
  received: Received,
  { idempotencyKey }: RefundRequest,
): ProcessorRefund | null {
  const { amountMinor, currency } = amountOf(received) ?? {};
  return readableRefund({
    reference: received.pspReference,
    idempotencyKey,
    chargeReference: received.paymentPspReference,
    status: oursOf(ADYEN_WORDS['refund response.status'], received.status),
    ...{ failureCode: null, amountMinor, currency, createdAt: null },
  });
}
