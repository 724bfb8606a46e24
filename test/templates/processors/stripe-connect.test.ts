/**
 * Guarantee: a platform's refund takes back what the connected account got and what the platform kept,
 * where the platform says so and the charge has it, and never in another way under the same key.
 *
 * https://docs.stripe.com/connect/destination-charges#issue-refunds,
 * https://docs.stripe.com/connect/direct-charges#issue-refunds
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { RefundRequest } from '../../../src/service/wire/processor.ts';
import type { StripeConnect } from '../../../templates/processors/stripe/processor.ts';
import { createStripeProcessor } from '../../../templates/processors/stripe/processor.ts';
import type { FakeAnswer, FakeProvider, FakeRequest } from './fakes/fake-provider.ts';
import { serveAnswers } from './fakes/fake-provider.ts';
import { Ledger } from './fakes/ledger.ts';
import { chargeBody, refundBody, STRIPE_BASE } from './fakes/stripe-fake.ts';

let served: FakeProvider | undefined;
afterEach(() => {
  served?.stop();
  served = undefined;
});

const { signal } = new AbortController();
const ledger = new Ledger();
const opened = ledger.open({ id: 'ch_1' });
const charge = chargeBody(opened, ledger);
const DESTINATION = { transfer: 'tr_1', transfer_data: { amount: null, destination: 'acct_9' } };
const FEE = { application_fee: 'fee_1', application_fee_amount: 100 };

function requestFor(chargeReference: string): RefundRequest {
  const facts = { idempotencyKey: 'fst_1', chargeReference, alertId: 'netalrt_1', reason: 'alert' };
  return { ...facts, amountMinor: 1000, currency: 'USD' };
}

/** What the refund asked for beside amount and metadata; undefined when none was sent. */
async function sent(connect: StripeConnect, shown: object, reference = 'ch_1') {
  served = serveAnswers(STRIPE_BASE, (request) => answer(request, { ...charge, ...shown }));
  const stripe = createStripeProcessor({ secretKey: 'sk_test_1', connect });
  const outcome = await stripe.refund(requestFor(reference), signal);
  expect(outcome).toMatchObject({ kind: 'confirmed' });
  const post = served.requests.find(({ method }) => method === 'POST');
  const form = new URLSearchParams(post?.body);
  return [form.get('reverse_transfer'), form.get('refund_application_fee')];
}

function answer({ method, path }: FakeRequest, shown: object): FakeAnswer {
  const moved = {
    id: 're_1',
    key: 'fst_1',
    amount: 1000,
    created: 1,
    status: 'succeeded',
  } as const;
  if (method === 'POST') return { status: 200, body: refundBody(moved, opened) };
  if (path.startsWith('/v1/charges/')) return { status: 200, body: shown };
  return { status: 200, body: { id: 'pi_1', object: 'payment_intent', latest_charge: shown } };
}

const BOTH: StripeConnect = { reverseTransfer: true, refundApplicationFee: true };

describe('a refund of a platform', () => {
  it.each<[string, StripeConnect, object, (string | null)[]]>([
    ['a destination charge with a fee', BOTH, { ...DESTINATION, ...FEE }, ['true', 'true']],
    ['a destination charge without a fee', BOTH, DESTINATION, ['true', null]],
    ['a direct charge with a fee', BOTH, FEE, [null, 'true']],
    // Stripe refuses to reverse what was never transferred.
    ['a charge of the platform itself', BOTH, {}, [null, null]],
    ['only the transfer', { reverseTransfer: true }, { ...DESTINATION, ...FEE }, ['true', null]],
    ['only the fee', { refundApplicationFee: true }, { ...DESTINATION, ...FEE }, [null, 'true']],
  ])('of %s', async (_what, connect, shown, expected) => {
    expect(await sent(connect, shown)).toEqual(expected);
  });

  it('finds the charge behind an intent', async () => {
    served = serveAnswers(STRIPE_BASE, (request) => answer(request, { ...charge, ...DESTINATION }));
    const { requests } = served;
    const stripe = createStripeProcessor({
      secretKey: 'sk_test_1',
      references: 'payment_intent',
      connect: BOTH,
    });
    await stripe.refund(requestFor('pi_1'), signal);
    const form = new URLSearchParams(requests.find(({ method }) => method === 'POST')?.body);
    expect([form.get('payment_intent'), form.get('reverse_transfer')]).toEqual(['pi_1', 'true']);
  });

  it('asks nothing before the refund where the platform does not say so', async () => {
    expect(await sent({}, { ...DESTINATION, ...FEE })).toEqual([null, null]);
    expect(served?.requests.map(({ method }) => method)).toEqual(['POST']);
  });
});

describe('what the charge has must be known before anything is sent', () => {
  function refund(reply: FakeAnswer) {
    served = serveAnswers(STRIPE_BASE, () => reply);
    const stripe = createStripeProcessor({ secretKey: 'sk_test_1', connect: BOTH });
    return stripe.refund(requestFor('ch_1'), signal);
  }

  it.each<[string, FakeAnswer]>([
    ['fails', { status: 500, body: { error: { type: 'api_error' } } }],
    ['shows no charge', { status: 200, body: {} }],
    // Absent fields are not "none": a proxy may have cut them.
    ['does not show the two fields', { status: 200, body: { id: 'ch_1' } }],
  ])('so nothing is sent when reading it %s', async (_what, reply) => {
    expect(await refund(reply)).toMatchObject({ kind: 'unknown' });
    expect(served?.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it('and a charge that Stripe does not have is refused without a refund', async () => {
    const error = { type: 'invalid_request_error', code: 'resource_missing' };
    expect(await refund({ status: 404, body: { error } })).toEqual({
      kind: 'rejected',
      failureCode: 'resource_missing',
      failureClass: 'ours',
    });
    expect(served?.requests.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('too little money is tried again', () => {
  it.each(['balance_insufficient', 'insufficient_funds'])('%s', async (code) => {
    const error = { type: 'invalid_request_error', code };
    served = serveAnswers(STRIPE_BASE, ({ method }) =>
      method === 'POST'
        ? { status: 400, body: { error } }
        : { status: 200, body: { ...charge, ...DESTINATION, ...FEE } },
    );
    const stripe = createStripeProcessor({ secretKey: 'sk_test_1', connect: BOTH });
    expect(await stripe.refund(requestFor('ch_1'), signal)).toEqual({
      kind: 'rejected',
      failureCode: code,
      failureClass: 'retry',
    });
  });

  it('and a refund that waits for money is pending', async () => {
    const moved = {
      id: 're_1',
      key: 'fst_1',
      amount: 1000,
      created: 1,
      status: 'pending',
    } as const;
    const body = { ...refundBody(moved, opened), pending_reason: 'insufficient_funds' };
    served = serveAnswers(STRIPE_BASE, () => ({ status: 200, body }));
    const stripe = createStripeProcessor({ secretKey: 'sk_test_1' });
    expect(await stripe.refund(requestFor('ch_1'), signal)).toMatchObject({ kind: 'pending' });
  });
});
