/** Guarantee: an explanation says which rule matched, why the others did not, what the guards said, and what would change it. */
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/alerts/decide/decide.ts';
import { explainDecision } from '../../../src/policy/explain.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import type { FactsOver } from '../decide/fixtures.ts';
import { facts, foundCharge } from '../decide/fixtures.ts';

const POLICY = loadPolicy(
  `rules:
  - name: gifts
    when: {descriptor: {starts_with: GIFT}, any: [{twin: true}, {order_total: {above: 90 USD}}]}
    then: ACCEPT_DISPUTE
  - name: small
    when: {amount: {at_most: 50.00 USD}}
    then: REFUND
  - name: single
    when: {match: single}
    then: {REVIEW: {fallback: ACCEPT_DISPUTE, at: 6h before deadline}}
otherwise: REVIEW
`,
  { file: 'p.yaml' },
);

/** Decides, and explains that. */
function explain(over: FactsOver = {}) {
  const given = facts(over);
  const decision = decide(POLICY, given);
  const { fallback, guard } = decision;
  return explainDecision(POLICY, {
    facts: given,
    guard,
    fallback:
      decision.action === 'REVIEW' && fallback !== null
        ? { action: fallback.answer.action, at: fallback.at }
        : null,
  });
}

describe('an explanation', () => {
  test('of a refund', () => {
    const { proposed, rules, guards, changes } = explain();
    expect(proposed).toBe('REFUND, by rule "small"');
    expect(rules.map(({ rule, result }) => `${rule}: ${result}`)).toEqual([
      'gifts: no',
      'small: yes',
      'single: not reached',
    ]);
    // Nobody proposed to cancel anything.
    const silent = guards.filter(({ guard }) => guard !== 'cancel_not_offered');
    expect(silent).toHaveLength(guards.length - 1);
    expect(new Set(silent.map(({ verdict }) => verdict))).toEqual(new Set(['did not speak']));
    expect(guards[0]?.guard).toBe('network_refunded');
    expect(guards.at(-1)?.guard).toBe('too_late');
    expect(changes).toEqual([
      'Rule "gifts" (line 2) would answer ACCEPT_DISPUTE first, if this were otherwise: descriptor is SHOP*ORDER 17, not GIFT…; and twin is not known, or total of the order is not known.',
      'Rule "small" depends on this: amount is 29.90 USD, at most 50.00 USD. Without it, rule "single" would answer REVIEW, then ACCEPT_DISPUTE 6h before the deadline.',
    ]);
  });

  test('of an alert that a guard held', () => {
    const { proposed, guards, changes } = explain({ charge: foundCharge({ disputed: true }) });
    expect(proposed).toBe('REFUND, by rule "small"');
    const spoke = guards.findIndex(({ verdict }) => verdict === 'spoke');
    expect(guards[spoke]).toEqual({
      guard: 'disputed',
      verdict: 'spoke',
      why: 'a dispute is open at the processor: a refund would be paid twice',
    });
    const before = guards.slice(0, spoke).filter(({ guard }) => guard !== 'cancel_not_offered');
    expect(before.every(({ verdict }) => verdict === 'did not speak')).toBe(true);
    const after = guards.slice(spoke + 1);
    expect(after.length).toBeGreaterThan(0);
    expect(after.every(({ verdict }) => verdict === 'not asked')).toBe(true);
    expect(changes[0]).toBe('Had guard "disputed" not spoken, REFUND by rule "small" would stand.');
  });

  test('of one that a second guard would have held as well', () => {
    const { changes } = explain({
      charge: foundCharge({ disputed: true, amountMinor: 3000, refundableMinor: 3000 }),
    });
    expect(changes[0]).toBe(
      'Had guard "disputed" not spoken, guard "amount_differs" would hold it as well, because the alert is about 29.90 USD, the charge about 30.00 USD.',
    );
  });

  test('of a review: what becomes of it', () => {
    const { proposed, guards, changes } = explain({
      alert: { amountMinor: 9900 },
      charge: foundCharge({ amountMinor: 9900, refundableMinor: 9900 }),
    });
    // Guards about refunds have no say in a review.
    const verdicts = new Map(guards.map(({ guard, verdict }) => [guard, verdict]));
    expect(verdicts.get('too_late')).toBe('not asked');
    expect(verdicts.get('charge_absent')).toBe('did not speak');
    expect(proposed).toBe('REVIEW, then ACCEPT_DISPUTE 6h before the deadline, by rule "single"');
    expect(changes.slice(1)).toEqual([
      'Rule "small" (line 5) would answer REFUND first, if this were otherwise: amount is 99.00 USD, not at most 50.00 USD.',
      'Rule "single" depends on this: match is single. Without it, "otherwise" would answer REVIEW without a fallback.',
      // The deadline is 04:00 on the 13th.
      'A person can decide otherwise; if nobody does, it becomes ACCEPT_DISPUTE at 2026-03-12T22:00:00.000Z.',
    ]);
  });

  test('where no rule applies, every rule is told', () => {
    const { proposed, changes } = explain({
      alert: { amountMinor: 9900 },
      match: { outcome: 'several', tier: null },
    });
    expect(proposed).toBe('REVIEW without a fallback, by "otherwise"');
    expect(changes.map((change) => change.slice(0, 14))).toEqual([
      'Rule "gifts" (',
      'Rule "small" (',
      'Rule "single" ',
    ]);
  });
});
