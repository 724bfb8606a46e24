/**
 * Guarantee: the Checkout.com adapter calls Checkout.com as its own SDK does. The SDK types no answers: the
 * words stand in the published reference, with their sources in the adapter's README.
 */
import { Checkout } from 'checkout-sdk-node';
import { expect, it } from 'vitest';
import type { RefundRequest } from '../../../src/service/wire/processor.ts';
import { createCheckoutProcessor } from '../../../templates/processors/checkout/processor.ts';
import { actionsOf, checkoutAnswer, paymentBody } from '../processors/fakes/checkout-fake.ts';
import type { FakeAnswer, FakeRequest } from '../processors/fakes/fake-provider.ts';
import { Ledger } from '../processors/fakes/ledger.ts';
import { callsOf } from './support/same-request.ts';

const BASE = 'https://test.api.sandbox.checkout.com';
const KEY = 'sk_sbox_o2nulev2arguvyf6w7sc5fkznas';
const checkout = createCheckoutProcessor({ secretKey: KEY, baseUrl: BASE });
const sdk = new Checkout(KEY, { subdomain: 'test' });
const { signal } = new AbortController();
const REQUEST: RefundRequest = {
  idempotencyKey: 'fst_1',
  chargeReference: 'pay_1',
  alertId: 'netalrt_1',
  reason: 'alert',
  amountMinor: 400,
  currency: 'USD',
};

const authorised = new Ledger().open({ id: 'pay_1', captured: false });

function answer({ method, path }: FakeRequest): FakeAnswer {
  if (method === 'POST') return checkoutAnswer(202, { action_id: 'act_1', reference: 'fst_1' });
  if (path.endsWith('/actions')) return checkoutAnswer(200, actionsOf(authorised));
  if (path === '/disputes') return checkoutAnswer(200, { total_count: 0, data: [] });
  return checkoutAnswer(200, paymentBody(authorised, 0));
}

it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
  [
    'refund',
    () => checkout.refund(REQUEST, signal),
    () =>
      sdk.payments.refund(
        'pay_1',
        { amount: 400, reference: 'fst_1', metadata: { forestall_alert: 'netalrt_1' } },
        'fst_1',
      ),
  ],
  ['reading a payment', () => checkout.readCharge('pay_1'), () => sdk.payments.get('pay_1')],
  ['its actions', () => checkout.readCharge('pay_1'), () => sdk.payments.getActions('pay_1')],
  [
    'its disputes',
    () => checkout.readCharge('pay_1'),
    () => sdk.disputes.get({ payment_id: 'pay_1', limit: 250 }),
  ],
  [
    'void',
    () => checkout.voidCharge('pay_1', 'fst_1', signal),
    () => sdk.payments.void('pay_1', { reference: 'fst_1_void' }, 'fst_1_void'),
  ],
])('%s is the SDK’s call', async (_what, ours, theirs) => {
  const own = await callsOf(BASE, answer, ours);
  const them = await callsOf(BASE, answer, theirs);
  const [call] = them.seen;
  expect(own.seen).toContainEqual(call);
  const of = (requests: readonly FakeRequest[]): FakeRequest | undefined =>
    requests.find(({ method, path }) => method === call?.method && path === call.path);
  expect(of(own.requests)?.headers['authorization']).toBe(
    of(them.requests)?.headers['authorization'],
  );
  expect(of(own.requests)?.headers['cko-idempotency-key']).toBe(
    of(them.requests)?.headers['cko-idempotency-key'],
  );
});
