/** Guarantee: the order of calls on rulesets never lets RDR refund what neither end lets it refund. */
import { describe, expect, it } from 'vitest';
import type { RulesetContent } from '../../../src/capabilities/estate/plan/content.ts';
import type { RulesetChange } from '../../../src/capabilities/estate/plan/plan-rulesets.ts';
import { planRulesets } from '../../../src/capabilities/estate/plan/plan-rulesets.ts';
import { findWider, mayRefund } from '../../../src/capabilities/estate/plan/rdr-width.ts';

const RDR = { unchanged: new Map(), isRdr: () => true };

function letsThrough(operator: string, dollars: number): RulesetContent {
  return {
    enrolments: ['rdr'],
    outcome: 'ACCEPT_DISPUTE',
    join: null,
    rules: [
      {
        type: 'AMOUNT',
        parameters: { amount_in_cents: dollars * 100, currency_code: 'USD', operator },
      },
    ],
  };
}

function change(id: string, before: RulesetContent, after: RulesetContent): RulesetChange {
  const rules = before.rules.map((rule, index) => ({ id: `resrule_${id}${index}`, ...rule }));
  return { key: id, organisation: 'org', id, rules, before, after };
}

describe('planRulesets', () => {
  it('changes one rule in place', () => {
    const steps = planRulesets(
      [change('a', letsThrough('GREATER_THAN', 100), letsThrough('GREATER_THAN', 50))],
      RDR,
    );
    expect(steps.map(({ kind }) => kind)).toEqual(['update_rule']);
  });

  it('replaces where changing two in place would open a gap between them', () => {
    // Together they let everything through, before and after; one changed alone would not.
    const above = letsThrough('GREATER_THAN', 100);
    const upTo = letsThrough('LESS_THAN_OR_EQUAL', 100);
    const steps = planRulesets([change('a', above, upTo), change('b', upTo, above)], RDR);
    expect(steps.map(({ kind }) => kind)).toEqual([
      'create_ruleset',
      'update_rule',
      'delete_ruleset',
    ]);
  });

  it('widens last and narrows first', () => {
    const steps = planRulesets(
      [
        { key: 'old', organisation: 'org', id: 'old', before: letsThrough('GREATER_THAN', 10) },
        { key: 'new', organisation: 'org', after: letsThrough('GREATER_THAN', 20) },
      ],
      RDR,
    );
    expect(steps.map(({ kind }) => kind)).toEqual(['create_ruleset', 'delete_ruleset']);
    expect(steps[1]).toMatchObject({ id: 'old', remaining: ['new'] });
  });

  it('lets a whole change be one call where the service takes one', () => {
    const before = letsThrough('GREATER_THAN', 100);
    const after = { ...before, outcome: 'REFUND', enrolments: ['other', 'rdr'] };
    expect(planRulesets([change('a', before, after)], RDR).map(({ kind }) => kind)).toEqual([
      'update_ruleset',
    ]);
  });
});

describe('mayRefund', () => {
  const dispute = { usdCents: 5_000, descriptor: 'SHOP*EU' };

  it('is true without a ruleset, and where none holds', () => {
    expect(mayRefund([], dispute)).toBe(true);
    expect(mayRefund([letsThrough('GREATER_THAN', 50)], dispute)).toBe(true);
    expect(mayRefund([letsThrough('GREATER_THAN_OR_EQUAL', 50)], dispute)).toBe(false);
  });

  it('is true as soon as one of several that hold refunds', () => {
    const refunds = { ...letsThrough('LESS_THAN', 60), outcome: 'REFUND' };
    expect(mayRefund([letsThrough('GREATER_THAN', 1), refunds], dispute)).toBe(true);
  });

  it('finds the single amount that differs', () => {
    const wider = findWider(
      [letsThrough('GREATER_THAN', 50)],
      [[letsThrough('GREATER_THAN_OR_EQUAL', 50)]],
    );
    expect(wider?.usdCents).toBe(5_000);
  });

  it('finds the descriptor between a prefix and a longer one', () => {
    const by = (value: string): RulesetContent => ({
      enrolments: ['rdr'],
      outcome: 'ACCEPT_DISPUTE',
      join: null,
      rules: [
        { type: 'DESCRIPTOR', parameters: { descriptors: [{ match_type: 'STARTS_WITH', value }] } },
      ],
    });
    const wider = findWider([by('SHOP*EU')], [[by('SHOP')]]);
    expect(wider?.descriptor?.startsWith('SHOP')).toBe(true);
    expect(wider?.descriptor?.startsWith('SHOP*EU')).toBe(false);
    expect(findWider([by('SHOP')], [[by('SHOP*EU')]])).toBeUndefined();
  });
});
