/** Figures of a month: the outcome of alerts day by day, money, answer times, by whom and why, and what capabilities say of it. */

import type { Router } from 'express';
import { z } from 'zod';
import { countDisputes } from '../../alerts/ledger/dispute-count.store.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { DayOutcome, OfMonth } from '../../surface/of-month.ts';
import { stackedBars } from '../../surface/view/bars.ts';
import type { Formats } from '../../surface/view/locale.ts';
import { formatsOf } from '../../surface/view/locale.ts';
import type { Month } from '../../surface/view/month.ts';
import { monthBefore, monthField, monthOf, monthPicker } from '../../surface/view/month.ts';
import { moment } from '../../surface/view/time.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { namesOfMerchants, page, readListQuery, send } from '../../surface/web/visit.ts';
import type { ActivityFigure } from './activity.store.ts';
import { readActivity } from './activity.store.ts';
import type { PeriodOutcomes } from './outcome-day.store.ts';
import { readPeriodOutcomes } from './outcome-day.store.ts';
import { answerTimes, breakdown, disputesCard, OUTCOME_WORDS, OUTCOMES } from './sections.ts';

export const FIGURES_PATH = '/figures';

/** Charts of money: one for each of the currencies with most refunds. */
const CURRENCIES_MAX = 3;

export function registerFigures(router: Router, context: PageContext): void {
  route(router, FIGURES_PATH, { get: page(context, 'viewer', show) });
}

const figuresQuery = z.object({ month: monthField });

async function show(visit: Visit): Promise<void> {
  const { context, options, request, now } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, figuresQuery);
  if (query === undefined) return;
  const month = monthOf(query.month, now);
  const { from, to } = month;
  const formats = formatsOf(request, options.locale);
  const scope = { organisationId, from };
  const earlier = monthBefore(month);
  const past = { organisationId, from: earlier.from };
  const read = readPeriodOutcomes(db, { ...scope, to, now });
  const shown = read.then(({ figures }) => context.ofMonth(visit, { figures, from, to, formats }));
  const [outcomes, parts, activity, disputes, names, daysBefore, activityBefore] =
    await Promise.all([
      read,
      shown,
      readActivity(db, { ...scope, until: to, stretchHours: 24 }),
      countDisputes(db, { ...scope, to }),
      namesOfMerchants(visit),
      readPeriodOutcomes(db, { ...past, to: earlier.to, now, onlyDays: true }),
      readActivity(db, { ...past, until: earlier.to, stretchHours: 24 }),
    ]);
  const words = { formats, names };
  const before = beforeOf({
    month,
    earlier,
    now,
    outcomes: daysBefore,
    activity: activityBefore,
  });
  const { figures } = outcomes;
  const body = html`<h1>Figures: ${formats.month(from)}</h1>
<div class="bar">${monthPicker(FIGURES_PATH, month, { now, formats })}<p><a href="/exports?month=${month.name}">Exports of this month</a></p></div>
${outcomes.missing !== null && html`<p class="banner">What ended between ${moment(outcomes.missing.from)} and ${moment(outcomes.missing.to)} is still being added up and not counted here. A worker must run: see <a href="/system">System</a>.</p>`}
${headline({ outcomes, activity, deflected: deflectedOf(parts), formats, before })}
${outcomeBars({ month, outcomes, formats, before })}
<div class="columns spaced">${moneyBars({ month, activity, formats, before })}</div>
<div class="columns spaced">${answerTimes(figures, formats)}${disputesCard(disputes, formats)}</div>
${parts.map(({ section }) => section)}
<h2>By merchant, descriptor and reason</h2>
${breakdown('merchant', figures, words)}${breakdown('descriptor', figures, words)}${breakdown('reason', figures, words)}
<p class="quiet">Days are UTC and begin at midnight. An alert counts on the day on which it ended; a missed one on the day of its deadline.</p>`;
  send(visit, { title: `Figures ${month.name}`, active: FIGURES_PATH, body });
}

/** Disputes that were deflected, as far as any part knows. */
function deflectedOf(parts: readonly OfMonth[]): number | undefined {
  const known = parts.flatMap(({ deflected }) => deflected ?? []);
  return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0);
}

/** The month before, to compare with: of a month under way the same days of it. */
interface Before {
  readonly earlier: Month;
  /** How many days of both are compared; all of them once the month is over. */
  readonly days: number;
  readonly isWhole: boolean;
  readonly outcomes: PeriodOutcomes;
  readonly activity: readonly ActivityFigure[];
}

function beforeOf({
  month,
  earlier,
  now,
  outcomes,
  activity,
}: Pick<Before, 'earlier' | 'outcomes' | 'activity'> & {
  readonly month: Month;
  readonly now: Date;
}): Before {
  const isWhole = month.to <= now;
  const begun = month.days.filter((day) => day <= now).length;
  return { earlier, isWhole, days: isWhole ? earlier.days.length : begun, outcomes, activity };
}

/** Whether it lies in the days that are compared. */
function isCompared(at: Date, { earlier, days }: Before): boolean {
  const last = earlier.days[Math.min(days, earlier.days.length) - 1];
  return last !== undefined && at.getTime() < last.getTime() + DAY_MS;
}

const DAY_MS = 24 * 60 * 60_000;

/** `12 in October 2026`, of a month under way `12 in the same days of October 2026`. */
function beforeNote(count: number, { earlier, isWhole }: Before, formats: Formats): Html {
  const when = `${isWhole ? '' : 'the same days of '}${formats.month(earlier.from)}`;
  return html`<dd class="note">${formats.count(count)} in ${when}</dd>`;
}

function headline({
  outcomes,
  activity,
  deflected,
  formats,
  before,
}: {
  readonly outcomes: PeriodOutcomes;
  readonly activity: readonly ActivityFigure[];
  readonly deflected: number | undefined;
  readonly formats: Formats;
  readonly before: Before;
}): Html {
  const then = (...wanted: readonly DayOutcome[]): Html =>
    beforeNote(
      before.outcomes.days
        .filter(({ outcome, day }) => wanted.includes(outcome) && isCompared(day, before))
        .reduce((total, row) => total + row.count, 0),
      before,
      formats,
    );
  const receivedBefore = before.activity
    .filter(({ measure, at }) => measure === 'received' && isCompared(at, before))
    .reduce((total, row) => total + row.count, 0);
  const count = (...wanted: readonly DayOutcome[]): number =>
    outcomes.days
      .filter(({ outcome }) => wanted.includes(outcome))
      .reduce((total, row) => total + row.count, 0);
  const received = activity
    .filter(({ measure }) => measure === 'received')
    .reduce((total, row) => total + row.count, 0);
  const refunds = count('refunded', 'network');
  const again = outcomes.figures
    .filter(({ dimension }) => dimension === 'again')
    .reduce((total, row) => total + row.count, 0);
  const missed = count('missed');
  return html`<dl class="figures">
<div><dt>Alerts received</dt><dd>${formats.count(received)}</dd>${beforeNote(receivedBefore, before, formats)}</div>
<div><dt>Refunded</dt><dd>${formats.count(refunds)}</dd><dd class="note">${formats.count(count('network'))} of them by the network</dd>${then('refunded', 'network')}</div>
<div><dt>Accepted</dt><dd>${formats.count(count('accepted'))}</dd>${then('accepted')}</div>
<div${missed > 0 && html` class="alarm"`}><dt>Missed</dt><dd>${formats.count(missed)}</dd>${then('missed')}</div>
${
  deflected !== undefined &&
  html`<div><dt>Refunded or deflected</dt><dd>${formats.count(refunds - again + deflected)}</dd><dd class="note">refunded, and ${formats.count(deflected)} lookups deflected${again > 0 && `; ${formats.count(again)} refunded alerts were about one of the others’ disputes`}</dd></div>
`
}<div><dt>Money refunded by us</dt>${sumsByCurrency(activity).map(({ currency, amountMinor }) => html`<dd class="sums">${formats.money({ currency, amountMinor })}</dd>`)}${sumsByCurrency(activity).length === 0 && html`<dd class="small"><span class="quiet">none</span></dd>`}</div>
</dl>`;
}

/** Our confirmed refunds, the largest number first. */
function sumsByCurrency(
  activity: readonly ActivityFigure[],
): readonly { readonly currency: string; readonly amountMinor: number; readonly count: number }[] {
  const sums = new Map<string, { currency: string; amountMinor: number; count: number }>();
  for (const { measure, currency, amountMinor, count } of activity) {
    if (measure !== 'refund') continue;
    const sum = sums.get(currency) ?? { currency, amountMinor: 0, count: 0 };
    sums.set(currency, {
      currency,
      amountMinor: sum.amountMinor + amountMinor,
      count: sum.count + count,
    });
  }
  return [...sums.values()].sort((one, other) => other.count - one.count);
}

/** Every fifth day has its number below it. */
const TICK_DAYS = 5;

function daysOf({ days }: Month, formats: Formats): { names: string[]; ticks: (string | null)[] } {
  return {
    names: days.map((day) => formats.day(day)),
    ticks: days.map((day, index) =>
      index === 0 || (index + 1) % TICK_DAYS === 0 ? formats.count(day.getUTCDate()) : null,
    ),
  };
}

/** How the alerts page is asked for those that ended so. */
const ENDED_AS: Readonly<Record<DayOutcome, string>> = {
  refunded: 'state=DECLARED_REFUND',
  network: 'state=RECONCILED_RDR',
  accepted: 'state=DECLARED_ACCEPT',
  otherwise: 'state=closed',
  missed: 'state=all&missed=yes',
};

function outcomeBars({
  month,
  outcomes,
  formats,
  before,
}: {
  readonly month: Month;
  readonly outcomes: PeriodOutcomes;
  readonly formats: Formats;
  readonly before: Before;
}): Html {
  // A row for each currency.
  const countOn = (outcome: DayOutcome, day: Date): number =>
    outcomes.days
      .filter((row) => row.outcome === outcome && row.day.getTime() === day.getTime())
      .reduce((total, { count }) => total + count, 0);
  const allOn = (day: Date): number =>
    before.outcomes.days
      .filter((row) => row.day.getTime() === day.getTime())
      .reduce((total, { count }) => total + count, 0);
  const ended = (index: number): string => month.days[index]?.toISOString().slice(0, 10) ?? '';
  return stackedBars({
    title: 'What came of alerts, by day',
    unit: 'alerts',
    ...daysOf(month, formats),
    layers: OUTCOMES.map((outcome) => ({
      label: OUTCOME_WORDS[outcome],
      tone: outcome,
      values: month.days.map((day) => countOn(outcome, day)),
      hrefOf: (index) => `/alerts?${ENDED_AS[outcome]}&ended=${ended(index)}`,
    })),
    before: {
      label: formats.month(before.earlier.from),
      values: before.earlier.days.slice(0, month.days.length).map(allOn),
    },
    hrefOf: (index) => `/alerts?state=all&ended=${ended(index)}`,
    show: formats.count,
    showAxis: formats.count,
  });
}

function moneyBars({
  month,
  activity,
  formats,
  before,
}: {
  readonly month: Month;
  readonly activity: readonly ActivityFigure[];
  readonly formats: Formats;
  readonly before: Before;
}): readonly Html[] {
  return sumsByCurrency(activity)
    .slice(0, CURRENCIES_MAX)
    .map(({ currency }) => {
      const sumOn = (rows: readonly ActivityFigure[], day: Date): number =>
        rows
          .filter((row) => row.measure === 'refund' && row.currency === currency)
          .filter(({ at }) => at.getTime() === day.getTime())
          .reduce((total, { amountMinor }) => total + amountMinor, 0);
      const values = month.days.map((day) => sumOn(activity, day));
      const earlier = before.earlier.days.slice(0, month.days.length);
      return stackedBars({
        title: 'Money refunded by us, by day',
        unit: currency,
        ...daysOf(month, formats),
        layers: [{ label: 'refunded', tone: 'refunded', values }],
        before: {
          label: formats.month(before.earlier.from),
          values: earlier.map((day) => sumOn(before.activity, day)),
        },
        show: (amountMinor) => formats.money({ amountMinor, currency }),
        showAxis: (amountMinor) => formats.plain({ amountMinor, currency }),
      });
    });
}
