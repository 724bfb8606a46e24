/** Guarantee: the shadow's answer and what happened are compared by action and amount, and the sums are theirs. */
import { describe, expect, it } from 'vitest';
import type { ShadowPair } from '../../../src/capabilities/shadow-report/shadow-report.ts';
import {
  compareShadow,
  showShadow,
  summariseShadow,
  verdictOf,
} from '../../../src/capabilities/shadow-report/shadow-report.ts';

function pair(change: Partial<ShadowPair> = {}): ShadowPair {
  return {
    alertId: 'netalrt_1',
    shadow: 'policy',
    would: 'REFUND',
    wouldMinor: 2_900,
    did: 'REFUND',
    didMinor: 2_900,
    currency: 'USD',
    rule: 'small amounts',
    sentence: 'Refund 29.00 USD.',
    ...change,
  };
}

describe('verdictOf', () => {
  it.each<[string, Partial<ShadowPair>, string]>([
    ['the same refund', {}, 'same'],
    ['another amount', { didMinor: 2_899 }, 'different'],
    ['an amount nobody knows', { didMinor: null }, 'same'],
    ['refund and acceptance', { did: 'ACCEPT_DISPUTE', didMinor: null }, 'different'],
    [
      'the same acceptance',
      { would: 'ACCEPT_DISPUTE', wouldMinor: null, did: 'ACCEPT_DISPUTE' },
      'same',
    ],
    ['nobody answered', { did: null }, 'different'],
    ['the shadow asks a person', { would: 'REVIEW' }, 'review'],
    ['the live policy asks a person', { did: 'REVIEW' }, 'review'],
  ])('%s', (_name, change, verdict) => {
    expect(verdictOf(pair(change))).toBe(verdict);
  });
});

describe('compareShadow', () => {
  const report = compareShadow('2026-11-20', [
    pair(),
    pair({ alertId: 'netalrt_2', did: 'ACCEPT_DISPUTE', didMinor: null, wouldMinor: 1_000 }),
    pair({
      alertId: 'netalrt_3',
      would: 'REVIEW',
      wouldMinor: null,
      didMinor: 500,
      currency: 'EUR',
    }),
  ]);

  it('counts, sums by currency, and lists what is not the same', () => {
    expect(report).toMatchObject({ alerts: 3, same: 1, different: 1, review: 1 });
    expect(report.wouldRefundMinor).toEqual({ USD: 3_900 });
    expect(report.didRefundMinor).toEqual({ USD: 2_900, EUR: 500 });
    expect(report.rows.map(({ alertId, verdict }) => `${alertId} ${verdict}`)).toEqual([
      'netalrt_2 different',
      'netalrt_3 review',
    ]);
  });

  it('reads in a few sentences, and in full with each difference', () => {
    expect(summariseShadow(report)).toContain(
      'of 3 alerts that closed, 1 would have been answered the same, 1 differently, and 1 left to a person. The shadow would have refunded 39.00 USD; 29.00 USD and 5.00 EUR was refunded.',
    );
    expect(showShadow(report)).toContain('netalrt_2  would REFUND 10.00 USD, was ACCEPT_DISPUTE');
  });
});
