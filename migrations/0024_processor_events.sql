-- What the processor tells by itself (early fraud warnings, disputes, refunds, captures), refunds that are owed
-- without an alert, and what a charge's account remembers of both. Plain SQL, never edited once released.
-- The version before leaves all of it empty.

-- One row per event of a processor: its words, without the body. A hint: what follows is asked again.
create table processor_event (
  organisation_id    text        not null,
  processor          text        not null,
  -- The provider's own id: a repeat is known by it.
  event_id           text        not null,
  kind               text        not null,
  -- Every name under which orders may know the charge.
  charge_references  text[]      not null,
  refund_reference   text,
  dispute_reference  text,
  amount_minor       bigint,
  currency           text,
  occurred_at        timestamptz,
  received_at        timestamptz not null,
  -- Null: done with.
  next_action_at     timestamptz,
  attempts           integer     not null default 0,
  applied_at         timestamptz,
  outcome            text,
  primary key (organisation_id, processor, event_id),
  check ((next_action_at is null) = (applied_at is not null))
);
create index processor_event_due on processor_event (organisation_id, next_action_at) where next_action_at is not null;
create index processor_event_by_age on processor_event (organisation_id, received_at);

-- Of a refund that an event names, and not its charge.
create index movement_by_processor_reference on movement (organisation_id, processor_reference) where processor_reference is not null;

-- The first early fraud warning about the charge, and whether the processor last showed a dispute.
alter table charge_account add column fraud_warned_at timestamptz;
alter table charge_account add column disputed boolean;

-- A refund that is owed, or may be, without an alert of the service: it becomes a case of its own.
create table refund_claim (
  organisation_id  text        not null,
  -- Also the id of its alert row.
  id               text        not null,
  source           text        not null check (source in ('FRAUD_WARNING', 'WITHDRAWAL', 'SUPPORT')),
  -- The asker's own reference: the same one is the same claim.
  reference        text        not null,
  charge_reference text        not null,
  amount_minor     bigint      not null check (amount_minor > 0),
  currency         text        not null check (currency ~ '^[A-Z]{3}$'),
  country          text        check (country ~ '^[A-Z]{2}$'),
  -- From this moment the clock runs; when the money must be back, and by which rule.
  claimed_at       timestamptz not null,
  due_at           timestamptz not null,
  due_by           text        not null,
  note             text        not null default '',
  opened_by        text        not null,
  opened_at        timestamptz not null,
  -- Null: its case is open, or was.
  next_action_at   timestamptz,
  attempts         integer     not null default 0,
  primary key (organisation_id, id),
  unique (organisation_id, source, reference)
);
create index refund_claim_due on refund_claim (organisation_id, next_action_at) where next_action_at is not null;
create index refund_claim_by_age on refund_claim (organisation_id, opened_at);

-- The same as before, but a claim of our own that was left unrefunded told nobody anything: it stands
-- in no later refund's way.
create or replace function movement_guard() returns trigger language plpgsql as $$
declare
  charge_account_row charge_account;
  dispute_row dispute;
  elsewhere_minor bigint;
begin
  if tg_op = 'UPDATE' then
    if (old.charge_reference is not null and old.charge_reference is distinct from new.charge_reference)
       or (old.idempotency_key is null) <> (new.idempotency_key is null)
       or (old.idempotency_key is not null and (old.amount_minor, old.currency, old.kind) is distinct from (new.amount_minor, new.currency, new.kind))
       or (old.idempotency_key is distinct from new.idempotency_key and old.state not in ('REJECTED', 'NOT_SENT'))
       or (old.state <> new.state and not movement_may(new.idempotency_key is not null, old.state, new.state)) then
      raise exception 'movement % cannot go from % to %', old.id, old.state, new.state using errcode = '23514';
    end if;
    if old.state = new.state then return new; end if;
  end if;
  if new.idempotency_key is null or new.state <> 'SENT' then return new; end if;
  -- L1: never more than was captured by our doing. The charge is locked by whoever sends.
  select * into charge_account_row from charge_account
    where organisation_id = new.organisation_id and charge_reference = new.charge_reference;
  select coalesce(sum(m.amount_minor), 0) into elsewhere_minor from movement m
    where m.organisation_id = new.organisation_id and m.charge_reference = new.charge_reference and m.id <> new.id and may_have_executed(m);
  if new.kind = 'refund' and (charge_account_row.status is distinct from 'captured' or charge_account_row.currency is distinct from new.currency
     or elsewhere_minor + new.amount_minor > charge_account_row.amount_minor) then
    raise exception 'movement % would exceed what charge % captured', new.id, new.charge_reference using errcode = '23514';
  end if;
  -- L3: never more than the dispute is about; L5: never beside an answer that denies it.
  select * into dispute_row from dispute where organisation_id = new.organisation_id and id = new.dispute_id;
  select coalesce(sum(m.amount_minor), 0) into elsewhere_minor from movement m
    where m.organisation_id = new.organisation_id and m.dispute_id = new.dispute_id and m.id <> new.id
      and m.idempotency_key is not null and may_have_executed(m);
  if dispute_row.id is null or (new.kind = 'refund' and (dispute_row.currency <> new.currency
     or elsewhere_minor + new.amount_minor > dispute_row.amount_minor)) then
    raise exception 'movement % would exceed dispute %', new.id, new.dispute_id using errcode = '23514';
  end if;
  if exists (select from alert_case c join declaration d on d.organisation_id = c.organisation_id and d.alert_id = c.alert_id
      where c.organisation_id = new.organisation_id and c.dispute_id = new.dispute_id
        and d.action = 'ACCEPT_DISPUTE' and d.state in ('DUE', 'SENT', 'DONE')
        and c.alert_id not like 'netalrt\_claim\_%') then
    raise exception 'movement % on dispute %, which is accepted', new.id, new.dispute_id using errcode = '23514';
  end if;
  return new;
end $$;

-- Where `roles.sql` is in use: the workers go on before it is run again.
do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_app') then
    grant select, insert, update, delete on processor_event, refund_claim to forestall_app;
  end if;
  if exists (select from pg_roles where rolname = 'forestall_console') then
    grant select on processor_event, refund_claim to forestall_console;
    grant insert on refund_claim to forestall_console;
  end if;
end $$;
