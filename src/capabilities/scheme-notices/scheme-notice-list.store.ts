/** Scheme notices as the service sent them. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { SchemeNoticeTable } from '../../alerts/apply/entity.table.ts';
import type { Db } from '../../base/db/database.ts';

export type SchemeNoticeRow = Selectable<SchemeNoticeTable>;

/** Scheme notices, newest first. */
export async function listSchemeNotices(
  db: Db,
  organisationId: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<SchemeNoticeRow[]> {
  return await db
    .selectFrom('scheme_notice')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy(sql`coalesce(fraud_reported_at, created_at) desc`)
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}
