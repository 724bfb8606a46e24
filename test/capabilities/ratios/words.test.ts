/** Guarantee: what is said ahead of a line names everything that the line asks for, so that no sentence contradicts the numbers beside it. */
import { expect, test } from 'vitest';
import type { Forecast } from '../../../src/capabilities/ratios/forecast.ts';
import type { Line } from '../../../src/capabilities/ratios/programme.ts';
import { forecastText } from '../../../src/capabilities/ratios/words.ts';

const NOW = new Date('2026-11-23T00:00:00Z');
const CROSSED: Forecast = { kind: 'crossed', target: 6, counted: 14 };
const NOT_AHEAD: Forecast = {
  kind: 'not_ahead',
  until: new Date('2026-12-24T00:00:00Z'),
  earliest: null,
};

function said(needs: Partial<Line>, forecast: Forecast): string {
  const line: Line = {
    ...{ name: 'line', confidence: 'secondary', source: 'test', next_step: 'none' },
    ...needs,
  };
  return forecastText({ line, forecast }, NOW);
}

test('a line of a ratio and a count names both', () => {
  expect(said({ ratio_percent: 1.5, count: 1_500 }, NOT_AHEAD)).toBe(
    'At this pace you do not cross 1.5 % with at least 1,500 items until 24 December.',
  );
});

test.each([
  [{ ratio_percent: 0.5 }, 'The line of 0.5 % is crossed: 14 counted, 6 are enough.'],
  [{ count: 6 }, 'The line of 6 items is crossed: 14 counted, 6 are enough.'],
])('a line of %j names it', (needs, sentence) => {
  expect(said(needs, CROSSED)).toBe(sentence);
});

test('a line that needs more than is counted ahead is reached, not crossed, and says what it needs', () => {
  const needs = {
    ...{ ratio_percent: 0.5, base_count: 1_000, amount_above_usd: 50_000 },
    three_d_secure_below_percent: 10,
  };
  const besides =
    'The line also needs 1,000 payments, more than 50,000 USD, less than 10 % through 3-D Secure.';
  expect(said(needs, CROSSED)).toBe(
    `The line of 0.5 % is reached: 14 counted, 6 are enough. ${besides}`,
  );
  expect(said(needs, NOT_AHEAD)).toBe(
    `At this pace you do not reach 0.5 % until 24 December. ${besides}`,
  );
});
