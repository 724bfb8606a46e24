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
language sql stable set search_path = @schema@, pg_temp as $$
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
language plpgsql security definer set search_path = @schema@, pg_temp set lock_timeout = '10s' as $$
declare
  reached timestamptz := moment;
begin
  if weeks not between 0 and 60 then
    raise exception 'partitions are made for 60 weeks at most';
  end if;
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
language sql security definer set search_path = @schema@, pg_temp as $$
  select ensure_inbox_partitions(moment, 0)
$$;

-- The partitions whose rows are too old, oldest first. Of a week's partition the first row counts, so that
-- none is kept for longer; a month's, which an older version made, goes when its last row is too old.
create function old_inbox_partitions(older_than timestamptz) returns table (name text, starts_at timestamptz, ends_at timestamptz)
language sql stable set search_path = @schema@, pg_temp as $$
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
language plpgsql security definer set search_path = @schema@, pg_temp set lock_timeout = '10s' as $$
declare
  part record;
  dropped integer := 0;
begin
  if older_than > now() - interval '7 days' then
    raise exception 'events younger than 7 days are not deleted';
  end if;
  -- One that is being attached cannot be looked at.
  perform pg_advisory_xact_lock(hashtext('forestall.inbox_partition'));
  perform set_config('lock_timeout', '200ms', true);
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
language plpgsql security definer set search_path = @schema@, pg_temp as $$
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
-- Each call is planned for its moment: a plan for any moment would rather read the tables from their beginning.
create or replace function delete_old_cases(organisation text, older_than timestamptz, row_limit integer) returns bigint
language plpgsql security definer set search_path = @schema@, pg_temp set plan_cache_mode = force_custom_plan as $$
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

-- ---------------------------------------------------------------- figures

-- What is counted for every scrape of the metrics: cases and refunds by state, money refunded by currency, time
-- left at answers by the upper bound of the histogram. The figure is the sum of both tables: a change is noted in
-- the transaction that makes it, as a row of its own, so that no two wait for each other; a worker adds the
-- changes up each minute.
create table figure (
  organisation_id text   not null,
  measure         text   not null,
  label           text   not null,
  count           bigint not null,
  -- Minor units, or milliseconds.
  amount          bigint not null,
  primary key (organisation_id, measure, label)
);
create table figure_change (
  organisation_id text   not null,
  measure         text   not null,
  label           text   not null,
  count           bigint not null,
  amount          bigint not null
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- The upper bounds of src/insights/headroom.ts; a test compares both.
create function headroom_bound(seconds double precision) returns text language sql immutable parallel safe as $$
  select coalesce((select min(b) from unnest(array[0, 900, 3600, 14400, 43200, 86400, 172800, 259200]) as b where b >= seconds)::text, '+Inf')
$$;

-- The triggers run as the owner, so that whoever may change a case or a refund needs no right on the figures.
create function note_new_cases() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into figure_change (organisation_id, measure, label, count, amount)
  select organisation_id, 'case', state, count(*), 0 from fresh group by 1, 3
  union all
  select organisation_id, 'headroom', headroom_bound(extract(epoch from deadline_at - closed_at)::float8), count(*),
         sum(round(extract(epoch from deadline_at - closed_at) * 1000))::bigint
  from fresh where state in ('DECLARED_REFUND', 'DECLARED_ACCEPT') and closed_at is not null group by 1, 3;
  return null;
end $$;
create trigger alert_case_new_figures after insert on alert_case
  referencing new table as fresh for each statement execute function note_new_cases();

create function note_case_move() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into figure_change (organisation_id, measure, label, count, amount)
  values (old.organisation_id, 'case', old.state, -1, 0), (new.organisation_id, 'case', new.state, 1, 0);
  if new.state in ('DECLARED_REFUND', 'DECLARED_ACCEPT') and new.closed_at is not null then
    insert into figure_change (organisation_id, measure, label, count, amount)
    values (new.organisation_id, 'headroom', headroom_bound(extract(epoch from new.deadline_at - new.closed_at)::float8), 1,
            round(extract(epoch from new.deadline_at - new.closed_at) * 1000)::bigint);
  end if;
  return null;
end $$;
create trigger alert_case_move_figures after update of state on alert_case
  for each row when (old.state is distinct from new.state) execute function note_case_move();

-- What was answered stays answered when its case is deleted.
create function note_old_cases() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into figure_change (organisation_id, measure, label, count, amount)
  select organisation_id, 'case', state, -count(*), 0 from gone group by 1, 3;
  return null;
end $$;
create trigger alert_case_old_figures after delete on alert_case
  referencing old table as gone for each statement execute function note_old_cases();

create function note_refund(organisation text, refund_state text, currency text, amount_minor bigint, sign integer) returns void
language sql set search_path = @schema@, pg_temp as $$
  insert into figure_change (organisation_id, measure, label, count, amount)
  select organisation, 'refund', refund_state, sign, 0
  union all
  select organisation, 'refunded', currency, sign, sign * amount_minor where refund_state = 'CONFIRMED' and amount_minor > 0
$$;
create function note_refund_move() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  if tg_op <> 'INSERT' then
    perform note_refund(old.organisation_id, old.state, old.currency, old.amount_minor, -1);
  end if;
  if tg_op <> 'DELETE' then
    perform note_refund(new.organisation_id, new.state, new.currency, new.amount_minor, 1);
  end if;
  return null;
end $$;
-- Movements of our own: what was only observed is not counted.
create trigger movement_new_figures after insert on movement for each row
  when (new.idempotency_key is not null) execute function note_refund_move();
create trigger movement_old_figures after delete on movement for each row
  when (old.idempotency_key is not null) execute function note_refund_move();
create trigger movement_move_figures after update of state, currency, amount_minor on movement
  for each row when (new.idempotency_key is not null
    and (old.state, old.currency, old.amount_minor) is distinct from (new.state, new.currency, new.amount_minor))
  execute function note_refund_move();

-- What there is already.
insert into figure (organisation_id, measure, label, count, amount)
select organisation_id, 'case', state, count(*), 0 from alert_case group by 1, 3
union all
select organisation_id, 'headroom', headroom_bound(extract(epoch from deadline_at - closed_at)::float8), count(*),
       sum(round(extract(epoch from deadline_at - closed_at) * 1000))::bigint
from alert_case where state in ('DECLARED_REFUND', 'DECLARED_ACCEPT') and closed_at is not null group by 1, 3
union all
select organisation_id, 'refund', state, count(*), 0 from movement where idempotency_key is not null group by 1, 3
union all
select organisation_id, 'refunded', currency, count(*), sum(amount_minor)::bigint
from movement where idempotency_key is not null and state = 'CONFIRMED' and amount_minor > 0 group by 1, 3;

create index notification_undelivered on notification (organisation_id, created_at) where sent_at is null;

-- ---------------------------------------------------------------- rights

-- A function that runs as its owner is for whoever needs it, and not for everybody who may connect.
revoke execute on function
  ensure_inbox_partition(timestamptz), ensure_inbox_partitions(timestamptz, integer), make_inbox_partition(timestamptz),
  drop_old_inbox(timestamptz), delete_old_inbox_rows(timestamptz, integer), delete_old_cases(text, timestamptz, integer),
  note_new_cases(), note_case_move(), note_old_cases(), note_refund_move()
from public;
-- Where `roles.sql` is in use: the workers go on before it is run again.
do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_app') then
    grant execute on function
      ensure_inbox_partition(timestamptz), ensure_inbox_partitions(timestamptz, integer),
      drop_old_inbox(timestamptz), delete_old_inbox_rows(timestamptz, integer), delete_old_cases(text, timestamptz, integer)
    to forestall_app;
    grant select, insert, update, delete on figure, figure_change to forestall_app;
  end if;
  if exists (select from pg_roles where rolname = 'forestall_console') then
    grant select on figure, figure_change to forestall_console;
    revoke execute on function
      ensure_inbox_partition(timestamptz), drop_old_inbox(timestamptz), delete_old_cases(text, timestamptz, integer)
    from forestall_console;
  end if;
end $$;
