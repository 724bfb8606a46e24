/** How much time was left when alerts were answered: the figure that shrinks before a deadline is missed. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';

/** Upper bounds of the histogram, in seconds: passed, 15 min, 1, 4, 12, 24, 48 and 72 hours. */
export const HEADROOM_BOUNDS_SECONDS = [
  0, 900, 3_600, 14_400, 43_200, 86_400, 172_800, 259_200,
] as const;

/** The histogram. */
export interface Headroom {
  /** Answers with at most as many seconds left, one per bound. */
  readonly atMost: readonly number[];
  readonly count: number;
  readonly sumSeconds: number;
}

/** Counts the answers given whose cases are still kept. */
export async function readHeadroom(
  db: Kysely<Database>,
  organisationId: string,
): Promise<Headroom> {
  const { rows } = await sql<{ bound: number | null; count: number; sum: number }>`
    select (select min(bound) from unnest(${[...HEADROOM_BOUNDS_SECONDS]}::float8[]) as bound
            where bound >= seconds) as bound,
           count(*) as count, sum(seconds)::float8 as sum
    from (select extract(epoch from deadline_at - closed_at)::float8 as seconds from alert_case
          where organisation_id = ${organisationId} and closed_at is not null
            and state in ('DECLARED_REFUND', 'DECLARED_ACCEPT')) as answered
    group by 1`.execute(db);
  const countUpTo = (limit: number): number =>
    rows
      .filter(({ bound }) => bound !== null && bound <= limit)
      .reduce((total, { count }) => total + count, 0);
  return {
    atMost: HEADROOM_BOUNDS_SECONDS.map(countUpTo),
    count: rows.reduce((total, { count }) => total + count, 0),
    sumSeconds: rows.reduce((total, { sum }) => total + sum, 0),
  };
}
