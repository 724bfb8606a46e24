/** All SQL of what became of deliveries that are no new events, minute by minute. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { DeliveryExample, DeliveryMinuteTable } from './inbox.table.ts';

/** Comes between the name of another door and its verdict: what was posted there is no delivery of the service. */
const OF_DOOR = ':';

/** What is written before the verdicts of a door. */
export type DoorPrefix = `${string}${typeof OF_DOOR}`;

/** Examples kept of a minute and verdict, of all processes together. */
const EXAMPLES_KEPT = 5;

/** A minute of one verdict, as a process counted it. */
export interface CountedMinute {
  readonly minuteMs: number;
  readonly verdict: string;
  readonly count: number;
  readonly lastMs: number;
  readonly examples: readonly DeliveryExample[];
}

/** Adds counts to what is there: several processes, and several writings, make one row. */
export async function addDeliveryMinutes(
  db: Db,
  organisationId: string,
  minutes: readonly CountedMinute[],
): Promise<void> {
  // In one order in every process: two that write the same rows never wait for each other in a circle.
  const sorted = minutes.toSorted(
    (one, other) => one.minuteMs - other.minuteMs || (one.verdict < other.verdict ? -1 : 1),
  );
  await db
    .insertInto('delivery_minute')
    .values(
      sorted.map(({ minuteMs, verdict, count, lastMs, examples }) => ({
        organisation_id: organisationId,
        minute: new Date(minuteMs),
        verdict,
        count,
        last_at: new Date(lastMs),
        examples: JSON.stringify(examples),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['organisation_id', 'minute', 'verdict']).doUpdateSet({
        count: sql`delivery_minute.count + excluded.count`,
        last_at: sql`greatest(delivery_minute.last_at, excluded.last_at)`,
        examples: sql`case when jsonb_array_length(delivery_minute.examples) < ${EXAMPLES_KEPT}::int
          then delivery_minute.examples || excluded.examples else delivery_minute.examples end`,
      }),
    )
    .execute();
}

/** Which minutes: of these verdicts, between two moments, newest first. */
export interface MinuteQuery {
  readonly organisationId: string;
  /** @default all of them */
  readonly verdicts?: readonly string[];
  readonly except?: readonly string[];
  readonly from: Date;
  readonly before: Date;
  readonly limit: number;
}

/** Reads them. */
export async function listDeliveryMinutes(
  db: Db,
  { organisationId, verdicts, except, from, before, limit }: MinuteQuery,
): Promise<Selectable<DeliveryMinuteTable>[]> {
  let query = db
    .selectFrom('delivery_minute')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('minute', '>=', from)
    .where('minute', '<', before)
    .where('verdict', 'not like', `%${OF_DOOR}%`);
  if (verdicts !== undefined) query = query.where('verdict', 'in', verdicts);
  if (except !== undefined) query = query.where('verdict', 'not in', except);
  return await query.orderBy('minute', 'desc').orderBy('verdict').limit(limit).execute();
}

/** A verdict, and how many deliveries had it. */
export interface VerdictCount {
  readonly verdict: string;
  readonly count: number;
}

/** How many deliveries of the service each verdict had since a moment. */
export async function countVerdicts(
  db: Db,
  organisationId: string,
  since: Date,
): Promise<readonly VerdictCount[]> {
  const counts = await countEvery(db, organisationId, since);
  return counts.filter(({ verdict }) => !verdict.includes(OF_DOOR));
}

/** Verdicts of deliveries that were not refused. */
export const TAKEN: readonly string[] = ['accepted', 'repeat'];

/** How many deliveries were refused. */
export async function countRefused(db: Db, organisationId: string, since: Date): Promise<number> {
  const counts = await countVerdicts(db, organisationId, since);
  return counts
    .filter(({ verdict }) => !TAKEN.includes(verdict))
    .reduce((total, { count }) => total + count, 0);
}

/** The same of what was posted at another door. @param verdicts what is written before its verdicts */
export async function countAtDoor(
  db: Db,
  { organisationId, verdicts }: { readonly organisationId: string; readonly verdicts: DoorPrefix },
  since: Date,
): Promise<readonly VerdictCount[]> {
  const counts = await countEvery(db, organisationId, since);
  return counts
    .filter(({ verdict }) => verdict.startsWith(verdicts))
    .map(({ verdict, count }) => ({ verdict: verdict.slice(verdicts.length), count }));
}

async function countEvery(db: Db, organisationId: string, since: Date): Promise<VerdictCount[]> {
  return await db
    .selectFrom('delivery_minute')
    .select(['verdict', sql<number>`sum(count)::bigint`.as('count')])
    .where('organisation_id', '=', organisationId)
    .where('minute', '>=', since)
    .groupBy('verdict')
    .orderBy('count', 'desc')
    .orderBy('verdict')
    .execute();
}
