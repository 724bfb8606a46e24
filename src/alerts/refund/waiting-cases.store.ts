/** Cases that wait for a movement. */
import type { Db } from '../../base/db/database.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';

/** Cases that wait for the movement, the latest deadline first: it has most time. */
export async function casesWaitingFor(db: Db, movement: OurMovementRow): Promise<CaseRow[]> {
  return await db
    .selectFrom('alert_case')
    .selectAll()
    .where('organisation_id', '=', movement.organisation_id)
    .where('movement_id', '=', movement.id)
    .where('state', '=', 'REFUNDING')
    .orderBy('deadline_at', 'desc')
    .orderBy('alert_id')
    .execute();
}
