/**
 * Guarantee: the Stripe adapter calls, reads and understands Stripe as Stripe's own SDK does: each call is the
 * SDK's, each field and each word exists there. A change of the SDK's types fails here or in `tsc`.
 */
import Stripe from 'stripe';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { RefundRequest } from '../../../src/service/wire/processor.ts';
import { STRIPE_CLASSES, STRIPE_WORDS } from '../../../templates/processors/stripe/charge.ts';
import type { StripeConnect } from '../../../templates/processors/stripe/processor.ts';
import { createStripeProcessor } from '../../../templates/processors/stripe/processor.ts';
import type { FakeAnswer, FakeRequest } from '../processors/fakes/fake-provider.ts';
import { STRIPE_BASE } from '../processors/fakes/stripe-fake.ts';
import { callsOf } from './support/same-request.ts';
import type { Known } from './support/sdk-words.ts';
import { declarationsOf, unionOf, wordsInSentence } from './support/sdk-words.ts';

type Words<Field extends keyof typeof STRIPE_WORDS> = keyof (typeof STRIPE_WORDS)[Field];

const REFUNDS = declarationsOf('stripe/esm/resources/Refunds.d.ts');

describe('words', () => {
  it('of statuses are those of the SDK, all of them', () => {
    expectTypeOf<Words<'charge.status'>>().toEqualTypeOf<Known<Stripe.Charge['status']>>();
    // Those that end something; any other means that it stands, so a new one costs no money.
    expectTypeOf<Words<'dispute.status'>>().toExtend<Known<Stripe.Dispute['status']>>();
    expectTypeOf<Words<'payment_intent.status'>>().toExtend<
      Known<Stripe.PaymentIntent['status']>
    >();
    expectTypeOf<Words<'subscription.status'>>().toExtend<Known<Stripe.Subscription['status']>>();
    type Standing = Exclude<Known<Stripe.Dispute['status']>, Words<'dispute.status'>>;
    expectTypeOf<Standing>().toEqualTypeOf<
      | 'appeal_needs_response'
      | 'appeal_under_review'
      | 'lost'
      | 'needs_response'
      | 'prevented'
      | 'under_review'
    >();
    // The SDK names a refund's in a comment alone.
    expect(wordsInSentence(REFUNDS, 'Status of the refund').toSorted()).toEqual(
      Object.keys(STRIPE_WORDS['refund.status']).toSorted(),
    );
  });

  it('of refusals are error codes or reasons of a failed refund in the SDK', () => {
    const codes = unionOf(declarationsOf('stripe/esm/resources/PaymentIntents.d.ts'), 'Code');
    const reasons = wordsInSentence(REFUNDS, 'Provides the reason for the refund failure');
    // A refund that was cancelled gives its status for a reason; the last is seen in answers alone.
    const known = new Set([...codes, ...reasons, 'canceled', 'more_permissions_required']);
    expect([...STRIPE_CLASSES.keys()].filter((word) => !known.has(word))).toEqual([]);
    // `unknown` says nothing, so it is tried again as every word that is not in the table.
    expect(reasons.filter((word) => word !== 'unknown' && !STRIPE_CLASSES.has(word))).toEqual([]);
  });
});

const DAY = 1_790_000_000;

/** A charge, a refund and a dispute with the fields that the adapter reads, as the SDK types them. */
const CHARGE = {
  id: 'ch_1',
  amount: 1000,
  amount_captured: 1000,
  amount_refunded: 0,
  application_fee: 'fee_1',
  balance_transaction: 'txn_1',
  billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
  calculated_statement_descriptor: 'SHOP',
  captured: true,
  created: DAY,
  currency: 'usd',
  disputed: true,
  metadata: { order_id: 'A-1' },
  payment_intent: 'pi_1',
  receipt_email: null,
  refunded: false,
  status: 'succeeded',
  transfer: 'tr_1',
  transfer_data: { amount: null, destination: 'acct_9' },
} as const satisfies Partial<Stripe.Charge>;
const CARD = {
  authorization_code: '123456',
  brand: 'visa',
  iin: '424242',
  last4: '4242',
} as const satisfies Partial<Stripe.Charge.PaymentMethodDetails.Card>;
const REFUND = {
  id: 're_1',
  amount: 400,
  charge: 'ch_1',
  created: DAY,
  currency: 'usd',
  failure_reason: 'declined',
  metadata: { forestall_key: 'fst_1' },
  payment_intent: 'pi_1',
  status: 'failed',
} as const satisfies Partial<Stripe.Refund>;
const DISPUTE = {
  is_charge_refundable: false,
  status: 'needs_response',
} as const satisfies Partial<Stripe.Dispute>;

function answer({ path }: FakeRequest): FakeAnswer {
  const list = (data: unknown[]) => ({
    status: 200,
    body: { object: 'list', has_more: false, data },
  });
  const charge = { ...CHARGE, payment_method_details: { type: 'card', card: CARD } };
  if (path === '/v1/refunds') return list([REFUND]);
  if (path === '/v1/disputes') return list([DISPUTE]);
  if (path === '/v1/charges/search' || path === '/v1/invoice_payments') return list([]);
  if (path.startsWith('/v1/payment_intents/')) {
    return { status: 200, body: { id: 'pi_1', status: 'canceled', latest_charge: charge } };
  }
  if (path.startsWith('/v1/charges/')) return { status: 200, body: charge };
  return { status: 200, body: { id: 'x', status: 'canceled' } };
}

it('reads a charge, its refunds and disputes by the SDK’s own fields', async () => {
  const stripe = createStripeProcessor({ secretKey: 'sk_test_1' });
  await callsOf(STRIPE_BASE, answer, async () => {
    expect(await stripe.readCharge('ch_1')).toEqual({
      kind: 'found',
      value: {
        reference: 'ch_1',
        status: 'captured',
        amountMinor: 1000,
        currency: 'USD',
        refundableMinor: 0,
        disputed: true,
        // date -u -d @1790000000
        authorisedAt: '2026-09-21T14:13:20.000Z',
        cardBrand: 'visa',
        cardBin: '424242',
        cardLast4: '4242',
        acquirerReferenceNumber: null,
        authorisationCode: '123456',
        orderReference: 'A-1',
        subscriptionReference: null,
        refunds: [
          {
            reference: 're_1',
            idempotencyKey: 'fst_1',
            chargeReference: 'ch_1',
            status: 'failed',
            failureCode: 'declined',
            failureClass: 'final',
            amountMinor: 400,
            currency: 'USD',
            createdAt: '2026-09-21T14:13:20.000Z',
          },
        ],
      },
    });
  });
});

const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: 'ch_1',
  alertId: 'netalrt_1',
  reason: 'alert',
  amountMinor: 400,
  currency: 'USD',
};
const CONNECT: StripeConnect = { reverseTransfer: true, refundApplicationFee: true };
const { signal } = new AbortController();
// The SDK's own HTTP client holds connections open that nock cannot close.
const sdk = new Stripe('sk_test_1', {
  httpClient: Stripe.createFetchHttpClient(),
  maxNetworkRetries: 0,
  telemetry: false,
});

/** The adapter's call, and the same of the SDK. The adapter may ask something else before. */
const CALLS: readonly [string, () => Promise<unknown>, () => Promise<unknown>][] = [
  [
    'refund',
    () =>
      createStripeProcessor({ secretKey: 'sk_test_1', connect: CONNECT }).refund(REQUEST, signal),
    () =>
      sdk.refunds.create(
        {
          charge: 'ch_1',
          amount: 400,
          metadata: {
            forestall_key: 'fst_1',
            forestall_alert: 'netalrt_1',
            forestall_reason: 'alert',
          },
          reverse_transfer: true,
          refund_application_fee: true,
        },
        { idempotencyKey: 'fst_1' },
      ),
  ],
  [
    'refund by intent',
    () =>
      createStripeProcessor({ secretKey: 'sk_test_1' }).refund(
        { ...REQUEST, chargeReference: 'pi_1' },
        signal,
      ),
    () =>
      sdk.refunds.create(
        {
          payment_intent: 'pi_1',
          amount: 400,
          metadata: {
            forestall_key: 'fst_1',
            forestall_alert: 'netalrt_1',
            forestall_reason: 'alert',
          },
        },
        { idempotencyKey: 'fst_1' },
      ),
  ],
  [
    'look-up of a refund',
    () => createStripeProcessor({ secretKey: 'sk_test_1' }).findRefund(REQUEST),
    () => sdk.refunds.list({ charge: 'ch_1', limit: 100 }),
  ],
  [
    'disputes of a charge',
    () => createStripeProcessor({ secretKey: 'sk_test_1' }).readCharge('ch_1'),
    () => sdk.disputes.list({ charge: 'ch_1', limit: 100 }),
  ],
  [
    'reading a charge',
    async () => {
      const stripe = createStripeProcessor({ secretKey: 'sk_test_1', connect: CONNECT });
      await stripe.voidCharge('ch_1', 'fst_1', signal);
    },
    async () => {
      await sdk.charges.retrieve('ch_1', { expand: ['payment_intent'] });
      await sdk.paymentIntents.cancel('pi_1', {}, { idempotencyKey: 'fst_1_void' });
    },
  ],
  [
    'reading an intent',
    () =>
      createStripeProcessor({ secretKey: 'sk_test_1', connect: CONNECT }).voidCharge(
        'pi_1',
        'fst_1',
        signal,
      ),
    async () => {
      await sdk.paymentIntents.retrieve('pi_1', { expand: ['latest_charge'] });
      await sdk.paymentIntents.cancel('pi_1', {}, { idempotencyKey: 'fst_1_void' });
    },
  ],
  [
    'search',
    () => createStripeProcessor({ secretKey: 'sk_test_1' }).searchCharges({ cardLast4: '4242' }),
    () =>
      sdk.charges.search({
        query: "payment_method_details.card.last4:'4242'",
        limit: 100,
      }),
  ],
  [
    'cancelling a subscription',
    () =>
      createStripeProcessor({ secretKey: 'sk_test_1' }).cancelSubscription('sub_1', 'k', signal),
    () => sdk.subscriptions.cancel('sub_1'),
  ],
];

it.each(CALLS)('%s is the SDK’s call', async (_what, ours, theirs) => {
  const { seen, requests } = await callsOf(STRIPE_BASE, answer, ours);
  const sdkCalls = await callsOf(STRIPE_BASE, answer, theirs);
  expect(sdkCalls.seen.length).toBeGreaterThan(0);
  for (const [index, call] of sdkCalls.seen.entries()) {
    expect(seen).toContainEqual(call);
    const own = requests.find(({ method, path }) => method === call.method && path === call.path);
    const theirOwn = sdkCalls.requests[index];
    expect(own?.headers['authorization']).toBe(theirOwn?.headers['authorization']);
    expect(own?.headers['idempotency-key']).toBe(theirOwn?.headers['idempotency-key']);
  }
});
