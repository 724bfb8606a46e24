/** Guarantee: the Stripe adapter keeps every promise of the processor port against Stripe's documented API. */
import { afterEach, describe, expect, it } from 'vitest';
import { runProcessorConformance } from '../../../src/running/verify/processor-conformance.ts';
import type { ChargeQuery, RefundRequest } from '../../../src/service/wire/processor.ts';
import {
  createStripeProcessor,
  searchText,
} from '../../../templates/processors/stripe/processor.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fakes/fake-provider.ts';
import { serveAnswers } from './fakes/fake-provider.ts';
import { Ledger } from './fakes/ledger.ts';
import { chargeBody, invoicePayments, STRIPE_BASE, startStripeFake } from './fakes/stripe-fake.ts';

let served: FakeProvider | undefined;
afterEach(() => {
  served?.stop();
  served = undefined;
});

function serve(handle: (request: FakeRequest) => FakeAnswer): FakeProvider {
  served = serveAnswers(STRIPE_BASE, handle);
  return served;
}

const stripe = createStripeProcessor({ secretKey: 'sk_test_1' });
const { signal } = new AbortController();

const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: 'ch_1NirD82eZvKYlo2CIvbtLWuY',
  alertId: 'alrt_1',
  reason: 'chargeback_alert',
  amountMinor: 1000,
  currency: 'USD',
};

/** The refund of Stripe's reference, https://docs.stripe.com/api/refunds/object. */
const REFUND = {
  id: 're_1Nispe2eZvKYlo2Cd31jOCgZ',
  object: 'refund',
  amount: 1000,
  balance_transaction: 'txn_1Nispe2eZvKYlo2CYezqFhEx',
  charge: 'ch_1NirD82eZvKYlo2CIvbtLWuY',
  created: 1692942318,
  currency: 'usd',
  destination_details: {
    card: {
      reference: '123456789012',
      reference_status: 'available',
      reference_type: 'acquirer_reference_number',
      type: 'refund',
    },
    type: 'card',
  },
  metadata: { forestall_key: 'fst_1' },
  payment_intent: 'pi_1GszsK2eZvKYlo2CfhZyoZLp',
  reason: null,
  receipt_number: null,
  status: 'succeeded',
};

function error(type: string, code?: string): { error: Record<string, unknown> } {
  return { error: { type, ...(code === undefined ? {} : { code }), message: 'See the code.' } };
}

describe('conformance', () => {
  it.each(['charge', 'payment_intent'] as const)(
    'keeps every promise for %s references',
    {
      timeout: 60_000,
    },
    async (references) => {
      const fake = startStripeFake(references);
      served = fake.provider;
      const { results } = await runProcessorConformance({
        processor: createStripeProcessor({ secretKey: 'sk_test_1', references }),
        fixture: fake.fixture,
      });
      expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    },
  );
});

describe('the refund request', () => {
  it('carries the key in the header that deduplicates and in the metadata', async () => {
    const { requests } = serve(() => ({ status: 200, body: REFUND }));
    const outcome = await stripe.refund(REQUEST, signal);
    expect(outcome).toEqual({
      kind: 'confirmed',
      refund: {
        reference: 're_1Nispe2eZvKYlo2Cd31jOCgZ',
        idempotencyKey: 'fst_1',
        chargeReference: 'ch_1NirD82eZvKYlo2CIvbtLWuY',
        status: 'succeeded',
        failureCode: null,
        amountMinor: 1000,
        currency: 'USD',
        // date -u -d @1692942318
        createdAt: '2023-08-25T05:45:18.000Z',
      },
    });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method: 'POST', path: '/v1/refunds' });
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer sk_test_1',
      'idempotency-key': 'fst_1',
      // The SDK's own: `Stripe.API_VERSION` of 23.1.0.
      'stripe-version': '2026-10-28.endive',
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(Object.fromEntries(new URLSearchParams(requests[0]?.body))).toEqual({
      charge: 'ch_1NirD82eZvKYlo2CIvbtLWuY',
      amount: '1000',
      'metadata[forestall_key]': 'fst_1',
      'metadata[forestall_alert]': 'alrt_1',
      'metadata[forestall_reason]': 'chargeback_alert',
    });
  });

  it('acts for a connected account when told to', async () => {
    const { requests } = serve(() => ({ status: 200, body: REFUND }));
    await createStripeProcessor({ secretKey: 'sk_test_1', account: 'acct_9' }).refund(
      REQUEST,
      signal,
    );
    expect(requests[0]?.headers['stripe-account']).toBe('acct_9');
  });

  // ISO 4217 digits → Stripe's, from https://docs.stripe.com/currencies#special-cases
  it.each([
    ['JPY', 5000, '5000'],
    ['KWD', 12_340, '12340'],
    ['ISK', 500, '50000'],
    ['UGX', 700, '70000'],
    ['MGA', 4200, '42'],
  ])('counts %s as Stripe does', async (currency, amountMinor, sent) => {
    const body = { ...REFUND, amount: Number(sent), currency: currency.toLowerCase() };
    const { requests } = serve(() => ({ status: 200, body }));
    const outcome = await stripe.refund({ ...REQUEST, currency, amountMinor }, signal);
    expect(outcome).toMatchObject({ kind: 'confirmed', refund: { amountMinor, currency } });
    expect(new URLSearchParams(requests[0]?.body).get('amount')).toBe(sent);
  });

  // Three decimals must end in 0: https://docs.stripe.com/currencies#three-decimal
  it.each([
    ['MGA', 150],
    ['KWD', 12_345],
    ['BHD', 5_124],
    ['JOD', 1],
    ['OMR', 10_005],
    ['TND', 999],
  ])('sends nothing for an amount that Stripe cannot express: %s %i', async (...row) => {
    const [currency, amountMinor] = row;
    const { requests } = serve(() => ({ status: 200, body: REFUND }));
    const outcome = await stripe.refund({ ...REQUEST, currency, amountMinor }, signal);
    expect(outcome).toEqual({
      kind: 'rejected',
      failureCode: 'amount_not_representable',
      failureClass: 'final',
    });
    expect(requests).toEqual([]);
  });
});

describe('the outcome', () => {
  it.each([
    [{ status: 'pending' }, 'pending'],
    [{ status: 'requires_action' }, 'pending'],
    [{ status: 'failed', failure_reason: 'expired_or_canceled_card' }, 'rejected'],
    [{ status: 'canceled' }, 'rejected'],
    [{ status: 'something_new' }, 'unknown'],
    [{ amount: 999 }, 'unknown'],
    [{ amount: '1000' }, 'unknown'],
    [{ currency: 'eur' }, 'unknown'],
    [{ charge: 'ch_other' }, 'unknown'],
    [{ id: null }, 'unknown'],
  ])('of a refund that shows %o is %s', async (shown, kind) => {
    serve(() => ({ status: 200, body: { ...REFUND, ...shown } }));
    const outcome = await stripe.refund(REQUEST, signal);
    expect(outcome.kind).toBe(kind);
  });

  it('names why a refund failed', async () => {
    const shown = { status: 'failed', failure_reason: 'expired_or_canceled_card' };
    serve(() => ({ status: 200, body: { ...REFUND, ...shown } }));
    expect(await stripe.refund(REQUEST, signal)).toEqual({
      kind: 'rejected',
      failureCode: 'expired_or_canceled_card',
      failureClass: 'final',
    });
  });

  it.each([
    [400, error('invalid_request_error', 'charge_already_refunded'), 'done'],
    [400, error('invalid_request_error', 'amount_too_large'), 'done'],
    [400, error('invalid_request_error', 'charge_disputed'), 'final'],
    [400, error('invalid_request_error', 'charge_not_refundable'), 'final'],
    [400, error('invalid_request_error', 'refund_disputed_payment'), 'final'],
    [404, error('invalid_request_error', 'resource_missing'), 'ours'],
    [400, error('invalid_request_error', 'parameter_unknown'), 'ours'],
    [402, error('card_error', 'insufficient_funds'), 'retry'],
    [400, error('invalid_request_error', 'balance_insufficient'), 'retry'],
    [400, error('invalid_request_error', 'a_word_of_tomorrow'), 'retry'],
    [400, error('invalid_request_error', 'constructor'), 'retry'],
    [400, error('invalid_request_error'), 'retry'],
    // Stripe says so where a key is wrong or lacks a right; then nothing was begun.
    [401, error('invalid_request_error'), 'ours'],
    [401, error('invalid_request_error', 'api_key_expired'), 'ours'],
    [403, error('invalid_request_error', 'more_permissions_required'), 'ours'],
  ])('of %i %o is rejected as %s', async (status, body, failureClass) => {
    serve(() => ({ status, body }));
    const failureCode = body.error['code'] ?? body.error['type'];
    expect(await stripe.refund(REQUEST, signal)).toEqual({
      kind: 'rejected',
      failureCode,
      failureClass,
    });
  });

  it('shows the class of a refund that failed later', async () => {
    const failed = { ...REFUND, status: 'failed', failure_reason: 'insufficient_funds' };
    serve(() => ({ status: 200, body: { object: 'list', has_more: false, data: [failed] } }));
    expect(await stripe.findRefund(REQUEST)).toMatchObject({
      value: { failureCode: 'insufficient_funds', failureClass: 'retry' },
    });
  });

  it.each([
    [400, error('idempotency_error')],
    [409, error('idempotency_error', 'idempotency_key_in_use')],
    [409, error('invalid_request_error', 'lock_timeout')],
    [401, error('invalid_request_error', 'charge_already_refunded')],
    [401, error('api_error')],
    [403, error('invalid_request_error', 'resource_missing')],
    [403, {}],
    [408, error('invalid_request_error')],
    [429, error('invalid_request_error', 'rate_limit')],
    [429, error('invalid_request_error', 'lock_timeout')],
    [500, error('api_error')],
    [500, error('invalid_request_error')],
    [502, error('api_error')],
    [503, error('api_error')],
    [404, { message: 'not found' }],
    [400, {}],
    [202, REFUND],
    [301, REFUND],
  ])('of %i %o is unknown', async (status, body) => {
    const headers = { location: `${STRIPE_BASE}/elsewhere` };
    serve(() => ({ status, body, headers }));
    expect(await stripe.refund(REQUEST, signal)).toMatchObject({ kind: 'unknown' });
  });

  it('tells the operator to look at the key, and shows no body', async () => {
    serve(() => ({ status: 401, body: error('invalid_request_error', 'secret_in_body') }));
    expect(await stripe.refund(REQUEST, signal)).toEqual({
      kind: 'unknown',
      reason: 'HTTP 401 (secret_in_body): check the API key and its permissions',
    });
  });
});

describe('a call of the SDK', () => {
  // The SDK alone sends again once when a connection closes, whatever number of retries it is given.
  it.each(['ECONNRESET', 'EPIPE', 'ECONNREFUSED'])('that ends in %s is made once', async (code) => {
    const { requests } = serve(() => {
      throw Object.assign(new Error('socket hang up'), { code });
    });
    expect(await stripe.refund(REQUEST, signal)).toMatchObject({ kind: 'unknown' });
    expect(await stripe.readCharge('ch_1')).toMatchObject({ kind: 'unavailable' });
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  it.each([409, 429, 500, 503])('that is answered %i is made once', async (status) => {
    const headers = { 'stripe-should-retry': 'true' };
    const { requests } = serve(() => ({ status, headers, body: error('api_error') }));
    expect(await stripe.refund(REQUEST, signal)).toMatchObject({ kind: 'unknown' });
    expect(requests).toHaveLength(1);
  });

  it('ends with its signal', async () => {
    const lease = new AbortController();
    const { requests } = serve(() => {
      lease.abort();
      return { status: 200, body: REFUND };
    });
    expect(await stripe.refund(REQUEST, lease.signal)).toEqual({
      kind: 'unknown',
      reason: 'the call was aborted',
    });
    expect(requests).toHaveLength(1);
  });

  it.each([null, [], 'ok', 7, { object: 'refund', currency: 7 }])(
    'that is answered %o leaves the refund unknown, and the charge unread',
    async (body) => {
      serve(() => ({ status: 200, body }));
      expect(await stripe.refund(REQUEST, signal)).toMatchObject({ kind: 'unknown' });
      expect(await stripe.readCharge('ch_1')).toMatchObject({ kind: 'unavailable' });
      expect(await stripe.findRefund(REQUEST)).toMatchObject({ kind: 'unavailable' });
    },
  );

  it('of which a part is missing does not make the charge absent', async () => {
    serve(({ path }) =>
      path.startsWith('/v1/charges/')
        ? { status: 200, body: chargeBody(new Ledger().open({ id: 'ch_1' }), new Ledger()) }
        : { status: 404, body: error('invalid_request_error', 'resource_missing') },
    );
    expect(await stripe.readCharge('ch_1')).toMatchObject({ kind: 'unavailable' });
  });
});

describe('the charge', () => {
  const ledger = new Ledger();
  const charge = chargeBody(ledger.open({ id: 'ch_1' }), ledger);

  function serveCharge(
    shown: object,
    beside: { refunds?: unknown; disputes?: unknown } = {},
  ): void {
    serve(({ path }) => {
      if (path === '/v1/refunds') return { status: 200, body: beside.refunds ?? { data: [] } };
      if (path === '/v1/disputes') return { status: 200, body: beside.disputes ?? { data: [] } };
      if (path === '/v1/invoice_payments') return invoicePayments('sub_000001');
      return { status: 200, body: { ...charge, ...shown } };
    });
  }

  it('shows everything that an alert is matched by', async () => {
    serveCharge({});
    expect(await stripe.readCharge('ch_1')).toEqual({
      kind: 'found',
      value: {
        reference: 'ch_1',
        status: 'captured',
        amountMinor: 1000,
        currency: 'USD',
        refundableMinor: 1000,
        disputed: false,
        // date -u -d @1790000000
        authorisedAt: '2026-09-21T14:13:20.000Z',
        cardBrand: 'visa',
        cardBin: null,
        cardLast4: '4242',
        acquirerReferenceNumber: null,
        authorisationCode: '123456',
        orderReference: '6735',
        subscriptionReference: 'sub_000001',
        refunds: [],
      },
    });
  });

  const UNCAPTURED = { captured: false, amount_captured: 0 };

  it.each([
    [{ status: 'failed', captured: false }, 'declined', 0],
    [{ captured: false, amount_captured: 0 }, 'authorised', 0],
    [{ captured: false, amount_captured: 0, refunded: true, amount_refunded: 1000 }, 'voided', 0],
    // From 2025-03-31.basil on a cancellation makes no refund: only the intent tells.
    [{ ...UNCAPTURED, payment_intent: { id: 'pi_1', status: 'canceled' } }, 'voided', 0],
    [
      { ...UNCAPTURED, payment_intent: { id: 'pi_1', status: 'requires_capture' } },
      'authorised',
      0,
    ],
    [{ amount_captured: 700, amount_refunded: 200 }, 'captured', 500],
    // Captured in parts, the last one still to come.
    [{ captured: false, amount_captured: 300 }, 'captured', 300],
  ])('that shows %o is %s with %i left', async (shown, status, refundableMinor) => {
    serveCharge(shown);
    expect(await stripe.readCharge('ch_1')).toMatchObject({
      kind: 'found',
      value: { status, refundableMinor },
    });
  });

  it.each([
    ['needs_response', false, true, 0],
    ['lost', false, true, 0],
    ['needs_response', undefined, true, 0],
    // An inquiry has taken nothing, and a refund ends it.
    ['warning_needs_response', true, false, 1000],
    ['warning_under_review', true, false, 1000],
    ['warning_needs_response', false, true, 0],
    ['warning_needs_response', undefined, true, 0],
    ['won', false, false, 1000],
    // The network or Stripe has settled it, as a rule by giving the money back: no refund shows it.
    ['prevented', false, true, 0],
    ['prevented', true, true, 1000],
    ['warning_closed', true, false, 1000],
  ])('with a dispute that is %s (refundable: %s) is disputed: %s, %i left', async (...row) => {
    const [status, refundable, disputed, refundableMinor] = row;
    const dispute = { id: 'du_1', status, is_charge_refundable: refundable };
    serveCharge({ disputed: true }, { disputes: { data: [dispute] } });
    expect(await stripe.readCharge('ch_1')).toMatchObject({
      value: { disputed, refundableMinor },
    });
  });

  it('is not told from what cannot be read whole', async () => {
    serveCharge({}, { refunds: { data: [], has_more: true } });
    expect(await stripe.readCharge('ch_1')).toMatchObject({ kind: 'unavailable' });
    expect(await stripe.findRefund(REQUEST)).toMatchObject({ kind: 'unavailable' });
  });

  it('is not told from a refund that cannot be read', async () => {
    serveCharge({}, { refunds: { data: [{ ...REFUND, status: 'something_new' }] } });
    expect(await stripe.readCharge('ch_1')).toEqual({
      kind: 'unavailable',
      reason: 'one of its refunds is unreadable',
    });
  });

  it('is not told while it is pending', async () => {
    serveCharge({ status: 'pending' });
    expect(await stripe.readCharge('ch_1')).toEqual({
      kind: 'unavailable',
      reason: 'the charge is pending',
    });
  });

  it('is absent only in the words of Stripe', async () => {
    serve(() => ({ status: 404, body: { message: 'no such route' } }));
    expect(await stripe.readCharge('ch_1')).toMatchObject({ kind: 'unavailable' });
  });

  it('is found behind its intent', async () => {
    const { requests } = serve(({ path }) =>
      path.startsWith('/v1/payment_intents/')
        ? { status: 200, body: { id: 'pi_1', latest_charge: charge } }
        : { status: 200, body: { data: [] } },
    );
    expect(await stripe.readCharge('pi_1')).toMatchObject({ value: { reference: 'ch_1' } });
    expect(requests[0]?.query.get('expand[0]')).toBe('latest_charge');
  });
});

describe('the search', () => {
  const times = {
    authorisedFrom: '2026-09-19T00:00:00.000Z',
    authorisedTo: '2026-09-23T23:59:59.999Z',
  };
  const cases: [ChargeQuery, string | null][] = [
    [
      { cardBin: '424242', cardLast4: '4242', amountMinor: 1000, currency: 'USD', ...times },
      // date -u -d 2026-09-19 +%s; date -u -d '2026-09-24' +%s
      "payment_method_details.card.last4:'4242' AND amount:1000 AND currency:'usd' AND created>=1789776000 AND created<=1790208000",
    ],
    [
      { cardLast4: '4242', currency: 'ISK', amountMinor: 5 },
      "payment_method_details.card.last4:'4242' AND amount:500 AND currency:'isk'",
    ],
    [
      { authorisationCode: 'A1B2C3', cardLast4: '4242' },
      "payment_method_details.card.last4:'4242'",
    ],
    [{ acquirerReferenceNumber: '74537604221431003881865' }, null],
    [{ authorisationCode: 'A1B2C3' }, null],
    [{ cardLast4: "4' OR status:'x" }, null],
    [{ currency: 'USD' }, null],
  ];
  it.each(cases)('for %o asks %s', (query, text) => {
    expect(searchText(query)).toBe(text);
  });

  it('drops what contradicts the code or the first digits, and keeps what does not show them', async () => {
    const ledger = new Ledger();
    const card = (authorization_code: string | null, iin: string | null, id: string) => ({
      ...chargeBody(ledger.open({ id }), ledger),
      payment_method_details: { card: { authorization_code, iin, last4: '4242' } },
    });
    const data = [
      card('a1b2c3', null, 'ch_same'),
      card(null, null, 'ch_silent'),
      card('ZZZZZZ', null, 'ch_other_code'),
      card('A1B2C3', '555555', 'ch_other_bin'),
      card('A1B2C3', '424242', 'ch_same_bin'),
    ];
    serve(() => ({ status: 200, body: { object: 'search_result', has_more: false, data } }));
    const query = { authorisationCode: 'A1B2C3', cardBin: '42424242', cardLast4: '4242' };
    const answer = await stripe.searchCharges(query);
    expect(answer.kind === 'found' && answer.value.map(({ reference }) => reference)).toEqual([
      'ch_same',
      'ch_silent',
      'ch_same_bin',
    ]);
  });

  it.each([
    ['is cut', { has_more: true }, {}],
    ['holds what cannot be read', {}, { amount_captured: null }],
  ])(
    'that %s is not taken for complete: the twin may be in the rest',
    async (_what, list, shown) => {
      const ledger = new Ledger();
      const one = chargeBody(ledger.open({ id: 'ch_1' }), ledger);
      const data = [one, { ...one, id: 'ch_2', ...shown }];
      serve(() => ({
        status: 200,
        body: { object: 'search_result', has_more: false, data, ...list },
      }));
      const answer = await stripe.searchCharges({ cardLast4: '4242' });
      expect(answer).toMatchObject({ kind: 'unavailable' });
    },
  );

  it('that Stripe refuses is not an empty result', async () => {
    serve(() => ({ status: 400, body: error('invalid_request_error', 'search_not_available') }));
    expect(await stripe.searchCharges({ cardLast4: '4242' })).toEqual({
      kind: 'unavailable',
      reason: 'HTTP 400 (search_not_available)',
    });
  });
});

describe('void and cancel', () => {
  it('use keys of their own', async () => {
    const fake = startStripeFake();
    served = fake.provider;
    const { reference } = await fake.fixture.authorised!();
    expect(await stripe.voidCharge(reference, 'fst_1', signal)).toBe('voided');
    const keys = fake.provider.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([undefined, 'fst_1_void']);
  });

  it('do not release a charge without an intent by refunding it', async () => {
    const { requests } = serve(() => ({
      status: 200,
      body: { id: 'ch_1', captured: false, status: 'succeeded', payment_intent: null },
    }));
    expect(await stripe.voidCharge('ch_1', 'fst_1', signal)).toBe('not_offered');
    expect(requests.map(({ method }) => method)).toEqual(['GET']);
  });
});

it('states what Stripe documents', async () => {
  expect(await stripe.capabilities()).toEqual({
    idempotencyTtlHours: 24,
    canLookupByReference: true,
    lookupLagSeconds: 60,
    refusesOverRefund: true,
    asyncRefunds: true,
    pendingCounts: false,
    requestLifetimeSeconds: 600,
    mode: 'test',
  });
});
