/**
 * Guarantee: no column loses its mark as personal or sealed, and no row its period, without a visible diff; and no role of
 * the database gains or loses a right on a table in silence.
 */
import { sql } from 'kysely';
import { it } from 'vitest';
import { INVENTORY } from '../../src/running/privacy/inventory.ts';
import { useTestDatabase } from '../support/database.ts';
import { expectRecorded } from './recorded.ts';

const database = useTestDatabase();

it('the inventory of tables and columns is as recorded', async () => {
  const lines = Object.entries(INVENTORY).flatMap(([table, entry]) => [
    `${table} · kept: ${entry.keep} · ${entry.purpose}`,
    ...entry.plain.map((column) => `${table}.${column} · plain`),
    ...Object.entries(entry.personal).map(
      ([column, kind]) =>
        `${table}.${column} · personal ${kind}${entry.sealed.includes(column) ? ' sealed' : ''}`,
    ),
  ]);
  await expectRecorded('privacy', lines);
});

it('the rights of each role on each table are as recorded', async () => {
  const { rows } = await sql<{ line: string }>`
    select table_name || ' · ' || grantee || ': '
      || string_agg(distinct lower(privilege_type), ' ' order by lower(privilege_type)) as line
    from information_schema.role_table_grants
    where table_schema = 'forestall' and grantee in ('forestall_app', 'forestall_console')
      and table_name !~ '_\\d+$'
    group by table_name, grantee`.execute(database.db);
  await expectRecorded(
    'grants',
    rows.map(({ line }) => line),
  );
});
