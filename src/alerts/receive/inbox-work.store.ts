/**
 * All SQL of the inbox's work list: which stored events apply has still to read. Storing an event puts
 * it there in the same statement (`inbox.store.ts`).
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import { InvariantError } from '../../base/kernel/errors.ts';
import { openBytes } from '../../base/seal/seal.ts';
import { placeOfEvent } from './sealed-body.ts';

/** Puts a stored event on the work list (again). Already there is fine. */
export async function insertWork(
  trx: Trx,
  organisationId: string,
  event: { readonly eventId: string; readonly seq: number; readonly receivedAt: Date },
): Promise<void> {
  await trx
    .insertInto('inbox_work')
    .values({
      seq: event.seq,
      received_at: event.receivedAt,
      organisation_id: organisationId,
      event_id: event.eventId,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether an event waits to be applied. */
export const hasWork: DueCondition = (_now, organisation) =>
  sql<boolean>`exists (select from inbox_work where organisation_id = ${organisation})`;

/** An event taken off the work list. */
export interface WorkItem {
  readonly seq: number;
  readonly eventId: string;
  readonly receivedAt: Date;
  /** Its body; null when it is no longer stored, or does not open. */
  readonly text: string | null;
  /** Why it does not open: it was changed, or belongs to another row. */
  readonly sealFault?: string;
}

interface TakenRow {
  readonly seq: number;
  readonly event_id: string;
  readonly received_at: Date;
  readonly text: string | null;
  /** The body where it is sealed, and the key. */
  readonly sealed: Buffer | null;
  readonly key_id: string | null;
}

/** A part of the list, by the numbers of its events. */
export interface WorkRange {
  readonly after: number;
  readonly upTo: number;
}

/** The list from its beginning to its end. */
const WHOLE_LIST: WorkRange = { after: 0, upTo: Number.MAX_SAFE_INTEGER };

/** Which work to take: the oldest so many of a part of the list, or these very events. */
export type WorkSelection =
  | { readonly limit: number; readonly within?: WorkRange }
  | { readonly seqs: readonly number[] };

/** How the list is divided. */
export interface WorkDivision {
  /** How much of it: the oldest so many. */
  readonly limit: number;
  /** Parts at most. */
  readonly parts: number;
  /** Fewer parts where one would hold less than this. */
  readonly partMin: number;
}

/** Divides the oldest work into parts of the same length, one after the other; none where there is no work. */
export async function divideWork(
  db: Db,
  organisationId: string,
  { limit, parts, partMin }: WorkDivision,
): Promise<WorkRange[]> {
  const { rows } = await sql<{ up_to: number }>`
    select seqs[cardinality(seqs) * part / parts] as up_to from (
      select seqs, least(${parts}::int, ceil(cardinality(seqs) / ${partMin}::float8)::int) as parts from (
        select array(
          select seq from inbox_work where organisation_id = ${organisationId} order by seq limit ${limit}
        ) as seqs offset 0
      ) as oldest offset 0
    ) as divided, generate_series(1, parts) as part order by part`.execute(db);
  return rows.map((row, place) => ({ after: rows[place - 1]?.up_to ?? 0, upTo: row.up_to }));
}

/**
 * Takes work off the list, oldest first; what another process is taking is left to it. It is back
 * when the transaction does not commit.
 */
export async function takeWork(
  trx: Trx,
  organisationId: string,
  selection: WorkSelection,
): Promise<WorkItem[]> {
  const chosen =
    'limit' in selection
      ? oldestOf(selection.within ?? WHOLE_LIST, selection.limit)
      : sql`and seq = any(${selection.seqs}::int8[]) order by seq`;
  // The lateral reads each body by its key; a join would be free to scan the whole inbox.
  const { rows } = await sql<TakenRow>`
    with taken as (
      delete from inbox_work where organisation_id = ${organisationId} and seq = any(array(
        select seq from inbox_work where organisation_id = ${organisationId} ${chosen} for update skip locked
      )) returning seq, event_id, received_at
    )
    select taken.seq, taken.event_id, taken.received_at, found.text, found.sealed, found.key_id
    from taken left join lateral (
      select case when e.key_id is null then convert_from(e.body, 'UTF8') end as text,
        case when e.key_id is not null then e.body end as sealed, e.key_id
      from inbox_event e
      where e.received_at = taken.received_at and e.seq = taken.seq and e.organisation_id = ${organisationId} offset 0
    ) found on true
    order by taken.seq`.execute(trx);
  return rows.map((row) => ({
    seq: row.seq,
    eventId: row.event_id,
    receivedAt: row.received_at,
    ...textOf(trx, organisationId, row),
  }));
}

function oldestOf({ after, upTo }: WorkRange, limit: number): RawBuilder<unknown> {
  return sql`and seq > ${after} and seq <= ${upTo} order by seq limit ${limit}`;
}

/**
 * The body of an event. One that does not open is told, so that it blocks no other; a key that is not
 * held here is thrown, because another process may hold it.
 */
function textOf(
  trx: Trx,
  organisationId: string,
  row: Pick<TakenRow, 'event_id' | 'text' | 'sealed' | 'key_id'>,
): Pick<WorkItem, 'text' | 'sealFault'> {
  const { sealed: bytes, key_id: keyId } = row;
  if (bytes === null || keyId === null) return { text: row.text };
  const place = placeOfEvent(organisationId, row.event_id);
  try {
    return { text: openBytes(dataKeysOf(trx), place, { keyId, bytes }).toString('utf8') };
  } catch (error) {
    if (!(error instanceof InvariantError)) throw error;
    return { text: null, sealFault: error.message };
  }
}
