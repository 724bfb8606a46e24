/** The cards of the ratio cockpit: the state of a programme, and what was done about the count. */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';
import { schemeWords } from '../../service/wire/code-words.ts';
import type { Fan, Level, LineSeries } from '../../surface/view/line-chart.ts';
import { lineChart } from '../../surface/view/line-chart.ts';
import { numeric, table } from '../../surface/view/table.ts';
import type { Condition, LineState, ReadingState } from './assess.ts';
import type { Cockpit, ProgrammeView, ReadingView, ReportedView } from './cockpit.ts';
import { countedPath } from './counted-path.ts';
import type { PeriodFigures } from './figures.ts';
import { monthAfter } from './months.ts';
import type { Ahead } from './pace.ts';
import type { Programme } from './programme.ts';
import {
  arithmeticText,
  forecastText,
  insideText,
  lineText,
  monthWords,
  numberText,
  openText,
  otherDatingText,
  percentText,
  reportedBeyond,
  reportedText,
} from './words.ts';

interface Shown {
  readonly cockpit: Cockpit;
  readonly brands: BrandTokenMap | undefined;
}

/** A part of the page that is opened by its heading. */
export function foldedCard(
  head: { readonly title: Html | string; readonly isOpen?: boolean },
  body: Html,
): Html {
  return html`<details class="card part"${head.isOpen === true && html` open`}><summary><h2>${head.title}</h2></summary>
${body}</details>`;
}

/** The scheme as the merchant calls it. */
export function schemeName(scheme: Programme['scheme'], brands: BrandTokenMap | undefined): string {
  if (scheme === 'ANY') return 'every scheme';
  const own = brands?.[scheme] ?? scheme;
  return own === scheme ? schemeWords(scheme) : own;
}

/** What is beside the name while the part is folded: the ratio, and whether a line is crossed. */
function headOf(view: ProgrammeView, brands: BrandTokenMap | undefined): Html {
  const { programme } = view;
  const nearest = nearestOf(view);
  return html`${programme.name} <span class="quiet">${schemeName(programme.scheme, brands)}</span>${nearest !== undefined && html` <span class="part-state"><strong>${percentText(nearest.reading.ratioPercent)}</strong> ${standsText(nearest.reading)}</span>`}`;
}

export function programmeCard(
  view: ProgrammeView,
  { cockpit, brands, isOpen }: Shown & { readonly isOpen: boolean },
): Html {
  const { programme, readings, reported, inside, isJudged } = view;
  const { base, rolling_days, regions } = programme;
  const baseWords =
    rolling_days === undefined
      ? `payments of ${base === 'same' ? 'the same month' : 'the month before'}`
      : `the last ${rolling_days} days`;
  const where = regions === undefined ? '' : ` In ${regions.join(', ')}.`;
  return foldedCard(
    { title: headOf(view, brands), isOpen },
    html`${!isJudged && html`<p class="quiet">Shown only: while no region is set no alarm and no policy goes by it.</p>`}
${inside !== undefined && html`<p><strong>${insideText(inside)}</strong></p>`}
${reported.slice(-1).map((month) => beyondBanner(month))}
${readingTable(view, cockpit)}
${partsOf(readings).map((reading, place, all) => readingPart(reading, { isOnly: all.length === 1, isFirst: place === 0, now: cockpit.now }))}
${reported.slice(-1).map((month) => html`<p>${reportedText(month)}</p>`)}
${chartOf(view, cockpit)}
${sources(
  view,
  html`<p>Over ${baseWords}, judged per ${programme.per}.${where} In force since ${programme.valid_from}${programme.valid_to != null && ` until ${programme.valid_to}`}.</p>
<p>${readings.map(({ reading }) => `${reading.name}: ${reading.says}`).join('; ')}.</p>`,
)}`,
  );
}

/** What an acquirer reports may cross a line that our own count is far from. */
function beyondBanner(month: ReportedView): Html | false {
  const beyond = reportedBeyond(month);
  return beyond !== undefined && html`<p class="banner error">${beyond}</p>`;
}

/** Where every reading counts the same, one speaks for all. */
function partsOf(readings: readonly ReadingView[]): readonly ReadingView[] {
  const [first] = readings;
  const isSame = (view: ReadingView): boolean =>
    view.count === first?.count &&
    view.otherDating?.count === first.otherDating?.count &&
    view.open?.ifDisputedPercent === first.open?.ifDisputedPercent;
  return readings.every(isSame) ? readings.slice(0, 1) : readings;
}

/** The nearest line of each programme, the nearest programme first: what one wants to know before anything else. */
export function summary(cockpit: Cockpit): Html {
  return html`<dl class="figures">${byNearness(cockpit).map((view) => {
    const nearest = nearestOf(view);
    if (nearest === undefined) return false;
    const { reading, line, progress, month } = nearest;
    const index = view.programme.lines.indexOf(line);
    const ahead =
      month === undefined
        ? view.readings.find(({ reading: own }) => own === reading.reading)?.forecasts[index]
        : undefined;
    const tone = progress >= 90 ? 'alarm' : 'attention';
    return html`<div${progress >= 50 && html` class="${tone}"`}><dt>${view.programme.name}</dt><dd>${percentText(reading.ratioPercent)}</dd>
<dd class="note">${line.name}, ${lineText(line)}: ${progress >= 100 ? 'crossed' : `${progress} % of the way`}${month !== undefined && `, by the numbers reported for ${monthWords(month)}`}${ahead !== undefined && ahead.forecast.kind === 'ahead' && html`. ${forecastText(ahead, cockpit.now)}`}</dd></div>`;
  })}</dl>`;
}

/** Programmes, the one that is nearest to a line first. */
export function byNearness({ programmes }: Cockpit): readonly ProgrammeView[] {
  const progress = (view: ProgrammeView): number => nearestOf(view)?.progress ?? 0;
  return programmes.toSorted((a, b) => progress(b) - progress(a));
}

interface NearestLine {
  readonly reading: ReadingState;
  readonly line: LineState['line'];
  readonly progress: number;
  /** Of the reported numbers; undefined: by our own count. */
  readonly month: string | undefined;
}

function nearestOf({ readings, reported }: ProgrammeView): NearestLine | undefined {
  const linesOf = (states: readonly ReadingState[], month?: string): NearestLine[] =>
    states.flatMap((reading) =>
      reading.lines.map(({ line, progress }) => ({ reading, line, progress, month })),
    );
  const reportedLines = reported.slice(-1).flatMap((view) => linesOf(view.readings, view.month));
  const all = [...linesOf(readings), ...reportedLines];
  return all.toSorted((a, b) => b.progress - a.progress)[0];
}

function readingTable(
  { programme, readings, reported }: ProgrammeView,
  { months, scope }: Cockpit,
): Html {
  const month = months.at(-1) ?? '';
  const period =
    programme.rolling_days === undefined ? monthWords(month) : `${programme.rolling_days} days`;
  const reportedStates = reported
    .slice(-1)
    .flatMap((view) => view.readings.map((state) => ({ view, state })));
  return table({
    label: `${programme.name} now`,
    columns: [
      'Reading',
      numeric(`Counted, ${period}`),
      numeric('Base'),
      numeric('Ratio'),
      numeric('Expected at the month’s end'),
      'Stands',
    ],
    rows: [
      ...readings.map((reading) => [
        reading.reading.name,
        reading.count === 0
          ? '0'
          : html`<a href="${countedPath({ programme, reading: reading.reading, month, scope })}">${numberText(reading.count)}</a>`,
        reading.base === null ? 'none' : numberText(reading.base),
        percentText(reading.ratioPercent),
        monthEndText(reading),
        standsText(reading),
      ]),
      ...reportedStates.map(({ view, state }) => [
        `${state.reading.name}, reported for ${monthWords(view.month)}`,
        `${state.missing.length > 0 ? 'at least ' : ''}${numberText(state.count)}`,
        state.base === null ? 'not reported' : numberText(state.base),
        percentText(state.ratioPercent),
        '–',
        standsText(state),
      ]),
    ],
  });
}

/** Green only where every line was compared: without a base nothing is known about its ratio. */
function standsText({ crossed, lines }: ReadingState): Html {
  if (crossed !== null) return html`<span class="state bad">beyond ${crossed.name}</span>`;
  const isKnown = lines.every(({ unknown }) => !unknown.includes('ratio'));
  return isKnown
    ? html`<span class="state good">below every line</span>`
    : html`<span class="state">not known: no payments to divide by</span>`;
}

function monthEndText({ monthEnd, expectedBase }: ReadingView): string {
  if (monthEnd === undefined || expectedBase === null) return '–';
  const { low, expected, high } = shareOf(monthEnd, expectedBase);
  return `${percentText(expected)} (${percentText(low)} to ${percentText(high)})`;
}

/** The first reading is open; where others count otherwise, each is opened by its name. */
function readingPart(
  reading: ReadingView,
  place: { readonly isOnly: boolean; readonly isFirst: boolean; readonly now: Date },
): Html {
  const { isOnly, isFirst, now } = place;
  const { name } = reading.reading;
  const body = html`${reading.otherDating !== undefined && html`<p>${otherDatingText(reading.otherDating)}</p>`}
${reading.open !== undefined && html`<p>${openText(reading.open)} <a href="/alerts?state=open">To the open alerts</a></p>`}
${linesOf(reading, now)}`;
  if (isOnly) return body;
  return isFirst
    ? html`<h3>${name}</h3>${body}`
    : html`<details class="fold"><summary>${name}</summary>${body}</details>`;
}

/** The line that is nearest and those that are half used up; the others are opened. */
function linesOf(reading: ReadingView, now: Date): Html {
  const nearest = Math.max(...reading.lines.map(({ progress }) => progress));
  const parts = reading.lines.map((state, index) => ({
    isNear: state.progress >= 50 || state.progress === nearest,
    part: linePart(state, { reading, index, now }),
  }));
  // Lines that are as far away as each other are together: one speaks for all.
  const near = parts.filter(({ isNear }) => isNear).slice(0, Math.max(1, countNear(reading)));
  const others = parts.filter((each) => !near.includes(each));
  return html`<ul class="lines-ahead">${near.map(({ part }) => part)}</ul>
${others.length > 0 && html`<details class="fold"><summary>${others.length === 1 ? 'One more line' : `${others.length} more lines`}</summary><ul class="lines-ahead">${others.map(({ part }) => part)}</ul></details>`}`;
}

function countNear({ lines }: ReadingView): number {
  return lines.filter(({ progress }) => progress >= 50).length;
}

function linePart(
  state: LineState,
  { reading, index, now }: { reading: ReadingView; index: number; now: Date },
): Html {
  const { line, progress, isCrossed } = state;
  const ahead = reading.forecasts[index];
  const arithmetic = ahead === undefined ? undefined : arithmeticText(ahead, reading);
  return html`<li><strong>${line.name}</strong> ${lineText(line)} <span class="quiet">${progress > 100 ? 'beyond' : `${progress} % of the way`}</span>
<meter min="0" max="100" low="50" high="90" optimum="0" value="${Math.min(100, progress)}" aria-label="${line.name}: ${Math.min(100, progress)} % of the way">${progress} %</meter>
<p class="quiet">${state.conditions.map(conditionText).join(' · ')}</p>
${ahead !== undefined && html`<p>${forecastText(ahead, now)}</p>`}
${arithmetic !== undefined && html`<details class="fold"><summary>The arithmetic</summary><p>${arithmetic}</p></details>`}
${(isCrossed || progress >= 50) && html`<p><strong>Next step:</strong> ${line.next_step}</p>`}</li>`;
}

const CONDITION_WORDS: Readonly<Record<Condition['what'], string>> = {
  ratio: 'ratio',
  count: 'counted',
  base: 'payments of the base',
  amount: 'US dollars',
  three_d_secure: 'through 3-D Secure',
};

function conditionText({ what, value, needed }: Condition): string {
  const name = CONDITION_WORDS[what];
  if (what === 'three_d_secure') {
    const now = value === null ? 'not known; type it in below' : percentText(value);
    return `${name} ${now}, line below ${needed} %`;
  }
  if (what === 'ratio') {
    return value === null
      ? `${name} without a base yet, line ${needed} %`
      : `${name} ${percentText(value)} of ${needed} %`;
  }
  if (value === null)
    return `${name} not known${what === 'amount' ? ': a currency has no rate to USD in FORESTALL_COSTS' : ''}, of ${numberText(needed)}`;
  return `${name} ${numberText(value)} of ${numberText(needed)}`;
}

function chartOf(
  { programme, readings, heldLines }: ProgrammeView,
  { months }: Cockpit,
): Html | false {
  if (programme.rolling_days !== undefined) return false;
  const series: LineSeries[] = readings.map(({ reading, history }) => ({
    label: `${reading.name}, our count`,
    values: history,
  }));
  const reported: LineSeries[] = readings
    .filter(({ reportedHistory }) => reportedHistory.some((value) => value !== null))
    .map(({ reading, reportedHistory }) => ({
      label: `${reading.name}, reported`,
      values: reportedHistory,
    }));
  const fan = fanOf(readings, months);
  const next = fan === undefined ? [] : [monthAfter(months.at(-1) ?? '')];
  const levels = heldLines.flatMap(({ line: { name, ratio_percent: value }, held }): Level[] =>
    value === undefined
      ? []
      : [
          {
            label: `${name}, ${value} %`,
            value,
            held: [...held, ...next.map(() => held.at(-1) === true)],
          },
        ],
  );
  return lineChart({
    title: `${programme.name} by month`,
    months: [...months, ...next],
    series: [...series, ...reported].map(({ label, values }) => ({
      label,
      values: [...values, ...next.map(() => null)],
    })),
    levels: oneEach(levels),
    fan,
  });
}

/** What is expected of this month and of the next one, by the reading that counts most. */
function fanOf(readings: readonly ReadingView[], { length }: Cockpit['months']): Fan | undefined {
  const all = readings.flatMap((reading, series) => {
    const { expectedBase, monthEnd, nextBase, nextMonth } = reading;
    if (monthEnd === undefined || expectedBase === null) return [];
    const end = shareOf(monthEnd, expectedBase);
    const next = nextMonth === undefined || nextBase === null ? null : shareOf(nextMonth, nextBase);
    return [{ series, label: `${reading.reading.name}, expected`, end, next }];
  });
  const [most] = all.toSorted((a, b) => b.end.expected - a.end.expected);
  if (most === undefined) return undefined;
  const before = Array.from({ length: length - 1 }, () => null);
  return { series: most.series, label: most.label, values: [...before, most.end, most.next] };
}

/** Per cent of a base. */
function shareOf({ low, expected, high }: Ahead, base: number): Ahead {
  const percent = (count: number): number => (count * 100) / base;
  return { low: percent(low), expected: percent(expected), high: percent(high) };
}

/** Lines at the same height share one label. */
function oneEach(levels: readonly Level[]): Level[] {
  const byValue = Map.groupBy(levels, ({ value }) => value);
  return [...byValue].map(([value, same]) => ({
    value,
    label: [...new Set(same.map(({ label }) => label))].join('; '),
    held: same[0]?.held.map((_, index) => same.some(({ held }) => held[index])) ?? [],
  }));
}

const CONFIDENCE_WORDS = {
  primary: 'read in the scheme’s own text',
  secondary: 'told by vendors',
  contradicted: 'sources contradict each other',
} as const;

function sources({ programme }: ProgrammeView, whatCounts: Html): Html {
  return html`<details class="fold"><summary>What counts, where this comes from, and how sure it is</summary>${whatCounts}<ul>${programme.lines.map(
    ({ name, source, confidence, consequence }) =>
      html`<li><strong>${name}</strong> (${CONFIDENCE_WORDS[confidence]}): ${source}${consequence !== undefined && html` <span class="quiet">${consequence}</span>`}</li>`,
  )}${Object.entries(programme.sources ?? {}).map(
    ([field, { confidence, source }]) =>
      html`<li><code>${field}</code> (${CONFIDENCE_WORDS[confidence]}): ${source}</li>`,
  )}</ul>${programme.not_known !== undefined && html`<p>${programme.not_known}</p>`}${programme.note !== undefined && html`<p>${programme.note}</p>`}
<p class="quiet">File <code>${programme.id}</code>. The base are the payments that your orders and the processor told Forestall of; schemes count settled payments of their own.</p></details>`;
}

const EFFECTS = {
  rdr: 'Refunded by RDR',
  alert: 'Alerts answered with a refund',
  evidence: 'Deflected by evidence',
} as const;

/** Months that were reported while another file held. */
export function pastCard({ past }: Cockpit): Html | false {
  return (
    past.length > 0 &&
    foldedCard(
      { title: 'Months under earlier rules' },
      html`<p class="quiet">A month is judged by the rules that were in force in it.</p>
<ul>${past.flatMap(({ programme, reported }) => reported.map((month) => html`<li><strong>${programme.name}</strong>, until ${programme.valid_to}: ${reportedText(month)}</li>`))}</ul>`,
    )
  );
}

/** What is in force and cannot be judged here: whole acquirers, and programmes whose numbers no source names. */
export function othersCard({ others }: Cockpit): Html | false {
  return (
    others.length > 0 &&
    foldedCard(
      { title: 'In force, and not judged here' },
      html`<ul>${others.map(
        ({ id, name, regions, lines, not_known, note }) =>
          html`<li><strong>${name}</strong>${regions !== undefined && ` in ${regions.join(', ')}`}${lines.length > 0 && `: ${lines.map((line) => `${line.name} ${lineText(line)}`).join('; ')}`}. ${not_known} <span class="quiet">${note} File <code>${id}</code>.</span></li>`,
      )}</ul>`,
    )
  );
}

/** What was done, and what it did to the count. */
export function effectsCard(
  { programmes, months }: Cockpit,
  brands: BrandTokenMap | undefined,
): Html | false {
  const schemes = [
    ...new Map(
      programmes
        .filter(({ programme }) => programme.scheme !== 'ANY')
        .map((view) => [view.programme.scheme, view]),
    ).values(),
  ];
  const [from = '', to = ''] = [months[0], months.at(-1)];
  return (
    schemes.length > 0 &&
    foldedCard(
      { title: 'What was done about the count' },
      html`<p class="quiet">${monthWords(from)} to ${monthWords(to)}, by scheme. A dispute that an alert or RDR resolves leaves the count; a fraud report about the same payment stays. Evidence keeps both away.</p>
${schemes.map((view) => effectTable(view, schemeName(view.programme.scheme, brands)))}`,
    )
  );
}

function effectTable({ months }: ProgrammeView, scheme: string): Html {
  const last = months.at(-1);
  const cell = (figure: (month: PeriodFigures) => number): string => {
    const all = months.reduce((sum, month) => sum + figure(month), 0);
    return `${numberText(last === undefined ? 0 : figure(last))} / ${numberText(all)}`;
  };
  const rows = (['rdr', 'alert', 'evidence'] as const).map((kind) => [
    EFFECTS[kind],
    cell(({ effects }) => effects[kind].out),
    cell(({ effects }) => effects[kind].fraud),
    cell(({ effects }) => effects[kind].counted),
  ]);
  return table({
    label: `What was done, ${scheme}`,
    columns: [
      `${scheme}: this month / all`,
      numeric('Left the count'),
      numeric('Its fraud report stays'),
      numeric('Disputed all the same'),
    ],
    rows: [
      ...rows,
      ['Fraud reports revoked', cell(({ revoked }) => revoked.fraud), '–', '–'],
      ['Disputes revoked', cell(({ revoked }) => revoked.dispute), '–', '–'],
    ],
  });
}
