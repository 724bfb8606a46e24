-- Merchants with a processor of their own, and a stop of all refunds of an installation.
-- Plain SQL, never edited once released.

-- Through whose processor a request went: the merchant's; null: the organisation's own. It is asked there, and sent
-- there again, whatever is set meanwhile.
alter table movement add column sent_through text;

-- ---------------------------------------------------------------- the stop of an installation

-- A row of `*` stops the refunds of every organisation: each of them sees it behind the wall, and none can write it.
create or replace procedure wall_organisations(is_up boolean) language plpgsql as $$
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
      -- One process may live for every organisation, and one switch stops them all.
      if item.relname in ('worker_heartbeat', 'money_pause') then
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

do $$
begin
  if exists (select from pg_policies where schemaname = current_schema() and tablename = 'money_pause' and policyname = 'of_organisation') then
    create policy of_all on money_pause for select using (organisation_id = '*');
  end if;
end $$;
