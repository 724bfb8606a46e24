/** Every value of every column that can hold words or bytes, of all tables of the schema: to look for what must not be there. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Database } from '../../src/base/db/database.ts';

export interface StoredValue {
  /** `table.column`. */
  readonly place: string;
  readonly value: string;
}

/** Reads all of them. Bytes are read as text. */
export async function storedValues(db: Kysely<Database>): Promise<StoredValue[]> {
  const { rows: columns } = await sql<{ table: string; column: string; type: string }>`
    select c.oid::regclass::text as table, a.attname as column, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and format_type(a.atttypid, null) in ('text', 'text[]', 'json', 'jsonb', 'bytea')`.execute(
    db,
  );
  expect(columns.length).toBeGreaterThan(200);
  const all: StoredValue[] = [];
  for (const { table, column, type } of columns) {
    const value =
      type === 'bytea'
        ? sql`convert_from(decode(replace(encode(${sql.ref(column)}, 'hex'), '00', ''), 'hex'), 'LATIN1')`
        : sql`${sql.ref(column)}::text`;
    const { rows } = await sql<{ value: string }>`
      select ${value} as value from ${sql.raw(table)} where ${sql.ref(column)} is not null`.execute(
      db,
    );
    const text = (stored: string): string =>
      type === 'bytea' ? Buffer.from(stored, 'latin1').toString('utf8') : stored;
    all.push(...rows.map((row) => ({ place: `${table}.${column}`, value: text(row.value) })));
  }
  return all;
}
