/** Whether this user may read every table and write, and whether the server has room: tried, and taken back. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { sqlStateOf } from '../../base/db/transaction.ts';
import { createId } from '../../base/kernel/ids.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import { whyUnreachable } from './reach-database.ts';

const NAME = 'database rights';
const GRANT = 'Run migrations/roles.sql, and make this user a member of forestall_app.';

/** Tables named at most. */
const NAMED_MAX = 3;

/** The lines. The schema must be there. */
export async function rightsLines(db: Db, organisationId: string): Promise<StatusLine[]> {
  const { rows } = await sql<{ name: string; may_read: boolean; may_work: boolean }>`
    select c.relname as name, has_table_privilege(c.oid, 'select') as may_read,
      has_table_privilege(c.oid, 'insert') as may_work
    from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
    order by c.relname`.execute(db);
  const unread = rows.filter((row) => !row.may_read).map(({ name }) => name);
  if (unread.length > 0) {
    const named = unread.slice(0, NAMED_MAX).join(', ');
    const more = unread.length > NAMED_MAX ? ` and ${unread.length - NAMED_MAX} more` : '';
    return [failed(NAME, `this user may not read ${named}${more}`, GRANT)];
  }
  const fault = await tryToWrite(db, organisationId);
  if (fault !== undefined) return [fault];
  const mayWork = rows.some(({ name, may_work: may }) => name === 'inbox_event' && may);
  return mayWork
    ? [ok(NAME, 'this user may read and write')]
    : [warning(NAME, 'this user may serve a console, and neither receive nor work', GRANT)];
}

/** Thrown to take back what was written. */
class TakenBack extends Error {}

/** Writes a message that will never be seen; undefined when that works. */
async function tryToWrite(db: Db, organisationId: string): Promise<StatusLine | undefined> {
  const at = new Date(0);
  try {
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('notification')
        .values({
          organisation_id: organisationId,
          dedupe_key: `doctor:${createId('w')}`,
          kind: 'doctor',
          severity: 'info',
          text: '',
          created_at: at,
          next_attempt_at: null,
        })
        .execute();
      throw new TakenBack();
    });
    return undefined;
  } catch (error) {
    return error instanceof TakenBack ? undefined : writeFault(error);
  }
}

function writeFault(error: unknown): StatusLine {
  switch (sqlStateOf(error)) {
    case '42501':
      return failed(NAME, 'this user may not write', GRANT);
    case '53100':
      return failed(
        'database disk',
        'the server\u2019s disk is full: nothing can be stored',
        'Make room on the database server; old log files are a usual cause.',
      );
    default: {
      const { problem, nextStep } = whyUnreachable(error);
      return failed(NAME, `nothing can be written: ${problem}`, nextStep);
    }
  }
}
