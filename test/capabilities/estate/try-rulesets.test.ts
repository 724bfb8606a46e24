/**
 * Guarantee: rulesets tried on past disputes count what each would have let through or refunded, with sums
 * by currency; nothing is concluded without a rate, and what depends on one is marked as an estimate.
 */
import { describe, expect, it } from 'vitest';
import type { RulesetContent } from '../../../src/capabilities/estate/plan/content.ts';
import type {
  PastDispute,
  TriedOutcome,
} from '../../../src/capabilities/estate/plan/try-rulesets.ts';
import { openTrial } from '../../../src/capabilities/estate/plan/try-rulesets.ts';
import { trialText } from '../../../src/capabilities/estate/rules-text.ts';

const amount = (operator: string, dollars: number): RulesetContent['rules'][number] => ({
  type: 'AMOUNT',
  parameters: { operator, currency_code: 'USD', amount_in_cents: dollars * 100 },
});
const startsWith = (value: string): RulesetContent['rules'][number] => ({
  type: 'DESCRIPTOR',
  parameters: { descriptors: [{ value, match_type: 'STARTS_WITH' }] },
});
const ruleset = (
  outcome: string,
  rules: RulesetContent['rules'],
  join: string | null = null,
): RulesetContent => ({ enrolments: ['rdr'], outcome, join, rules });

let number = 0;
const dispute = (
  amountMinor: number | null,
  currency = 'USD',
  more: Partial<PastDispute> = {},
): PastDispute => ({
  alertId: `netalrt_${++number}`,
  enrolmentId: 'enrl_r',
  money: amountMinor === null ? null : { amountMinor, currency },
  descriptor: 'SHOP*EU',
  wasRefunded: true,
  ...more,
});
/** 1 EUR is 1.25 USD; there is no other rate. */
const toUsd = ({ amountMinor, currency }: { amountMinor: number; currency: string }) => {
  if (currency === 'USD') return { comparable: amountMinor, rounded: amountMinor };
  const exact = (amountMinor * 5) / 4;
  return currency === 'EUR' ? { comparable: exact, rounded: Math.round(exact) } : null;
};

function tryOn(rulesets: Record<string, RulesetContent>, disputes: readonly PastDispute[]) {
  const trial = openTrial({
    rulesets: new Map(Object.entries(rulesets)),
    keyOfEnrolment: (id) => (id === 'enrl_r' ? 'rdr' : undefined),
    toUsd,
  });
  const came: TriedOutcome[] = disputes.map((dispute) => trial.add(dispute));
  return { came, ...trial.result() };
}

describe('a trial', () => {
  const above100 = { big: ruleset('ACCEPT_DISPUTE', [amount('GREATER_THAN', 100)]) };

  it('compares in dollars, at the limit and on both sides of it, by the merchant’s rate', () => {
    const { came, rulesets, newlyLetThrough } = tryOn(above100, [
      dispute(10_000),
      dispute(10_001),
      dispute(8_000, 'EUR'),
      dispute(8_001, 'EUR'),
    ]);
    expect(came).toEqual(['refunded', 'let through', 'refunded', 'let through']);
    expect(rulesets).toMatchObject([
      {
        key: 'big',
        refunds: false,
        held: {
          disputes: 2,
          sums: [
            { currency: 'EUR', amountMinor: 8_001 },
            { currency: 'USD', amountMinor: 10_001 },
          ],
          usdCents: 20_002,
          isEstimate: true,
        },
      },
    ]);
    expect(newlyLetThrough.disputes).toBe(2);
  });

  it('concludes nothing without a rate, nor without an amount', () => {
    const { came, withoutRate, outcomes } = tryOn(above100, [
      dispute(50_000, 'GBP'),
      dispute(null),
    ]);
    expect(came).toEqual(['unknown', 'unknown']);
    expect(withoutRate).toEqual(['GBP']);
    expect(outcomes.unknown.usdCents).toBeNull();
  });

  it('needs no rate where no rule compares amounts', () => {
    const byText = { shop: ruleset('ACCEPT_DISPUTE', [startsWith('SHOP')]) };
    const { came } = tryOn(byText, [
      dispute(1, 'GBP'),
      dispute(1, 'GBP', { descriptor: 'OTHER' }),
      dispute(1, 'GBP', { descriptor: null }),
    ]);
    expect(came).toEqual(['let through', 'refunded', 'refunded']);
  });

  it('says so where rulesets disagree: which decides is not specified', () => {
    const both = { ...above100, all: ruleset('REFUND', []) };
    expect(tryOn(both, [dispute(20_000), dispute(1)]).came).toEqual(['either', 'refunded']);
  });

  it('refunds everything without a ruleset, and leaves out what no file names', () => {
    const { came } = tryOn({}, [dispute(1), dispute(1, 'USD', { enrolmentId: 'enrl_other' })]);
    expect(came).toEqual(['refunded', 'not in the file']);
  });

  it('counts each rule of a ruleset by itself, and both together', () => {
    const rules = [amount('GREATER_THAN', 100), startsWith('SHOP')];
    const { rulesets } = tryOn({ both: ruleset('ACCEPT_DISPUTE', rules, 'AND') }, [
      dispute(20_000),
      dispute(1),
      dispute(20_000, 'USD', { descriptor: 'OTHER' }),
    ]);
    expect(rulesets[0]?.held.disputes).toBe(1);
    expect(rulesets[0]?.rules.map(({ held }) => held.disputes)).toEqual([2, 2]);
  });

  it('tells what would have changed, both ways', () => {
    const { newlyLetThrough, newlyRefunded, refundedThen } = tryOn(above100, [
      dispute(20_000),
      dispute(30_000, 'USD', { wasRefunded: false }),
      dispute(500, 'USD', { wasRefunded: false }),
    ]);
    expect([newlyLetThrough.usdCents, newlyRefunded.usdCents, refundedThen.usdCents]).toEqual([
      20_000, 500, 20_000,
    ]);
    expect(newlyLetThrough.isEstimate).toBe(false);
  });

  it('is told in 80 columns, and says that it is an estimate', () => {
    const result = tryOn(above100, [dispute(8_001, 'EUR'), dispute(1, 'GBP')]);
    const text = trialText(result, {
      from: new Date('2026-08-24T00:00:00Z'),
      to: new Date('2026-11-22T00:00:00Z'),
      ratesFrom: 'rates.yaml',
      otherwise: [],
    });
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(text).toContain('holds for 1 dispute, 80.01 EUR (about 100.01 USD, an estimate)');
    expect(text.replaceAll('\n', ' ')).toContain('converted by your own rates (rates.yaml)');
    expect(text).toContain('No rate for GBP');
  });
});
