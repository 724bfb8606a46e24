-- Forestall's own stream of events: what the rows of alerts, money, disputes, orders and findings say of each step, for the
-- systems around it. Plain SQL, never edited once released. The version before leaves all of it alone: its steps are in
-- the stream too, because the database itself writes them there.

-- Written in the transaction of the step. `id` is drawn as the row is written, after every row that the step waited for or
-- read: of two events of which one depends on the other, the later has the higher id. It must be drawn one by one
-- ("cache 1"). Not the position: a lower id may be committed later, and has none until then.
create table event_outbox (
  id              bigint      generated always as identity primary key,
  organisation_id text        not null,
  type            text        not null,
  at              timestamptz not null,
  alert_id        text,
  -- What is never reordered: the alert, or what else it is about.
  subject         text        not null,
  merchant_id     text,
  data            jsonb       not null
);
create index event_outbox_by_organisation on event_outbox (organisation_id, id);

-- The last position of each organisation. Its row is locked by whoever gives positions; no step of an alert touches it.
create table event_position (
  organisation_id text   primary key,
  last_seq        bigint not null default 0
);

create table event (
  organisation_id text        not null,
  seq             bigint      not null,
  type            text        not null,
  at              timestamptz not null,
  alert_id        text,
  subject         text        not null,
  merchant_id     text,
  -- For people: in words of our own.
  sentence        text        not null,
  data            jsonb       not null,
  primary key (organisation_id, seq)
);
create index event_by_alert on event (organisation_id, alert_id, seq) where alert_id is not null;
create index event_by_time on event (organisation_id, at);

create function note_event(
  organisation text, event_type text, at timestamptz, alert text, about text, charge_ref text, said jsonb
) returns void language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  merchant text;
  told jsonb := '{}';
  ordered jsonb := '{}';
begin
  if alert is not null then
    select a.merchant_id, jsonb_build_object('alert_id', a.id, 'alert_type', a.enrolment_type)
      into merchant, told from alert a where a.organisation_id = organisation and a.id = alert;
    -- A claim for a refund has a case, and no alert.
    told := coalesce(told, jsonb_build_object('alert_id', alert, 'alert_type', null));
  end if;
  if charge_ref is not null then
    ordered := jsonb_build_object('charge_reference', charge_ref, 'order_reference', (
      select c.order_reference from charge c where c.organisation_id = organisation and c.reference = charge_ref));
  end if;
  insert into event_outbox (organisation_id, type, at, alert_id, subject, merchant_id, data)
  values (organisation, event_type, at, alert, coalesce(alert, about), merchant, told || ordered || said);
end $$;

-- Cases.
create function note_event_case() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    perform note_event(new.organisation_id, 'alert.received', new.opened_at, new.alert_id, new.alert_id, new.charge_reference, (
      select jsonb_build_object('amount_minor', a.amount_minor, 'currency', a.currency, 'reason_code', a.reason_code,
        'acquirer_reference_number', a.acquirer_reference_number, 'deadline_at', new.deadline_at)
      from (select 1) one left join alert a on a.organisation_id = new.organisation_id and a.id = new.alert_id));
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
create trigger alert_case_new_event after insert on alert_case for each row execute function note_event_case();
create trigger alert_case_move_event after update of state, missed_at on alert_case
  for each row when ((old.state, old.missed_at) is distinct from (new.state, new.missed_at)) execute function note_event_case();

-- The end comes behind all else that its transaction says: what is declared is declared in the same statement.
create function note_event_case_end() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  perform note_event(new.organisation_id, 'alert.closed', coalesce(new.closed_at, new.changed_at), new.alert_id, new.alert_id, new.charge_reference,
    jsonb_build_object('state', new.state));
  return null;
end $$;
create constraint trigger alert_case_new_end_event after insert on alert_case deferrable initially deferred
  for each row when (not new.is_open) execute function note_event_case_end();
create constraint trigger alert_case_end_event after update on alert_case deferrable initially deferred
  for each row when (old.is_open and not new.is_open) execute function note_event_case_end();

-- Decisions that count.
create function note_event_decision() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  perform note_event(new.organisation_id, 'alert.decided', new.decided_at, new.alert_id, new.alert_id, null,
    jsonb_build_object('action', new.action, 'amount_minor', new.amount_minor, 'currency', new.currency,
      'decided_by', split_part(new.decided_by, ':', 1), 'rule', new.rule, 'guard', new.guard, 'policy_version', new.policy_version));
  return null;
end $$;
create trigger decision_event after insert on decision for each row when (not new.shadow) execute function note_event_decision();

-- Money: our own movements have a key.
create function note_event_movement() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  kind constant text := case
    when new.kind = 'network' then 'network_refund.recorded'
    when new.idempotency_key is null then null
    when new.state = 'SENT' and (tg_op = 'INSERT' or old.state in ('REJECTED', 'NOT_SENT')) then 'refund.requested'
    when tg_op = 'UPDATE' and old.state = new.state then null
    when new.state = 'CONFIRMED' then 'refund.confirmed'
    when new.state in ('REJECTED', 'NOT_SENT') then 'refund.failed'
    when new.state = 'REVERSED' then 'refund.failed_late'
  end;
begin
  if kind is null then
    return null;
  end if;
  perform note_event(new.organisation_id, kind, new.changed_at, new.alert_id, new.id, new.charge_reference,
    jsonb_build_object('movement_id', new.id, 'kind', new.kind, 'state', new.state, 'amount_minor', new.amount_minor,
      'currency', new.currency, 'processor', new.processor, 'processor_reference', new.processor_reference,
      'failure_code', new.failure_code, 'failure_class', new.failure_class));
  return null;
end $$;
create trigger movement_new_event after insert on movement
  for each row when (new.idempotency_key is not null or new.kind = 'network') execute function note_event_movement();
-- An erasure puts another word in the place of a reference: that is no news.
create trigger movement_move_event after update of state, amount_minor, charge_reference on movement
  for each row when ((new.idempotency_key is not null and old.state <> new.state) or (new.kind = 'network'
    and (old.state, old.amount_minor, old.charge_reference is null) is distinct from (new.state, new.amount_minor, new.charge_reference is null)))
  execute function note_event_movement();

-- What the service shows as our answer.
create function note_event_declaration() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  perform note_event(new.organisation_id, 'alert.declared', new.changed_at, new.alert_id, new.alert_id, null,
    jsonb_build_object('action', new.action, 'movement_id', new.movement_id));
  return null;
end $$;
create trigger declaration_new_event after insert on declaration for each row when (new.state = 'DONE')
  execute function note_event_declaration();
create trigger declaration_event after update of state on declaration
  for each row when (new.state = 'DONE' and old.state <> 'DONE') execute function note_event_declaration();

-- Disputes, as the service tells of them.
create function note_event_dispute() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  closed constant text[] := array['LOST', 'WON', 'ACCEPTED', 'CLOSED'];
  said constant jsonb := jsonb_build_object('dispute_id', new.id, 'status', new.dispute_status, 'stage', new.dispute_stage,
    'amount_minor', new.amount_minor, 'currency', new.currency, 'due_by', new.dispute_due_by, 'merchant_id', new.merchant_id,
    'acquirer_reference_number', new.acquirer_reference_number);
begin
  if tg_op = 'INSERT' then
    perform note_event(new.organisation_id, 'dispute.opened', new.changed_at, null, new.id, new.transaction_reference_id, said);
  end if;
  if new.dispute_status = any(closed) and (tg_op = 'INSERT' or old.dispute_status is distinct from new.dispute_status) then
    perform note_event(new.organisation_id, 'dispute.closed', new.changed_at, null, new.id, new.transaction_reference_id, said);
  end if;
  return null;
end $$;
create trigger representment_new_event after insert on representment for each row execute function note_event_dispute();
create trigger representment_event after update of dispute_status on representment
  for each row when (old.dispute_status is distinct from new.dispute_status) execute function note_event_dispute();

create function note_event_order() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  perform note_event(new.organisation_id, 'order.refused', new.changed_at, null, new.integration_id || '/' || new.reference_id, null,
    jsonb_build_object('integration_id', new.integration_id, 'order_reference', new.reference_id, 'error_code', new.error_code));
  return null;
end $$;
create trigger order_new_event after insert on order_record for each row when (new.state = 'REFUSED') execute function note_event_order();
create trigger order_event after update of state on order_record
  for each row when (new.state = 'REFUSED' and old.state <> 'REFUSED') execute function note_event_order();

create function note_event_finding() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  perform note_event(new.organisation_id, case when new.closed_at is null then 'finding.opened' else 'finding.closed' end,
    coalesce(new.closed_at, new.opened_at), null, 'finding/' || new.id, null,
    jsonb_build_object('finding_id', new.id, 'kind', new.kind, 'severity', new.severity, 'about', new.subject, 'about_id', new.subject_id));
  return null;
end $$;
create trigger finding_new_event after insert on finding for each row execute function note_event_finding();
create trigger finding_event after update of closed_at on finding
  for each row when (old.closed_at is null and new.closed_at is not null) execute function note_event_finding();

create function note_event_credit() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  perform note_event(new.organisation_id, 'credit.claimable', new.changed_at, new.alert_id, new.alert_id, null,
    jsonb_build_object('reason', new.class, 'network', new.network, 'claim_until', new.claim_until));
  return null;
end $$;
create trigger credit_new_event after insert on credit_claim for each row when (new.state = 'OPEN') execute function note_event_credit();
create trigger credit_event after update of state, class, claim_until on credit_claim
  for each row when (new.state = 'OPEN' and (old.state, old.class, old.claim_until) is distinct from (new.state, new.class, new.claim_until))
  execute function note_event_credit();

create function note_event_ratio() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  perform note_event(new.organisation_id, 'ratio.crossed', new.raised_at, null,
    concat_ws('/', new.programme, new.line, new.scope, new.scope_id), null,
    jsonb_build_object('month', to_char(new.month, 'YYYY-MM'), 'programme', new.programme, 'line', new.line, 'scope', new.scope,
      'scope_id', new.scope_id, 'basis', new.basis, 'level_percent', new.level));
  return null;
end $$;
create trigger programme_alarm_event after insert on programme_alarm for each row execute function note_event_ratio();

revoke execute on function note_event(text, text, timestamptz, text, text, text, jsonb), note_event_case(), note_event_case_end(), note_event_decision(),
  note_event_movement(), note_event_declaration(), note_event_dispute(), note_event_order(), note_event_finding(), note_event_credit(),
  note_event_ratio() from public;

-- Where `roles.sql` is in use: workers and console go on before it is run again.
do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_app') then
    grant select, insert, update, delete on event_outbox, event_position, event to forestall_app;
  end if;
  if exists (select from pg_roles where rolname = 'forestall_console') then
    grant select on event_outbox, event_position, event to forestall_console;
  end if;
end $$;
