/** Guarantee: the PayPal adapter keeps every promise of the processor port against PayPal's documented API. */
import { afterEach, describe, expect, it } from 'vitest';
import { runProcessorConformance } from '../../../src/running/verify/processor-conformance.ts';
import type { ChargeQuery, RefundRequest } from '../../../src/service/wire/processor.ts';
import {
  createPayPalProcessor,
  reportPath,
} from '../../../templates/processors/paypal/processor.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fakes/fake-provider.ts';
import { serveAnswers } from './fakes/fake-provider.ts';
import { Ledger } from './fakes/ledger.ts';
import { captureBody, PAYPAL_BASE, startPayPalFake } from './fakes/paypal-fake.ts';

let served: FakeProvider | undefined;
afterEach(() => {
  served?.stop();
  served = undefined;
});

const TOKEN = { access_token: 'A21AA', token_type: 'Bearer', expires_in: 32_400 };

/** Serves the token, and `handle` for everything else. */
function serve(handle: (request: FakeRequest) => FakeAnswer): FakeProvider {
  served = serveAnswers(PAYPAL_BASE, (request) =>
    request.path === '/v1/oauth2/token' ? { status: 200, body: TOKEN } : handle(request),
  );
  return served;
}

const access = { clientId: 'client', clientSecret: 'secret' };
const { signal } = new AbortController();

function paypal() {
  return createPayPalProcessor(access);
}

const CAPTURE = '2GG279541U471931P';
const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: CAPTURE,
  alertId: 'alrt_1',
  reason: 'chargeback_alert',
  amountMinor: 1099,
  currency: 'USD',
};

/** The refund of PayPal's reference, https://developer.paypal.com/docs/api/payments/v2/#captures_refund. */
const REFUND = {
  id: '1JU08902781691411',
  amount: { value: '10.99', currency_code: 'USD' },
  status: 'COMPLETED',
  custom_id: 'fst_1',
  create_time: '2022-04-23T23:24:19Z',
  links: [
    { rel: 'self', method: 'GET', href: `${PAYPAL_BASE}/v2/payments/refunds/1JU08902781691411` },
    { rel: 'up', method: 'GET', href: `${PAYPAL_BASE}/v2/payments/captures/${CAPTURE}` },
  ],
};

describe('conformance', () => {
  it('keeps every promise', { timeout: 60_000 }, async () => {
    const fake = startPayPalFake();
    served = fake.provider;
    const { results } = await runProcessorConformance({
      processor: createPayPalProcessor({ ...access, transactionSearch: true }),
      fixture: fake.fixture,
    });
    expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  });
});

describe('the refund request', () => {
  it('carries the key as request id and as custom id', async () => {
    const { requests } = serve(() => ({ status: 201, body: REFUND }));
    expect(await paypal().refund(REQUEST, signal)).toEqual({
      kind: 'confirmed',
      refund: {
        reference: '1JU08902781691411',
        idempotencyKey: 'fst_1',
        chargeReference: CAPTURE,
        status: 'succeeded',
        failureCode: null,
        amountMinor: 1099,
        currency: 'USD',
        createdAt: '2022-04-23T23:24:19.000Z',
      },
    });
    const [token, refund] = requests;
    expect(requests).toHaveLength(2);
    expect(token?.body).toBe('grant_type=client_credentials');
    // echo -n client:secret | base64
    expect(token?.headers['authorization']).toBe('Basic Y2xpZW50OnNlY3JldA==');
    expect(refund).toMatchObject({
      method: 'POST',
      path: `/v2/payments/captures/${CAPTURE}/refund`,
    });
    expect(refund?.headers).toMatchObject({
      authorization: 'Bearer A21AA',
      'paypal-request-id': 'fst_1',
      prefer: 'return=representation',
    });
    expect(JSON.parse(refund?.body ?? '')).toEqual({
      amount: { value: '10.99', currency_code: 'USD' },
      custom_id: 'fst_1',
    });
  });

  // https://developer.paypal.com/api/rest/reference/currency-codes
  it.each([
    ['JPY', 5000, '5000'],
    ['HUF', 100_000, '1000'],
    ['TWD', 250_000, '2500'],
    ['EUR', 5, '0.05'],
  ])('writes %s in PayPal’s decimals', async (currency, amountMinor, value) => {
    const { requests } = serve(() => ({
      status: 201,
      body: { ...REFUND, amount: { value, currency_code: currency } },
    }));
    const outcome = await paypal().refund({ ...REQUEST, currency, amountMinor }, signal);
    expect(outcome).toMatchObject({ kind: 'confirmed', refund: { amountMinor, currency } });
    expect(JSON.parse(requests[1]?.body ?? '').amount.value).toBe(value);
  });

  it('sends nothing for an amount that PayPal cannot express', async () => {
    const { requests } = serve(() => ({ status: 201, body: REFUND }));
    const outcome = await paypal().refund(
      { ...REQUEST, currency: 'HUF', amountMinor: 150 },
      signal,
    );
    expect(outcome).toEqual({
      kind: 'rejected',
      failureCode: 'amount_not_representable',
      failureClass: 'final',
    });
    expect(requests).toEqual([]);
  });
});

describe('the access token', () => {
  it('is fetched once while it lives', async () => {
    const { requests } = serve(() => ({ status: 201, body: REFUND }));
    const processor = paypal();
    await processor.refund(REQUEST, signal);
    await processor.refund(REQUEST, signal);
    expect(requests.map(({ path }) => path.split('/').at(-1))).toEqual([
      'token',
      'refund',
      'refund',
    ]);
  });

  it('is fetched again when it was revoked, without sending a refund twice', async () => {
    const answers: FakeAnswer[] = [
      { status: 401, body: { error: 'invalid_token' } },
      { status: 201, body: REFUND },
    ];
    const { requests } = serve(() => answers.shift() ?? { status: 500, body: {} });
    const processor = paypal();
    expect(await processor.refund(REQUEST, signal)).toEqual({
      kind: 'rejected',
      failureCode: 'invalid_token',
      failureClass: 'retry',
    });
    expect(await processor.refund(REQUEST, signal)).toMatchObject({ kind: 'confirmed' });
    expect(requests.map(({ path }) => path.split('/').at(-1))).toEqual([
      'token',
      'refund',
      'token',
      'refund',
    ]);
  });

  it('is fetched again when its life is over', async () => {
    served = serveAnswers(PAYPAL_BASE, ({ path }) =>
      path === '/v1/oauth2/token'
        ? { status: 200, body: { ...TOKEN, expires_in: 60 } }
        : { status: 201, body: REFUND },
    );
    const processor = paypal();
    await processor.refund(REQUEST, signal);
    await processor.refund(REQUEST, signal);
    const tokens = served.requests.filter(({ path }) => path === '/v1/oauth2/token');
    expect(tokens).toHaveLength(2);
  });

  it('that is not given leaves the refund unknown and unsent', async () => {
    served = serveAnswers(PAYPAL_BASE, () => ({ status: 503, body: { error: 'invalid_client' } }));
    expect(await paypal().refund(REQUEST, signal)).toEqual({
      kind: 'unknown',
      reason: 'no access token was given (HTTP 503)',
    });
    expect(served.requests).toHaveLength(1);
  });
});

describe('the outcome', () => {
  it.each([
    [{ status: 'PENDING', status_details: { reason: 'ECHECK' } }, 'pending'],
    [{ status: 'FAILED' }, 'rejected'],
    [{ status: 'CANCELLED' }, 'rejected'],
    [{ status: 'SOMETHING_NEW' }, 'unknown'],
    [{ amount: { value: '10.98', currency_code: 'USD' } }, 'unknown'],
    [{ amount: { value: '10.99', currency_code: 'EUR' } }, 'unknown'],
    [{ amount: undefined }, 'unknown'],
    [{ id: undefined }, 'unknown'],
  ])('of a refund that shows %o is %s', async (shown, kind) => {
    serve(() => ({ status: 201, body: { ...REFUND, ...shown } }));
    expect((await paypal().refund(REQUEST, signal)).kind).toBe(kind);
  });

  function problem(name: string, issue?: string): object {
    return { name, debug_id: '90957fca61718', details: issue === undefined ? [] : [{ issue }] };
  }

  it.each([
    [422, 'UNPROCESSABLE_ENTITY', 'CAPTURE_FULLY_REFUNDED', 'done'],
    [422, 'UNPROCESSABLE_ENTITY', 'REFUND_AMOUNT_EXCEEDED', 'done'],
    [422, 'UNPROCESSABLE_ENTITY', 'REFUND_FAILED_INSUFFICIENT_FUNDS', 'retry'],
    [422, 'UNPROCESSABLE_ENTITY', 'PENDING_CAPTURE', 'retry'],
    [422, 'UNPROCESSABLE_ENTITY', 'REFUND_TIME_LIMIT_EXCEEDED', 'final'],
    [422, 'UNPROCESSABLE_ENTITY', 'REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK', 'final'],
    [422, 'UNPROCESSABLE_ENTITY', 'A_WORD_OF_TOMORROW', 'retry'],
    [404, 'RESOURCE_NOT_FOUND', 'INVALID_RESOURCE_ID', 'ours'],
    [400, 'INVALID_REQUEST', undefined, 'ours'],
    // PayPal says so of credentials and permissions; then nothing was begun.
    [401, 'AUTHENTICATION_FAILURE', undefined, 'ours'],
    [403, 'NOT_AUTHORIZED', 'PERMISSION_DENIED', 'ours'],
  ])('of %i %s %s is rejected as %s', async (status, name, issue, failureClass) => {
    serve(() => ({ status, body: problem(name, issue) }));
    expect(await paypal().refund(REQUEST, signal)).toEqual({
      kind: 'rejected',
      failureCode: issue ?? name,
      failureClass,
    });
  });

  it('is rejected as ours when PayPal gives no token for these credentials', async () => {
    served = serveAnswers(PAYPAL_BASE, () => ({ status: 401, body: { error: 'invalid_client' } }));
    expect(await paypal().refund(REQUEST, signal)).toEqual({
      kind: 'rejected',
      failureCode: 'invalid_client',
      failureClass: 'ours',
    });
    expect(await paypal().readCharge('2GG279541U471931P')).toMatchObject({ kind: 'unavailable' });
    expect(served.requests.map(({ path }) => path)).toEqual([
      '/v1/oauth2/token',
      '/v1/oauth2/token',
    ]);
  });

  it.each([
    [422, problem('UNPROCESSABLE_ENTITY', 'PREVIOUS_REQUEST_IN_PROGRESS')],
    [
      422,
      {
        ...problem('UNPROCESSABLE_ENTITY'),
        details: [{ issue: 'REFUND_AMOUNT_EXCEEDED' }, { issue: 'DUPLICATE_REQUEST_ID' }],
      },
    ],
    // A gateway in between, not PayPal.
    [404, { error: 'Not Found' }],
    [400, { error: 'Bad Request', status: 400 }],
    [400, problem('INVALID_REQUEST', 'DUPLICATE_REQUEST_ID')],
    [409, problem('RESOURCE_CONFLICT', 'PREVIOUS_REQUEST_IN_PROGRESS')],
    [401, problem('CAPTURE_FULLY_REFUNDED')],
    [403, {}],
    [408, problem('REQUEST_TIMEOUT')],
    [429, problem('RATE_LIMIT_REACHED')],
    [500, problem('INTERNAL_SERVER_ERROR')],
    [503, problem('SERVICE_UNAVAILABLE')],
    [422, {}],
    [204, undefined],
    [202, REFUND],
  ])('of %i %o is unknown', async (status, body) => {
    serve(() => ({ status, body }));
    expect(await paypal().refund(REQUEST, signal)).toMatchObject({ kind: 'unknown' });
  });
});

describe('the capture', () => {
  const ledger = new Ledger();
  const capture = captureBody(ledger.open({ id: CAPTURE }), 0);
  const missing = { status: 404, body: { name: 'RESOURCE_NOT_FOUND' } };
  const card = { last_digits: '4242', brand: 'VISA', bin_details: { bin: '411111' } };

  interface Shown {
    readonly captures?: object[];
    readonly capture?: object;
    readonly refunds?: object[];
    readonly disputes?: FakeAnswer;
    /** One of them with its details. */
    readonly dispute?: FakeAnswer;
    readonly order?: FakeAnswer;
  }

  function serveCapture(shown: Shown): FakeProvider {
    const units = [{ payments: { captures: shown.captures ?? [], refunds: shown.refunds ?? [] } }];
    const order = { id: 'O-1', payment_source: { card }, purchase_units: units };
    return serve(({ path }) => {
      if (path.startsWith('/v2/checkout/')) return shown.order ?? { status: 200, body: order };
      if (path === '/v1/customer/disputes/PP-D-1') return shown.dispute ?? missing;
      if (path.startsWith('/v1/customer/')) {
        return shown.disputes ?? { status: 200, body: { items: [] } };
      }
      return { status: 200, body: { ...capture, ...shown.capture } };
    });
  }

  it('shows everything that an alert is matched by', async () => {
    serveCapture({});
    expect(await paypal().readCharge(CAPTURE)).toEqual({
      kind: 'found',
      value: {
        reference: CAPTURE,
        status: 'captured',
        amountMinor: 1000,
        currency: 'USD',
        refundableMinor: 1000,
        disputed: false,
        authorisedAt: '2026-09-21T14:13:20.000Z',
        cardBrand: 'VISA',
        cardBin: '411111',
        cardLast4: '4242',
        acquirerReferenceNumber: '74537604221431003881865',
        authorisationCode: null,
        orderReference: 'order-6735',
        subscriptionReference: null,
        refunds: [],
      },
    });
  });

  it.each([
    ['a part of the order', '2.90', 290],
    ['the order with a tip', '11.50', 1150],
  ])('of %s is worth what was captured', async (_what, value, minor) => {
    serveCapture({ capture: { amount: { value, currency_code: 'USD' }, final_capture: true } });
    expect(await paypal().readCharge(CAPTURE)).toMatchObject({
      value: { amountMinor: minor, refundableMinor: minor, refunds: [] },
    });
  });

  it('is unread where a refund names none of several captures: it would be counted for each', async () => {
    const refund = { ...REFUND, id: 'D', links: [] };
    const other = { id: 'OTHER', amount: { value: '5.00', currency_code: 'USD' } };
    serveCapture({ refunds: [refund], captures: [{ id: CAPTURE }, other] });
    expect(await paypal().readCharge(CAPTURE)).toEqual({
      kind: 'unavailable',
      reason: 'one of its refunds names no capture',
    });
  });

  it('counts a refund that names no capture where there is only one', async () => {
    const refund = { ...REFUND, id: 'D', links: [] };
    serveCapture({ refunds: [refund], captures: [{ id: CAPTURE }] });
    expect(await paypal().readCharge(CAPTURE)).toMatchObject({
      value: { refunds: [{ reference: 'D' }] },
    });
  });

  it('counts its own refunds only, and not the failed ones', async () => {
    const refund = { ...REFUND, amount: { value: '3.00', currency_code: 'USD' } };
    const up = { rel: 'up', href: `${PAYPAL_BASE}/v2/payments/captures/OTHER` };
    serveCapture({
      capture: { status: 'PARTIALLY_REFUNDED' },
      refunds: [
        refund,
        { ...refund, id: 'B', status: 'FAILED' },
        { ...refund, id: 'C', status: 'PENDING' },
        { ...refund, id: 'D', links: [up] },
      ],
    });
    const answer = await paypal().readCharge(CAPTURE);
    expect(answer).toMatchObject({ value: { refundableMinor: 400 } });
    const refunds = answer.kind === 'found' ? answer.value.refunds : [];
    expect(refunds.map(({ reference, status }) => `${reference} ${status}`)).toEqual([
      '1JU08902781691411 succeeded',
      'B failed',
      'C pending',
    ]);
  });

  it.each([
    ['COMPLETED', { kind: 'found', value: { status: 'captured', refundableMinor: 1000 } }],
    ['REFUNDED', { kind: 'found', value: { status: 'captured', refundableMinor: 0 } }],
    ['PARTIALLY_REFUNDED', { kind: 'unavailable' }],
    ['DECLINED', { kind: 'found', value: { status: 'declined', refundableMinor: 0 } }],
    ['PENDING', { kind: 'unavailable', reason: 'the capture is PENDING' }],
  ])('that is %s without an order', async (status, expected) => {
    serveCapture({ capture: { status }, order: missing });
    expect(await paypal().readCharge(CAPTURE)).toMatchObject(expected);
  });

  it('offers no look-up without an order: its refunds are listed nowhere else', async () => {
    serveCapture({ order: missing });
    expect(await paypal().findRefund(REQUEST)).toEqual({ kind: 'not_offered' });
  });

  it.each([
    ['UNDER_REVIEW', true],
    ['WAITING_FOR_SELLER_RESPONSE', true],
  ])('with a dispute that is %s is disputed: %s', async (status, disputed) => {
    const items = [{ dispute_id: 'PP-D-1', status }];
    serveCapture({ disputes: { status: 200, body: { items } } });
    expect(await paypal().readCharge(CAPTURE)).toMatchObject({ value: { disputed } });
  });

  const taken = { currency_code: 'USD', value: '10.00' };
  it.each([
    ['RESOLVED_SELLER_FAVOUR', undefined, { disputed: false, refundableMinor: 1000 }],
    ['CANCELED_BY_BUYER', undefined, { disputed: false, refundableMinor: 1000 }],
    ['DENIED', undefined, { disputed: false, refundableMinor: 1000 }],
    ['NONE', undefined, { disputed: false, refundableMinor: 1000 }],
    ['RESOLVED_BUYER_FAVOUR', taken, { disputed: true, refundableMinor: 0 }],
    [
      'RESOLVED_BUYER_FAVOUR',
      { ...taken, value: '4.00' },
      { disputed: true, refundableMinor: 600 },
    ],
    ['RESOLVED_WITH_PAYOUT', taken, { disputed: true, refundableMinor: 0 }],
    ['ACCEPTED', undefined, { disputed: true, refundableMinor: 0 }],
    ['OF_TOMORROW', undefined, { disputed: true, refundableMinor: 0 }],
  ])('whose dispute ended as %s is %o', async (outcome_code, amount_refunded, value) => {
    const ended = { dispute_id: 'PP-D-1', status: 'RESOLVED' };
    const body = { ...ended, dispute_outcome: { outcome_code, amount_refunded } };
    serveCapture({
      disputes: { status: 200, body: { items: [ended] } },
      dispute: { status: 200, body },
    });
    expect(await paypal().readCharge(CAPTURE)).toMatchObject({ value });
  });

  it('is not told while nobody says how its dispute ended', async () => {
    const items = [{ dispute_id: 'PP-D-1', status: 'RESOLVED' }];
    serveCapture({ disputes: { status: 200, body: { items } } });
    expect(await paypal().readCharge(CAPTURE)).toMatchObject({ kind: 'unavailable' });
  });

  it.each([
    [
      'cannot be read',
      { status: 403, body: { name: 'NOT_AUTHORIZED' } },
      'HTTP 403 (NOT_AUTHORIZED): check the API key and its permissions',
    ],
    [
      'are no list',
      { status: 200, body: { message: 'ok' } },
      'the list of its disputes is not whole',
    ],
    [
      'are continued on another page',
      { status: 200, body: { items: [], links: [{ rel: 'next', href: 'https://x' }] } },
      'the list of its disputes is not whole',
    ],
  ])(
    'is not told while its disputes %s: it might be paid twice',
    async (_what, disputes, reason) => {
      serveCapture({ disputes });
      expect(await paypal().readCharge(CAPTURE)).toMatchObject({ kind: 'unavailable', reason });
      expect(await paypal().findRefund(REQUEST)).toMatchObject({ kind: 'unavailable' });
    },
  );

  it('is not told from a refund that cannot be read', async () => {
    serveCapture({ refunds: [{ ...REFUND, amount: {} }] });
    expect(await paypal().readCharge(CAPTURE)).toMatchObject({ kind: 'unavailable' });
    expect(await paypal().findRefund(REQUEST)).toMatchObject({ kind: 'unavailable' });
  });

  it('is absent only in the words of PayPal', async () => {
    serve(() => ({ status: 404, body: { message: 'no such route' } }));
    expect(await paypal().readCharge(CAPTURE)).toMatchObject({ kind: 'unavailable' });
  });

  it.each([
    ['CREATED', { kind: 'found', value: { status: 'authorised', refundableMinor: 0 } }],
    ['VOIDED', { kind: 'found', value: { status: 'voided' } }],
    ['DENIED', { kind: 'found', value: { status: 'declined' } }],
    ['CAPTURED', { kind: 'unavailable' }],
    [
      'PARTIALLY_CAPTURED',
      {
        kind: 'unavailable',
        reason: "the authorization is PARTIALLY_CAPTURED: give the capture's id as the reference",
      },
    ],
  ])('of an authorization that is %s', async (status, expected) => {
    serve(({ path }) => {
      if (path.startsWith('/v2/payments/captures/')) return missing;
      if (path.startsWith('/v1/customer/')) return { status: 200, body: { items: [] } };
      if (path.startsWith('/v2/checkout/')) return missing;
      return { status: 200, body: { ...capture, status } };
    });
    expect(await paypal().readCharge(CAPTURE)).toMatchObject(expected);
  });
});

describe('the search', () => {
  const full = {
    cardLast4: '4242',
    amountMinor: 1000,
    currency: 'USD',
    authorisedFrom: '2026-09-19T00:00:00.000Z',
    authorisedTo: '2026-09-23T23:59:59.999Z',
  };
  const cases: [ChargeQuery, Record<string, string> | null][] = [
    [
      full,
      {
        start_date: '2026-09-19T00:00:00.000Z',
        end_date: '2026-09-23T23:59:59.999Z',
        transaction_amount: '1000 TO 1000',
        transaction_currency: 'USD',
        fields: 'transaction_info',
        page_size: '21',
      },
    ],
    [{ acquirerReferenceNumber: '74537604221431003881865' }, null],
    [{ ...full, authorisationCode: 'A1B2C3' }, null],
    [{ cardLast4: '4242', amountMinor: 1000, currency: 'USD' }, null],
    [{ cardLast4: '4242' }, null],
  ];
  it.each(cases)('for %o asks %o', (query, parameters) => {
    const path = reportPath(query);
    const asked =
      path === null ? null : Object.fromEntries(new URL(path, PAYPAL_BASE).searchParams);
    expect(asked).toEqual(parameters);
  });

  it('is off unless it is switched on', async () => {
    const { requests } = serve(() => ({ status: 500, body: {} }));
    expect(await paypal().searchCharges(full)).toEqual({ kind: 'not_offered' });
    expect(requests).toEqual([]);
  });

  it('leaves out payments by another card', async () => {
    const fake = startPayPalFake();
    served = fake.provider;
    await fake.fixture.captured();
    const processor = createPayPalProcessor({ ...access, transactionSearch: true });
    const other = await processor.searchCharges({ ...full, cardLast4: '1111' });
    expect(other).toEqual({ kind: 'found', value: [] });
    const same = await processor.searchCharges(full);
    expect(same.kind === 'found' && same.value).toHaveLength(1);
  });
});

it('states what PayPal documents', async () => {
  expect(await paypal().capabilities()).toEqual({
    // 45 days, less an hour of margin.
    idempotencyTtlHours: 1079,
    canLookupByReference: true,
    lookupLagSeconds: 600,
    refusesOverRefund: true,
    asyncRefunds: true,
    pendingCounts: false,
    requestLifetimeSeconds: 600,
    // The address of the live service is the default.
    mode: 'live',
  });
});
