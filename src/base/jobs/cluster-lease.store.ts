/**
 * All SQL of the cluster's leases: one process does what only one may, while the others wait.
 *
 * Its holder extends a lease while it works; a holder that dies is followed by another process as soon
 * as the lease ends.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import type { DueCondition } from './due.store.ts';
import { dueArray } from './due.store.ts';

/** Who wants what, until when. */
export interface LeaseRequest {
  readonly organisationId: string;
  readonly name: string;
  readonly holder: string;
  readonly now: Date;
  readonly until: Date;
}

/** Takes or extends the lease. False when another holder's has not ended. */
export async function takeLease(db: Db, request: LeaseRequest): Promise<boolean> {
  const { organisationId, name, holder, now, until } = request;
  const row = await db
    .insertInto('cluster_lease')
    .values({ organisation_id: organisationId, name, holder, until })
    .onConflict((conflict) =>
      conflict
        .columns(['organisation_id', 'name'])
        .doUpdateSet({ holder, until })
        .where((eb) =>
          eb.or([eb('cluster_lease.holder', '=', holder), eb('cluster_lease.until', '<=', now)]),
        ),
    )
    .returning('holder')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Takes the lease where one of the conditions holds: at rest nothing is written.
 *
 * @returns which of them hold; undefined: none, or another holder's lease has not ended
 */
export async function takeLeaseIfDue(
  db: Db,
  { organisationId, name, holder, now, until }: LeaseRequest,
  conditions: readonly DueCondition[],
): Promise<readonly boolean[] | undefined> {
  const { rows } = await sql<{ due: boolean[] }>`
    with asked as materialized (select ${dueArray(db, conditions, { now, organisation: sql`${organisationId}::text` })} as due),
    taken as (
      insert into cluster_lease as l (organisation_id, name, holder, until)
      select ${organisationId}, ${name}, ${holder}, ${until}::timestamptz from asked where true = any(due)
      on conflict (organisation_id, name) do update set holder = excluded.holder, until = excluded.until
      where l.holder = ${holder} or l.until <= ${now}
      returning holder
    )
    select due from asked where exists (select from taken)`.execute(db);
  return rows[0]?.due;
}

/** Whether {@link takeLease} would give it to this holder. */
export function mayTakeLease({ name, holder }: Omit<OwnLease, 'organisationId'>): DueCondition {
  return (now, organisation) => sql<boolean>`not exists (
    select from cluster_lease where organisation_id = ${organisation} and name = ${name}
      and holder <> ${holder} and until > ${now})`;
}

/** Gives the lease back, so that another process need not wait for its end. */
export async function releaseLease(db: Db, lease: OwnLease): Promise<void> {
  await releasingLease(lease).execute(db);
}

type OwnLease = Pick<LeaseRequest, 'organisationId' | 'name' | 'holder'>;

/** The same as a part of another statement. */
export function releasingLease({ organisationId, name, holder }: OwnLease): RawBuilder<unknown> {
  return sql`delete from cluster_lease
    where organisation_id = ${organisationId} and name = ${name} and holder = ${holder}`;
}
