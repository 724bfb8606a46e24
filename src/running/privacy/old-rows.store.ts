/**
 * Deletes rows that are older than the inventory says, in tables that the application itself may delete
 * from. What belongs to the ledger's side is deleted by functions of the owner (`retention.store.ts`).
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { DescribedTable } from '../../base/db/described-table.ts';
import { CASE_DAYS, RAW_DAYS } from '../../base/db/table-entry.ts';
import { CAPABILITY_TABLES } from '../../capabilities/index.ts';
import type { RetentionRun } from './retention.store.ts';

const MS_PER_DAY = 86_400_000;

/** Rows of one table deleted in one statement, so that no lock is held for long. */
const BATCH = 1_000;

/** Statements per table in one run: a bound for a loop that ends when nothing is left. */
const BATCHES_MAX = 1_000_000;

/** Which rows of `t` are older than a moment and over. */
type IsOld = (before: Date) => RawBuilder<boolean>;

function olderThan(column: string): IsOld {
  return (before) => sql<boolean>`${sql.ref(`t.${column}`)} < ${before}::timestamptz`;
}

/** As the table is described; undefined: something else deletes its rows. */
function oldIn({ old, waits, ofCase }: DescribedTable): IsOld | undefined {
  if (old === undefined) return undefined;
  const isOver = [
    ...(waits === undefined ? [] : [sql<boolean>`${sql.ref(`t.${waits}`)} is null`]),
    ...(ofCase === undefined
      ? []
      : [
          sql<boolean>`not exists (select from alert_case k
            where k.organisation_id = t.organisation_id and k.alert_id = ${sql.ref(`t.${ofCase}`)})`,
        ]),
  ];
  return (before) => sql<boolean>`(${sql.join([olderThan(old)(before), ...isOver], sql` and `)})`;
}

/** By table. Each keeps its rows for {@link CASE_DAYS}. */
export const OLD_ROWS: Readonly<Record<string, IsOld>> = {
  ...Object.fromEntries(
    CAPABILITY_TABLES.flatMap((table) => {
      const isOld = oldIn(table);
      return isOld === undefined ? [] : [[table.name, isOld]];
    }),
  ),
  match_choice: olderThan('chosen_at'),
  review_comment: olderThan('at'),
  book_check: olderThan('compared_at'),
  // Not settled yet: kept, whatever its age.
  side_action: olderThan('settled_at'),
  finding: olderThan('closed_at'),
  order_import: olderThan('finished_at'),
  refund_customer: (before) => sql<boolean>`exists (
    select from movement r where r.organisation_id = t.organisation_id and r.id = t.movement_id
      and r.created_at < ${before}::timestamptz)`,
};

/** Deletes what is too old. Returns how many rows went. */
export async function deleteOldRows(
  db: Db,
  organisationId: string,
  { now, signal }: RetentionRun,
): Promise<number> {
  const before = new Date(now.getTime() - CASE_DAYS * MS_PER_DAY);
  let rows = 0;
  const tables = await withOldRows(db, organisationId, before);
  for (const [table, isOld] of Object.entries(OLD_ROWS)) {
    if (!tables.has(table)) continue;
    for (let batch = 0; batch < BATCHES_MAX && signal?.aborted !== true; batch++) {
      const deleted = await sql`
        delete from ${sql.table(table)} where ctid = any(array(
          select t.ctid from ${sql.table(table)} t
          where t.organisation_id = ${organisationId} and ${isOld(before)} limit ${BATCH}))`.execute(
        db,
      );
      rows += Number(deleted.numAffectedRows ?? 0n);
      if ((deleted.numAffectedRows ?? 0n) < BATCH) break;
    }
  }
  await blankQuarantine(db, organisationId, new Date(now.getTime() - RAW_DAYS * MS_PER_DAY));
  return rows;
}

/** Mostly none has any: they are asked about in one statement. */
async function withOldRows(
  db: Db,
  organisationId: string,
  before: Date,
): Promise<ReadonlySet<string>> {
  const asked = Object.entries(OLD_ROWS).map(
    ([table, isOld]) => sql`case when exists (select from ${sql.table(table)} t
      where ${isOld(before)} and t.organisation_id = ${organisationId}) then ${table}::text end`,
  );
  const { rows } = await sql<{ found: (string | null)[] }>`
    select array[${sql.join(asked)}] as found`.execute(db);
  return new Set(rows[0]?.found.filter((table) => table !== null));
}

/** What a quarantined delivery was about may quote it, and goes with its bytes; that it was held stays. */
async function blankQuarantine(db: Db, organisationId: string, before: Date): Promise<void> {
  await db
    .updateTable('quarantine')
    .set({ detail: '' })
    .where('organisation_id', '=', organisationId)
    .where('quarantined_at', '<', before)
    .where('detail', '<>', '')
    .execute();
}
