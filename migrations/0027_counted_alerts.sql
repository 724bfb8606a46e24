-- An alert's row is written several times: when it is told of, when it is read, and read again. What counts
-- changes once at most. The trigger of 0018 had each of these statements build a query and plan it anew, most of
-- their cost; now a row is looked at only where it counts, or counted, and says something else than before.
create function note_counted_alert() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  arns text[] := '{}';
  ids text[] := '{}';
  arn text;
begin
  if new.status = 'RESOLVED' and new.refund_outcome = 'REFUNDED' then
    arn := usable_arn(new.acquirer_reference_number);
    if arn is null then ids := array[new.id]; else arns := array[arn]; end if;
  end if;
  if old.status = 'RESOLVED' and old.refund_outcome = 'REFUNDED' then
    arn := usable_arn(old.acquirer_reference_number);
    if arn is null then ids := ids || old.id; else arns := arns || arn; end if;
  end if;
  perform roll_up_again(new.organisation_id, arns, 'alert', ids);
  return null;
end $$;

drop trigger alert_counts on alert;
create trigger alert_counts after update on alert
  for each row when (old.snapshot_hash is distinct from new.snapshot_hash
    and (new.status = 'RESOLVED' and new.refund_outcome = 'REFUNDED' or old.status = 'RESOLVED' and old.refund_outcome = 'REFUNDED'))
  execute function note_counted_alert();

-- New ones come in statements of many, and are counted together: by a query whose plan is kept.
create function note_new_counted_alerts() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  item record;
begin
  for item in
    select organisation_id,
      coalesce(array_agg(distinct usable_arn(acquirer_reference_number)) filter (where usable_arn(acquirer_reference_number) is not null), '{}') as arns,
      coalesce(array_agg(distinct id) filter (where usable_arn(acquirer_reference_number) is null), '{}') as ids
    from fresh where status = 'RESOLVED' and refund_outcome = 'REFUNDED' group by 1
  loop
    perform roll_up_again(item.organisation_id, item.arns, 'alert', item.ids);
  end loop;
  return null;
end $$;

drop trigger alert_new_counts on alert;
create trigger alert_new_counts after insert on alert
  referencing new table as fresh for each statement execute function note_new_counted_alerts();

revoke execute on function note_counted_alert(), note_new_counted_alerts() from public;
