/**
 * The page to a person about a refund that nothing here can finish, or that made a declaration false.
 */
import type { Transaction } from 'kysely';
import type { Database } from '../db/database.ts';
import { formatMoney } from '../kernel/money.ts';
import { notify } from '../notify/notification.store.ts';
import type { RefundRow } from './refund.store.ts';
import { casesOfRefund } from './refund-cases.store.ts';

/** The states in which an alert was, or is about to be, told that it was refunded. */
const TOLD = ['DECLARE_REFUND', 'DECLARED_REFUND'] as const;

/** Pages a person when the refund has become one's business, in the transaction that moved it. */
export async function pageIfNeeded(
  trx: Transaction<Database>,
  from: RefundRow,
  { row, now }: { readonly row: RefundRow; readonly now: Date },
): Promise<void> {
  const failed = row.state === 'REVERSED' || (row.state === 'REJECTED' && from.state !== 'SENT');
  const told = failed ? await casesOfRefund(trx, row, TOLD) : [];
  if (row.state !== 'HUMAN' && row.state !== 'REVERSED' && told.length === 0) return;
  const alerts = told.map(({ alert_id }) => alert_id).join(', ');
  await notify(trx, {
    organisationId: row.organisation_id,
    dedupeKey: `refund:${row.id}:${row.state}`,
    kind: row.state === 'HUMAN' ? 'refund_unresolved' : 'refund_reversed',
    severity: 'error',
    alertId: row.alert_id,
    text: row.state === 'HUMAN' ? unresolvedText(row) : failedText(row, alerts),
    at: now,
  });
}

function subjectOf(row: RefundRow): string {
  const money = formatMoney({ amountMinor: row.amount_minor, currency: row.currency });
  return `Refund ${row.id} of ${money} on charge ${row.charge_reference}`;
}

function unresolvedText(row: RefundRow): string {
  return row.network_alert_id === null
    ? `${subjectOf(row)}: whether it was executed could not be found out. Look at the charge at the processor; nothing is sent again.`
    : `${subjectOf(row)}: the network refunded the payment meanwhile (RDR alert ${row.network_alert_id}), and whether ours was executed too could not be found out, so the customer may be paid twice. Look at the charge at the processor and with the acquirer; nothing is sent again.`;
}

function failedText(row: RefundRow, alerts: string): string {
  const declared = alerts === '' ? '' : ` It was declared for ${alerts}, which is now false.`;
  return `${subjectOf(row)} failed at the processor.${declared} Refund the customer another way.`;
}
