/** Enrolments as the service last reported them. */
import type { Selectable } from 'kysely';
import type { EnrolmentTable } from '../../alerts/apply/entity.table.ts';
import type { Db } from '../../base/db/database.ts';

export type EnrolmentRow = Selectable<EnrolmentTable>;

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
