/** Parts of the figures: answer times, disputes won and lost, and the outcome of alerts by what they are about. */

import type { DisputeCount } from '../../alerts/ledger/dispute-count.store.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { reasonWords } from '../../service/wire/code-words.ts';
import type { DayOutcome, OutcomeFigure } from '../../surface/of-month.ts';
import { lyingBar, named } from '../../surface/view/bars.ts';
import type { Formats } from '../../surface/view/locale.ts';
import type { MerchantNames } from '../../surface/view/merchants.ts';
import { merchant } from '../../surface/view/merchants.ts';
import { isOffered } from '../../surface/view/page-link.ts';
import { numeric, stackedTable, table } from '../../surface/view/table.ts';
import { ANSWER_BOUNDS_HOURS, OTHERS } from './outcome-day.store.ts';

/** In the order of the layers, from below. */
export const OUTCOMES = ['refunded', 'network', 'accepted', 'otherwise', 'missed'] as const;

export const OUTCOME_WORDS: Readonly<Record<DayOutcome, string>> = {
  refunded: 'refunded by us',
  network: 'refunded by the network',
  accepted: 'accepted',
  otherwise: 'ended otherwise',
  missed: 'missed',
};

/** Labels shown of a dimension at first; the rest is folded. */
const SHOWN = 10;

/** How much time was left until the deadline when we answered. */
export function answerTimes(figures: readonly OutcomeFigure[], formats: Formats): Html {
  const answers = figures.filter(({ dimension }) => dimension === 'answer');
  const counts = ANSWER_BOUNDS_HOURS.map((hours) => sumOf(answers, String(hours)));
  const missed = figures
    .filter(({ dimension, outcome }) => dimension === 'reason' && outcome === 'missed')
    .reduce((total, { count }) => total + count, 0);
  const all = counts.reduce((total, count) => total + count, 0) + missed;
  const longest = Math.max(...counts, missed);
  const rows: [string, number, string][] = ANSWER_BOUNDS_HOURS.map((hours, index) => [
    boundWords(hours, ANSWER_BOUNDS_HOURS[index - 1]),
    counts[index] ?? 0,
    hours >= 6 ? 'refunded' : 'accepted',
  ]);
  rows.push(['none: missed', missed, 'missed']);
  return html`<section class="card"><h2>Time left when answered</h2>${
    all === 0
      ? html`<p class="quiet">Nothing was answered in this month.</p>`
      : table({
          label: 'Time left until the deadline when an alert was answered',
          columns: ['Left until the deadline', numeric('Alerts'), numeric('Share'), ''],
          rows: rows.map(([words, count, tone]) => [
            words,
            formats.count(count),
            formats.percent((count * 100) / all),
            lyingBar([{ tone, value: count }], longest),
          ]),
        })
  }</section>`;
}

function sumOf(figures: readonly OutcomeFigure[], label: string): number {
  return figures
    .filter((row) => row.label === label)
    .reduce((total, { count }) => total + count, 0);
}

function boundWords(hours: number, above: number | undefined): string {
  if (above === undefined) return `${hours} h and more`;
  return hours === 0 ? `less than ${above} h` : `${hours} to ${above} h`;
}

/** Disputes of the month that came anyway. */
export function disputesCard(disputes: readonly DisputeCount[], formats: Formats): Html {
  const rows = ['won', 'lost', 'open'].map((end) => {
    const ended = disputes.filter((row) => row.end === end);
    const count = ended.reduce((total, row) => total + row.count, 0);
    return [end, formats.count(count), moneyCell(ended, formats)];
  });
  return html`<section class="card"><h2>Disputes won and lost</h2>${table({
    label: 'Disputes first heard of in this month, by how they stand now',
    columns: ['Stands now', numeric('Disputes'), numeric('Amount')],
    rows,
  })}<p class="quiet">First heard of in this month; how they stand now.${isOffered('/representments') && html` <a href="/representments">Each of them</a>`}</p></section>`;
}

function moneyCell(
  rows: readonly { readonly currency: string; readonly amountMinor: number }[],
  formats: Formats,
): Html {
  const sums = new Map<string, number>();
  for (const { currency, amountMinor } of rows) {
    if (currency !== '') sums.set(currency, (sums.get(currency) ?? 0) + amountMinor);
  }
  return html`${[...sums].map(([currency, amountMinor], index) => html`${index > 0 && html`<br>`}<span class="money">${formats.money({ currency, amountMinor })}</span>`)}`;
}

type Broken = 'merchant' | 'descriptor' | 'reason';

/** How numbers and merchants are written. */
interface BrokenWords {
  readonly formats: Formats;
  readonly names: MerchantNames;
}

const HEADINGS: Readonly<Record<Broken, string>> = {
  merchant: 'Merchant',
  descriptor: 'Descriptor',
  reason: 'Reason code',
};

/** One table: each label with its outcomes as a bar and as numbers. */
export function breakdown(by: Broken, figures: readonly OutcomeFigure[], words: BrokenWords): Html {
  const { formats } = words;
  const groups = new Map<string, OutcomeFigure[]>();
  for (const figure of figures) {
    if (figure.dimension !== by) continue;
    // A merchant's label names the network as well.
    const label = by === 'merchant' ? (figure.label.split(' ')[0] ?? '') : figure.label;
    const group = groups.get(label) ?? [];
    group.push(figure);
    groups.set(label, group);
  }
  const heading = HEADINGS[by];
  if (groups.size === 0)
    return html`<p class="card quiet">${heading}: nothing ended in this month.</p>`;
  const sorted = [...groups].sort(
    ([one, first], [other, second]) =>
      Number(one === OTHERS) - Number(other === OTHERS) || countOf(second) - countOf(first),
  );
  const longest = Math.max(...sorted.map(([, group]) => countOf(group)));
  const rows = sorted.map(([label, group]) => rowOf(label, group, { by, longest, ...words }));
  const listed = (some: readonly (readonly (Html | string)[])[]): Html =>
    stackedTable({
      label: `Outcomes by ${heading.toLowerCase()}`,
      columns: [
        heading,
        '',
        ...['Alerts', 'Refunded', 'Accepted', 'Missed'].map(numeric),
        numeric('Amount of the alerts'),
      ],
      rows: some,
    });
  const rest = rows.slice(SHOWN);
  return html`<section><h3>${heading}</h3>${listed(rows.slice(0, SHOWN))}${rest.length > 0 && html`<details class="fold"><summary>${formats.count(rest.length)} more</summary>${listed(rest)}</details>`}</section>`;
}

function countOf(group: readonly OutcomeFigure[], ...wanted: readonly DayOutcome[]): number {
  return group
    .filter(({ outcome }) => wanted.length === 0 || wanted.includes(outcome))
    .reduce((total, { count }) => total + count, 0);
}

function rowOf(
  label: string,
  group: readonly OutcomeFigure[],
  { by, longest, formats, names }: BrokenWords & { readonly by: Broken; readonly longest: number },
): (Html | string)[] {
  const parts = OUTCOMES.map((outcome) => ({ tone: outcome, value: countOf(group, outcome) }));
  return [
    by === 'merchant' && label !== '' && label !== OTHERS
      ? merchant(label, names)
      : nameOf(label, by),
    lyingBar(parts, longest),
    named('Alerts', formats.count(countOf(group))),
    named('Refunded', formats.count(countOf(group, 'refunded', 'network'))),
    named('Accepted', formats.count(countOf(group, 'accepted'))),
    named('Missed', formats.count(countOf(group, 'missed'))),
    moneyCell(group, formats),
  ];
}

/** The label, leading to its alerts where the search takes it. */
function nameOf(label: string, by: Broken): Html | string {
  if (label === '') return html`<span class="quiet">not known</span>`;
  if (label === OTHERS) return html`<span class="quiet">all others</span>`;
  const words = by === 'reason' ? reasonWords(label) : label;
  return html`<a href="/alerts?state=all&amp;${by}=${encodeURIComponent(label)}">${words}</a>`;
}
