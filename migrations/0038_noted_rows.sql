-- A notice, a representment or a lookup that counts is noted by a query whose plan is kept, as an alert is since 0027: the
-- trigger of 0018 built each of these queries as a text and had it planned anew, more of its cost than the noting.
-- New rows come in statements of many, and are noted together.
create function note_new_counted() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into roll_up_due
  select organisation_id, tg_argv[0], id, usable_arn(acquirer_reference_number) from fresh;
  return null;
end $$;

create function note_new_counted_lookups() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into roll_up_due
  select organisation_id, 'lookup', id, usable_arn(acquirer_reference_number) from fresh where deflection_status = 'SUCCEEDED';
  return null;
end $$;

-- Of a row that says something else than before, under the reference it had and the one it has.
create function note_counted() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into roll_up_due
  select distinct new.organisation_id, tg_argv[0], new.id, usable_arn(side.arn)
  from (values (new.acquirer_reference_number), (old.acquirer_reference_number)) as side(arn);
  return null;
end $$;

create function note_counted_lookup() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into roll_up_due
  select distinct new.organisation_id, 'lookup', new.id, usable_arn(side.arn)
  from (values (new.acquirer_reference_number, new.deflection_status),
    (old.acquirer_reference_number, old.deflection_status)) as side(arn, status)
  where side.status = 'SUCCEEDED';
  return null;
end $$;

drop trigger scheme_notice_new_counts on scheme_notice;
create trigger scheme_notice_new_counts after insert on scheme_notice
  referencing new table as fresh for each statement execute function note_new_counted('notice');
drop trigger scheme_notice_counts on scheme_notice;
create trigger scheme_notice_counts after update on scheme_notice
  for each row when (old.snapshot_hash is distinct from new.snapshot_hash) execute function note_counted('notice');

drop trigger representment_new_counts on representment;
create trigger representment_new_counts after insert on representment
  referencing new table as fresh for each statement execute function note_new_counted('representment');
drop trigger representment_counts on representment;
create trigger representment_counts after update on representment
  for each row when (old.snapshot_hash is distinct from new.snapshot_hash) execute function note_counted('representment');

drop trigger lookup_new_counts on lookup;
create trigger lookup_new_counts after insert on lookup
  referencing new table as fresh for each statement execute function note_new_counted_lookups();
drop trigger lookup_counts on lookup;
create trigger lookup_counts after update on lookup
  for each row when (old.snapshot_hash is distinct from new.snapshot_hash
    and (new.deflection_status = 'SUCCEEDED' or old.deflection_status = 'SUCCEEDED'))
  execute function note_counted_lookup();

drop function note_counted_rows();
revoke execute on function note_new_counted(), note_new_counted_lookups(), note_counted(), note_counted_lookup() from public;
