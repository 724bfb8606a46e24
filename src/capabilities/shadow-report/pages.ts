/**
 * The shadow side by side with what is live: a second policy (`FORESTALL_SHADOW_POLICY`) or a whole
 * installation that acts on nothing (`FORESTALL_MODE=shadow`).
 */
import { z } from 'zod';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { Money } from '../../base/kernel/money.ts';
import type { CapabilityPages } from '../../surface/capability.ts';
import { named } from '../../surface/view/bars.ts';
import { emptyState } from '../../surface/view/empty-state.ts';
import { alertPath } from '../../surface/view/links.ts';
import { moneyText, sums } from '../../surface/view/money.ts';
import { isOffered } from '../../surface/view/page-link.ts';
import { numeric, stackedTable, table } from '../../surface/view/table.ts';
import { read } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { Visit } from '../../surface/web/visit.ts';
import { page, send, sendError } from '../../surface/web/visit.ts';
import type { ShadowDayFigures, ShadowFigure } from './shadow-report.store.ts';
import { findShadowReport, listShadowReports, readShadowFigures } from './shadow-report.store.ts';
import type { ShadowAction, ShadowReport } from './shadow-report.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Days that are listed. */
const DAYS_SHOWN = 14;

/** Differences of a day that are shown; the command lists them all. */
const ROWS_SHOWN = 200;

export const shadowReportPages: CapabilityPages = {
  register(router, context): void {
    route(router, '/policies/shadow', { get: page(context, 'viewer', show) });
    route(router, '/policies/shadow/:day', { get: page(context, 'viewer', showDay) });
  },
  linkedFrom: { '/policies': { path: '/policies/shadow', label: 'Shadow beside the live policy' } },
};

async function show(visit: Visit): Promise<void> {
  const { options, now } = visit;
  const { db, organisationId } = options;
  const [figures, days] = await Promise.all([
    readShadowFigures(db, organisationId, new Date(now.getTime() - DAY_MS)),
    listShadowReports(db, organisationId, DAYS_SHOWN),
  ]);
  const body = html`<p class="crumbs"><a href="/policies">Policies</a></p><h1>Shadow</h1>
<p class="quiet">What a candidate says about the same alerts, with the same guards, beside what is live. It is acted on never.</p>
<h2>Last 24 hours, decision by decision</h2>${shadowTable(figures)}
<h2>Day by day, of alerts that closed</h2>${dayTable(days)}`;
  send(visit, { title: 'Shadow', active: '/policies', body });
}

const ACTIONS = {
  REFUND: 'refund',
  ACCEPT_DISPUTE: 'accept the dispute',
  REVIEW: 'ask a person',
  NONE: 'nothing to do',
} as const satisfies Record<ShadowAction, string>;

function shadowTable(figures: readonly ShadowFigure[]): Html {
  if (figures.length === 0) {
    return emptyState(
      'No second policy was asked.',
      html`Set <code>FORESTALL_SHADOW_POLICY</code> to the file of a candidate and start the workers again: from then on it is judged on every alert, and stands here beside the live policy.${isOffered('/policies/backtests') && html` To try one on the past, ask for <a href="/policies/backtests">a backtest</a>.`}`,
    );
  }
  const all = figures.reduce((sum, { count }) => sum + count, 0);
  const alike = figures.reduce((sum, { same }) => sum + same, 0);
  return html`<p><strong>${alike} of ${all} ${all === 1 ? 'decision' : 'decisions'}</strong> would have been the same, with the same money.</p>${table(
    {
      label: 'The live policy and the candidate',
      columns: [
        'The live policy',
        'The candidate',
        'Version of the candidate',
        numeric('Alerts'),
        numeric('Refunded, live'),
        numeric('Refunded, candidate'),
      ],
      rows: figures.map(({ version, did, would, currency, count, same, didMinor, wouldMinor }) => [
        ACTIONS[did],
        html`<span class="state ${same === count ? 'good' : 'warn'}">${ACTIONS[would]}</span>`,
        html`<code>${version.slice(0, 12)}</code>`,
        count,
        moneyOf(didMinor, currency),
        moneyOf(wouldMinor, currency),
      ]),
    },
  )}`;
}

function moneyOf(amountMinor: number, currency: string | null): Html {
  return sums(currency === null || amountMinor === 0 ? [] : [{ amountMinor, currency }]);
}

function dayTable(days: readonly ShadowDayFigures[]): Html {
  if (days.length === 0) {
    return html`<p class="card quiet">No day has a report yet. A worker writes one for each day on which an alert closed that a shadow had decided.</p>`;
  }
  return table({
    label: 'Reports of the shadow by day',
    columns: [
      'Day (UTC)',
      ...['Alerts', 'The same', 'Different', 'Left to a person', 'Refunded', 'Shadow'].map(numeric),
    ],
    rows: days.map((day) => [
      html`<a href="/policies/shadow/${day.day}">${day.day}</a>`,
      day.alerts,
      day.same,
      day.different,
      day.review,
      sums(listOf(day.didRefundMinor)),
      sums(listOf(day.wouldRefundMinor)),
    ]),
  });
}

function listOf(minor: Readonly<Record<string, number>>): Money[] {
  return Object.entries(minor)
    .map(([currency, amountMinor]) => ({ currency, amountMinor }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

async function showDay(visit: Visit): Promise<void> {
  const { options, request } = visit;
  const { db, organisationId } = options;
  const day = read(z.iso.date(), request.params['day']);
  const report = day.ok
    ? await findShadowReport(db, { organisationId, day: day.value })
    : undefined;
  if (report === undefined) {
    const message = 'A worker writes it when the day is over and an alert closed on it.';
    return sendError(visit, 404, { title: 'No report of that day', message });
  }
  const body = html`<p class="crumbs"><a href="/policies">Policies</a> · <a href="/policies/shadow">Shadow</a></p>
<h1>Shadow on ${report.day}</h1>
<dl class="figures"><div><dt>Alerts closed</dt><dd>${report.alerts}</dd></div><div><dt>The same</dt><dd>${report.same}</dd></div>
<div><dt>Different</dt><dd>${report.different}</dd></div><div><dt>Left to a person</dt><dd>${report.review}</dd></div>
<div><dt>Refunded</dt><dd class="small">${sums(listOf(report.didRefundMinor))}</dd></div><div><dt>The shadow would have</dt><dd class="small">${sums(listOf(report.wouldRefundMinor))}</dd></div></dl>
<h2>Side by side, where they differ</h2>${differences(report)}`;
  send(visit, { title: `Shadow ${report.day}`, active: '/policies', body });
}

function differences({ rows, day, different, review }: ShadowReport): Html {
  if (rows.length === 0) return html`<p class="card">Both did the same about every alert.</p>`;
  const more = different + review - Math.min(rows.length, ROWS_SHOWN);
  return html`${stackedTable({
    label: 'Alerts about which the two differ',
    columns: ['Alert', 'Was done', 'The shadow would', 'Rule', 'Why'],
    rows: rows
      .slice(0, ROWS_SHOWN)
      .map((row) => [
        html`<a href="${alertPath(row.alertId)}"><code>${row.alertId}</code></a>`,
        named(
          'Was done',
          row.did === null ? 'no answer' : `${ACTIONS[row.did]}${amountOf(row.didMinor, row)}`,
        ),
        named(
          'The shadow would',
          html`<span class="state warn">${ACTIONS[row.would]}</span>${amountOf(row.wouldMinor, row)}`,
        ),
        named('Rule', row.rule ?? 'otherwise'),
        html`<span class="long">${row.sentence}</span>`,
      ]),
  })}${more > 0 && html`<p class="quiet">${more} more: <code>forestall policy shadow-report --date ${day} --json</code>.</p>`}`;
}

function amountOf(minor: number | null, { currency }: { currency: string | null }): string {
  if (minor === null || minor === 0 || currency === null) return '';
  return ` ${moneyText({ amountMinor: minor, currency })}`;
}
