-- Several organisations in one database: event ids by organisation, locks as rows, and the wall between
-- organisations, which `wall.sql` raises.
-- Plain SQL, never edited once released. The version before goes on working beside it: it leaves to the database
-- by which key an event is known already. (Its look at a known event's bytes expects one organisation.)

-- ---------------------------------------------------------------- the inbox

-- Two organisations may be sent the same event id. The indexes were built by `0025`, so that this takes a moment only.
alter table inbox_id drop constraint inbox_id_pkey;
alter table inbox_id add constraint inbox_id_pkey primary key using index inbox_id_by_event;

-- A long list of one organisation is not read by those that have none.
alter table inbox_work drop constraint inbox_work_pkey;
alter table inbox_work add constraint inbox_work_pkey primary key using index inbox_work_by_organisation;

-- ---------------------------------------------------------------- locks

-- What one transaction at a time may do for an organisation: whoever updates the row waits for the one before.
create table organisation_lock (
  organisation_id text   not null,
  name            text   not null,
  taken           bigint not null,
  primary key (organisation_id, name)
) with (fillfactor = 50);

-- ---------------------------------------------------------------- the wall

-- A connection says whose rows it may see: `forestall.organisation` holds one id, several with commas between
-- them, or `*`. Where it says nothing it sees nothing. The wall holds for everybody but superusers and the owner of
-- the tables, as which migrations, foreign keys and the functions with rights of their own run.

-- What is read through the view is read with the rights of who reads.
alter view roll_up_source set (security_invoker = true);

-- A policy for every table: raised, or taken down again before a version is started that knows nothing of it. Each table is
-- committed by itself, so that no two are locked at once. Run again, it adds the tables that came since.
create procedure wall_organisations(is_up boolean) language plpgsql as $$
declare
  item record;
  given constant text := '(select pg_catalog.current_setting(''forestall.organisation'', true))';
  condition text;
begin
  -- Behind the wall an index on an expression is read only where its functions are known to tell nothing of rows that are
  -- hidden. None of these raises an error that shows what it was given; saying so takes a superuser.
  if (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    for item in
      select p.oid::regprocedure::text as name from pg_catalog.pg_proc p
      where p.pronamespace = 'pg_catalog'::regnamespace and p.oid::regprocedure::text in (
        'lower(text)', 'jsonb_object_field_text(jsonb,text)', 'textlike(text,text)', 'hashtextextended(text,bigint)')
    loop
      execute format('alter function pg_catalog.%s %s leakproof', item.name, case when is_up then '' else 'not' end);
    end loop;
  end if;
  for item in
    select c.oid::regclass::text as name, c.relname, c.relispartition as is_partition,
      exists (select from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attname = 'organisation_id' and not a.attisdropped) as has_organisation
    from pg_catalog.pg_class c
    where c.relnamespace = '@schema@'::regnamespace and c.relkind in ('r', 'p')
      and c.relname not in ('forestall_migration', 'forestall_migration_lock')
    order by c.relname
  loop
    -- A partition is reached through its table only: nobody has a policy on it.
    if not item.is_partition then
      condition := case
        when item.has_organisation then format('%s = ''*'' or organisation_id = any ((select pg_catalog.string_to_array(%s, '',''))::text[])', given, given)
        when item.relname = 'payment_evidence' then format('%s = ''*'' or organisation = any (array(select k.number from @schema@.evidence_key k))', given)
        else 'false' end;
      execute format('drop policy if exists of_organisation on %s', item.name);
      if is_up then
        execute format('create policy of_organisation on %s using (%s)', item.name, condition);
      end if;
      -- One process may live for every organisation.
      if item.relname = 'worker_heartbeat' then
        execute format('drop policy if exists of_all on %s', item.name);
        if is_up then
          execute format('create policy of_all on %s for select using (organisation_id = ''*'')', item.name);
        end if;
      end if;
    end if;
    execute format('alter table %s %s row level security', item.name, case when is_up then 'enable' else 'disable' end);
    commit;
  end loop;
end $$;

-- As it was, and a new partition stands behind the wall where its table does.
create or replace function make_inbox_partition(moment timestamptz) returns timestamptz
language plpgsql set search_path = @schema@, pg_temp as $$
declare
  from_at timestamptz := date_trunc('week', moment, 'UTC');
  to_at   timestamptz := date_trunc('week', moment, 'UTC') + interval '168 hours';
  known_to timestamptz;
  part_name text;
begin
  select p.ends_at into known_to from inbox_partitions() p where p.starts_at <= moment and moment < p.ends_at;
  if known_to is not null then
    return known_to;
  end if;
  select greatest(from_at, max(p.ends_at) filter (where p.ends_at <= moment)),
         least(to_at, min(p.starts_at) filter (where p.starts_at > moment))
    into from_at, to_at from inbox_partitions() p;
  part_name := 'inbox_event_' || to_char(from_at at time zone 'UTC', 'YYYY_MM_DD');
  if to_regclass(part_name) is not null
     or exists (select from inbox_event_rest where received_at >= from_at and received_at < to_at) then
    return to_at;
  end if;
  execute format('create table %I (like inbox_event including all)', part_name);
  if (select c.relrowsecurity from pg_class c where c.oid = 'inbox_event'::regclass) then
    execute format('alter table %I enable row level security', part_name);
  end if;
  -- With the bounds as a constraint nothing is read while it is attached.
  execute format('alter table %I add constraint of_week check (received_at >= %L and received_at < %L)', part_name, from_at, to_at);
  execute format('alter table inbox_event attach partition %I for values from (%L) to (%L)', part_name, from_at, to_at);
  execute format('alter table %I drop constraint of_week', part_name);
  return to_at;
end $$;

-- ---------------------------------------------------------------- rights

revoke execute on procedure wall_organisations(boolean) from public;
-- Where `roles.sql` is in use: the roles go on before it is run again.
do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_app') then
    grant select, insert, update, delete on organisation_lock to forestall_app;
  end if;
  if exists (select from pg_roles where rolname = 'forestall_console') then
    grant select on organisation_lock to forestall_console;
  end if;
end $$;
