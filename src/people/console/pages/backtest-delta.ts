/** What a policy changes against another one, as bars: what gets worse stands in red, and says so in words. */
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { BacktestReport } from '../../../policy/backtest-report.ts';
import type { Sums } from '../../../policy/rule-tally.ts';
import { deltaBar, named } from '../view/bars.ts';
import { moneyText } from '../view/money.ts';
import { numeric, stackedTable } from '../view/table.ts';

/** More of it is worse: it costs money or work, or an alert may run out. `null`: neither good nor bad. */
type Worse = 'more' | null;

type CountName = 'deadlinesAtRisk' | 'withoutFallback' | 'reviews' | 'accepted' | 'refunds';

const COUNTS: readonly (readonly [label: string, name: CountName, worse: Worse])[] = [
  ['Deadlines that a person must save', 'deadlinesAtRisk', 'more'],
  ['Missed if nobody decides', 'withoutFallback', 'more'],
  ['Left to a person', 'reviews', 'more'],
  ['Disputes accepted', 'accepted', 'more'],
  ['Refunds', 'refunds', null],
];

const MONEY: readonly (readonly [label: string, name: 'refunded' | 'fees'])[] = [
  ['Refunded', 'refunded'],
  ['Fees (assumed)', 'fees'],
];

interface Line {
  readonly label: string;
  readonly was: number;
  readonly is: number;
  readonly worse: Worse;
  readonly show: (value: number) => string;
}

export function backtestDelta({ was, is }: BacktestReport, then: string): Html {
  const counts = COUNTS.map(([label, name, worse]) => {
    return { label, was: was[name], is: is[name], worse, show: String };
  });
  const money = MONEY.flatMap(([label, name]) => moneyLines(label, was[name], is[name]));
  return stackedTable({
    label: 'What the policy changes',
    columns: ['', numeric(then), numeric('This policy'), numeric('Change'), ''],
    rows: [...counts, ...money].map((line) => lineOf(line, then)),
  });
}

function moneyLines(label: string, was: Sums, is: Sums): Line[] {
  const currencies = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
  return currencies.map((currency) => ({
    label: `${label}, ${currency}`,
    was: was[currency] ?? 0,
    is: is[currency] ?? 0,
    worse: 'more',
    show: (amountMinor) => moneyText({ amountMinor, currency }),
  }));
}

function lineOf({ label, was, is, worse, show }: Line, then: string): (Html | string)[] {
  const change = is - was;
  const tone = toneOf(change, worse);
  const sign = change > 0 ? '+' : '−';
  const words = change === 0 ? 'no change' : `${sign}${show(Math.abs(change))}`;
  return [
    label,
    named(then, show(was)),
    named('This policy', show(is)),
    html`<span class="${tone}-words">${words}${tone === 'worse' && ', worse'}${tone === 'better' && ', better'}</span>`,
    deltaBar(change, Math.max(was, is), tone),
  ];
}

function toneOf(change: number, worse: Worse): 'worse' | 'better' | 'otherwise' {
  if (worse === null || change === 0) return 'otherwise';
  return change > 0 ? 'worse' : 'better';
}
