/**
 * Stripe as Forestall's processor, over Stripe's public API.
 *
 * Yours to change: which identifier your orders carry, where the order number is, whether a pending
 * refund counts. What must stay: the key goes out with the refund, in the header that Stripe
 * deduplicates by and in the metadata that it is found by later, and only an answer that proves that
 * nothing happened may be `rejected`.
 *
 * The key needs these permissions: charges, payment intents, disputes and invoices read; refunds
 * write; payment intents and subscriptions write if Forestall may void and cancel; balance
 * transactions read if you capture less than you authorised.
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
import type { JsonObject } from '../../shared/json.ts';
import { textAt } from '../../shared/json.ts';
import { stripeAmountOf } from '../../shared/stripe-amounts.ts';
import {
  asList,
  foundAmong,
  NOT_REPRESENTABLE,
  outcomeOf,
  ownRefundAmong,
  readAs,
  refusedOr,
  unavailable,
} from '../shared/outcome.ts';
import { reasonFor } from '../shared/provider-call.ts';
import { cancelSubscription, voidCharge } from './cancel.ts';
import type { BesideCharge, StripeReading, StripeReferences } from './charge.ts';
import { chargeOf, idAt, KEY_FIELD, refundOf } from './charge.ts';
import type { StripeConnect } from './connect.ts';
import { takenBackWith } from './connect.ts';
import { findCharge } from './find-charge.ts';
import { refusalOf } from './refusals.ts';
import { isReleaseBooked, possibleRelease, restOf, summaryOf } from './release.ts';
import { fitsUnasked, searchText } from './search.ts';
import type { StripeAccess, StripeApi } from './stripe-api.ts';
import {
  createStripeApi,
  isMissing,
  listOf,
  stripeErrorCode,
  stripeModeOf,
  wholeListOf,
} from './stripe-api.ts';

export interface StripeOptions extends StripeAccess, Partial<StripeReading> {
  /** Whether a refund that Stripe still shows as pending may be declared. @default false */
  readonly pendingCounts?: boolean;
  /** What a platform takes back with a refund. @default nothing: the platform pays alone */
  readonly connect?: StripeConnect;
}

/** Stripe's list size limit. A charge has far fewer refunds and disputes. */
const LIST_MAX = '100';

/** Makes the processor that Forestall calls. */
export function createStripeProcessor(options: StripeOptions): Processor {
  const api = createStripeApi(options);
  const stripe: Stripe = {
    api,
    connect: options.connect ?? {},
    reading: {
      references: options.references ?? 'charge',
      orderMetadataKey: options.orderMetadataKey ?? 'order_id',
    },
  };
  return {
    name: 'Stripe',
    capabilities: () => Promise.resolve(capabilitiesOf(options)),
    searchCharges: (query, signal) => searchCharges(stripe, query, signal),
    readCharge: (reference, signal) => readCharge(stripe, reference, signal),
    findRefund: (request, signal) => findRefund(stripe, request, signal),
    refund: (request, signal) => refund(stripe, request, signal),
    voidCharge: (reference, key, signal) => voidCharge(api, { reference, key }, signal),
    cancelSubscription: (reference, _key, signal) => cancelSubscription(api, reference, signal),
  };
}

interface Stripe {
  readonly api: StripeApi;
  readonly connect: StripeConnect;
  readonly reading: StripeReading;
}

function capabilitiesOf(options: StripeOptions): ProcessorCapabilities {
  return {
    // Keys are removed once they are at least 24 hours old: https://docs.stripe.com/api/idempotent_requests
    idempotencyTtlHours: 24,
    canLookupByReference: true,
    // Lists, unlike the search, show what was just written; a minute is margin.
    lookupLagSeconds: 60,
    refusesOverRefund: true,
    asyncRefunds: true,
    pendingCounts: options.pendingCounts ?? false,
    // Stripe publishes no bound on how long a request may run after the connection is lost.
    requestLifetimeSeconds: 600,
    ...stripeModeOf(options),
  };
}

async function searchCharges(
  stripe: Stripe,
  query: ChargeQuery,
  signal?: AbortSignal,
): Promise<Answer<ProcessorCharge[]>> {
  if (query.reference !== undefined) {
    return asList(await readCharge(stripe, query.reference, signal));
  }
  const text = searchText(query);
  if (text === null) return { kind: 'not_offered' };
  const parameters = [
    ['query', text],
    ['limit', LIST_MAX],
    ['expand[]', 'data.invoice'],
  ] as const;
  const reply = await stripe.api.get('/v1/charges/search', parameters, signal);
  const listed = listOf(reply);
  if (listed === null) return unavailable(reply, stripeErrorCode(reply));
  if (wholeListOf(reply) === null) {
    return { kind: 'unavailable', reason: `more than ${LIST_MAX} charges fit` };
  }
  // A summary: the refunds of each are read by readCharge, once it is the one.
  const found = foundAmong(
    listed.map((charge) => chargeOf(charge, summaryOf(charge), stripe.reading)),
  );
  if (found.kind !== 'found') return found;
  return { kind: 'found', value: found.value.filter((charge) => fitsUnasked(charge, query)) };
}

async function readCharge(
  stripe: Stripe,
  reference: string,
  signal?: AbortSignal,
): Promise<Answer<ProcessorCharge>> {
  const { api, reading } = stripe;
  const found = await findCharge(api, reference, signal);
  if (found.kind !== 'found') return found;
  const charge = found.value;
  const ofCharge = [
    ['charge', textAt(charge, 'id') ?? ''],
    ['limit', LIST_MAX],
  ] as const;
  const [refundReply, disputeReply] = await Promise.all([
    api.get('/v1/refunds', ofCharge, signal),
    charge['disputed'] === true ? api.get('/v1/disputes', ofCharge, signal) : undefined,
  ]);
  const refunds = wholeListOf(refundReply);
  const disputes = disputeReply === undefined ? [] : wholeListOf(disputeReply);
  if (refunds === null) return unavailable(refundReply, stripeErrorCode(refundReply));
  if (disputes === null) {
    return unavailable(disputeReply ?? refundReply, stripeErrorCode(disputeReply ?? refundReply));
  }
  const moved = await withoutRelease(stripe, { charge, refunds }, signal);
  if ('kind' in moved) return moved;
  const read = chargeOf(charge, { ...moved, disputes }, reading);
  return readAs(read);
}

/** The refunds, and apart from them what a partial capture released. */
async function withoutRelease(
  { api }: Stripe,
  { charge, refunds }: { readonly charge: JsonObject; readonly refunds: readonly JsonObject[] },
  signal?: AbortSignal,
): Promise<Pick<BesideCharge, 'refunds' | 'released'> | { kind: 'unavailable'; reason: string }> {
  const release = possibleRelease(charge, refunds);
  if (release === null) return { refunds, released: 0 };
  const unclear = 'whether a refund is the rest of a partial capture cannot be told';
  const transactionId = idAt(charge, 'balance_transaction');
  if (transactionId === null) return { kind: 'unavailable', reason: unclear };
  const path = `/v1/balance_transactions/${encodeURIComponent(transactionId)}`;
  const reply = await api.get(path, [], signal);
  if (reply.kind === 'silence' || reply.status !== 200) {
    const { reason } = unavailable(reply, stripeErrorCode(reply));
    return { kind: 'unavailable', reason: `${unclear}: ${reason}` };
  }
  const isBooked = isReleaseBooked(charge, reply.body);
  if (isBooked === null) return { kind: 'unavailable', reason: unclear };
  if (!isBooked) return { refunds, released: 0 };
  return { refunds: refunds.filter((refund) => refund !== release), released: restOf(charge) };
}

async function findRefund(
  { api }: Stripe,
  request: RefundRequest,
  signal?: AbortSignal,
): Promise<Answer<ProcessorRefund>> {
  const target = targetOf(request);
  const reply = await api.get('/v1/refunds', [target, ['limit', LIST_MAX]], signal);
  if (isMissing(reply)) return { kind: 'absent' };
  const listed = wholeListOf(reply);
  if (listed === null) return unavailable(reply, stripeErrorCode(reply));
  const refunds = listed.map((refund) => refundOf(refund, target[0]));
  if (refunds.includes(null)) return { kind: 'unavailable', reason: 'a refund is unreadable' };
  return ownRefundAmong(
    refunds.filter((refund) => refund !== null),
    request.idempotencyKey,
  );
}

async function refund(
  { api, connect }: Stripe,
  request: RefundRequest,
  signal: AbortSignal,
): Promise<RefundOutcome> {
  const amount = stripeAmountOf(request.amountMinor, request.currency);
  if (amount === undefined) return NOT_REPRESENTABLE;
  const takenBack = await takenBackWith(api, { connect, request }, signal);
  if ('kind' in takenBack) return takenBack;
  const target = targetOf(request);
  const form = [
    target,
    ['amount', String(amount)],
    [`metadata[${KEY_FIELD}]`, request.idempotencyKey],
    ['metadata[forestall_alert]', request.alertId],
    ['metadata[forestall_reason]', request.reason],
    ...takenBack,
  ] as const;
  const { idempotencyKey } = request;
  const reply = await api.post('/v1/refunds', { form, idempotencyKey }, signal);
  if (reply.kind === 'silence') return { kind: 'unknown', reason: reply.reason };
  if (reply.status === 200) return outcomeOf(refundOf(reply.body, target[0]), request);
  return refusedOr(refusalOf(reply), reasonFor(reply, stripeErrorCode(reply)));
}

/** The parameter that names what is refunded. A refund is shown under the same kind of reference. */
function targetOf({
  chargeReference,
}: RefundRequest): readonly [name: StripeReferences, reference: string] {
  return [chargeReference.startsWith('pi_') ? 'payment_intent' : 'charge', chargeReference];
}
