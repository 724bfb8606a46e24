/**
 * Guarantee: what the READMEs of the adapters say of the providers' own SDKs holds: where calls are made by hand, the SDK
 * loses a promise of the processor's port. A version of an SDK that keeps it fails here; then the adapter can be written
 * over it.
 */
import { Client as AdyenClient, CheckoutAPI, EnvironmentEnum } from '@adyen/api-library';
import { createMollieClient } from '@mollie/api-client';
import * as paypal from '@paypal/paypal-server-sdk';
import braintree from 'braintree';
import { Checkout } from 'checkout-sdk-node';
import { Client as NewerMollie } from 'mollie-api-typescript';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { createAdyenProcessor } from '../../../templates/processors/adyen/processor.ts';
import { createCheckoutProcessor } from '../../../templates/processors/checkout/processor.ts';
import { createMollieProcessor } from '../../../templates/processors/mollie/processor.ts';

nock.restore();
beforeEach(() => {
  nock.activate();
  nock.disableNetConnect();
});
afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
  nock.restore();
});

const { signal } = new AbortController();
const REQUEST = {
  ...{ idempotencyKey: 'fst_1', chargeReference: 'tr_1', alertId: 'netalrt_1', reason: 'alert' },
  ...{ amountMinor: 595, currency: 'EUR' },
};

/** Answers every request to the host so, and counts them. */
function answering(
  base: string,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): { readonly bodies: string[]; readonly keys: unknown[] } {
  const seen: { bodies: string[]; keys: unknown[] } = { bodies: [], keys: [] };
  nock(base)
    .persist()
    .post(/.*/)
    .reply(async (request: Request) => {
      seen.bodies.push(await request.text());
      const { headers: sent } = request;
      seen.keys.push(sent.get('idempotency-key') ?? sent.get('cko-idempotency-key'));
      return [status, '{}', { 'content-type': 'application/json', ...headers }];
    });
  return seen;
}

describe('Mollie', () => {
  const BASE = 'https://api.mollie.com';

  it('sends a refund again by itself, as often and as late as the answer says; by hand it goes out once', async () => {
    const bySdk = answering(BASE, 503, { 'retry-after': '0' });
    const sdk = createMollieClient({ apiKey: 'test_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM' });
    const wanted = {
      ...{ paymentId: 'tr_1', description: 'Refund', idempotencyKey: 'fst_1' },
      amount: { currency: 'EUR', value: '5.95' },
    };
    await expect(sdk.paymentRefunds.create(wanted)).rejects.toThrow();
    expect(bySdk.keys).toEqual(['fst_1', 'fst_1', 'fst_1']);
    nock.cleanAll();

    const byHand = answering(BASE, 503, { 'retry-after': '0' });
    const mollie = createMollieProcessor({ apiKey: 'test_1', pendingCounts: false });
    expect(await mollie.refund(REQUEST, signal)).toMatchObject({ kind: 'unknown' });
    expect(byHand.keys).toEqual(['fst_1']);
  });
});

describe("Mollie's newer SDK, mollie-api-typescript", () => {
  const BASE = 'https://api.mollie.com';
  const newer = new NewerMollie({ security: { apiKey: 'test_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM' } });
  const amount = { currency: 'EUR', value: '5.95' };
  const refundRequest = { description: 'Refund', amount, metadata: { forestall_key: 'fst_1' } };
  const wanted = { paymentId: 'tr_1', idempotencyKey: 'fst_1', refundRequest };
  const once = { retries: { strategy: 'none' as const } };
  const link = { href: 'https://api.mollie.com', type: 'application/hal+json' };
  const refund = {
    ...{ resource: 'refund', id: 're_1', mode: 'test', status: 'pending', paymentId: 'tr_1' },
    ...{ ...refundRequest, createdAt: '2026-09-21T14:13:20+00:00' },
    _links: { self: link, payment: link, documentation: link },
  };

  /** Answers one request after the other; the keys that came. */
  function answeringHal(
    ...answers: readonly (readonly [status: number, body: object])[]
  ): unknown[] {
    const keys: unknown[] = [];
    nock(BASE)
      .persist()
      .post(/.*/)
      .reply((request: Request) => {
        const [status, body] = answers[keys.length] ?? [500, {}];
        keys.push(request.headers.get('idempotency-key'));
        return [status, JSON.stringify(body), { 'content-type': 'application/hal+json' }];
      });
    return keys;
  }

  it('sends a refund again by itself too; unlike the older one it can be told not to', async () => {
    const byDefault = answeringHal([503, {}], [201, refund]);
    await expect(newer.refunds.create(wanted)).resolves.toMatchObject({ id: 're_1' });
    expect(byDefault).toEqual(['fst_1', 'fst_1']);
    nock.cleanAll();
    const told = answeringHal([503, {}], [201, refund]);
    await expect(newer.refunds.create(wanted, once)).rejects.toThrow('503');
    expect(told).toEqual(['fst_1']);
  });

  it('throws a refund away that was made, for a field that nobody needs; by hand it is read', async () => {
    const { description: _left, ...answer } = refund;
    answeringHal([201, answer]);
    await expect(newer.refunds.create(wanted, once)).rejects.toThrow('Response validation failed');
    nock.cleanAll();
    answeringHal([201, answer]);
    const mollie = createMollieProcessor({ apiKey: 'test_1', pendingCounts: false });
    const outcome = await mollie.refund(REQUEST, signal);
    expect(outcome).toMatchObject({ kind: 'pending', refund: { reference: 're_1' } });
  });
});

describe('Adyen', () => {
  const BASE = 'https://checkout-test.adyen.com';
  const OTHER = 'https://elsewhere.adyen.com';
  const amount = { currency: 'EUR', value: 595 };
  const wanted = { merchantAccount: 'Shop', amount, reference: 'fst_1' };
  const { ModificationsApi: alone } = new CheckoutAPI(
    new AdyenClient({ apiKey: 'k', environment: EnvironmentEnum.TEST }),
  );
  const overOurs = createAdyenProcessor({
    ...{ apiKey: 'k', merchantAccount: 'Shop', baseUrl: `${BASE}/v71` },
  });

  it('alone sends a refund on to another of its hosts; over our call it does not', async () => {
    const location = `${OTHER}/v71/payments/tr_1/refunds`;
    answering(BASE, 308, { location });
    const bySdk = answering(OTHER, 201);
    await alone.refundCapturedPayment('tr_1', wanted, { idempotencyKey: 'fst_1' });
    expect(bySdk.keys).toEqual(['fst_1']);
    nock.cleanAll();

    answering(BASE, 308, { location });
    const byUs = answering(OTHER, 201);
    expect(await overOurs.refund(REQUEST, signal)).toMatchObject({ kind: 'unknown' });
    expect(byUs.keys).toEqual([]);
  });

  it('alone believes the status in the body: an outage would be a refusal; over our call it is none', async () => {
    const body = {
      status: 422,
      errorCode: '137',
      message: 'Invalid amount',
      errorType: 'validation',
    };
    nock(BASE).persist().post(/.*/).reply(502, body);
    const options = { idempotencyKey: 'fst_1' };
    await expect(alone.refundCapturedPayment('tr_1', wanted, options)).rejects.toMatchObject({
      ...{ statusCode: 422, errorCode: '137' },
    });
    expect(await overOurs.refund(REQUEST, signal)).toMatchObject({ kind: 'unknown' });
  });

  it('alone takes an answer of any size; over our call it ends', async () => {
    const received = { merchantAccount: 'Shop', paymentPspReference: 'tr_1', pspReference: 'R1' };
    // 6 MiB, above the 5 that are read.
    const body = { ...received, status: 'received', amount, note: 'x'.repeat(6 * 1024 * 1024) };
    nock(BASE).persist().post(/.*/).reply(201, body);
    await expect(
      alone.refundCapturedPayment('tr_1', wanted, { idempotencyKey: 'fst_1' }),
    ).resolves.toMatchObject({ pspReference: 'R1' });
    expect(await overOurs.refund(REQUEST, signal)).toMatchObject({
      ...{ kind: 'unknown', reason: 'HTTP 201, answer too large' },
    });
  });
});

describe('Checkout.com', () => {
  const BASE = 'https://shop.api.sandbox.checkout.com';
  const OTHER = 'https://elsewhere.example';

  it('sends a refund on to whatever host an answer names; by hand it does not', async () => {
    const redirect = { location: `${OTHER}/payments/pay_1/refunds` };
    answering(BASE, 307, redirect);
    const bySdk = answering(OTHER, 202);
    const key = 'sk_sbox_m73dzbpy7cf3gfd46xr4yj5xo4e';
    const sdk = new Checkout(key, {
      ...{ pk: 'pk_sbox_pkhpdtvmkgf7hdnpwnbhw7r2uic', subdomain: 'shop', environment: 'sandbox' },
    });
    await sdk.payments.refund('pay_1', { amount: 595, reference: 'fst_1' }, 'fst_1');
    expect(bySdk.keys).toEqual(['fst_1']);
    nock.cleanAll();

    answering(BASE, 307, redirect);
    const byHand = answering(OTHER, 202);
    const checkout = createCheckoutProcessor({ secretKey: key, baseUrl: BASE });
    const request = { ...REQUEST, chargeReference: 'pay_1' };
    expect(await checkout.refund(request, signal)).toMatchObject({ kind: 'unknown' });
    expect(byHand.keys).toEqual([]);
  });

  it('gives no type to an answer', () => {
    type Answer = Awaited<ReturnType<Checkout['payments']['refund']>>;
    expectTypeOf<Answer>().toBeAny();
  });
});

describe('Braintree', () => {
  it('has no key that would keep a refund from being made twice', async () => {
    const seen: string[] = [];
    nock('https://api.sandbox.braintreegateway.com')
      .persist()
      .post(/\/refund$/)
      .reply(async (request: Request) => {
        seen.push(`${JSON.stringify([...request.headers])} ${await request.text()}`);
        return [503, ''];
      });
    const sdk = new braintree.BraintreeGateway({
      ...{ environment: braintree.Environment.Sandbox, merchantId: 'm' },
      ...{ publicKey: 'p', privateKey: 'k' },
    });
    await expect(sdk.transaction.refund('t1', '5.95')).rejects.toThrow();
    expect(seen).toHaveLength(1);
    expect(seen[0]).not.toMatch(/idempoten|request-?id|apiRequestKey|api-request-key/i);
    // The whole request: which transaction and how much, and a number of an order, by which nothing is deduplicated.
    expectTypeOf(sdk.transaction.refund).parameter(1).toEqualTypeOf<string | undefined>();
  });
});

describe('PayPal', () => {
  it('knows no disputes: a charge whose dispute is open would be refunded beside it', () => {
    const controllers = Object.keys(paypal).filter((name) => name.endsWith('Controller'));
    expect(controllers).toContain('PaymentsController');
    expect(controllers.filter((name) => /dispute/i.test(name))).toEqual([]);
  });
});
