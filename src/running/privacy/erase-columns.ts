/**
 * Takes names out of every column that the inventory calls personal, a slice of a table at a time: no
 * statement reads more than a few pages, whatever the table holds, and a run that was broken off continues.
 */
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { InvariantError } from '../../base/kernel/errors.ts';
import type { Person } from '../../base/seal/person.ts';
import { ERASED, ERASED_IN_DOCUMENT, redactBytes, redactJson } from '../../base/seal/redact.ts';
import { CAPABILITY_TABLES } from '../../capabilities/index.ts';
import type { ErasureProgress } from './erase-progress.store.ts';
import { writeProgress } from './erase-progress.store.ts';
import { eraseSealedBodies } from './erase-sealed.ts';
import type { PersonalColumn } from './inventory.ts';
import { countShared, namedIn, namedInShared, sharedAmong, slicesOf } from './look.ts';
import type { Column, Found, Place } from './named-rows.store.ts';
import {
  isInForce,
  replaceValue,
  uniqueColumns,
  uniqueMark,
  valuesAt,
} from './named-rows.store.ts';
import { BODY_TABLES } from './sealed-row.store.ts';

/** Slices without a find after which progress is noted all the same. */
const NOTE_EVERY = 100;

/** Passes over a column until one finds nothing: a row that changes meanwhile may move past the walk. */
const PASSES_MAX = 3;

export interface ColumnErasure {
  readonly organisationId: string;
  readonly person: Person;
  readonly now: Date;
  /** Only count. */
  readonly dryRun: boolean;
  /** Told of each column that is done, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

type TakenColumn = PersonalColumn & {
  /** No value may be in it twice. */
  readonly isUnique: boolean;
  /** Some of its rows belong to the whole installation. */
  readonly isShared: boolean;
};

/** Erases in these columns, or counts. Returns the rows by `table.column`, those of a broken-off run included. */
export async function eraseColumns(
  db: Db,
  columns: readonly PersonalColumn[],
  run: { readonly erasure: ColumnErasure; readonly progress: ErasureProgress },
): Promise<Record<string, number>> {
  const { erasure } = run;
  let { progress } = run;
  const unique = await uniqueColumns(db);
  const shared = new Set((await sharedAmong(db, columns)).map(nameOf));
  for (const [done, known] of columns.entries()) {
    erasure.onProgress?.(done, columns.length);
    const name = nameOf(known);
    const column = { ...known, isUnique: unique.has(name), isShared: shared.has(name) };
    if (progress.done.includes(name)) continue;
    const page = progress.column === name ? progress.page : 0;
    progress = { ...progress, column: name, page };
    progress = erasure.dryRun
      ? noted(progress, name, await countColumn(db, column, erasure))
      : await eraseColumn(db, column, { erasure, progress });
    progress = { ...progress, done: [...progress.done, name], page: 0 };
    if (!erasure.dryRun) await writeProgress(db, erasure.organisationId, { ...erasure, progress });
  }
  return progress.rows;
}

function nameOf({ table, column }: PersonalColumn): string {
  return `${table}.${column}`;
}

function noted(progress: ErasureProgress, name: string, found: number): ErasureProgress {
  if (found === 0) return progress;
  return { ...progress, rows: { ...progress.rows, [name]: (progress.rows[name] ?? 0) + found } };
}

/** @throws {InvariantError} when the name is still there after the last pass */
async function eraseColumn(
  db: Db,
  column: TakenColumn,
  run: { readonly erasure: ColumnErasure; readonly progress: ErasureProgress },
): Promise<ErasureProgress> {
  const { erasure } = run;
  const name = nameOf(column);
  let { progress } = run;
  for (let pass = 1; pass <= PASSES_MAX; pass++) {
    const before = progress.rows[name] ?? 0;
    const isResumed = progress.page > 0;
    progress = noted(progress, name, await eraseSealed(db, column, erasure));
    if (column.isShared) progress = noted(progress, name, await eraseShared(db, column, erasure));
    progress = await walk(db, column, { erasure, progress });
    if ((progress.rows[name] ?? 0) === before && !isResumed) return progress;
    progress = { ...progress, page: 0 };
  }
  throw new InvariantError(
    `Rows of ${name} still name the customer. Run it again; if it stays so, report it.`,
  );
}

/** One pass over the table, from the page where it was broken off. */
async function walk(
  db: Db,
  column: TakenColumn,
  { erasure, progress: start }: { erasure: ColumnErasure; progress: ErasureProgress },
): Promise<ErasureProgress> {
  const { organisationId, person } = erasure;
  let progress = start;
  let slices = 0;
  for await (const range of slicesOf(db, column.table, start.page)) {
    slices += 1;
    const named: Place[] = [];
    for await (const places of namedIn(db, { ...column, ...range, organisationId }, person)) {
      named.push(...places);
    }
    const erasable = await withoutPolicyInForce(db, { column, organisationId, named });
    progress = { ...progress, page: range.toPage };
    if (erasable.length === 0 && slices % NOTE_EVERY !== 0) continue;
    const before = progress;
    progress = await inTransaction(db, async (trx) => {
      const erased = await eraseAt(trx, { column, erasure, places: erasable });
      const next = noted(before, nameOf(column), erased);
      await writeProgress(trx, organisationId, { ...erasure, progress: next });
      return next;
    });
  }
  return progress;
}

/** What people wrote for the whole installation: few rows, read and changed at once. */
async function eraseShared(db: Db, column: TakenColumn, erasure: ColumnErasure): Promise<number> {
  return await inTransaction(db, async (trx) => {
    let erased = 0;
    for await (const { organisationId, places } of namedInShared(trx, column, erasure.person)) {
      erased += await eraseAt(trx, { column, erasure: { ...erasure, organisationId }, places });
    }
    return erased;
  });
}

/** The places of policies apart that must stay what two people agreed to; the look afterwards tells of them. */
async function withoutPolicyInForce(
  db: Db,
  found: {
    readonly column: Column;
    readonly organisationId: string;
    readonly named: readonly Place[];
  },
): Promise<Place[]> {
  if (found.column.table !== 'policy_version') return [...found.named];
  const others: Place[] = [];
  for (const place of found.named) {
    if (!(await isInForce(db, found.organisationId, place))) others.push(place);
  }
  return others;
}

/** Values that are read and written again at once. */
const BATCH = 50;

async function eraseAt(
  trx: Trx,
  found: {
    readonly column: TakenColumn;
    readonly erasure: ColumnErasure;
    readonly places: readonly Place[];
  },
): Promise<number> {
  const { column, erasure, places } = found;
  const { organisationId, person } = erasure;
  let erased = 0;
  for (let start = 0; start < places.length; start += BATCH) {
    const batch = places.slice(start, start + BATCH);
    for (const row of await valuesAt(trx, column, { places: batch, lock: true })) {
      await replaceValue(trx, { ...column, ...row, organisationId }, redacted(row, column, person));
      erased += 1;
    }
  }
  return erased;
}

/** Texts that a program reads: what replaces a name must be one that it can read. */
const DOCUMENTS: ReadonlySet<string> = new Set([
  'policy_version.source',
  'policy_version.files',
  ...CAPABILITY_TABLES.flatMap(({ name, documents = [] }) =>
    documents.map((column) => `${name}.${column}`),
  ),
]);

function redacted({ value }: Found, column: TakenColumn, person: Person): string | Buffer {
  const mark = DOCUMENTS.has(nameOf(column)) ? ERASED_IN_DOCUMENT : ERASED;
  if (column.kind === 'bytes') return redactBytes(bytesOf(value), person);
  const text = String(value);
  if (column.kind === 'json') return redactJson(text, person, mark);
  return column.isUnique ? uniqueMark() : person.redact(text, mark);
}

function bytesOf(value: string | Buffer): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value);
}

async function countColumn(db: Db, column: TakenColumn, erasure: ColumnErasure): Promise<number> {
  const { organisationId, person } = erasure;
  let count = await eraseSealed(db, column, erasure);
  for await (const range of slicesOf(db, column.table, 0)) {
    for await (const places of namedIn(db, { ...column, ...range, organisationId }, person)) {
      count += places.length;
    }
  }
  return column.isShared ? count + (await countShared(db, column, person)) : count;
}

/** The same for values that are sealed. */
async function eraseSealed(
  db: Db,
  { table, column }: PersonalColumn,
  erasure: ColumnErasure,
): Promise<number> {
  if (column !== 'body' || !BODY_TABLES.includes(table)) return 0;
  return await eraseSealedBodies(db, { ...erasure, table });
}
