/**
 * The list of alerts as CSV (RFC 4180), written as it is read, whatever its length.
 */
import { once } from 'node:events';
import type { Response } from 'express';
import type { Kysely } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import { csvCell } from '../../base/kernel/csv-cell.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import type { AlertListItem, AlertListQuery } from '../../books/insights/alert-list.store.ts';
import { listAlertPage } from '../../books/insights/alert-list.store.ts';

/** Rows read at a time: bounds memory, whatever the export's length. */
const BATCH = 1_000;

/** Cases looked at for one batch of a filtered export. */
const BATCH_SCAN = 20_000;

/** Each column's name and the field it shows. */
const COLUMNS = {
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

function decimalOf({ amountMinor, currency }: AlertListItem): string | null {
  if (amountMinor === null || currency === null) return null;
  return formatMoney({ amountMinor, currency }).split(' ')[0] ?? null;
}

/** Writes the whole list. A reader who goes away ends it. */
export async function streamCsv(
  db: Kysely<Database>,
  response: Response,
  query: AlertListQuery,
): Promise<void> {
  response.status(200).set({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="alerts.csv"',
  });
  response.write(`${Object.keys(COLUMNS).join(',')}\r\n`);
  let after = query.after;
  for (;;) {
    const page = await listAlertPage(db, { ...query, after, limit: BATCH, scanMax: BATCH_SCAN });
    const text = page.items.map(csvLine).join('');
    if (response.destroyed) return;
    if (text !== '' && !response.write(text)) {
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
    if (page.next === null) break;
    after = page.next;
  }
  response.end();
}

function csvLine(item: AlertListItem): string {
  const cells = Object.values(COLUMNS).map((field) =>
    csvCell(field === 'amountMinor' ? decimalOf(item) : item[field]),
  );
  return `${cells.join(',')}\r\n`;
}
