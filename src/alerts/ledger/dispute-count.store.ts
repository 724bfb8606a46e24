/** Counts disputes (representments) first heard of within a period, by their state now. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';

/** Disputes of one end and currency. */
export interface DisputeCount {
  readonly end: 'won' | 'lost' | 'open';
  /** Empty: not known. */
  readonly currency: string;
  readonly count: number;
  readonly amountMinor: number;
}

export async function countDisputes(
  db: Db,
  { organisationId, from, to }: { organisationId: string; readonly from: Date; readonly to: Date },
): Promise<readonly DisputeCount[]> {
  const { rows } = await sql<DisputeCount>`
    select case dispute_status when 'WON' then 'won' when 'LOST' then 'lost' else 'open' end as end,
      coalesce(currency, '') as currency, count(*)::bigint as count,
      coalesce(sum(amount_minor), 0)::bigint as "amountMinor"
    from representment
    where organisation_id = ${organisationId} and first_seen_at >= ${from} and first_seen_at < ${to}
    group by 1, 2 order by 1, 2`.execute(db);
  return rows;
}
