/**
 * Guarantee: each adapter tells from its key or its address whether it moves real money, and states
 * nothing where it cannot tell, so that live keys never meet a test organisation.
 */
import { describe, expect, it } from 'vitest';
import { isModeClash, readProcessorMode } from '../../../src/running/roles/organisation-mode.ts';
import type { Processor } from '../../../src/service/wire/processor.ts';
import { createAdyenProcessor } from '../../../templates/processors/adyen/processor.ts';
import { createBraintreeProcessor } from '../../../templates/processors/braintree/processor.ts';
import { createCheckoutProcessor } from '../../../templates/processors/checkout/processor.ts';
import { createMollieProcessor } from '../../../templates/processors/mollie/processor.ts';
import { createPayPalProcessor } from '../../../templates/processors/paypal/processor.ts';
import { createStripeProcessor } from '../../../templates/processors/stripe/processor.ts';

const stripe = (secretKey: string): Processor => createStripeProcessor({ secretKey });
const adyen = (baseUrl: string): Processor =>
  createAdyenProcessor({ apiKey: 'k', merchantAccount: 'm', baseUrl });
const braintree = (baseUrl?: string): Processor =>
  createBraintreeProcessor({
    pendingCounts: false,
    publicKey: 'p',
    privateKey: 'k',
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
const checkout = (baseUrl: string): Processor =>
  createCheckoutProcessor({ secretKey: 'sk_1', baseUrl });
const paypal = (baseUrl?: string): Processor =>
  createPayPalProcessor({
    clientId: 'i',
    clientSecret: 's',
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });

describe('an adapter is', () => {
  it.each<[string, Processor, 'test' | 'live' | 'unknown']>([
    ['sk_test_…', stripe('sk_test_51H'), 'test'],
    ['rk_test_…', stripe('rk_test_51H'), 'test'],
    ['sk_live_…', stripe('sk_live_51H'), 'live'],
    ['rk_live_…', stripe('rk_live_51H'), 'live'],
    ['a key of a proxy', stripe('proxy-of-our-own_test_'), 'unknown'],
    ['Adyen test', adyen('https://checkout-test.adyen.com/v71'), 'test'],
    [
      'Adyen live',
      adyen('https://1797a841fbb37ca7-AdyenDemo-checkout-live.adyenpayments.com/checkout/v71'),
      'live',
    ],
    ['Adyen live, old', adyen('https://checkout-live-au.adyen.com/v71'), 'live'],
    [
      'Adyen by a proxy',
      adyen('https://adyen.internal.example/checkout-test.adyen.com'),
      'unknown',
    ],
    ['Braintree by default', braintree(), 'live'],
    ['Braintree live', braintree('https://payments.braintree-api.com'), 'live'],
    ['Braintree sandbox', braintree('https://payments.sandbox.braintree-api.com'), 'test'],
    ['Braintree by a proxy', braintree('not a URL'), 'unknown'],
    ['Checkout.com sandbox', checkout('https://vkuhvk4v.api.sandbox.checkout.com'), 'test'],
    ['Checkout.com live', checkout('https://vkuhvk4v.api.checkout.com'), 'live'],
    ['Checkout.com by a look-alike', checkout('https://api.checkout.com.example'), 'unknown'],
    [
      'Mollie test',
      createMollieProcessor({
        apiKey: 'test_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM',
        pendingCounts: false,
      }),
      'test',
    ],
    [
      'Mollie live',
      createMollieProcessor({
        apiKey: 'live_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM',
        pendingCounts: false,
      }),
      'live',
    ],
    [
      'Mollie by an access token',
      createMollieProcessor({ apiKey: 'access_test_', pendingCounts: false }),
      'unknown',
    ],
    ['PayPal by default', paypal(), 'live'],
    ['PayPal live', paypal('https://api-m.paypal.com'), 'live'],
    ['PayPal sandbox', paypal('https://api-m.sandbox.paypal.com'), 'test'],
    ['PayPal sandbox, old', paypal('https://api.sandbox.paypal.com'), 'test'],
    ['PayPal by a look-alike', paypal('https://api-m.paypal.com.example'), 'unknown'],
  ])('%s', async (_what, processor, mode) => {
    expect(await readProcessorMode(processor)).toBe(mode);
  });

  it('refused beside an organisation of the other kind', async () => {
    const live = await readProcessorMode(stripe('sk_live_51H'));
    expect(isModeClash('test', live)).toBe(true);
    expect(isModeClash('live', live)).toBe(false);
  });
});
