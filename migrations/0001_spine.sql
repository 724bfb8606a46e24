-- The spine: inbox, entities, cases, refunds, declarations and what keeps them honest.
-- Rows are the truth; jobs are only wake-ups. Every rule the database can hold, it holds.
-- Plain SQL, never edited once released. Times are timestamptz, amounts integer minor units.

-- ---------------------------------------------------------------- receive

-- One number is drawn per flush; its events are numbered from there.
create sequence inbox_seq increment by 512;

-- Every event id ever accepted, with the hash of its first body and where that body lies (received_at
-- and seq are the key of inbox_event). Narrow, and kept longer than bodies.
create table inbox_id (
  event_id        text        primary key,
  organisation_id text        not null,
  body_hash       bytea       not null,
  received_at     timestamptz not null,
  seq             bigint      not null
);

-- The signed bytes, append-only, never updated. Old partitions are dropped, not deleted from. Found by
-- event id through inbox_id, which spares the wide table a second index in random order.
create table inbox_event (
  seq             bigint      not null,
  received_at     timestamptz not null,
  organisation_id text        not null,
  event_id        text        not null,
  subscription    text        not null default '',
  delivery_id     text,
  secret_id       text        not null,
  signed_at       timestamptz not null,
  body            bytea       not null,
  primary key (received_at, seq)
) partition by range (received_at);

create table inbox_event_rest partition of inbox_event default;

-- Adds the partition of the month that holds `moment`, unless it is there or rows already lie in the
-- default partition for that month. Runs as its owner: the application itself may not create tables.
create function ensure_inbox_partition(moment timestamptz) returns void
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  first_day timestamptz := date_trunc('month', moment at time zone 'UTC') at time zone 'UTC';
  next_day  timestamptz := (date_trunc('month', moment at time zone 'UTC') + interval '1 month') at time zone 'UTC';
  part_name text := 'inbox_event_' || to_char(moment at time zone 'UTC', 'YYYY_MM');
begin
  perform pg_advisory_xact_lock(hashtext('forestall.inbox_partition'));
  if to_regclass(part_name) is null
     and not exists (select from inbox_event_rest where received_at >= first_day and received_at < next_day) then
    execute format('create table %I partition of inbox_event for values from (%L) to (%L)', part_name, first_day, next_day);
  end if;
end $$;

-- What apply has still to do: one narrow row per stored event, deleted when applied.
create table inbox_work (
  seq             bigint      primary key,
  received_at     timestamptz not null,
  organisation_id text        not null,
  event_id        text        not null
) with (autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_scale_factor = 0, autovacuum_analyze_threshold = 10000, autovacuum_analyze_scale_factor = 0);

-- Signed deliveries that have no effect until a person looks: kept whole, shown, replayable.
create table quarantine (
  id              bigint      generated always as identity primary key,
  organisation_id text        not null,
  event_id        text        not null,
  seq             bigint,
  reason          text        not null,
  detail          text        not null default '',
  body            bytea,
  quarantined_at  timestamptz not null,
  resolved_at     timestamptz,
  resolved_by     text
);
create index quarantine_open on quarantine (organisation_id, id) where resolved_at is null;
create index quarantine_by_event on quarantine (organisation_id, event_id);

-- Alerts that a refused but authentic delivery named: reconcile reads each once.
create table poll_request (
  organisation_id text        not null,
  alert_id        text        not null,
  reason          text        not null,
  requested_at    timestamptz not null,
  primary key (organisation_id, alert_id)
);

-- ---------------------------------------------------------------- apply

-- ACTION_REQUIRED < RESOLVED < INVALID; a status we do not know ranks lowest and never hides a known one.
create function alert_status_rank(status text) returns integer language sql immutable parallel safe as $$
  select case status when 'INVALID' then 3 when 'RESOLVED' then 2 else 1 end
$$;

create table alert (
  organisation_id    text        not null,
  id                 text        not null,
  status             text        not null,
  enrolment_type     text,
  enrolment_id       text,
  merchant_id        text,
  deadline_at        timestamptz,
  amount_minor       bigint,
  currency           text,
  authorised_at      timestamptz,
  authorisation_code text,
  acquirer_reference_number text,
  descriptor         text,
  card_bin           text,
  card_last4         text,
  card_issuer        text,
  card_scheme        text,
  network_id         text,
  reason_code        text,
  refund_outcome     text,
  subscription_cancel_outcome text,
  note               text,
  integration_id     text,
  integration_transaction_id text,
  created_at         timestamptz,
  updated_at         timestamptz not null,
  snapshot           jsonb       not null,
  snapshot_hash      bytea       not null,
  source             text        not null check (source in ('webhook', 'poll')),
  read_at            timestamptz,
  needs_read         boolean     not null default false,
  first_seen_at      timestamptz not null,
  changed_at         timestamptz not null,
  primary key (organisation_id, id)
);
create index alert_by_recency on alert (organisation_id, created_at desc, id);
create index alert_needs_read on alert (organisation_id, id) where needs_read;
create index alert_by_transaction on alert (organisation_id, integration_transaction_id) where integration_transaction_id is not null;

create table lookup (
  organisation_id   text        not null,
  id                text        not null,
  type              text,
  enrolment_id      text,
  parent_lookup_id  text,
  lookup_status     text,
  deflection_status text,
  amount_minor      bigint,
  currency          text,
  transaction_date  timestamptz,
  acquirer_reference_number text,
  integration_id    text,
  integration_transaction_id text,
  created_at        timestamptz,
  updated_at        timestamptz not null,
  snapshot          jsonb       not null,
  snapshot_hash     bytea       not null,
  source            text        not null check (source in ('webhook', 'poll')),
  read_at           timestamptz,
  needs_read        boolean     not null default false,
  first_seen_at     timestamptz not null,
  changed_at        timestamptz not null,
  primary key (organisation_id, id)
);
create index lookup_by_recency on lookup (organisation_id, created_at desc, id);

create table enrolment (
  organisation_id   text        not null,
  id                text        not null,
  type              text,
  status            text,
  note              text,
  created_at        timestamptz,
  updated_at        timestamptz not null,
  snapshot          jsonb       not null,
  snapshot_hash     bytea       not null,
  source            text        not null check (source in ('webhook', 'poll')),
  read_at           timestamptz,
  needs_read        boolean     not null default false,
  first_seen_at     timestamptz not null,
  changed_at        timestamptz not null,
  primary key (organisation_id, id)
);

create table representment (
  organisation_id   text        not null,
  id                text        not null,
  merchant_id       text,
  dispute_status    text,
  dispute_stage     text,
  dispute_due_by    timestamptz,
  amount_minor      bigint,
  currency          text,
  transaction_reference_id  text,
  acquirer_reference_number text,
  created_at        timestamptz,
  updated_at        timestamptz not null,
  snapshot          jsonb       not null,
  snapshot_hash     bytea       not null,
  source            text        not null check (source in ('webhook', 'poll')),
  read_at           timestamptz,
  needs_read        boolean     not null default false,
  first_seen_at     timestamptz not null,
  changed_at        timestamptz not null,
  primary key (organisation_id, id)
);

create table scheme_notice (
  organisation_id   text        not null,
  id                text        not null,
  merchant_id       text,
  scheme_notice_type text,
  notice_type       text,
  scheme            text,
  is_revoked        boolean,
  fraud_reported_at timestamptz,
  amount_minor      bigint,
  currency          text,
  card_bin          text,
  card_last4        text,
  acquirer_reference_number text,
  purchase_date     timestamptz,
  created_at        timestamptz,
  updated_at        timestamptz not null,
  snapshot          jsonb       not null,
  snapshot_hash     bytea       not null,
  source            text        not null check (source in ('webhook', 'poll')),
  read_at           timestamptz,
  needs_read        boolean     not null default false,
  first_seen_at     timestamptz not null,
  changed_at        timestamptz not null,
  primary key (organisation_id, id)
);

-- From what, to what, by which event or poll. Append-only.
create table entity_change (
  id              bigint      generated always as identity primary key,
  organisation_id text        not null,
  entity          text        not null check (entity in ('alert', 'lookup', 'enrolment', 'representment', 'scheme_notice')),
  entity_id       text        not null,
  changed_at      timestamptz not null,
  source          text        not null check (source in ('webhook', 'poll')),
  event_id        text,
  accepted        boolean     not null,
  before          jsonb,
  after           jsonb       not null
);
create index entity_change_by_entity on entity_change (organisation_id, entity, entity_id, id);

-- ---------------------------------------------------------------- match

-- One payment at the processor, as far as our orders or the processor's search told us: the index
-- that alerts are matched against.
create table charge (
  organisation_id    text        not null,
  reference          text        not null,
  order_reference    text,
  integration_id     text,
  source             text        not null check (source in ('order', 'processor')),
  amount_minor       bigint      not null,
  currency           text        not null,
  authorised_at      timestamptz,
  settled_at         timestamptz,
  authorisation_code text,
  acquirer_reference_number text,
  card_bin           text,
  card_last4         text,
  card_brand         text,
  descriptor         text,
  subscription_reference text,
  known_at           timestamptz not null,
  primary key (organisation_id, reference)
);
create index charge_by_arn on charge (organisation_id, acquirer_reference_number) where acquirer_reference_number is not null;
create index charge_by_code on charge (organisation_id, authorisation_code, card_last4) where authorisation_code is not null;
create index charge_by_card on charge (organisation_id, card_last4, amount_minor, currency, authorised_at) where card_last4 is not null;
create index charge_by_order on charge (organisation_id, order_reference) where order_reference is not null;

-- Which charge an alert is about, with the evidence. One row per attempt; the case names the one in force.
create table match (
  id               bigint      generated always as identity primary key,
  organisation_id  text        not null,
  alert_id         text        not null,
  outcome          text        not null check (outcome in ('single', 'none', 'several')),
  charge_reference text,
  tier             text,
  evidence         jsonb       not null,
  candidates       jsonb       not null,
  matched_at       timestamptz not null,
  matched_by       text        not null default 'matcher',
  check ((outcome = 'single') = (charge_reference is not null))
);
create index match_by_alert on match (organisation_id, alert_id, id);

-- ---------------------------------------------------------------- decide

create table policy_version (
  organisation_id text        not null,
  version         text        not null,
  source          text        not null,
  first_used_at   timestamptz not null,
  primary key (organisation_id, version)
);

create table decision (
  id              bigint      generated always as identity primary key,
  organisation_id text        not null,
  alert_id        text        not null,
  action          text        not null check (action in ('REFUND', 'ACCEPT_DISPUTE', 'REVIEW', 'NONE')),
  amount_minor    bigint,
  currency        text,
  fallback_action text        check (fallback_action in ('REFUND', 'ACCEPT_DISPUTE')),
  fallback_at     timestamptz,
  decided_by      text        not null,
  policy_version  text,
  rule            text,
  guard           text,
  sentence        text        not null,
  inputs          jsonb       not null,
  shadow          boolean     not null default false,
  decided_at      timestamptz not null
);
create index decision_by_alert on decision (organisation_id, alert_id, id);

-- ---------------------------------------------------------------- the case

-- One row per alert. `version` is the compare-and-set counter; `next_action_at` its plan. An open case
-- without a plan cannot be stored.
create table alert_case (
  organisation_id  text        not null,
  alert_id         text        not null,
  state            text        not null check (state in (
    'RECEIVED', 'MATCHED', 'UNMATCHED', 'AMBIGUOUS', 'HUMAN', 'DECIDED_REFUND', 'DECIDED_ACCEPT',
    'REFUNDING', 'DECLARE_REFUND', 'DECLARE_ACCEPT',
    'DECLARED_REFUND', 'DECLARED_ACCEPT', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'RECONCILED_RDR', 'CONFLICT')),
  is_open          boolean     not null generated always as (state not in (
    'DECLARED_REFUND', 'DECLARED_ACCEPT', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'RECONCILED_RDR', 'CONFLICT')) stored,
  version          integer     not null default 1,
  opened_at        timestamptz not null,
  deadline_at      timestamptz not null,
  next_action_at   timestamptz,
  lease_owner      text,
  lease_until      timestamptz,
  attempts         integer     not null default 0,
  last_error       text,
  match_id         bigint      references match (id),
  decision_id      bigint      references decision (id),
  charge_reference text,
  refund_id        text,
  hold_reason      text,
  fallback_action  text        check (fallback_action in ('REFUND', 'ACCEPT_DISPUTE')),
  fallback_at      timestamptz,
  -- What an ACCEPT_DISPUTE will say, and whether the alert's price should be claimed back.
  answer_note      text,
  credit_claim     boolean     not null default false,
  next_alarm_at    timestamptz,
  alarm_level      integer     not null default 0,
  alarmed_at       timestamptz,
  missed_at        timestamptz,
  closed_at        timestamptz,
  changed_at       timestamptz not null,
  primary key (organisation_id, alert_id),
  constraint open_case_has_a_plan check (state in (
    'DECLARED_REFUND', 'DECLARED_ACCEPT', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'RECONCILED_RDR', 'CONFLICT')
    or next_action_at is not null)
);
create index alert_case_due on alert_case (next_action_at) where is_open;
create index alert_case_by_deadline on alert_case (organisation_id, deadline_at, alert_id) where is_open;
create index alert_case_alarm on alert_case (next_alarm_at) where is_open and next_alarm_at is not null;
create index alert_case_unplanned on alert_case (organisation_id) where is_open and next_alarm_at is null and alarm_level = 0;
create index alert_case_unmissed on alert_case (organisation_id, deadline_at) where is_open and missed_at is null;
create index alert_case_by_refund on alert_case (organisation_id, refund_id) where refund_id is not null;
-- What should not exist, found without reading what does: plans that lie beyond their deadline.
create index alert_case_late_plan on alert_case (organisation_id, deadline_at) where is_open and next_action_at > deadline_at;
create index alert_case_by_charge on alert_case (organisation_id, charge_reference) where charge_reference is not null;
create index alert_case_by_state on alert_case (organisation_id, state, deadline_at, alert_id);

-- The moves of src/cases/case-state.ts; a test walks every pair of both.
create function alert_case_may(old_state text, new_state text) returns boolean language sql immutable parallel safe as $$
  select new_state = any (case old_state
    when 'RECEIVED' then array['MATCHED', 'UNMATCHED', 'AMBIGUOUS', 'HUMAN', 'RECONCILED_RDR', 'CLOSED_REMOTE', 'CLOSED_INVALID']
    when 'MATCHED' then array['DECIDED_REFUND', 'DECIDED_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'UNMATCHED' then array['MATCHED', 'AMBIGUOUS', 'DECIDED_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'AMBIGUOUS' then array['MATCHED', 'UNMATCHED', 'DECIDED_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'HUMAN' then array['MATCHED', 'DECIDED_REFUND', 'DECIDED_ACCEPT', 'DECLARE_REFUND', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'DECIDED_REFUND' then array['REFUNDING', 'DECLARE_REFUND', 'DECIDED_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'DECIDED_ACCEPT' then array['DECLARE_ACCEPT', 'DECLARE_REFUND', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'REFUNDING' then array['DECLARE_REFUND', 'DECIDED_ACCEPT', 'DECLARE_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'DECLARE_REFUND' then array['DECLARED_REFUND', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'DECLARE_ACCEPT' then array['DECLARED_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    else array[]::text[] end)
$$;

create function alert_case_guard() returns trigger language plpgsql as $$
begin
  if not old.is_open and new.state <> old.state then
    raise exception 'case % is closed as % and cannot become %', old.alert_id, old.state, new.state using errcode = '23514';
  end if;
  if new.state <> old.state and not alert_case_may(old.state, new.state) then
    raise exception 'case % cannot go from % to %', old.alert_id, old.state, new.state using errcode = '23514';
  end if;
  return new;
end $$;
create trigger alert_case_terminal before update of state on alert_case for each row execute function alert_case_guard();

-- ---------------------------------------------------------------- refund

-- At most one per charge: this row is the reservation. The key is stored before any call is made.
-- `kind` void: the authorisation was never captured, so it is released and no amount moves. `round`
-- counts the keys used on this charge. `network_alert_id`: the network refunded the same payment (RDR).
create table refund (
  organisation_id   text        not null,
  id                text        not null,
  charge_reference  text        not null,
  idempotency_key   text        not null,
  round             integer     not null default 1,
  kind              text        not null default 'refund' check (kind in ('refund', 'void')),
  alert_id          text        not null,
  network_alert_id  text,
  state             text        not null check (state in (
    'INTENT', 'SENT', 'UNKNOWN', 'PENDING', 'CONFIRMED', 'REJECTED', 'HUMAN', 'REVERSED', 'EXTERNAL')),
  version           integer     not null default 1,
  amount_minor      bigint      not null check (amount_minor >= 0),
  currency          text        not null check (currency ~ '^[A-Z]{3}$'),
  captured_minor    bigint      not null check (captured_minor >= 0),
  external_minor    bigint      not null default 0 check (external_minor >= 0),
  processor_reference text,
  external_reference  text,
  failure_code      text,
  first_sent_at     timestamptz,
  sent_at           timestamptz,
  confirmed_at      timestamptz,
  lease_owner       text,
  lease_until       timestamptz,
  next_action_at    timestamptz,
  attempts          integer     not null default 0,
  created_at        timestamptz not null,
  changed_at        timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, charge_reference),
  unique (organisation_id, idempotency_key),
  constraint never_above_captured check (amount_minor + external_minor <= captured_minor),
  constraint external_moves_nothing check ((state <> 'EXTERNAL' and kind <> 'void') or amount_minor = 0),
  constraint open_refund_has_a_plan check (state not in ('INTENT', 'SENT', 'UNKNOWN', 'PENDING') or next_action_at is not null),
  constraint sent_has_a_moment check (state not in ('SENT', 'UNKNOWN', 'PENDING', 'CONFIRMED', 'REVERSED') or first_sent_at is not null)
);
create index refund_due on refund (next_action_at) where next_action_at is not null;
create index refund_by_sending on refund (organisation_id, first_sent_at) where first_sent_at is not null;

-- The moves of src/refund/refund-state.ts; a test walks every pair of both.
create function refund_may(old_state text, new_state text) returns boolean language sql immutable parallel safe as $$
  select new_state = any (case old_state
    when 'INTENT' then array['SENT', 'EXTERNAL', 'REJECTED', 'HUMAN']
    when 'SENT' then array['CONFIRMED', 'PENDING', 'REJECTED', 'UNKNOWN']
    when 'UNKNOWN' then array['CONFIRMED', 'PENDING', 'REJECTED', 'SENT', 'HUMAN']
    when 'PENDING' then array['CONFIRMED', 'REJECTED', 'HUMAN']
    when 'CONFIRMED' then array['REVERSED']
    when 'REJECTED' then array['INTENT', 'EXTERNAL']
    when 'HUMAN' then array['CONFIRMED', 'PENDING', 'REJECTED']
    else array[]::text[] end)
$$;

-- Money that moved never becomes a refund that did not happen, and what a key was sent for never changes.
create function refund_guard() returns trigger language plpgsql as $$
begin
  if old.charge_reference <> new.charge_reference
     or (old.state in ('SENT', 'UNKNOWN', 'PENDING', 'CONFIRMED', 'HUMAN', 'REVERSED')
         and (old.idempotency_key, old.amount_minor, old.currency, old.kind) is distinct from (new.idempotency_key, new.amount_minor, new.currency, new.kind))
     or (old.state <> new.state and not refund_may(old.state, new.state)) then
    raise exception 'refund % cannot go from % to %', old.id, old.state, new.state using errcode = '23514';
  end if;
  return new;
end $$;
create trigger refund_terminal before update on refund for each row execute function refund_guard();

-- ---------------------------------------------------------------- declare

-- What was declared on the alert. A REFUND without a refund row cannot be stored.
create table declaration (
  organisation_id text        not null,
  alert_id        text        not null,
  action          text        not null check (action in ('REFUND', 'ACCEPT_DISPUTE')),
  note            text        not null,
  refund_id       text,
  state           text        not null check (state in ('DUE', 'SENT', 'DONE', 'ELSEWHERE', 'REFUSED')),
  attempts        integer     not null default 0,
  first_sent_at   timestamptz,
  last_sent_at    timestamptz,
  settled_at      timestamptz,
  remote_outcome  text,
  credit_claim    boolean     not null default false,
  created_at      timestamptz not null,
  changed_at      timestamptz not null,
  primary key (organisation_id, alert_id),
  foreign key (organisation_id, refund_id) references refund (organisation_id, id),
  constraint refund_needs_money check (action <> 'REFUND' or refund_id is not null)
);

-- ---------------------------------------------------------------- what everything shares

-- Every step of every case and refund. Append-only.
create table audit (
  id              bigint      generated always as identity primary key,
  organisation_id text        not null,
  at              timestamptz not null,
  subject         text        not null check (subject in ('case', 'refund', 'declaration', 'event', 'order', 'policy', 'operator', 'system')),
  subject_id      text        not null,
  alert_id        text,
  actor           text        not null,
  what            text        not null,
  from_state      text,
  to_state        text,
  detail          jsonb       not null default '{}'
);
create index audit_by_alert on audit (organisation_id, alert_id, id) where alert_id is not null;
create index audit_by_subject on audit (organisation_id, subject, subject_id, id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = '23514';
end $$;
create trigger audit_append_only before update or delete on audit for each row execute function refuse_change();

-- Messages to people: written in the transaction that caused them, sent at least once.
create table notification (
  id              bigint      generated always as identity primary key,
  organisation_id text        not null,
  dedupe_key      text        not null,
  kind            text        not null,
  severity        text        not null check (severity in ('info', 'warning', 'error')),
  alert_id        text,
  text            text        not null,
  created_at      timestamptz not null,
  next_attempt_at timestamptz,
  attempts        integer     not null default 0,
  sent_at         timestamptz,
  last_error      text,
  unique (organisation_id, dedupe_key)
);
create index notification_due on notification (next_attempt_at) where next_attempt_at is not null;

create table finding (
  id              bigint      generated always as identity primary key,
  organisation_id text        not null,
  kind            text        not null,
  severity        text        not null check (severity in ('info', 'warning', 'error')),
  subject         text        not null,
  subject_id      text        not null,
  evidence        jsonb       not null,
  next_step       text        not null,
  opened_at       timestamptz not null,
  last_seen_at    timestamptz not null,
  closed_at       timestamptz
);
create unique index finding_open on finding (organisation_id, kind, subject, subject_id) where closed_at is null;

-- The last grants of one endpoint's pool, newest last; shared by every process of the organisation.
create table request_budget (
  organisation_id text          not null,
  pool            text          not null,
  grants          timestamptz[] not null default '{}',
  paused_until    timestamptz,
  penalties       integer       not null default 0,
  primary key (organisation_id, pool)
) with (fillfactor = 50);

-- Who is alive, and who holds a job that only one process in the cluster may do.
create table worker_heartbeat (
  worker_id       text        primary key,
  organisation_id text        not null,
  role            text        not null,
  started_at      timestamptz not null,
  seen_at         timestamptz not null
);
create table cluster_lease (
  organisation_id text        not null,
  name            text        not null,
  holder          text        not null,
  until           timestamptz not null,
  primary key (organisation_id, name)
);

-- Small facts one part leaves for another: the moment of the last poll, the last webhook, the pinned organisation.
create table fact (
  organisation_id text        not null,
  name            text        not null,
  value           jsonb       not null,
  changed_at      timestamptz not null,
  primary key (organisation_id, name)
);
