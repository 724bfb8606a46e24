/**
 * One table of an organisation from one database to another: copied whole once, then as often as needed only what
 * differs. Both sides hash every row; parts whose sums agree are not read again.
 */
import type { PoolClient } from 'pg';
import type { Side, Sides } from './both-sides.ts';
import { pastTheFence, reading, writing } from './both-sides.ts';
import type { TableTotal } from './move.table.ts';
import type { MovedTable } from './moved-tables.ts';
import type { HashedRow, PartTotal } from './row-copy.store.ts';
import {
  deleteAllRows,
  deleteFromPages,
  deleteRows,
  fetchRows,
  insertRows,
  openRows,
  pagesOf,
  readHashes,
  readRows,
  readTotals,
} from './row-copy.store.ts';

/** How many rows of a table, and how many of them so far. */
export type OnRows = (rows: number) => void;

/** Bytes of rows that are written at once, about. */
const BATCH_BYTES = 1_000_000;
const FIRST_ROWS = 16;
const ROWS_MAX = 4_000;

/** Rows of a part, about: a changed row has as many hashed and compared by name. */
const ROWS_OF_PART = 64;
const PARTS_MAX = 2 ** 16;

/** Rows whose hashes are compared at once. */
const HASHES_MAX = 100_000;

/** Rows that are exchanged in one transaction. */
const EXCHANGED_ROWS = 500;

/** Copies all rows that there are now. Begun again it begins from the beginning. */
export async function copyTable(sides: Sides, table: MovedTable, onRows: OnRows): Promise<void> {
  const { source, target } = sides;
  await writing(sides, (client) => deleteAllRows(client, table, target.scope));
  await reading(source.pool, async (from) => {
    const isOpen = table.key.length > 0 && (await openRows(from, table, source.scope));
    for (let count = FIRST_ROWS; isOpen; ) {
      const rows = await fetchRows(from, count);
      if (rows.length === 0) break;
      await writing(sides, (client) => insertRows(client, table, rows));
      onRows(rows.length);
      count = nextCount(rows);
    }
  });
}

function nextCount(rows: readonly string[]): number {
  const bytes = rows.reduce((sum, row) => sum + row.length, 0) / rows.length;
  return Math.max(1, Math.min(ROWS_MAX, Math.floor(BATCH_BYTES / bytes)));
}

/** Pages whose rows are deleted in one transaction: 16 MB of them. */
const FORGOTTEN_PAGES = 2_000;

/** Deletes all rows where they have left, past the fence, page after page; says how many. */
export async function forgetTable({ pool, scope }: Side, table: MovedTable): Promise<number> {
  let gone = 0;
  for (const { name, pages } of await pagesOf(pool, table)) {
    for (let from = 0; from < pages; from += FORGOTTEN_PAGES) {
      const to = from + FORGOTTEN_PAGES;
      gone += await pastTheFence(pool, (client) =>
        deleteFromPages(client, table, { scope, name, from, to }),
      );
    }
  }
  return gone;
}

/** What a comparison found at the source, and how many rows of the target were not as they are there. */
export interface Compared {
  readonly total: TableTotal;
  readonly changed: number;
}

/** Makes the target's rows what the source's are now. `rows`: how many there are, about. */
export async function repairTable(
  sides: Sides,
  table: MovedTable,
  rows: number,
): Promise<Compared> {
  const { source } = sides;
  return await reading(source.pool, async (from) => {
    if (table.key.length === 0) return await writeAnew(sides, table, from);
    const parts = partsFor(rows);
    const [ours, theirs] = await Promise.all([
      readTotals(from, table, { scope: source.scope, parts }),
      readTargetTotals(sides, table, parts),
    ]);
    const differing = [...new Set([...ours.keys(), ...theirs.keys()])].filter(
      (part) => !isSame(ours.get(part), theirs.get(part)),
    );
    const changed = await exchange(
      { sides, table, from, parts },
      groupsOf(differing, ours, theirs),
    );
    return { total: totalOf(ours), changed };
  });
}

export async function readTargetTotal(sides: Sides, table: MovedTable): Promise<TableTotal> {
  return totalOf(await readTargetTotals(sides, table, 1));
}

export async function readSourceTotal({ source }: Sides, table: MovedTable): Promise<TableTotal> {
  return totalOf(
    await reading(source.pool, (client) =>
      readTotals(client, table, { scope: source.scope, parts: 1 }),
    ),
  );
}

async function readTargetTotals(
  { target: { pool, scope } }: Sides,
  table: MovedTable,
  parts: number,
): Promise<ReadonlyMap<number, PartTotal>> {
  return await reading(pool, (client) => readTotals(client, table, { scope, parts }));
}

function partsFor(rows: number): number {
  const wanted = Math.ceil(Math.log2(Math.max(1, rows / ROWS_OF_PART)));
  return Math.min(PARTS_MAX, 2 ** Math.max(0, wanted));
}

function isSame(one: PartTotal | undefined, other: PartTotal | undefined): boolean {
  return one?.rows === other?.rows && one?.checksum === other?.checksum;
}

/** The sum of parts, as one number: the same however many parts there were. */
function totalOf(parts: ReadonlyMap<number, PartTotal>): TableTotal {
  let rows = 0;
  let checksum = 0n;
  for (const part of parts.values()) {
    rows += part.rows;
    checksum += BigInt(part.checksum);
  }
  return { rows, checksum: checksum.toString() };
}

/** Rows without a name are few: what the minutes' counts have not added up yet. */
async function writeAnew(sides: Sides, table: MovedTable, from: PoolClient): Promise<Compared> {
  const { source, target } = sides;
  const total = totalOf(await readTotals(from, table, { scope: source.scope, parts: 1 }));
  const isOpen = await openRows(from, table, source.scope);
  const changed = await writing(sides, async (client) => {
    const gone = await deleteAllRows(client, table, target.scope);
    for (let rows = isOpen ? await fetchRows(from, ROWS_MAX) : []; rows.length > 0; ) {
      await insertRows(client, table, rows);
      rows = await fetchRows(from, ROWS_MAX);
    }
    return gone;
  });
  return { total, changed: Math.max(changed, total.rows) };
}

interface Exchange {
  readonly sides: Sides;
  readonly table: MovedTable;
  /** Reads at the source, from the snapshot that was compared. */
  readonly from: PoolClient;
  readonly parts: number;
}

/** Parts whose rows are compared at once. */
function groupsOf(
  parts: readonly number[],
  ...sides: readonly ReadonlyMap<number, PartTotal>[]
): number[][] {
  const groups: number[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    const rows = Math.max(...sides.map((side) => side.get(part)?.rows ?? 0));
    if (size + rows > HASHES_MAX) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(part);
    size += rows;
  }
  return groups;
}

/**
 * Takes away what is otherwise at the target, in all parts, before anything is written: an old row may hold the unique
 * value that a new one has.
 */
async function exchange(task: Exchange, groups: readonly (readonly number[])[]): Promise<number> {
  const { sides, table, from } = task;
  const { source, target } = sides;
  const wanted: (readonly string[])[] = [];
  const unwanted: (readonly string[])[] = [];
  for (const group of groups) {
    const found = await differenceOf(task, group);
    wanted.push(...found.wanted);
    unwanted.push(...found.unwanted);
  }
  for (const keys of slices(unwanted)) {
    await writing(sides, (client) => deleteRows(client, table, { scope: target.scope, keys }));
  }
  for (const keys of slices(wanted)) {
    const rows = await readRows(from, table, { scope: source.scope, keys });
    await writing(sides, (client) => insertRows(client, table, rows));
  }
  return Math.max(wanted.length, unwanted.length);
}

async function differenceOf(
  { sides: { source, target }, table, from, parts }: Exchange,
  among: readonly number[],
): Promise<{ wanted: (readonly string[])[]; unwanted: (readonly string[])[] }> {
  const [ours, theirs] = await Promise.all([
    readHashes(from, table, { scope: source.scope, parts, among }),
    reading(target.pool, (client) =>
      readHashes(client, table, { scope: target.scope, parts, among }),
    ),
  ]);
  const nameOf = ({ key }: HashedRow): string => JSON.stringify(key);
  const there = new Map(theirs.map((row) => [nameOf(row), row]));
  const wanted: (readonly string[])[] = [];
  const unwanted: (readonly string[])[] = [];
  for (const row of ours) {
    const known = there.get(nameOf(row));
    there.delete(nameOf(row));
    if (known?.hash === row.hash) continue;
    wanted.push(row.own);
    if (known !== undefined) unwanted.push(known.own);
  }
  return { wanted, unwanted: [...unwanted, ...[...there.values()].map(({ own }) => own)] };
}

function slices<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / EXCHANGED_ROWS);
  return Array.from({ length: count }, (_, place) =>
    items.slice(place * EXCHANGED_ROWS, (place + 1) * EXCHANGED_ROWS),
  );
}
