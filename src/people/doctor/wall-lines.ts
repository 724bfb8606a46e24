/** Whether the database itself keeps organisations apart, where several share it. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { ok, warning } from '../../base/kernel/status-line.ts';
import type { CheckContext } from './context.ts';

const NAME = 'wall between organisations';

/** Tables named at most. */
const NAMED_MAX = 3;

interface Wall {
  /** It was raised. */
  readonly is_up: boolean;
  /** It holds for this user. */
  readonly holds: boolean;
  /** Tables that are outside it. */
  readonly outside: readonly string[];
  /** Indexes on expressions are read behind it. */
  readonly reads_indexes: boolean;
  /** Organisations that this user sees. */
  readonly organisations: number;
}

export async function wallLines({ rows }: Pick<CheckContext, 'rows'>): Promise<StatusLine[]> {
  return 'problem' in rows ? [] : [lineOf(await readWall(rows.value))];
}

async function readWall(db: Db): Promise<Wall | undefined> {
  const { rows } = await sql<Wall>`
    with tables as (
      select c.oid, c.relname::text as name, c.relrowsecurity as is_in
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organisation_id' and not a.attisdropped
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    )
    select bool_or(is_in) as is_up, bool_or(row_security_active(oid)) as holds,
      coalesce(array_agg(name order by name) filter (where not is_in), '{}') as outside,
      (select proleakproof from pg_proc where oid = 'pg_catalog.lower(text)'::regprocedure) as reads_indexes,
      (select count(distinct organisation_id)::int from fact) as organisations
    from tables`.execute(db);
  return rows[0];
}

function lineOf(wall: Wall | undefined): StatusLine {
  const { is_up: isUp = false, holds = false, outside = [], organisations = 0 } = wall ?? {};
  if (holds && wall?.reads_indexes === false) {
    const detail = 'it holds, and searches by e-mail address read all orders of the organisation';
    return warning(
      NAME,
      detail,
      'Have a superuser run migrations/wall.sql, once more after a restore.',
    );
  }
  if (isUp && outside.length > 0) {
    const more = outside.length > NAMED_MAX ? ` and ${outside.length - NAMED_MAX} more` : '';
    const detail = `it does not hold for ${outside.slice(0, NAMED_MAX).join(', ')}${more}`;
    return warning(NAME, detail, 'Run migrations/wall.sql again: it was not run since an upgrade.');
  }
  if (holds) return ok(NAME, 'this user sees the rows of one organisation at a time');
  if (organisations < 2) return ok(NAME, 'not needed: the database holds one organisation');
  return isUp
    ? warning(
        NAME,
        `this user passes it, and the database holds ${organisations} organisations`,
        'Connect as a member of forestall_app that is neither a superuser nor the owner of the tables.',
      )
    : warning(
        NAME,
        `none, and the database holds ${organisations} organisations`,
        'Run migrations/roles.sql and migrations/wall.sql, and connect as a member of forestall_app.',
      );
}
