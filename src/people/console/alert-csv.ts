/** The list of alerts as CSV. */
import type { Response } from 'express';
import type { AlertListItem, AlertListQuery } from '../../alerts/list/alert-list.store.ts';
import { listAlertPage } from '../../alerts/list/alert-list.store.ts';
import type { Db } from '../../base/db/database.ts';
import type { Cell } from '../../base/kernel/csv-cell.ts';
import { decimalCell, sendCsv } from '../../surface/web/csv.ts';
import type { ConsoleOptions } from '../../surface/web/ports.ts';

/** Rows read at a time: bounds memory, whatever the export's length. */
const BATCH = 1_000;

/** Cases looked at for one batch of a filtered export. */
const BATCH_SCAN = 20_000;

export const ALERT_COLUMNS = {
  alert_id: 'alertId',
  state: 'state',
  status_at_service: 'alertStatus',
  programme: 'enrolmentType',
  received_at: 'openedAt',
  deadline_at: 'deadlineAt',
  closed_at: 'closedAt',
  missed_at: 'missedAt',
  amount: 'amountMinor',
  currency: 'currency',
  descriptor: 'descriptor',
  card_scheme: 'cardScheme',
  card_bin: 'cardBin',
  card_last4: 'cardLast4',
  issuer: 'cardIssuer',
  reason_code: 'reasonCode',
  acquirer_reference_number: 'acquirerReferenceNumber',
  authorisation_code: 'authorisationCode',
  charge_reference: 'chargeReference',
  refund_state: 'refundState',
  hold_reason: 'holdReason',
  last_error: 'lastError',
} as const satisfies Record<string, keyof AlertListItem>;

/** Writes the whole list. A reader who goes away ends it. */
export async function streamCsv(
  { db, organisation }: Pick<ConsoleOptions, 'db' | 'organisation'>,
  response: Response,
  query: AlertListQuery,
): Promise<void> {
  const columns = Object.keys(ALERT_COLUMNS);
  const pages = readPages(db, query);
  await sendCsv(response, { name: 'alerts.csv', columns, organisation, pages });
}

async function* readPages(
  db: Db,
  query: AlertListQuery,
): AsyncGenerator<readonly (readonly Cell[])[]> {
  let after = query.after;
  for (;;) {
    const page = await listAlertPage(db, { ...query, after, limit: BATCH, scanMax: BATCH_SCAN });
    yield page.items.map(cellsOf);
    if (page.next === null) return;
    after = page.next;
  }
}

function cellsOf(item: AlertListItem): Cell[] {
  return Object.values(ALERT_COLUMNS).map((field) =>
    field === 'amountMinor' ? amountCell(item) : item[field],
  );
}

function amountCell({ amountMinor, currency }: AlertListItem): Cell {
  return amountMinor === null || currency === null ? null : decimalCell({ amountMinor, currency });
}
