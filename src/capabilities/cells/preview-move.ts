/** What a move would do, and about how long it would take. */

import { readSourceTotal } from './copy-table.ts';
import type { MoveContext } from './move-context.ts';
import { requireRights, sidesAtRest, tablesOf } from './move-context.ts';
import { requireOwnNames } from './own-names.store.ts';

export interface MovePreview {
  /** Tables with rows, most rows first. */
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly rows: number;
  /** Until the copy is there, about, in seconds; the source goes on working. */
  readonly copySeconds: number;
  /** While no process works for the organisation, about, in seconds. */
  readonly closedSeconds: number;
}

/**
 * How much longer than reading and hashing all rows it takes to copy them, and to compare them while no process works:
 * measured with `node test/bench/cells.ts`, and rounded up.
 */
const COPY_FACTOR = 10;
const CLOSED_FACTOR = 3;

/** What every move takes while no process works: the leases that end, and the fence. */
const CLOSED_SECONDS_MIN = 1;

/** Looks, and writes nothing. @throws {ConfigError} when the move cannot be begun */
export async function previewMove(context: MoveContext): Promise<MovePreview> {
  await requireRights(context);
  await requireOwnNames(context);
  const tables = await tablesOf(context);
  const sides = await sidesAtRest(context);
  const counted: { name: string; rows: number }[] = [];
  const startedMs = performance.now();
  for (const table of tables) {
    const { rows } = await readSourceTotal(sides, table);
    if (rows > 0) counted.push({ name: table.name, rows });
  }
  const readSeconds = (performance.now() - startedMs) / 1_000;
  return {
    tables: counted.sort((a, b) => b.rows - a.rows),
    rows: counted.reduce((sum, { rows }) => sum + rows, 0),
    copySeconds: Math.ceil(COPY_FACTOR * readSeconds),
    closedSeconds: Math.ceil(CLOSED_SECONDS_MIN + CLOSED_FACTOR * readSeconds),
  };
}
