/**
 * A chart over months with lines that must not be crossed: drawn by the server, so that it is there without
 * scripts, with a table of the same figures.
 */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';

export interface LineSeries {
  readonly label: string;
  /** One for each month; null: not known. */
  readonly values: readonly (number | null)[];
}

export interface Level {
  readonly label: string;
  readonly value: number;
  /** One for each month: whether the level held in it. */
  readonly held: readonly boolean[];
}

/** What is expected of the last months, and between which values it lies 9 times of 10. */
export interface Fan {
  readonly label: string;
  /** The place of the series that it goes on, whose colour it has. */
  readonly series: number;
  /** One for each month; null: nothing is expected of it. */
  readonly values: readonly ({
    readonly low: number;
    readonly expected: number;
    readonly high: number;
  } | null)[];
}

/** What is drawn. Values are percentages. */
export interface LineChart {
  readonly title: string;
  /** YYYY-MM. */
  readonly months: readonly string[];
  readonly series: readonly LineSeries[];
  readonly levels: readonly Level[];
  readonly fan?: Fan | undefined;
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });

const SIZE = { width: 760, height: 260, left: 100, right: 12, top: 16, bottom: 34 } as const;
const PLOT = {
  width: SIZE.width - SIZE.left - SIZE.right,
  height: SIZE.height - SIZE.top - SIZE.bottom,
} as const;

/** A level further away than this many times the highest value is named under the chart, and not drawn. */
const LEVEL_REACH = 4;

export function lineChart({ title, months, series, levels, fan }: LineChart): Html {
  const values = series.flatMap((each) => each.values.filter((value) => value !== null));
  if (values.length === 0) return html`<p class="quiet">${title}: nothing to draw yet.</p>`;
  const ahead = fan?.values.flatMap((each) => each?.high ?? []) ?? [];
  const highest = Math.max(...values, ...ahead);
  const [nearest = 0] = levels.map(({ value }) => value).sort((a, b) => a - b);
  const shown = levels.filter(({ value }) => value <= Math.max(highest * LEVEL_REACH, nearest));
  const top = scaleOf(Math.max(highest, ...shown.map(({ value }) => value)));
  const scale = { top, step: PLOT.width / Math.max(1, months.length - 1) };
  const far = levels.filter((level) => !shown.includes(level));
  return html`<figure class="card line-chart"><figcaption><strong>${title}</strong>
<span class="legend">${series.map(({ label }, index) => html`<span class="key key-${index + 1}">${label}</span>`)}${fan !== undefined && html`<span class="key key-${fan.series + 1} key-fan">${fan.label}</span>`}</span></figcaption>
<div class="drawing" tabindex="0" role="region" aria-label="${title}, drawn"><svg viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-label="${title}: the figures stand in the table below">
${grid(top)}${monthLabels(months, scale)}${fan !== undefined && drawnFan(fan, { months, scale, before: series[fan.series]?.values ?? [] })}${drawnLevels(shown, scale)}${series.map((each, index) => drawnSeries(each, { index, months, scale }))}
</svg></div>
${levelNames(shown, scale).some((name) => nameThatFits(name) !== wholeName(name)) && html`<p class="quiet">Lines: ${shown.map(({ label }) => label).join('; ')}.</p>`}
${far.length > 0 && html`<p class="quiet">Not drawn, because far above: ${far.map(({ label }) => label).join('; ')}.</p>`}
<details class="fold"><summary>As a table</summary>${figuresTable({ title, months, series, levels, fan })}</details></figure>`;
}

interface Scale {
  readonly top: number;
  readonly step: number;
}

/** The next round number above the highest value: 1, 2 or 5 at its place. */
function scaleOf(highest: number): number {
  const place = 10 ** Math.floor(Math.log10(Math.max(highest, 0.01)));
  const factor = [1, 1.5, 2, 3, 5, 7.5, 10].find((each) => each * place >= highest * 1.05) ?? 10;
  return factor * place;
}

function grid(top: number): Html {
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return html`${ticks.map((part) => {
    const y = SIZE.top + PLOT.height * (1 - part);
    return html`<line class="rule" x1="${SIZE.left}" x2="${SIZE.width - SIZE.right}" y1="${fixed(y)}" y2="${fixed(y)}"></line><text class="tick" x="${SIZE.left - 8}" y="${fixed(y + 4)}" text-anchor="end">${tickOf(top * part)}</text>`;
  })}`;
}

function monthLabels(months: readonly string[], { step }: Scale): Html {
  return html`${months.map((month, index) => {
    const [year = '', number = ''] = month.split('-');
    const isEnd = index === months.length - 1;
    const anchor = isEnd ? 'end' : 'middle';
    const name = MONTH.format(new Date(`${month}-01T00:00:00Z`));
    // A phone has room for every other one; the last is always there.
    const tick = (months.length - 1 - index) % 2 === 1 ? 'tick month between' : 'tick month';
    return html`<text class="${tick}" x="${fixed(xOf(index, step))}" y="${SIZE.height - 16}" text-anchor="${anchor}">${name}</text>${(number === '01' || index === 0) && html`<text class="tick year" x="${fixed(xOf(index, step))}" y="${SIZE.height - 3}" text-anchor="middle">${year}</text>`}`;
  })}`;
}

/** How wide a letter is at most, on a phone, where they are largest. */
const LETTER_WIDTH = 12;

/** The names where they have room, else the heights alone; the names are below the drawing then. */
function nameThatFits(name: LevelName): string {
  const whole = wholeName(name);
  const room = SIZE.width - SIZE.right - name.x - 6;
  return whole.length * LETTER_WIDTH <= room
    ? whole
    : [...name.values].map((value) => `${value} %`).join(' · ');
}

function wholeName({ labels }: LevelName): string {
  return [...labels].join(' · ');
}

interface LevelName {
  readonly x: number;
  y: number;
  readonly labels: Set<string>;
  readonly values: Set<number>;
}

/** Names of levels nearer to each other than this share a line of text. */
const NAME_HEIGHT = 14;

function runsInOrder(levels: readonly Level[], step: number): ReturnType<typeof runsOf> {
  return levels
    .flatMap((level) => runsOf(level, step))
    .toSorted((one, other) => one.value - other.value);
}

function levelNames(levels: readonly Level[], { top, step }: Scale): readonly LevelName[] {
  const names: LevelName[] = [];
  for (const { label, value, x1 } of runsInOrder(levels, step)) {
    const y = yOf(value, top);
    const last = names.findLast((each) => each.x === x1);
    if (last !== undefined && last.y - y < NAME_HEIGHT) {
      last.y = y;
      last.labels.add(label);
      last.values.add(value);
    } else names.push({ x: x1, y, labels: new Set([label]), values: new Set([value]) });
  }
  return names;
}

function drawnLevels(levels: readonly Level[], scale: Scale): Html {
  const { top, step } = scale;
  const names = levelNames(levels, scale);
  const runs = runsInOrder(levels, step);
  const lines = runs.map(({ value, x1, x2 }) => {
    const y = fixed(yOf(value, top));
    return html`<line class="level" x1="${fixed(x1)}" x2="${fixed(x2)}" y1="${y}" y2="${y}"></line>`;
  });
  return html`${lines}${names.map((name) => {
    // Where a line begins late, its name ends at the edge.
    const isLate = name.x > SIZE.width - 10 * LETTER_WIDTH;
    const at = isLate ? SIZE.width - SIZE.right : name.x + 6;
    return html`<text class="level-name" x="${fixed(at)}" y="${fixed(name.y - 5)}"${isLate && html` text-anchor="end"`}>${nameThatFits(name)}</text>`;
  })}`;
}

/** The months on end in which a level held, from the middle before the first to the middle after the last. */
function runsOf(
  { label, value, held }: Level,
  step: number,
): { label: string; value: number; x1: number; x2: number }[] {
  const right = SIZE.width - SIZE.right;
  return held.flatMap((isHeld, from) => {
    if (!isHeld || held[from - 1] === true) return [];
    const end = held.indexOf(false, from);
    const to = end === -1 ? held.length : end;
    const x1 = Math.max(SIZE.left, xOf(from, step) - step / 2);
    const x2 = to === held.length ? right : xOf(to, step) - step / 2;
    return [{ label, value, x1, x2 }];
  });
}

function drawnSeries(
  { label, values }: LineSeries,
  place: { readonly index: number; readonly months: readonly string[]; readonly scale: Scale },
): Html {
  const { index, months, scale } = place;
  const points = values.flatMap((value, at) =>
    value === null ? [] : [{ at, value, x: xOf(at, scale.step), y: yOf(value, scale.top) }],
  );
  const path = points
    .map(({ at, x, y }, position) => {
      const follows = points[position - 1]?.at === at - 1;
      return `${follows ? 'L' : 'M'}${fixed(x)} ${fixed(y)}`;
    })
    .join(' ');
  return html`<g class="series series-${index + 1}"><path d="${path}"></path>${points.map(
    ({ at, x, y, value }) =>
      html`<circle cx="${fixed(x)}" cy="${fixed(y)}" r="3.5"><title>${label}, ${months[at]}: ${percentOf(value)}</title></circle>`,
  )}</g>`;
}

/** A band that widens from the last whole month on, with what is expected in its middle. */
function drawnFan(
  { label, series, values }: Fan,
  at: {
    readonly months: readonly string[];
    readonly scale: Scale;
    /** The series before it. */
    readonly before: readonly (number | null)[];
  },
): Html {
  const { months, scale, before } = at;
  const ahead = values.flatMap((value, index) => (value === null ? [] : [{ index, ...value }]));
  const first = ahead[0]?.index ?? 0;
  const last = before[first - 1];
  const start = last == null ? [] : [{ index: first - 1, low: last, expected: last, high: last }];
  const all = [...start, ...ahead];
  const point = (index: number, value: number): string =>
    `${fixed(xOf(index, scale.step))} ${fixed(yOf(value, scale.top))}`;
  const edge = [
    ...all.map(({ index, high }) => point(index, high)),
    ...all.toReversed().map(({ index, low }) => point(index, low)),
  ];
  const words = ahead
    .map(({ index, ...value }) => `${months[index]}: ${expectedWords(value)}`)
    .join('; ');
  return html`<g class="fan fan-${series + 1}"><title>${label}, ${words}</title><path class="band" d="M${edge.join(' L')} Z"></path><path class="middle" d="M${all.map(({ index, expected }) => point(index, expected)).join(' L')}"></path></g>`;
}

function expectedWords({
  low,
  expected,
  high,
}: {
  readonly low: number;
  readonly expected: number;
  readonly high: number;
}): string {
  return `${percentOf(expected)} (${percentOf(low)} to ${percentOf(high)})`;
}

function figuresTable({ title, months, series, fan }: LineChart): Html {
  const expected = (index: number): string => {
    const value = fan?.values[index];
    return value == null ? '–' : expectedWords(value);
  };
  return html`<div class="table" tabindex="0" role="region" aria-label="${title}, as a table"><table><thead><tr><th scope="col">Month</th>${series.map(({ label }) => html`<th scope="col" class="number">${label}</th>`)}${fan !== undefined && html`<th scope="col" class="number">${fan.label}</th>`}</tr></thead>
<tbody>${months.map((month, index) => html`<tr><th scope="row">${month}</th>${series.map(({ label, values }) => html`<td class="number" data-label="${label}">${values[index] == null ? '–' : percentOf(values[index])}</td>`)}${fan !== undefined && html`<td class="number" data-label="${fan.label}">${expected(index)}</td>`}</tr>`).toReversed()}</tbody></table></div>`;
}

/** On the axis, where there is little room: `112.5 %`, `150 %`. */
function tickOf(value: number): string {
  return `${Number(value.toFixed(2))} %`;
}

function percentOf(value: number): string {
  return `${value.toFixed(2)} %`;
}

function xOf(index: number, step: number): number {
  return SIZE.left + index * step;
}

function yOf(value: number, top: number): number {
  return SIZE.top + PLOT.height * (1 - value / top);
}

/** Half a pixel is exact enough. */
function fixed(value: number): string {
  return value.toFixed(1);
}
