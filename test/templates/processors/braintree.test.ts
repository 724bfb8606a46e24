/** Guarantee: the Braintree adapter keeps every promise of the processor port against its documented API. */
import { afterEach, describe, expect, it } from 'vitest';
import { runProcessorConformance } from '../../../src/running/verify/processor-conformance.ts';
import type { ChargeQuery, RefundRequest } from '../../../src/service/wire/processor.ts';
import {
  createBraintreeProcessor,
  searchInput,
} from '../../../templates/processors/braintree/processor.ts';
import { chargeOf } from '../../../templates/processors/braintree/transaction.ts';
import {
  BRAINTREE_BASE,
  graphqlError,
  startBraintreeFake,
  transactionNode,
} from './fakes/braintree-fake.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fakes/fake-provider.ts';
import { serveAnswers } from './fakes/fake-provider.ts';
import { Ledger } from './fakes/ledger.ts';

let served: FakeProvider | undefined;
afterEach(() => {
  served?.stop();
  served = undefined;
});

function serve(handle: (request: FakeRequest) => FakeAnswer): FakeProvider {
  served = serveAnswers(BRAINTREE_BASE, handle);
  return served;
}

const access = { publicKey: 'v4ndq314c2s5c28r', privateKey: '93b78bc88be90d93ac282e50ae569fdd' };
/** With global references no translation is asked for, so one answer is enough. */
const braintree = createBraintreeProcessor({
  ...access,
  pendingCounts: false,
  references: 'global',
});
const { signal } = new AbortController();

const TRANSACTION = 'dHJhbnNhY3Rpb25fYnQx';
const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: TRANSACTION,
  alertId: 'alrt_1',
  reason: 'chargeback_alert',
  amountMinor: 1050,
  currency: 'USD',
};

const REFUND = {
  id: 'cmVmdW5kX3JmMQ',
  legacyId: 'rf1',
  createdAt: '2026-09-21T14:13:20.000000Z',
  status: 'SUBMITTED_FOR_SETTLEMENT',
  orderId: 'fst_1',
  amount: { value: '10.50', currencyCode: 'USD' },
};

function refunded(refund: object): FakeAnswer {
  const data = { refundTransaction: { refund } };
  return { status: 200, body: { data, extensions: { requestId: 'a-uuid' } } };
}

describe('conformance', () => {
  it('keeps every promise', { timeout: 60_000 }, async () => {
    const fake = startBraintreeFake();
    served = fake.provider;
    const { results } = await runProcessorConformance({
      processor: createBraintreeProcessor({ ...access, pendingCounts: false }),
      fixture: fake.fixture,
    });
    expect(results.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    // The fake refunds what is disputed.
    const skipped = results.filter(({ verdict }) => verdict === 'skipped');
    expect(skipped.map(({ name }) => name)).toEqual(['refusal.disputed']);
  });
});

describe('the refund request', () => {
  it('carries the key as request key and as order id', async () => {
    const { requests } = serve(() => refunded(REFUND));
    expect(await braintree.refund(REQUEST, signal)).toEqual({
      kind: 'pending',
      refund: {
        reference: 'cmVmdW5kX3JmMQ',
        idempotencyKey: 'fst_1',
        chargeReference: TRANSACTION,
        status: 'pending',
        failureCode: null,
        amountMinor: 1050,
        currency: 'USD',
        createdAt: '2026-09-21T14:13:20.000Z',
      },
    });
    expect(requests).toHaveLength(1);
    // echo -n "$PUBLIC:$PRIVATE" | base64, as in Braintree's own example
    expect(requests[0]?.headers['authorization']).toBe(
      'Basic djRuZHEzMTRjMnM1YzI4cjo5M2I3OGJjODhiZTkwZDkzYWMyODJlNTBhZTU2OWZkZA==',
    );
    expect(requests[0]?.headers['braintree-version']).toBe('2019-01-01');
    expect(JSON.parse(requests[0]?.body ?? '').variables).toEqual({
      input: {
        transactionId: TRANSACTION,
        apiRequestKey: 'fst_1',
        refund: { amount: '10.50', orderId: 'fst_1' },
      },
    });
  });

  it.each([
    ['JPY', 5000, '5000'],
    ['KWD', 12_345, '12.345'],
    ['USD', 5, '0.05'],
    ['HUF', 100_000, '1000.00'],
  ])('writes %s in its own decimals', async (currency, amountMinor, value) => {
    const { requests } = serve(() =>
      refunded({ ...REFUND, amount: { value, currencyCode: currency } }),
    );
    const outcome = await braintree.refund({ ...REQUEST, currency, amountMinor }, signal);
    expect(outcome).toMatchObject({ kind: 'pending', refund: { amountMinor, currency } });
    expect(JSON.parse(requests[0]?.body ?? '').variables.input.refund.amount).toBe(value);
  });

  it('is not sent when its id cannot be translated', async () => {
    const { requests } = serve(() => ({ status: 503, body: {} }));
    const legacy = createBraintreeProcessor({ ...access, pendingCounts: false });
    expect(await legacy.refund(REQUEST, signal)).toMatchObject({ kind: 'unknown' });
    expect(requests.filter(({ body }) => body.includes('refundTransaction('))).toEqual([]);
  });
});

describe('the outcome', () => {
  it.each([
    [{ status: 'SETTLED' }, 'confirmed'],
    [{ status: 'SETTLEMENT_CONFIRMED' }, 'confirmed'],
    [{ status: 'SETTLING' }, 'pending'],
    [{ status: 'SETTLEMENT_PENDING' }, 'pending'],
    [{ status: 'AUTHORIZED' }, 'pending'],
    [{ status: 'PROCESSOR_DECLINED' }, 'rejected'],
    [{ status: 'SETTLEMENT_DECLINED' }, 'rejected'],
    [{ status: 'VOIDED' }, 'rejected'],
    [{ status: 'SOMETHING_NEW' }, 'unknown'],
    [{ amount: { value: '10.51', currencyCode: 'USD' } }, 'unknown'],
    [{ amount: { value: '10.50', currencyCode: 'EUR' } }, 'unknown'],
    [{ amount: { value: '-10.50', currencyCode: 'USD' } }, 'unknown'],
    [{ id: null }, 'unknown'],
  ])('of a refund that shows %o is %s', async (shown, kind) => {
    serve(() => refunded({ ...REFUND, ...shown }));
    expect((await braintree.refund(REQUEST, signal)).kind).toBe(kind);
  });

  it('is what was executed, also when errors stand beside it', async () => {
    const error = { message: 'x', extensions: { errorClass: 'INTERNAL' } };
    const data = { refundTransaction: { refund: { ...REFUND, status: 'SETTLED' } } };
    serve(() => ({ status: 200, body: { data, errors: [error] } }));
    expect(await braintree.refund(REQUEST, signal)).toMatchObject({ kind: 'confirmed' });
  });

  it.each([
    [graphqlError('refundTransaction', 'VALIDATION', '91506'), '91506', 'retry'],
    [graphqlError('refundTransaction', 'VALIDATION', '915201'), '915201', 'retry'],
    [graphqlError('refundTransaction', 'VALIDATION', '915200'), '915200', 'final'],
    [graphqlError('refundTransaction', 'VALIDATION', '91538'), '91538', 'ours'],
    [graphqlError('refundTransaction', 'VALIDATION', '91512'), '91512', 'done'],
    [graphqlError('refundTransaction', 'VALIDATION', '91521'), '91521', 'done'],
    [graphqlError('refundTransaction', 'NOT_FOUND'), 'NOT_FOUND', 'ours'],
    // Braintree says so of keys and rights; then nothing was begun.
    [graphqlError('refundTransaction', 'AUTHENTICATION'), 'AUTHENTICATION', 'ours'],
    [graphqlError('refundTransaction', 'AUTHORIZATION'), 'AUTHORIZATION', 'ours'],
  ])('of %j is rejected: %s, %s', async (answer, failureCode, failureClass) => {
    serve(() => answer);
    expect(await braintree.refund(REQUEST, signal)).toEqual({
      kind: 'rejected',
      failureCode,
      failureClass,
    });
  });

  const two = {
    data: { refundTransaction: null },
    errors: ['91521', undefined].map((legacyCode) => ({
      message: 'x',
      extensions: { errorClass: 'VALIDATION', legacyCode },
    })),
  };
  it.each([
    [
      'a key is in use, or was used with other values',
      graphqlError('refundTransaction', 'VALIDATION'),
    ],
    [
      'a validation is not about the refund',
      graphqlError('refundTransaction', 'VALIDATION', '91501'),
    ],
    ['only one of two errors is about the refund', { status: 200, body: two }],
    ['Braintree fails', graphqlError('refundTransaction', 'INTERNAL')],
    ['Braintree is down', graphqlError('refundTransaction', 'SERVICE_AVAILABILITY')],
    ['it is too much at once', graphqlError('refundTransaction', 'RESOURCE_LIMIT')],
    ['nothing is shown', { status: 200, body: { data: { refundTransaction: null } } }],
    ['nothing is said', { status: 200, body: {} }],
    ['the page is another', { status: 404, body: { errors: [] } }],
    ['a refusal comes with HTTP 500', { status: 500, body: graphqlError('x', 'NOT_FOUND').body }],
  ])('is unknown when %s', async (_when, answer) => {
    serve(() => answer);
    expect(await braintree.refund(REQUEST, signal)).toMatchObject({ kind: 'unknown' });
  });
});

describe('the transaction', () => {
  const ledger = new Ledger();
  const node = transactionNode(ledger.open({ id: 'bt1' }));

  it('shows everything that an alert is matched by', () => {
    expect(chargeOf(node, 'legacy')).toEqual({
      reference: 'bt1',
      status: 'captured',
      amountMinor: 1000,
      currency: 'USD',
      refundableMinor: 1000,
      disputed: false,
      authorisedAt: '2026-09-21T14:13:20.000Z',
      cardBrand: 'VISA',
      cardBin: '411111',
      cardLast4: '4242',
      acquirerReferenceNumber: null,
      authorisationCode: 'MJTV92',
      orderReference: 'order-6735',
      subscriptionReference: null,
      refunds: [],
    });
    // echo -n transaction_bt1 | base64
    expect(chargeOf(node, 'global')).toMatchObject({ reference: 'dHJhbnNhY3Rpb25fYnQx' });
  });

  it.each([
    ['AUTHORIZED', 'authorised', 0],
    ['SUBMITTED_FOR_SETTLEMENT', 'authorised', 0],
    ['SETTLING', 'captured', 1000],
    ['SETTLED', 'captured', 1000],
    ['VOIDED', 'voided', 0],
    ['PROCESSOR_DECLINED', 'declined', 0],
    ['SETTLEMENT_DECLINED', 'declined', 0],
  ])('that is %s is %s with %i left', (status, expected, refundableMinor) => {
    expect(chargeOf({ ...node, status }, 'legacy')).toMatchObject({
      status: expected,
      refundableMinor,
    });
  });

  const usd = (value: string) => ({ value, currencyCode: 'USD' });
  // https://developer.paypal.com/braintree/graphql/reference/types/parent-authorization
  const parent = {
    ...node,
    amount: usd('29.00'),
    partialCaptureDetails: {
      __typename: 'ParentAuthorization',
      childCaptures: [{ legacyId: 'bt2' }, { legacyId: 'bt3' }],
    },
  };
  const IN_PARTS =
    'the transaction was captured in parts: give the id of the capture as the reference';

  it.each(['AUTHORIZED', 'SETTLEMENT_PENDING', 'SETTLEMENT_CONFIRMED'])(
    'that was captured in parts and is %s is no charge: its captures are',
    (status) => {
      expect(chargeOf({ ...parent, status }, 'legacy')).toBe(IN_PARTS);
    },
  );

  it('that is SETTLEMENT_CONFIRMED was captured in parts, whatever else it shows', () => {
    expect(chargeOf({ ...node, status: 'SETTLEMENT_CONFIRMED' }, 'legacy')).toBe(IN_PARTS);
  });

  it.each([
    ['less than was authorised', '2.90', null, 290],
    ['with a tip', '12.00', null, 1200],
    ['as one of several', '4.10', { __typename: 'ChildCapture' }, 410],
  ])('that was captured %s is worth what was captured', (_how, value, details, minor) => {
    const shown = { ...node, amount: usd(value), partialCaptureDetails: details };
    expect(chargeOf(shown, 'legacy')).toMatchObject({
      status: 'captured',
      amountMinor: minor,
      refundableMinor: minor,
    });
  });

  it('that may be captured in parts, and was not, is authorised', () => {
    const details = { __typename: 'ParentAuthorization', childCaptures: [] };
    const shown = { ...node, status: 'AUTHORIZED', partialCaptureDetails: details };
    expect(chargeOf(shown, 'legacy')).toMatchObject({ status: 'authorised' });
  });

  it('is found by its captures, not by the authorisation they share', async () => {
    const edges = [
      { node: { ...parent, status: 'SETTLEMENT_CONFIRMED' } },
      { node: { ...node, partialCaptureDetails: { __typename: 'ChildCapture' } } },
    ];
    const transactions = { pageInfo: { hasNextPage: false }, edges };
    const { requests } = serve(() => ({
      status: 200,
      body: { data: { search: { transactions } } },
    }));
    const legacy = createBraintreeProcessor({ ...access, pendingCounts: false });
    expect(await legacy.searchCharges({ cardLast4: '4242' })).toMatchObject({
      kind: 'found',
      value: [{ reference: 'bt1', status: 'captured' }],
    });
    expect(requests[0]?.body).toContain('ParentAuthorization');
  });

  it.each([
    [{ status: 'OPEN', type: 'CHARGEBACK' }, true, 1000],
    [{ status: 'DISPUTED', type: 'CHARGEBACK' }, true, 1000],
    [{ status: 'LOST', type: 'CHARGEBACK' }, true, 0],
    [{ status: 'AUTO_ACCEPTED', type: 'CHARGEBACK' }, true, 0],
    [{ status: 'WON', type: 'CHARGEBACK' }, false, 1000],
    [{ status: 'OPEN', type: 'RETRIEVAL' }, false, 1000],
  ])('with a dispute %o is disputed: %s, %i left', (dispute, disputed, refundableMinor) => {
    expect(chargeOf({ ...node, disputes: [dispute] }, 'legacy')).toMatchObject({
      disputed,
      refundableMinor,
    });
  });

  it('is not told from what cannot be read', () => {
    expect(chargeOf({ ...node, status: 'AUTHORIZING' }, 'legacy')).toBe(
      'the transaction is AUTHORIZING',
    );
    expect(chargeOf({ ...node, refunds: [{ id: 'x' }] }, 'legacy')).toBe(
      'one of its refunds is unreadable',
    );
    expect(chargeOf({}, 'legacy')).toBe('the transaction is unreadable');
  });

  it('is absent only in the words of Braintree', async () => {
    serve(() => ({ status: 200, body: { data: { node: null } } }));
    expect(await braintree.readCharge(TRANSACTION)).toMatchObject({ kind: 'unavailable' });
  });
});

describe('the search', () => {
  const times = {
    authorisedFrom: '2026-09-19T00:00:00.000Z',
    authorisedTo: '2026-09-23T23:59:59.999Z',
  };
  const createdAt = {
    greaterThanOrEqualTo: times.authorisedFrom,
    lessThanOrEqualTo: times.authorisedTo,
  };
  const number = (shown: object) => ({
    paymentMethod: { paymentMethodSnapshot: { creditCardDetails: { number: shown } } },
  });
  const cases: [ChargeQuery, object | null][] = [
    [
      { cardBin: '41111122', cardLast4: '4242', amountMinor: 1000, currency: 'USD', ...times },
      {
        ...number({ startsWith: '411111', endsWith: '4242' }),
        amount: { value: { is: '10.00' }, currencyCode: { is: 'USD' } },
        createdAt,
      },
    ],
    [
      { authorisationCode: 'MJTV92', cardLast4: '4242', ...times },
      { processorAuthorizationId: { is: 'MJTV92' }, ...number({ endsWith: '4242' }), createdAt },
    ],
    [{ acquirerReferenceNumber: '74537604221431003881865' }, null],
    [times, null],
  ];
  it.each(cases)('for %o asks %o', (query, input) => {
    expect(searchInput(query)).toEqual(input);
  });

  it('that holds what cannot be read is not taken for complete', async () => {
    const edges = [{ node: { legacyId: 't1', status: 'SETTLED', amount: { value: 'x' } } }];
    const transactions = { pageInfo: { hasNextPage: false }, edges };
    serve(() => ({ status: 200, body: { data: { search: { transactions } } } }));
    const answer = await braintree.searchCharges({ cardLast4: '4242' });
    expect(answer).toMatchObject({ kind: 'unavailable' });
  });

  it.each([{ hasNextPage: true }, {}])(
    'whose page says %j is not taken for complete',
    async (pageInfo) => {
      const transactions = { pageInfo, edges: [] };
      serve(() => ({ status: 200, body: { data: { search: { transactions } } } }));
      expect(await braintree.searchCharges({ cardLast4: '4242' })).toMatchObject({
        kind: 'unavailable',
      });
    },
  );
});

it('states what Braintree documents', async () => {
  expect(await braintree.capabilities()).toEqual({
    // 30 days, less an hour of margin.
    idempotencyTtlHours: 719,
    canLookupByReference: true,
    lookupLagSeconds: 60,
    refusesOverRefund: true,
    asyncRefunds: true,
    pendingCounts: false,
    settlesAfterHours: 50,
    requestLifetimeSeconds: 600,
    // The address of the live service is the default.
    mode: 'live',
  });
});
