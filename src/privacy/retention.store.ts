/** Deletes what is older than the inventory says it is kept. Repeatable; does a bounded amount at a time. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { deleteServedRequests } from '../reconcile/reconcile-request.store.ts';
import { CASE_DAYS, RAW_DAYS } from './inventory-entry.ts';

const MS_PER_DAY = 86_400_000;

/** Rows of one kind deleted in one transaction, so that no lock is held for long. */
const BATCH = 1_000;

/** Transactions in one run; the rest waits for the next night. */
const BATCHES_MAX = 200;

/** What one run deleted. */
export interface RetentionReport {
  readonly partitionsDropped: number;
  readonly rowsDeleted: number;
}

/** Deletes what is too old at `now`. */
export async function deleteOld(
  db: Kysely<Database>,
  organisationId: string,
  now: Date,
): Promise<RetentionReport> {
  const rawBefore = daysBefore(now, RAW_DAYS);
  const dropped = await sql<{ count: number }>`
    select drop_old_inbox(${rawBefore}::timestamptz) as count`.execute(db);
  await db
    .updateTable('quarantine')
    .set({ body: null })
    .where('organisation_id', '=', organisationId)
    .where('quarantined_at', '<', rawBefore)
    .where('body', 'is not', null)
    .execute();
  const messages = await db
    .deleteFrom('notification')
    .where('organisation_id', '=', organisationId)
    .where('next_attempt_at', 'is', null)
    .where('created_at', '<', rawBefore)
    .executeTakeFirst();
  const passes = await deleteServedRequests(db, organisationId, rawBefore);
  const caseRows = await deleteCases(db, organisationId, daysBefore(now, CASE_DAYS));
  return {
    partitionsDropped: dropped.rows[0]?.count ?? 0,
    rowsDeleted: Number(messages.numDeletedRows) + passes + caseRows,
  };
}

async function deleteCases(
  db: Kysely<Database>,
  organisationId: string,
  before: Date,
): Promise<number> {
  let rows = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const result = await sql<{ count: number }>`
      select delete_old_cases(${organisationId}, ${before}::timestamptz, ${BATCH}) as count`.execute(
      db,
    );
    const deleted = result.rows[0]?.count ?? 0;
    rows += deleted;
    if (deleted === 0) break;
  }
  return rows;
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * MS_PER_DAY);
}
