/**
 * All SQL of the cluster's leases: one process does what only one may, while the others stand by.
 *
 * Its holder extends a lease while it works; a holder that dies is followed by another process as soon
 * as the lease ends.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/database.ts';

/** Who wants what, until when. */
export interface LeaseRequest {
  readonly organisationId: string;
  readonly name: string;
  readonly holder: string;
  readonly now: Date;
  readonly until: Date;
}

/** Takes or extends the lease. False when another holder's has not ended. */
export async function takeLease(db: Kysely<Database>, request: LeaseRequest): Promise<boolean> {
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

/** Gives the lease back, so that another process need not wait for its end. */
export async function releaseLease(
  db: Kysely<Database>,
  lease: Pick<LeaseRequest, 'organisationId' | 'name' | 'holder'>,
): Promise<void> {
  await db
    .deleteFrom('cluster_lease')
    .where('organisation_id', '=', lease.organisationId)
    .where('name', '=', lease.name)
    .where('holder', '=', lease.holder)
    .execute();
}
