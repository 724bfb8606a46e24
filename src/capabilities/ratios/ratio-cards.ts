/** The cards of the ratio cockpit: where a programme stands, and what was done about the count. */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';
import { schemeWords } from '../../surface/view/codes.ts';
import type { Level, LineSeries } from '../../surface/view/line-chart.ts';
import { lineChart } from '../../surface/view/line-chart.ts';
import { numeric, table } from '../../surface/view/table.ts';
import type { Condition, LineState } from './assess.ts';
import type { Cockpit, ProgrammeView, ReadingView } from './cockpit.ts';
import type { PeriodFigures } from './figures.ts';
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
  reportedText,
} from './words.ts';

interface Shown {
  readonly cockpit: Cockpit;
  readonly brands: BrandTokenMap | undefined;
}

export function programmeCard(view: ProgrammeView, { cockpit, brands }: Shown): Html {
  const { programme, readings, reported, inside, isJudged } = view;
  const { scheme, base, rolling_days, regions } = programme;
  const of =
    rolling_days === undefined
      ? `payments of ${base === 'same' ? 'the same month' : 'the month before'}`
      : `the last ${rolling_days} days`;
  const where = regions === undefined ? '' : ` In ${regions.join(', ')}.`;
  return html`<section class="card"><h2>${programme.name} <span class="quiet">${scheme === 'ANY' ? 'every scheme' : (brands?.[scheme] ?? schemeWords(scheme))}</span></h2>
<p class="quiet">Over ${of}, judged per ${programme.per}.${where} In force since ${programme.valid_from}${programme.valid_to != null && ` until ${programme.valid_to}`}.${!isJudged && ' Shown only: while no region is set no alarm and no policy goes by it.'}</p>
${inside !== undefined && html`<p><strong>${insideText(inside)}</strong></p>`}
${readingTable(view, cockpit)}
<p class="quiet">${readings.map(({ reading }) => `${reading.name}: ${reading.says}`).join('; ')}.</p>
${partsOf(readings).map((reading, _, all) => readingPart(reading, { isOnly: all.length === 1, now: cockpit.now }))}
${reported.slice(-1).map((month) => html`<p>${reportedText(month)}</p>`)}
${chartOf(view, cockpit)}
${sources(view)}</section>`;
}

/** Where every reading counts the same, one speaks for all. */
function partsOf(readings: readonly ReadingView[]): readonly ReadingView[] {
  const [first] = readings;
  const isSame = (of: ReadingView): boolean =>
    of.count === first?.count &&
    of.otherDating?.count === first.otherDating?.count &&
    of.open?.ifDisputedPercent === first.open?.ifDisputedPercent;
  return readings.every(isSame) ? readings.slice(0, 1) : readings;
}

/** The nearest line of each programme, the nearest programme first: what one wants to know before anything else. */
export function summary(cockpit: Cockpit): Html {
  return html`<dl class="figures">${byNearness(cockpit).map((view) => {
    const nearest = nearestOf(view);
    if (nearest === undefined) return false;
    const { reading, line, progress } = nearest;
    const index = view.programme.lines.indexOf(line);
    const ahead = reading.forecasts[index];
    const tone = progress >= 90 ? 'alarm' : 'attention';
    return html`<div${progress >= 50 && html` class="${tone}"`}><dt>${view.programme.name}</dt><dd>${percentText(reading.ratioPercent)}</dd>
<dd class="note">${line.name}, ${lineText(line)}: ${progress >= 100 ? 'crossed' : `${progress} % of the way`}${ahead !== undefined && ahead.forecast.kind === 'ahead' && html`. ${forecastText(ahead, cockpit.now)}`}</dd></div>`;
  })}</dl>`;
}

/** Programmes, the one that is nearest to a line first. */
export function byNearness({ programmes }: Cockpit): readonly ProgrammeView[] {
  const progress = (view: ProgrammeView): number => nearestOf(view)?.progress ?? 0;
  return programmes.toSorted((a, b) => progress(b) - progress(a));
}

interface NearestLine {
  readonly reading: ReadingView;
  readonly line: LineState['line'];
  readonly progress: number;
}

function nearestOf({ readings }: ProgrammeView): NearestLine | undefined {
  const all = readings.flatMap((reading) =>
    reading.lines.map(({ line, progress }): NearestLine => ({ reading, line, progress })),
  );
  return all.toSorted((a, b) => b.progress - a.progress)[0];
}

function readingTable({ programme, readings }: ProgrammeView, { months }: Cockpit): Html {
  const period =
    programme.rolling_days === undefined
      ? monthWords(months.at(-1) ?? '')
      : `${programme.rolling_days} days`;
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
    rows: readings.map((reading) => [
      reading.reading.name,
      numberText(reading.count),
      reading.base === null ? 'none' : numberText(reading.base),
      percentText(reading.ratioPercent),
      monthEndText(reading),
      standsText(reading),
    ]),
  });
}

/** Green only where every line was compared: without a base nothing is known about its ratio. */
function standsText({ crossed, lines }: ReadingView): Html {
  if (crossed !== null) return html`<span class="state bad">beyond ${crossed.name}</span>`;
  const isKnown = lines.every(({ unknown }) => !unknown.includes('ratio'));
  return isKnown
    ? html`<span class="state good">below every line</span>`
    : html`<span class="state">not known: no payments to divide by</span>`;
}

function monthEndText({ monthEnd, expectedBase }: ReadingView): string {
  if (monthEnd === undefined || expectedBase === null) return '–';
  const percent = (count: number): string => percentText((count * 100) / expectedBase);
  return `${percent(monthEnd.expected)} (${percent(monthEnd.low)} to ${percent(monthEnd.high)})`;
}

function readingPart(reading: ReadingView, { isOnly, now }: { isOnly: boolean; now: Date }): Html {
  return html`${!isOnly && html`<h3>${reading.reading.name}</h3>`}
${reading.otherDating !== undefined && html`<p>${otherDatingText(reading.otherDating)}</p>`}
${reading.open !== undefined && html`<p>${openText(reading.open)} <a href="/alerts?state=open">To the open alerts</a></p>`}
<ul class="lines-ahead">${reading.lines.map((state, index) => linePart(state, { reading, index, now }))}</ul>`;
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
  const levels = heldLines.flatMap(({ line: { name, ratio_percent: value }, held }): Level[] =>
    value === undefined ? [] : [{ label: `${name}, ${value} %`, value, held }],
  );
  return lineChart({
    title: `${programme.name} by month`,
    months,
    series: [...series, ...reported],
    levels: oneEach(levels),
  });
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

function sources({ programme }: ProgrammeView): Html {
  return html`<details class="fold"><summary>Where this comes from, and how sure it is</summary><ul>${programme.lines.map(
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
    html`<section class="card"><h2>Months under earlier rules</h2>
<p class="quiet">A month is judged by the rules that were in force in it.</p>
<ul>${past.flatMap(({ programme, reported }) => reported.map((month) => html`<li><strong>${programme.name}</strong>, until ${programme.valid_to}: ${reportedText(month)}</li>`))}</ul></section>`
  );
}

/** What is in force and cannot be judged here: whole acquirers, and programmes whose numbers no source names. */
export function othersCard({ others }: Cockpit): Html | false {
  return (
    others.length > 0 &&
    html`<section class="card"><h2>In force, and not judged here</h2><ul>${others.map(
      ({ id, name, regions, lines, not_known, note }) =>
        html`<li><strong>${name}</strong>${regions !== undefined && ` in ${regions.join(', ')}`}${lines.length > 0 && `: ${lines.map((line) => `${line.name} ${lineText(line)}`).join('; ')}`}. ${not_known} <span class="quiet">${note} File <code>${id}</code>.</span></li>`,
    )}</ul></section>`
  );
}

/** What was done, and what it did to the count. */
export function effectsCard({ programmes, months }: Cockpit): Html | false {
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
    html`<section class="card"><h2>What was done about the count</h2>
<p class="quiet">${monthWords(from)} to ${monthWords(to)}, by scheme. A dispute that an alert or RDR resolves leaves the count; a fraud report about the same payment stays. Evidence keeps both away.</p>
${schemes.map((view) => effectTable(view))}</section>`
  );
}

function effectTable({ programme, months }: ProgrammeView): Html {
  const last = months.at(-1);
  const cell = (of: (month: PeriodFigures) => number): string => {
    const all = months.reduce((sum, month) => sum + of(month), 0);
    return `${numberText(last === undefined ? 0 : of(last))} / ${numberText(all)}`;
  };
  const rows = (['rdr', 'alert', 'evidence'] as const).map((kind) => [
    EFFECTS[kind],
    cell(({ effects }) => effects[kind].out),
    cell(({ effects }) => effects[kind].fraud),
    cell(({ effects }) => effects[kind].counted),
  ]);
  return table({
    label: `What was done, ${programme.scheme}`,
    columns: [
      `${programme.scheme}: this month / all`,
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
