/** Past RDR disputes, as their alerts are stored. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import type { PastDispute } from '../../service/estate/try-rulesets.ts';

/** Alerts read in one statement, unless the caller says otherwise. */
const BATCH = 5_000;

/** Which disputes. */
export interface DisputePeriod {
  readonly organisationId: string;
  readonly from: Date;
  readonly to: Date;
  /** @default 5,000 */
  readonly batch?: number;
}

/** Goes through them, oldest first. Alerts that were withdrawn are no disputes. */
export async function* readRdrDisputes(
  db: Kysely<Database>,
  { organisationId, from, to, batch = BATCH }: DisputePeriod,
): AsyncGenerator<PastDispute> {
  let after = { createdAt: from.toISOString(), id: '' };
  for (;;) {
    const { rows } = await sql<DisputeRow>`
      select id, created_at::text as created_at, enrolment_id, amount_minor, currency, descriptor, refund_outcome
      from alert
      where organisation_id = ${organisationId} and enrolment_type = 'NETB_RDR' and status <> 'INVALID'
        and (created_at, id) > (${after.createdAt}::timestamptz, ${after.id})
        and created_at >= ${from}::timestamptz and created_at < ${to}::timestamptz
      order by created_at, id limit ${batch}`.execute(db);
    for (const row of rows) yield disputeOf(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) return;
    after = { createdAt: last.created_at, id: last.id };
  }
}

interface DisputeRow {
  readonly id: string;
  /** With microseconds, which a `Date` would lose. */
  readonly created_at: string;
  readonly enrolment_id: string | null;
  readonly amount_minor: number | null;
  readonly currency: string | null;
  readonly descriptor: string | null;
  readonly refund_outcome: string | null;
}

function disputeOf(row: DisputeRow): PastDispute {
  const { amount_minor: amountMinor, currency } = row;
  return {
    alertId: row.id,
    enrolmentId: row.enrolment_id,
    money: amountMinor === null || currency === null ? null : { amountMinor, currency },
    descriptor: row.descriptor,
    wasRefunded: row.refund_outcome === 'REFUNDED',
  };
}
