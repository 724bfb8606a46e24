/** Guarantee: a credit can be claimed until the moment that the file names for its network, reason and day. */
import { expect, it } from 'vitest';
import {
  openCreditWindows,
  readWindows,
  windowOf,
} from '../../../src/capabilities/credits/credit-windows.ts';

/** A file of rules; JSON is YAML too. */
function fileOf(...rules: readonly object[]): string {
  const common = { name: 'r', network: '*', class: '*', days: 14, valid_from: '2026-01-01' };
  return JSON.stringify({
    rules: rules.map((each) => ({ ...common, source: 's', confidence: 'c', ...each })),
  });
}

const ALERT = {
  network: 'NETA_ALERT',
  class: 'DUPLICATE',
  alertedAt: '2026-11-20T10:00:00.000Z',
} as const;

it('is 14 days from the alert by the file that comes with Forestall, to the millisecond', () => {
  expect(windowOf(openCreditWindows(undefined), ALERT)).toEqual({
    rule: 'vendor-14-days',
    until: new Date('2026-12-04T10:00:00.000Z'),
  });
});

it('is that of the last rule which fits network, reason and day', () => {
  const file = fileOf(
    {},
    { name: 'rdr', network: 'NETB_RDR', days: 30 },
    { name: 'again', class: 'DUPLICATE', days: 7 },
    { name: 'later', days: 60, valid_from: '2026-11-21' },
    { name: 'before', days: 90, valid_to: '2026-11-19' },
  );
  const rules = readWindows(file, 'F');
  expect(windowOf(rules, ALERT)?.rule).toBe('again');
  expect(windowOf(rules, { ...ALERT, class: 'INVALID' })?.rule).toBe('r');
  expect(windowOf(rules, { ...ALERT, network: 'NETB_RDR', class: 'INVALID' })?.rule).toBe('rdr');
  expect(windowOf(rules, { ...ALERT, alertedAt: '2026-11-21T00:00:00Z' })?.rule).toBe('later');
  expect(windowOf(rules, { ...ALERT, alertedAt: '2026-11-19T23:59:59Z' })?.rule).toBe('before');
  expect(windowOf(rules, { ...ALERT, alertedAt: '2025-12-31T23:59:59Z' })).toBeUndefined();
});

it('is refused with the place where the file is wrong', () => {
  expect(() => readWindows(fileOf({ class: 'LUCK' }), 'F')).toThrow('rules.0.class');
  expect(() => readWindows(fileOf(), 'F')).toThrow('F is not as expected');
});
