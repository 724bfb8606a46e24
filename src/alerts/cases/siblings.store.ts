/** The other alerts of a case's charge. */
import type { Kysely } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import type { CaseRow } from './case.store.ts';

/** How many other alerts of one charge are looked at. */
const SIBLINGS_MAX = 20;

/** The other open cases about the same charge. */
export async function openSiblings(db: Kysely<Database>, row: CaseRow): Promise<CaseRow[]> {
  return await db
    .selectFrom('alert_case')
    .selectAll()
    .where('organisation_id', '=', row.organisation_id)
    .where('charge_reference', '=', row.charge_reference)
    .where('alert_id', '<>', row.alert_id)
    .where('is_open', '=', true)
    .orderBy('deadline_at')
    .orderBy('alert_id')
    .limit(SIBLINGS_MAX)
    .execute();
}
