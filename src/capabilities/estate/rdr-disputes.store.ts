/** Past RDR disputes, as their alerts are stored. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { PastDispute } from './plan/try-rulesets.ts';

/** Alerts read in one statement, unless the caller says otherwise. */
const BATCH = 5_000;

export interface DisputePeriod {
  readonly organisationId: string;
  readonly from: Date;
  readonly to: Date;
  /** @default 5,000 */
  readonly batch?: number;
}

/** Goes through them, oldest first. Alerts that were withdrawn are no disputes. */
export async function* readRdrDisputes(
  db: Db,
  { organisationId, from, to, batch = BATCH }: DisputePeriod,
): AsyncGenerator<PastDispute> {
  let after = { createdAt: from.toISOString(), id: '' };
  for (;;) {
    const { rows } = await sql<DisputeRow>`
      select id as "alertId", created_at::text as "createdAt", enrolment_id as "enrolmentId", descriptor,
        case when amount_minor is not null and currency is not null
          then json_build_object('amountMinor', amount_minor, 'currency', currency) end as money,
        coalesce(refund_outcome = 'REFUNDED', false) as "wasRefunded"
      from alert
      where organisation_id = ${organisationId} and enrolment_type = 'NETB_RDR' and status <> 'INVALID'
        and (created_at, id) > (${after.createdAt}::timestamptz, ${after.id})
        and created_at >= ${from}::timestamptz and created_at < ${to}::timestamptz
      order by created_at, id limit ${batch}`.execute(db);
    for (const { createdAt: _, ...dispute } of rows) yield dispute;
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) return;
    after = { createdAt: last.createdAt, id: last.alertId };
  }
}

interface DisputeRow extends PastDispute {
  /** With microseconds, which a `Date` would lose. */
  readonly createdAt: string;
}
