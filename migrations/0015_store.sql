-- The store: events of one second in their order, partitions that nobody waits for, retention and figures
-- that cost the same however much is kept.
-- Plain SQL, never edited once released. It only adds: the version before goes on working beside it.

-- ---------------------------------------------------------------- apply

-- The moment of the event that told of a row, and whether it told of an update: they order events of one
-- second about what cannot be read from the service.
alter table alert         add column told_at timestamptz, add column told_as_update boolean not null default false;
alter table lookup        add column told_at timestamptz, add column told_as_update boolean not null default false;
alter table enrolment     add column told_at timestamptz, add column told_as_update boolean not null default false;
alter table representment add column told_at timestamptz, add column told_as_update boolean not null default false;
alter table scheme_notice add column told_at timestamptz, add column told_as_update boolean not null default false;

-- ---------------------------------------------------------------- the inbox's partitions

-- The inbox's partitions with their bounds; the default one has none.
create function inbox_partitions() returns table (name text, starts_at timestamptz, ends_at timestamptz)
language sql stable set search_path = public, pg_temp as $$
  select c.relname::text, (bound)[1]::timestamptz, (bound)[2]::timestamptz
  from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    cross join regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''([^'']+)''\) TO \(''([^'']+)''\)') as bound
  where i.inhparent = 'inbox_event'::regclass and bound is not null
$$;

-- Makes the partition of the week that holds `moment`: what of it no other partition covers, unless rows
-- already lie in the default one. Returns where what it looked at ends. It is built apart and attached, so that
-- no insert waits; the default one is locked for a moment, and whoever reads it for longer ends this.
create function make_inbox_partition(moment timestamptz) returns timestamptz
language plpgsql set search_path = public, pg_temp as $$
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
  -- With the bounds as a constraint nothing is read while it is attached.
  execute format('alter table %I add constraint of_week check (received_at >= %L and received_at < %L)', part_name, from_at, to_at);
  execute format('alter table inbox_event attach partition %I for values from (%L) to (%L)', part_name, from_at, to_at);
  execute format('alter table %I drop constraint of_week', part_name);
  return to_at;
end $$;

-- Makes the partitions of a moment and of so many weeks after it. While somebody reads the inbox for long, as a
-- dump does, it makes none and does not fail; it is called months ahead. Returns how many weeks are left. Runs as
-- its owner: the application itself may not create tables.
create function ensure_inbox_partitions(moment timestamptz, weeks integer) returns integer
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '10s' as $$
declare
  reached timestamptz := moment;
begin
  perform pg_advisory_xact_lock(hashtext('forestall.inbox_partition'));
  perform set_config('lock_timeout', '200ms', true);
  loop
    reached := make_inbox_partition(reached);
    exit when reached > moment + make_interval(hours => 168 * weeks);
  end loop;
  return 0;
exception when lock_not_available then
  return 1 + floor(extract(epoch from moment + make_interval(hours => 168 * weeks) - reached) / 604800);
end $$;

-- What the version before calls.
create or replace function ensure_inbox_partition(moment timestamptz) returns void
language sql security definer set search_path = public, pg_temp as $$
  select ensure_inbox_partitions(moment, 0)
$$;

-- The partitions whose rows are too old, oldest first. Of a week's partition the first row counts, so that
-- none is kept for longer; a month's, which an older version made, goes when its last row is too old.
create function old_inbox_partitions(older_than timestamptz) returns table (name text, starts_at timestamptz, ends_at timestamptz)
language sql stable set search_path = public, pg_temp as $$
  select p.name, p.starts_at, p.ends_at from inbox_partitions() p
  where case when p.ends_at - p.starts_at <= interval '7 days' then p.starts_at < older_than + interval '1 day' else p.ends_at <= older_than end
    -- Work that was never done would lose its body.
    and not exists (select from inbox_work w where w.received_at >= p.starts_at and w.received_at < p.ends_at)
  order by p.starts_at
$$;

-- Drops the inbox's partitions that are too old. Each is emptied under a lock of its own, which no delivery
-- needs; the inbox itself is locked for a moment only, to let go of the empty table. What somebody reads stays
-- for the next attempt. Returns how many were dropped.
create or replace function drop_old_inbox(older_than timestamptz) returns integer
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '200ms' as $$
declare
  part record;
  dropped integer := 0;
begin
  if older_than > now() - interval '7 days' then
    raise exception 'events younger than 7 days are not deleted';
  end if;
  for part in select * from old_inbox_partitions(older_than) p where p.ends_at <= now() - interval '7 days' loop
    begin
      execute format('truncate %I', part.name);
    exception when lock_not_available then
      continue;
    end;
    begin
      execute format('drop table %I', part.name);
      dropped := dropped + 1;
    exception when lock_not_available then
      null;
    end;
  end loop;
  return dropped;
end $$;

-- Deletes rows that are too old and lie in no partition that goes as a whole: in the default one, and in
-- those of a month; at most `row_limit` of each. Returns how many went.
create function delete_old_inbox_rows(older_than timestamptz, row_limit integer) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  part_name text;
  gone bigint := 0;
  step bigint;
begin
  if older_than > now() - interval '7 days' then
    raise exception 'events younger than 7 days are not deleted';
  end if;
  for part_name in
    select 'inbox_event_rest' union all
    select p.name from inbox_partitions() p
    where p.ends_at - p.starts_at > interval '7 days' and p.starts_at < older_than
  loop
    execute format(
      'delete from %I where (received_at, seq) in (
         select r.received_at, r.seq from %I r where r.received_at < $1
           and not exists (select from inbox_work w where w.seq = r.seq and w.received_at = r.received_at)
         order by r.received_at, r.seq limit $2)', part_name, part_name) using older_than, row_limit;
    get diagnostics step = row_count; gone := gone + step;
  end loop;
  return gone;
end $$;

-- ---------------------------------------------------------------- retention

-- What is too old is found along an index, and not by reading the table.
create index entity_change_by_time on entity_change using brin (changed_at) with (autosummarize = on);
create index charge_by_knowing on charge using brin (known_at) with (autosummarize = on);
create index lookup_by_update on lookup (organisation_id, updated_at);
create index representment_by_update on representment (organisation_id, updated_at);
create index scheme_notice_by_update on scheme_notice (organisation_id, updated_at);

-- Deletes closed alerts, what hangs on them, other entities, and orders that came to rest before the
-- moment; at most `row_limit` of each. Returns how many rows went. Refunds, declarations and the audit stay.
create or replace function delete_old_cases(organisation text, older_than timestamptz, row_limit integer) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  alerts text[];
  integrations text[];
  orders text[];
  gone bigint := 0;
  step bigint;
begin
  if older_than > now() - interval '390 days' then
    raise exception 'cases younger than 390 days are not deleted';
  end if;
  select array(
    select c.alert_id from alert_case c
    where c.organisation_id = organisation and not c.is_open and c.closed_at < older_than
    order by c.closed_at limit row_limit for update skip locked
  ) into alerts;
  delete from alert_case where organisation_id = organisation and alert_id = any(alerts);
  get diagnostics step = row_count; gone := gone + step;
  delete from match where organisation_id = organisation and alert_id = any(alerts);
  get diagnostics step = row_count; gone := gone + step;
  delete from decision where organisation_id = organisation and alert_id = any(alerts);
  get diagnostics step = row_count; gone := gone + step;
  delete from alert where organisation_id = organisation and id = any(alerts);
  get diagnostics step = row_count; gone := gone + step;
  delete from entity_change where ctid = any(array(
    select ctid from entity_change where organisation_id = organisation and changed_at < older_than limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  delete from lookup where ctid = any(array(
    select ctid from lookup where organisation_id = organisation and updated_at < older_than
    order by updated_at limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  delete from representment where ctid = any(array(
    select ctid from representment where organisation_id = organisation and updated_at < older_than
    order by updated_at limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  delete from scheme_notice where ctid = any(array(
    select ctid from scheme_notice where organisation_id = organisation and updated_at < older_than
    order by updated_at limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  with deleted as (
    delete from order_record where ctid = any(array(
      select ctid from order_record o
      -- The moment it was taken in is never later than its last change, and has an index.
      where o.organisation_id = organisation and o.changed_at < older_than and o.accepted_at < older_than
        and o.state in ('CREATED', 'REFUSED')
        and not exists (
          select from charge ch join alert_case c on c.organisation_id = ch.organisation_id and c.charge_reference = ch.reference
          where ch.organisation_id = o.organisation_id and ch.order_reference = o.reference_id)
      limit row_limit))
    returning integration_id, reference_id
  )
  select array_agg(integration_id), array_agg(reference_id), count(*) into integrations, orders, step from deleted;
  gone := gone + step;
  -- At the service the references stay taken.
  delete from order_nested_reference n using unnest(integrations, orders) as o (integration_id, reference_id)
  where n.organisation_id = organisation and n.integration_id = o.integration_id and n.order_reference = o.reference_id;
  get diagnostics step = row_count; gone := gone + step;
  delete from charge where ctid = any(array(
    select ctid from charge ch
    where ch.organisation_id = organisation and ch.known_at < older_than
      and not exists (select from alert_case c where c.organisation_id = ch.organisation_id and c.charge_reference = ch.reference)
      and not exists (select from order_record o where o.organisation_id = ch.organisation_id and o.reference_id = ch.order_reference)
    limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  return gone;
end $$;

-- References of orders that an older version deleted before them.
delete from order_nested_reference n where not exists (
  select from order_record o where o.organisation_id = n.organisation_id
    and o.integration_id = n.integration_id and o.reference_id = n.order_reference);

-- A function that runs as its owner is for whoever needs it, and not for everybody who may connect.
revoke execute on function
  ensure_inbox_partition(timestamptz), ensure_inbox_partitions(timestamptz, integer), make_inbox_partition(timestamptz),
  drop_old_inbox(timestamptz), delete_old_inbox_rows(timestamptz, integer), delete_old_cases(text, timestamptz, integer)
from public;
-- Where `roles.sql` is in use: the workers go on before it is run again.
do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_app') then
    grant execute on function
      ensure_inbox_partition(timestamptz), ensure_inbox_partitions(timestamptz, integer),
      drop_old_inbox(timestamptz), delete_old_inbox_rows(timestamptz, integer), delete_old_cases(text, timestamptz, integer)
    to forestall_app;
  end if;
  if exists (select from pg_roles where rolname = 'forestall_console') then
    revoke execute on function
      ensure_inbox_partition(timestamptz), drop_old_inbox(timestamptz), delete_old_cases(text, timestamptz, integer)
    from forestall_console;
  end if;
end $$;
