/** Guarantee: the Adyen adapter keeps every promise of the processor port against Adyen's documented API. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { runProcessorConformance } from '../../../src/running/verify/processor-conformance.ts';
import type { RefundRequest } from '../../../src/service/wire/processor.ts';
import { chargeOf } from '../../../templates/processors/adyen/notifications.ts';
import { createAdyenProcessor } from '../../../templates/processors/adyen/processor.ts';
import { ADYEN_BASE, startAdyenFake } from './fakes/adyen-fake.ts';
import { notification } from './fakes/adyen-notification.ts';
import type { FakeAnswer, FakeProvider } from './fakes/fake-provider.ts';
import { serveAnswers } from './fakes/fake-provider.ts';

let served: FakeProvider | undefined;
afterEach(() => {
  served?.stop();
  served = undefined;
});

function serve(handle: () => FakeAnswer): FakeProvider {
  served = serveAnswers(ADYEN_BASE, handle);
  return served;
}

const access = {
  apiKey: 'AQE',
  merchantAccount: 'ShopECOM',
  baseUrl: `${ADYEN_BASE}/v71`,
};
const adyen = createAdyenProcessor(access);
const { signal } = new AbortController();

const PAYMENT = 'KHQC5N7G84BLNK43';
const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: PAYMENT,
  alertId: 'alrt_1',
  reason: 'chargeback_alert',
  amountMinor: 2500,
  currency: 'EUR',
};

/** The answer of https://docs.adyen.com/online-payments/refund. */
const RECEIVED = {
  merchantAccount: 'ShopECOM',
  paymentPspReference: PAYMENT,
  reference: 'fst_1',
  pspReference: 'QFQTPCQ8HXSKGK82',
  status: 'received',
  amount: { currency: 'EUR', value: 2500 },
};

describe('conformance', () => {
  it('keeps every promise', { timeout: 60_000 }, async () => {
    const fake = startAdyenFake();
    served = fake.provider;
    const { notifications } = fake;
    const processor = createAdyenProcessor({ ...access, notifications, capture: 'manual' });
    const { results } = await runProcessorConformance({ processor, fixture: fake.fixture });
    expect(results.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    const skipped = results.filter(({ verdict }) => verdict === 'skipped');
    // The fake refunds what is disputed, and Adyen has no subscriptions to cancel.
    expect(skipped.map(({ name }) => name)).toEqual([
      'refusal.disputed',
      'subscription.cancel',
      'subscription.unknown',
    ]);
  });

  it('breaks none without a store, and offers no reading then', { timeout: 60_000 }, async () => {
    const fake = startAdyenFake();
    served = fake.provider;
    const { results } = await runProcessorConformance({ processor: adyen, fixture: fake.fixture });
    expect(results.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    expect(await adyen.readCharge(PAYMENT)).toEqual({ kind: 'not_offered' });
    expect(await adyen.searchCharges({ cardLast4: '4242' })).toEqual({ kind: 'not_offered' });
    expect(await adyen.findRefund(REQUEST)).toEqual({ kind: 'not_offered' });
  });
});

describe('the refund request', () => {
  it('carries the key in the header that deduplicates and as the reference', async () => {
    const { requests } = serve(() => ({ status: 201, body: RECEIVED }));
    expect(await adyen.refund(REQUEST, signal)).toEqual({
      kind: 'pending',
      refund: {
        reference: 'QFQTPCQ8HXSKGK82',
        idempotencyKey: 'fst_1',
        chargeReference: PAYMENT,
        status: 'pending',
        failureCode: null,
        amountMinor: 2500,
        currency: 'EUR',
        createdAt: null,
      },
    });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      method: 'POST',
      path: `/v71/payments/${PAYMENT}/refunds`,
    });
    expect(requests[0]?.headers).toMatchObject({ 'x-api-key': 'AQE', 'idempotency-key': 'fst_1' });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      merchantAccount: 'ShopECOM',
      amount: { value: 2500, currency: 'EUR' },
      reference: 'fst_1',
    });
  });

  // ISO 4217 digits → Adyen's, from https://docs.adyen.com/development-resources/currency-codes
  it.each([
    ['JPY', 5000, 5000],
    ['KWD', 12_345, 12_345],
    ['CLP', 990, 99_000],
    ['ISK', 5, 500],
    ['IDR', 1_500_000, 15_000],
  ])('counts %s as Adyen does', async (currency, amountMinor, value) => {
    const { requests } = serve(() => ({
      status: 201,
      body: { ...RECEIVED, amount: { currency, value } },
    }));
    const outcome = await adyen.refund({ ...REQUEST, currency, amountMinor }, signal);
    expect(outcome).toMatchObject({ kind: 'pending', refund: { amountMinor, currency } });
    expect(JSON.parse(requests[0]?.body ?? '').amount).toEqual({ value, currency });
  });

  it('sends nothing for an amount that Adyen cannot express', async () => {
    const { requests } = serve(() => ({ status: 201, body: RECEIVED }));
    const outcome = await adyen.refund({ ...REQUEST, currency: 'IDR', amountMinor: 150 }, signal);
    expect(outcome).toEqual({
      kind: 'rejected',
      failureCode: 'amount_not_representable',
      failureClass: 'final',
    });
    expect(requests).toEqual([]);
  });
});

describe('the outcome', () => {
  function problem(status: number, errorCode: string, errorType = 'validation'): object {
    return { status, errorCode, message: 'See the code.', errorType, pspReference: 'X' };
  }

  it.each([
    [422, problem(422, '167'), '167', 'ours'],
    [422, problem(422, '137'), '137', 'ours'],
    [404, problem(404, '702'), '702', 'ours'],
    [422, problem(422, '999'), '999', 'retry'],
    // Adyen says so of credentials and roles; then nothing was begun.
    [401, problem(401, '000', 'security'), '000', 'ours'],
    [403, problem(403, '010', 'security'), '010', 'ours'],
    [403, problem(403, '901', 'security'), '901', 'ours'],
    // Of a word that no table holds, too.
    [403, problem(403, '999', 'security'), '999', 'ours'],
  ])('of %i %o is rejected: %s, %s', async (status, body, failureCode, failureClass) => {
    serve(() => ({ status, body }));
    expect(await adyen.refund(REQUEST, signal)).toEqual({
      kind: 'rejected',
      failureCode,
      failureClass,
    });
  });

  it.each([
    ['the key is in use', 422, problem(422, '704'), {}],
    ['the error is marked transient', 422, problem(422, '167'), { 'transient-error': 'true' }],
    ['401 is about something else', 401, problem(401, '167'), {}],
    ['403 is not in Adyen’s words', 403, { message: 'blocked' }, {}],
    ['it is too much at once', 429, problem(429, '167'), {}],
    ['Adyen fails', 500, problem(500, '905', 'internal'), {}],
    ['the refusal is not in Adyen’s words', 422, { message: 'blocked' }, {}],
    ['another amount is received', 201, { ...RECEIVED, amount: { currency: 'EUR', value: 1 } }, {}],
    ['another payment is shown', 201, { ...RECEIVED, paymentPspReference: 'OTHER' }, {}],
    ['it is not received', 201, { ...RECEIVED, status: 'queued' }, {}],
    ['it has no reference', 201, { ...RECEIVED, pspReference: undefined }, {}],
  ])('is unknown when %s', async (_when, status, body, headers) => {
    serve(() => ({ status, body, headers }));
    expect(await adyen.refund(REQUEST, signal)).toMatchObject({ kind: 'unknown' });
  });
});

describe('the notifications', () => {
  const additionalData = { authCode: '060494', cardBin: '411111', cardSummary: '1111' };
  const authorised = notification('AUTHORISATION', { pspReference: PAYMENT, additionalData });
  const amount = (value: number) => ({ amount: { currency: 'EUR', value } });
  const of = (eventCode: string, pspReference: string, fields: object = {}) =>
    notification(eventCode, { pspReference, originalReference: PAYMENT, ...fields });
  const read = (items: unknown[], capture: 'automatic' | 'manual' = 'automatic') =>
    chargeOf(PAYMENT, [authorised, ...items], capture);

  it('show everything that an alert is matched by', () => {
    expect(read([of('CHARGEBACK', 'D1', { additionalData: { arn: 'A'.repeat(23) } })])).toEqual({
      reference: PAYMENT,
      status: 'captured',
      amountMinor: 1000,
      currency: 'EUR',
      refundableMinor: 0,
      disputed: true,
      // 14:13:20+02:00
      authorisedAt: '2026-09-21T12:13:20.000Z',
      cardBrand: 'visa',
      cardBin: '411111',
      cardLast4: '1111',
      acquirerReferenceNumber: 'A'.repeat(23),
      authorisationCode: '060494',
      orderReference: 'order-6735',
      subscriptionReference: null,
      refunds: [],
    });
  });

  it.each([
    ['nothing else, at once', [], 'automatic', 'captured', 1000, 1000],
    ['nothing else, by call', [], 'manual', 'authorised', 1000, 0],
    ['a capture of a part', [of('CAPTURE', 'C1', amount(600))], 'manual', 'captured', 600, 600],
    [
      'two captures, one of which failed later',
      [
        of('CAPTURE', 'C1', amount(600)),
        of('CAPTURE', 'C2', amount(400)),
        of('CAPTURE_FAILED', 'C2', amount(400)),
      ],
      'manual',
      'captured',
      600,
      600,
    ],
    [
      'a capture that failed',
      [of('CAPTURE', 'C1'), of('CAPTURE_FAILED', 'C1')],
      'automatic',
      'declined',
      1000,
      0,
    ],
    ['a cancellation', [of('CANCELLATION', 'X1')], 'manual', 'voided', 1000, 0],
    [
      'a cancellation that was refused',
      [of('CANCELLATION', 'X1', { success: 'false' })],
      'automatic',
      'captured',
      1000,
      1000,
    ],
    [
      'a reversal that cancelled',
      [of('CANCEL_OR_REFUND', 'X1', { additionalData: { 'modification.action': 'cancel' } })],
      'manual',
      'voided',
      1000,
      0,
    ],
    [
      'a capture of a part, and the rest released',
      [of('CAPTURE', 'C1', amount(290)), of('CANCELLATION', 'X1', amount(710))],
      'manual',
      'captured',
      290,
      290,
    ],
    [
      'several captures, a refund and a release',
      [
        of('CAPTURE', 'C1', amount(290)),
        of('CAPTURE', 'C2', amount(410)),
        of('REFUND', 'R1', amount(100)),
        of('TECHNICAL_CANCEL', 'X1', amount(300)),
      ],
      'manual',
      'captured',
      700,
      600,
    ],
    [
      'a release after its capture had failed',
      [
        of('CAPTURE', 'C1', amount(290)),
        of('CAPTURE_FAILED', 'C1', amount(290)),
        of('CANCELLATION', 'X1'),
      ],
      'manual',
      'voided',
      1000,
      0,
    ],
    ['a tip', [of('CAPTURE', 'C1', amount(1200))], 'manual', 'captured', 1200, 1200],
    [
      'a higher authorisation for a tip',
      [of('AUTHORISATION_ADJUSTMENT', 'J1', amount(1200))],
      'manual',
      'authorised',
      1200,
      0,
    ],
    [
      'a higher authorisation that was refused',
      [of('AUTHORISATION_ADJUSTMENT', 'J1', { ...amount(1200), success: 'false' })],
      'manual',
      'authorised',
      1000,
      0,
    ],
    ['a refund', [of('REFUND', 'R1', amount(300))], 'automatic', 'captured', 1000, 700],
    [
      'a refund that was refused',
      [of('REFUND', 'R1', { ...amount(300), success: 'false' })],
      'automatic',
      'captured',
      1000,
      1000,
    ],
    [
      'a refund that came back',
      [of('REFUND', 'R1', amount(300)), of('REFUNDED_REVERSED', 'R1', amount(300))],
      'automatic',
      'captured',
      1000,
      1000,
    ],
  ] as const)('with %s', (_what, items, capture, status, amountMinor, refundableMinor) => {
    expect(read([...items], capture)).toMatchObject({ status, amountMinor, refundableMinor });
  });

  it.each([
    [['NOTIFICATION_OF_CHARGEBACK'], true, 1000],
    [['NOTIFICATION_OF_CHARGEBACK', 'CHARGEBACK'], true, 0],
    [['CHARGEBACK', 'CHARGEBACK_REVERSED'], false, 1000],
    [['CHARGEBACK', 'CHARGEBACK_REVERSED', 'SECOND_CHARGEBACK'], true, 0],
    [['REQUEST_FOR_INFORMATION'], false, 1000],
  ])('%j: disputed %s, %i left', (codes, disputed, refundableMinor) => {
    const items = codes.map((code, day) =>
      of(code, 'D1', { eventDate: `2026-09-2${day + 2}T10:00:00+02:00` }),
    );
    expect(read(items)).toMatchObject({ disputed, refundableMinor });
  });

  it('of a declined payment show it as declined', () => {
    const declined = { ...authorised, success: 'false' };
    expect(chargeOf(PAYMENT, [declined], 'automatic')).toMatchObject({ status: 'declined' });
  });

  it.each([
    ['REFUND', 'Insufficient balance on payment', 'done'],
    ['REFUND', 'Transaction is expired', 'final'],
    ['REFUND', 'Operation failed', 'retry'],
    ['REFUND', null, 'retry'],
    ['REFUND_FAILED', 'Insufficient balance on payment', 'final'],
    ['REFUNDED_REVERSED', null, 'final'],
  ])('give %s because of %s the class %s', (eventCode, reason, failureClass) => {
    const item = of(eventCode, 'R1', { ...amount(300), success: 'false', reason });
    expect(read([item])).toMatchObject({ refunds: [{ status: 'failed', failureClass }] });
  });

  it('carry our key back as the merchant reference', () => {
    const item = of('REFUND', 'R1', { ...amount(300), merchantReference: 'fst_1' });
    expect(read([item])).toMatchObject({ refunds: [{ reference: 'R1', idempotencyKey: 'fst_1' }] });
  });

  it('that cannot be read make the payment unreadable, not whole', () => {
    expect(read([of('REFUND', 'R1', { amount: null })])).toBe(
      'its REFUND notification is unreadable',
    );
    expect(read([of('REFUND', 'R1', { amount: { currency: 'USD', value: 1 } })])).toBe(
      'its REFUND notification is unreadable',
    );
    expect(chargeOf(PAYMENT, [of('REFUND', 'R1')], 'automatic')).toMatch(/AUTHORISATION/);
    expect(chargeOf(PAYMENT, [], 'automatic')).toBeNull();
  });

  it('say the same in every order and however often they come', () => {
    const items = [
      of('CAPTURE', 'C1', { ...amount(900), eventDate: '2026-09-21T15:00:00+02:00' }),
      of('REFUND', 'R1', { ...amount(100), eventDate: '2026-09-22T10:00:00+02:00' }),
      of('REFUND', 'R2', { ...amount(200), eventDate: '2026-09-22T10:00:00+02:00' }),
      of('REFUND_FAILED', 'R1', { ...amount(100), eventDate: '2026-09-22T10:00:00+02:00' }),
      of('NOTIFICATION_OF_CHARGEBACK', 'D1', { eventDate: '2026-09-23T10:00:00+02:00' }),
    ];
    const expected = { amountMinor: 900, refundableMinor: 700, disputed: true };
    const all = [authorised, ...items];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(all, { minLength: all.length }),
        fc.subarray(all),
        (order, repeats) => {
          expect(chargeOf(PAYMENT, [...order, ...repeats], 'manual')).toMatchObject(expected);
        },
      ),
    );
  });
});

it('answers unavailable when the store of notifications fails', async () => {
  const down = () => Promise.reject(new Error('down'));
  const notifications = { ofPayment: down, search: down };
  const processor = createAdyenProcessor({ ...access, notifications });
  expect(await processor.readCharge(PAYMENT)).toMatchObject({ kind: 'unavailable' });
  expect(await processor.searchCharges({ cardLast4: '1' })).toMatchObject({ kind: 'unavailable' });
  expect(await processor.findRefund(REQUEST)).toMatchObject({ kind: 'unavailable' });
});

it('does not call a payment the only one while another that fits cannot be read', async () => {
  const fake = startAdyenFake();
  served = fake.provider;
  const { reference } = await fake.fixture.captured();
  const { ofPayment } = fake.notifications;
  const search = () => Promise.resolve([reference, 'OTHER']);
  const find = (others: readonly unknown[]) =>
    createAdyenProcessor({
      ...{ ...access, capture: 'manual' },
      notifications: {
        ofPayment: async (id) => (id === 'OTHER' ? others : await ofPayment(id)),
        search,
      },
    }).searchCharges({ cardLast4: '4242' });
  expect(await find([])).toMatchObject({ kind: 'found', value: [{ reference }] });
  // Its authorisation has not arrived yet.
  const refund = { eventCode: 'REFUND', pspReference: 'R1', originalReference: 'OTHER' };
  expect(await find([refund])).toMatchObject({ kind: 'unavailable' });
});

it('states what Adyen documents', async () => {
  expect(await adyen.capabilities()).toEqual({
    // At least 31 days, less an hour of margin.
    idempotencyTtlHours: 743,
    canLookupByReference: false,
    lookupLagSeconds: 600,
    refusesOverRefund: true,
    asyncRefunds: true,
    pendingCounts: false,
    requestLifetimeSeconds: 600,
    mode: 'test',
  });
});
