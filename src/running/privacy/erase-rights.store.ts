/**
 * What an erasure may do is asked before its first change: one that stops halfway has erased the orders' copies and
 * left the history, or the other way round.
 */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { personalColumns } from './inventory.ts';
import { HISTORY } from './named-rows.store.ts';
import { FILE_TABLES } from './sealed-row.store.ts';

type Right = 'select' | 'insert' | 'update' | 'delete';

const FURTHER: readonly (readonly [table: string, rights: readonly Right[]])[] = [
  ['fact', ['select', 'insert', 'update', 'delete']],
  ['audit', ['insert']],
  ['order_push', ['select', 'delete']],
  ['refund_customer', ['delete']],
  ['blocked_customer', ['delete']],
  ...FILE_TABLES.map((table) => [table, ['delete']] as const),
  ['payment_evidence', ['select', 'update', 'delete']],
  ['policy_activation', ['select']],
];

const OWN_FUNCTIONS = [
  'erase_value(text, text, text, tid, oid, text)',
  'erase_references(text, text[], text[], timestamptz)',
];

/** @throws {ConfigError} naming what the connection's role lacks */
export async function checkRights(db: Db): Promise<void> {
  const tables = new Set(personalColumns().map(({ table }) => table));
  const own = [...tables].map(
    (table) => [table, HISTORY.has(table) ? ['select'] : ['select', 'update']] as const,
  );
  const wanted = [...own, ...FURTHER].flatMap(([table, rights]) =>
    rights.map((right) => ({ table, right })),
  );
  const { rows } = await sql<{ role: string; lacking: string[] | null; may_erase: boolean }>`
    select current_user as role,
      (select array_agg(w."right" || ' on ' || w.name order by w.name, w."right")
       from unnest(${wanted.map(({ table }) => table)}::text[], ${wanted.map(({ right }) => right)}::text[]) as w (name, "right")
       where not has_table_privilege(w.name, w."right")) as lacking,
      (select bool_and(has_function_privilege(f, 'execute')) from unnest(${OWN_FUNCTIONS}::text[]) as f) as may_erase`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) return;
  const lacking = [
    ...(row.lacking ?? []),
    ...(row.may_erase ? [] : ['execute on the functions erase_value and erase_references']),
  ];
  if (lacking.length === 0) return;
  throw new ConfigError(
    `The database user's role ${row.role} may not erase: it lacks ${lacking.join(', ')}. Nothing was changed. Run it as a member of forestall_app, as the workers do, or of forestall_owner; after an upgrade let a superuser run migrations/roles.sql again.`,
  );
}
