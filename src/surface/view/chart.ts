/** A chart over time: drawn by uPlot in the browser, and a table of the same figures for everybody else. */
import { z } from 'zod';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { utcWords } from '../../base/kernel/instant.ts';

export interface Series {
  readonly label: string;
  /** A value for each stretch, in order. */
  readonly values: readonly number[];
}

export interface Chart {
  readonly title: string;
  readonly stretches: readonly Date[];
  readonly series: readonly Series[];
}

export function chart({ title, stretches, series }: Chart): Html {
  const data = JSON.stringify({ times: stretches.map((at) => at.getTime() / 1_000), series });
  const total = series.map(({ label, values }) => `${label} ${sum(values)}`).join(', ');
  return html`<figure class="card"><figcaption><strong>${title}</strong> <span class="quiet">${total}</span></figcaption>
<div class="chart" role="img" aria-label="${title}: ${total}" data-chart="${data}"></div>
<details class="fold"><summary>As a table</summary><div class="table" tabindex="0" role="region" aria-label="${title}, as a table"><table><thead><tr><th scope="col">From</th>${series.map(({ label }) => html`<th scope="col" class="number">${label}</th>`)}</tr></thead>
<tbody>${stretches.map(
    (at, index) =>
      html`<tr><th scope="row">${utcWords(at)}</th>${series.map(({ label, values }) => html`<td class="number" data-label="${label}">${values[index] ?? 0}</td>`)}</tr>`,
  )}</tbody></table></div></details></figure>`;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export const WINDOWS = {
  '24h': { label: '24 hours', stretchHours: 1, stretches: 24 },
  '7d': { label: '7 days', stretchHours: 6, stretches: 28 },
  '90d': { label: '90 days', stretchHours: 24, stretches: 90 },
} as const;
export type WindowName = keyof typeof WINDOWS;

/** What `window` may be in an address. */
export const windowField = z.enum(['24h', '7d', '90d']);

const HOUR_MS = 60 * 60_000;

/** The beginnings of a window's stretches; the last one is under way. */
export function stretchesOf(name: WindowName, now: Date): Date[] {
  const { stretchHours, stretches } = WINDOWS[name];
  const lengthMs = stretchHours * HOUR_MS;
  const lastMs = Math.floor(now.getTime() / lengthMs) * lengthMs;
  return Array.from(
    { length: stretches },
    (_, index) => new Date(lastMs - (stretches - 1 - index) * lengthMs),
  );
}

/** One value for each stretch, 0 where there is none. */
export function valuesFor<Row extends { readonly at: Date }>(
  stretches: readonly Date[],
  rows: readonly Row[],
  measure: (row: Row) => number,
): number[] {
  const byTime = new Map<number, number>();
  for (const row of rows) {
    const atMs = row.at.getTime();
    byTime.set(atMs, (byTime.get(atMs) ?? 0) + measure(row));
  }
  return stretches.map((at) => byTime.get(at.getTime()) ?? 0);
}

export function windowTabs(path: string, current: WindowName): Html {
  return html`<nav aria-label="Period"><ul class="tabs">${Object.entries(WINDOWS).map(
    ([name, { label }]) =>
      html`<li><a href="${path}?window=${name}"${name === current && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>`;
}
