/** Guarantee: a policy is a function of its text and the facts, and only the order of rules that apply matters. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from '../../../src/alerts/decide/decide.ts';
import type { DecisionFacts } from '../../../src/alerts/decide/facts.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import {
  chargeHistory,
  customerFacts,
  facts,
  foundCharge,
  orderFacts,
} from '../decide/fixtures.ts';

const CONDITIONS = [
  '{amount: {at_most: 25 USD}}',
  '{amount: [{above: 10 EUR}, {below: 20 USD}]}',
  '{currency: EUR}',
  '{not: {disputed: true}}',
  '{any: [{twin: true}, {customer_orders: {at_least: 2}}]}',
  '{all: [{dispatched: true}, {not: {weekday: sunday}}]}',
  '{email_domain: {ends_with: .com}, match_tier: [arn, card_and_amount]}',
  '{time_left: {below: 12h}}',
] as const;
const OUTCOMES = [
  'REFUND',
  '{REFUND: alert_amount}',
  'ACCEPT_DISPUTE',
  '{REVIEW: {fallback: REFUND, at: 3h before deadline}}',
  'REVIEW',
] as const;

const someFacts: fc.Arbitrary<DecisionFacts> = fc
  .record({
    amountMinor: fc.constantFrom(null, 999, 1000, 1001, 2500, 2501, 9000),
    currency: fc.constantFrom(null, 'USD', 'EUR', 'JPY'),
    chargeMinor: fc.constantFrom(1000, 2500, 9000),
    disputed: fc.boolean(),
    hours: fc.integer({ min: -1, max: 47 }),
    outcome: fc.constantFrom<DecisionFacts['match']['outcome'][]>('single', 'none', 'several'),
    tier: fc.constantFrom('arn', 'card_and_amount', null),
    hasOrder: fc.boolean(),
    dispatched: fc.boolean(),
    customer: fc.constantFrom(
      null,
      customerFacts(),
      customerFacts({ orders: 0, emailDomain: null }),
    ),
    history: fc.constantFrom(null, chargeHistory(), chargeHistory({ twin: false })),
  })
  .map((some) =>
    facts({
      now: new Date(Date.parse('2026-03-11T04:00:00Z') + some.hours * 3_600_000).toISOString(),
      alert: { amountMinor: some.amountMinor, currency: some.currency },
      match: { outcome: some.outcome, tier: some.tier },
      charge: foundCharge({
        amountMinor: some.chargeMinor,
        refundableMinor: some.chargeMinor,
        disputed: some.disputed,
        currency: some.currency ?? 'USD',
      }),
      order: some.hasOrder ? orderFacts({ dispatched: some.dispatched }) : null,
      customer: some.customer,
      history: some.history,
    }),
  );

const someRules = fc.uniqueArray(
  fc.record({ when: fc.nat(CONDITIONS.length - 1), outcome: fc.nat(OUTCOMES.length - 1) }),
  { maxLength: 6, selector: ({ when }) => when },
);
type Rules = readonly { readonly when: number; readonly outcome: number }[];

function textOf(rules: Rules): string {
  const lines = rules.map(
    ({ when, outcome }) =>
      `\n  - {name: r${when}, when: ${CONDITIONS[when]}, then: ${OUTCOMES[outcome]}}`,
  );
  return `timezone: Europe/Berlin\nrates: {base: USD, EUR: 1.08}\nrules:${lines.length === 0 ? ' []' : lines.join('')}\notherwise: REVIEW\nheld: {fallback: ACCEPT_DISPUTE, at: 2h before deadline}\n`;
}

const load = (rules: Rules) => loadPolicy(textOf(rules), { file: 'p.yaml' });

test('the same text and facts give the same decision, also after storing them', () => {
  fc.assert(
    fc.property(someRules, someFacts, (rules, given) => {
      const first = decide(load(rules), given);
      const stored: DecisionFacts = JSON.parse(JSON.stringify(given));
      expect(decide(load(rules), stored)).toEqual(first);
      expect(decide(load(rules), given)).toEqual(first);
    }),
    { numRuns: 150 },
  );
});

test('facts are read, never changed', () => {
  fc.assert(
    fc.property(someRules, someFacts, (rules, given) => {
      const before = JSON.stringify(given);
      decide(load(rules), given);
      expect(JSON.stringify(given)).toBe(before);
    }),
    { numRuns: 50 },
  );
});

test('the first rule that applies by itself decides, wherever the others stand', () => {
  fc.assert(
    fc.property(someRules, someFacts, (rules, given) => {
      const applies = rules.filter((rule) => load([rule]).propose(given).rule !== null);
      const { rule, outcome } = load(rules).propose(given);
      expect(rule).toBe(applies[0] === undefined ? null : `r${applies[0].when}`);
      // Rules that do not apply may stand anywhere.
      const others = rules.filter((each) => !applies.includes(each));
      const moved = load([...others, ...applies]).propose(given);
      expect([moved.rule, moved.outcome]).toEqual([rule, outcome]);
    }),
    { numRuns: 150 },
  );
});
