-- Side actions are planned of alerts of which some can follow: a decision names one, or the charge may belong to a
-- subscription. Every decision was noted before, and looked at by a round of its own that mostly found nothing to do. At the
-- end of the transaction, because a person's decision may name the charge after it. Plain SQL, never edited once released.

create or replace function @schema@.side_action_after_decision() returns trigger
language plpgsql set search_path = @schema@, pg_temp as $$
declare
  follows boolean;
  paid text;
  ordered text;
  subscription text;
begin
  -- The new one is among them.
  follows := exists (
    select from decision d
    where d.organisation_id = new.organisation_id and d.alert_id = new.alert_id and d.side_actions <> '[]');
  -- One row after another, each by its key: a join is planned while the tables are empty, and read them whole later.
  if not follows then
    select k.charge_reference into paid from alert_case k
      where k.organisation_id = new.organisation_id and k.alert_id = new.alert_id;
    select c.order_reference, c.subscription_reference into ordered, subscription from charge c
      where c.organisation_id = new.organisation_id and c.reference = paid;
    -- A sealed body is a text, which does not say what is in it.
    follows := subscription is not null or exists (
      select from order_record r where r.organisation_id = new.organisation_id and r.reference_id = ordered
        and (jsonb_typeof(r.body) <> 'object' or r.body -> 'subscriptions' <> '[]'));
  end if;
  if follows then
    insert into side_action_due (organisation_id, alert_id) values (new.organisation_id, new.alert_id) on conflict do nothing;
  end if;
  return null;
end $$;

drop trigger decision_side_actions on @schema@.decision;
create constraint trigger decision_side_actions after insert on @schema@.decision deferrable initially deferred
  for each row when (not new.shadow) execute function @schema@.side_action_after_decision();
