/** Guarantee: what the log never knew, and thresholds that nothing came near, are named with line, example and next step; nothing else is. */
import { describe, expect, it } from 'vitest';
import type { DecisionFacts } from '../../../src/alerts/decide/facts.ts';
import type { LogFinding } from '../../../src/policy/analyse-log.ts';
import { analyseLog } from '../../../src/policy/analyse-log.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import { chargeHistory, facts, foundCharge, orderFacts } from '../decide/fixtures.ts';

type Over = Parameters<typeof facts>[0];

/** `count` alerts, of which each has what `of` gives it. */
function findings(
  rules: string,
  factsOf: (n: number) => Over = () => ({}),
  count = 20,
): readonly LogFinding[] {
  const policy = loadPolicy(`rules:\n${rules}\notherwise: REVIEW\n`, { file: 'p.yaml' });
  const analysis = analyseLog(policy);
  for (let n = 1; n <= count; n++) {
    const known: DecisionFacts = facts({
      charge: foundCharge(),
      history: chargeHistory(),
      ...factsOf(n),
    });
    analysis.add({
      ...{ alertId: `netalrt_${n}`, decidedAt: '2026-03-11T12:00:00.000Z', facts: known },
      answer: {
        ...{ action: 'REVIEW', amountMinor: null, fallback: null, fallbackAt: null },
        ...{ rule: null, guard: null },
      },
    });
  }
  return analysis.result().findings;
}

const amounts =
  (...minor: readonly number[]) =>
  (n: number): Over => ({ alert: { amountMinor: minor[(n - 1) % minor.length] ?? 0 } });

describe('a condition that was never known', () => {
  it('is named by its own line, with an alert and who could make it known', () => {
    const rules = `  - name: vips
    when:
      any:
        - amount: {at_most: 40.00 USD}
        - carrier: DHL
    then: REFUND`;
    expect(findings(rules, () => ({ order: null }))).toEqual([
      {
        kind: 'never_known',
        line: 6,
        rule: 'vips',
        text: '"carrier" of rule "vips" was known for none of 20 alerts of the last 90 days, so it never held. For example netalrt_20, decided 2026-03-11. Send orders that tell it, or take the condition out.',
      },
    ]);
  });

  it('is none where one alert knew it, or fewer than ten were looked at', () => {
    const rule = '  - {name: a, when: {carrier: DHL}, then: REFUND}';
    const known = orderFacts({ carriers: ['UPS'] });
    expect(findings(rule, (n) => ({ order: n === 7 ? known : null }))).toEqual([]);
    expect(findings(rule, () => ({ order: null }), 9)).toEqual([]);
    expect(findings(rule, () => ({ order: null }), 10)).toHaveLength(1);
  });

  it('under "not" and of an alert or the ratio says who could, too', () => {
    const rules = '  - {name: a, when: {not: {network_id: x}, ratio: {at_least: 1}}, then: REFUND}';
    const texts = findings(rules, () => ({ ratio: null })).map(({ text }) => text);
    expect(texts).toHaveLength(2);
    expect(texts[0]).toContain('The networks do not send it to you: take the condition out.');
    expect(texts[1]).toContain('See "forestall policy words"');
  });

  it('of an amount in another currency says which, and what to write', () => {
    const rules = '  - {name: a, when: {amount: {at_most: 40.00 GBP}}, then: REFUND}';
    const [found, ...rest] = findings(rules);
    expect(rest).toEqual([]);
    expect(found?.text).toContain(
      'could be compared for none of 20 alerts of the last 90 days: they were in another currency, like USD.',
    );
    expect(found?.text).toContain('Add bounds in it, or "rates".');
  });
});

describe('a threshold that no alert came near', () => {
  it('is named with the nearest alert, and whether it held', () => {
    const rules = `  - name: huge
    when: {amount: {above: 5000.00 USD}}
    then: REFUND`;
    expect(findings(rules, amounts(10_00, 480_00, 35_00))).toEqual([
      {
        kind: 'far_threshold',
        line: 3,
        rule: 'huge',
        text: 'no alert of the last 90 days came near "amount: above 5000.00 USD" of rule "huge": 20 were compared, the nearest 480.00 USD of netalrt_2. It held for none of them. Set it where your alerts are, or take it out.',
      },
    ]);
  });

  it('is near from half of it to double, and each bound is one', () => {
    const rule = (bounds: string): string =>
      `  - {name: a, when: {amount: {${bounds}}}, then: REFUND}`;
    expect(findings(rule('at_most: 100.00 USD'), amounts(50_00, 1_00))).toEqual([]);
    expect(findings(rule('at_most: 100.00 USD'), amounts(49_99, 1_00))).toHaveLength(1);
    expect(findings(rule('at_most: 100.00 USD'), amounts(200_00))).toEqual([]);
    const [found] = findings(rule('at_most: 100.00 USD'), amounts(200_01));
    expect(found?.text).toContain('It held for none of them');
    const both = findings(rule('at_least: 10.00 USD, at_most: 900.00 USD'), amounts(12_00));
    expect(both.map(({ text }) => text.slice(0, 75))).toEqual([
      'no alert of the last 90 days came near "amount: at_most 900.00 USD" of rule',
    ]);
    expect(both[0]?.text).toContain('It held for all of them');
  });

  it('of a count is near one beside it, of a span an hour beside it', () => {
    const counted = '  - {name: a, when: {other_alerts: {at_least: 1}}, then: REFUND}';
    expect(findings(counted, () => ({ history: chargeHistory({ alerts: 0 }) }))).toEqual([]);
    const far = '  - {name: a, when: {other_alerts: {at_least: 40}}, then: REFUND}';
    const [found] = findings(far, () => ({ history: chargeHistory({ alerts: 2 }) }));
    expect(found?.text).toContain('"other_alerts: at_least 40"');
    expect(found?.text).toContain('the nearest 2 of netalrt_1');
    const age = (bound: string): string =>
      `  - {name: a, when: {payment_age: {at_most: ${bound}}}, then: REFUND}`;
    // Ten days, by the facts of these alerts.
    expect(findings(age('15d'))).toEqual([]);
    expect(findings(age('300d'))[0]?.text).toContain('"payment_age: at_most 300d"');
  });

  it('compares what the policy’s own rates convert', () => {
    const rates = (rules: string): string => `${rules}\nrates: {base: USD, EUR: "1.10"}`;
    const rule = (bound: string): string =>
      rates(`  - {name: a, when: {amount: {at_most: ${bound}}}, then: REFUND}`);
    const euros = (): Over => ({ alert: { amountMinor: 100_00, currency: 'EUR' } });
    // 110.00 USD.
    expect(findings(rule('220.00 USD'), euros)).toEqual([]);
    expect(findings(rule('220.01 USD'), euros)[0]?.text).toContain('the nearest 110.00 USD');
  });
});
