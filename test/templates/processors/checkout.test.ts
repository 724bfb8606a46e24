/** Guarantee: the Checkout.com adapter keeps every promise of the processor port against the documented API. */
import { afterEach, describe, expect, it } from 'vitest';
import { runProcessorConformance } from '../../../src/running/verify/processor-conformance.ts';
import type { RefundRequest } from '../../../src/service/wire/processor.ts';
import { createCheckoutProcessor } from '../../../templates/processors/checkout/processor.ts';
import {
  actionsOf,
  CHECKOUT_BASE,
  checkoutAnswer,
  checkoutError,
  paymentBody,
  startCheckoutFake,
} from './fakes/checkout-fake.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fakes/fake-provider.ts';
import { serveAnswers } from './fakes/fake-provider.ts';
import { Ledger } from './fakes/ledger.ts';

let served: FakeProvider | undefined;
afterEach(() => {
  served?.stop();
  served = undefined;
});

const checkout = createCheckoutProcessor({ secretKey: 'sk_sbox_1', baseUrl: CHECKOUT_BASE });
const { signal } = new AbortController();
const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: 'pay_1',
  alertId: 'netalrt_1',
  reason: 'alert',
  amountMinor: 400,
  currency: 'USD',
};
const ACCEPTED = { action_id: 'act_1', reference: 'fst_1' };
const REFUND = {
  id: 'act_1',
  type: 'Refund',
  processed_on: '2026-09-22T14:13:20Z',
  amount: 400,
  approved: true,
  response_code: '10000',
  reference: 'fst_1',
};

function serve(handle: (request: FakeRequest) => FakeAnswer): FakeProvider {
  served = serveAnswers(CHECKOUT_BASE, handle);
  return served;
}

/** Accepts the refund and lists these actions afterwards. */
function accept(actions: readonly object[], accepted: object = ACCEPTED): FakeProvider {
  return serve(({ method }) =>
    method === 'POST' ? checkoutAnswer(202, accepted) : checkoutAnswer(200, actions),
  );
}

it('keeps every promise', { timeout: 60_000 }, async () => {
  const fake = startCheckoutFake();
  served = fake.provider;
  const { results } = await runProcessorConformance({ processor: checkout, fixture: fake.fixture });
  expect(results.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  // It cannot search, has no subscriptions, and states that keys prove nothing.
  expect(results.filter(({ verdict }) => verdict === 'skipped').map(({ name }) => name)).toEqual([
    'charge.search_by_facts',
    'refund.same_key_once',
    'refund.same_key_at_once',
    'refund.same_key_other_amount',
    'refusal.disputed',
    'subscription.cancel',
    'subscription.unknown',
  ]);
});

describe('the refund', () => {
  it('carries the key in the header and as the reference', async () => {
    const { requests } = accept([]);
    expect(await checkout.refund(REQUEST, signal)).toMatchObject({
      kind: 'pending',
      refund: { reference: 'act_1', idempotencyKey: 'fst_1', amountMinor: 400, currency: 'USD' },
    });
    expect(requests[0]).toMatchObject({ method: 'POST', path: '/payments/pay_1/refunds' });
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer sk_sbox_1',
      'cko-idempotency-key': 'fst_1',
    });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      amount: 400,
      reference: 'fst_1',
      metadata: { forestall_alert: 'netalrt_1' },
    });
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  // https://www.checkout.com/docs/payments/accept-payments/format-the-amount-value
  it.each([
    ['JPY', 5000, 5000],
    ['ISK', 500, 500],
    ['UGX', 700, 700],
    ['CLP', 700, 70_000],
    ['KWD', 12_340, 12_340],
    ['MGA', 4200, 4200],
  ])('counts %s %i as %i', async (currency, amountMinor, amount) => {
    const { requests } = serve(() => checkoutAnswer(500, undefined));
    await checkout.refund({ ...REQUEST, currency, amountMinor }, signal);
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ amount });
  });

  it.each(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'])(
    'sends nothing in %s that does not end in 0',
    async (currency) => {
      const { requests } = serve(() => checkoutAnswer(500, undefined));
      expect(await checkout.refund({ ...REQUEST, currency, amountMinor: 1001 }, signal)).toEqual({
        kind: 'rejected',
        failureCode: 'amount_not_representable',
        failureClass: 'final',
      });
      expect(requests).toEqual([]);
    },
  );

  it.each<[object[], object, string]>([
    [[REFUND], ACCEPTED, 'confirmed'],
    [[{ ...REFUND, approved: undefined }], ACCEPTED, 'pending'],
    [[{ ...REFUND, approved: false, response_code: '20006' }], ACCEPTED, 'rejected'],
    // Not approved is refused only with a code that says so.
    [[{ ...REFUND, approved: false, response_code: undefined }], ACCEPTED, 'pending'],
    [[{ ...REFUND, approved: false, response_code: '10200' }], ACCEPTED, 'pending'],
    [[{ ...REFUND, id: 'act_2' }], ACCEPTED, 'pending'],
    // What the key was used for before.
    [[{ ...REFUND, amount: 300 }], ACCEPTED, 'unknown'],
    [[{ ...REFUND, amount: '400' }], ACCEPTED, 'unknown'],
    [[], { ...ACCEPTED, reference: 'other' }, 'unknown'],
    [[], { reference: 'fst_1' }, 'unknown'],
  ])('whose actions are %j after %j is %s', async (actions, accepted, kind) => {
    accept(actions, accepted);
    expect(await checkout.refund(REQUEST, signal)).toMatchObject({ kind });
  });

  it.each<[FakeAnswer, string, string]>([
    [checkoutError(422, 'amount_exceeds_balance'), 'amount_exceeds_balance', 'done'],
    [checkoutError(422, 'amount_invalid'), 'amount_invalid', 'ours'],
    [checkoutError(422, 'a_word_of_tomorrow'), 'a_word_of_tomorrow', 'retry'],
    [checkoutAnswer(401, undefined), '401', 'ours'],
    [checkoutAnswer(403, undefined), '403', 'retry'],
    [checkoutAnswer(404, undefined), '404', 'ours'],
  ])('answered by %j is rejected as %s, %s', async (reply, failureCode, failureClass) => {
    serve(() => reply);
    expect(await checkout.refund(REQUEST, signal)).toEqual({
      kind: 'rejected',
      failureCode,
      failureClass,
    });
  });

  it.each<FakeAnswer>([
    // Under way by the same key.
    checkoutError(409),
    checkoutAnswer(429, undefined),
    checkoutAnswer(500, undefined),
    checkoutAnswer(502, undefined),
    // A gateway in between says it as well.
    { status: 401, body: undefined },
    { status: 404, body: undefined },
    { status: 422, body: { error_type: 'request_invalid', error_codes: ['amount_invalid'] } },
    checkoutAnswer(200, ACCEPTED),
    checkoutAnswer(202, undefined),
  ])('answered by %j is unknown', async (reply) => {
    serve(() => reply);
    expect(await checkout.refund(REQUEST, signal)).toMatchObject({ kind: 'unknown' });
  });
});

describe('the payment', () => {
  const ledger = new Ledger();
  const charge = ledger.open({ id: 'pay_1' });
  const paid = paymentBody(charge, 0);
  const balances = paid['balances'] as Record<string, number>;

  async function read(
    shown: object,
    beside: { actions?: object[]; disputes?: object[]; total?: number } = {},
  ) {
    serve(({ path }) => {
      if (path.endsWith('/actions')) {
        return checkoutAnswer(200, [...(beside.actions ?? []), ...actionsOf(charge)]);
      }
      const data = beside.disputes ?? [];
      return path === '/disputes'
        ? checkoutAnswer(200, { total_count: beside.total ?? data.length, data })
        : checkoutAnswer(200, { ...paid, ...shown });
    });
    return await checkout.readCharge('pay_1');
  }

  it('shows everything that an alert is matched by', async () => {
    expect(await read({})).toEqual({
      kind: 'found',
      value: {
        reference: 'pay_1',
        status: 'captured',
        amountMinor: 1000,
        currency: 'USD',
        refundableMinor: 1000,
        disputed: false,
        authorisedAt: '2026-09-21T14:13:20.000Z',
        cardBrand: 'Visa',
        cardBin: '424242',
        cardLast4: '4242',
        acquirerReferenceNumber: '24021219099007452440793',
        authorisationCode: '643381',
        orderReference: '6735',
        subscriptionReference: null,
        refunds: [],
      },
    });
  });

  const with0 = (changes: object) => ({ balances: { ...balances, ...changes } });
  const nothing = with0({ total_captured: 0, available_to_refund: 0 });
  const refund = { ...REFUND, id: 'act_9' };
  it.each<[string, object, Parameters<typeof read>[1], object]>([
    ['pending', { status: 'Pending' }, {}, { reason: 'the payment is Pending' }],
    ['of a new status', { status: 'Settled Elsewhere' }, {}, { kind: 'unavailable' }],
    ['declined', { status: 'Declined', ...nothing }, {}, { value: { status: 'declined' } }],
    ['voided', { status: 'Voided', ...nothing }, {}, { value: { status: 'voided' } }],
    [
      'canceled before it was authorised',
      {
        status: 'Canceled',
        ...with0({ total_authorized: 0, total_captured: 0, available_to_refund: 0 }),
      },
      {},
      { value: { status: 'declined' } },
    ],
    [
      'captured in part',
      { status: 'Partially Captured', ...with0({ total_captured: 290, available_to_refund: 290 }) },
      {},
      { value: { status: 'captured', amountMinor: 290, refundableMinor: 290 } },
    ],
    [
      'captured in part, the rest voided',
      { status: 'Voided', ...with0({ total_captured: 290, available_to_refund: 290 }) },
      {},
      { value: { status: 'captured', amountMinor: 290 } },
    ],
    ['captured of nothing', { status: 'Captured', ...nothing }, {}, { kind: 'unavailable' }],
    // The balances may lag behind the actions, or the reverse: the smaller counts.
    [
      'refunded in part, not in its balances yet',
      {},
      { actions: [refund] },
      { value: { refundableMinor: 600, refunds: [{ reference: 'act_9', status: 'succeeded' }] } },
    ],
    [
      'refunded in part, not in its actions yet',
      with0({ available_to_refund: 600 }),
      {},
      { value: { refundableMinor: 600, refunds: [] } },
    ],
    [
      'refunded in vain',
      {},
      { actions: [{ ...refund, approved: false, response_code: '20006' }] },
      {
        value: {
          refundableMinor: 1000,
          refunds: [{ failureCode: '20006', failureClass: 'retry' }],
        },
      },
    ],
    [
      'refunded unreadably',
      {},
      { actions: [{ ...refund, amount: null }] },
      { kind: 'unavailable' },
    ],
    [
      'taken back by a return',
      {},
      { actions: [{ id: 'a', type: 'Return' }] },
      { kind: 'unavailable' },
    ],
    ['without balances', { balances: undefined }, {}, { kind: 'unavailable' }],
    ['disputed beyond the page', {}, { disputes: [], total: 1 }, { kind: 'unavailable' }],
  ])('that was %s', async (_what, shown, beside, expected) => {
    expect(await read(shown, beside)).toMatchObject(expected);
  });

  it.each([
    ['evidence_required', true, 1000],
    ['evidence_under_review', true, 1000],
    ['arbitration_under_review', true, 1000],
    ['lost', true, 0],
    ['accepted', true, 0],
    ['resolved', true, 0],
    ['won', false, 1000],
    ['canceled', false, 1000],
    ['of tomorrow', true, 1000],
  ])('with a dispute that is %s: disputed %s, %i left', async (status, disputed, left) => {
    expect(await read({}, { disputes: [{ id: 'dsp_1', status }] })).toMatchObject({
      value: { disputed, refundableMinor: left },
    });
  });

  it('is absent only where Checkout.com says so', async () => {
    serve(() => ({ status: 404, body: undefined }));
    expect(await checkout.readCharge('pay_1')).toMatchObject({ kind: 'unavailable' });
    served?.stop();
    serve(() => checkoutAnswer(404, undefined));
    expect(await checkout.readCharge('pay_1')).toEqual({ kind: 'absent' });
  });
});

it('does not take an accepted void for one that happened', async () => {
  const ledger = new Ledger();
  const charge = ledger.open({ id: 'pay_1', captured: false });
  serve(({ method, path }) => {
    if (method === 'POST')
      return checkoutAnswer(202, { action_id: 'act_1', reference: 'fst_1_void' });
    if (path.endsWith('/actions')) return checkoutAnswer(200, actionsOf(charge));
    if (path === '/disputes') return checkoutAnswer(200, { total_count: 0, data: [] });
    return checkoutAnswer(200, paymentBody(charge, 0));
  });
  expect(await checkout.voidCharge('pay_1', 'fst_1', signal)).toBe('unknown');
  const post = served?.requests.find(({ method }) => method === 'POST');
  expect(post?.headers['cko-idempotency-key']).toBe('fst_1_void');
});

it('states what Checkout.com documents', async () => {
  expect(await checkout.capabilities()).toEqual({
    idempotencyTtlHours: 0,
    canLookupByReference: false,
    lookupLagSeconds: 600,
    refusesOverRefund: true,
    asyncRefunds: true,
    pendingCounts: false,
    requestLifetimeSeconds: 600,
    mode: 'test',
  });
});
