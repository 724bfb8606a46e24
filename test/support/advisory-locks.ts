/**
 * A database in which advisory locks lock nothing, as on an engine that has none: money must be right all the same,
 * by constraints and by locks on rows.
 */
import type pg from 'pg';

const SWITCH_OFF = `do $off$
declare
  item record;
  place text;
begin
  for item in
    select oid::regprocedure as signature, proname, pg_get_function_identity_arguments(oid) as arguments,
      pg_get_function_result(oid) as result
    from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^pg_.*advisory.*lock'
  loop
    execute format('alter function %s rename to %I', item.signature, item.proname || '_off');
    -- Where the program's statements look, and where those of the job queue do.
    foreach place in array array['forestall', 'public'] loop
      execute format('create function %I.%I(%s) returns %s language sql as %L', place, item.proname, item.arguments,
        item.result, case item.result when 'boolean' then 'select true' else 'select' end);
    end loop;
  end loop;
end $off$`;

/** In this database, and in those made from it. */
export async function switchOffAdvisoryLocks(pool: pg.Pool): Promise<void> {
  await pool.query(SWITCH_OFF);
}
