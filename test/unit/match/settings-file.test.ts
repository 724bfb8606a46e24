/** Guarantee: a merchant's windows and tolerances are taken as written, or refused by name. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_MATCH_SETTINGS } from '../../../src/alerts/match/match-settings.ts';
import { openMatchSettings, parseMatchSettings } from '../../../src/alerts/match/settings-file.ts';
import { readSettings } from '../../../src/running/config.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';

const parse = (text: string) => parseMatchSettings(text, IDENTITY_BRAND_TOKENS);

test('everything can be set', () => {
  const text = `
window_days: 1
exact_window_days: 4
apart_days: 20
margin: 30
automatic: [transaction_reference, arn]
foreign_currency:
  tolerance_percent: 1.5
  rates: {USD: 1, EUR: 1.08}
`;
  expect(parse(text)).toEqual({
    windowDays: 1,
    exactWindowDays: 4,
    apartDays: 20,
    marginMin: 30,
    automaticTiers: new Set(['transaction_reference', 'arn']),
    foreignTolerancePercent: 1.5,
    rates: { USD: 1, EUR: 1.08 },
    brands: IDENTITY_BRAND_TOKENS,
  });
});

test.each(['', '# nothing yet\n'])('nothing set: the published windows (%j)', (text) => {
  expect(parse(text)).toEqual(DEFAULT_MATCH_SETTINGS);
});

describe('refused', () => {
  test.each([
    ['an unknown key', 'window: 2', 'window'],
    ['a weak sign as a tier', 'automatic: [wallet_token]', 'automatic.0'],
    ['a window of a month', 'window_days: 30', 'window_days'],
    ['a rate of nothing', 'foreign_currency: {rates: {EUR: 0}}', 'foreign_currency.rates.EUR'],
    [
      'a currency in lower case',
      'foreign_currency: {rates: {eur: 1}}',
      'foreign_currency.rates.eur',
    ],
    ['a list', '- 1', 'the file'],
    ['no YAML', 'a: [', 'no YAML'],
    ['a narrower exact window', 'exact_window_days: 1', 'exact_window_days is less'],
  ])('%s', (_case, text, named) => {
    expect(() => parse(text)).toThrow(named);
  });
});

test('the setting names the file', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'forestall-')), 'matching.yaml');
  writeFileSync(path, 'margin: 40\n');
  const { matchingPath, brandTokens } = readSettings({ FORESTALL_MATCHING: path });
  expect(openMatchSettings(matchingPath, brandTokens)).toMatchObject({ marginMin: 40 });
  expect(openMatchSettings(readSettings({}).matchingPath, brandTokens).marginMin).toBe(20);
  expect(() => openMatchSettings(`${path}.gone`, brandTokens)).toThrow('FORESTALL_MATCHING');
});
