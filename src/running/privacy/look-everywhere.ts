/**
 * Looks for a person in every column of every table, also in those that no erasure changes: references under which
 * money is booked, settings, jobs. Says where and how often, never what.
 */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { ColumnKind } from '../../base/db/table-entry.ts';
import type { Person } from '../../base/seal/person.ts';
import { eraseFiles } from './erase-files.ts';
import { ordersNaming } from './erase-mentions.ts';
import { eraseSealedBodies } from './erase-sealed.ts';
import { countShared, namedIn, sharedAmong, slicesOf } from './look.ts';
import type { NamedInSettings, NamedLine } from './look-settings.ts';
import { BODY_TABLES } from './sealed-row.store.ts';

/** What names the person still. */
export interface Left {
  /** Rows, by `table.column`. */
  readonly rows: Readonly<Record<string, number>>;
  /** Tables that this database user may not read. */
  readonly unread: readonly string[];
  /** Lines of the settings; the command alone knows them. */
  readonly settings: readonly NamedLine[];
  /** Files of the settings that could not be read. */
  readonly unreadFiles: readonly string[];
}

export interface Look {
  readonly organisationId: string;
  readonly person: Person;
  /** The same in orders, which are other customers'. */
  readonly sure: Person;
  /** References of their orders. */
  readonly orders: readonly string[];
  /** Looks in the settings of the organisation that asks. */
  readonly inSettings?: ((person: Person) => NamedInSettings) | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export async function lookEverywhere(db: Db, look: Look): Promise<Left> {
  const columns = await wordColumns(db);
  const unread = columns.filter(({ is_readable }) => !is_readable).map(({ table }) => table);
  const rows: Record<string, number> = {};
  const found = (name: string, count: number): void => {
    if (count > 0) rows[name] = (rows[name] ?? 0) + count;
  };
  const readable = columns.filter(
    (column) => column.is_readable && column.table !== HASHED && !isOrderText(column),
  );
  for (const [done, column] of readable.entries()) {
    look.onProgress?.(done, readable.length);
    found(`${column.table}.${column.column}`, await countIn(db, column, look));
  }
  const owned = readable.filter(({ has_organisation: isOwned }) => isOwned);
  for (const column of await sharedAmong(db, owned)) {
    found(`${column.table}.${column.column}`, await countShared(db, column, look.person));
  }
  if (columns.some(({ table, is_readable }) => table === HASHED && is_readable)) {
    found(`${HASHED}.reference`, await evidenceNaming(db, look));
  }
  for (const table of BODY_TABLES) {
    found(`${table}.body`, await eraseSealedBodies(db, { ...look, table, dryRun: true }));
  }
  const files = { ...look, person: look.sure, dryRun: true };
  for (const [table, count] of Object.entries(await eraseFiles(db, files))) found(table, count);
  for await (const orders of ordersNaming(db, { ...look, person: look.sure }))
    found('order_record.body', orders.length);
  const settings = look.inSettings?.(look.person) ?? { lines: [], unread: [] };
  return {
    rows,
    unread: [...new Set(unread)],
    settings: settings.lines,
    unreadFiles: settings.unread,
  };
}

/** Holds hashes under each organisation's own key, and its number instead of the organisation. */
const HASHED = 'payment_evidence';

/** References read in one statement. */
const REFERENCES_MAX = 5_000;

/** Payments of the evidence index whose reference names the person: all else in it are hashes, days and beginnings. */
async function evidenceNaming(db: Db, { organisationId, person }: Look): Promise<number> {
  let count = 0;
  let after: string | undefined;
  for (;;) {
    const { rows } = await sql<{ reference: string; place: string }>`
      select e.reference, e.ctid::text as place
      from payment_evidence e join evidence_key k on k.number = e.organisation
      where k.organisation_id = ${organisationId} and (${after ?? null}::tid is null or e.ctid > ${after ?? null}::tid)
      order by e.ctid limit ${REFERENCES_MAX}`.execute(db);
    count += rows.filter(({ reference }) => person.names(reference)).length;
    after = rows.at(-1)?.place;
    if (rows.length < REFERENCES_MAX) return count;
  }
}

/** Opened one by one, whether they are sealed or not. */
function isOrderText({ table, column }: WordColumn): boolean {
  return table === 'order_record' && (column === 'submitted' || column === 'body');
}

interface WordColumn {
  readonly table: string;
  readonly column: string;
  readonly kind: ColumnKind;
  readonly has_organisation: boolean;
  readonly is_readable: boolean;
}

/** Every column that can hold words, of every table that is not the database's own; partitions with their table. */
async function wordColumns(db: Db): Promise<WordColumn[]> {
  const { rows } = await sql<WordColumn>`
    select case when pg_table_is_visible(c.oid) then c.relname else n.nspname || '.' || c.relname end as table,
      a.attname as column,
      case format_type(a.atttypid, null) when 'bytea' then 'bytes' when 'jsonb' then 'json' when 'json' then 'json' else 'text' end as kind,
      exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'organisation_id' and not o.attisdropped) as has_organisation,
      has_schema_privilege(n.oid, 'usage') and has_column_privilege(c.oid, a.attnum, 'select') as is_readable
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and format_type(a.atttypid, null) in ('text', 'text[]', 'json', 'jsonb', 'bytea', 'character varying', 'name')
    where c.relkind in ('r', 'p') and not c.relispartition
    order by 1, a.attnum`.execute(db);
  return rows;
}

async function countIn(db: Db, column: WordColumn, look: Look): Promise<number> {
  const organisationId = column.has_organisation ? look.organisationId : undefined;
  let count = 0;
  for await (const range of slicesOf(db, column.table, 0)) {
    for await (const places of namedIn(db, { ...column, ...range, organisationId }, look.person)) {
      count += places.length;
    }
  }
  return count;
}
