/**
 * Braintree as Forestall's processor, over its GraphQL API.
 *
 * The key goes out twice: as `apiRequestKey`, which Braintree deduplicates by, and as the refund's
 * order id, which it is found by. A refund is pending until it has settled, a day or two later; set
 * `pendingCounts` if an accepted refund is enough for you to declare it.
 *
 * The API user needs the rights to search, view, refund and void transactions, and to cancel
 * subscriptions if Forestall may.
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
import {
  asList,
  foundAmong,
  isObject,
  modeOfHost,
  NOT_REPRESENTABLE,
  objectsAt,
  outcomeOf,
  ownRefundAmong,
  readAs,
  refusedOr,
  textAt,
  toDecimal,
  valueAt,
} from 'forestall/adapter';
import type { BraintreeAccess, BraintreeCall, BraintreeReply } from './braintree-api.ts';
import {
  BRAINTREE_LIVE,
  braintreeReason,
  createBraintreeCall,
  isNotFound,
} from './braintree-api.ts';
import { refusalOf } from './refusals.ts';
import { searchInput } from './search.ts';
import type { BraintreeReferences } from './transaction.ts';
import {
  chargeOf,
  isCapturedInParts,
  REFUND_FIELDS,
  refundOf,
  TRANSACTION_FIELDS,
} from './transaction.ts';

export interface BraintreeOptions extends BraintreeAccess {
  /** @default 'legacy' */
  readonly references?: BraintreeReferences;
  /**
   * Whether a refund that is accepted but not settled may be declared. Without it each alert is refunded and then
   * runs out: refunds settle after alerts have ended. With it you declare what may still fail. So you decide.
   */
  readonly pendingCounts: boolean;
}

/** Braintree's largest page. */
const PAGE_SIZE = 50;

/** A refund is settled a day or two after it was accepted. */
const SETTLES_AFTER_HOURS = 50;

/** Makes the processor that Forestall calls. */
export function createBraintreeProcessor(options: BraintreeOptions): Processor {
  const braintree: Braintree = {
    call: createBraintreeCall(options),
    references: options.references ?? 'legacy',
  };
  return {
    name: 'Braintree',
    capabilities: () => Promise.resolve(capabilitiesOf(options)),
    searchCharges: (query, signal) => searchCharges(braintree, query, signal),
    readCharge: (reference, signal) => readCharge(braintree, reference, signal),
    findRefund: (request, signal) => findRefund(braintree, request, signal),
    refund: (request, signal) => refund(braintree, request, signal),
    voidCharge: (reference, _key, signal) => voidCharge(braintree, reference, signal),
    cancelSubscription: (reference, _key, signal) =>
      cancelSubscription(braintree, reference, signal),
  };
}

interface Braintree {
  readonly call: BraintreeCall;
  readonly references: BraintreeReferences;
}

/** https://developer.paypal.com/braintree/graphql/guides/making_api_calls */
const HOSTS = {
  test: /(?:^|\.)sandbox\.braintree-api\.com$/,
  live: /^payments\.braintree-api\.com$/,
};

function capabilitiesOf({ pendingCounts, baseUrl }: BraintreeOptions): ProcessorCapabilities {
  return {
    // A request key is remembered for 30 days after its first request finished.
    idempotencyTtlHours: 30 * 24 - 1,
    canLookupByReference: true,
    lookupLagSeconds: 60,
    refusesOverRefund: true,
    asyncRefunds: true,
    pendingCounts,
    settlesAfterHours: SETTLES_AFTER_HOURS,
    requestLifetimeSeconds: 600,
    ...modeOfHost(baseUrl ?? BRAINTREE_LIVE, HOSTS),
  };
}

const SEARCH = `query ($input: TransactionSearchInput!, $first: Int!) {
  search { transactions(input: $input, first: $first) {
    pageInfo { hasNextPage } edges { node { ${TRANSACTION_FIELDS} } }
  } }
}`;

async function searchCharges(
  braintree: Braintree,
  query: ChargeQuery,
  signal?: AbortSignal,
): Promise<Answer<ProcessorCharge[]>> {
  if (query.reference !== undefined) {
    return asList(await readCharge(braintree, query.reference, signal));
  }
  const input = searchInput(query);
  if (input === null) return { kind: 'not_offered' };
  const variables = { input, first: PAGE_SIZE };
  const reply = await braintree.call({ query: SEARCH, variables }, signal);
  const page = reply.kind === 'answer' ? valueAt(reply.data, 'search', 'transactions') : undefined;
  if (!isObject(page)) return unavailable(reply);
  if (valueAt(page, 'pageInfo', 'hasNextPage') !== false) {
    return { kind: 'unavailable', reason: `more than ${PAGE_SIZE} transactions fit` };
  }
  const nodes = objectsAt(page, 'edges').map(({ node }) => node);
  // The parts of an authorisation are found by themselves.
  const charges = nodes.filter((node) => !isCapturedInParts(node));
  return foundAmong(charges.map((node) => chargeOf(node, braintree.references)));
}

const READ = `query ($id: ID!) { node(id: $id) { ... on Transaction { ${TRANSACTION_FIELDS} } } }`;

async function readCharge(
  braintree: Braintree,
  reference: string,
  signal?: AbortSignal,
): Promise<Answer<ProcessorCharge>> {
  const id = await globalId(braintree, reference, signal);
  if (id.kind !== 'found') return id;
  const reply = await braintree.call({ query: READ, variables: { id: id.value } }, signal);
  if (isNotFound(reply)) return { kind: 'absent' };
  if (reply.kind === 'silence' || !isObject(reply.data['node'])) return unavailable(reply);
  const charge = chargeOf(reply.data['node'], braintree.references);
  return readAs(charge);
}

const TRANSLATE = 'query ($input: IdsFromLegacyIdsInput!) { idsFromLegacyIds(input: $input) }';

/** The id that GraphQL takes. Braintree translates it without looking whether it exists. */
async function globalId(
  { call, references }: Braintree,
  reference: string,
  signal?: AbortSignal,
): Promise<Answer<string>> {
  if (references === 'global') return { kind: 'found', value: reference };
  const input = { ids: [{ legacyId: reference, type: 'TRANSACTION' }] };
  const reply = await call({ query: TRANSLATE, variables: { input } }, signal);
  if (isNotFound(reply)) return { kind: 'absent' };
  const ids = reply.kind === 'answer' ? reply.data['idsFromLegacyIds'] : undefined;
  const id: unknown = Array.isArray(ids) ? ids[0] : undefined;
  return typeof id === 'string' ? { kind: 'found', value: id } : unavailable(reply);
}

async function findRefund(
  braintree: Braintree,
  { chargeReference, idempotencyKey }: RefundRequest,
  signal?: AbortSignal,
): Promise<Answer<ProcessorRefund>> {
  const charge = await readCharge(braintree, chargeReference, signal);
  return charge.kind === 'found' ? ownRefundAmong(charge.value.refunds, idempotencyKey) : charge;
}

const REFUND = `mutation ($input: RefundTransactionInput!) {
  refundTransaction(input: $input) { refund { ${REFUND_FIELDS} } }
}`;

async function refund(
  braintree: Braintree,
  request: RefundRequest,
  signal: AbortSignal,
): Promise<RefundOutcome> {
  const { chargeReference, idempotencyKey, amountMinor, currency } = request;
  const amount = toDecimal(amountMinor, currency);
  if (amount === undefined) return NOT_REPRESENTABLE;
  const id = await globalId(braintree, chargeReference, signal);
  if (id.kind === 'unavailable') return { kind: 'unknown', reason: id.reason };
  if (id.kind !== 'found') {
    return { kind: 'rejected', failureCode: 'NOT_FOUND', failureClass: 'ours' };
  }
  const input = {
    transactionId: id.value,
    apiRequestKey: idempotencyKey,
    refund: { amount, orderId: idempotencyKey },
  };
  const reply = await braintree.call({ query: REFUND, variables: { input } }, signal);
  if (reply.kind === 'silence') return { kind: 'unknown', reason: reply.reason };
  const shown = valueAt(reply.data, 'refundTransaction', 'refund');
  if (isObject(shown)) {
    return outcomeOf(refundOf(shown, { chargeReference, ...braintree }), request);
  }
  return refusedOr(refusalOf(reply), braintreeReason(reply));
}

const VOID = `mutation ($input: VoidTransactionInput!) {
  voidTransaction(input: $input) { transaction { id status } }
}`;

/** The transaction is past the point where it can be voided, or has been voided before. */
const CANNOT_BE_VOIDED = '91504';

async function voidCharge(
  braintree: Braintree,
  reference: string,
  signal: AbortSignal,
): Promise<'voided' | 'not_offered' | 'rejected' | 'unknown'> {
  const id = await globalId(braintree, reference, signal);
  if (id.kind !== 'found') return id.kind === 'absent' ? 'rejected' : 'unknown';
  const input = { transactionId: id.value };
  const reply = await braintree.call({ query: VOID, variables: { input } }, signal);
  if (reply.kind === 'silence') return 'unknown';
  if (isNotFound(reply)) return 'rejected';
  const status = textAt(reply.data, 'voidTransaction', 'transaction', 'status');
  if (status === 'VOIDED') return 'voided';
  if (!reply.errors.some(({ legacyCode }) => legacyCode === CANNOT_BE_VOIDED)) return 'unknown';
  const charge = await readCharge(braintree, reference, signal);
  if (charge.kind !== 'found') return 'unknown';
  return charge.value.status === 'voided' ? 'voided' : 'rejected';
}

const CANCEL = `mutation ($input: CancelRecurringBillingSubscriptionInput!) {
  cancelRecurringBillingSubscription(input: $input) { subscription { id status } }
}`;

/** The subscription has been cancelled before. */
const ALREADY_CANCELLED = '81905';

async function cancelSubscription(
  { call }: Braintree,
  reference: string,
  signal: AbortSignal,
): Promise<'cancelled' | 'not_offered' | 'rejected' | 'unknown'> {
  const input = { subscriptionId: reference };
  const reply = await call({ query: CANCEL, variables: { input } }, signal);
  if (reply.kind === 'silence') return 'unknown';
  if (isNotFound(reply)) return 'rejected';
  const payload = valueAt(reply.data, 'cancelRecurringBillingSubscription', 'subscription');
  const isDone =
    textAt(payload, 'status')?.toUpperCase() === 'CANCELED' ||
    reply.errors.some(({ legacyCode }) => legacyCode === ALREADY_CANCELLED);
  return isDone ? 'cancelled' : 'unknown';
}

function unavailable(reply: BraintreeReply): { kind: 'unavailable'; reason: string } {
  return { kind: 'unavailable', reason: braintreeReason(reply) };
}
