/** Guarantee: every rule that no case reaches and every overlap is found, with a case that shows it, and none is invented. */
import { describe, expect, it } from 'vitest';
import { analyseRules } from '../../../src/policy/analyse.ts';
import { loadPolicy, proposeOn } from '../../../src/policy/load.ts';
import { createRandom } from '../../../src/sandbox/ids.ts';

interface Written {
  readonly when: string;
  readonly answer: string;
}

function policyOf(rules: readonly Written[], examples = '') {
  const lines = rules.map(
    ({ when, answer }, index) => `  - {name: r${index}, when: ${when}, then: ${answer}}`,
  );
  return loadPolicy(`rules:\n${lines.join('\n')}\notherwise: REVIEW\n${examples}`, {
    file: 'p.yaml',
  });
}

const found = (rules: readonly Written[]) =>
  analyseRules(policyOf(rules)).map(({ kind, rule, line }) => `${kind} ${rule} ${line}`);

const R = (when: string): Written => ({ when, answer: 'REFUND' });
const A = (when: string): Written => ({ when, answer: 'ACCEPT_DISPUTE' });

/** 20 in which the last rule is never reached. */
const UNREACHABLE: readonly (readonly Written[])[] = [
  [R('{amount: {at_most: 50.00 USD}}'), A('{amount: {at_most: 20.00 USD}}')],
  [
    R('{amount: {at_most: 50.00 USD}}'),
    R('{amount: {above: 50.00 USD}}'),
    A('{amount: {at_least: 10.00 USD}}'),
  ],
  [
    R('{amount: {at_most: 50.00 USD}}'),
    R('{amount: {at_least: 50.01 USD}}'),
    A('{amount: {at_least: 10.00 USD}}'),
  ],
  [R('{scheme: [SCHEME_A, SCHEME_B]}'), A('{scheme: SCHEME_A}')],
  [
    R('{scheme: SCHEME_A}'),
    R('{scheme: SCHEME_B}'),
    A('{scheme: [SCHEME_A, SCHEME_B], amount: {below: 9.00 USD}}'),
  ],
  [R('{twin: true}'), R('{twin: false}'), A('{twin: true, rdr: false}')],
  [R('{twin: true}'), A('{twin: true, amount: {at_most: 5.00 EUR}}')],
  [R('{descriptor: {starts_with: SHOP}}'), A('{descriptor: SHOP 17}')],
  [R('{descriptor: {contains: SHOP}}'), A('{descriptor: {contains: SHOP}, twin: true}')],
  [R('{reason_code: ["10.4", "13.1"]}'), A('{reason_code: "10.4"}')],
  [R('{not: {twin: true}}'), A('{twin: false}')],
  [R('{not: {amount: {above: 50.00 USD}}}'), A('{amount: {at_most: 50.00 USD}}')],
  [R('{any: [{twin: true}, {rdr: true}]}'), A('{rdr: true}')],
  [R('{payment_age: {at_least: 2d}}'), A('{payment_age: {above: 3d}}')],
  [R('{other_alerts: {at_least: 1}}'), A('{other_alerts: {at_least: 2}, twin: true}')],
  [R('{merchant: [m1, m2]}'), A('{merchant: m2}')],
  [
    R('{amount: {at_least: 1.00 USD}}'),
    A('{any: [{amount: {equals: 5.00 USD}}, {amount: {above: 9.00 USD}}]}'),
  ],
  [R('{weekday: [monday, tuesday]}'), A('{all: [{weekday: monday}, {hour: {below: 6}}]}')],
  [
    R('{dispatched: true, amount: {at_most: 80.00 USD}}'),
    A('{amount: {at_most: 60.00 USD}, dispatched: true}'),
  ],
  [
    R('{amount: {at_most: 10.00 USD}}'),
    R('{amount: {at_least: 5.00 USD, at_most: 30.00 USD}}'),
    A('{amount: {at_least: 1.00 USD, below: 30.00 USD}}'),
  ],
];

/** 20 in which the last two answer some case differently, and neither is the narrower one. */
const OVERLAPPING: readonly (readonly Written[])[] = [
  ...[10, 20, 30, 40, 50, 60].map((n) => [
    R(`{amount: {at_most: ${n}.00 USD}}`),
    A(`{amount: {at_least: ${n - 5}.00 USD, at_most: ${n + 50}.00 USD}}`),
  ]),
  ...[1, 2, 3, 4].map((n) => [
    R(`{payment_age: {at_least: ${n}d}}`),
    A(`{payment_age: {at_most: ${n + 1}d}}`),
  ]),
  ...[1, 2, 3].map((n) => [
    R(`{other_alerts: {at_least: ${n}}}`),
    A(`{other_alerts: {at_most: ${n}}}`),
  ]),
  [R('{weekday: [monday, tuesday]}'), A('{weekday: [tuesday, friday]}')],
  [
    R('{scheme: SCHEME_A, amount: {at_most: 50.00 USD}}'),
    A('{scheme: [SCHEME_A, SCHEME_B], amount: {at_least: 40.00 USD}}'),
  ],
  [
    R('{twin: true, amount: {at_most: 50.00 USD}}'),
    A('{amount: {at_least: 50.00 USD}, twin: true}'),
  ],
  [R('{reason_code: ["10.4", "13.1"]}'), A('{reason_code: ["13.1", "13.3"]}')],
  [R('{hour: {below: 12}}'), A('{hour: {at_least: 6}}')],
  [R('{charge_status: [captured, authorised]}'), A('{charge_status: [captured, voided]}')],
  [R('{currency: [USD, EUR]}'), A('{currency: [EUR, GBP]}')],
];

describe('planted', () => {
  it('are 40', () => expect(UNREACHABLE.length + OVERLAPPING.length).toBe(40));

  it.each(UNREACHABLE)('a rule that no case reaches, below %j', (...rules) => {
    const last = rules.length - 1;
    expect(found(rules)).toContain(`unreachable r${last} ${last + 2}`);
  });

  it.each(OVERLAPPING)('an overlap: %j and %j', (...rules) => {
    expect(found(rules)).toEqual(['overlap r1 3']);
  });

  it('each with a case that shows it: an example of the policy itself', () => {
    for (const rules of OVERLAPPING) {
      const [finding] = analyseRules(policyOf(rules));
      const given = /For example (.*): rule/.exec(finding?.text ?? '')?.[1];
      const alone = rules.map((rule) =>
        policyOf([rule], `examples: [{name: e, given: {${given}}, expect: ${rule.answer}}]\n`),
      );
      for (const policy of alone) {
        const [example] = policy.examples;
        if (example === undefined) throw new Error('no example');
        expect(proposeOn(policy, example.given).rule).toBe('r0');
      }
    }
  });
});

describe('nothing is invented', () => {
  it.each([
    [[R('{amount: {at_most: 50.00 USD}}'), A('{amount: {at_most: 50.00 EUR}}')]],
    // Not known is neither: an alert without a known twin reaches the third.
    [[R('{twin: true}'), R('{twin: false}'), A('{amount: {at_most: 5.00 USD}}')]],
    [[R('{merchant: m1}'), A('{merchant: m2}')]],
    [
      [
        R('{other_alerts: {at_most: 5}}'),
        R('{other_alerts: {at_least: 6}}'),
        A('{other_alerts: {at_least: 1}, twin: true}'),
      ],
    ],
    [[R('{twin: true}'), A('{any: [{twin: true}, {all: [{merchant: m1}, {merchant: m2}]}]}')]],
    [[R('{source: support}'), A('{amount: {at_most: 5.00 USD}}')]],
  ])('%j', (rules) => expect(found(rules)).toEqual([]));

  it('in 200 random policies: whatever a rule is said never to be reached by was tried on 300 cases', () => {
    const random = createRandom(38);
    const pick = <Item>(items: readonly Item[]): Item =>
      items[Math.floor(random() * items.length)] as Item;
    const amount = () =>
      `{amount: {${pick(['at_most', 'below', 'above', 'at_least'])}: ${pick([5, 10, 20, 50])}.00 USD}}`;
    const leaf = (): string =>
      pick([
        amount,
        () => `{scheme: ${pick(['SCHEME_A', 'SCHEME_B'])}}`,
        () => `{twin: ${pick(['true', 'false'])}}`,
        () => `{descriptor: {starts_with: ${pick(['SH', 'SHOP'])}}}`,
        () => `{reason_code: ["${pick(['10.4', '13.1'])}"]}`,
      ])();
    const condition = (depth: number): string => {
      const kind = depth === 0 ? 'leaf' : pick(['leaf', 'leaf', 'all', 'any', 'not']);
      if (kind === 'leaf') return leaf();
      if (kind === 'not') return `{not: ${condition(depth - 1)}}`;
      return `{${kind}: [${condition(depth - 1)}, ${condition(depth - 1)}]}`;
    };
    let said = 0;
    for (let round = 0; round < 200; round++) {
      const rules = Array.from({ length: 5 }, () => ({
        when: condition(2),
        answer: pick(['REFUND', 'ACCEPT_DISPUTE']),
      }));
      const dead = new Set(
        analyseRules(policyOf(rules))
          .filter(({ kind }) => kind === 'unreachable')
          .map(({ rule }) => rule),
      );
      said += dead.size;
      if (dead.size === 0) continue;
      const cases = Array.from({ length: 300 }, (_, index) => {
        const known = (text: string): string[] => (random() < 0.85 ? [text] : []);
        const given = [
          known(`amount: ${pick([4.99, 5, 5.01, 10, 15, 20, 20.01, 50, 60]).toFixed(2)} USD`),
          known(`scheme: ${pick(['SCHEME_A', 'SCHEME_B'])}`),
          known(`twin: ${pick(['true', 'false'])}`),
          known(`descriptor: ${pick(['SHOP 1', 'SHED', 'OTHER'])}`),
          known(`reason_code: "${pick(['10.4', '13.1', '13.3'])}"`),
        ].flat();
        return `  - {name: e${index}, given: {${given.join(', ')}}, expect: REFUND}`;
      });
      const policy = policyOf(rules, `examples:\n${cases.join('\n')}\n`);
      for (const { given } of policy.examples)
        expect(dead).not.toContain(proposeOn(policy, given).rule);
    }
    // The control: there was something to be wrong about.
    expect(said).toBeGreaterThan(20);
  });
});
