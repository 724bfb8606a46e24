/** Cases that a movement concerns: those that wait for it, and the next deadline of its dispute. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';

/** Cases that wait for the movement, the latest deadline first: it has most time. */
export async function casesWaitingFor(
  db: Kysely<Database>,
  movement: OurMovementRow,
): Promise<CaseRow[]> {
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

/** The deadlines that decide how soon a movement is looked at. */
export interface Deadlines {
  /** The first one ahead of an open alert of the dispute; null: none. */
  readonly nextMs: number | null;
  /** The last one of an alert that waits for the movement; null: none waits. */
  readonly lastWaitingMs: number | null;
}

/** Reads them. */
export async function deadlinesOf(
  db: Kysely<Database>,
  movement: OurMovementRow,
  now: Date,
): Promise<Deadlines> {
  const { rows } = await sql<{ next: Date | null; waiting: Date | null }>`
    select min(deadline_at) filter (where deadline_at > ${now}) as next,
      max(deadline_at) filter (where movement_id = ${movement.id} and state = 'REFUNDING') as waiting
    from alert_case
    where organisation_id = ${movement.organisation_id} and charge_reference = ${movement.charge_reference}
      and is_open and (dispute_id is null or dispute_id = ${movement.dispute_id})`.execute(db);
  return {
    nextMs: rows[0]?.next?.getTime() ?? null,
    lastWaitingMs: rows[0]?.waiting?.getTime() ?? null,
  };
}
