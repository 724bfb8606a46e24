/** All SQL of the stream: positions are given here and nowhere else; the stream is read from here. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import type { EventData, EventRow } from './events.table.ts';

/** Whether something waits for its position. */
export const hasWaiting: DueCondition = (_now, organisation) => sql<boolean>`exists (
    select from event_outbox where organisation_id = ${organisation})`;

/** An event that waits for its position: what its sentence is made of. */
export interface Waiting {
  readonly id: number;
  readonly type: string;
  readonly data: EventData;
  /** Another one where the row was changed since, by an erasure. */
  readonly version: string;
}

/** What has been committed and waits for its position, in the order in which it was written. */
export async function readWaiting(
  db: Db,
  organisationId: string,
  limit: number,
): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select id, type, data, xmin::text as version from event_outbox
    where organisation_id = ${organisationId} order by id limit ${limit}`.execute(db);
  return rows;
}

/** A waiting event in words. */
export interface WordedEvent extends Pick<Waiting, 'id' | 'version'> {
  readonly sentence: string;
}

/** What was given positions. */
export interface Placed {
  /** How many events. */
  readonly placed: number;
  /** There is an endpoint that is switched on. */
  readonly isSent: boolean;
}

/**
 * Gives positions in one statement: who takes an event away gives its position, so no other does. The rows are locked in
 * the order of their ids, then the end of the stream, until the statement is committed. Places none from the first on whose row
 * is not the one that its words were made of: that one is put in words again.
 */
export async function placeEvents(
  db: Db,
  organisationId: string,
  events: readonly WordedEvent[],
): Promise<Placed> {
  const { rows } = await sql<Placed>`
    with told as materialized (
      select * from json_to_recordset(${JSON.stringify(events)}::json) as t(id bigint, version text, sentence text)
    ), locked as materialized (
      select id, xmin::text as version from event_outbox
      where organisation_id = ${organisationId} and id = any(array(select id from told)) order by id for update
    ), compared as materialized (
      select id, sentence, bool_and(locked.version = told.version) over (order by id) as is_as_told
      from locked join told using (id)
    ), taken as (
      delete from event_outbox o using compared c where o.organisation_id = ${organisationId} and o.id = c.id and c.is_as_told
      returning o.*, c.sentence
    ), counted as materialized (
      select count(*) as placed from taken
    ), ending as (
      insert into event_position as p (organisation_id, last_seq)
      select ${organisationId}, placed from counted where placed > 0
      on conflict (organisation_id) do update set last_seq = p.last_seq + excluded.last_seq
      returning last_seq
    ), kept as (
      insert into event (organisation_id, seq, type, at, alert_id, subject, merchant_id, sentence, data)
      select ${organisationId}, ending.last_seq - placed + row_number() over (order by id), type, at, alert_id, subject,
        merchant_id, sentence, data
      from taken cross join counted cross join ending
    )
    select placed::int, exists (select from event_endpoint e where e.organisation_id = ${organisationId} and e.state = 'ON')
      as "isSent" from counted`.execute(db);
  return rows[0] ?? { placed: 0, isSent: false };
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
  /** The first position that is still kept; the next one where none is. */
  readonly first: number;
  /** The last position that was given. */
  readonly last: number;
}

/** The last position that was given; 0: none. */
export async function readEnd(db: Db, organisationId: string): Promise<number> {
  const { rows } = await sql<{ last_seq: number }>`
    select last_seq from event_position where organisation_id = ${organisationId}`.execute(db);
  return rows[0]?.last_seq ?? 0;
}

/** Events looked at for one answer: who asks for rare types gets a cursor that moves on, in a bounded time. */
const LOOKED_AT_MAX = 20_000;

/**
 * What is behind a position, in order. Positions are given under a lock that is held until they are committed: anyone who
 * sees one sees all below it.
 */
export async function readChanges(db: Db, query: ChangesQuery): Promise<Changes> {
  const { organisationId, after, types, limit } = query;
  // One statement, so that end and events are of one moment: a cursor beyond the events shown skips none.
  const { rows } = await sql<{ last: number; first: number; events: EventRow[] | null }>`
    with place as (
      select last, coalesce((select min(seq) from event where organisation_id = ${organisationId}), last + 1) as first
      from (select coalesce((select last_seq from event_position where organisation_id = ${organisationId}), 0) as last) p
    )
    select last, first, (select json_agg(e order by e.seq) from (
        select * from event where organisation_id = ${organisationId}
          and seq > greatest(${after}::bigint, first - 1) and seq <= greatest(${after}::bigint, first - 1) + ${LOOKED_AT_MAX}
          ${types.length === 0 ? sql`` : sql`and type = any(${types}::text[])`}
        order by seq limit ${limit}) e) as events
    from place`.execute(db);
  const [{ last, first, events: found } = { last: 0, first: 1, events: null }] = rows;
  const events = (found ?? []).map((each) => ({ ...each, at: new Date(each.at) }));
  const shown = events.at(-1)?.seq;
  const lookedAt = Math.min(last, Math.max(after, first - 1) + LOOKED_AT_MAX);
  const isFull = events.length === limit && shown !== undefined;
  return { events, cursor: isFull ? shown : Math.max(after, lookedAt), first, last };
}

/** The last events up to a position, in order. */
export async function readLast(
  db: Db,
  query: {
    readonly organisationId: string;
    readonly upTo: number;
    /** Empty: all. */
    readonly types: readonly string[];
    readonly limit: number;
  },
): Promise<EventRow[]> {
  const { organisationId, upTo, types, limit } = query;
  const { rows } = await sql<EventRow>`
    select * from event where organisation_id = ${organisationId} and seq <= ${upTo}
      ${types.length === 0 ? sql`` : sql`and type = any(${types}::text[])`}
    order by seq desc limit ${limit}`.execute(db);
  return rows.toReversed();
}

/**
 * Deletes a batch from the beginning of the stream, up to the first event that is not older: what is kept has no gap, whatever
 * the moments say. Returns how many events went.
 */
export async function deleteOldEvents(
  db: Db,
  {
    organisationId,
    before,
    limit,
  }: { readonly organisationId: string; readonly before: Date; readonly limit: number },
): Promise<number> {
  const gone = await sql`
    with head as (
      select seq, at from event where organisation_id = ${organisationId} order by seq limit ${limit}
    ), kept as (select min(seq) as seq from head where at >= ${before}::timestamptz)
    delete from event where organisation_id = ${organisationId}
      and seq in (select head.seq from head, kept where kept.seq is null or head.seq < kept.seq)`.execute(
    db,
  );
  return Number(gone.numAffectedRows ?? 0n);
}
