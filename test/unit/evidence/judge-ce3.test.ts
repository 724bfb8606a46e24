/**
 * Guarantee: what a person would say about 300 disputes is what Forestall says, and never "qualifies" where
 * they would not. Bounds are kept on the day.
 */
import { describe, expect, it } from 'vitest';
import { parseEvidenceRules, shippedRules } from '../../../src/alerts/evidence/evidence-rules.ts';
import type { Evidence } from '../../../src/alerts/evidence/judge-ce3.ts';
import { judgeCe3 } from '../../../src/alerts/evidence/judge-ce3.ts';
import type { Verdict } from '../../../src/alerts/evidence/payment.ts';
import type { LabelledCase } from './labelled-cases.ts';
import { DISPUTED_ON, dayBefore, LABELLED_CASES } from './labelled-cases.ts';

function verdictOf(each: LabelledCase): Verdict {
  return judgeCe3(each, { ...shippedRules(), emailIsLogin: each.emailIsLogin }).verdict;
}

describe('the labelled disputes', () => {
  it('are 300, each with a name of its own', () => {
    expect(LABELLED_CASES.length).toBeGreaterThanOrEqual(300);
    expect(new Set(LABELLED_CASES.map(({ name }) => name)).size).toBe(LABELLED_CASES.length);
  });

  it('are judged as labelled', () => {
    const wrong = LABELLED_CASES.filter((each) => verdictOf(each) !== each.label).map(
      (each) => `${each.name}: ${verdictOf(each)}, not ${each.label}`,
    );
    expect(wrong).toEqual([]);
  });

  it('never qualify where a person says otherwise', () => {
    const labels = LABELLED_CASES.filter(({ label }) => label !== 'qualifies');
    expect(labels.length).toBeGreaterThan(150);
    expect(labels.filter((each) => verdictOf(each) === 'qualifies')).toEqual([]);
  });
});

/** The first qualifying case, with the payment on `paidOn` and both earlier ones on `day`. */
function evidenceOf(paidOn: string, day: string): Evidence {
  const [model] = LABELLED_CASES;
  if (model === undefined) throw new Error('there is no case');
  const earlier = model.earlier.map((each) => ({ ...each, day }));
  return { subject: model.subject, payment: { ...model.payment, day: paidOn }, earlier };
}

describe('the bounds of age', () => {
  const expected: readonly (readonly [number, Verdict])[] = [
    [119, 'not'],
    [120, 'edge'],
    [121, 'qualifies'],
    [363, 'qualifies'],
    [364, 'qualifies'],
    [365, 'edge'],
    [366, 'not'],
  ];

  it.each(expected)('%i days before the dispute: %s, counted from there', (days, verdict) => {
    const rules = parseEvidenceRules('basis: dispute_date', shippedRules());
    // From the payment it would be another age altogether.
    const evidence = evidenceOf(dayBefore(DISPUTED_ON, 60), dayBefore(DISPUTED_ON, days));
    expect(judgeCe3(evidence, rules).verdict).toBe(verdict);
  });

  it.each(expected)('%i days before the payment: %s, counted from there', (days, verdict) => {
    const rules = parseEvidenceRules('basis: processing_date', shippedRules());
    const paidOn = dayBefore(DISPUTED_ON, 100);
    const judged = judgeCe3(evidenceOf(paidOn, dayBefore(paidOn, days)), rules);
    expect(judged.verdict).toBe(verdict);
    expect(judged.bases.map(({ basis }) => basis)).toEqual(['dispute_date', 'processing_date']);
  });

  it.each(expected)('%i days on a payment disputed at once: %s in both', (days, verdict) => {
    const judged = judgeCe3(evidenceOf(DISPUTED_ON, dayBefore(DISPUTED_ON, days)), shippedRules());
    expect(judged.verdict).toBe(verdict);
    expect(new Set(judged.bases.map((basis) => basis.verdict))).toEqual(new Set([verdict]));
  });

  it('are an edge where the two readings differ', () => {
    const paidOn = dayBefore(DISPUTED_ON, 60);
    const judged = judgeCe3(evidenceOf(paidOn, dayBefore(paidOn, 70)), shippedRules());
    expect(judged.bases.map(({ verdict }) => verdict)).toEqual(['qualifies', 'not']);
    expect(judged.verdict).toBe('edge');
    expect(judged.why).toContain('only counted from the day of the dispute');
  });
});

describe('the reasons', () => {
  it('are given for each payment and each element', () => {
    const evidence = evidenceOf(dayBefore(DISPUTED_ON, 60), dayBefore(DISPUTED_ON, 119));
    const judged = judgeCe3(evidence, shippedRules());
    expect(judged.payments[0]?.age.dispute_date).toEqual({
      counts: 'no',
      reasons: ['too young: 119 days, not 120 to 365'],
    });
    expect(judged.payments[0]?.elements).toContainEqual({ element: 'ip', state: 'equal' });
    expect(judged.payments[0]?.elements).toContainEqual({ element: 'device', state: 'different' });
    expect(judged.why).toContain('0 of 2 earlier payments may count');
  });

  it('name the field that was lacking', () => {
    const evidence = evidenceOf(dayBefore(DISPUTED_ON, 40), dayBefore(DISPUTED_ON, 200));
    const [first, second] = evidence.earlier;
    if (first === undefined || second === undefined) throw new Error('there are two');
    const lacking = { ...second, values: { ...second.values, account: null } };
    const judged = judgeCe3({ ...evidence, earlier: [first, lacking] }, shippedRules());
    expect(judged.verdict).toBe('not');
    expect(judged.missing).toEqual(['customer_account_id']);
  });
});

describe('the rules', () => {
  it('of a later day come from a file, without code', () => {
    const [rule] = shippedRules().ce3;
    const file = JSON.stringify({
      ce3: [
        {
          ...rule,
          valid_from: '2027-04-01',
          days: { from: 90, to: 300 },
          certain_days: { from: 91, to: 299 },
        },
      ],
    });
    const rules = parseEvidenceRules(file, shippedRules());
    const evidence = evidenceOf('2027-05-01', dayBefore('2027-05-01', 100));
    const judged = judgeCe3(
      { ...evidence, subject: { ...evidence.subject, day: '2027-05-01' } },
      rules,
    );
    expect(judged.rule?.valid_from).toBe('2027-04-01');
    expect(judged.verdict).toBe('qualifies');
  });

  it('are refused by name', () => {
    expect(() => parseEvidenceRules('basis: sometimes', undefined)).toThrow(
      /FORESTALL_EVIDENCE.*basis/,
    );
    expect(() => parseEvidenceRules('ce4: []', undefined)).toThrow(/ce4/);
  });
});
