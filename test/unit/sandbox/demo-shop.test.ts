/** Guarantee: what the demonstration shop sells is no twin of an earlier sale unless one was asked for. */
import { describe, expect, it } from 'vitest';
import type { DemoCharge } from '../../../src/sandbox/demo-shop.ts';
import { makeSale, PRODUCTS } from '../../../src/sandbox/demo-shop.ts';

const NOW_MS = Date.parse('2026-11-20T00:00:00Z');

const kept = ({ amount_in_cents, card_last4 }: DemoCharge) => ({
  amount_in_cents,
  card: { last4: card_last4 },
});

/** Payments of the price with all cards but those that end in 7. */
const taken = (product: { readonly priceMinor: number }) =>
  Array.from({ length: 10_000 }, (_, number) => String(number).padStart(4, '0'))
    .filter((last4) => !last4.endsWith('7'))
    .map((last4) => ({ amount_in_cents: product.priceMinor, card: { last4 } }));

describe('a sale', () => {
  it('has a card that no other payment of its price has', () => {
    const wishes = { product: PRODUCTS.font, unlike: taken(PRODUCTS.font) };
    const cards = Array.from({ length: 20 }, () => makeSale(wishes, NOW_MS).charge.card_last4);
    expect(cards.filter((last4) => !last4.endsWith('7'))).toEqual([]);
  });

  it('shares the card where a twin is asked for', () => {
    const { charge } = makeSale({ product: PRODUCTS.font }, NOW_MS);
    const wishes = { product: PRODUCTS.font, twinOf: { charge }, unlike: [kept(charge)] };
    const twin = makeSale(wishes, NOW_MS).charge;
    expect(twin.card_last4).toBe(charge.card_last4);
    expect(twin.reference).not.toBe(charge.reference);
  });
});
