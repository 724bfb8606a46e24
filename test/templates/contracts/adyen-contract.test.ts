/**
 * Guarantee: the Adyen adapter calls Adyen as Adyen's own SDK does, knows every event that the SDK names, and
 * reads notifications by the SDK's fields. A change of the SDK's types fails here or in `tsc`.
 */
import { CheckoutAPI, Client, EnvironmentEnum, hmacValidator, Types } from '@adyen/api-library';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RefundRequest } from '../../../src/service/wire/processor.ts';
import { isSigned } from '../../../templates/processors/adyen/events.ts';
import { chargeOf } from '../../../templates/processors/adyen/notifications.ts';
import { createAdyenProcessor } from '../../../templates/processors/adyen/processor.ts';
import { ADYEN_WORDS } from '../../../templates/processors/adyen/words.ts';
import { ADYEN_BASE } from '../processors/fakes/adyen-fake.ts';
import type { FakeAnswer, FakeRequest } from '../processors/fakes/fake-provider.ts';
import { callsOf } from './support/same-request.ts';

const { NotificationRequestItem } = Types.notification;
const { PaymentRefundResponse } = Types.checkout;

/** In Adyen's published description of its webhooks, not yet in its SDK. */
const NEWER_THAN_THE_SDK = [
  'PREARBITRATION_ACCEPTED',
  'PREARBITRATION_DECLINED',
  'PREARBITRATION_ISSUER_WITHDRAWN',
  'PREARBITRATION_OPEN',
  'SCHEME_ARBITRATION',
  'SCHEME_ARBITRATION_LOST',
  'SCHEME_ARBITRATION_WON',
];

describe('words', () => {
  it('of events are those of the SDK, all of them', () => {
    const known = [...Object.values(NotificationRequestItem.EventCodeEnum), ...NEWER_THAN_THE_SDK];
    expect(Object.keys(ADYEN_WORDS.eventCode).toSorted()).toEqual(known.toSorted());
  });

  it('of an answered refund are those of the SDK, all of them', () => {
    expect(Object.keys(ADYEN_WORDS['refund response.status'])).toEqual(
      Object.values(PaymentRefundResponse.StatusEnum),
    );
  });
});

const { EventCodeEnum, SuccessEnum } = NotificationRequestItem;
type Item = Pick<
  InstanceType<typeof NotificationRequestItem>,
  | 'additionalData'
  | 'amount'
  | 'eventCode'
  | 'eventDate'
  | 'merchantAccountCode'
  | 'merchantReference'
  | 'originalReference'
  | 'paymentMethod'
  | 'pspReference'
  | 'reason'
  | 'success'
>;

const PAYMENT = '9913140798220028';
const AUTHORISED = {
  additionalData: { authCode: '060494', cardBin: '411111', cardSummary: '1111' },
  amount: { currency: 'EUR', value: 1000 },
  eventCode: EventCodeEnum.Authorisation,
  eventDate: '2021-01-01T01:00:00+01:00',
  merchantAccountCode: 'YOUR_MERCHANT_ACCOUNT',
  merchantReference: 'YOUR_MERCHANT_REFERENCE',
  paymentMethod: 'visa',
  pspReference: PAYMENT,
  reason: '',
  success: SuccessEnum.True,
} satisfies Partial<Item>;
const REFUSED = {
  ...AUTHORISED,
  additionalData: {},
  amount: { currency: 'EUR', value: 400 },
  eventCode: EventCodeEnum.Refund,
  merchantReference: 'fst_1',
  originalReference: PAYMENT,
  pspReference: 'QFQTPCQ8HXSKGK82',
  reason: 'Transaction is expired',
  success: SuccessEnum.False,
} satisfies Partial<Item>;

it('reads notifications by the SDK’s own fields', () => {
  expect(chargeOf(PAYMENT, [AUTHORISED, REFUSED], 'automatic')).toEqual({
    reference: PAYMENT,
    status: 'captured',
    amountMinor: 1000,
    currency: 'EUR',
    refundableMinor: 1000,
    disputed: false,
    authorisedAt: '2021-01-01T00:00:00.000Z',
    cardBrand: 'visa',
    cardBin: '411111',
    cardLast4: '1111',
    acquirerReferenceNumber: null,
    authorisationCode: '060494',
    orderReference: 'YOUR_MERCHANT_REFERENCE',
    subscriptionReference: null,
    refunds: [
      {
        reference: 'QFQTPCQ8HXSKGK82',
        idempotencyKey: 'fst_1',
        chargeReference: PAYMENT,
        status: 'failed',
        failureCode: 'Transaction is expired',
        failureClass: 'final',
        amountMinor: 400,
        currency: 'EUR',
        createdAt: '2021-01-01T00:00:00.000Z',
      },
    ],
  });
});

it('takes the signatures of the SDK’s own signer, and no others', () => {
  const key = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056';
  const signer = new hmacValidator();
  fc.assert(
    fc.property(
      fc.record({
        pspReference: fc.string(),
        originalReference: fc.option(fc.string(), { nil: undefined }),
        merchantReference: fc.string({ unit: 'grapheme' }),
        value: fc.integer(),
        eventCode: fc.constantFrom(...Object.values(EventCodeEnum)),
        success: fc.constantFrom(SuccessEnum.True, SuccessEnum.False),
      }),
      ({ value, originalReference, ...fields }) => {
        const item = new NotificationRequestItem();
        Object.assign(item, REFUSED, fields, { amount: { currency: 'EUR', value } });
        item.originalReference = originalReference ?? '';
        const hmacSignature = signer.calculateHmac(item, key);
        const plain = { ...item, additionalData: { hmacSignature } };
        const { originalReference: _none, ...without } = plain;
        expect(isSigned(originalReference === undefined ? without : plain, [key])).toBe(true);
        expect(isSigned({ ...plain, amount: { currency: 'EUR', value: value + 1 } }, [key])).toBe(
          false,
        );
      },
    ),
  );
});

const access = { apiKey: 'AQE', merchantAccount: 'ShopECOM', baseUrl: `${ADYEN_BASE}/v71` };
const adyen = createAdyenProcessor(access);
const checkout = new CheckoutAPI(new Client({ apiKey: 'AQE', environment: EnvironmentEnum.TEST }));
const { signal } = new AbortController();
const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: PAYMENT,
  alertId: 'netalrt_1',
  reason: 'alert',
  amountMinor: 2500,
  currency: 'EUR',
};

/** The published answers of `/payments/{paymentPspReference}/refunds` and `/cancels`. */
function answer({ path }: FakeRequest): FakeAnswer {
  const common = {
    merchantAccount: 'ShopECOM',
    paymentPspReference: PAYMENT,
    reference: 'fst_1',
    pspReference: '993617894906488A',
    status: 'received',
  };
  const amount = { currency: 'EUR', value: 2500 };
  return { status: 201, body: path.endsWith('/refunds') ? { ...common, amount } : common };
}

/** The path without the API's version, which the SDK raises with each release. */
const withoutVersion = <Call extends { path: string }>(call: Call) => ({
  ...call,
  path: call.path.replace(/^\/v\d+/, ''),
});

it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
  [
    'refund',
    () => adyen.refund(REQUEST, signal),
    () =>
      checkout.ModificationsApi.refundCapturedPayment(
        PAYMENT,
        {
          merchantAccount: 'ShopECOM',
          amount: { value: 2500, currency: 'EUR' },
          reference: 'fst_1',
        },
        { idempotencyKey: 'fst_1' },
      ),
  ],
  [
    'cancellation',
    () => adyen.voidCharge(PAYMENT, 'fst_1', signal),
    () =>
      checkout.ModificationsApi.cancelAuthorisedPaymentByPspReference(
        PAYMENT,
        { merchantAccount: 'ShopECOM', reference: 'fst_1' },
        { idempotencyKey: 'fst_1_void' },
      ),
  ],
])('%s is the SDK’s call', async (_what, ours, theirs) => {
  const own = await callsOf(ADYEN_BASE, answer, ours);
  const sdk = await callsOf(ADYEN_BASE, answer, theirs);
  expect(own.seen.map(withoutVersion)).toEqual(sdk.seen.map(withoutVersion));
  expect(own.seen).toHaveLength(1);
  for (const name of ['x-api-key', 'idempotency-key', 'content-type']) {
    expect(own.requests[0]?.headers[name]).toBe(sdk.requests[0]?.headers[name]);
  }
});
