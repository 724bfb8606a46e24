/** Lookups as the service sent them. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { LookupTable } from '../../alerts/apply/entity.table.ts';
import type { Db } from '../../base/db/database.ts';

/** Lookups, newest first. */
export async function listLookups(
  db: Db,
  {
    organisationId,
    limit,
    after,
  }: {
    readonly organisationId: string;
    readonly limit: number;
    readonly after?: { readonly createdText: string; readonly id: string } | undefined;
  },
): Promise<(Selectable<LookupTable> & { readonly createdText: string })[]> {
  let rows = db
    .selectFrom('lookup')
    .selectAll()
    .select(
      sql<string>`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as(
        'createdText',
      ),
    )
    .where('organisation_id', '=', organisationId)
    .where('created_at', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit);
  if (after !== undefined) {
    rows = rows
      .where('created_at', '<=', sql<Date>`${after.createdText}::timestamptz`)
      .where(
        sql<boolean>`(created_at < ${after.createdText}::timestamptz or id > ${after.id}::text)`,
      );
  }
  return await rows.execute();
}
