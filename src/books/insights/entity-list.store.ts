/** Lists of what the service sent us beside alerts: enrolments, representments, scheme notices. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type {
  EnrolmentTable,
  RepresentmentTable,
  SchemeNoticeTable,
} from '../../alerts/apply/entity.table.ts';
import type { Db } from '../../base/db/database.ts';

export type EnrolmentRow = Selectable<EnrolmentTable>;
export type RepresentmentRow = Selectable<RepresentmentTable>;
export type SchemeNoticeRow = Selectable<SchemeNoticeTable>;

/** Enrolments of an organisation that are shown; it has a few per merchant. */
const ENROLMENTS_MAX = 500;

/** Enrolments, newest first. */
export async function listEnrolments(db: Db, organisationId: string): Promise<EnrolmentRow[]> {
  return await db
    .selectFrom('enrolment')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(ENROLMENTS_MAX)
    .execute();
}

/** Representments by the moment their evidence is due; those without one last. */
export async function listRepresentments(
  db: Db,
  organisationId: string,
  limit: number,
): Promise<RepresentmentRow[]> {
  return await db
    .selectFrom('representment')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy(sql`dispute_status = 'OPEN' desc`)
    .orderBy('dispute_due_by')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Scheme notices, newest first. */
export async function listSchemeNotices(
  db: Db,
  organisationId: string,
  of: { readonly limit: number; readonly offset: number },
): Promise<SchemeNoticeRow[]> {
  return await db
    .selectFrom('scheme_notice')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy(sql`coalesce(fraud_reported_at, created_at) desc`)
    .orderBy('id')
    .limit(of.limit)
    .offset(of.offset)
    .execute();
}
