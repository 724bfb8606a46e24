/** Guarantee: a backtest decides from what was known then, and its figures add up by hand. */
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/alerts/decide/decide.ts';
import type { DecisionFacts } from '../../../src/alerts/decide/facts.ts';
import { createBacktest } from '../../../src/capabilities/backtests/backtest.ts';
import { showBacktest } from '../../../src/capabilities/backtests/command-text.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import type { PastDecision } from '../../../src/policy/past-decision.ts';
import { chargeHistory, facts, foundCharge } from '../../unit/decide/fixtures.ts';

const load = (rules: string, otherwise: string) =>
  loadPolicy(`rules: ${rules}\notherwise: ${otherwise}\n`, { file: 'p.yaml' });

const OLD = load('[{name: all, when: {match: single}, then: REFUND}]', 'REVIEW');
const NEW = load(
  '[{name: small, when: {amount: {at_most: 30 USD}}, then: REFUND}, {name: euro, when: {currency: EUR}, then: ACCEPT_DISPUTE}]',
  '{REVIEW: {fallback: ACCEPT_DISPUTE, at: 6h before deadline}}',
);

/** An alert of this amount, as it was decided under {@link OLD}. */
function past(
  alertId: string,
  amountMinor: number,
  over: { currency?: string; match?: DecisionFacts['match']; now?: string; older?: true } = {},
): PastDecision {
  const { currency = 'USD', match, now, older } = over;
  const known = facts({
    alert: { id: alertId, amountMinor, currency },
    charge: foundCharge({ amountMinor, refundableMinor: amountMinor, currency }),
    ...(match === undefined ? {} : { match }),
    ...(now === undefined ? {} : { now }),
    ...(older === undefined ? { history: chargeHistory() } : {}),
  });
  const { action, amountMinor: refunded, fallback, rule, guard } = decide(OLD, known);
  return {
    alertId,
    decidedAt: known.now,
    facts: known,
    answer: {
      action,
      amountMinor: refunded,
      fallback: action === 'REVIEW' ? (fallback?.answer.action ?? null) : null,
      fallbackAt: action === 'REVIEW' ? (fallback?.at ?? null) : null,
      rule,
      guard,
    },
  };
}

const ROWS = [
  past('a1', 2_000),
  past('a2', 3_000),
  past('a3', 9_000),
  past('a4', 5_000, { currency: 'EUR' }),
  past('a5', 1_000, { match: { outcome: 'none', tier: null } }),
  // Five hours before the deadline: a fallback six hours before it is due at once.
  past('a6', 8_000, { now: '2026-03-12T23:00:00.000Z', older: true }),
];
const FEES = {
  alertFee: { amountMinor: 2_900, currency: 'USD' },
  chargebackFee: { amountMinor: 1_500, currency: 'USD' },
};

function replay(options: { against?: typeof OLD } = {}, rows: readonly PastDecision[] = ROWS) {
  const backtest = createBacktest({ policy: NEW, fees: FEES, ...options });
  for (const row of rows) backtest.add(row);
  return backtest.result();
}

describe('a backtest', () => {
  test('counts what was, and what would have been', () => {
    const { alerts, olderRows, was, is } = replay();
    expect({ alerts, olderRows }).toEqual({ alerts: 6, olderRows: 1 });
    expect(was).toEqual({
      refunds: 5,
      // 20 + 30 + 90 + 80 dollars, 50 euro.
      refunded: { USD: 22_000, EUR: 5_000 },
      accepted: 0,
      acceptedMoney: {},
      reviews: 1,
      reviewedMoney: { USD: 1_000 },
      fallbackRefund: 0,
      fallbackAccept: 0,
      withoutFallback: 1,
      nothing: 0,
      deadlinesAtRisk: 1,
      heldByGuard: { no_charge: 1 },
      // 6 alerts at 29 dollars.
      fees: { USD: 17_400 },
    });
    expect(is).toEqual({
      refunds: 2,
      refunded: { USD: 5_000 },
      accepted: 1,
      acceptedMoney: { EUR: 5_000 },
      // a3, a6, and a5, which a guard holds.
      reviews: 3,
      reviewedMoney: { USD: 18_000 },
      fallbackRefund: 0,
      fallbackAccept: 2,
      withoutFallback: 1,
      nothing: 0,
      // a5 has no fallback, a6 one that is due at once.
      deadlinesAtRisk: 2,
      heldByGuard: { no_charge: 1 },
      // 6 × 29 + 3 × 15 dollars: a4 at once, a3 and a6 in the end.
      fees: { USD: 21_900 },
    });
  });

  test('tells by rule who decided how many, before and after', () => {
    const none = { alerts: 0, refunds: 0, refunded: {}, accepted: 0, reviews: 0 };
    const held = { ...none, alerts: 1, reviews: 1 };
    expect(replay().rules).toEqual([
      {
        kind: 'rule',
        name: 'all',
        was: { ...none, alerts: 5, refunds: 5, refunded: { USD: 22_000, EUR: 5_000 } },
        is: none,
      },
      // a3 and a6.
      { kind: 'otherwise', name: '', was: none, is: { ...none, alerts: 2, reviews: 2 } },
      { kind: 'guard', name: 'no_charge', was: held, is: held },
      {
        kind: 'rule',
        name: 'small',
        was: none,
        is: { ...none, alerts: 2, refunds: 2, refunded: { USD: 5_000 } },
      },
      { kind: 'rule', name: 'euro', was: none, is: { ...none, alerts: 1, accepted: 1 } },
    ]);
  });

  test('is told by rule in a terminal of 80 columns', () => {
    const about = { policy: NEW, against: null, tookMs: 0, all: false };
    const rulesOf = (text: string): string[] => {
      const rows = text.split('\n');
      const begins = rows.findIndex((row) => row.startsWith('Then → now'));
      return rows.slice(begins, rows.indexOf('', begins));
    };
    expect(rulesOf(showBacktest(replay(), about))).toEqual([
      'Then → now       Alerts  Refunds  Accepted  Reviews',
      'rule all          5 → 0    5 → 0     0 → 0    0 → 0',
      '    refunded 50.00 EUR, 220.00 USD → -',
      'otherwise         0 → 2    0 → 0     0 → 0    0 → 2',
      'guard no_charge   1 → 1    0 → 0     0 → 0    1 → 1',
      'rule small        0 → 2    0 → 2     0 → 0    0 → 0',
      '    refunded - → 50.00 USD',
      'rule euro         0 → 1    0 → 0     0 → 1    0 → 0',
    ]);
    const [rule, ...others] = replay().rules;
    if (rule === undefined) throw new Error('No rule decided.');
    const name = 'customers who bought twice and wrote to us before they disputed';
    const currencies = ['AUD', 'CAD', 'CHF', 'EUR', 'GBP', 'USD'].map((code) => [
      code,
      123_456_700,
    ]);
    const side = { ...rule.was, alerts: 1_234_567, refunded: Object.fromEntries(currencies) };
    const rules = [{ ...rule, name, was: side, is: side }, ...others];
    const wide = rulesOf(showBacktest({ ...replay(), rules }, about));
    expect(wide.filter((row) => row.length > 80)).toEqual([]);
    expect(wide.join(' ').replaceAll(/ +/g, ' ')).toContain(
      `rule ${name} 1234567 → 1234567 5 → 5 0 → 0 0 → 0 refunded 1234567.00 AUD,`,
    );
  });

  test('lists each decision that changed, and no other', () => {
    const { changed } = replay();
    expect(
      changed.map(({ alertId, was, is }) => [alertId, was.action, is.action, is.rule]),
    ).toEqual([
      ['a3', 'REFUND', 'REVIEW', null],
      ['a4', 'REFUND', 'ACCEPT_DISPUTE', 'euro'],
      ['a6', 'REFUND', 'REVIEW', null],
    ]);
    expect(changed[0]).toMatchObject({
      amount: { amountMinor: 9_000, currency: 'USD' },
      is: { fallback: 'ACCEPT_DISPUTE', fallbackAt: '2026-03-12T22:00:00.000Z' },
    });
  });

  test('against another policy leaves out what was decided then', () => {
    const people = ROWS.map((row) => ({
      ...row,
      answer: { ...row.answer, action: 'NONE' as const },
    }));
    const { was, changed } = replay({ against: OLD }, people);
    expect(was).toMatchObject({ refunds: 5, nothing: 0 });
    expect(changed).toHaveLength(3);
    expect(replay({ against: NEW }, people).changed).toEqual([]);
  });

  test('of what was stored as JSON is the same', () => {
    const stored: PastDecision[] = JSON.parse(JSON.stringify(ROWS));
    expect(replay({}, stored)).toEqual(replay());
  });
});
