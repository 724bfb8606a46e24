/**
 * Bars drawn on the server: stacked, one for each day, or lying in a table. They need no script, follow
 * light and dark by classes, and are next to a table of the same figures.
 */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { sum } from './chart.ts';
import { numeric, table } from './table.ts';

export interface Layer {
  readonly label: string;
  /** Names the colour in `figures.css`. */
  readonly tone: string;
  /** One for each bar, in order. */
  readonly values: readonly number[];
  /** Where what a part of a bar counts is listed. */
  readonly hrefOf?: (index: number) => string;
}

export interface StackedBars {
  readonly title: string;
  /** Of the values, on the axis: `alerts`, `EUR`. */
  readonly unit: string;
  /** One name for each bar. */
  readonly names: readonly string[];
  /** What is below the bars, or nothing. */
  readonly ticks: readonly (string | null)[];
  readonly layers: readonly Layer[];
  /** What the same places were before, to compare with: drawn as a mark on each bar. */
  readonly before?: { readonly label: string; readonly values: readonly number[] } | undefined;
  /** Where what a bar counts is listed. */
  readonly hrefOf?: (index: number) => string;
  /** A value with its unit, as the reader writes it. */
  readonly show: (value: number) => string;
  /** The same on the axis. */
  readonly showAxis: (value: number) => string;
}

const HEIGHT = 100;
const SLOT = 10;
const BAR = 7.6;

export function stackedBars(chart: StackedBars): Html {
  const { title, unit, names, ticks, layers, before, hrefOf, show, showAxis } = chart;
  const totals = names.map((_, index) =>
    layers.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  );
  const top = roundUp(Math.max(...totals, ...(before?.values ?? []), 0));
  const total = layers.map(({ label, values }) => `${label} ${show(sum(values))}`).join(', ');
  return html`<figure class="card bars"><figcaption><strong>${title}</strong> <span class="quiet">${unit}</span></figcaption>
<ul class="legend">${layers.map(({ label, tone, values }) => html`<li><span class="swatch ${tone}"></span>${label} <strong>${show(sum(values))}</strong></li>`)}${before !== undefined && html`<li><span class="swatch before"></span>${before.label} <strong>${show(sum(before.values))}</strong></li>`}</ul>
<div class="plot"><div class="axis" aria-hidden="true"><span>${showAxis(top)}</span><span>${showAxis(top / 2)}</span><span>${showAxis(0)}</span></div>
<svg viewBox="0 0 ${names.length * SLOT} ${HEIGHT}" preserveAspectRatio="none" role="${hrefOf === undefined ? 'img' : 'group'}" aria-label="${title}: ${total}">
<line class="grid" x1="0" x2="${names.length * SLOT}" y1="0.5" y2="0.5"></line><line class="grid" x1="0" x2="${names.length * SLOT}" y1="50" y2="50"></line>
${names.map((name, index) => bar({ name, index, top, chart }))}${before?.values.map((value, index) => beforeMark(value, { index, top }))}</svg>
<div class="days" aria-hidden="true">${ticks.map((tick) => html`<span>${tick}</span>`)}</div></div>
<details class="fold"><summary>As a table</summary>${table({
    label: `${title}, as a table`,
    columns: [
      'Day',
      ...layers.map(({ label }) => numeric(label)),
      ...(before === undefined ? [] : [numeric(before.label)]),
    ],
    rows: names.map((name, index) => [
      hrefOf === undefined ? name : html`<a href="${hrefOf(index)}">${name}</a>`,
      ...layers.map(({ values }) => show(values[index] ?? 0)),
      ...(before === undefined ? [] : [show(before.values[index] ?? 0)]),
    ]),
  })}</details></figure>`;
}

function bar(at: {
  readonly name: string;
  readonly index: number;
  readonly top: number;
  readonly chart: StackedBars;
}): Html | false {
  const { name, index, top, chart } = at;
  const parts = chart.layers.map(({ label, tone, values, hrefOf }) => ({
    label,
    tone,
    value: values[index] ?? 0,
    href: hrefOf?.(index) ?? chart.hrefOf?.(index),
  }));
  const filled = parts.filter(({ value }) => value > 0);
  if (filled.length === 0) return false;
  const heights = filled.map(({ value }) => (value / top) * HEIGHT);
  const words = filled.map(({ label, value }) => `${label} ${chart.show(value)}`).join(', ');
  const x = index * SLOT + (SLOT - BAR) / 2;
  return html`<g><title>${name}: ${words}</title>${filled.map(
    ({ tone, label, value, href }, place) => {
      const height = heights[place] ?? 0;
      const y = HEIGHT - sum(heights.slice(0, place + 1));
      const drawn = html`<rect class="${tone}" x="${x.toFixed(2)}" width="${BAR}" y="${y.toFixed(2)}" height="${height.toFixed(2)}"></rect>`;
      // By the keyboard they are reached in the table, where each bar is one stop.
      return href === undefined
        ? drawn
        : html`<a href="${href}" tabindex="-1" aria-label="${name}: ${label} ${chart.show(value)}">${drawn}</a>`;
    },
  )}</g>`;
}

/** As high as the bar of before would be. */
function beforeMark(
  value: number,
  { index, top }: { readonly index: number; readonly top: number },
): Html | false {
  const y = (HEIGHT - (value / top) * HEIGHT).toFixed(2);
  return (
    value > 0 &&
    html`<line class="before" x1="${index * SLOT + 0.4}" x2="${(index + 1) * SLOT - 0.4}" y1="${y}" y2="${y}"></line>`
  );
}

/** A cell that names its column where a narrow screen shows the cells one below the other. */
export function named(name: string, cell: Html | string): Html {
  return html`<span class="phone-label">${name}</span> ${cell}`;
}

/** A bar that lies: shares of a whole, in the order of the layers. `of` is the longest one's value. */
export function lyingBar(
  parts: readonly { readonly tone: string; readonly value: number }[],
  whole: number,
): Html {
  const width = (value: number): number => (whole <= 0 ? 0 : (value / whole) * 100);
  return html`<svg class="lying" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${parts.map(({ tone, value }, index) => value > 0 && html`<rect class="${tone}" x="${sum(parts.slice(0, index).map((part) => width(part.value))).toFixed(2)}" width="${width(value).toFixed(2)}" y="0" height="10"></rect>`)}</svg>`;
}

/** A change as a bar that leaves the middle: to the right what grew, to the left what fell. */
export function deltaBar(change: number, whole: number, tone: string): Html {
  const width = whole <= 0 ? 0 : Math.min(50, (Math.abs(change) / whole) * 50);
  const x = change < 0 ? 50 - width : 50;
  return html`<svg class="lying" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><line class="grid" x1="50" x2="50" y1="0" y2="10"></line><rect class="${tone}" x="${x.toFixed(2)}" width="${width.toFixed(2)}" y="0" height="10"></rect></svg>`;
}

/** The axis ends at a round number that half of is round, too. */
export function roundUp(value: number): number {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 6, 8, 10].find((each) => each * power >= value) ?? 10;
  return step * power;
}
