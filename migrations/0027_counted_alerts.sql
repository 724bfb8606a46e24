-- An alert's row is written several times: when it is told of, when it is read, and read again. What counts
-- changes once at most. The trigger of 0018 had each of these statements build a query and plan it anew, most of
-- their cost; now a row is noted only where it counts, or counted, and says something else than before.
create function note_counted_alert() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into roll_up_due
  select distinct new.organisation_id, 'alert', new.id, usable_arn(side.arn)
  from (values (new.acquirer_reference_number, new.status, new.refund_outcome),
    (old.acquirer_reference_number, old.status, old.refund_outcome)) as side(arn, status, outcome)
  where side.status = 'RESOLVED' and side.outcome = 'REFUNDED';
  return null;
end $$;

drop trigger alert_counts on alert;
create trigger alert_counts after update on alert
  for each row when (old.snapshot_hash is distinct from new.snapshot_hash
    and (new.status = 'RESOLVED' and new.refund_outcome = 'REFUNDED' or old.status = 'RESOLVED' and old.refund_outcome = 'REFUNDED'))
  execute function note_counted_alert();

-- New ones come in statements of many, and are noted together: by a query whose plan is kept.
create function note_new_counted_alerts() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into roll_up_due
  select distinct organisation_id, 'alert', id, usable_arn(acquirer_reference_number)
  from fresh where status = 'RESOLVED' and refund_outcome = 'REFUNDED';
  return null;
end $$;

drop trigger alert_new_counts on alert;
create trigger alert_new_counts after insert on alert
  referencing new table as fresh for each statement execute function note_new_counted_alerts();

revoke execute on function note_counted_alert(), note_new_counted_alerts() from public;
