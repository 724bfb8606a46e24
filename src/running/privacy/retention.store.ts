/** Deletes what is older than the inventory says it is kept. Repeatable; a bounded amount per transaction. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { CASE_DAYS, RAW_DAYS } from '../../base/db/table-entry.ts';
import { deleteOldPayments } from '../../orders/evidence.store.ts';
import { oldestKept } from '../../orders/record-evidence.ts';

const MS_PER_DAY = 86_400_000;

/** Rows of one kind deleted in one transaction, so that no lock is held for long. */
const BATCH = 1_000;

/** Transactions in one run: a bound for a loop that ends when nothing is left, not a night's share. */
const BATCHES_MAX = 1_000_000;

export interface RetentionRun {
  readonly now: Date;
  /** Stops it between two transactions. */
  readonly signal?: AbortSignal;
}

export interface RetentionReport {
  readonly partitionsDropped: number;
  /** Somebody read them. */
  readonly partitionsLeft: number;
  readonly rowsDeleted: number;
}

export async function deleteOld(
  db: Db,
  organisationId: string,
  { now, signal }: RetentionRun,
): Promise<RetentionReport> {
  const rawBefore = daysBefore(now, RAW_DAYS);
  const partitions = await dropOldBodies(db, now);
  await untilNone(
    (limit) =>
      sql<Counted>`
      select delete_old_inbox_rows(${rawBefore}::timestamptz, ${limit}) as count`.execute(db),
    signal,
  );
  const others = await deleteServed(db, organisationId, rawBefore);
  const caseBefore = daysBefore(now, CASE_DAYS);
  const caseRows = await untilNone(
    (limit) =>
      sql<Counted>`
      select delete_old_cases(${organisationId}, ${caseBefore}::timestamptz, ${limit}) as count`.execute(
        db,
      ),
    signal,
  );
  const payments = await deleteOldEvidence(db, organisationId, { now, signal });
  return { ...partitions, rowsDeleted: others + caseRows + payments };
}

/** Messages, passes and minutes of the delivery log; and bodies in quarantine, whose rows stay. One statement for all. */
async function deleteServed(db: Db, organisationId: string, before: Date): Promise<number> {
  const { rows } = await sql<Counted>`
    with blanked as (
      update quarantine set body = null
      where organisation_id = ${organisationId} and quarantined_at < ${before}::timestamptz and body is not null),
    messages as (
      delete from notification
      where organisation_id = ${organisationId} and next_attempt_at is null and created_at < ${before}::timestamptz
      returning 1),
    minutes as (
      delete from delivery_minute where organisation_id = ${organisationId} and minute < ${before}::timestamptz returning 1),
    refusals as (
      delete from console_refusal where organisation_id = ${organisationId} and minute < ${before}::timestamptz returning 1),
    forms as (
      delete from console_sent where organisation_id = ${organisationId} and begun_at < ${before}::timestamptz returning 1),
    passes as (
      delete from reconcile_request
      where organisation_id = ${organisationId} and finished_at < ${before}::timestamptz returning 1)
    select (select count(*) from messages) + (select count(*) from minutes) + (select count(*) from refusals) + (select count(*) from forms) + (select count(*) from passes) as count`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Payments of the evidence index. */
async function deleteOldEvidence(
  db: Db,
  organisationId: string,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal | undefined },
): Promise<number> {
  const key = await db
    .selectFrom('evidence_key')
    .select('number')
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  if (key === undefined) return 0;
  const before = oldestKept(now);
  return await untilNone(async (limit) => {
    const count = await deleteOldPayments(db, key.number, { before, limit });
    return { rows: [{ count }] };
  }, signal);
}

/**
 * Drops the partitions of raw bodies that are too old. One that somebody reads at this moment is left:
 * no process waits for it, and it goes at the next attempt.
 */
export async function dropOldBodies(
  db: Db,
  now: Date,
): Promise<{ readonly partitionsDropped: number; readonly partitionsLeft: number }> {
  const before = daysBefore(now, RAW_DAYS);
  const dropped = await sql<Counted>`
    select drop_old_inbox(${before}::timestamptz) as count`.execute(db);
  const left = await sql<Counted>`
    select count(*) as count from old_inbox_partitions(${before}::timestamptz)`.execute(db);
  return {
    partitionsDropped: dropped.rows[0]?.count ?? 0,
    partitionsLeft: left.rows[0]?.count ?? 0,
  };
}

interface Counted {
  readonly count: number;
}

/** Batch after batch, each a transaction of its own, until one finds nothing. Returns how many rows went. */
async function untilNone(
  deleteSome: (limit: number) => Promise<{ readonly rows: readonly Counted[] }>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let rows = 0;
  for (let batch = 0; batch < BATCHES_MAX && signal?.aborted !== true; batch++) {
    const deleted = (await deleteSome(BATCH)).rows[0]?.count ?? 0;
    rows += deleted;
    if (deleted === 0) break;
  }
  return rows;
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * MS_PER_DAY);
}
