/** All SQL of `organisation_move`: where an organisation is in a move, on both sides, and which command carries it on. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { PoolClient } from 'pg';
import { WAKE_CHANNEL } from '../../base/db/commit-writes.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import type {
  ArrivingState,
  LeavingState,
  OrganisationMoveTable,
  TableTotal,
} from './move.table.ts';

export type MoveRow = Selectable<OrganisationMoveTable>;

/** How long a command that says nothing more holds a move, in seconds. */
const HOLD_SECONDS = 30;

/** Processes that listen look at the moves at once. */
export const MOVES_TOPIC = 'organisation_move';

/** Whether the schema knows of moves: false before migration 0033. */
export async function knowsMoves(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('organisation_move') is not null as found`.execute(db);
  return rows[0]?.found === true;
}

/** Where an organisation is in a move; undefined: it lives here. */
export async function readMove(db: Db, organisationId: string): Promise<MoveRow | undefined> {
  return await db
    .selectFrom('organisation_move')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
}

/** An organisation for which no process may work here. */
export type AwayRow = Pick<
  MoveRow,
  'organisation_id' | 'direction' | 'state' | 'other' | 'forward_url'
>;

/** All of them. The whole installation asks at once, however many organisations it has. */
export async function readAway(db: Db): Promise<readonly AwayRow[]> {
  const { rows } = await sql<AwayRow>`
    select organisation_id, direction, state, other, forward_url from organisation_move
    where state not in ('COPYING', 'ARRIVED')`.execute(db);
  return rows;
}

export interface NewMove {
  readonly organisationId: string;
  readonly moveId: string;
  readonly other: string;
  readonly forwardUrl: string | undefined;
}

/** Begins it at the source. Where one is there already nothing changes; one of an arrival is over. */
export async function startLeaving(db: Db, move: NewMove): Promise<void> {
  const { organisationId, moveId, other, forwardUrl } = move;
  await sql`
    insert into organisation_move (organisation_id, direction, state, move_id, other, forward_url, started_at, changed_at)
    values (${organisationId}, 'OUT', 'COPYING', ${moveId}, ${other}, ${forwardUrl ?? null}, now(), now())
    on conflict (organisation_id) do update set direction = 'OUT', state = 'COPYING', move_id = excluded.move_id,
      other = excluded.other, forward_url = excluded.forward_url, offsets = '{}', tables = '{}', has_returned = false,
      holder = null, held_until = null, started_at = now(), changed_at = now()
    where organisation_move.direction = 'IN' and organisation_move.state = 'ARRIVED'`.execute(db);
}

/** Begins it at the target, or takes it up again there. */
export async function startArriving(
  trx: Trx,
  { organisationId, moveId, other }: NewMove,
  arrival: { readonly holder: string; readonly offsets: Readonly<Record<string, number>> },
): Promise<void> {
  const { holder, offsets } = arrival;
  await sql`
    insert into organisation_move (organisation_id, direction, state, move_id, other, offsets, holder, started_at, changed_at)
    values (${organisationId}, 'IN', 'ARRIVING', ${moveId}, ${other}, ${JSON.stringify(offsets)}::jsonb, ${holder}, now(), now())
    on conflict (organisation_id) do update set direction = 'IN', state = 'ARRIVING', move_id = excluded.move_id,
      other = excluded.other, offsets = excluded.offsets, tables = '{}', holder = excluded.holder,
      has_returned = organisation_move.direction = 'OUT' or organisation_move.has_returned,
      started_at = now(), changed_at = now()`.execute(trx);
}

/**
 * Takes a move at the source for one command: until it says nothing for {@link HOLD_SECONDS}, no other one has it.
 *
 * @returns who has it otherwise, and for how many seconds at most
 */
export async function holdMove(
  db: Db,
  { organisationId, holder, from }: Held & { readonly from?: string },
): Promise<{ readonly holder: string; readonly seconds: number } | undefined> {
  const { rows } = await sql<{ holder: string }>`
    update organisation_move set holder = ${holder}, held_until = now() + make_interval(secs => ${HOLD_SECONDS})
    where organisation_id = ${organisationId}
      and (holder is null or holder in (${holder}, ${from ?? holder}) or held_until is null or held_until < now())
    returning holder`.execute(db);
  if (rows.length > 0) return undefined;
  const held = await sql<{ holder: string; seconds: number }>`
    select coalesce(holder, '') as holder, ceil(extract(epoch from held_until - now()))::int as seconds
    from organisation_move where organisation_id = ${organisationId}`.execute(db);
  return held.rows[0];
}

/** Which command, for which organisation. */
export interface Held {
  readonly organisationId: string;
  readonly holder: string;
}

export async function releaseMove(db: Db, { organisationId, holder }: Held): Promise<void> {
  await db
    .updateTable('organisation_move')
    .set({ holder: null, held_until: null })
    .where('organisation_id', '=', organisationId)
    .where('holder', '=', holder)
    .execute();
}

/** One step further at the source. False: another command has the move, or it is elsewhere by now. */
export async function advanceMove(
  db: Db,
  { organisationId, holder }: Held,
  step: {
    readonly from: readonly LeavingState[];
    readonly to: LeavingState;
    readonly tables?: Readonly<Record<string, TableTotal>>;
  },
): Promise<boolean> {
  const { rows } = await sql`
    with step as (
      update organisation_move set state = ${step.to}, changed_at = now(),
        tables = coalesce(${step.tables === undefined ? null : JSON.stringify(step.tables)}::jsonb, tables)
      where organisation_id = ${organisationId} and direction = 'OUT' and holder = ${holder}
        and state = any (${step.from}::text[])
      returning organisation_id
    )
    select pg_notify(${WAKE_CHANNEL}, ${MOVES_TOPIC}) from step`.execute(db);
  return rows.length > 0;
}

export async function setForwardUrl(db: Db, organisationId: string, url: string): Promise<void> {
  await db
    .updateTable('organisation_move')
    .set({ forward_url: url })
    .where('organisation_id', '=', organisationId)
    .where('direction', '=', 'OUT')
    .execute();
  await tellMoves(db);
}

/**
 * Holds the arrival for the rest of a transaction at the target. False: it is over there, or another command
 * carries it on, so that nothing may be written any more.
 */
export async function holdArrival(
  client: PoolClient,
  { organisationId, holder }: Held,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from organisation_move where organisation_id = $1 and direction = 'IN' and state = 'ARRIVING'
       and holder = $2 for share`,
    [organisationId, holder],
  );
  return (rowCount ?? 0) > 0;
}

/** Takes an arrival over from a command that is gone. */
export async function takeArrival(
  db: Db,
  { organisationId, holder }: Held,
  moveId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('organisation_move')
    .set({ holder })
    .where('organisation_id', '=', organisationId)
    .where('move_id', '=', moveId)
    .where('state', '=', 'ARRIVING')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Notes that a table has been copied once. False: as {@link holdArrival}. A statement of its own: anyone who shares the row's
 * lock with others cannot change it without waiting for them.
 */
export async function noteCopied(
  db: Db,
  { organisationId, holder }: Held,
  table: string,
): Promise<boolean> {
  const noted = JSON.stringify({ [table]: { rows: 0, checksum: '' } });
  const { rows } = await sql`
    update organisation_move set tables = tables || ${noted}::jsonb
    where organisation_id = ${organisationId} and direction = 'IN' and state = 'ARRIVING' and holder = ${holder}
    returning organisation_id`.execute(db);
  return rows.length > 0;
}

/** It has arrived: from the commit on, the target's processes work for it. */
export async function finishArriving(trx: Db, organisationId: string): Promise<void> {
  const state: ArrivingState = 'ARRIVED';
  await sql`
    update organisation_move set state = ${state}, has_returned = false, holder = null, held_until = null, changed_at = now()
    where organisation_id = ${organisationId} and direction = 'IN'`.execute(trx);
  await tellMoves(trx);
}

/** Undoes an arrival; what had left from here before has left again. */
export async function undoArriving(trx: Db, organisationId: string): Promise<void> {
  await sql`
    update organisation_move set direction = 'OUT', state = 'FORGOTTEN', has_returned = false, holder = null, held_until = null
    where organisation_id = ${organisationId} and direction = 'IN' and state = 'ARRIVING' and has_returned`.execute(
    trx,
  );
  await sql`
    delete from organisation_move
    where organisation_id = ${organisationId} and direction = 'IN' and state = 'ARRIVING'`.execute(
    trx,
  );
}

/** Undoes a leaving: the organisation lives here as before. */
export async function undoLeaving(db: Db, { organisationId, holder }: Held): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('organisation_move')
    .where('organisation_id', '=', organisationId)
    .where('direction', '=', 'OUT')
    .where('state', 'in', ['COPYING', 'CLOSING'])
    .where('holder', '=', holder)
    .executeTakeFirst();
  if (numDeletedRows > 0n) await tellMoves(db);
  return numDeletedRows > 0n;
}

/** Has processes look. */
async function tellMoves(db: Db): Promise<void> {
  await sql`select pg_notify(${WAKE_CHANNEL}, ${MOVES_TOPIC})`.execute(db);
}
