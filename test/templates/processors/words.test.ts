/** Guarantee: each adapter's README shows every word of its provider with what the code takes it for, and a source. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { minorUnitDigits } from '../../../src/base/kernel/money.ts';
import type { WordTable } from '../../../src/service/adapter/words.ts';
import { oursOf } from '../../../src/service/adapter/words.ts';
import { ADYEN_WORDS, adyenValueOf } from '../../../templates/processors/adyen/words.ts';
import { BRAINTREE_WORDS } from '../../../templates/processors/braintree/transaction.ts';
import {
  CHECKOUT_WORDS,
  checkoutAmountOf,
} from '../../../templates/processors/checkout/payment.ts';
import { MOLLIE_WORDS } from '../../../templates/processors/mollie/payment.ts';
import { PAYPAL_WORDS, payPalValueOf } from '../../../templates/processors/paypal/payment.ts';
import { SHOPIFY_WORDS } from '../../../templates/processors/shopify/words.ts';
import { STRIPE_WORDS } from '../../../templates/processors/stripe/charge.ts';
import { stripeDigits } from '../../../templates/shared/stripe-amounts.ts';

const ADAPTERS: readonly [string, WordTable][] = [
  ['adyen', ADYEN_WORDS],
  ['braintree', BRAINTREE_WORDS],
  ['checkout', CHECKOUT_WORDS],
  ['mollie', MOLLIE_WORDS],
  ['paypal', PAYPAL_WORDS],
  ['shopify', SHOPIFY_WORDS],
  ['stripe', STRIPE_WORDS],
];

const WORD_ROW = /^\| `([^`]+)` \| `([\w ]+)` \| `(\w+)` \| \[(\d+)\] \|$/;
const SOURCE = /^\[(\d+)\]: https:\/\/\S+$/;
const CASES = [
  'captured in part',
  'captured in several parts',
  'released remainder',
  'tip',
  'currency units',
];

async function linesOf(adapter: string): Promise<string[]> {
  const page = new URL(`../../../templates/processors/${adapter}/README.md`, import.meta.url);
  return (await readFile(page, 'utf8')).split('\n');
}

describe.each(ADAPTERS)('%s', (adapter, words) => {
  it('shows every word, what it is to Forestall, and its source', async () => {
    const lines = await linesOf(adapter);
    const rows = lines.flatMap((line) =>
      (WORD_ROW.exec(line) ?? []).length > 0 ? [WORD_ROW.exec(line)] : [],
    );
    const sources = new Set(lines.map((line) => SOURCE.exec(line)?.[1]));
    expect(rows.map((row) => row?.slice(1, 4))).toEqual(
      Object.entries(words).flatMap(([field, ours]) =>
        Object.entries(ours).map(([word, our]) => [field, word, our]),
      ),
    );
    expect(rows.filter((row) => !sources.has(row?.[4]))).toEqual([]);
  });

  it('says what partial captures, releases, tips and units are, each with a source', async () => {
    const lines = await linesOf(adapter);
    const sources = new Set(lines.map((line) => SOURCE.exec(line)?.[1]));
    const shown = CASES.map((name) => lines.find((line) => line.startsWith(`| ${name} | `)));
    for (const line of shown) expect(sources.has(/\[(\d+)\] \|$/.exec(line ?? '')?.[1])).toBe(true);
  });
});

/** Decimal places that the README names, as `` `ISK` 2 ``. */
async function unitsOf(adapter: string): Promise<Record<string, number>> {
  const line = (await linesOf(adapter)).find((text) => text.startsWith('| currency units |')) ?? '';
  return Object.fromEntries(
    [...line.matchAll(/`([A-Z]{3})` (\d)/g)].map(([, currency = '', digits]) => [
      currency,
      Number(digits),
    ]),
  );
}

/** Every currency whose units could differ: those of ISO 4217 that Intl knows. */
const CURRENCIES = Intl.supportedValuesOf('currency');

/** 10,000 main units as the provider counts them, as a power of ten. */
function countedDigits(
  currency: string,
  count: (amountMinor: number, currency: string) => number | undefined,
): number {
  const counted = count(10_000 * 10 ** minorUnitDigits(currency), currency) ?? Number.NaN;
  return Math.log10(counted / 10_000);
}

describe('the units that a README names are those of the code, all of them', () => {
  it.each<[string, (currency: string) => number]>([
    ['stripe', stripeDigits],
    ['adyen', (currency) => countedDigits(currency, adyenValueOf)],
    ['checkout', (currency) => countedDigits(currency, checkoutAmountOf)],
    [
      'paypal',
      (currency) =>
        (payPalValueOf(10_000 * 10 ** minorUnitDigits(currency), currency) ?? '').split('.')[1]
          ?.length ?? 0,
    ],
  ])('%s', async (adapter, digitsOf) => {
    const differing = CURRENCIES.filter(
      (currency) => Math.round(digitsOf(currency)) !== minorUnitDigits(currency),
    );
    const inCode = Object.fromEntries(
      differing.map((currency) => [currency, Math.round(digitsOf(currency))]),
    );
    expect(inCode).toEqual(await unitsOf(adapter));
  });
});

it('a word that is no word of a table means nothing, whatever objects call it', () => {
  const words = { succeeded: 'yes' } as const;
  expect(oursOf(words, 'succeeded')).toBe('yes');
  for (const word of ['constructor', 'toString', '__proto__', 'Succeeded', '', null]) {
    expect(oursOf(words, word)).toBeUndefined();
  }
});
