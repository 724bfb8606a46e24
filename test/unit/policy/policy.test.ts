/** Guarantee: the first rule that plainly applies decides, says why, and a policy that fails decides nothing. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/alerts/decide/decide.ts';
import { orderFactsOf } from '../../../src/alerts/decide/order-facts.ts';
import type { Policy } from '../../../src/alerts/decide/policy.ts';
import { nearestWord } from '../../../src/base/kernel/nearest-word.ts';
import { parseAmount, parseDuration } from '../../../src/base/kernel/units.ts';
import { demonstrationPolicy, HOLD_EVERYTHING_POLICY } from '../../../src/policy/built-in.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import type { FactsOver } from '../decide/fixtures.ts';
import { facts, foundCharge, orderFacts } from '../decide/fixtures.ts';

const TEXT = `name: Shop
rules:
  - name: gifts
    when:
      descriptor: {starts_with: GIFT}
    then: ACCEPT_DISPUTE
  - name: small
    when:
      amount: {at_most: 50.00 USD}
    then: REFUND
  - name: all of them
    when: {match: single}
    then: ACCEPT_DISPUTE
otherwise: REVIEW
`;

describe('a refund', () => {
  const outcomeOf = (then: string): unknown =>
    loadPolicy(`rules:\n  - {name: r, when: {currency: USD}, then: ${then}}\notherwise: REVIEW\n`, {
      file: 'p.yaml',
    }).propose(facts()).outcome;

  test.each([
    ['REFUND', { action: 'REFUND', amount: 'full' }],
    ['{REFUND: whole_charge}', { action: 'REFUND', amount: 'whole_charge' }],
    ['{REFUND: {amount: remainder}}', { action: 'REFUND', amount: 'remainder' }],
    [
      '{REFUND: {when_refused: accept}}',
      { action: 'REFUND', amount: 'full', whenRefused: 'ACCEPT_DISPUTE' },
    ],
    [
      '{REFUND: {amount: alert_amount, when_refused: accept}}',
      { action: 'REFUND', amount: 'alert_amount', whenRefused: 'ACCEPT_DISPUTE' },
    ],
  ])('%s', (then, outcome) => {
    expect(outcomeOf(then)).toEqual(outcome);
  });

  test('keeps with the decision what follows when it is refused for good', () => {
    const policy = loadPolicy('rules: []\notherwise: {REFUND: {when_refused: accept}}\n', {
      file: 'p.yaml',
    });
    expect(decide(policy, facts())).toMatchObject({
      action: 'REFUND',
      whenRefused: 'ACCEPT_DISPUTE',
    });
  });
});

describe('rules', () => {
  const policy = loadPolicy(TEXT, { file: 'shop.yaml' });

  test('are tried in order, and the decision keeps how each fared', () => {
    const decision = decide(policy, facts());
    expect(decision).toMatchObject({
      action: 'REFUND',
      amountMinor: 2990,
      currency: 'USD',
      decidedBy: 'policy',
      policyVersion: policy.version,
      rule: 'small',
      guard: null,
      sentence:
        'Refund 29.90 USD in full: rule "small" applies, because amount is 29.90 USD, at most 50.00 USD.',
    });
    expect(decision.trace).toEqual([
      { rule: 'gifts', line: 3, result: 'no', why: 'descriptor is SHOP*ORDER 17, not GIFT…' },
      { rule: 'small', line: 7, result: 'yes', why: 'amount is 29.90 USD, at most 50.00 USD' },
      { rule: 'all of them', line: 11, result: 'not reached', why: 'an earlier rule applies' },
    ]);
  });

  test('say which facts they ask about', () => {
    expect(policy.asked).toEqual(['amount', 'descriptor', 'match']);
  });

  test('none of which applies leave it to "otherwise"', () => {
    const decision = decide(
      policy,
      facts({ match: { outcome: 'none', tier: null }, alert: { amountMinor: 9900 } }),
    );
    expect(decision).toMatchObject({ action: 'REVIEW', rule: null, guard: 'no_charge' });
    const held = decide(HOLD_EVERYTHING_POLICY, facts());
    expect(held.sentence).toBe(
      'A person decides about 29.90 USD: no rule of the policy applies, so its "otherwise" does. Nothing happens by itself: without a decision the deadline is missed.',
    );
  });

  test('a rule never decides for those before it: dropping later rules changes nothing', () => {
    const rules = [
      ['a', '{amount: {at_most: 20 USD}}'],
      ['b', '{currency: EUR}'],
      ['c', '{scheme: SCHEME_B}'],
      ['d', '{not: {disputed: true}}'],
    ] as const;
    const build = (indices: readonly number[]): Policy =>
      loadPolicy(
        `rules:\n${indices.map((index) => `  - {name: ${rules[index]?.[0]}, when: ${rules[index]?.[1]}, then: REFUND}\n`).join('')}otherwise: REVIEW\n`.replace(
          'rules:\notherwise',
          'rules: []\notherwise',
        ),
        { file: 'p.yaml' },
      );
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(3), { maxLength: 4 }),
        fc.record({
          amountMinor: fc.constantFrom(1500, 2990),
          currency: fc.constantFrom('USD', 'EUR'),
          scheme: fc.constantFrom('SCHEME_A', 'SCHEME_B', null),
        }),
        (indices, alert) => {
          const given = facts({ alert });
          const full = build(indices).propose(given);
          if (full.rule === null) return;
          const upTo = indices.findIndex((index) => rules[index]?.[0] === full.rule) + 1;
          expect(build(indices.slice(0, upTo)).propose(given).rule).toBe(full.rule);
          // Without the rule that applied, another one or none applies.
          const without = indices.filter((index) => rules[index]?.[0] !== full.rule);
          expect(build(without).propose(given).rule).not.toBe(full.rule);
        },
      ),
    );
  });

  test('a version is the text: line ends and the mark of UTF-8 do not change it', () => {
    // printf 'rules: []\notherwise: REVIEW\n' | openssl dgst -sha256 | cut -c-16 of the digest
    const text = 'rules: []\notherwise: REVIEW\n';
    const { version } = loadPolicy(text, { file: 'a.yaml' });
    expect(version).toBe('9b732e727f3d6891');
    expect(loadPolicy(text.replaceAll('\n', '\r\n'), { file: 'b.yaml' }).version).toBe(version);
    expect(loadPolicy(`\uFEFF${text}`, { file: 'c.yaml' }).version).toBe(version);
    expect(loadPolicy(`${text}# x\n`, { file: 'a.yaml' }).version).not.toBe(version);
  });
});

describe('a policy that fails (V16.5.3)', () => {
  const broken: Policy = {
    name: 'broken',
    version: 'v1',
    source: '',
    held: { answer: { action: 'ACCEPT_DISPUTE' }, beforeDeadlineMs: 3_600_000 },
    propose: () => {
      throw new TypeError('x is not a function');
    },
  };
  test('hands the alert to a person and never accepts it, not even later', () => {
    expect(decide(broken, facts())).toMatchObject({
      action: 'REVIEW',
      guard: 'policy_error',
      holdReason: 'policy_error',
      fallback: null,
      amountMinor: null,
      sentence:
        'A person decides about 29.90 USD: the policy failed: x is not a function. Nothing happens by itself: without a decision the deadline is missed.',
    });
  });
});

describe('hold everything', () => {
  test.each<[string, FactsOver]>([
    ['a plain alert', {}],
    ['one already refunded', { charge: foundCharge({ refundedMinor: 2990, refundableMinor: 0 }) }],
    ['one without a charge', { match: { outcome: 'none', tier: null }, charge: { kind: 'none' } }],
  ])('%s waits for a person without a fallback', (_name, over) => {
    expect(decide(HOLD_EVERYTHING_POLICY, facts(over))).toMatchObject({
      action: 'REVIEW',
      fallback: null,
    });
  });
});

describe('the demonstration policy', () => {
  const policy = demonstrationPolicy();
  const large = { amountMinor: 25_000, currency: 'USD' };
  const charged = (over = {}) =>
    foundCharge({ amountMinor: 25_000, refundableMinor: 25_000, ...over });
  const digital = orderFacts({ delivery: 'digital', dispatched: false });
  test.each<[string, FactsOver, string, string | null]>([
    ['29.90 USD', {}, 'REFUND', 'small amounts'],
    [
      'no charge',
      { match: { outcome: 'none', tier: null }, charge: { kind: 'none' } },
      'REVIEW',
      'no single charge',
    ],
    [
      'disputed',
      { charge: foundCharge({ disputed: true }) },
      'ACCEPT_DISPUTE',
      'dispute open already',
    ],
    [
      '250 USD, sent',
      { alert: large, charge: charged() },
      'ACCEPT_DISPUTE',
      'large and dispatched',
    ],
    [
      '250 USD, digital',
      { alert: large, charge: charged(), order: digital },
      'REFUND',
      'digital goods and subscriptions',
    ],
    [
      '250 USD, digital, old',
      { alert: large, charge: charged(), order: { ...digital, placedAt: '2025-12-01' } },
      'REVIEW',
      null,
    ],
    [
      '250 USD, not sent',
      {
        alert: large,
        charge: charged(),
        order: orderFacts({ dispatched: false, status: 'OPEN_PENDING' }),
      },
      'REFUND',
      'not dispatched yet',
    ],
    [
      '250 USD, part refunded',
      { alert: large, charge: charged({ refundedMinor: 5000, refundableMinor: 20_000 }) },
      'REFUND',
      'rest of a part refund',
    ],
    ['250 USD, order unknown', { alert: large, charge: charged(), order: null }, 'REVIEW', null],
  ])('%s → %s', (_name, over, action, rule) => {
    expect(decide(policy, facts(over))).toMatchObject({ action, rule });
  });

  test('what it holds falls back in time', () => {
    const unmatched = facts({ match: { outcome: 'none', tier: null }, charge: { kind: 'none' } });
    expect(decide(policy, unmatched).fallback).toEqual({
      answer: { action: 'ACCEPT_DISPUTE' },
      at: '2026-03-12T22:00:00.000Z',
    });
    const differs = facts({ alert: { amountMinor: 2000 } });
    expect(decide(policy, differs)).toMatchObject({
      guard: 'amount_differs',
      fallback: { answer: { action: 'ACCEPT_DISPUTE' }, at: '2026-03-13T02:00:00.000Z' },
    });
  });
});

describe('units', () => {
  test.each([
    ['49.90 USD', 4990],
    ['49.9 USD', 4990],
    ['0 USD', 0],
    ['5  USD', 500],
    ['5000 JPY', 5000],
    ['1.234 KWD', 1234],
    ['100000000.00 USD', 10_000_000_000],
  ])('%s is %i minor units', (text, amountMinor) => {
    expect(parseAmount(text)).toMatchObject({ ok: true, value: { amountMinor } });
  });
  test.each([
    '',
    '5',
    'USD',
    '5USD',
    '5. USD',
    '.5 USD',
    '1e3 USD',
    '5 USD EUR',
    '+5 USD',
    '100000000.01 USD',
  ])('%j is no amount', (text) => {
    expect(parseAmount(text).ok).toBe(false);
  });
  test.each([
    ['30m', 1_800_000],
    ['6h', 21_600_000],
    ['2 d', 172_800_000],
  ])('%s is %i ms', (text, value) => {
    expect(parseDuration(text)).toEqual({ ok: true, value });
  });
  test.each(['', '6', 'h', '6s', '6h x', '6constructor', '-6h', '1.5h', '123456h'])(
    '%j is no duration',
    (text) => {
      expect(parseDuration(text).ok).toBe(false);
    },
  );
});

test.each([
  ['amuont', 'amount'],
  ['REFUDN', 'REFUND'],
  ['dispached', 'dispatched'],
  ['al', 'all'],
  ['zebra', undefined],
  ['xx', undefined],
])('the nearest word to %s is %s', (written, word) => {
  expect(nearestWord(written, ['amount', 'REFUND', 'dispatched', 'all', 'any', 'not'])).toBe(word);
});

describe('orders', () => {
  const shipped = { type: 'PHYSICAL', physical_shipping_status: 'SHIPPED' };
  test.each<[string, unknown, object | null]>([
    ['nothing', null, null],
    [
      'an empty order',
      {},
      { delivery: 'none', dispatched: false, delivered: false, subscription: false, status: null },
    ],
    [
      'one to be sent',
      { deliveries: [{ type: 'PHYSICAL' }] },
      { delivery: 'physical', dispatched: false },
    ],
    ['one sent, by status', { deliveries: [shipped] }, { dispatched: true, delivered: false }],
    [
      'one sent, by date',
      { deliveries: [{ type: 'PHYSICAL', physical_shipping_datetime_shipped: '2026-03-01' }] },
      { dispatched: true },
    ],
    [
      'one delivered',
      { deliveries: [{ type: 'PHYSICAL', physical_shipping_status: 'DELIVERED' }] },
      { dispatched: true, delivered: true },
    ],
    ['both kinds', { deliveries: [shipped, { type: 'DIGITAL' }] }, { delivery: 'mixed' }],
    [
      'a download',
      { deliveries: [{ type: 'DIGITAL' }] },
      { delivery: 'digital', dispatched: false },
    ],
    ['a subscription', { subscriptions: [{}] }, { subscription: true }],
    [
      'broken parts',
      { deliveries: 'x', subscriptions: 7, order_status: 5 },
      { delivery: 'none', status: null },
    ],
  ])('%s', (_name, order, expected) => {
    const read = orderFactsOf(order);
    expect(read === null ? null : { ...read }).toEqual(
      expected === null ? null : expect.objectContaining(expected),
    );
  });
});

test('a sentence names conditions in the order of the text, and bounds from below to above', () => {
  const because = (when: string): string =>
    loadPolicy(`rules:\n  - {name: r, when: ${when}, then: REFUND}\notherwise: REVIEW\n`, {
      file: 'p.yaml',
    }).propose(facts()).because;
  expect(because('{match: single, currency: USD}')).toBe('match is single and currency is USD');
  expect(because('{currency: USD, match: single}')).toBe('currency is USD and match is single');
  expect(because('{all: [{currency: USD, match: single}]}')).toBe(
    'currency is USD and match is single',
  );
  expect(because('{amount: {below: 30 USD, above: 29 USD}}')).toBe(
    'amount is 29.90 USD, above 29.00 USD and below 30.00 USD',
  );
});
