/** Guarantee: the inventory knows every table, and every column that could hold data about a person. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { INVENTORY } from '../../../src/running/privacy/inventory.ts';
import { useTestDatabase } from '../../support/database.ts';

const database = useTestDatabase();

const KINDS: Readonly<Record<string, string>> = {
  text: 'text',
  jsonb: 'json',
  bytea: 'bytes',
};

/** Columns that can hold words, by table, also where there is none; partitions and the migrator's own tables apart. */
async function columnsInDatabase(): Promise<Map<string, Map<string, string>>> {
  const { rows } = await sql<{ table: string; column: string | null; type: string }>`
    select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'forestall'
    left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and format_type(a.atttypid, null) in ('text', 'text[]', 'json', 'jsonb', 'bytea', 'character varying')
      and a.attname <> 'organisation_id'
    where c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'forestall_migration%'
    order by 1, a.attnum`.execute(database.db);
  const tables = new Map<string, Map<string, string>>();
  for (const { table, column, type } of rows) {
    const columns = tables.get(table) ?? new Map<string, string>();
    if (column !== null) columns.set(column, type);
    tables.set(table, columns);
  }
  return tables;
}

describe('the inventory', () => {
  it('lists every table, and every column that can hold words, and no other', async () => {
    const inDatabase = await columnsInDatabase();
    const found = Object.fromEntries(
      [...inDatabase].map(([table, columns]) => [table, [...columns.keys()].sort()]),
    );
    const listed = Object.fromEntries(
      Object.entries(INVENTORY).map(([table, { plain, personal }]) => [
        table,
        [...plain, ...Object.keys(personal)].sort(),
      ]),
    );
    expect(listed).toEqual(found);
  });

  it('knows how each column that can name a person holds it', async () => {
    const inDatabase = await columnsInDatabase();
    const personal = Object.entries(INVENTORY).flatMap(([table, entry]) =>
      Object.entries(entry.personal).map(([column, kind]) => ({ table, column, kind })),
    );
    expect(personal.length).toBeGreaterThan(20);
    for (const { table, column, kind } of personal) {
      expect(KINDS[inDatabase.get(table)?.get(column) ?? ''], `${table}.${column}`).toBe(kind);
    }
  });

  it('holds all words of JSON and bytes to be personal unless they are hashes or our own', () => {
    const unguarded = Object.entries(INVENTORY).flatMap(([table, { plain }]) =>
      plain
        .filter((name) => /body|snapshot$|inputs|evidence|detail|note|text/.test(name))
        .map((name) => `${table}.${name}`),
    );
    expect(unguarded).toEqual(['inbox_id.body_hash', 'quarantine.body_hash']);
  });
});
