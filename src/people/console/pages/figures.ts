/** Figures of a month: what came of alerts day by day, money, answer times, by whom and why, and what capabilities say of it. */
import type { Router } from 'express';
import { countDisputes } from '../../../alerts/ledger/dispute-count.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { ActivityFigure } from '../../../books/figures/activity.store.ts';
import { readActivity } from '../../../books/figures/activity.store.ts';
import type { DayOutcome } from '../../../books/figures/figures.table.ts';
import { readLookupPeriod } from '../../../books/figures/lookup-figures.store.ts';
import type { PeriodOutcomes } from '../../../books/figures/outcome-day.store.ts';
import { readPeriodOutcomes } from '../../../books/figures/outcome-day.store.ts';
import { CAPABILITY_PAGES } from '../../../capabilities/pages.ts';
import { stackedBars } from '../../../surface/view/bars.ts';
import type { Formats } from '../../../surface/view/locale.ts';
import { formatsOf } from '../../../surface/view/locale.ts';
import type { Month } from '../../../surface/view/month.ts';
import { monthOf, monthPicker } from '../../../surface/view/month.ts';
import { moment } from '../../../surface/view/time.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { page, send } from '../../../surface/web/visit.ts';
import {
  answerTimes,
  breakdown,
  disputesCard,
  OUTCOME_WORDS,
  OUTCOMES,
} from './figure-sections.ts';

/** What capabilities have to say of a month. */
const FIGURE_PARTS = CAPABILITY_PAGES.flatMap(({ ofMonth }) => ofMonth ?? []);

/** Charts of money: one for each of the currencies with most refunds. */
const CURRENCIES_MAX = 3;

export function registerFigures(router: Router, context: PageContext): void {
  route(router, '/figures', { get: page(context, 'viewer', show) });
}

async function show(visit: Visit): Promise<void> {
  const { options, request, now } = visit;
  const { db, organisationId } = options;
  const month = monthOf(request.query['month'], now);
  const { from, to } = month;
  const formats = formatsOf(request, options.locale);
  const scope = { organisationId, from };
  const [outcomes, activity, lookups, disputes] = await Promise.all([
    readPeriodOutcomes(db, { ...scope, to, now }),
    readActivity(db, { ...scope, until: to, stretchHours: 24 }),
    readLookupPeriod(db, { ...scope, to, stretchHours: 24 * month.days.length }),
    countDisputes(db, { ...scope, to }),
  ]);
  const { deflected } = lookups.summary.all;
  const { figures } = outcomes;
  const body = html`<h1>Figures: ${formats.month(from)}</h1>
<div class="bar">${monthPicker('/figures', month, { now, formats })}<p><a href="/exports?month=${month.name}">Exports of this month</a></p></div>
${outcomes.missing !== null && html`<p class="banner">What ended between ${moment(outcomes.missing.from)} and ${moment(outcomes.missing.to)} is still being added up and not counted here. A worker must run: see <a href="/system">System</a>.</p>`}
${headline({ outcomes, activity, deflected, formats })}
${outcomeBars({ month, outcomes, formats })}
<div class="columns spaced">${moneyBars({ month, activity, formats })}</div>
<div class="columns spaced">${answerTimes(figures, formats)}${disputesCard(disputes, formats)}</div>
${await Promise.all(FIGURE_PARTS.map((part) => part(visit, { figures, from, to, formats })))}
<h2>By merchant, descriptor and reason</h2>
${breakdown('merchant', figures, formats)}${breakdown('descriptor', figures, formats)}${breakdown('reason', figures, formats)}
<p class="quiet">Days are UTC and begin at midnight. An alert counts on the day on which it ended; a missed one on the day of its deadline.</p>`;
  send(visit, { title: `Figures ${month.name}`, active: '/figures', body });
}

function headline(of: {
  readonly outcomes: PeriodOutcomes;
  readonly activity: readonly ActivityFigure[];
  readonly deflected: number;
  readonly formats: Formats;
}): Html {
  const { outcomes, activity, deflected, formats } = of;
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
<div><dt>Alerts received</dt><dd>${formats.count(received)}</dd></div>
<div><dt>Refunded</dt><dd>${formats.count(refunds)}</dd><dd class="note">${formats.count(count('network'))} of them by the network</dd></div>
<div><dt>Accepted</dt><dd>${formats.count(count('accepted'))}</dd></div>
<div${missed > 0 && html` class="alarm"`}><dt>Missed</dt><dd>${formats.count(missed)}</dd></div>
<div><dt>Refunded or deflected</dt><dd>${formats.count(refunds - again + deflected)}</dd><dd class="note">refunded, and ${formats.count(deflected)} lookups deflected${again > 0 && `; ${formats.count(again)} refunded alerts were about one of the others’ disputes`}</dd></div>
<div><dt>Money refunded by us</dt>${sumsByCurrency(activity).map(({ currency, amountMinor }) => html`<dd class="sums">${formats.money({ currency, amountMinor })}</dd>`)}${sumsByCurrency(activity).length === 0 && html`<dd class="small"><span class="quiet">none</span></dd>`}</div>
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

function outcomeBars(of: {
  readonly month: Month;
  readonly outcomes: PeriodOutcomes;
  readonly formats: Formats;
}): Html {
  const { month, outcomes, formats } = of;
  // A row for each currency.
  const countOn = (outcome: DayOutcome, day: Date): number =>
    outcomes.days
      .filter((row) => row.outcome === outcome && row.day.getTime() === day.getTime())
      .reduce((total, { count }) => total + count, 0);
  return stackedBars({
    title: 'What came of alerts, by day',
    unit: 'alerts',
    ...daysOf(month, formats),
    layers: OUTCOMES.map((outcome) => ({
      label: OUTCOME_WORDS[outcome],
      tone: outcome,
      values: month.days.map((day) => countOn(outcome, day)),
    })),
    show: formats.count,
    showAxis: formats.count,
  });
}

function moneyBars(of: {
  readonly month: Month;
  readonly activity: readonly ActivityFigure[];
  readonly formats: Formats;
}): readonly Html[] {
  const { month, activity, formats } = of;
  return sumsByCurrency(activity)
    .slice(0, CURRENCIES_MAX)
    .map(({ currency }) => {
      const rows = activity.filter((row) => row.measure === 'refund' && row.currency === currency);
      const values = month.days.map((day) =>
        rows
          .filter(({ at }) => at.getTime() === day.getTime())
          .reduce((total, { amountMinor }) => total + amountMinor, 0),
      );
      return stackedBars({
        title: 'Money refunded by us, by day',
        unit: currency,
        ...daysOf(month, formats),
        layers: [{ label: 'refunded', tone: 'refunded', values }],
        show: (amountMinor) => formats.money({ amountMinor, currency }),
        showAxis: (amountMinor) => formats.plain({ amountMinor, currency }),
      });
    });
}
