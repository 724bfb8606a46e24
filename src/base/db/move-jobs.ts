/**
 * The job queue's part of a move into another schema. A schema in which every queue is ours is renamed, and the name
 * replaced in the functions that pg-boss made with it. One that the shop uses too is its own: it loses our schedules,
 * and the next migration makes a queue of ours. Nothing about an alert depends on a job.
 */
import { sql } from 'kysely';
import type { Trx } from './database.ts';
import { jobsSchemaOf, quotedName } from './schemas.ts';

/** Every queue of ours begins so, in every version. */
const OURS = 'forestall.%';

export async function moveJobs(
  trx: Trx,
  { from, to, isCheck }: { readonly from: string; readonly to: string; readonly isCheck: boolean },
): Promise<'moved' | 'shared' | 'none'> {
  const [before, after] = [jobsSchemaOf(from), jobsSchemaOf(to)];
  if (!(await hasQueues(trx, before))) return 'none';
  const { rows } = await sql<{ ours: number; others: number }>`
    select count(*) filter (where name like ${OURS})::int as ours,
      count(*) filter (where name not like ${OURS})::int as others
    from ${sql.id(before, 'queue')} where name <> '__pgboss__send-it'`.execute(trx);
  const { ours = 0, others = 0 } = rows[0] ?? {};
  if (ours === 0) return 'none';
  if (others > 0) {
    if (!isCheck) {
      await sql`delete from ${sql.id(before, 'schedule')} where name like ${OURS}`.execute(trx);
    }
    return 'shared';
  }
  if (!isCheck) await rename(trx, before, after);
  return 'moved';
}

async function hasQueues(trx: Trx, schema: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = 'queue'`.execute(trx);
  return rows.length > 0;
}

async function rename(trx: Trx, before: string, after: string): Promise<void> {
  await sql.raw(`alter schema ${quotedName(before)} rename to ${quotedName(after)}`).execute(trx);
  const { rows } = await sql<{ definition: string }>`
    select pg_get_functiondef(p.oid) as definition
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = ${after} and p.prokind in ('f', 'p')`.execute(trx);
  // pg-boss writes its schema before each name, and nowhere else.
  const former = new RegExp(`\\b${before}\\.`, 'g');
  for (const { definition } of rows) {
    await sql.raw(definition.replaceAll(former, `${after}.`)).execute(trx);
  }
  for (const role of ['forestall_app', 'forestall_console']) await grant(trx, after, role);
}

async function grant(trx: Trx, schema: string, role: string): Promise<void> {
  const { rows } = await sql`select from pg_roles where rolname = ${role}`.execute(trx);
  if (rows.length > 0) {
    await sql.raw(`grant usage on schema ${quotedName(schema)} to ${role}`).execute(trx);
  }
}
