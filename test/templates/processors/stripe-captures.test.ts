/**
 * Guarantee: of a Stripe charge that was captured in part, in parts or with a tip, what was captured can
 * be refunded, and what was released is no refund.
 *
 * Up to API version 2024-06-20 a partial capture makes a Refund of the rest; from 2025-03-31.basil on it
 * makes none, and the balance transaction shows what was captured instead of what was authorised:
 * https://docs.stripe.com/changelog/basil/2025-03-31/remove-refund-from-partial-capture-and-payment-cancellation-flow
 */
import { afterEach, describe, expect, it } from 'vitest';
import { createStripeProcessor } from '../../../templates/processors/stripe/processor.ts';
import type { FakeAnswer, FakeProvider } from './fakes/fake-provider.ts';
import { serveAnswers } from './fakes/fake-provider.ts';
import { Ledger } from './fakes/ledger.ts';
import { chargeBody, STRIPE_BASE } from './fakes/stripe-fake.ts';

let served: FakeProvider | undefined;
afterEach(() => {
  served?.stop();
  served = undefined;
});

const stripe = createStripeProcessor({ secretKey: 'sk_test_1' });
const ledger = new Ledger();
const charge = {
  ...chargeBody(ledger.open({ id: 'ch_1' }), ledger),
  balance_transaction: 'txn_1MiN3gLkdIwHu7ixxapQrznl',
};

/** https://docs.stripe.com/api/refunds/object */
function refund(id: string, amount: number, changes: object = {}): Record<string, unknown> {
  return {
    id,
    object: 'refund',
    amount,
    balance_transaction: 'txn_1Nispe2eZvKYlo2CYezqFhEx',
    charge: 'ch_1',
    created: 1_692_942_318,
    currency: 'usd',
    metadata: {},
    payment_intent: 'pi_1',
    reason: null,
    receipt_number: null,
    status: 'succeeded',
    ...changes,
  };
}

/** https://docs.stripe.com/api/balance_transactions/object */
function booked(amount: number, changes: object = {}): FakeAnswer {
  return {
    status: 200,
    body: {
      id: 'txn_1MiN3gLkdIwHu7ixxapQrznl',
      object: 'balance_transaction',
      amount,
      currency: 'usd',
      exchange_rate: null,
      fee: 0,
      net: amount,
      type: 'charge',
      ...changes,
    },
  };
}

const NOT_ASKED: FakeAnswer = { status: 500, body: {} };

async function read(
  shown: object,
  refunds: readonly Record<string, unknown>[],
  transaction: FakeAnswer = NOT_ASKED,
) {
  served = serveAnswers(STRIPE_BASE, ({ path }) => {
    if (path === '/v1/invoice_payments') return { status: 200, body: { data: [] } };
    if (path === '/v1/refunds') return { status: 200, body: { data: refunds, has_more: false } };
    if (path === '/v1/balance_transactions/txn_1MiN3gLkdIwHu7ixxapQrznl') return transaction;
    return { status: 200, body: { ...charge, ...shown } };
  });
  const answer = await stripe.readCharge('ch_1');
  if (answer.kind !== 'found') return answer.kind;
  const { amountMinor, refundableMinor, refunds: listed } = answer.value;
  return [amountMinor, refundableMinor, listed.map(({ amountMinor: minor }) => minor)];
}

describe('a release that Stripe shows as a refund', () => {
  it('is no refund: 29.00 of 100.00 are captured, and 29.00 are left', async () => {
    const shown = { amount: 10_000, amount_captured: 2_900, amount_refunded: 7_100 };
    expect(await read(shown, [refund('re_release', 7_100)], booked(10_000))).toEqual([
      2_900,
      2_900,
      [],
    ]);
  });

  it('leaves 70.00 of 70.00, not 40.00', async () => {
    const shown = { amount: 10_000, amount_captured: 7_000, amount_refunded: 3_000 };
    expect(await read(shown, [refund('re_release', 3_000)], booked(10_000))).toEqual([
      7_000,
      7_000,
      [],
    ]);
  });

  it('stands beside refunds that are some, also beside one of the same amount', async () => {
    const release = refund('re_release', 3_000, { created: 1_692_942_000 });
    const shown = { amount: 10_000, amount_captured: 7_000, amount_refunded: 7_000 };
    const later = [refund('re_2', 1_000), refund('re_1', 3_000)];
    expect(await read(shown, [...later, release], booked(10_000))).toEqual([
      7_000,
      3_000,
      [1_000, 3_000],
    ]);
  });

  it('is the oldest of those that it may be', async () => {
    const release = refund('re_release', 3_000, { created: 1_692_942_000 });
    const shown = { amount: 10_000, amount_captured: 7_000, amount_refunded: 6_000 };
    await read(shown, [refund('re_1', 3_000), release], booked(10_000));
    const answer = await stripe.readCharge('ch_1');
    expect(answer.kind === 'found' && answer.value.refunds).toMatchObject([{ reference: 're_1' }]);
  });

  it('does not hide that the whole capture went back', async () => {
    const release = refund('re_release', 7_100, { created: 1_692_942_000 });
    const shown = { amount: 10_000, amount_captured: 2_900, amount_refunded: 10_000 };
    expect(await read(shown, [refund('re_1', 2_900), release], booked(10_000))).toEqual([
      2_900,
      0,
      [2_900],
    ]);
  });

  it.each([
    // 10000 cents at 0.9 are 9000; 10000 yen at 0.0067 are 67.00.
    ['usd', 10_000, 7_000, 'eur', 9_000, 0.9],
    ['jpy', 10_000, 7_000, 'usd', 6_700, 0.0067],
    ['usd', 10_000, 7_000, 'jpy', 15_012, 150.123],
  ])('is told in an account that is kept in another currency: %s %i, %i, %s', async (...row) => {
    const [currency, amount, captured, accountCurrency, bookedAmount, rate] = row;
    const rest = amount - captured;
    const shown = { currency, amount, amount_captured: captured, amount_refunded: rest };
    const transaction = booked(bookedAmount, { currency: accountCurrency, exchange_rate: rate });
    expect(await read(shown, [refund('re_release', rest, { currency })], transaction)).toEqual([
      captured,
      captured,
      [],
    ]);
  });
});

it('what was never captured cannot go back: the release of an authorisation is no refund', async () => {
  const shown = { captured: false, amount: 10_000, amount_captured: 0, amount_refunded: 10_000 };
  expect(await read({ ...shown, refunded: true }, [refund('re_release', 10_000)])).toEqual([
    10_000,
    0,
    [],
  ]);
});

describe('a refund that only looks like a release', () => {
  const shown = { amount: 10_000, amount_captured: 7_000, amount_refunded: 3_000 };

  it('is one where Stripe booked the capture alone', async () => {
    expect(await read(shown, [refund('re_1', 3_000)], booked(7_000))).toEqual([
      7_000,
      4_000,
      [3_000],
    ]);
  });

  it.each([
    ['is ours', refund('re_1', 3_000, { metadata: { forestall_key: 'fst_1' } })],
    ['is pending', refund('re_1', 3_000, { status: 'pending' })],
    ['is of another amount', refund('re_1', 2_999)],
  ])('is one when it %s, without asking', async (_what, only) => {
    const amount = Number(only['amount']);
    expect(await read({ ...shown, amount_refunded: amount }, [only])).toEqual([
      7_000,
      7_000 - amount,
      [amount],
    ]);
  });

  it.each<[string, FakeAnswer]>([
    ['may not be read', { status: 403, body: { error: { type: 'invalid_request_error' } } }],
    ['is neither of the two amounts', booked(8_000)],
    ['is unreadable', booked(10_000, { amount: null })],
    ['is in a currency of its own without a rate', booked(10_000, { currency: 'eur' })],
  ])('is not guessed when the balance transaction %s', async (_what, transaction) => {
    expect(await read(shown, [refund('re_1', 3_000)], transaction)).toBe('unavailable');
  });

  it('is not guessed while there is no balance transaction yet', async () => {
    const early = { ...shown, balance_transaction: null };
    expect(await read(early, [refund('re_1', 3_000)], booked(10_000))).toBe('unavailable');
  });
});

it.each<[string, object, readonly unknown[]]>([
  [
    'captured in part, without a refund',
    { amount: 10_000, amount_captured: 2_900, amount_refunded: 0 },
    [2_900, 2_900, []],
  ],
  [
    'captured with a tip',
    { amount: 10_000, amount_captured: 12_000, amount_refunded: 0 },
    [12_000, 12_000, []],
  ],
])('a charge that was %s shows what was captured', async (_what, shown, expected) => {
  expect(await read(shown, [])).toEqual(expected);
});
