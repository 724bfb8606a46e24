/**
 * Shopify's GraphQL Admin API: our calls are executed by a GraphQL server over Shopify's published schema, so a field, an
 * argument or a word that Shopify does not have is refused here as there.
 */
import { readFileSync } from 'node:fs';
import type { GraphQLSchema } from 'graphql';
import { buildSchema, execute, parse, validate } from 'graphql';
import type { ConformanceFixture } from '../../../../src/running/verify/conformance-check.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fake-provider.ts';
import { serveFake } from './fake-provider.ts';
import type { LedgerCharge, LedgerRefund } from './ledger.ts';
import { Ledger } from './ledger.ts';

export const SHOPIFY_BASE = 'https://shop.myshopify.com';
export const SHOPIFY = { shop: 'shop.myshopify.com', accessToken: 'shpat_1' };

const PUBLISHED = new URL('../../contracts/support/shopify-admin-2026-10.graphql', import.meta.url);

/** The part of the published schema that the adapter uses. */
export function publishedSchema(): GraphQLSchema {
  return buildSchema(readFileSync(PUBLISHED, 'utf8'));
}

type Json = Record<string, unknown>;

export interface ShopifyFake {
  readonly ledger: Ledger;
  readonly provider: FakeProvider;
  readonly fixture: ConformanceFixture;
}

const gid = (kind: string, id: string): string => `gid://shopify/${kind}/${id}`;
const numberOf = (id: string): string => id.split('/').at(-1) ?? '';

function moneyOf(amount: number, currency: string): Json {
  return {
    presentmentMoney: { amount: (amount / 100).toFixed(2), currencyCode: currency },
  };
}

const REFUND_STATUS = { pending: 'PENDING', succeeded: 'SUCCESS', failed: 'FAILURE' };

/** A transaction in the shape of https://shopify.dev/docs/api/admin-graphql/latest/objects/OrderTransaction. */
export function transactionNode(charge: LedgerCharge): Json {
  const at = new Date(charge.created * 1000).toISOString().replace('.000Z', 'Z');
  return {
    __typename: 'OrderTransaction',
    id: gid('OrderTransaction', charge.id),
    kind: charge.status === 'captured' ? 'SALE' : 'AUTHORIZATION',
    status: 'SUCCESS',
    errorCode: null,
    createdAt: at,
    processedAt: at,
    gateway: 'shopify_payments',
    manualPaymentGateway: false,
    amountSet: moneyOf(charge.amount, charge.currency),
    parentTransaction: null,
    paymentDetails: {
      __typename: 'CardPaymentDetails',
      bin: '424242',
      company: 'Visa',
      number: `•••• •••• •••• ${charge.last4}`,
    },
  };
}

export function refundTransaction(refund: LedgerRefund, charge: LedgerCharge): Json {
  return {
    ...transactionNode(charge),
    id: gid('OrderTransaction', refund.id),
    kind: 'REFUND',
    status: REFUND_STATUS[refund.status],
    errorCode: refund.status === 'failed' ? 'PAYMENT_PROVIDER_ERROR' : null,
    amountSet: moneyOf(refund.amount, charge.currency),
    parentTransaction: { id: gid('OrderTransaction', charge.id) },
  };
}

export function refundNode(refund: LedgerRefund, charge: LedgerCharge): Json {
  return {
    id: gid('Refund', `9${refund.id}`),
    note: refund.key,
    createdAt: new Date(refund.created * 1000).toISOString(),
    transactions: { nodes: [refundTransaction(refund, charge)] },
  };
}

/** The whole of an order with one payment. */
export function orderNode(charge: LedgerCharge): Json {
  const voided = {
    ...transactionNode(charge),
    id: gid('OrderTransaction', `8${charge.id}`),
    kind: 'VOID',
    parentTransaction: { id: gid('OrderTransaction', charge.id) },
  };
  return {
    id: gid('Order', charge.id),
    name: '#1001',
    disputes: charge.disputed ? [{ id: gid('OrderDispute', '1'), status: 'NEEDS_RESPONSE' }] : [],
    transactions: [
      transactionNode(charge),
      ...(charge.status === 'voided' ? [voided] : []),
      ...charge.refunds.map((refund) => refundTransaction(refund, charge)),
    ],
    refunds: charge.refunds.map((refund) => refundNode(refund, charge)),
  };
}

/** Answers as a server of the published schema does; `root` resolves. */
export function graphqlAnswer(
  schema: GraphQLSchema,
  request: FakeRequest,
  root: unknown,
): FakeAnswer {
  const { query, variables } = JSON.parse(request.body) as { query: string; variables: Json };
  const document = parse(query);
  const faults = validate(schema, document);
  if (faults.length > 0) throw new Error(faults.map(({ message }) => message).join('; '));
  const result = execute({ schema, document, rootValue: root, variableValues: variables });
  if (result instanceof Promise) throw new Error('a fake answers at once');
  return { status: 200, body: result };
}

const refused = (message: string): Json => ({
  refund: null,
  userErrors: [{ field: null, message }],
});

interface RefundInput {
  readonly orderId: string;
  readonly note: string;
  readonly transactions: readonly { readonly parentId: string; readonly amount: string }[];
}

export function startShopifyFake(): ShopifyFake {
  const ledger = new Ledger();
  const schema = publishedSchema();
  const used = new Map<string, { readonly input: string; readonly refund: LedgerRefund }>();

  function refundOnce(input: RefundInput, key: string): Json {
    const text = JSON.stringify(input);
    const earlier = used.get(key);
    if (earlier !== undefined && earlier.input !== text) {
      return refused(
        'The same idempotency key cannot be used with different operation parameters.',
      );
    }
    const [wanted] = input.transactions;
    const id = numberOf(wanted?.parentId ?? '');
    const amount = Math.round(Number(wanted?.amount) * 100);
    const order = { id: ledger.next('7'), key: input.note, amount };
    const made = earlier?.refund ?? ledger.refund(id, order, 'pending');
    if (typeof made === 'string') return refused('Refund amount exceeds what is left.');
    used.set(key, { input: text, refund: made });
    return { refund: refundNode(made, ledger.charges.get(id)!), userErrors: [] };
  }

  function voidOnce(id: string): Json {
    const charge = ledger.charges.get(numberOf(id));
    if (charge === undefined || charge.status !== 'authorised') {
      const userErrors = [{ code: 'AUTH_NOT_VOIDABLE', message: 'Transaction must be voidable.' }];
      return { transaction: null, userErrors };
    }
    charge.status = 'voided';
    return { transaction: transactionNode(charge), userErrors: [] };
  }

  function handle(request: FakeRequest): FakeAnswer {
    return graphqlAnswer(schema, request, {
      node: ({ id }: { id: string }): Json | null => {
        const charge = ledger.charges.get(numberOf(id));
        return charge === undefined
          ? null
          : { ...transactionNode(charge), order: orderNode(charge) };
      },
      refundCreate: ({ input }: { input: RefundInput }) => refundOnce(input, keyOf(request)),
      transactionVoid: ({ parentTransactionId }: { parentTransactionId: string }) =>
        voidOnce(parentTransactionId),
    });
  }

  const provider = serveFake({
    base: SHOPIFY_BASE,
    handle,
    isRefund: ({ body }) => body.includes('refundCreate'),
    isReading: ({ body }) => body.includes('node(id: $id)'),
    refusal: { data: { refundCreate: refused('Order cannot be refunded.') } },
  });
  const open = (captured: boolean) => {
    const { id, amount, currency } = ledger.open({ id: ledger.next('1'), captured });
    const reference = gid('OrderTransaction', id);
    return Promise.resolve({ reference, amountMinor: amount, currency });
  };
  const fixture: ConformanceFixture = {
    captured: () => open(true),
    authorised: () => open(false),
    absentReference: gid('OrderTransaction', '999999'),
    newKey: () => ledger.next('fst_000000000000000000000000000000000'),
    refundedMinor: (reference) => Promise.resolve(ledger.refundedOf(numberOf(reference))),
    settle: () => Promise.resolve(ledger.settle()),
    failRefund: (reference) => {
      ledger.findRefund(numberOf(reference))!.status = 'failed';
      return Promise.resolve();
    },
    dispute: (reference) => {
      ledger.charges.get(numberOf(reference))!.disputed = true;
      return Promise.resolve();
    },
    offersFault: () => true,
    withFault: (fault, call) => provider.withFault(fault, call),
  };
  return { ledger, provider, fixture };
}

/** The key of `@idempotent(key: $key)`. */
function keyOf({ body }: FakeRequest): string {
  const { query, variables } = JSON.parse(body) as { query: string; variables: { key?: string } };
  if (!/refundCreate\(input: \$input\) @idempotent\(key: \$key\)/.test(query)) {
    throw new Error(
      'The @idempotent directive is required for this mutation but was not provided.',
    );
  }
  return variables.key ?? '';
}
