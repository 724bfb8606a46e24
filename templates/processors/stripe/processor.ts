/**
 * Stripe as Forestall's processor, over Stripe's own SDK and its API version.
 *
 * Yours to change: which identifier your orders carry, where the order number is, whether a pending refund counts. What
 * must stay: the key goes out with the refund, in the header that Stripe deduplicates by and in the metadata that it
 * is found by later; and only Stripe's own words for a refusal may be `refusal`.
 *
 * What the SDK alone would lose: it sends a request again when a connection is closed, even with `maxNetworkRetries: 0`,
 * and takes no AbortSignal, so each call goes through `singleCall`; and it hands over an error page of a gateway like
 * an object of Stripe's, so the status of each answer is looked at.
 *
 * The key needs these permissions: charges, payment intents, disputes and invoices read; refunds write; payment
 * intents and subscriptions write if Forestall may void and cancel; balance transactions read if you capture less
 * than you authorised.
 */
import type { ChargeQuery, Processor, ProcessorCapabilities, RefundRequest } from 'forestall';
import type { AdapterCalls, Refusal } from 'forestall/adapter';
import {
  adapterOf,
  CallFailure,
  classOf,
  isDenial,
  isRefusal,
  NOT_REPRESENTABLE,
  oursOf,
  singleCall,
} from 'forestall/adapter';
import Stripe from 'stripe';
import { stripeAmountOf } from '../../shared/stripe-amounts.ts';
import type { SeenCharge, StripeReading, StripeReferences } from './charge.ts';
import {
  chargeOf,
  idOf,
  isReleaseBooked,
  isVoided,
  KEY_FIELD,
  possibleRelease,
  refundOf,
  restOf,
  STRIPE_CLASSES,
  STRIPE_WORDS,
} from './charge.ts';
import { stripeDisputes } from './disputes.ts';

/** What a platform takes back with a refund. */
export interface StripeConnect {
  /** The connected account pays its part of the refund back to the platform. @default false */
  readonly reverseTransfer?: boolean;
  /** The platform gives back its fee, in proportion to the refund. @default false */
  readonly refundApplicationFee?: boolean;
}

export interface StripeOptions extends Partial<StripeReading> {
  /** `sk_…` or, better, a restricted key `rk_…`. */
  readonly secretKey: string;
  /** A connected account `acct_…` to act for. */
  readonly account?: string;
  /** Whether a refund that Stripe still shows as pending may be declared. @default false */
  readonly pendingCounts?: boolean;
  /** @default nothing: the platform pays alone */
  readonly connect?: StripeConnect;
}

interface Asked {
  readonly stripe: Stripe;
  readonly reading: StripeReading;
  readonly connect: StripeConnect;
}

/** Makes the processor that Forestall calls. */
export function createStripeProcessor(options: StripeOptions): Processor {
  const { secretKey, account, connect = {} } = options;
  const { references = 'charge', orderMetadataKey = 'order_id' } = options;
  const reading = { references, orderMetadataKey };
  return adapterOf<Asked>({
    name: 'Stripe',
    capabilities: capabilitiesOf(options),
    open: (signal, timeoutMs) => {
      const httpClient = Stripe.createFetchHttpClient(singleCall(signal, timeoutMs));
      const settings = { httpClient, maxNetworkRetries: 0, telemetry: false };
      const acting = account === undefined ? {} : { stripeAccount: account };
      return { stripe: new Stripe(secretKey, { ...settings, ...acting }), reading, connect };
    },
    failureOf,
    ...CALLS,
    disputes: stripeDisputes(shown, nullIfMissing),
  });
}

function capabilitiesOf({ pendingCounts, secretKey }: StripeOptions): ProcessorCapabilities {
  // Stripe's keys say in their name whether they move real money: https://docs.stripe.com/keys
  const [, mode] = /^[sr]k_(test|live)_/.exec(secretKey) ?? [];
  return {
    // Keys are removed once they are at least 24 hours old: https://docs.stripe.com/api/idempotent_requests
    idempotencyTtlHours: 24,
    canLookupByReference: true,
    // Lists, unlike the search, show what was just written; a minute is margin.
    lookupLagSeconds: 60,
    refusesOverRefund: true,
    asyncRefunds: true,
    pendingCounts: pendingCounts ?? false,
    // Stripe publishes no bound on how long a request may run after the connection is lost.
    requestLifetimeSeconds: 600,
    ...(mode === 'test' || mode === 'live' ? { mode } : {}),
  };
}

/** Stripe's list size limit. A charge has far fewer refunds and disputes. */
const LIST_MAX = 100;

const CALLS: AdapterCalls<Asked> = {
  search: async ({ stripe, reading }, query) => {
    const text = searchText(query);
    if (text === null) return null;
    const found = await all(stripe.charges.search({ query: text, limit: LIST_MAX }));
    return found.map((charge) => chargeOf(summaryOf(charge), reading));
  },

  readCharge: async ({ stripe, reading }, reference) => {
    const charge = await findCharge(stripe, reference).catch(nullIfMissing);
    if (charge === null) return null;
    const ofCharge = { charge: charge.id, limit: LIST_MAX };
    const [listed, disputes, subscription] = await Promise.all([
      all(stripe.refunds.list(ofCharge)),
      charge.disputed ? all(stripe.disputes.list(ofCharge)) : [],
      subscriptionOf(stripe, idOf(charge.payment_intent)),
    ]);
    const release = await releaseIn(stripe, charge, listed);
    const refunds = listed.filter((refund) => refund !== release);
    const released = release === null ? 0 : restOf(charge);
    return chargeOf({ charge, refunds, released, disputes, subscription }, reading);
  },

  refundsOf: async ({ stripe }, request) => {
    const name = nameOf(request);
    const target = { [name]: request.chargeReference, limit: LIST_MAX };
    const listed = await all(stripe.refunds.list(target));
    return listed.map((refund) => refundOf(refund, name));
  },

  refund: async ({ stripe, connect }, request) => {
    const { idempotencyKey, alertId, reason } = request;
    const name = nameOf(request);
    const amount = stripeAmountOf(request.amountMinor, request.currency);
    if (amount === undefined) return NOT_REPRESENTABLE;
    const metadata = {
      ...{ [KEY_FIELD]: idempotencyKey },
      ...{ forestall_alert: alertId, forestall_reason: reason },
    };
    const takenBack = await takenBackWith(stripe, connect, request);
    const form = { [name]: request.chargeReference, amount, metadata, ...takenBack };
    return refundOf(await shown(stripe.refunds.create(form, { idempotencyKey })), name);
  },

  voidCharge: async ({ stripe }, reference, key) => {
    const intent = idOf((await findCharge(stripe, reference))?.payment_intent);
    // Charges without an intent are released by a refund, which would move money once captured.
    if (intent === null) return 'not_offered';
    try {
      // Another key than the refund's: Stripe refuses one key for two kinds of request.
      const idempotencyKey = `${key}_void`;
      const released = await shown(stripe.paymentIntents.cancel(intent, {}, { idempotencyKey }));
      return isVoided(released) ? 'voided' : 'unknown';
    } catch (error) {
      // An error about an intent shows it as it is now: cancelled before is cancelled.
      if (isError(error) && isVoided(error.payment_intent)) return 'voided';
      throw error;
    }
  },

  cancelSubscription: async ({ stripe }, reference) => {
    try {
      return isCancelled(await shown(stripe.subscriptions.cancel(reference)));
    } catch (error) {
      // Stripe answers "missing" for one that was cancelled before; reading it still shows it.
      nullIfMissing(error);
      return isCancelled(await shown(stripe.subscriptions.retrieve(reference)));
    }
  },
};

function isCancelled({ status }: Stripe.Subscription): 'cancelled' | 'unknown' {
  return oursOf(STRIPE_WORDS['subscription.status'], status) ?? 'unknown';
}

/** The parameter that names what is refunded. A refund is shown under the same kind of reference. */
function nameOf({ chargeReference }: RefundRequest): StripeReferences {
  return chargeReference.startsWith('pi_') ? 'payment_intent' : 'charge';
}

/** What Stripe shows. @throws what the SDK throws, and a {@link CallFailure} for an answer that is not Stripe's */
async function shown<Answer>(call: Promise<Stripe.Response<Answer>>): Promise<Answer> {
  const answer = await call;
  const { statusCode: status } = answer.lastResponse;
  if (status !== 200) throw new CallFailure({ kind: 'answer', status });
  return answer;
}

/** The whole list. What is looked for may be in the rest of one that is cut. */
async function all<Item>(
  call: Promise<Stripe.Response<{ data: Item[]; has_more: boolean }>>,
): Promise<Item[]> {
  const { data, has_more: isCut } = await shown(call);
  if (Array.isArray(data) && isCut !== true) return data;
  throw new CallFailure(`more than ${LIST_MAX} are listed, or none`);
}

function isError(error: unknown): error is Stripe.errors.StripeError {
  return error instanceof Stripe.errors.StripeError;
}

/** What the SDK has thrown. Without a status there was no answer, or none of Stripe's. */
function failureOf(error: unknown): CallFailure | undefined {
  if (!isError(error)) return undefined;
  const { statusCode: status, detail } = error;
  const code = error.code ?? error.rawType ?? null;
  if (status === undefined) {
    const reason = detail instanceof Error ? detail.message : 'the answer is not Stripe’s JSON';
    return new CallFailure(reason);
  }
  const isMissing = status === 404 && code === 'resource_missing';
  return new CallFailure(
    { kind: 'answer', status },
    { code, refusal: refusalOf(error), isMissing },
  );
}

function nullIfMissing(error: unknown): null {
  if (failureOf(error)?.isMissing === true) return null;
  throw error;
}

/** What Stripe says of a key that it does not accept; such an answer may also name no code at all. */
const DENIALS =
  /^(?:account_invalid|(?:platform_)?api_key_expired|more_permissions_required|secret_key_required)$/;

/**
 * The refusal in Stripe's own words, or null. `idempotency_error` is none: the key was used with other
 * parameters, so a refund under it may exist. A key that Stripe does not accept is one: nothing began.
 */
function refusalOf({
  statusCode = 0,
  rawType,
  code = rawType,
}: Stripe.errors.StripeError): Refusal | null {
  if (rawType !== 'invalid_request_error' && rawType !== 'card_error') return null;
  const word = code ?? rawType;
  if (isRefusal(statusCode)) return { code: word, failureClass: classOf(word, STRIPE_CLASSES) };
  const isDenied = isDenial(statusCode) && (word === rawType || DENIALS.test(word));
  return isDenied ? { code: word, failureClass: 'ours' } : null;
}

/** The charge behind either kind of reference, with what its intent says. Null: the intent has none. */
async function findCharge(stripe: Stripe, reference: string): Promise<Stripe.Charge | null> {
  const isIntent = reference.startsWith('pi_');
  const expand = [isIntent ? 'latest_charge' : 'payment_intent'];
  const intent = isIntent
    ? await shown(stripe.paymentIntents.retrieve(reference, { expand }))
    : null;
  const charge = isIntent
    ? intent?.latest_charge
    : await shown(stripe.charges.retrieve(reference, { expand }));
  if (charge === null) return null;
  if (typeof charge === 'object' && typeof charge.id === 'string') {
    return intent === null ? charge : { ...charge, payment_intent: intent };
  }
  throw new CallFailure('the answer shows no readable charge');
}

/** The subscription whose invoice the intent has paid. */
async function subscriptionOf(stripe: Stripe, intent: string | null): Promise<string | null> {
  if (intent === null) return null;
  const payment = { type: 'payment_intent', payment_intent: intent };
  const expand = ['data.invoice'];
  const { data } = await shown(stripe.invoicePayments.list({ payment, limit: 1, expand }));
  const invoice = data[0]?.invoice;
  if (typeof invoice !== 'object' || !('parent' in invoice)) return null;
  return idOf(invoice.parent?.subscription_details?.subscription);
}

/** The refund among them that is none, but what a partial capture released; null when all are some. */
async function releaseIn(
  stripe: Stripe,
  charge: Stripe.Charge,
  refunds: readonly Stripe.Refund[],
): Promise<Stripe.Refund | null> {
  const release = possibleRelease(charge, refunds);
  if (release === null) return null;
  const id = idOf(charge.balance_transaction);
  const booked = id === null ? null : await shown(stripe.balanceTransactions.retrieve(id));
  const isBooked = booked === null ? null : isReleaseBooked(charge, booked);
  if (isBooked !== null) return isBooked ? release : null;
  throw new CallFailure('whether a refund is the rest of a partial capture cannot be told');
}

/**
 * What a Connect platform takes back, as far as the charge has it: Stripe refuses to reverse a transfer that was never
 * made. It belongs to the charge from its beginning, so a repeat under the same key reads the same.
 */
async function takenBackWith(
  stripe: Stripe,
  { reverseTransfer = false, refundApplicationFee = false }: StripeConnect,
  { chargeReference }: RefundRequest,
): Promise<Stripe.RefundCreateParams> {
  if (!reverseTransfer && !refundApplicationFee) return {};
  const charge = await findCharge(stripe, chargeReference);
  const { transfer_data: transferData, application_fee: fee, transfer } = charge ?? {};
  // Absent is not "none": something in between may have cut them. Nothing has been sent.
  if (transferData === undefined || fee === undefined) {
    throw new CallFailure('nothing sent: the charge is unreadable');
  }
  const isTransferred = transferData !== null || idOf(transfer) !== null;
  return {
    ...(reverseTransfer && isTransferred ? { reverse_transfer: true } : {}),
    ...(refundApplicationFee && idOf(fee) !== null ? { refund_application_fee: true } : {}),
  };
}

/** In a search only the charge tells what belongs to it; all is read once it is the one. */
function summaryOf(charge: Stripe.Charge): SeenCharge {
  const rest = restOf(charge);
  const released = charge.amount_refunded >= rest ? rest : 0;
  const dispute = { status: 'needs_response', is_charge_refundable: false };
  const disputes = charge.disputed ? [dispute] : [];
  return { charge, refunds: [], released, disputes, subscription: null };
}

/**
 * The query in Stripe's search language; null when it holds nothing that Stripe can search by. ARNs and
 * authorisation codes are none of it, new charges take a minute, and accounts in India cannot search at all.
 */
export function searchText(query: ChargeQuery): string | null {
  const { cardLast4 = '', amountMinor = Number.NaN, currency = '' } = query;
  if (query.acquirerReferenceNumber !== undefined) return null;
  const clauses: string[] = [];
  // Only digits and letters reach the query text: it has no parameters to bind.
  if (/^\d{4}$/.test(cardLast4)) clauses.push(`payment_method_details.card.last4:'${cardLast4}'`);
  if (/^[A-Z]{3}$/.test(currency)) {
    const amount = stripeAmountOf(amountMinor, currency);
    if (amount !== undefined) clauses.push(`amount:${amount}`);
    if (clauses.length > 0) clauses.push(`currency:'${currency.toLowerCase()}'`);
  }
  if (clauses.length === 0) return null;
  const from = Math.floor(Date.parse(query.authorisedFrom ?? '') / 1000);
  const to = Math.ceil(Date.parse(query.authorisedTo ?? '') / 1000);
  if (Number.isFinite(from)) clauses.push(`created>=${from}`);
  if (Number.isFinite(to)) clauses.push(`created<=${to}`);
  return clauses.join(' AND ');
}
