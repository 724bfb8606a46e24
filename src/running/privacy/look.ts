/**
 * Looks through a column for a person, a few megabytes at a time whatever it holds. Values are read and not searched by
 * the database: what a text says, it cannot tell.
 */
import type { Db, Trx } from '../../base/db/database.ts';
import { seeOrganisations } from '../../base/db/for-organisation.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { Person } from '../../base/seal/person.ts';
import { isNamedIn, isNamedInJson } from '../../base/seal/redact.ts';
import type { Column, Found, PageRange, Place, Slice } from './named-rows.store.ts';
import {
  pagesOfTable,
  placesOf,
  SEEING_SHARED,
  SHARED,
  tablesWithShared,
  valuesAt,
} from './named-rows.store.ts';

/** Pages of a table looked at in one statement: half a megabyte without what is stored apart. */
const SLICE_PAGES = 64;

/** Values read in one statement: so many, and so many bytes as they are stored, compressed as a rule. */
const VALUES_MAX = 500;
const BYTES_MAX = 1_000_000;

/** All pages of a table, some at a time; those that it gains meanwhile too. */
export async function* slicesOf(
  db: Db,
  table: string,
  fromPage: number,
): AsyncGenerator<PageRange> {
  for (let page = fromPage; page < (await pagesOfTable(db, table)); page += SLICE_PAGES) {
    yield { fromPage: page, toPage: page + SLICE_PAGES };
  }
}

/** The places of a slice whose value names the person, some at a time. */
export async function* namedIn(db: Db, slice: Slice, person: Person): AsyncGenerator<Place[]> {
  for (const places of batchesOf(await placesOf(db, slice))) {
    const named = new Set<string>();
    for (const row of await valuesAt(db, slice, { places, lock: false })) {
      if (isNamed(row, slice, person)) named.add(`${row.part}/${row.place}`);
    }
    if (named.size > 0) yield places.filter(({ part, place }) => named.has(`${part}/${place}`));
  }
}

/** Columns of tables that hold rows of the whole installation. */
export async function sharedAmong<Some extends Column>(
  db: Db,
  columns: readonly Some[],
): Promise<readonly Some[]> {
  return await inTransaction(db, async (trx) => {
    await seeOrganisations(trx, SEEING_SHARED);
    const tables = await tablesWithShared(
      trx,
      columns.map(({ table }) => table),
    );
    return columns.filter(({ table }) => tables.has(table));
  });
}

/** The places of such rows that name the person, in a transaction that sees them from here to its end. */
export async function* namedInShared(
  trx: Trx,
  column: Column,
  person: Person,
): AsyncGenerator<{ readonly organisationId: string; readonly places: Place[] }> {
  await seeOrganisations(trx, SEEING_SHARED);
  for (const organisationId of SHARED) {
    for await (const places of namedIn(trx, { ...column, organisationId }, person)) {
      yield { organisationId, places };
    }
  }
}

/** How many there are. */
export async function countShared(db: Db, column: Column, person: Person): Promise<number> {
  return await inTransaction(db, async (trx) => {
    let count = 0;
    for await (const { places } of namedInShared(trx, column, person)) count += places.length;
    return count;
  });
}

function* batchesOf(places: readonly Place[]): Generator<Place[]> {
  let batch: Place[] = [];
  let bytes = 0;
  for (const place of places) {
    if (batch.length === VALUES_MAX || (batch.length > 0 && bytes + place.size > BYTES_MAX)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(place);
    bytes += place.size;
  }
  if (batch.length > 0) yield batch;
}

function isNamed({ value }: Found, { kind }: Column, person: Person): boolean {
  if (Buffer.isBuffer(value)) return isNamedIn(value, person);
  return kind === 'json' ? isNamedInJson(value, person) : person.names(value);
}
