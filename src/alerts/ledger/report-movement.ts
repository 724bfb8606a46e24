/**
 * Tells the order feed that money went back, in the transaction that knows it: a refund in the feed
 * is shown to issuers and can stop a twin of the dispute.
 */
import type { Selectable } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { runApart } from '../../base/db/transaction.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { recordRefundInFeed } from '../../orders/saga-report.ts';
import type { MovementTable } from './ledger.table.ts';
import type { MovementState } from './movement-state.ts';

/** The refund's status in the order feed. The specification shows `SUCCEEDED` only. */
const FEED_STATUS: Partial<Record<MovementState, string>> = {
  CONFIRMED: 'SUCCEEDED',
  REVERSED: 'FAILED',
};

/**
 * Reports the movement when its state is worth a report: money moved, or moved back.
 *
 * An order that cannot take the report must not stop the books about money: the report alone is undone,
 * and a person is notified.
 */
export async function reportMovement(trx: Trx, row: Selectable<MovementTable>): Promise<void> {
  const report = reportOf(row);
  if (report === undefined) return;
  const isReported = await runApart(trx, async () => void (await recordRefundInFeed(trx, report)));
  if (!isReported) await pageFailure(trx, row);
}

type Report = Parameters<typeof recordRefundInFeed>[1];

function reportOf(row: Selectable<MovementTable>): Report | undefined {
  const status = FEED_STATUS[row.state];
  const { processor_reference: reference, amount_minor: amountMinor, charge_reference } = row;
  if (status === undefined || reference === null || charge_reference === null) return undefined;
  if (amountMinor === 0 || row.kind === 'void') return undefined;
  return {
    organisationId: row.organisation_id,
    chargeReference: charge_reference,
    now: row.changed_at,
    refund: {
      reference,
      amountMinor,
      currency: row.currency,
      status,
      refundedAt: (row.confirmed_at ?? row.changed_at).toISOString(),
    },
  };
}

async function pageFailure(trx: Trx, row: Selectable<MovementTable>): Promise<void> {
  await notify(trx, {
    organisationId: row.organisation_id,
    dedupeKey: `feed_report:${row.id}:${row.state}`,
    kind: 'feed_report_failed',
    severity: 'warning',
    ...(row.alert_id === null ? {} : { alertId: row.alert_id }),
    text: `Refund ${row.id} of charge ${row.charge_reference} is ${row.state}, but its order could not take the report. Add the refund to the order yourself.`,
    at: row.changed_at,
  });
}
