/**
 * Takes names out of every column that the inventory calls personal, a slice of a table at a time: no
 * statement reads more than a few pages, whatever the table holds, and a run that was broken off continues.
 */
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { InvariantError } from '../../base/kernel/errors.ts';
import { redactBytes, redactJson, redactText } from '../../base/seal/redact.ts';
import { admitErasure, countNamed, findNamed, pagesOfTable, replaceValue } from './erase.store.ts';
import type { ErasureProgress } from './erase-progress.store.ts';
import { writeProgress } from './erase-progress.store.ts';
import { eraseSealedBodies } from './erase-sealed.ts';
import type { PersonalColumn } from './inventory.ts';
import type { ColumnKind } from './inventory-entry.ts';

/** Pages of a table looked at in one statement: half a megabyte, or some ten thousand large bodies beside it. */
const SLICE_PAGES = 64;

/** Slices without a find after which progress is noted all the same. */
const NOTE_EVERY = 100;

/** Passes over a column until one finds nothing: a row that changes meanwhile may move past the walk. */
const PASSES_MAX = 3;

export interface ColumnErasure {
  readonly organisationId: string;
  readonly identifiers: readonly string[];
  readonly now: Date;
  /** Only count. */
  readonly dryRun: boolean;
}

/** Erases in these columns, or counts. Returns the rows by `table.column`, those of a broken-off run included. */
export async function eraseColumns(
  db: Db,
  columns: readonly PersonalColumn[],
  of: { readonly erasure: ColumnErasure; readonly progress: ErasureProgress },
): Promise<Record<string, number>> {
  const { erasure } = of;
  let { progress } = of;
  for (const column of columns) {
    const name = nameOf(column);
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
  column: PersonalColumn,
  of: { readonly erasure: ColumnErasure; readonly progress: ErasureProgress },
): Promise<ErasureProgress> {
  const { erasure } = of;
  const name = nameOf(column);
  let { progress } = of;
  for (let pass = 1; pass <= PASSES_MAX; pass++) {
    const before = progress.rows[name] ?? 0;
    const isResumed = progress.page > 0;
    progress = noted(progress, name, await eraseSealed(db, column, erasure));
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
  column: PersonalColumn,
  { erasure, progress: start }: { erasure: ColumnErasure; progress: ErasureProgress },
): Promise<ErasureProgress> {
  const { organisationId, identifiers } = erasure;
  let progress = start;
  let slices = 0;
  for await (const range of slicesOf(db, column.table, start.page)) {
    slices += 1;
    progress = await inTransaction(db, async (trx) => {
      await admitErasure(trx);
      const rows = await findNamed(trx, { ...column, ...range, organisationId }, identifiers);
      for (const row of rows) {
        const value = REDACTORS[column.kind](row.value, identifiers);
        await replaceValue(trx, { ...column, ...row }, value);
      }
      const next = { ...noted(progress, nameOf(column), rows.length), page: range.toPage };
      if (rows.length > 0 || slices % NOTE_EVERY === 0) {
        await writeProgress(trx, organisationId, { ...erasure, progress: next });
      }
      return next;
    });
  }
  return progress;
}

/** All pages of a table, some at a time; those that it gains meanwhile too. */
async function* slicesOf(
  db: Db,
  table: string,
  fromPage: number,
): AsyncGenerator<{ readonly fromPage: number; readonly toPage: number }> {
  for (let page = fromPage; page < (await pagesOfTable(db, table)); page += SLICE_PAGES) {
    yield { fromPage: page, toPage: page + SLICE_PAGES };
  }
}

async function countColumn(
  db: Db,
  column: PersonalColumn,
  erasure: ColumnErasure,
): Promise<number> {
  const { organisationId, identifiers } = erasure;
  let count = await eraseSealed(db, column, erasure);
  for await (const range of slicesOf(db, column.table, 0)) {
    count += await countNamed(db, { ...column, ...range, organisationId }, identifiers);
  }
  return count;
}

const BODY_TABLES = ['inbox_event', 'quarantine', 'review_attachment'] as const;

/** The same for values that are sealed. */
async function eraseSealed(
  db: Db,
  { table, column }: PersonalColumn,
  erasure: ColumnErasure,
): Promise<number> {
  const bodies = BODY_TABLES.find((one) => one === table);
  if (column !== 'body' || bodies === undefined) return 0;
  return await eraseSealedBodies(db, { ...erasure, table: bodies });
}

const REDACTORS: Readonly<
  Record<ColumnKind, (value: unknown, identifiers: readonly string[]) => string | Buffer>
> = {
  text: (value, identifiers) => redactText(String(value), identifiers),
  json: (value, identifiers) => JSON.stringify(redactJson(value, identifiers)),
  bytes: (value, identifiers) =>
    redactBytes(Buffer.isBuffer(value) ? value : Buffer.from(String(value)), identifiers),
};
