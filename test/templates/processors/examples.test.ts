/** Guarantee: each example is a module that Forestall can open, and none starts without its key. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { openProcessor } from '../../../src/running/roles/open-processor.ts';

const SETTINGS = [
  ['stripe', 'Stripe', ['STRIPE_SECRET_KEY']],
  [
    'adyen',
    'Adyen',
    ['ADYEN_API_KEY', 'ADYEN_MERCHANT_ACCOUNT', 'ADYEN_URL', 'ADYEN_DATABASE_URL'],
  ],
  [
    'braintree',
    'Braintree',
    ['BRAINTREE_PUBLIC_KEY', 'BRAINTREE_PRIVATE_KEY', 'BRAINTREE_URL', 'BRAINTREE_PENDING_COUNTS'],
  ],
  ['checkout', 'Checkout.com', ['CHECKOUT_SECRET_KEY', 'CHECKOUT_URL']],
  ['mollie', 'Mollie', ['MOLLIE_API_KEY', 'MOLLIE_PENDING_COUNTS']],
  ['shopify', 'Shopify Payments', ['SHOPIFY_SHOP', 'SHOPIFY_ACCESS_TOKEN']],
  ['paypal', 'PayPal', ['PAYPAL_CLIENT_ID', 'PAYPAL_CLIENT_SECRET', 'PAYPAL_URL']],
] as const;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

const clock = createFixedClock('2026-11-20T00:00:00Z');

describe.each(SETTINGS)('%s', (folder, name, settings) => {
  const place = {
    kind: 'module' as const,
    path: `templates/processors/${folder}/processor.example.ts`,
  };

  it('opens as the processor that FORESTALL_PROCESSOR names', async () => {
    for (const setting of settings) vi.stubEnv(setting, 'https://provider.example');
    expect(await openProcessor(place, clock)).toMatchObject({ name });
  });

  it.each(settings)('does not open without %s', async (missing) => {
    for (const setting of settings) vi.stubEnv(setting, 'https://provider.example');
    vi.stubEnv(missing, '');
    await expect(openProcessor(place, clock)).rejects.toMatchObject({
      // The module's own next step is the last word.
      message: expect.stringMatching(
        `cannot be loaded: ${missing} is not set\\. Set it [a-z ]+\\.$`,
      ),
    });
  });
});
