-- What an event of a received alert says is read by the alert's key. As a join with one row it was planned while there were
-- few alerts, and read all of them later, until statistics were gathered. Plain SQL, never edited once released.

create or replace function @schema@.note_event_case() returns trigger
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  told record;
begin
  if tg_op = 'INSERT' then
    -- Nothing of a claim for a refund, which has a case and no alert.
    select a.amount_minor, a.currency, a.reason_code, a.acquirer_reference_number into told
      from alert a where a.organisation_id = new.organisation_id and a.id = new.alert_id;
    perform note_event(new.organisation_id, 'alert.received', new.opened_at, new.alert_id, new.alert_id, new.charge_reference,
      jsonb_build_object('amount_minor', told.amount_minor, 'currency', told.currency, 'reason_code', told.reason_code,
        'acquirer_reference_number', told.acquirer_reference_number, 'deadline_at', new.deadline_at));
  end if;
  if (tg_op = 'INSERT' or old.state <> new.state) then
    if new.state = 'MATCHED' then
      perform note_event(new.organisation_id, 'alert.matched', new.changed_at, new.alert_id, new.alert_id, new.charge_reference, '{}');
    elsif new.state = 'HUMAN' then
      perform note_event(new.organisation_id, 'alert.held', new.changed_at, new.alert_id, new.alert_id, new.charge_reference,
        jsonb_build_object('reason', new.hold_reason, 'deadline_at', new.deadline_at, 'fallback_action', new.fallback_action,
          'fallback_at', new.fallback_at));
    end if;
  end if;
  if new.missed_at is not null and (tg_op = 'INSERT' or old.missed_at is null) then
    perform note_event(new.organisation_id, 'alert.missed', new.missed_at, new.alert_id, new.alert_id, new.charge_reference,
      jsonb_build_object('deadline_at', new.deadline_at));
  end if;
  return null;
end $$;
