/**
 * Tells the order feed that money went back, in the transaction that knows it: a refund in the feed
 * is shown to issuers and can stop a twin of the dispute.
 */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { runApart } from '../../base/db/transaction.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { ChargesKnown } from '../../orders/charge-index.ts';
import { textsFor } from '../../orders/foreign-handle.ts';
import type { FeedReportResult } from '../../orders/saga-report.ts';
import { recordRefundInFeed } from '../../orders/saga-report.ts';
import type { MovementTable } from './ledger.table.ts';
import type { MovementState } from './movement-state.ts';

/** The refund's status in the order feed. The specification shows `SUCCEEDED` only. */
const FEED_STATUS: Partial<Record<MovementState, string>> = {
  CONFIRMED: 'SUCCEEDED',
  REVERSED: 'FAILED',
};

/** What a report says of a movement. */
type Reported = Pick<
  Selectable<MovementTable>,
  | 'organisation_id'
  | 'id'
  | 'kind'
  | 'state'
  | 'alert_id'
  | 'charge_reference'
  | 'processor_reference'
  | 'amount_minor'
  | 'currency'
  | 'confirmed_at'
  | 'changed_at'
>;

/**
 * Reports the movement when its state is worth a report: money moved, or moved back.
 *
 * An order that cannot take the report must not stop the books about money: the report alone is undone,
 * and a person is notified.
 */
export async function reportMovement(trx: Trx, row: Reported): Promise<void> {
  const report = reportOf(row);
  if (report === undefined) return;
  let result: FeedReportResult | undefined;
  const isDone = await runApart(trx, async () => {
    result = await recordRefundInFeed(trx, report);
  });
  if (!isDone || result?.kind === 'refused') await pageFailure(trx, row);
}

/** Reports refunds that are older than what we know of their order: it was handed in later. */
export const reportEarlier: ChargesKnown = async (trx, organisationId, { charges, now }) => {
  const references = charges.map(({ reference }) => reference);
  // Inside a transaction of the merchant's own its driver says what a bigint is.
  const { rows } = await sql<Omit<Reported, 'changed_at'>>`
    select organisation_id, id, kind, state, alert_id, charge_reference, processor_reference,
      amount_minor::double precision as amount_minor, currency, confirmed_at
    from movement
    where organisation_id = ${organisationId} and charge_reference = any(${textsFor(trx, references)}::text[])
      and kind = 'refund' and state = 'CONFIRMED'
    order by id`.execute(trx);
  for (const row of rows) await reportMovement(trx, { ...row, changed_at: now });
};

type Report = Parameters<typeof recordRefundInFeed>[1];

function reportOf(row: Reported): Report | undefined {
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

async function pageFailure(trx: Trx, row: Reported): Promise<void> {
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
