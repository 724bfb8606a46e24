/** Scheme notices, and the ratios that card schemes watch: how near to their monitoring programmes we are. */
import type { Router } from 'express';
import { z } from 'zod';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { SchemeNoticeRow } from '../../../books/insights/entity-list.store.ts';
import { listSchemeNotices } from '../../../books/insights/entity-list.store.ts';
import type { MonthRatio } from '../../../books/insights/ratios.store.ts';
import { RATIO_MONTHS, readRatios } from '../../../books/insights/ratios.store.ts';
import { cursorOf, LIMIT_DEFAULT, makeCursor, read } from '../query.ts';
import { route } from '../reply.ts';
import { amount } from '../view/money.ts';
import { nextPage, table } from '../view/table.ts';
import { momentOr } from '../view/time.ts';
import type { PageContext, Visit } from '../visit.ts';
import { page, send, sendError } from '../visit.ts';
import { emptyState } from './case-list.ts';

/** Pages one may leaf through; older notices are found in an export of the database. */
const OFFSET_MAX = 10_000;

const noticeQuery = z.strictObject({
  cursor: cursorOf(z.tuple([z.int().min(1).max(OFFSET_MAX)])).optional(),
});

export function registerSchemeNotices(router: Router, context: PageContext): void {
  route(router, '/scheme-notices', { get: page(context, 'viewer', show) });
}

async function show(visit: Visit): Promise<void> {
  const { options, request, now } = visit;
  const { db, organisationId } = options;
  const query = read(noticeQuery, { ...request.query });
  if (!query.ok) {
    sendError(visit, 400, {
      title: 'That list does not exist',
      message: 'Begin without a cursor.',
    });
    return;
  }
  const offset = query.value.cursor?.[0] ?? 0;
  const [ratios, rows] = await Promise.all([
    readRatios(db, organisationId, now),
    listSchemeNotices(db, organisationId, { limit: LIMIT_DEFAULT, offset }),
  ]);
  const hasMore = rows.length === LIMIT_DEFAULT && offset + rows.length <= OFFSET_MAX;
  const body = html`<h1>Scheme notices and ratios</h1>
<h2>Ratios of the last ${RATIO_MONTHS} months</h2>${ratioTable(ratios)}
<h2>Notices, newest first</h2>${noticeTable(rows)}
${nextPage('/scheme-notices', { cursor: hasMore ? makeCursor([offset + rows.length]) : null })}`;
  send(visit, { title: 'Scheme notices', active: '/scheme-notices', body });
}

function ratioTable(ratios: readonly MonthRatio[]): Html {
  if (ratios.length === 0) {
    return emptyState(
      'No notice in these months.',
      'Fraud and dispute notices of the card schemes appear here as soon as the service reports them.',
    );
  }
  return html`${table({
    label: 'Notices and payments by month',
    columns: [
      'Month',
      'Scheme',
      { heading: 'Fraud reports', numeric: true },
      { heading: 'Disputes', numeric: true },
      { heading: 'Both', numeric: true },
      { heading: 'Payments known', numeric: true },
      { heading: 'Ratio', numeric: true },
      { heading: 'Revoked', numeric: true },
    ],
    rows: ratios.map((row) => [
      row.month.toISOString().slice(0, 7),
      row.scheme,
      row.fraudReports,
      row.disputes,
      row.fraudReports + row.disputes,
      row.payments,
      ratioWords(row),
      row.revoked,
    ]),
  })}
<p class="quiet">Revoked notices are not counted; payments are counted anew every ten minutes. The base is the payments that your orders and the processor told Forestall of; the schemes count settled payments of their own, so take these as early warnings. A refund takes a dispute out of the count, never a fraud report. Monitoring begins, for one scheme, at 1.50 % of both together and 1,500 of them in a month; for the other, at 100 disputes and 1.50 % of the payments of the month before.</p>`;
}

/** Per cent with two decimals, or that there is no base. */
export function ratioWords({ fraudReports, disputes, payments }: MonthRatio): string {
  if (payments === 0) return 'no base';
  return `${(((fraudReports + disputes) * 100) / payments).toFixed(2)} %`;
}

function noticeTable(rows: readonly SchemeNoticeRow[]): Html {
  if (rows.length === 0) return html`<p class="quiet">There is none.</p>`;
  return table({
    label: 'Scheme notices',
    columns: [
      'Notice',
      'Reported',
      'Type',
      'Scheme',
      'Kind',
      { heading: 'Amount', numeric: true },
      'Card',
      'Acquirer reference',
    ],
    rows: rows.map((row) => [
      html`<code>${row.id}</code>${row.is_revoked === true && html` <span class="state good">revoked</span>`}`,
      momentOr(row.fraud_reported_at ?? row.created_at, 'unknown'),
      row.scheme_notice_type,
      row.scheme,
      kindWords(row),
      amount(row.amount_minor, row.currency),
      row.card_last4 === null ? '–' : `${row.card_bin ?? ''} ···· ${row.card_last4}`,
      row.acquirer_reference_number,
    ]),
  });
}

function kindWords({ notice_type, snapshot }: SchemeNoticeRow): string {
  const type = snapshot['fraud_type'];
  const words = notice_type === 'FRAUD_NOTICE' ? 'fraud' : 'dispute';
  return typeof type === 'string' ? `${words}: ${type}` : words;
}
