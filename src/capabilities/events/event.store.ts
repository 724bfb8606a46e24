/** All SQL of the stream: positions are given here and nowhere else; the stream is read from here. */
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import type { EventData, EventRow } from './events.table.ts';

/** Whether something waits for its position. */
export const hasWaiting: DueCondition = (_now, organisation) => sql<boolean>`exists (
    select from event_outbox where organisation_id = ${organisation})`;

export interface Waiting {
  readonly id: number;
  readonly type: string;
  readonly at: Date;
  readonly alert_id: string | null;
  readonly subject: string;
  readonly merchant_id: string | null;
  readonly data: EventData;
}

/** An event with its position, to be stored. */
export type Placed = Omit<EventRow, 'organisation_id'>;

/** Locks the stream's end until the transaction ends, and returns the last position. */
export async function lockEnd(trx: Trx, organisationId: string): Promise<number> {
  const { rows } = await sql<{ last_seq: number }>`
    insert into event_position (organisation_id) values (${organisationId})
    on conflict (organisation_id) do update set last_seq = event_position.last_seq returning last_seq`.execute(
    trx,
  );
  return rows[0]?.last_seq ?? 0;
}

/**
 * Takes what has been committed, in the order in which it was written. A statement of its own after {@link lockEnd}: it sees
 * what others committed while it waited for the lock.
 */
export async function takeWaiting(
  trx: Trx,
  organisationId: string,
  limit: number,
): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    delete from event_outbox where id = any(array(
      select id from event_outbox where organisation_id = ${organisationId} order by id limit ${limit}))
      and organisation_id = ${organisationId}
    returning id, type, at, alert_id, subject, merchant_id, data`.execute(trx);
  return rows.toSorted((one, other) => one.id - other.id);
}

/** Stores events at the end of the stream, in one statement. */
export async function appendEvents(
  trx: Trx,
  organisationId: string,
  placed: readonly Placed[],
): Promise<void> {
  await sql`
    with told as (
      select * from json_to_recordset(${JSON.stringify(placed)}::json) as e(seq bigint, type text, at timestamptz,
        alert_id text, subject text, merchant_id text, sentence text, data jsonb)
    ), kept as (
      insert into event (organisation_id, seq, type, at, alert_id, subject, merchant_id, sentence, data)
      select ${organisationId}, seq, type, at, alert_id, subject, merchant_id, sentence, data from told
    )
    update event_position set last_seq = (select max(seq) from told) where organisation_id = ${organisationId}`.execute(
    trx,
  );
}

export interface ChangesQuery {
  readonly organisationId: string;
  /** The position that the reader has. */
  readonly after: number;
  /** Empty: all. */
  readonly types: readonly string[];
  readonly limit: number;
}

export interface Changes {
  readonly events: readonly EventRow[];
  /** Where the reader continues: behind what it did not ask for too. */
  readonly cursor: number;
  /** The first position that is still kept; undefined: there is none. */
  readonly first: number | undefined;
}

/**
 * What stands behind a position, in order. Positions are given under a lock that is held until they are committed: whoever
 * sees one sees all below it.
 */
export async function readChanges(db: Db, query: ChangesQuery): Promise<Changes> {
  const { organisationId, after, types, limit } = query;
  // One statement, so that end and events are of one moment: a cursor beyond the events shown skips none.
  const { rows } = await sql<{ last: number; first: number | null; events: EventRow[] | null }>`
    select coalesce((select max(seq) from event where organisation_id = ${organisationId}), 0) as last,
      (select min(seq) from event where organisation_id = ${organisationId}) as first,
      (select json_agg(e order by e.seq) from (
        select * from event where organisation_id = ${organisationId} and seq > ${after}
          ${types.length === 0 ? sql`` : sql`and type = any(${types}::text[])`}
        order by seq limit ${limit}) e) as events`.execute(db);
  const [row] = rows;
  const events = (row?.events ?? []).map((each) => ({ ...each, at: new Date(each.at) }));
  const last = events.at(-1)?.seq;
  const end = Math.max(after, row?.last ?? 0);
  const cursor = events.length === limit && last !== undefined ? last : end;
  return { events, cursor, first: row?.first ?? undefined };
}

/** Deletes a batch of what is older; returns how many events went. */
export async function deleteOldEvents(
  db: Db,
  {
    organisationId,
    before,
    limit,
  }: { readonly organisationId: string; readonly before: Date; readonly limit: number },
): Promise<number> {
  const gone = await sql`
    with old as (select seq from event where organisation_id = ${organisationId} and at < ${before}::timestamptz
        order by seq limit ${limit})
    delete from event where organisation_id = ${organisationId} and seq in (select seq from old)`.execute(
    db,
  );
  return Number(gone.numAffectedRows ?? 0n);
}
