/** Guarantee: the Shopify adapter keeps every promise of the processor port against Shopify's published schema. */
import { afterEach, describe, expect, it } from 'vitest';
import { runProcessorConformance } from '../../../src/running/verify/processor-conformance.ts';
import type { RefundRequest } from '../../../src/service/wire/processor.ts';
import { createShopifyProcessor } from '../../../templates/processors/shopify/processor.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fakes/fake-provider.ts';
import { serveAnswers } from './fakes/fake-provider.ts';
import { Ledger } from './fakes/ledger.ts';
import {
  graphqlAnswer,
  orderNode,
  publishedSchema,
  refundNode,
  SHOPIFY,
  SHOPIFY_BASE,
  startShopifyFake,
  transactionNode,
} from './fakes/shopify-fake.ts';

type Json = Record<string, unknown>;

let served: FakeProvider | undefined;
afterEach(() => {
  served?.stop();
  served = undefined;
});

const shopify = createShopifyProcessor(SHOPIFY);
const schema = publishedSchema();
const { signal } = new AbortController();
const CHARGE = 'gid://shopify/OrderTransaction/100001';
const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: CHARGE,
  alertId: 'netalrt_1',
  reason: 'alert',
  amountMinor: 595,
  currency: 'USD',
};

/** A sale of 10.00, and a refund of ours of 5.95. */
function books() {
  const ledger = new Ledger();
  const charge = ledger.open({ id: '100001' });
  const refund = ledger.refund('100001', { id: '7', key: 'fst_1', amount: 595 }, 'succeeded');
  if (typeof refund === 'string') throw new Error(refund);
  return { ledger, charge, refund };
}

function serve(handle: (request: FakeRequest) => FakeAnswer): FakeProvider {
  served = serveAnswers(SHOPIFY_BASE, handle);
  return served;
}

/** Serves a transaction; a refund is answered with `refunded`. */
function serveNode(node: Json | null, refunded?: Json): FakeProvider {
  return serve((request) => {
    const refundCreate = (): Json => refunded ?? { refund: null, userErrors: [] };
    return graphqlAnswer(schema, request, { node: () => node, refundCreate });
  });
}

it('keeps every promise', { timeout: 60_000 }, async () => {
  const fake = startShopifyFake();
  served = fake.provider;
  const { results } = await runProcessorConformance({ processor: shopify, fixture: fake.fixture });
  expect(results.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  // It cannot search, cancels no subscription, and states that it may refund more than a payment.
  expect(results.filter(({ verdict }) => verdict === 'skipped').map(({ name }) => name)).toEqual([
    'charge.search_by_facts',
    'refund.above_remainder',
    'refusal.refunded_before',
    'refusal.disputed',
    'subscription.cancel',
    'subscription.unknown',
  ]);
});

describe('the refund', () => {
  it('names key, order, gateway and transaction, and nothing but money', async () => {
    const { charge, refund } = books();
    const node = { ...transactionNode(charge), order: orderNode(charge) };
    const refundCreate = { refund: refundNode(refund, charge), userErrors: [] };
    const { requests } = serveNode(node, refundCreate);
    expect(await shopify.refund(REQUEST, signal)).toEqual({
      kind: 'confirmed',
      refund: {
        reference: 'gid://shopify/OrderTransaction/7',
        idempotencyKey: 'fst_1',
        chargeReference: CHARGE,
        status: 'succeeded',
        failureCode: null,
        amountMinor: 595,
        currency: 'USD',
        createdAt: '2026-09-21T14:13:20.000Z',
      },
    });
    expect(requests).toHaveLength(2);
    expect(requests[1]).toMatchObject({ method: 'POST', path: '/admin/api/2026-10/graphql.json' });
    expect(requests[1]?.headers['x-shopify-access-token']).toBe('shpat_1');
    const { query, variables } = JSON.parse(requests[1]?.body ?? '');
    expect(query).toContain('refundCreate(input: $input) @idempotent(key: $key)');
    const orderId = 'gid://shopify/Order/100001';
    expect(variables).toEqual({
      key: 'fst_1',
      input: {
        orderId,
        currency: 'USD',
        note: 'fst_1',
        notify: false,
        allowOverRefunding: false,
        transactions: [
          {
            orderId,
            gateway: 'shopify_payments',
            amount: '5.95',
            kind: 'REFUND',
            parentId: CHARGE,
          },
        ],
      },
    });
  });

  it.each<[Json, Json, string]>([
    [{ status: 'PENDING' }, {}, 'pending'],
    [{ status: 'AWAITING_RESPONSE' }, {}, 'pending'],
    [{ status: 'ERROR' }, {}, 'pending'],
    [{ status: 'UNKNOWN' }, {}, 'pending'],
    [{ status: 'FAILURE', errorCode: 'CONFIG_ERROR' }, {}, 'rejected'],
    [{ kind: 'SALE' }, {}, 'unknown'],
    [{ parentTransaction: { id: 'gid://shopify/OrderTransaction/2' } }, {}, 'unknown'],
    [{ parentTransaction: null }, {}, 'unknown'],
    [{ amountSet: { presentmentMoney: { amount: '5.94', currencyCode: 'USD' } } }, {}, 'unknown'],
    [{ amountSet: { presentmentMoney: { amount: '5.95', currencyCode: 'EUR' } } }, {}, 'unknown'],
    [{}, { note: 'fst_0' }, 'unknown'],
    [{}, { note: null }, 'unknown'],
    [{}, { transactions: { nodes: [] } }, 'unknown'],
  ])('that shows %o in %o is %s', async (shown, around, kind) => {
    const { charge, refund } = books();
    const order = orderNode({ ...charge, refunds: [] });
    const whole = refundNode(refund, charge) as { transactions: { nodes: Json[] } };
    const nodes = whole.transactions.nodes.map((each) => ({ ...each, ...shown }));
    const answered = { ...whole, transactions: { nodes }, ...around };
    serveNode({ ...transactionNode(charge), order }, { refund: answered, userErrors: [] });
    expect(await shopify.refund(REQUEST, signal)).toMatchObject({ kind });
  });

  const answersWith = async (body: unknown, status = 200) => {
    const { charge } = books();
    const node = { ...transactionNode(charge), order: orderNode(charge) };
    serve((request) =>
      request.body.includes('refundCreate')
        ? { status, body }
        : graphqlAnswer(schema, request, { node: () => node }),
    );
    return await shopify.refund(REQUEST, signal);
  };
  const userError = (message: string) => ({
    data: { refundCreate: { refund: null, userErrors: [{ field: null, message }] } },
  });
  const failing = (...codes: (string | undefined)[]) => ({
    errors: codes.map((code) => ({ message: 'See the code.', extensions: { code } })),
  });

  it.each<[unknown, string, string]>([
    [userError('Refund amount exceeds the amount that is left.'), 'USER_ERROR', 'retry'],
    [failing('THROTTLED'), 'THROTTLED', 'retry'],
    [failing('ACCESS_DENIED'), 'ACCESS_DENIED', 'ours'],
    [failing('SHOP_INACTIVE'), 'SHOP_INACTIVE', 'ours'],
    [failing('MAX_COST_EXCEEDED'), 'MAX_COST_EXCEEDED', 'ours'],
  ])('%o is refused as %s: %s', async (body, failureCode, failureClass) => {
    expect(await answersWith(body)).toEqual({ kind: 'rejected', failureCode, failureClass });
  });

  it.each<[string, unknown, number?]>([
    ['an internal error', failing('INTERNAL_SERVER_ERROR')],
    ['a code of tomorrow', failing('OF_TOMORROW')],
    ['an error without a code', failing(undefined)],
    ['one known code beside another', failing('ACCESS_DENIED', 'INTERNAL_SERVER_ERROR')],
    ['a request under way', userError('This request is currently in progress, please try again.')],
    ['a key used before', userError('The same idempotency key cannot be used again.')],
    ['a request that failed before', userError('The previous attempt failed.')],
    ['nothing at all', { data: { refundCreate: { refund: null, userErrors: [] } } }],
    ['errors beside user errors', { ...userError('No.'), ...failing(undefined) }],
    ['HTTP 401', userError('No.'), 401],
    ['HTTP 423', { errors: 'Locked' }, 423],
  ])('%s proves nothing', async (_what, body, status) => {
    expect(await answersWith(body, status)).toMatchObject({ kind: 'unknown' });
  });

  it('of what was paid outside of Shopify is not sent: it would be booked, and no money would move', async () => {
    const { charge } = books();
    const node = { ...transactionNode(charge), order: orderNode(charge) };
    const { requests } = serveNode({ ...node, manualPaymentGateway: true });
    expect(await shopify.refund(REQUEST, signal)).toMatchObject({
      kind: 'rejected',
      failureClass: 'final',
    });
    expect(requests).toHaveLength(1);
  });

  it('of an unknown transaction, or an amount that cannot be written, is not sent', async () => {
    const { requests } = serveNode(null);
    expect(await shopify.refund(REQUEST, signal)).toMatchObject({ failureCode: 'NOT_FOUND' });
    expect(requests.filter(({ body }) => body.includes('refundCreate'))).toEqual([]);
  });
});

describe('a charge', () => {
  const read = async (change: (charge: Json, order: Json) => void) => {
    const { charge } = books();
    const node = transactionNode(charge);
    const order = orderNode(charge);
    change(node, order);
    serveNode({ ...node, order });
    return await shopify.readCharge(CHARGE);
  };

  it('is the transaction with what went back of it', async () => {
    expect(await read(() => undefined)).toMatchObject({
      kind: 'found',
      value: {
        reference: CHARGE,
        status: 'captured',
        amountMinor: 1_000,
        currency: 'USD',
        refundableMinor: 405,
        disputed: false,
        authorisedAt: '2026-09-21T14:13:20.000Z',
        cardBrand: 'Visa',
        cardBin: '424242',
        cardLast4: '4242',
        orderReference: '#1001',
        refunds: [{ idempotencyKey: 'fst_1', amountMinor: 595, status: 'succeeded' }],
      },
    });
  });

  it.each<[string, Json, unknown]>([
    ['an authorisation', { kind: 'AUTHORIZATION' }, { status: 'authorised', refundableMinor: 0 }],
    ['one at a reader', { kind: 'EMV_AUTHORIZATION' }, { status: 'authorised' }],
    ['a failed one', { status: 'FAILURE' }, { status: 'declined', refundableMinor: 0 }],
    ['one with an error', { status: 'ERROR' }, { status: 'declined' }],
  ])('is %s', async (_what, change, value) => {
    const answer = await read((charge, order) => {
      Object.assign(charge, change);
      order['transactions'] = [];
    });
    expect(answer).toMatchObject({ kind: 'found', value });
  });

  it.each<[string, (charge: Json, order: Json) => void, RegExp]>([
    ['pending', (charge) => Object.assign(charge, { status: 'PENDING' }), /not known yet/],
    ['a refund', (charge) => Object.assign(charge, { kind: 'REFUND' }), /no payment/],
    ['a change', (charge) => Object.assign(charge, { kind: 'CHANGE' }), /no payment/],
    [
      'paid outside of Shopify',
      (charge) => Object.assign(charge, { gateway: 'manual', manualPaymentGateway: true }),
      /moves no money/,
    ],
    [
      'paid with a gift card',
      (charge) => Object.assign(charge, { gateway: 'gift_card' }),
      /moves no money/,
    ],
    [
      'captured since',
      (charge, order) => {
        const capture = { ...charge, id: 'x', kind: 'CAPTURE', parentTransaction: { id: CHARGE } };
        Object.assign(charge, { kind: 'AUTHORIZATION' });
        order['transactions'] = [capture];
      },
      /orders must name the capture/,
    ],
    [
      'of an order with fifty transactions',
      (charge, order) => {
        order['transactions'] = Array.from({ length: 50 }, () => charge);
      },
      /50 transactions or more/,
    ],
  ])('that is %s cannot be read', async (_what, change, reason) => {
    expect(await read(change)).toEqual({
      kind: 'unavailable',
      reason: expect.stringMatching(reason),
    });
  });

  it.each([
    ['NEEDS_RESPONSE', true],
    ['UNDER_REVIEW', true],
    ['ACCEPTED', true],
    ['LOST', true],
    ['PREVENTED', true],
    ['CHARGE_REFUNDED', true],
    ['WON', false],
  ])('of an order with a dispute that is %s is disputed: %s', async (status, disputed) => {
    const answer = await read((_charge, order) => {
      order['disputes'] = [{ id: 'gid://shopify/OrderDispute/1', status }];
    });
    expect(answer).toMatchObject({ kind: 'found', value: { disputed } });
  });

  it('has no part in what went back of another payment of its order', async () => {
    const other = { parentTransaction: { id: 'gid://shopify/OrderTransaction/100002' } };
    const answer = await read((_charge, order) => {
      const listed = order['transactions'] as Json[];
      order['transactions'] = listed.map((each) =>
        each['kind'] === 'REFUND' ? { ...each, ...other } : each,
      );
    });
    expect(answer).toMatchObject({ kind: 'found', value: { refundableMinor: 1_000, refunds: [] } });
  });

  it('captured from an authorisation has its card and its moment', async () => {
    const answer = await read((charge, order) => {
      const id = 'gid://shopify/OrderTransaction/3';
      order['transactions'] = [
        { ...charge, id, kind: 'AUTHORIZATION', processedAt: '2026-09-20T10:00:00Z' },
      ];
      const own = { kind: 'CAPTURE', paymentDetails: null, parentTransaction: { id } };
      Object.assign(charge, own);
    });
    const value = {
      status: 'captured',
      cardBin: '424242',
      authorisedAt: '2026-09-20T10:00:00.000Z',
    };
    expect(answer).toMatchObject({ kind: 'found', value });
  });

  it('is asked for only by a reference of Shopify', async () => {
    const { requests } = serveNode(null);
    expect(await shopify.readCharge('ch_1')).toMatchObject({ kind: 'unavailable' });
    expect(requests).toEqual([]);
    expect(await shopify.readCharge(CHARGE)).toEqual({ kind: 'absent' });
    expect(await shopify.searchCharges({ cardLast4: '4242' })).toEqual({ kind: 'not_offered' });
  });
});

it('states what Shopify documents', async () => {
  expect(await shopify.capabilities()).toEqual({
    idempotencyTtlHours: 23,
    canLookupByReference: true,
    lookupLagSeconds: 600,
    refusesOverRefund: false,
    asyncRefunds: true,
    pendingCounts: false,
    requestLifetimeSeconds: 600,
  });
});
