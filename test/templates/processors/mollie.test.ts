/** Guarantee: the Mollie adapter keeps every promise of the processor port against Mollie's documented API. */
import { afterEach, describe, expect, it } from 'vitest';
import { runProcessorConformance } from '../../../src/running/verify/processor-conformance.ts';
import type { RefundRequest } from '../../../src/service/wire/processor.ts';
import { createMollieProcessor } from '../../../templates/processors/mollie/processor.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fakes/fake-provider.ts';
import { serveAnswers } from './fakes/fake-provider.ts';
import { Ledger } from './fakes/ledger.ts';
import { MOLLIE_BASE, mollieError, paymentBody, startMollieFake } from './fakes/mollie-fake.ts';

let served: FakeProvider | undefined;
afterEach(() => {
  served?.stop();
  served = undefined;
});

const mollie = createMollieProcessor({ apiKey: 'test_1', pendingCounts: false });
const { signal } = new AbortController();
const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: 'tr_WDqYK6vllg',
  alertId: 'netalrt_1',
  reason: 'alert',
  amountMinor: 595,
  currency: 'EUR',
};
/** The refund of https://docs.mollie.com/reference/create-refund. */
const REFUND = {
  resource: 'refund',
  id: 're_4qqhO89gsT',
  amount: { currency: 'EUR', value: '5.95' },
  status: 'pending',
  createdAt: '2018-03-14T17:09:02.0Z',
  description: 'Refund',
  metadata: { forestall_key: 'fst_1' },
  paymentId: 'tr_WDqYK6vllg',
};

function serve(handle: (request: FakeRequest) => FakeAnswer): FakeProvider {
  served = serveAnswers(MOLLIE_BASE, handle);
  return served;
}

it('keeps every promise', { timeout: 60_000 }, async () => {
  const fake = startMollieFake();
  served = fake.provider;
  const { results } = await runProcessorConformance({ processor: mollie, fixture: fake.fixture });
  expect(results.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  // It cannot search, and states that keys prove nothing and that it may refund more than was paid.
  expect(results.filter(({ verdict }) => verdict === 'skipped').map(({ name }) => name)).toEqual([
    'charge.search_by_facts',
    'refund.same_key_once',
    'refund.same_key_at_once',
    'refund.same_key_other_amount',
    'refund.above_remainder',
    'refusal.refunded_before',
    'refusal.disputed',
  ]);
});

describe('the refund', () => {
  it('carries the key in the header and in the metadata', async () => {
    const { requests } = serve(() => ({ status: 201, body: REFUND }));
    expect(await mollie.refund(REQUEST, signal)).toEqual({
      kind: 'pending',
      refund: {
        reference: 're_4qqhO89gsT',
        idempotencyKey: 'fst_1',
        chargeReference: 'tr_WDqYK6vllg',
        status: 'pending',
        failureCode: null,
        amountMinor: 595,
        currency: 'EUR',
        createdAt: '2018-03-14T17:09:02.000Z',
      },
    });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      method: 'POST',
      path: '/v2/payments/tr_WDqYK6vllg/refunds',
    });
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer test_1',
      'idempotency-key': 'fst_1',
    });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      amount: { currency: 'EUR', value: '5.95' },
      description: 'Refund',
      metadata: { forestall_key: 'fst_1', forestall_alert: 'netalrt_1' },
    });
  });

  it.each([
    ['JPY', 5000, '5000'],
    ['EUR', 5, '0.05'],
  ])('counts %s %i as %s', async (currency, amountMinor, value) => {
    const { requests } = serve(() => ({ status: 500, body: {} }));
    await mollie.refund({ ...REQUEST, currency, amountMinor }, signal);
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ amount: { currency, value } });
  });

  it.each([
    [{ status: 'refunded' }, 'confirmed'],
    [{ status: 'queued' }, 'pending'],
    [{ status: 'processing' }, 'pending'],
    [{ status: 'failed' }, 'rejected'],
    [{ status: 'canceled' }, 'rejected'],
    [{ status: 'of tomorrow' }, 'unknown'],
    [{ amount: { currency: 'EUR', value: '5.94' } }, 'unknown'],
    [{ amount: { currency: 'USD', value: '5.95' } }, 'unknown'],
    [{ paymentId: 'tr_other' }, 'unknown'],
    [{ metadata: { forestall_key: 'fst_0' } }, 'unknown'],
    [{ metadata: null }, 'unknown'],
  ])('that shows %o is %s', async (shown, kind) => {
    serve(() => ({ status: 201, body: { ...REFUND, ...shown } }));
    expect(await mollie.refund(REQUEST, signal)).toMatchObject({ kind });
  });

  it.each<[FakeAnswer, string, string]>([
    [mollieError(422, 'Unprocessable Entity', 'amount'), '422:amount', 'done'],
    [mollieError(422, 'Unprocessable Entity'), '422', 'retry'],
    [mollieError(422, 'Unprocessable Entity', 'amount.currency'), '422:amount.currency', 'ours'],
    [mollieError(404, 'Not Found'), '404', 'ours'],
    [mollieError(401, 'Unauthorized Request'), '401', 'ours'],
    [mollieError(403, 'Forbidden'), '403', 'ours'],
  ])('answered by %o is rejected as %s, %s', async (reply, failureCode, failureClass) => {
    serve(() => reply);
    expect(await mollie.refund(REQUEST, signal)).toEqual({
      kind: 'rejected',
      failureCode,
      failureClass,
    });
  });

  it.each<FakeAnswer>([
    // Taken for a second refund like an earlier one, which may be ours.
    mollieError(409, 'Conflict'),
    mollieError(429, 'Too Many Requests'),
    mollieError(500, 'Internal Server Error'),
    mollieError(503, 'Service Unavailable'),
    { status: 404, body: { message: 'no such route' } },
    // The common shape of errors, which a gateway in between may write too.
    { status: 404, body: { type: 'about:blank', title: 'Not Found', status: 404 } },
    { status: 401, body: {} },
    { status: 422, body: { status: 400, title: 'Bad Request' } },
    { status: 200, body: REFUND },
  ])('answered by %o is unknown', async (reply) => {
    serve(() => reply);
    expect(await mollie.refund(REQUEST, signal)).toMatchObject({ kind: 'unknown' });
  });
});

describe('the payment', () => {
  const ledger = new Ledger();
  const paid = paymentBody(ledger.open({ id: 'tr_1', currency: 'EUR' }), 0);
  const euros = (value: string) => ({ currency: 'EUR', value });

  async function read(shown: object, beside: { refunds?: object[]; chargebacks?: object[] } = {}) {
    serve(({ path }) => {
      const name = path.split('/')[4];
      const entries = name === 'refunds' ? beside.refunds : beside.chargebacks;
      const list = { _embedded: { [name ?? '']: entries ?? [] }, _links: { next: null } };
      return { status: 200, body: name === undefined ? { ...paid, ...shown } : list };
    });
    return await mollie.readCharge('tr_1');
  }

  it('shows everything that an alert is matched by', async () => {
    expect(await read({})).toEqual({
      kind: 'found',
      value: {
        reference: 'tr_1',
        status: 'captured',
        amountMinor: 1000,
        currency: 'EUR',
        refundableMinor: 1000,
        disputed: false,
        authorisedAt: '2026-09-21T14:13:20.000Z',
        cardBrand: 'Visa',
        cardBin: '424242',
        cardLast4: '4242',
        acquirerReferenceNumber: null,
        authorisationCode: null,
        orderReference: '6735',
        subscriptionReference: 'cst_8wmqcHMN4U/sub_rVKGtNd6s3',
        refunds: [],
      },
    });
  });

  const refund = { ...REFUND, paymentId: 'tr_1', amount: euros('4.00') };
  it.each<[string, object, { refunds?: object[]; chargebacks?: object[] }, object]>([
    ['open', { status: 'open' }, {}, { reason: 'the payment is open' }],
    ['failed', { status: 'failed' }, {}, { value: { status: 'declined', refundableMinor: 0 } }],
    ['never paid', { status: 'expired' }, {}, { value: { status: 'declined' } }],
    [
      'released',
      { status: 'canceled', authorizedAt: '2026-09-21T14:13:20+00:00' },
      {},
      { value: { status: 'voided', refundableMinor: 0 } },
    ],
    [
      'captured in part',
      { amountCaptured: euros('2.90'), amountRemaining: euros('2.90') },
      {},
      { value: { amountMinor: 290, refundableMinor: 290 } },
    ],
    [
      'captured in parts, the last one still to come',
      { status: 'authorized', amountCaptured: euros('2.90'), amountRemaining: euros('2.90') },
      {},
      { value: { status: 'captured', amountMinor: 290, refundableMinor: 290 } },
    ],
    [
      'captured in part, the rest expired',
      { status: 'expired', amountCaptured: euros('2.90'), amountRemaining: euros('2.90') },
      {},
      { value: { status: 'captured', amountMinor: 290 } },
    ],
    // 25.00 more could be refunded at Mollie; not by Forestall.
    [
      'refunded in part',
      { amountRemaining: euros('31.00') },
      { refunds: [refund] },
      { value: { refundableMinor: 600, refunds: [{ status: 'pending' }] } },
    ],
    [
      'refunded in vain',
      {},
      { refunds: [{ ...refund, status: 'failed' }] },
      { value: { refundableMinor: 1000, refunds: [{ failureClass: 'final' }] } },
    ],
    ['not refundable', { amountRemaining: undefined }, {}, { value: { refundableMinor: 0 } }],
    [
      'charged back',
      {},
      { chargebacks: [{ id: 'chb_1', amount: euros('10.00'), reversedAt: null }] },
      { value: { disputed: true, refundableMinor: 0 } },
    ],
    [
      'charged back, and that reversed',
      {},
      {
        chargebacks: [{ id: 'chb_1', amount: euros('10.00'), reversedAt: '2026-10-01T00:00:00Z' }],
      },
      { value: { disputed: false, refundableMinor: 1000 } },
    ],
    [
      'charged back by an unreadable amount',
      {},
      { chargebacks: [{ id: 'chb_1', amount: { currency: 'USD', value: '1.00' } }] },
      { kind: 'unavailable' },
    ],
    ['refunded unreadably', {}, { refunds: [{ ...refund, status: 'x' }] }, { kind: 'unavailable' }],
  ])('that was %s', async (_what, shown, beside, expected) => {
    expect(await read(shown, beside)).toMatchObject(expected);
  });

  it('is not told from lists that are cut', async () => {
    const next = { href: 'https://api.mollie.com/v2/…', type: 'application/hal+json' };
    serve(({ path }) => {
      const name = path.split('/')[4];
      const list = { _embedded: { [name ?? '']: [] }, _links: { next } };
      return { status: 200, body: name === undefined ? paid : list };
    });
    expect(await mollie.readCharge('tr_1')).toMatchObject({ kind: 'unavailable' });
    expect(await mollie.findRefund(REQUEST)).toMatchObject({ kind: 'unavailable' });
  });

  it('is absent only in Mollie’s own words', async () => {
    serve(() => ({ status: 404, body: { message: 'no such route' } }));
    expect(await mollie.readCharge('tr_1')).toMatchObject({ kind: 'unavailable' });
    expect(await mollie.searchCharges({ cardLast4: '4242' })).toEqual({ kind: 'not_offered' });
  });
});

it('releases nothing that was captured in part', async () => {
  const ledger = new Ledger();
  const authorised = paymentBody(ledger.open({ id: 'tr_1', currency: 'EUR', captured: false }), 0);
  const amountCaptured = { currency: 'EUR', value: '2.90' };
  const { requests } = serve(({ path }) => {
    const name = path.split('/')[4];
    const list = { _embedded: { [name ?? '']: [] }, _links: { next: null } };
    return { status: 200, body: name === undefined ? { ...authorised, amountCaptured } : list };
  });
  expect(await mollie.voidCharge('tr_1', 'fst_1', signal)).toBe('rejected');
  expect(requests.map(({ method }) => method)).not.toContain('POST');
});

it('states what Mollie documents', async () => {
  expect(await mollie.capabilities()).toEqual({
    idempotencyTtlHours: 0,
    canLookupByReference: true,
    lookupLagSeconds: 60,
    refusesOverRefund: false,
    asyncRefunds: true,
    pendingCounts: false,
    settlesAfterHours: 50,
    requestLifetimeSeconds: 600,
    mode: 'test',
  });
});
