/**
 * Guarantee: the Mollie adapter calls Mollie as Mollie's own SDK does and knows every status that it names. A
 * change of the SDK's types fails here or in `tsc`.
 */
import {
  createMollieClient,
  PaymentStatus,
  RefundStatus,
  SubscriptionStatus,
} from '@mollie/api-client';
import { describe, expect, it } from 'vitest';
import type { RefundRequest } from '../../../src/service/wire/processor.ts';
import { MOLLIE_WORDS } from '../../../templates/processors/mollie/payment.ts';
import { createMollieProcessor } from '../../../templates/processors/mollie/processor.ts';
import type { FakeAnswer, FakeRequest } from '../processors/fakes/fake-provider.ts';
import { MOLLIE_BASE } from '../processors/fakes/mollie-fake.ts';
import { callsOf } from './support/same-request.ts';

describe('words', () => {
  it.each([
    ['payment.status', PaymentStatus],
    ['refund.status', RefundStatus],
    ['subscription.status', SubscriptionStatus],
  ] as const)('of %s are those of the SDK, all of them', (field, statuses) => {
    expect(Object.keys(MOLLIE_WORDS[field]).toSorted()).toEqual(Object.values(statuses).toSorted());
  });
});

const mollie = createMollieProcessor({
  apiKey: 'test_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM',
  pendingCounts: false,
});
const sdk = createMollieClient({ apiKey: 'test_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM' });
const { signal } = new AbortController();
const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: 'tr_WDqYK6vllg',
  alertId: 'netalrt_1',
  reason: 'alert',
  amountMinor: 595,
  currency: 'EUR',
};

function answer({ method, path }: FakeRequest): FakeAnswer {
  const amount = { currency: 'EUR', value: '5.95' };
  const [, , , , name] = path.split('/');
  if (method === 'GET' && (name === 'refunds' || name === 'chargebacks')) {
    return { status: 200, body: { count: 0, _embedded: { [name]: [] }, _links: { next: null } } };
  }
  const self = { href: `${MOLLIE_BASE}${path}`, type: 'application/hal+json' };
  const payment = { resource: 'payment', id: 'tr_WDqYK6vllg', status: 'authorized', amount };
  if (method === 'GET') return { status: 200, body: { ...payment, _links: { self } } };
  if (path.endsWith('/release-authorization')) return { status: 202, body: payment };
  const body = { resource: 'refund', id: 're_1', status: 'canceled', amount, _links: { self } };
  return { status: method === 'POST' ? 201 : 200, body };
}

it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
  [
    'refund',
    () => mollie.refund(REQUEST, signal),
    () =>
      sdk.paymentRefunds.create({
        paymentId: 'tr_WDqYK6vllg',
        amount: { currency: 'EUR', value: '5.95' },
        description: 'Refund',
        metadata: { forestall_key: 'fst_1', forestall_alert: 'netalrt_1' },
        idempotencyKey: 'fst_1',
      }),
  ],
  [
    'reading a payment',
    () => mollie.readCharge('tr_WDqYK6vllg'),
    () => sdk.payments.get('tr_WDqYK6vllg'),
  ],
  [
    'its refunds',
    () => mollie.findRefund(REQUEST),
    () => sdk.paymentRefunds.page({ paymentId: 'tr_WDqYK6vllg', limit: 250 }),
  ],
  [
    'its chargebacks',
    () => mollie.readCharge('tr_WDqYK6vllg'),
    () => sdk.paymentChargebacks.page({ paymentId: 'tr_WDqYK6vllg', limit: 250 }),
  ],
  [
    'cancelling a subscription',
    () => mollie.cancelSubscription('cst_1/sub_1', 'fst_1', signal),
    () => sdk.customerSubscriptions.cancel('sub_1', { customerId: 'cst_1' }),
  ],
  [
    'releasing an authorisation',
    () => mollie.voidCharge('tr_WDqYK6vllg', 'fst_1', signal),
    () => sdk.payments.releaseAuthorization('tr_WDqYK6vllg'),
  ],
])('%s is the SDK’s call', async (_what, ours, theirs) => {
  const own = await callsOf(MOLLIE_BASE, answer, ours);
  const [call] = (await callsOf(MOLLIE_BASE, answer, theirs)).seen;
  const filled = own.seen.map(({ body, ...rest }) => ({
    ...rest,
    body: JSON.stringify(body) === '{}' ? null : body,
  }));
  const { body, ...rest } = call ?? { body: null };
  expect(filled).toContainEqual({ ...rest, body: JSON.stringify(body) === '{}' ? null : body });
});
