/** SQL about an organisation as a whole, for a move: what is under way, the inbox's partitions, what ends with it. */
import { sql } from 'kysely';
import type { IdentityKind } from '../../alerts/guard/database-identity.store.ts';
import { identityOf } from '../../alerts/guard/database-identity.store.ts';
import type { MoneyPause } from '../../alerts/guard/pause.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';

/** Leases of the organisation that processes hold. */
export async function countBusy(db: Db, organisationId: string): Promise<number> {
  const { rows } = await sql<{ busy: number }>`
    select (
      (select count(*) from alert_case where organisation_id = ${organisationId} and is_open and lease_until > now())
      + (select count(*) from movement where organisation_id = ${organisationId} and next_action_at is not null and lease_until > now())
      + (select count(*) from cluster_lease where organisation_id = ${organisationId} and until > now())
    )::int as busy`.execute(db);
  return rows[0]?.busy ?? 0;
}

/** Partitions of the inbox at the target for every week of which the source has events. */
export async function ensurePartitions({
  from,
  to,
  organisationId,
}: {
  readonly from: Db;
  readonly to: Db;
  readonly organisationId: string;
}): Promise<void> {
  const { rows } = await sql<{ first: Date | null; weeks: number }>`
    select min(received_at) as first,
      least(60, coalesce(ceil(extract(epoch from now() - min(received_at)) / 604800), 0))::int as weeks
    from inbox_id where organisation_id = ${organisationId}`.execute(from);
  const [found] = rows;
  if (found === undefined || found.first === null) return;
  await sql`select ensure_inbox_partitions(greatest(${found.first}::timestamptz, now() - interval '60 weeks'), ${found.weeks})`.execute(
    to,
  );
}

/**
 * The rows have been compared and are all there: this is no restored database, and nothing has to be asked anew before
 * work goes on.
 */
export async function adoptIdentity(
  trx: Trx,
  organisationId: string,
  kind: IdentityKind,
): Promise<void> {
  await sql`
    update fact set value = value || jsonb_build_object('kind', ${kind}::text, 'identity', ${identityOf(kind)})
    where organisation_id = ${organisationId} and name = 'last_alive'`.execute(trx);
}

/** An erasure that had been broken off begins anew, because rows lie in other places. */
export async function forgetErasure(trx: Trx, organisationId: string): Promise<void> {
  await sql`delete from fact where organisation_id = ${organisationId} and name = 'erasure'`.execute(
    trx,
  );
}

/** The kill switch of the source's whole installation does not reach here: it goes on as the organisation's own. */
export async function storeStopped(
  trx: Trx,
  organisationId: string,
  { paused_at, paused_by, reason }: MoneyPause,
): Promise<void> {
  await trx
    .insertInto('money_pause')
    .values({ organisation_id: organisationId, paused_at, paused_by, reason })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The plans of nights that need not be done here any more. */
export async function forgetNights(db: Db, organisationId: string): Promise<void> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('schedule') is not null as found`.execute(db);
  if (rows[0]?.found !== true) return;
  await sql`delete from schedule where key = ${organisationId}`.execute(db);
}
