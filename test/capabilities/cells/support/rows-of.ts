/** An organisation's rows, read without the code that moves them: by table, without the numbers of the database. */
import type { Pool } from 'pg';

/** Tables that stay where they are. */
const STAY = [
  'organisation_move',
  'organisation_lock',
  'cluster_lease',
  'worker_heartbeat',
  'console_right',
  'console_session',
  'console_oidc_flow',
  'console_attempt',
  'console_sent',
];

/** Numbers that a database draws for all its organisations, or that name one. */
const NUMBERS = [
  'id',
  'seq',
  'match_id',
  'decision_id',
  'approval_id',
  'comment_id',
  'number',
  'organisation',
  'filled_to',
  'probe_seq',
];

/** The tables that have rows of organisations and move, by name. */
export async function tableNames(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select distinct c.table_name::text as name from information_schema.columns c
     join pg_class r on r.oid = c.table_name::regclass and r.relkind in ('r', 'p') and not r.relispartition
     where c.table_schema = 'forestall' and (c.column_name = 'organisation_id' or c.table_name = 'payment_evidence')
       and c.table_name <> all ($1) order by 1`,
    [STAY],
  );
  return rows.map(({ name }) => name).sort();
}

/** Every row, as sorted texts by table. The sign of life names its database, which is another one. */
export async function rowsOf(
  pool: Pool,
  organisationId: string,
): Promise<Record<string, readonly string[]>> {
  const names = await tableNames(pool);
  const parts = names.map((name) => {
    const own =
      name === 'payment_evidence'
        ? 't.organisation = (select number from evidence_key where organisation_id = $1)'
        : 't.organisation_id = $1';
    return `select '${name}' as name, (${withoutNumbers(name)})::text as row from ${name} t where ${own}`;
  });
  const { rows } = await pool.query<{ name: string; row: string }>(
    `${parts.join(' union all ')} order by 1, 2`,
    [organisationId],
  );
  const found = Object.fromEntries(names.map((name): [string, string[]] => [name, []]));
  for (const { name, row } of rows) found[name]?.push(row);
  return found;
}

function withoutNumbers(table: string): string {
  const numbers = NUMBERS.map((name) => `'${name}'`).join(', ');
  const shown = `case when jsonb_typeof(to_jsonb(t) -> 'id') = 'string' then jsonb_build_object('id', to_jsonb(t) -> 'id') else '{}' end`;
  const plain = `(to_jsonb(t) - array[${numbers}]) || ${shown}`;
  if (table === 'audit')
    return `${plain} || jsonb_build_object('detail', t.detail - array['decision_id', 'match_id'])`;
  // A process says every minute that it seals.
  if (table === 'data_key') return `(${plain}) - 'sealing_at'`;
  if (table === 'fact') {
    return `${plain} || case when t.name = 'last_alive' then jsonb_build_object('value', t.value - array['identity', 'kind']) else '{}' end`;
  }
  return plain;
}
