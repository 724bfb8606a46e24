-- Retention: what may be deleted, and only when it is old enough. These functions run as their owner,
-- because the application itself may delete nothing of the ledger, and they refuse what is too young.

-- Drops the inbox's partitions that end before the moment, and empties the default one up to it.
-- Returns how many partitions were dropped.
create function drop_old_inbox(older_than timestamptz) returns integer
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  part record;
  dropped integer := 0;
begin
  if older_than > now() - interval '7 days' then
    raise exception 'events younger than 7 days are not deleted';
  end if;
  for part in
    select c.relname,
           (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''([^'']+)''\)'))[1]::timestamptz as ends_at
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'inbox_event'::regclass and c.relname <> 'inbox_event_rest'
  loop
    continue when part.ends_at is null or part.ends_at > older_than;
    -- Work that was never done would lose its body.
    continue when exists (select from inbox_work w where w.received_at < part.ends_at);
    execute format('drop table %I', part.relname);
    dropped := dropped + 1;
  end loop;
  delete from inbox_event_rest r where r.received_at < older_than
    and not exists (select from inbox_work w where w.seq = r.seq and w.received_at = r.received_at);
  return dropped;
end $$;

-- Deletes closed alerts, what hangs on them, other entities, and orders that came to rest before the
-- moment; at most `row_limit` of each. Returns how many rows went. Refunds, declarations and the audit stay.
create function delete_old_cases(organisation text, older_than timestamptz, row_limit integer) returns bigint
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  alerts text[];
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
    select ctid from lookup where organisation_id = organisation and updated_at < older_than limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  delete from representment where ctid = any(array(
    select ctid from representment where organisation_id = organisation and updated_at < older_than limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  delete from scheme_notice where ctid = any(array(
    select ctid from scheme_notice where organisation_id = organisation and updated_at < older_than limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  delete from order_record where ctid = any(array(
    select ctid from order_record o
    where o.organisation_id = organisation and o.changed_at < older_than and o.state in ('CREATED', 'REFUSED')
      and not exists (
        select from charge ch join alert_case c on c.organisation_id = ch.organisation_id and c.charge_reference = ch.reference
        where ch.organisation_id = o.organisation_id and ch.order_reference = o.reference_id)
    limit row_limit));
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

-- The audit log is append-only, with one exception: an erasure may replace words inside `detail`, and
-- nothing else of the row. The switch lasts for its transaction only.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'audit'
     and coalesce(current_setting('forestall.erasing', true), '') = 'on'
     and to_jsonb(new) - 'detail' = to_jsonb(old) - 'detail' then
    return new;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = '23514';
end $$;
