/** The month that a page is about, and the way to the others. Months are UTC. */
import { z } from 'zod';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { Formats } from './locale.ts';

/** Months that can be picked: as long as figures are kept. */
const MONTHS = 13;

const DAY_MS = 24 * 60 * 60_000;

export interface Month {
  /** `YYYY-MM`. */
  readonly name: string;
  readonly from: Date;
  /** The beginning of the next one. */
  readonly to: Date;
  readonly days: readonly Date[];
}

const MONTH = /^2\d{3}-(0[1-9]|1[0-2])$/;

/** What `month` may be in an address. */
export const monthField = z
  .string()
  .regex(MONTH, { error: 'must be a month like 2026-11' })
  .optional();

/** The month of that name, or the one under way. */
export function monthOf(named: string | undefined, now: Date): Month {
  const name = named ?? now.toISOString().slice(0, 7);
  const from = new Date(`${name}-01T00:00:00Z`);
  const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1));
  const count = Math.round((to.getTime() - from.getTime()) / DAY_MS);
  const days = Array.from({ length: count }, (_, day) => new Date(from.getTime() + day * DAY_MS));
  return { name, from, to, days };
}

/** The one before it. */
export function monthBefore({ from }: Month): Month {
  return monthOf(nameOf(shifted(from, -1)), from);
}

function shifted(now: Date, months: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1));
}

function nameOf(month: Date): string {
  return month.toISOString().slice(0, 7);
}

/** The form that picks one; it works without a script. */
export function monthPicker(
  path: string,
  month: Month,
  { now, formats }: { readonly now: Date; readonly formats: Formats },
): Html {
  const before = shifted(month.from, -1);
  const months = Array.from({ length: MONTHS }, (_, index) => shifted(now, -index));
  const names = months.map(nameOf);
  const all = names.includes(month.name) ? months : [...months, month.from];
  return html`<form method="get" action="${path}" class="month"><a class="button plain small" rel="prev" href="${path}?month=${nameOf(before)}" aria-label="${formats.month(before)}">‹</a>
<label class="hidden" for="month">Month</label><select id="month" name="month" data-submits>${all.map((each) => html`<option value="${nameOf(each)}"${nameOf(each) === month.name && html` selected`}>${formats.month(each)}</option>`)}</select>
${month.to <= now && html`<a class="button plain small" rel="next" href="${path}?month=${nameOf(month.to)}" aria-label="${formats.month(month.to)}">›</a>`}<button class="plain small">Show</button></form>`;
}
