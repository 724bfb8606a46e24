/** Guarantee: each adapter's README shows the classes that its code gives to the provider's words. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ADYEN_CLASSES } from '../../../templates/processors/adyen/words.ts';
import { BRAINTREE_CLASSES } from '../../../templates/processors/braintree/transaction.ts';
import { CHECKOUT_CLASSES } from '../../../templates/processors/checkout/payment.ts';
import { MOLLIE_CLASSES } from '../../../templates/processors/mollie/payment.ts';
import { PAYPAL_CLASSES } from '../../../templates/processors/paypal/payment.ts';
import { SHOPIFY_CLASSES } from '../../../templates/processors/shopify/refusals.ts';
import { STRIPE_CLASSES } from '../../../templates/processors/stripe/charge.ts';

const ROW = /^\| `([^`]+)` \| `(retry|ours|final|done)` \| [^|]+ \|$/;

it.each([
  ['adyen', ADYEN_CLASSES],
  ['braintree', BRAINTREE_CLASSES],
  ['checkout', CHECKOUT_CLASSES],
  ['mollie', MOLLIE_CLASSES],
  ['paypal', PAYPAL_CLASSES],
  ['shopify', SHOPIFY_CLASSES],
  ['stripe', STRIPE_CLASSES],
])('%s', async (adapter, classes) => {
  const page = new URL(`../../../templates/processors/${adapter}/README.md`, import.meta.url);
  const lines = (await readFile(page, 'utf8')).split('\n');
  const rows = lines.flatMap((line) => {
    const [, word, failureClass] = ROW.exec(line) ?? [];
    return word === undefined ? [] : [[word, failureClass]];
  });
  expect(rows).toEqual([...classes]);
  expect(new Set(rows.map(([word]) => word)).size).toBe(rows.length);
});
