/**
 * Guarantee: of two layers of guards the stricter word holds, whichever of them says it, and every attempt to loosen is
 * told. The words are those that the README of the installation lists.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BOUNDS, loosened, tightest } from '../../../src/alerts/guard/guard-bounds.ts';
import { guardsOf, readStatedGuards } from '../../../src/alerts/guard/guard-settings.ts';

const read = (text: string) => readStatedGuards(text, 'guards');

const OUTER = read(`
caps:
  charge: {amount: 500.00 USD}
  customer: {count: 3, days: 30}
  day: {count: 100, amount: [5000.00 USD, 4500.00 EUR]}
approval: {above: 250.00 USD}
breaker: {window: 1h, usual_over: 7d, times: 5, at_least: 50}
fallback: {before: 2h}
`);

describe('two layers as one', () => {
  it('hold the stricter word of each', () => {
    const inner = read(`
caps:
  charge: {amount: [900.00 USD, 100.00 EUR]}
  customer: {count: 2, days: 7}
  hour: {count: 10}
  day: {count: 500, amount: [100.00 USD]}
approval: {above: [900.00 USD, 80.00 EUR]}
breaker: {window: 2h, usual_over: 7d, times: 3, at_least: 80, above: 400}
fallback: {before: 30m}
`);
    expect(guardsOf(tightest(OUTER, inner))).toEqual({
      caps: {
        // A currency that only one of them names is not covered by the other, so a person is asked.
        charge: { amountMinor: { USD: 50_000 } },
        customer: { count: 2, days: 30 },
        hour: { count: 10 },
        day: { count: 100, amountMinor: { USD: 10_000 } },
      },
      approvalAboveMinor: { USD: 25_000 },
      breaker: { windowMs: 3_600_000, usualOverMs: 604_800_000, times: 3, atLeast: 50, above: 400 },
      cancelSubscriptions: 'fraud_and_cancellation',
      fallbackBeforeMs: 7_200_000,
    });
    expect(loosened(OUTER, inner)).toEqual(
      [
        'caps.customer.days',
        'caps.day.count',
        'breaker.window',
        'breaker.at_least',
        'fallback.before',
        'caps.charge.amount',
        'approval.above',
      ].sort((x, y) => order(x) - order(y)),
    );
  });

  it('let a lower layer switch no breaker off, and switch one on', () => {
    const off = read('breaker: off');
    expect(tightest(OUTER, off).breaker).toEqual(OUTER.breaker);
    expect(loosened(OUTER, off)).toEqual(['breaker']);
    expect(tightest(off, OUTER).breaker).toEqual(OUTER.breaker);
    expect(loosened(off, OUTER)).toEqual([]);
    expect(guardsOf(tightest(off, read('{}'))).breaker).toBeNull();
  });

  it('are each alone where the other says nothing', () => {
    const nothing = read('{}');
    expect(tightest(OUTER, nothing)).toEqual(OUTER);
    expect(tightest(nothing, OUTER)).toEqual(OUTER);
    expect([loosened(OUTER, nothing), loosened(nothing, OUTER)]).toEqual([[], []]);
    expect(tightest(OUTER, OUTER)).toEqual(OUTER);
    expect(loosened(OUTER, OUTER)).toEqual([]);
  });

  it('are compared by the table that the README shows', () => {
    const readme = new URL('../../../src/running/installation/README.md', import.meta.url);
    const rows = [...readFileSync(readme, 'utf8').matchAll(/^\| `([a-z_.]+)` \| ([^|]+) \|/gm)];
    const shown = rows.map(([, word, tighter = '']) => `${word}: ${tighter.trim()}`);
    for (const { word, tighter } of BOUNDS) expect(shown).toContain(`${word}: ${tighter}`);
  });
});

function order(word: string): number {
  return BOUNDS.findIndex((bound) => bound.word === word);
}
