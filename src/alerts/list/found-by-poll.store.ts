/** Alerts that polling found first: their deliveries were lost or refused, or are late. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { CLAIM_IDS } from '../cases/claim.ts';

/** Alerts that are counted at most: more is told as "or more". */
export const COUNTED_MAX = 500;

/** An alert that no webhook told first. */
export interface FoundByPoll {
  /** Its place among them, with {@link foundText}. */
  readonly id: number;
  readonly alertId: string;
  readonly foundAt: Date;
  /** In microseconds, for the next page's place. */
  readonly foundText: string;
  /** When the service made it. */
  readonly createdAt: Date | null;
  /** When the event of its creation was delivered after all; null as long as it was not. */
  readonly deliveredAt: Date | null;
  readonly eventId: string | null;
}

/** Where a page begins. */
export interface FoundPlace {
  /** ISO 8601 UTC with microseconds. */
  readonly foundText: string;
  readonly id: number;
}

export interface FoundQuery {
  readonly organisationId: string;
  readonly limit: number;
  readonly from?: Date | undefined;
  readonly before?: Date | undefined;
  readonly after?: FoundPlace | undefined;
}

/** A delivery that told of the alert itself: what tells of a change keeps what was before it. */
const TOLD_OF_IT = sql<boolean>`source = 'webhook' and before is null`;

/** Newest first. */
export async function listFoundByPoll(
  db: Db,
  { organisationId, limit, from, before, after }: FoundQuery,
): Promise<FoundByPoll[]> {
  const place = [
    from === undefined ? sql`` : sql`and c.changed_at >= ${from}`,
    before === undefined ? sql`` : sql`and c.changed_at < ${before}`,
    after === undefined
      ? sql``
      : sql`and (c.changed_at, c.id) < (${after.foundText}::timestamptz, ${after.id}::bigint)`,
  ];
  const { rows } = await sql<FoundByPoll>`
    select c.id, c.entity_id as "alertId", c.changed_at as "foundAt",
      to_char(c.changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "foundText",
      a.created_at as "createdAt", d.changed_at as "deliveredAt", d.event_id as "eventId"
    from (
      select * from entity_change c
      where ${foundOf(organisationId)} ${sql.join(place, sql` `)}
      order by c.changed_at desc, c.id desc limit ${limit}
    ) as c
    left join alert a on a.organisation_id = c.organisation_id and a.id = c.entity_id
    left join lateral (
      select changed_at, event_id from entity_change
      where organisation_id = c.organisation_id and entity = 'alert' and entity_id = c.entity_id
        and ${TOLD_OF_IT}
      order by id limit 1
    ) as d on true
    order by c.changed_at desc, c.id desc`.execute(db);
  return rows;
}

/** How many were found since, at most {@link COUNTED_MAX} of them, and to how many no delivery came. */
export async function countFoundByPoll(
  db: Db,
  organisationId: string,
  since: Date,
): Promise<{ readonly found: number; readonly undelivered: number }> {
  const { rows } = await sql<{ found: number; undelivered: number }>`
    select count(*) as found, count(*) filter (where not exists (
        select from entity_change
        where entity_change.organisation_id = ${organisationId} and entity_change.entity = 'alert' and entity_change.entity_id = c.entity_id
          and ${TOLD_OF_IT}
      )) as undelivered
    from (
      select c.entity_id from entity_change c
      where ${foundOf(organisationId)} and c.changed_at >= ${since}
      order by c.changed_at desc limit ${COUNTED_MAX}
    ) as c`.execute(db);
  return rows[0] ?? { found: 0, undelivered: 0 };
}

/** The rows of the index `entity_change_found_by_poll`, without our own claims: no webhook tells of those. */
function foundOf(organisationId: string): RawBuilder<boolean> {
  return sql<boolean>`c.organisation_id = ${organisationId} and c.entity = 'alert' and c.source = 'poll'
    and c.before is null and c.entity_id not like ${CLAIM_IDS}`;
}
