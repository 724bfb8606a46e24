/** The steps of a move, each of which may be broken off anywhere and done again. */
import { setTimeout as passing } from 'node:timers/promises';
import type { OpenDatabase } from '../../base/db/connect.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { ConfigError, DatabaseError, InvariantError } from '../../base/kernel/errors.ts';
import { createId } from '../../base/kernel/ids.ts';
import { eachAtOnce } from './at-once.ts';
import { LOST } from './both-sides.ts';
import { countBusy, ensurePartitions } from './cell.store.ts';
import { copyTable, readSourceTotal, readTargetTotal, repairTable } from './copy-table.ts';
import { raiseFence } from './fence.store.ts';
import type { MoveRow } from './move.store.ts';
import { noteCopied, readMove, startArriving, startLeaving, takeArrival } from './move.store.ts';
import type { TableTotal } from './move.table.ts';
import type { MoveContext } from './move-context.ts';
import { advance, heldBy, sidesOf } from './move-context.ts';
import type { MovedTable } from './moved-tables.ts';
import { readOrganisationNumber, reserveNumbers } from './numbers.store.ts';
import { countRows } from './row-copy.store.ts';

/** Rounds in which what changed meanwhile is copied, while the source goes on working. */
const ROUNDS_MAX = 5;

/** So few changed rows are copied faster than another round takes. */
const FEW_ROWS = 500;

/** How often the target is made the same once nothing changes any more. */
const REPAIRS_MAX = 3;

/** Notes the move at the source. From here on it is begun. */
export async function begin(context: MoveContext): Promise<void> {
  const { source, organisationId, targetName: other, forwardUrl } = context;
  const moveId = createId('move');
  await startLeaving(source.db, { organisationId, moveId, other, forwardUrl });
  await crashPoint('move.begun');
}

/** Has the target expect the organisation: no process there works for it until it has arrived. */
export async function prepareTarget(
  context: MoveContext,
  tables: readonly MovedTable[],
  { move_id: moveId }: MoveRow,
): Promise<void> {
  const { organisationId, source, target, sourceName: other, holder, targetName } = context;
  const there = await readMove(target.db, organisationId);
  if (there?.move_id === moveId) {
    if (there.direction === 'OUT') {
      throw new ConfigError(
        '--to names the database that the organisation is to leave. Name the other one.',
      );
    }
    if (!(await takeArrival(target.db, heldBy(context), moveId))) throw new DatabaseError(LOST);
    return;
  }
  requireFree(there, { targetName, other });
  const filled =
    there?.direction === 'IN' ? undefined : await firstFilled(target.pool, organisationId, tables);
  if (filled !== undefined) {
    throw new ConfigError(
      `${targetName} holds rows of ${organisationId} already (${filled}): it is worked for there. Take it out of that installation's file, and make sure that these are no rows of value; then delete them.`,
    );
  }
  const offsets = await reserveNumbers(source.pool, target.pool, tables);
  await inTransaction(target.db, (trx) =>
    startArriving(
      trx,
      { organisationId, moveId, other, forwardUrl: undefined },
      { holder, offsets },
    ),
  );
  await crashPoint('move.arriving');
}

/** What came from the same database and never arrived is written over. */
function requireFree(
  there: MoveRow | undefined,
  { targetName, other }: { readonly targetName: string; readonly other: string },
): void {
  if (there === undefined || there.state === 'FORGOTTEN') return;
  if (there.state === 'ARRIVING' && there.other === other) return;
  throw new ConfigError(
    there.state === 'ARRIVED'
      ? `The organisation lives at ${targetName} already.`
      : `The organisation is in another move at ${targetName} (${there.state}, ${there.direction === 'IN' ? 'from' : 'to'} ${there.other}). End that one first.`,
  );
}

/** A table with rows of the organisation, and how many; undefined: there are none at all. */
export async function firstFilled(
  pool: OpenDatabase['pool'],
  organisationId: string,
  tables: readonly MovedTable[],
): Promise<string | undefined> {
  const number = await readOrganisationNumber(pool, organisationId);
  const counts = await countRows(pool, tables, { organisationId, number });
  for (const [name, count] of counts) if (count > 0) return `${count} in ${name}`;
  return undefined;
}

/** Copies everything once, then what changed meanwhile, while the source goes on working. */
export async function copyAll(context: MoveContext, tables: readonly MovedTable[]): Promise<void> {
  const { organisationId, source, target, tell } = context;
  const counts = await countRows(source.pool, tables, (await sidesOf(context)).source.scope);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  tell({
    kind: 'step',
    text: `Copying ${total} rows of ${tables.length} tables. The source goes on working.`,
  });
  await ensurePartitions({ from: source.db, to: target.db, organisationId });
  const arrival = await readMove(target.db, organisationId);
  const sides = await sidesOf(context);
  let done = 0;
  const onRows = (rows: number): void => {
    done += rows;
    tell({ kind: 'rows', done, total });
  };
  const largestFirst = [...tables].sort(
    (a, b) => (counts.get(b.name) ?? 0) - (counts.get(a.name) ?? 0),
  );
  await eachAtOnce(largestFirst, async (table) => {
    const count = counts.get(table.name) ?? 0;
    if (count === 0) return;
    if (arrival !== undefined && Object.hasOwn(arrival.tables, table.name)) return onRows(count);
    await copyTable(sides, table, onRows);
    if (!(await noteCopied(target.db, sides.held, table.name))) throw new DatabaseError(LOST);
    await crashPoint('move.copied_some');
  });
  for (const table of largestFirst) {
    if ((counts.get(table.name) ?? 0) > FEW_ROWS) await target.pool.query(`analyze ${table.name}`);
  }
  await catchUp(context, tables);
  await crashPoint('move.copied');
}

async function catchUp(context: MoveContext, tables: readonly MovedTable[]): Promise<void> {
  let before = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const { changed } = await repairAll(context, tables);
    context.tell({ kind: 'step', text: `Round ${round}: ${changed} rows had changed meanwhile.` });
    if (changed <= FEW_ROWS || changed > before / 2) return;
    before = changed;
  }
}

const NO_ROWS: TableTotal = { rows: 0, checksum: '0' };

interface Repaired {
  readonly totals: Readonly<Record<string, TableTotal>>;
  /** Tables of which rows were written; the others were the same on both sides. */
  readonly written: readonly MovedTable[];
  readonly changed: number;
}

async function repairAll(context: MoveContext, tables: readonly MovedTable[]): Promise<Repaired> {
  const sides = await sidesOf(context);
  const [here, there] = await Promise.all(
    [sides.source, sides.target].map(({ pool, scope }) => countRows(pool, tables, scope)),
  );
  const totals: Record<string, TableTotal> = {};
  const written: MovedTable[] = [];
  let changed = 0;
  await eachAtOnce(tables, async (table) => {
    const rows = here?.get(table.name) ?? 0;
    if (rows === 0 && there?.get(table.name) === 0) {
      totals[table.name] = NO_ROWS;
      return;
    }
    const compared = await repairTable(sides, table, rows);
    totals[table.name] = compared.total;
    if (compared.changed > 0) written.push(table);
    changed += table.key.length === 0 ? 0 : compared.changed;
  });
  return { totals, written, changed };
}

/** Ends the work at the source: first what is under way, then every way in. */
export async function close(context: MoveContext, tables: readonly MovedTable[]): Promise<void> {
  const { source, organisationId, graceMs, tell } = context;
  tell({ kind: 'step', text: 'Closing: deliveries are told to come again; work under way ends.' });
  await crashPoint('move.closing');
  const until = performance.now() + graceMs;
  let busy = await countBusy(source.db, organisationId);
  while (busy > 0 && performance.now() < until) {
    await passing(50);
    busy = await countBusy(source.db, organisationId);
  }
  if (busy > 0)
    tell({ kind: 'step', text: `${busy} leases have not ended; they move as they are.` });
  await fence(context, tables);
  await advance(context, { from: ['CLOSING'], to: 'CLOSED' });
  await crashPoint('move.closed');
}

/** Again until it is around every table, also those of which a number was given meanwhile. */
async function fence(
  { source, organisationId }: MoveContext,
  tables: readonly MovedTable[],
): Promise<void> {
  for (let times = 0; times < 2; times++) {
    const number = await readOrganisationNumber(source.pool, organisationId);
    await raiseFence(source.pool, tables, { organisationId, number, offsets: {} });
  }
  await crashPoint('move.fenced');
}

/** Makes the target what the source is for good, and compares both. */
export async function verify(context: MoveContext, tables: readonly MovedTable[]): Promise<void> {
  await fence(context, tables);
  for (let times = 1; ; times++) {
    const { totals, written } = await repairAll(context, tables);
    await crashPoint('move.repaired');
    const differing = await differingTables(context, written, totals);
    if (differing.length === 0) {
      const rows = Object.values(totals).reduce((sum, total) => sum + total.rows, 0);
      await advance(context, { from: ['CLOSED'], to: 'VERIFIED', tables: totals });
      context.tell({
        kind: 'step',
        text: `Compared: ${rows} rows of ${tables.length} tables are the same.`,
      });
      await crashPoint('move.verified');
      return;
    }
    if (times >= REPAIRS_MAX) {
      throw new InvariantError(
        `After ${times} repairs the target still differs in ${differing.join(', ')}. Nothing was switched. "forestall organisations move … --abort" gives the organisation back to the source.`,
      );
    }
  }
}

async function differingTables(
  context: MoveContext,
  tables: readonly MovedTable[],
  totals: Repaired['totals'],
): Promise<string[]> {
  const sides = await sidesOf(context);
  const differing: string[] = [];
  await eachAtOnce(tables, async (table) => {
    const [here, there] = await Promise.all([
      readSourceTotal(sides, table),
      readTargetTotal(sides, table),
    ]);
    const found = totals[table.name];
    const isSame = [here, there].every(
      (total) => total.rows === found?.rows && total.checksum === found.checksum,
    );
    if (!isSame) differing.push(table.name);
  });
  return differing;
}

/** The point of no return: from here on the source never works for it again. */
export async function switchOver(context: MoveContext): Promise<void> {
  await advance(context, { from: ['VERIFIED'], to: 'SWITCHED' });
  await crashPoint('move.switched');
}
