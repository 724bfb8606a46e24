/** A backtest's figures: what would have been otherwise, in money, by rule, and decision by decision. */
import type { ReplayPart } from '../../alerts/decide/replay-reader.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { PastAnswer } from '../../policy/past-decision.ts';
import { deltaBar, named } from '../../surface/view/bars.ts';
import { descriptionList } from '../../surface/view/description-list.ts';
import { alertPath } from '../../surface/view/links.ts';
import { amount, moneyText, sums } from '../../surface/view/money.ts';
import { numeric, stackedTable, table } from '../../surface/view/table.ts';
import { moment } from '../../surface/view/time.ts';
import type { Changed, Tally } from './backtest.ts';
import type { BacktestReport } from './backtest-report.ts';
import type { RuleTally, Sums } from './rule-tally.ts';

/** Everything that is kept of it. `then`: the words for what it is compared with. */
export function backtestResult(report: BacktestReport, then: string): Html {
  const { alerts, changes, olderRows, fees } = report;
  if (alerts === 0) {
    return html`<div class="card"><p><strong>No alert was decided in these days.</strong></p><p class="quiet">Choose more days, or wait until the policy has decided some.</p></div>`;
  }
  return html`<p><strong>${changes} of ${alerts} ${alerts === 1 ? 'alert' : 'alerts'}</strong> would have been decided otherwise.</p>
<h2>What it changes</h2>${backtestDelta(report, then)}
${backtestParts(report.parts ?? [])}
<h2>In all</h2>${totals(report, then)}
<p class="quiet">Fees are an assumption: ${moneyText(fees.alertFee)} for each alert and ${moneyText(fees.chargebackFee)} for each dispute that is accepted at once or in the end. <code>forestall policy backtest</code> takes your own. Caps, the breaker and approvals stand above any policy and are not replayed, and what people decide is not foreseen.${
    olderRows > 0 &&
    html` Of ${olderRows} ${olderRows === 1 ? 'alert' : 'alerts'} an earlier version of Forestall stored neither items, customer nor history: conditions about those are unknown.`
  }</p>
<h2>By rule</h2>${byRule(report.rules, then)}
<h2>What would have changed</h2>${changedTable(report, then)}`;
}

/** What capabilities say of it. */
export function backtestParts(parts: readonly ReplayPart[]): Html {
  return html`${parts.map(
    ({ title, lines }) =>
      html`<h2>${title}</h2><div class="card">${descriptionList(lines.map(({ label, says }) => [label, says]))}</div>`,
  )}`;
}

function totals({ was, is }: BacktestReport, then: string): Html {
  const row = (
    label: string,
    figure: (tally: Tally) => Html | number,
  ): (Html | string | number)[] => [label, figure(was), figure(is)];
  const guards = [...new Set([...Object.keys(was.heldByGuard), ...Object.keys(is.heldByGuard)])];
  return table({
    label: 'Figures in all',
    columns: ['', numeric(then), numeric('This policy')],
    rows: [
      row('Refunds', ({ refunds }) => refunds),
      row('Refunded', ({ refunded }) => money(refunded)),
      row('Disputes accepted', ({ accepted }) => accepted),
      row('Amounts accepted', ({ acceptedMoney }) => money(acceptedMoney)),
      row('Left to a person', ({ reviews }) => reviews),
      row('Amounts left to a person', ({ reviewedMoney }) => money(reviewedMoney)),
      row('… then refunded if nobody decides', ({ fallbackRefund }) => fallbackRefund),
      row('… then accepted if nobody decides', ({ fallbackAccept }) => fallbackAccept),
      row('… then missed if nobody decides', ({ withoutFallback }) => withoutFallback),
      ...guards
        .sort()
        .map((guard) =>
          row(`… held by ${words(guard)}`, ({ heldByGuard }) => heldByGuard[guard] ?? 0),
        ),
      row('Nothing to decide', ({ nothing }) => nothing),
      row('Deadlines that a person must save', ({ deadlinesAtRisk }) => deadlinesAtRisk),
      row('Fees (assumed)', ({ fees }) => money(fees)),
    ],
  });
}

function money(amounts: Sums): Html {
  const list = Object.entries(amounts)
    .filter(([, amountMinor]) => amountMinor !== 0)
    .map(([currency, amountMinor]) => ({ currency, amountMinor }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
  return sums(list);
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

function byRule(rules: readonly RuleTally[], then: string): Html {
  return table({
    label: 'Figures by rule',
    columns: [
      'Decided by',
      numeric('Alerts'),
      numeric(`${then}: refunded`),
      numeric('This policy: refunded'),
      numeric('Accepted'),
      numeric('To a person'),
    ],
    rows: rules.map(({ kind, name, was, is }) => [
      ruleWords(kind, name),
      `${was.alerts} → ${is.alerts}`,
      money(was.refunded),
      money(is.refunded),
      `${was.accepted} → ${is.accepted}`,
      `${was.reviews} → ${is.reviews}`,
    ]),
  });
}

function ruleWords(kind: RuleTally['kind'], name: string): Html {
  if (kind === 'otherwise') return html`otherwise <span class="quiet">(no rule applied)</span>`;
  return kind === 'guard' ? html`guard ${words(name)}` : html`rule “${name}”`;
}

function changedTable({ changed, changes }: BacktestReport, then: string): Html {
  if (changed.length === 0) return html`<p class="card">No decision would have changed.</p>`;
  const more = changes - changed.length;
  return html`${table({
    label: 'Decisions that would have changed',
    columns: ['Alert', 'Decided', numeric('Amount'), then, 'This policy', 'By'],
    rows: changed.map(changedRow),
  })}${more > 0 && html`<p class="quiet">The first ${changed.length} are shown. <code>forestall policy backtest --all</code> lists the other ${more} too.</p>`}`;
}

function changedRow({ alertId, decidedAt, amount: sum, was, is }: Changed): (Html | string)[] {
  return [
    html`<a href="${alertPath(alertId)}"><code>${alertId}</code></a>`,
    moment(new Date(decidedAt)),
    amount(sum?.amountMinor ?? null, sum?.currency ?? null),
    answer(was, sum?.currency ?? null),
    answer(is, sum?.currency ?? null),
    is.guard === null ? (is.rule ?? 'otherwise') : words(is.guard),
  ];
}

const ANSWERS = {
  REFUND: 'refund',
  ACCEPT_DISPUTE: 'accept the dispute',
  REVIEW: 'ask a person',
  NONE: 'nothing to do',
} as const satisfies Record<PastAnswer['action'], string>;

function answer(
  { action, amountMinor, fallback, fallbackAt }: PastAnswer,
  currency: string | null,
): Html {
  const sum =
    action === 'REFUND' && amountMinor !== null && currency !== null
      ? ` ${moneyText({ amountMinor, currency })}`
      : '';
  if (fallback === null) return html`${ANSWERS[action]}${sum}`;
  const at = fallbackAt === null ? '' : html` at ${moment(new Date(fallbackAt))}`;
  return html`${ANSWERS[action]}, then ${ANSWERS[fallback]}${at}`;
}

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

/** What the policy changes, as bars: what gets worse is in red, and says so in words. */
function backtestDelta({ was, is }: BacktestReport, then: string): Html {
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
