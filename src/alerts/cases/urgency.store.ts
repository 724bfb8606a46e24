/** How urgent the most urgent row of each of many organisations is, in one statement: asked where slots are short. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';

/** Of whom, and when. */
export interface UrgencyScope {
  readonly organisationIds: readonly string[];
  readonly now: Date;
}

/** By organisation, in milliseconds; the smallest goes first, and who has nothing due is left out. */
export type ReadUrgencies = (db: Db, scope: UrgencyScope) => Promise<ReadonlyMap<string, number>>;

/** What has expired is less urgent than anything that has time left, as `claimDueCases` has it. */
const EXPIRED_MS = 10_000 * 365 * 86_400_000;

/** By the deadline of the case that would be claimed first. */
export const readCaseUrgencies: ReadUrgencies = async (db, scope) => {
  const { now } = scope;
  // Two looks, each in the order of an index: what has expired is looked at only where nothing else is due.
  const first = (deadline: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    (select extract(epoch from k.deadline_at) * 1000 from alert_case k
      where k.is_open and k.organisation_id = asking.organisation and k.deadline_at ${deadline} ${now}
        and k.next_action_at <= ${now} and (k.lease_until is null or k.lease_until <= ${now})
      order by k.deadline_at limit 1)`;
  return await readUrgencies(
    db,
    scope,
    sql`select coalesce(${first(sql`>`)}, ${first(sql`<=`)} + ${EXPIRED_MS}::float8) as ms`,
  );
};

/** By the moment at which the refund under way was due that would be claimed first. */
export const readMovementUrgencies: ReadUrgencies = async (db, scope) => {
  const { now } = scope;
  return await readUrgencies(
    db,
    scope,
    sql`select extract(epoch from m.next_action_at) * 1000 as ms from movement m
      where m.organisation_id = asking.organisation and m.next_action_at <= ${now}
        and (m.lease_until is null or m.lease_until <= ${now})
      order by m.next_action_at limit 1`,
  );
};

async function readUrgencies(
  db: Db,
  { organisationIds }: UrgencyScope,
  first: RawBuilder<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ organisation: string; ms: number }>`
    select asking.organisation, urgency.ms::float8 as ms
    from unnest(${organisationIds}::text[]) as asking (organisation), lateral (${first}) as urgency
    where urgency.ms is not null`.execute(db);
  return new Map(rows.map(({ organisation, ms }) => [organisation, ms]));
}
