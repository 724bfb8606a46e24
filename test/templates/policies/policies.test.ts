/** Guarantee: each policy template does over a year of alerts what its page says, and its own examples pass. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DecisionFacts } from '../../../src/alerts/decide/facts.ts';
import type { Tally } from '../../../src/capabilities/backtests/backtest.ts';
import { createBacktest } from '../../../src/capabilities/backtests/backtest.ts';
import { runExamples } from '../../../src/policy/examples.ts';
import type { LoadedPolicy } from '../../../src/policy/load.ts';
import { loadPolicy, proposeOn } from '../../../src/policy/load.ts';
import type { YearAlert } from './year-of-alerts.ts';
import { yearOfAlerts } from './year-of-alerts.ts';

const folder = new URL('../../../templates/policies/', import.meta.url);
const read = (name: string): LoadedPolicy =>
  loadPolicy(readFileSync(new URL(`${name}.yaml`, folder), 'utf8'), { file: `${name}.yaml` });

const YEAR = yearOfAlerts(1_000);
const FEES = {
  alertFee: { amountMinor: 2_900, currency: 'USD' },
  chargebackFee: { amountMinor: 2_000, currency: 'USD' },
};

const major = ({ alert }: DecisionFacts): number => (alert.amountMinor ?? 0) / 100;
const days = (since: string | null | undefined, { now }: DecisionFacts): number =>
  (Date.parse(now) - Date.parse(since ?? '')) / 86_400_000;
/** By currency; none for a currency that is not named. */
const within = (given: DecisionFacts, limits: Record<string, number>): boolean =>
  major(given) <= (limits[given.alert.currency ?? ''] ?? Number.NaN);
const above = (given: DecisionFacts, limits: Record<string, number>): boolean =>
  major(given) > (limits[given.alert.currency ?? ''] ?? Number.NaN);

type Word = 'REFUND' | 'ACCEPT_DISPUTE' | 'REVIEW';

/** What each page promises for an alert that nothing hinders; written from the page, not from the file. */
const PROMISES: Record<string, (given: DecisionFacts) => Word> = {
  'small-amounts': (given) => {
    const usd = { USD: 1, EUR: 1.08, GBP: 1.27, CAD: 0.73, AUD: 0.66 }[given.alert.currency ?? ''];
    if ((given.customer?.alerts ?? 0) >= 3) return 'REVIEW';
    return major(given) * (usd ?? Number.NaN) <= 40 ? 'REFUND' : 'REVIEW';
  },
  subscriptions: (given) => {
    if (given.order?.subscription !== true) return 'REVIEW';
    if (given.order.subscriptionCancelled === true) return 'REFUND';
    const small = within(given, { USD: 100, EUR: 90, GBP: 80 });
    return small && days(given.alert.authorisedAt, given) <= 60 ? 'REFUND' : 'REVIEW';
  },
  'physical-goods': (given) => {
    const { order } = given;
    if (order?.delivery !== 'physical') return 'REVIEW';
    if (!order.dispatched) return 'REFUND';
    if (order.delivered && above(given, { USD: 60, EUR: 55, GBP: 50 })) return 'ACCEPT_DISPUTE';
    return within(given, { USD: 60, EUR: 55, GBP: 50 }) ? 'REFUND' : 'REVIEW';
  },
  'digital-goods': (given) => {
    const { order, customer, alert } = given;
    if (order?.delivery === 'physical') return 'REVIEW';
    if ((customer?.refunds ?? 0) >= 2) return 'REVIEW';
    const fraud = ['10.4', '4837', '4863'].includes(alert.reasonCode ?? '');
    if (fraud && customer?.orders === 0) return 'REFUND';
    const recent = days(order?.placedAt, given) <= 60;
    return recent && within(given, { USD: 120, EUR: 110, GBP: 100 }) ? 'REFUND' : 'REVIEW';
  },
  'high-risk': (given) => {
    const { history, customer, alert, match } = given;
    if (history?.rdr === true || match.tier === 'card_and_amount') return 'REVIEW';
    const fraud =
      history?.fraudNotice === true ||
      (customer?.fraudNotices ?? 0) > 0 ||
      /^(10\.|4837|4863|4870|4871)/.test(alert.reasonCode ?? '');
    return fraud || within(given, { USD: 300, EUR: 280, GBP: 250 }) ? 'REFUND' : 'REVIEW';
  },
  'review-everything': () => 'REVIEW',
};

/** The tally of a policy over some of the year. */
function tally(policy: LoadedPolicy, alerts: readonly YearAlert[]): Tally {
  const backtest = createBacktest({ policy, fees: FEES });
  for (const { facts } of alerts) {
    const answer = { action: 'NONE', amountMinor: null, fallback: null, fallbackAt: null } as const;
    backtest.add({
      alertId: facts.alert.id,
      decidedAt: facts.now,
      facts,
      answer: { ...answer, rule: null, guard: null },
    });
  }
  return backtest.result().is;
}

test('there is a promise for every template, and a page', () => {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml') && name !== 'demonstration.yaml')
    .map((name) => name.replace('.yaml', ''));
  expect(names.sort()).toEqual(Object.keys(PROMISES).sort());
  const index = readFileSync(new URL('README.md', folder), 'utf8');
  for (const name of names) {
    expect(existsSync(new URL(`${name}.md`, folder)), name).toBe(true);
    expect(index).toContain(`[${name}](${name}.md)`);
  }
});

describe.each(Object.entries(PROMISES))('%s', (name, promise) => {
  const policy = read(name);

  test('passes its own examples, which reach every rule', () => {
    const results = runExamples(policy.examples, (view) => proposeOn(policy, view));
    expect(results.flatMap(({ name: example, faults }) => faults.map((f) => [example, f]))).toEqual(
      [],
    );
    const reached = new Set(results.map(({ proposal }) => proposal.rule));
    expect(policy.rules.map((rule) => rule.name).filter((rule) => !reached.has(rule))).toEqual([]);
  });

  test('answers a year of plain alerts as its page says', () => {
    const plain = YEAR.filter(({ trouble }) => trouble === 'none');
    expect(plain.length).toBeGreaterThan(800);
    const wanted: Record<Word, number> = { REFUND: 0, ACCEPT_DISPUTE: 0, REVIEW: 0 };
    const money: Record<string, number> = {};
    for (const { facts } of plain) {
      const word = promise(facts);
      wanted[word] += 1;
      const currency = facts.alert.currency ?? '';
      if (word === 'REFUND')
        money[currency] = (money[currency] ?? 0) + (facts.alert.amountMinor ?? 0);
    }
    const got = tally(policy, plain);
    expect({ REFUND: got.refunds, ACCEPT_DISPUTE: got.accepted, REVIEW: got.reviews }).toEqual(
      wanted,
    );
    expect(got.refunded).toEqual(money);
    // Nothing that a policy of ours asks a person about is missed when nobody decides.
    expect(got.withoutFallback).toBe(0);
    expect(got.fees['USD']).toBe(
      plain.length * 2_900 + (got.accepted + got.fallbackAccept) * 2_000,
    );
  });

  test('moves no money where something hinders it', () => {
    const of = (trouble: YearAlert['trouble']): Tally =>
      tally(
        policy,
        YEAR.filter((each) => each.trouble === trouble),
      );
    expect(of('RDR')).toMatchObject({ refunds: 0, accepted: 0, reviews: 0 });
    expect(of('no charge')).toMatchObject({ refunds: 0, refunded: {}, deadlinesAtRisk: 0 });
    expect(of('dispute open')).toMatchObject({ refunds: 0, refunded: {} });
    // Answered REFUND, which is the truth, and nothing is moved.
    for (const minor of Object.values(of('refunded before').refunded)) expect(minor).toBe(0);
  });
});
