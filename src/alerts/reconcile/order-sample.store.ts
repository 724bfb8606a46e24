/**
 * Marks some of the orders that the service holds as due to be read back and compared, and the
 * feed, which owns them, reads, repairs what an update can repair, and notes the rest as a
 * difference.
 */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { wake } from '../../base/jobs/wake.store.ts';
import { isErasedSql } from '../../orders/erased-order.ts';
import { FEED_TOPIC } from '../../orders/intake-news.ts';

/** Orders read back in each full round, about once an hour. */
export const ORDERS_SAMPLED = 5;

export interface OrderSample {
  readonly organisationId: string;
  readonly count: number;
  readonly now: Date;
  /** From 0 up to, not including, 1: where in time the sample begins. */
  readonly random: number;
}

/** Marks created orders from a random moment on, those of erased customers left out. Returns how many. */
export async function sampleOrders(db: Db, sample: OrderSample): Promise<number> {
  const { organisationId, count, now, random } = sample;
  return await inTransaction(db, async (trx) => {
    const { rows } = await sql<{ marked: number }>`
      with bounds as (
        select min(settled_at) as first, max(settled_at) as last from order_record
        where organisation_id = ${organisationId} and settled_at is not null
      ), picked as (
        -- From the moment on, and from the beginning where too few follow it.
        select integration_id, reference_id from (
          (select integration_id, reference_id, 1 as turn, settled_at from order_record o, bounds
            where organisation_id = ${organisationId} and state = 'CREATED' and next_attempt_at is null and not ${isErasedSql}
              and settled_at >= first + (last - first) * ${random}::float8
            order by settled_at limit ${count})
          union all
          (select integration_id, reference_id, 2, settled_at from order_record o, bounds
            where organisation_id = ${organisationId} and state = 'CREATED' and next_attempt_at is null and not ${isErasedSql}
              and settled_at < first + (last - first) * ${random}::float8
            order by settled_at limit ${count})
        ) as candidates order by turn, settled_at limit ${count}
      ), changed as (
        update order_record o set next_attempt_at = ${now} from picked p
        where o.organisation_id = ${organisationId} and o.integration_id = p.integration_id
          and o.reference_id = p.reference_id and o.state = 'CREATED'
        returning 1
      ) select count(*)::int as marked from changed`.execute(trx);
    const marked = rows[0]?.marked ?? 0;
    if (marked > 0) await wake(trx, FEED_TOPIC);
    return marked;
  });
}
