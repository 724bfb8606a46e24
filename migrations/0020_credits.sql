-- Credit claims: alerts whose price can be claimed back from the provider, and packs of evidence that people sent for
-- disputes that they contest. Plain SQL, never edited once released. The version before leaves all of it alone;
-- `alert_case.credit_claim` and `declaration.credit_claim` are no longer written.

-- When the processor says that somebody else's refund was made: whether it was before an alert.
alter table movement add column moved_at timestamptz;

-- At most one claim for each alert: it was billed once.
create table credit_claim (
  organisation_id text        not null,
  alert_id        text        not null,
  class           text        not null check (class in (
    'DUPLICATE', 'OTHER_NETWORK', 'ALREADY_REFUNDED', 'CHARGED_BACK', 'NOT_CAPTURED', 'NOT_FOUND', 'NOT_OURS', 'INVALID')),
  network         text,
  -- Our rows that show it: table, id, moment, amount.
  evidence        jsonb       not null,
  -- The rule of the file of windows that says until when it can be claimed; null: none does.
  window_rule     text,
  claim_until     timestamptz,
  state           text        not null default 'OPEN' check (state in ('OPEN', 'SENT', 'GRANTED', 'REFUSED', 'EXPIRED')),
  -- The provider's reference, and what a person wrote.
  reference       text,
  note            text,
  alerted_at      timestamptz not null,
  found_at        timestamptz not null,
  changed_at      timestamptz not null,
  changed_by      text        not null,
  primary key (organisation_id, alert_id)
);
create index credit_claim_by_state on credit_claim (organisation_id, state, claim_until);
create index credit_claim_by_alert_time on credit_claim (organisation_id, alerted_at, alert_id);

-- Alerts to be judged anew. A row of its own for each cause, so that no two writers wait for each other.
create table credit_due (
  id              bigint generated always as identity primary key,
  organisation_id text   not null,
  alert_id        text   not null
);
create index credit_due_by_organisation on credit_due (organisation_id, id);

create function note_credit_case() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into credit_due (organisation_id, alert_id) values (new.organisation_id, new.alert_id);
  return null;
end $$;
-- Nothing is claimed while a case is open: until then people and later news can still change what it is.
create trigger alert_case_new_credit after insert on alert_case
  for each row when (not new.is_open) execute function note_credit_case();
create trigger alert_case_move_credit after update of state, missed_at, charge_reference, dispute_id on alert_case
  for each row when ((not new.is_open or new.missed_at is not null)
    and (old.state, old.missed_at, old.charge_reference, old.dispute_id)
      is distinct from (new.state, new.missed_at, new.charge_reference, new.dispute_id))
  execute function note_credit_case();

create function note_credit_alert() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into credit_due (organisation_id, alert_id) values (new.organisation_id, new.id);
  return null;
end $$;
create trigger alert_credit after update of status, refund_outcome on alert
  for each row when ((old.status, old.refund_outcome) is distinct from (new.status, new.refund_outcome)
    and new.status is distinct from 'ACTION_REQUIRED') execute function note_credit_alert();

create function note_credit_movement() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into credit_due (organisation_id, alert_id)
  select c.organisation_id, c.alert_id from alert_case c
  where c.organisation_id = new.organisation_id and c.charge_reference = new.charge_reference
    and (not c.is_open or c.missed_at is not null);
  return null;
end $$;
create trigger movement_credit after insert or update of state, charge_reference, moved_at on movement
  for each row when (new.idempotency_key is null and new.charge_reference is not null and new.kind <> 'network')
  execute function note_credit_movement();

-- What was closed while nobody looked: within the longest window that a file of windows may name.
insert into credit_due (organisation_id, alert_id)
select organisation_id, alert_id from alert_case where not is_open and closed_at > now() - interval '120 days';

-- What people sent for a contested dispute. What it said is not stored: its hash, and which rows it cited.
create table representment_pack (
  organisation_id   text        not null,
  representment_id  text        not null,
  version           integer     not null check (version > 0),
  reason_code       text        not null,
  -- The entry of the file of packs it was made by.
  pack_rule         text        not null,
  content_hash      text        not null,
  cited             jsonb       not null,
  missing           jsonb       not null,
  -- As the service told it when it was sent.
  due_by            timestamptz,
  sent_at           timestamptz not null,
  sent_by           text        not null,
  sent_through      text,
  note              text,
  outcome           text,
  outcome_at        timestamptz,
  primary key (organisation_id, representment_id, version),
  unique (organisation_id, representment_id, content_hash)
);
create index representment_pack_without_outcome on representment_pack (organisation_id) where outcome is null;

revoke execute on function note_credit_case(), note_credit_alert(), note_credit_movement() from public;
-- Where `roles.sql` is in use: workers and console go on before it is run again.
do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_app') then
    grant select, insert, update, delete on credit_claim, credit_due, representment_pack to forestall_app;
  end if;
  if exists (select from pg_roles where rolname = 'forestall_console') then
    grant select on credit_claim, credit_due, representment_pack to forestall_console;
    grant update on credit_claim to forestall_console;
    grant insert on representment_pack to forestall_console;
  end if;
end $$;
