/**
 * Guarantee: the interval is Robbins' mixture, worked out independently, and holds however often one looks.
 *
 * The expected edges were computed with Python: the root in p of
 * `lgamma(1+k) + lgamma(1+n-k) - lgamma(2+n) - k*log(p) - (n-k)*log(1-p) = log(20)`, `math.lgamma`, by bisection.
 */
import { expect, it } from 'vitest';
import {
  casesToTell,
  confidenceSequence,
  logBeta,
} from '../../../src/base/kernel/confidence-sequence.ts';
import { createRandom } from '../../../src/sandbox/ids.ts';

it.each([
  [0, 1, 0, 0.975],
  [0, 20, 0, 0.260671],
  [11, 20, 0.242863, 0.831863],
  [32.5, 50, 0.432388, 0.831472],
  [130, 200, 0.53451, 0.754731],
  [520, 800, 0.589492, 0.707442],
  [1100, 2000, 0.509505, 0.590058],
  [20, 20, 0.739329, 1],
])('%s of %s lie between %s and %s', (events, cases, low, high) => {
  const found = confidenceSequence(events, cases);
  expect(found.low).toBeCloseTo(low, 6);
  expect(found.high).toBeCloseTo(high, 6);
});

it('takes what is known beforehand, and knows nothing without a case', () => {
  const { low, high } = confidenceSequence(5, 50, { yes: 2, no: 18 });
  expect(low).toBeCloseTo(0.02301376, 7);
  expect(high).toBeCloseTo(0.25072076, 7);
  expect(confidenceSequence(0, 0)).toEqual({ low: 0, high: 1 });
  // Γ(½)² = π; Python's lgamma for the other.
  expect(logBeta(0.5, 0.5)).toBeCloseTo(Math.log(Math.PI), 11);
  expect(logBeta(3, 4.5)).toBeCloseTo(-4.387480485356345, 11);
});

it('is wrong at some of 80 looks in at most 5 % of runs, where a fixed interval is in a quarter', () => {
  const random = createRandom(20261128);
  let [sequence, wilson] = [0, 0];
  const runs = 400;
  for (let run = 0; run < runs; run++) {
    let [events, wrong, wrongWilson] = [0, false, false];
    for (let cases = 1; cases <= 800; cases++) {
      if (random() < 0.3) events += 1;
      if (cases % 10 !== 0) continue;
      const { low, high } = confidenceSequence(events, cases);
      wrong ||= low > 0.3 || high < 0.3;
      wrongWilson ||= isOutsideWilson(events, cases, 0.3);
    }
    if (wrong) sequence += 1;
    if (wrongWilson) wilson += 1;
  }
  expect(sequence / runs).toBeLessThanOrEqual(0.05);
  // The control: the looks are enough to mislead an interval made for one look.
  expect(wilson / runs).toBeGreaterThan(0.2);
});

it('says how many cases would tell, and that none would where the two are alike', () => {
  const most = casesToTell(0.65, 0.5) ?? 0;
  const at = (cases: number) => confidenceSequence(0.65 * cases, cases).low;
  expect(at(most)).toBeGreaterThan(0.5);
  expect(at(most - 1)).toBeLessThanOrEqual(0.5);
  expect(casesToTell(0.4, 0.4)).toBeUndefined();
});

function isOutsideWilson(events: number, cases: number, share: number): boolean {
  const z = 1.96;
  const found = events / cases;
  const middle = (found + (z * z) / (2 * cases)) / (1 + (z * z) / cases);
  const half =
    (z / (1 + (z * z) / cases)) *
    Math.sqrt((found * (1 - found)) / cases + (z * z) / (4 * cases * cases));
  return share < middle - half || share > middle + half;
}
