/** Exports for accounting and for auditors, by days of a time zone. Each one is written down. */
import type { Router } from 'express';
import { z } from 'zod';
import type { ExportPeriod, MoneyRow } from '../../../alerts/ledger/money-export.store.ts';
import {
  knowsZone,
  readAuditRows,
  readMoneyRows,
  sumMoney,
} from '../../../alerts/ledger/money-export.store.ts';
import type { Cell } from '../../../base/kernel/csv-cell.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { isTimeZone } from '../../../policy/zone.ts';
import { isAtLeast } from '../../../surface/access/role.ts';
import { formatsOf } from '../../../surface/view/locale.ts';
import { monthField, monthOf, monthPicker } from '../../../surface/view/month.ts';
import { isOffered } from '../../../surface/view/page-link.ts';
import { numeric, table } from '../../../surface/view/table.ts';
import { decimalCell, sendCsv } from '../../../surface/web/csv.ts';
import { read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { noteExport, page, readListQuery, send, sendError } from '../../../surface/web/visit.ts';
import { linksOn } from '../page-parts.ts';

/** Longest period of one export, in days. */
const DAYS_MAX = 400;
const DAY_MS = 24 * 60 * 60_000;

export function registerExports(router: Router, context: PageContext): void {
  route(router, '/exports', { get: page(context, 'viewer', show) });
  route(router, '/exports/refunds.csv', { get: page(context, 'reviewer', exportRefunds) });
  route(router, '/exports/audit.csv', { get: page(context, 'reviewer', exportAudit) });
}

const day = z.iso.date().regex(/^2/, { error: 'must be a day like 2026-11-01' });
const periodQuery = z
  .object({
    from: day,
    to: day,
    zone: z
      .string()
      .max(60)
      .refine((zone) => isTimeZone(zone), { error: 'must be a time zone like Europe/Berlin' })
      .default('UTC'),
  })
  .refine(({ from, to }) => daysBetween(from, to) >= 1, { error: 'ends before it begins' })
  .refine(({ from, to }) => daysBetween(from, to) <= DAYS_MAX, {
    error: `is longer than ${DAYS_MAX} days`,
  });

function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

/** The period that a query asks for; undefined once the answer says what is wrong with it. */
async function readPeriod(
  visit: Visit,
  query: Readonly<Record<string, unknown>>,
): Promise<ExportPeriod | undefined> {
  const { db, organisationId } = visit.options;
  const asked = read(periodQuery, query);
  const message = asked.ok
    ? 'The database does not know this time zone. Use a name like Europe/Berlin.'
    : asked.faults.map((fault) => fault.message).join(' ');
  if (asked.ok && (await knowsZone(db, asked.value.zone))) {
    return { organisationId, ...asked.value };
  }
  sendError(visit, 400, { title: 'That period cannot be exported', message });
  return undefined;
}

const showQuery = z.object({ month: monthField });

async function show(visit: Visit): Promise<void> {
  const { request, options, now, who } = visit;
  const query = readListQuery(visit, showQuery);
  if (query === undefined) return;
  const formats = formatsOf(request, options.locale);
  const month = monthOf(query.month, now);
  const last = new Date(month.to.getTime() - DAY_MS).toISOString().slice(0, 10);
  const { from = `${month.name}-01`, to = last, zone = 'UTC' } = request.query;
  const period = await readPeriod(visit, { from, to, zone });
  if (period === undefined) return;
  const sums = await sumMoney(options.db, period);
  const mayExport = isAtLeast(who.role, 'reviewer');
  const ofPeriod = new URLSearchParams({ from: period.from, to: period.to, zone: period.zone });
  const figures = { path: `/figures?month=${month.name}`, label: 'Figures of this month' };
  const links = [...linksOn('/exports'), ...(isOffered('/figures') ? [figures] : [])];
  const body = html`<h1>Exports</h1>
<div class="bar">${monthPicker('/exports', month, { now, formats })}<p>${links.map(({ path, label }, index) => html`${index > 0 && ' · '}<a href="${path}">${label}</a>`)}</p></div>
<form method="get" action="/exports" class="card filters">${dayField('from', 'First day', period.from)}${dayField('to', 'Last day', period.to)}
<div><label for="zone">Time zone of the days</label><input id="zone" name="zone" value="${period.zone}" maxlength="60" autocomplete="off" spellcheck="false"></div>
<div class="actions"><button class="plain">Show these days</button></div></form>
<h2>Money that went back</h2>
${sumTable(sums, formats.money, formats.count)}
${mayExport ? html`<p class="actions"><a class="button" href="/exports/refunds.csv?${ofPeriod.toString()}" download>Refunds as CSV</a> <a class="button plain" href="/exports/audit.csv?${ofPeriod.toString()}" download>Audit log as CSV</a></p>` : html`<p class="quiet">Exporting takes the role reviewer.</p>`}
<p class="quiet">One line for each refund, by the day on which the processor confirmed it, with its reference, the decision and who took it. A refund that failed later has a second line below zero, on the day on which that was seen. Each export is written down in the audit log.</p>`;
  send(visit, { title: 'Exports', active: '/exports', body });
}

function dayField(name: string, label: string, value: string): Html {
  return html`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" type="date" value="${value}" required></div>`;
}

const KIND_WORDS: Readonly<Record<string, string>> = {
  refund: 'refunded by us',
  void: 'voided',
  network: 'refunded by the network',
  external: 'refunded by others at the processor',
  chargeback: 'charged back',
  reversal: 'refunds that failed later',
};

type Sums = Awaited<ReturnType<typeof sumMoney>>;

function sumTable(
  sums: Sums,
  money: (sum: { amountMinor: number; currency: string }) => string,
  count: (value: number) => string,
): Html {
  if (sums.length === 0) return html`<p class="card quiet">No money went back on these days.</p>`;
  return table({
    label: 'Money that went back, by kind and currency',
    columns: ['What', numeric('Number'), numeric('Amount')],
    rows: sums.map((row) => [KIND_WORDS[row.kind] ?? row.kind, count(row.count), money(row)]),
  });
}

/** Each column and what it shows; `zone` is the one whose days are exported. */
const REFUND_CELLS: Readonly<Record<string, (row: MoneyRow, zone: string) => Cell>> = {
  refund_date: (row) => row.day,
  time_zone: (_row, zone) => zone,
  refunded_at: (row) => row.at,
  kind: (row) => row.kind,
  amount: decimalCell,
  currency: (row) => row.currency,
  refund_reference: (row) => row.refundReference,
  charge_reference: (row) => row.chargeReference,
  order_reference: (row) => row.orderReference,
  alert_id: (row) => row.alertId,
  merchant_id: (row) => row.merchantId,
  descriptor: (row) => row.descriptor,
  reason_code: (row) => row.reasonCode,
  decision: (row) => row.decision,
  decided_by: (row) => row.decidedBy,
  rule: (row) => row.rule,
  policy_version: (row) => row.policyVersion,
  decided_at: (row) => row.decidedAt,
  approved_by: (row) => row.approvers,
  movement_id: (row) => row.movementId,
};
export const REFUND_COLUMNS = Object.keys(REFUND_CELLS);

async function exportRefunds(visit: Visit): Promise<void> {
  const period = await readPeriod(visit, visit.request.query);
  if (period === undefined) return;
  const { from, to, zone } = period;
  await noteExport(visit, 'exported refunds', { from, to, zone });
  const { db } = visit.options;
  await sendCsv(visit.response, {
    name: `refunds-${from}-${to}.csv`,
    columns: REFUND_COLUMNS,
    organisation: visit.options.organisation,
    pages: mapped(readMoneyRows(db, period), (row) =>
      Object.values(REFUND_CELLS).map((cellOf) => cellOf(row, zone)),
    ),
  });
}

export const AUDIT_COLUMNS = [
  'id',
  'at',
  'subject',
  'subject_id',
  'alert_id',
  'actor',
  'what',
  'from_state',
  'to_state',
  'detail',
] as const;

async function exportAudit(visit: Visit): Promise<void> {
  const period = await readPeriod(visit, visit.request.query);
  if (period === undefined) return;
  const { from, to, zone } = period;
  await noteExport(visit, 'exported the audit log', { from, to, zone });
  await sendCsv(visit.response, {
    name: `audit-${from}-${to}.csv`,
    columns: AUDIT_COLUMNS,
    organisation: visit.options.organisation,
    pages: mapped(readAuditRows(visit.options.db, period), (row) =>
      AUDIT_COLUMNS.map((name) => (name === 'detail' ? JSON.stringify(row.detail) : row[name])),
    ),
  });
}

async function* mapped<Row>(
  pages: AsyncIterable<readonly Row[]>,
  cellsOf: (row: Row) => readonly Cell[],
): AsyncGenerator<readonly (readonly Cell[])[]> {
  for await (const rows of pages) yield rows.map(cellsOf);
}
