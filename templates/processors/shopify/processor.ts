/**
 * Shopify Payments as Forestall's processor, over the GraphQL Admin API.
 *
 * Your orders must carry the transaction's id (`gid://shopify/OrderTransaction/…`) as its reference: give
 * `orderFromShopify` the option `references: 'shopify'`. The key goes out twice: in `@idempotent(key:)`, and as the
 * refund's note, where it is found among the order's refunds. Only money is refunded: no line items, so stock
 * and shipping stay as they are.
 *
 * https://shopify.dev/docs/api/admin-graphql/latest/mutations/refundCreate
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
  isObject,
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
import { refusalOf } from './refusals.ts';
import type { ShopifyAccess, ShopifyCall } from './shopify-api.ts';
import { createShopifyCall, shopifyReason } from './shopify-api.ts';
import { CHARGE_FIELDS, chargeOf, isOutside, REFUND_FIELDS, shownRefundOf } from './transaction.ts';

export interface ShopifyOptions extends ShopifyAccess {
  /** Whether the customer is told by Shopify of each refund. @default false */
  readonly notify?: boolean;
  /** Whether a refund that Shopify still shows as pending may be declared. @default false */
  readonly pendingCounts?: boolean;
}

/** Makes the processor that Forestall calls. */
export function createShopifyProcessor(options: ShopifyOptions): Processor {
  const call = createShopifyCall(options);
  return {
    name: 'Shopify Payments',
    capabilities: () => Promise.resolve(capabilitiesOf(options)),
    searchCharges: (query, signal) => searchCharges(call, query, signal),
    readCharge: (reference, signal) => readCharge(call, reference, signal),
    findRefund: (request, signal) => findRefund(call, request, signal),
    refund: (request, signal) => refund({ call, options }, request, signal),
    voidCharge: (reference, _key, signal) => voidCharge(call, reference, signal),
    // Subscriptions belong to the app that sells them.
    cancelSubscription: () => Promise.resolve('not_offered'),
  };
}

function capabilitiesOf({ pendingCounts }: ShopifyOptions): ProcessorCapabilities {
  return {
    // https://shopify.dev/docs/api/usage/implementing-idempotency: 24 hours; one less for the clocks in between.
    idempotencyTtlHours: 23,
    canLookupByReference: true,
    // Shopify does not say when an order shows a new refund; ten minutes is our caution.
    lookupLagSeconds: 600,
    // What Shopify refuses is more than was paid for the order, which may have several payments.
    refusesOverRefund: false,
    asyncRefunds: true,
    pendingCounts: pendingCounts ?? false,
    requestLifetimeSeconds: 600,
  };
}

async function searchCharges(
  call: ShopifyCall,
  query: ChargeQuery,
  signal?: AbortSignal,
): Promise<Answer<ProcessorCharge[]>> {
  if (query.reference === undefined) return { kind: 'not_offered' };
  return asList(await readCharge(call, query.reference, signal));
}

export const READ = `query ($id: ID!) {
  node(id: $id) { ... on OrderTransaction { ${CHARGE_FIELDS} } }
}`;

const TRANSACTION_ID = /^gid:\/\/shopify\/OrderTransaction\/\d+$/;

async function readTransaction(
  call: ShopifyCall,
  reference: string,
  signal?: AbortSignal,
): Promise<Answer<JsonObject>> {
  if (!TRANSACTION_ID.test(reference)) {
    const reason = 'the reference is none of Shopify: see "references" of orderFromShopify';
    return { kind: 'unavailable', reason };
  }
  const reply = await call({ query: READ, variables: { id: reference } }, signal);
  if (reply.kind === 'silence' || reply.errors.length > 0) {
    return { kind: 'unavailable', reason: shopifyReason(reply) };
  }
  const { node } = reply.data;
  if (node === null) return { kind: 'absent' };
  return isObject(node)
    ? { kind: 'found', value: node }
    : { kind: 'unavailable', reason: shopifyReason(reply) };
}

async function readCharge(
  call: ShopifyCall,
  reference: string,
  signal?: AbortSignal,
): Promise<Answer<ProcessorCharge>> {
  const found = await readTransaction(call, reference, signal);
  return found.kind === 'found' ? readAs(chargeOf(found.value)) : found;
}

async function findRefund(
  call: ShopifyCall,
  { chargeReference, idempotencyKey }: RefundRequest,
  signal?: AbortSignal,
): Promise<Answer<ProcessorRefund>> {
  const charge = await readCharge(call, chargeReference, signal);
  return charge.kind === 'found' ? ownRefundAmong(charge.value.refunds, idempotencyKey) : charge;
}

export const REFUND = `mutation ($input: RefundInput!, $key: String!) {
  refundCreate(input: $input) @idempotent(key: $key) {
    refund { ${REFUND_FIELDS} } userErrors { field message }
  }
}`;

interface Shopify {
  readonly call: ShopifyCall;
  readonly options: ShopifyOptions;
}

async function refund(
  { call, options }: Shopify,
  request: RefundRequest,
  signal: AbortSignal,
): Promise<RefundOutcome> {
  const { chargeReference, idempotencyKey: key, currency } = request;
  const amount = toDecimal(request.amountMinor, currency);
  if (amount === undefined) return NOT_REPRESENTABLE;
  // Its order and gateway have to be named; until here nothing was sent.
  const found = await readTransaction(call, chargeReference, signal);
  if (found.kind === 'unavailable') return { kind: 'unknown', reason: found.reason };
  const orderId = found.kind === 'found' ? textAt(found.value, 'order', 'id') : null;
  if (found.kind !== 'found' || orderId === null) {
    return { kind: 'rejected', failureCode: 'NOT_FOUND', failureClass: 'ours' };
  }
  if (isOutside(found.value)) {
    return { kind: 'rejected', failureCode: 'PAYMENT_METHOD_UNSUPPORTED', failureClass: 'final' };
  }
  const gateway = textAt(found.value, 'gateway') ?? '';
  const input: JsonObject = {
    orderId,
    currency,
    note: key,
    notify: options.notify ?? false,
    allowOverRefunding: false,
    transactions: [{ orderId, gateway, amount, kind: 'REFUND', parentId: chargeReference }],
  };
  const reply = await call({ query: REFUND, variables: { input, key } }, signal);
  if (reply.kind === 'silence') return { kind: 'unknown', reason: reply.reason };
  const shown = valueAt(reply.data, 'refundCreate', 'refund');
  if (isObject(shown)) return outcomeOf(shownRefundOf(shown, { chargeReference, key }), request);
  return refusedOr(refusalOf(reply), shopifyReason(reply));
}

export const VOID = `mutation ($id: ID!) {
  transactionVoid(parentTransactionId: $id) { transaction { id } userErrors { code } }
}`;

/** https://shopify.dev/docs/api/admin-graphql/latest/enums/TransactionVoidUserErrorCode */
const CANNOT_BE_VOIDED: ReadonlySet<string | null> = new Set([
  'AUTH_NOT_SUCCESSFUL',
  'AUTH_NOT_VOIDABLE',
  'TRANSACTION_NOT_FOUND',
]);

async function voidCharge(
  call: ShopifyCall,
  reference: string,
  signal: AbortSignal,
): Promise<'voided' | 'not_offered' | 'rejected' | 'unknown'> {
  const before = await readCharge(call, reference, signal);
  if (before.kind === 'absent') return 'rejected';
  if (before.kind !== 'found') return 'unknown';
  if (before.value.status !== 'authorised') {
    return before.value.status === 'voided' ? 'voided' : 'rejected';
  }
  const reply = await call({ query: VOID, variables: { id: reference } }, signal);
  const after = await readCharge(call, reference, signal);
  if (after.kind === 'found' && after.value.status === 'voided') return 'voided';
  if (reply.kind === 'silence' || reply.errors.length > 0) return 'unknown';
  const codes = objectsAt(reply.data, 'transactionVoid', 'userErrors').map((error) =>
    textAt(error, 'code'),
  );
  const isRefused = codes.length > 0 && codes.every((code) => CANNOT_BE_VOIDED.has(code));
  return isRefused ? 'rejected' : 'unknown';
}
