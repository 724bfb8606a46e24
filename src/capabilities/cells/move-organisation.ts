/**
 * Moves one organisation between two installations, each with a PostgreSQL of its own, while deliveries arrive.
 *
 * The source's row of `organisation_move` says how far it is; whatever is broken off goes on from there:
 *
 * COPYING → CLOSING → CLOSED → VERIFIED → SWITCHED → FORGOTTEN
 *
 * No process works for the organisation at the target before it is SWITCHED at the source, and from then on none at the
 * source ever again. Between CLOSING and the arrival none works for it at all: deliveries are told to come again.
 */

import { hostname } from 'node:os';
import { inTransaction } from '../../base/db/transaction.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { ConfigError, codeOf, DatabaseError } from '../../base/kernel/errors.ts';
import { arrive } from './arrive.ts';
import { LOST, writing } from './both-sides.ts';
import { forgetNights } from './cell.store.ts';
import { forgetTable } from './copy-table.ts';
import { dropFence } from './fence.store.ts';
import type { MoveRow } from './move.store.ts';
import {
  advanceMove,
  holdMove,
  readMove,
  releaseMove,
  setForwardUrl,
  takeArrival,
  undoArriving,
  undoLeaving,
} from './move.store.ts';
import type { TableTotal } from './move.table.ts';
import type { MoveContext } from './move-context.ts';
import { advance, heldBy, requireRights, sidesOf, tablesOf } from './move-context.ts';
import {
  begin,
  close,
  copyAll,
  firstFilled,
  prepareTarget,
  switchOver,
  verify,
} from './move-steps.ts';
import type { MovedTable } from './moved-tables.ts';
import { readOrganisationNumber } from './numbers.store.ts';
import { requireOwnNames } from './own-names.store.ts';
import { deleteAllRows } from './row-copy.store.ts';

/** How often the move is held anew, in milliseconds. */
const HOLD_EVERY_MS = 10_000;

export interface Moved {
  readonly state: MoveRow['state'];
  readonly tables: Readonly<Record<string, TableTotal>>;
  /** For how long no process worked for the organisation, as far as this command saw; undefined: it began before. */
  readonly closedMs: number | undefined;
}

/** Begins a move, or carries it on, until the target works. @throws {ConfigError} when it cannot be begun */
export async function moveOrganisation(context: MoveContext): Promise<Moved> {
  await requireRights(context);
  const tables = await tablesOf(context);
  const known = await readLeaving(context);
  if (known === undefined) await beginFresh(context, tables);
  else if (known.other !== context.targetName) throw elsewhere(context, known);
  return await holding(context, () => carryThrough(context, tables));
}

/** One step after the other, as the row says, until it has arrived. */
async function carryThrough(context: MoveContext, tables: readonly MovedTable[]): Promise<Moved> {
  let closedAt: number | undefined;
  for (;;) {
    const row = await readLeaving(context);
    if (row === undefined) throw new DatabaseError(LOST);
    if (row.state === 'CLOSING') closedAt = performance.now();
    if (row.state === 'SWITCHED') await arrive(context, tables, row.move_id);
    if (row.state === 'SWITCHED' || row.state === 'FORGOTTEN') {
      const closedMs = closedAt === undefined ? undefined : performance.now() - closedAt;
      return { state: row.state, tables: row.tables, closedMs };
    }
    await carryOn(context, tables, row);
  }
}

async function beginFresh(context: MoveContext, tables: readonly MovedTable[]): Promise<void> {
  if ((await firstFilled(context.source.pool, context.organisationId, tables)) === undefined) {
    throw new ConfigError(
      `This database holds no rows of ${context.organisationId}. Check the id: "forestall organisations list" shows them.`,
    );
  }
  await requireOwnNames(context);
  await begin(context);
}

async function carryOn(
  context: MoveContext,
  tables: readonly MovedTable[],
  row: MoveRow,
): Promise<void> {
  switch (row.state) {
    case 'COPYING':
      await requireOwnNames(context);
      await prepareTarget(context, tables, row);
      await copyAll(context, tables);
      return await advance(context, { from: ['COPYING'], to: 'CLOSING' });
    case 'CLOSING':
      return await close(context, tables);
    case 'CLOSED':
      await prepareTarget(context, tables, row);
      return await verify(context, tables);
    case 'VERIFIED':
      return await switchOver(context);
    default:
      throw new DatabaseError(LOST);
  }
}

/** Gives the organisation back to the source. @throws {ConfigError} when it has been switched over */
export async function abortMove(context: MoveContext): Promise<void> {
  await requireRights(context);
  const tables = await tablesOf(context);
  const known = await readLeaving(context);
  if (known === undefined)
    throw new ConfigError('Nothing to undo: the organisation is in no move here.');
  if (known.other !== context.targetName) throw elsewhere(context, known);
  await holding(context, async () => {
    const { organisationId, source, target } = context;
    const row = await readLeaving(context);
    if (row === undefined) throw new DatabaseError(LOST);
    if (row.state === 'SWITCHED' || row.state === 'FORGOTTEN') {
      throw new ConfigError(
        `The organisation has been switched over to ${row.other}. To bring it back, move it from there to here.`,
      );
    }
    if (row.state !== 'COPYING')
      await advance(context, { from: ['CLOSING', 'CLOSED', 'VERIFIED'], to: 'CLOSING' });
    if (await takeArrival(target.db, heldBy(context), row.move_id)) {
      await emptyTarget(context, tables);
      await inTransaction(target.db, (trx) => undoArriving(trx, organisationId));
    }
    await dropFence(source.pool, tables, organisationId);
    if (!(await undoLeaving(source.db, heldBy(context)))) throw new DatabaseError(LOST);
  });
}

/** Deletes the organisation's rows at the target, in an arrival that is undone. */
async function emptyTarget(context: MoveContext, tables: readonly MovedTable[]): Promise<void> {
  const sides = await sidesOf(context);
  for (const table of tables) {
    await writing(sides, (client) => deleteAllRows(client, table, sides.target.scope));
    await crashPoint('move.undone_some');
  }
}

/** Deletes the rows that an organisation has left behind. What stays is a word that it has gone. */
export async function forgetOrganisation(context: MoveContext): Promise<number> {
  await requireRights(context);
  const tables = await tablesOf(context);
  return await holding(context, async () => {
    const { organisationId, source, target, targetName } = context;
    const row = await readLeaving(context);
    if (row?.state === 'FORGOTTEN') return 0;
    if (row?.state !== 'SWITCHED' || row.other !== targetName) {
      throw new ConfigError('Only what has been switched over can be forgotten. Move it first.');
    }
    const there = await readMove(target.db, organisationId);
    if (there?.move_id !== row.move_id || there.state !== 'ARRIVED') {
      throw new ConfigError(
        `It has not arrived at ${targetName}: run "forestall organisations move" with the same --to again.`,
      );
    }
    const number = await readOrganisationNumber(source.pool, organisationId);
    const scope = { organisationId, number, offsets: {} };
    let forgotten = 0;
    for (const table of numberLast(tables)) {
      forgotten += await forgetTable({ pool: source.pool, scope }, table);
      context.tell({ kind: 'rows', done: forgotten, total: Number.NaN });
      await crashPoint('move.forgotten_some');
    }
    await forgetNights(source.db, organisationId);
    const step = { from: ['SWITCHED'], to: 'FORGOTTEN' } as const;
    if (!(await advanceMove(source.db, heldBy(context), step))) throw new DatabaseError(LOST);
    return forgotten;
  });
}

/** Whose rows have a number has to be known until they are gone. */
function numberLast(tables: readonly MovedTable[]): readonly MovedTable[] {
  return [...tables].sort(
    (a, b) => Number(a.name === 'evidence_key') - Number(b.name === 'evidence_key'),
  );
}

/** Where the move is at the source; an arrival of long ago is none. */
async function readLeaving({ source, organisationId }: MoveContext): Promise<MoveRow | undefined> {
  const row = await readMove(source.db, organisationId);
  if (row?.direction !== 'IN') return row;
  if (row.state === 'ARRIVED') return undefined;
  throw new ConfigError(
    `The organisation is on its way to this installation, from ${row.other}. Let it arrive first.`,
  );
}

function elsewhere({ targetName }: MoveContext, { state, other }: MoveRow): ConfigError {
  return new ConfigError(
    `The organisation is in a move to ${other} (${state}), not to ${targetName}. Carry that one on, or undo it with --abort and its --to.`,
  );
}

/** Carries on alone: two commands for one organisation would undo each other's work. */
async function holding<Result>(context: MoveContext, work: () => Promise<Result>): Promise<Result> {
  const { source, forwardUrl, organisationId } = context;
  const held = heldBy(context);
  const before = await readMove(source.db, organisationId);
  const gone = before?.holder != null && isGone(before.holder) ? before.holder : undefined;
  const other = await holdMove(source.db, {
    ...held,
    ...(gone === undefined ? {} : { from: gone }),
  });
  if (other !== undefined) {
    throw new ConfigError(
      `Another command carries this move on (${other.holder}). If it is gone, wait ${other.seconds} s and run this again.`,
    );
  }
  if (forwardUrl !== undefined) await setForwardUrl(source.db, organisationId, forwardUrl);
  const timer = setInterval(() => {
    // Where this fails, the next step finds out whether the move is still ours.
    holdMove(source.db, held).catch(() => undefined);
  }, HOLD_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await releaseMove(source.db, held).catch(() => undefined);
  }
}

/** A command on this machine whose process is no more. */
export function isGone(holder: string): boolean {
  const [, host, pid] = /^(.*):(\d+)$/.exec(holder) ?? [];
  if (host !== hostname() || pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    // Another user's process is not ours to signal, and goes on.
    return codeOf(error) === 'ESRCH';
  }
}
