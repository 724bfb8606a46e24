-- The charge ledger: several movements of money on a charge, each for one dispute, in place of one
-- refund row per charge. Breaking: an older version would reserve a charge as a whole.

-- ---------------------------------------------------------------- the charge as an account

-- One row per charge: what locks it. `version` grows with every change of the charge's ledger, so that
-- a reading taken before the change is known to be old.
create table charge_account (
  organisation_id  text        not null,
  charge_reference text        not null,
  version          integer     not null default 1,
  -- As the processor last showed it; null: it never did.
  status           text        check (status in ('authorised', 'captured', 'declined', 'voided')),
  amount_minor     bigint      check (amount_minor >= 0),
  currency         text        check (currency ~ '^[A-Z]{3}$'),
  read_at          timestamptz,
  primary key (organisation_id, charge_reference)
);

-- One complaint of the cardholder about one charge. Amounts are in the charge's currency.
create table dispute (
  organisation_id  text        not null,
  id               text        not null,
  charge_reference text        not null,
  amount_minor     bigint      not null check (amount_minor >= 0),
  currency         text        not null check (currency ~ '^[A-Z]{3}$'),
  opened_at        timestamptz not null,
  primary key (organisation_id, id)
);
create index dispute_by_charge on dispute (organisation_id, charge_reference);

-- What else speaks of a dispute: notices and representments. (Alerts name theirs in `alert_case`.)
create table dispute_mention (
  organisation_id text        not null,
  entity          text        not null check (entity in ('scheme_notice', 'representment')),
  entity_id       text        not null,
  dispute_id      text        not null,
  reason          text        not null,
  mentioned_at    timestamptz not null,
  primary key (organisation_id, entity, entity_id),
  foreign key (organisation_id, dispute_id) references dispute (organisation_id, id)
);
create index dispute_mention_by_dispute on dispute_mention (organisation_id, dispute_id);

-- ---------------------------------------------------------------- movements

insert into charge_account (organisation_id, charge_reference, status, amount_minor, currency)
  select organisation_id, charge_reference, case when kind = 'void' then 'authorised' else 'captured' end, captured_minor, currency from refund;

drop trigger refund_terminal on refund;
drop function refund_guard();
drop function refund_may(text, text);
alter table refund rename to movement;
alter index refund_pkey rename to movement_pkey;
alter index refund_due rename to movement_due;
alter index refund_by_sending rename to movement_by_sending;
alter index refund_by_confirmation rename to movement_by_confirmation;
alter index refund_reversed rename to movement_reversed;
alter table movement drop constraint refund_organisation_id_charge_reference_key;
alter table movement drop constraint refund_organisation_id_idempotency_key_key;
alter table movement drop constraint never_above_captured;
alter table movement drop constraint external_moves_nothing;
alter table movement drop constraint open_refund_has_a_plan;
alter table movement drop constraint sent_has_a_moment;
alter table movement drop constraint refund_state_check;
alter table movement drop constraint refund_kind_check;
alter table movement alter column charge_reference drop not null;
alter table movement alter column idempotency_key drop not null;
alter table movement alter column alert_id drop not null;
alter table movement alter column kind drop default;
alter table movement add column dispute_id text;
alter table movement add column observed_from text;
-- From this moment on the request can no longer execute unseen.
alter table movement add column proven_at timestamptz;
alter table movement add column failure_class text check (failure_class in ('retry', 'ours', 'final', 'done'));

-- Money of somebody else that stood beside our own on one row.
insert into movement (organisation_id, id, charge_reference, kind, state, amount_minor, currency, captured_minor,
    processor_reference, observed_from, confirmed_at, created_at, changed_at)
  select organisation_id, id || '_external', charge_reference, 'external', 'CONFIRMED', external_minor, currency, captured_minor,
    external_reference, 'processor', created_at, created_at, changed_at
  from movement where state <> 'EXTERNAL' and external_minor > 0;

-- What was booked as somebody else's refund: by the network, by support, or a released authorisation.
update movement set kind = 'network', observed_from = network_alert_id, alert_id = network_alert_id, state = 'CONFIRMED',
    amount_minor = external_minor, idempotency_key = null, next_action_at = null
  where state = 'EXTERNAL' and network_alert_id is not null and external_reference = network_alert_id;
update movement set kind = case when kind = 'void' then 'void' else 'external' end, observed_from = 'processor',
    processor_reference = external_reference, amount_minor = external_minor, idempotency_key = null, state = 'CONFIRMED',
    confirmed_at = coalesce(confirmed_at, created_at), next_action_at = null
  where state = 'EXTERNAL';

-- Every alert of the network's own refunds is a reading, also where no charge is known.
insert into movement (organisation_id, id, charge_reference, kind, state, alert_id, observed_from, amount_minor, currency,
    captured_minor, next_action_at, created_at, changed_at)
  select a.organisation_id, 'mv_rdr_' || a.id, c.charge_reference, 'network', 'CONFIRMED', a.id, a.id,
    greatest(0, coalesce(a.amount_minor, 0)), coalesce(substring(a.currency from '^[A-Z]{3}$'), 'XXX'), 0,
    case when c.charge_reference is null then a.updated_at end, coalesce(a.created_at, a.updated_at), a.updated_at
  from alert a left join alert_case c on c.organisation_id = a.organisation_id and c.alert_id = a.id
  where a.enrolment_type = 'NETB_RDR'
    and not exists (select from movement m where m.organisation_id = a.organisation_id and m.kind = 'network' and m.observed_from = a.id);
update movement m set state = 'REVERSED', amount_minor = 0
  from alert a where m.kind = 'network' and a.organisation_id = m.organisation_id and a.id = m.observed_from
    and not (a.status = 'RESOLVED' and a.refund_outcome is not distinct from 'REFUNDED');

-- No request of these ever left.
update movement set state = 'NOT_SENT', next_action_at = null
  where state = 'INTENT' or (state = 'REJECTED' and first_sent_at is null);
update movement set failure_class = 'final' where state = 'REJECTED';
-- A refund that cannot be resolved is asked for again, for as long as it takes.
update movement set next_action_at = changed_at + interval '1 day' where state = 'HUMAN' and next_action_at is null;

alter table movement drop column network_alert_id;
alter table movement drop column external_minor;
alter table movement drop column external_reference;
alter table movement drop column captured_minor;

-- `refund` and `void` with a key are ours; everything without one was observed.
alter table movement add constraint movement_kind_check check (kind in ('refund', 'void', 'external', 'network', 'chargeback'));
alter table movement add constraint movement_state_check check (case when idempotency_key is not null
  then state in ('SENT', 'UNKNOWN', 'PENDING', 'CONFIRMED', 'REJECTED', 'HUMAN', 'REVERSED', 'NOT_SENT')
  else state in ('PENDING', 'CONFIRMED', 'REVERSED') end);
alter table movement add constraint ours_or_observed check (case when idempotency_key is not null
  then kind in ('refund', 'void') and observed_from is null and alert_id is not null and charge_reference is not null
  else kind <> 'refund' and observed_from is not null end);
alter table movement add constraint void_moves_nothing check (kind <> 'void' or amount_minor = 0);
alter table movement add constraint network_has_an_alert check (kind <> 'network' or alert_id is not null);
alter table movement add constraint only_network_waits_for_a_charge check (
  charge_reference is not null or (kind = 'network' and next_action_at is not null));
alter table movement add constraint open_movement_has_a_plan check (
  idempotency_key is null or state not in ('SENT', 'UNKNOWN', 'PENDING', 'HUMAN') or next_action_at is not null);
alter table movement add constraint sent_has_a_moment check (idempotency_key is null
  or state not in ('SENT', 'UNKNOWN', 'PENDING', 'CONFIRMED', 'REVERSED') or first_sent_at is not null);
alter table movement add constraint refusal_has_a_class check (
  idempotency_key is null or state <> 'REJECTED' or failure_class is not null);

create index movement_by_charge on movement (organisation_id, charge_reference);
create index movement_unplaced on movement (organisation_id) where charge_reference is null;
-- L2: one request of ours at a time on a charge.
create unique index movement_in_flight on movement (organisation_id, charge_reference)
  where idempotency_key is not null and state in ('SENT', 'UNKNOWN', 'HUMAN');
-- A key that may have left stands for one movement.
create unique index movement_key on movement (organisation_id, idempotency_key) where state <> 'NOT_SENT';
create unique index movement_of_network on movement (organisation_id, observed_from) where kind = 'network';
create unique index movement_observed on movement (organisation_id, charge_reference, kind, processor_reference)
  where observed_from = 'processor' and processor_reference is not null;

-- The part of a movement that answers a dispute.
create table cover (
  organisation_id text   not null,
  movement_id     text   not null,
  dispute_id      text   not null,
  amount_minor    bigint not null check (amount_minor >= 0),
  primary key (organisation_id, movement_id, dispute_id),
  foreign key (organisation_id, movement_id) references movement (organisation_id, id),
  foreign key (organisation_id, dispute_id) references dispute (organisation_id, id)
);
create index cover_by_dispute on cover (organisation_id, dispute_id);

-- ---------------------------------------------------------------- what names a movement or a dispute

alter table alert_case rename column refund_id to movement_id;
alter table alert_case add column dispute_id text;
-- A refund that was refused, or not sent, is tried again then; and whether a refusal for good concedes at once.
alter table alert_case add column retry_at timestamptz;
alter table alert_case add column when_refused text check (when_refused in ('ACCEPT_DISPUTE'));
alter index alert_case_by_refund rename to alert_case_by_movement;
create index alert_case_by_dispute on alert_case (organisation_id, dispute_id) where dispute_id is not null;
alter table declaration rename column refund_id to movement_id;
-- An ACCEPT_DISPUTE although this much went back: a person was told the sum.
alter table declaration add column despite_minor bigint not null default 0 check (despite_minor >= 0);
alter table refund_customer rename column refund_id to movement_id;
-- An approval is for one movement, and ends.
alter table refund_approval add column movement_id text;
alter table refund_approval add column ends_at timestamptz;
-- How much a person wants refunded, accepted although, or was told.
alter table decision add column despite_minor bigint;

alter table audit drop constraint audit_subject_check;
alter table audit add constraint audit_subject_check check (subject in (
  'case', 'refund', 'movement', 'dispute', 'declaration', 'event', 'order', 'policy', 'operator', 'system')) not valid;

-- ---------------------------------------------------------------- disputes of what was booked before

-- The alert that stood on a row, and what it claims of the charge: all of it where that cannot be told.
insert into dispute (organisation_id, id, charge_reference, amount_minor, currency, opened_at)
  select m.organisation_id, 'dsp_' || m.id, m.charge_reference,
    case when a.currency = m.currency and a.amount_minor > 0
      then least(greatest(a.amount_minor, m.amount_minor), greatest(c.amount_minor, m.amount_minor))
      else greatest(c.amount_minor, m.amount_minor) end,
    m.currency, m.created_at
  from movement m
    join charge_account c on c.organisation_id = m.organisation_id and c.charge_reference = m.charge_reference
    left join alert a on a.organisation_id = m.organisation_id and a.id = m.alert_id
  where m.id not like 'mv_rdr_%' and m.alert_id is not null;
update movement m set dispute_id = d.id
  from dispute d where d.organisation_id = m.organisation_id and d.id = 'dsp_' || m.id and (m.idempotency_key is not null or m.kind = 'network');

-- Other alerts that had joined the row: only where they are the same complaint beyond doubt. Those that
-- remain are placed by the rule (src/ledger/same-dispute.ts) when the charge is next looked at.
update alert_case k set dispute_id = d.id
  from movement m
    join dispute d on d.organisation_id = m.organisation_id and d.id = 'dsp_' || m.id
    join charge_account c on c.organisation_id = m.organisation_id and c.charge_reference = m.charge_reference
    left join alert first on first.organisation_id = m.organisation_id and first.id = m.alert_id,
    alert a
  where k.organisation_id = m.organisation_id and k.charge_reference = m.charge_reference
    and a.organisation_id = k.organisation_id and a.id = k.alert_id
    and (k.alert_id = m.alert_id or (k.movement_id = m.id and d.amount_minor >= c.amount_minor
        and (a.currency is distinct from m.currency or coalesce(a.amount_minor, 0) <= 0 or a.amount_minor >= c.amount_minor))
      or (k.movement_id = m.id and a.enrolment_type is distinct from first.enrolment_type
        and (a.amount_minor, a.currency) = (first.amount_minor, first.currency)));

-- Our own money answers the dispute it was asked for; somebody else's what that still lacked.
insert into cover (organisation_id, movement_id, dispute_id, amount_minor)
  select organisation_id, id, dispute_id, amount_minor from movement where idempotency_key is not null;
insert into cover (organisation_id, movement_id, dispute_id, amount_minor)
  select m.organisation_id, m.id, d.id, least(m.amount_minor, d.amount_minor - coalesce(o.amount_minor, 0))
  from movement m
    join dispute d on d.organisation_id = m.organisation_id and d.id in ('dsp_' || m.id, 'dsp_' || regexp_replace(m.id, '_external$', ''))
    left join movement o on o.organisation_id = m.organisation_id and o.dispute_id = d.id and o.idempotency_key is not null
      and o.state not in ('REJECTED', 'REVERSED', 'NOT_SENT')
  where m.idempotency_key is null and m.state = 'CONFIRMED'
    and least(m.amount_minor, d.amount_minor - coalesce(o.amount_minor, 0)) > 0;

-- ---------------------------------------------------------------- what no code may break

-- The moves of src/ledger/movement-state.ts; a test walks every pair of both.
create function movement_may(is_ours boolean, old_state text, new_state text) returns boolean language sql immutable parallel safe as $$
  select case when not is_ours then true else new_state = any (case old_state
    when 'SENT' then array['CONFIRMED', 'PENDING', 'REJECTED', 'UNKNOWN', 'NOT_SENT']
    when 'UNKNOWN' then array['CONFIRMED', 'PENDING', 'REJECTED', 'SENT', 'HUMAN']
    when 'PENDING' then array['CONFIRMED', 'REJECTED', 'HUMAN']
    when 'CONFIRMED' then array['REVERSED']
    when 'REJECTED' then array['SENT', 'CONFIRMED', 'PENDING']
    when 'NOT_SENT' then array['SENT']
    when 'HUMAN' then array['CONFIRMED', 'PENDING', 'REJECTED']
    else array[]::text[] end) end
$$;

-- Money of the movement may have gone back.
create function may_have_executed(m movement) returns boolean language sql immutable parallel safe as $$
  select case when m.idempotency_key is not null then m.state in ('SENT', 'UNKNOWN', 'PENDING', 'CONFIRMED', 'HUMAN')
    else m.state in ('PENDING', 'CONFIRMED') end
$$;

create function movement_guard() returns trigger language plpgsql as $$
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
        and d.action = 'ACCEPT_DISPUTE' and d.state in ('DUE', 'SENT', 'DONE')) then
    raise exception 'movement % on dispute %, which is accepted', new.id, new.dispute_id using errcode = '23514';
  end if;
  return new;
end $$;
create trigger movement_keeps_the_rules before insert or update on movement for each row execute function movement_guard();

-- L5, from the other side.
create function declaration_guard() returns trigger language plpgsql as $$
begin
  if new.action = 'ACCEPT_DISPUTE' and new.state = 'DUE' and new.despite_minor = 0 and exists (
    select from alert_case c join movement m on m.organisation_id = c.organisation_id and m.dispute_id = c.dispute_id
    where c.organisation_id = new.organisation_id and c.alert_id = new.alert_id
      and m.idempotency_key is not null and may_have_executed(m)) then
    raise exception 'alert % cannot be accepted: money of ours went back for its dispute', new.alert_id using errcode = '23514';
  end if;
  return new;
end $$;
create trigger declaration_keeps_the_rules before insert or update on declaration for each row execute function declaration_guard();

-- The parts of a movement are no more than the whole.
create function cover_guard() returns trigger language plpgsql as $$
begin
  if (select sum(amount_minor) from cover where organisation_id = new.organisation_id and movement_id = new.movement_id)
     > (select amount_minor from movement where organisation_id = new.organisation_id and id = new.movement_id) then
    raise exception 'movement % covers more than it moved', new.movement_id using errcode = '23514';
  end if;
  return null;
end $$;
create constraint trigger cover_keeps_the_rules after insert or update on cover deferrable initially deferred
  for each row execute function cover_guard();
