/** Changes that triggers noted, taken away to be added to kept figures. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

export interface TakenChanges {
  readonly table: string;
  readonly organisationId: string;
  /** One process at a time takes those of an organisation under it; the others find it under way and take none. */
  readonly lock: string;
  /** Changes of one statement at most. */
  readonly max: number;
}

/** For the `with` of the statement that adds them up, so that they are counted once at any moment: `moved` holds them. */
export function takenChanges({
  table,
  organisationId,
  lock,
  max,
}: TakenChanges): RawBuilder<unknown> {
  const changes = sql.ref(table);
  return sql`free as materialized (
      select pg_try_advisory_xact_lock(hashtext(${`forestall.${lock}:${organisationId}`})) as got
    ), moved as (
      delete from ${changes} where ctid = any(array(
        select ctid from ${changes}
        where organisation_id = ${organisationId} and (select got from free) limit ${max}))
      returning *
    )`;
}
