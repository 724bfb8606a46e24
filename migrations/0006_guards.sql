-- Guard rails above any policy, the reviews of held cases, side actions, and what shadow mode would have done.

-- ---------------------------------------------------------------- guard

-- A row while the kill switch is on: no refund and no void is sent. Who and when stands in `audit` too.
create table money_pause (
  organisation_id text        primary key,
  paused_at       timestamptz not null,
  paused_by       text        not null,
  reason          text        not null
);

-- What rate of alerts is usual, and since when automatic refunds are stopped because it is far exceeded.
create table refund_breaker (
  organisation_id text        primary key,
  -- Alerts in one window above which it opens; null while there is too little history to tell.
  threshold       integer,
  measured_at     timestamptz not null,
  opened_at       timestamptz,
  opened_count    integer,
  -- A person closed it: it does not open again before this moment.
  snoozed_until   timestamptz
);
create index alert_case_by_opening on alert_case (organisation_id, opened_at);

-- To which customer a refund went, by hashes of account id and e-mail: for the caps per customer.
create table refund_customer (
  organisation_id text not null,
  identity        text not null,
  refund_id       text not null,
  primary key (organisation_id, identity, refund_id),
  foreign key (organisation_id, refund_id) references refund (organisation_id, id)
);

-- A refund above the amount for which two people are needed. One is open per alert.
create table refund_approval (
  id               bigint      generated always as identity primary key,
  organisation_id  text        not null,
  alert_id         text        not null,
  charge_reference text        not null,
  amount_minor     bigint      not null check (amount_minor > 0),
  currency         text        not null,
  state            text        not null check (state in ('PENDING', 'APPROVED', 'DECLINED', 'REPLACED')),
  asked_at         timestamptz not null,
  settled_at       timestamptz
);
create unique index refund_approval_open on refund_approval (organisation_id, alert_id) where state = 'PENDING';
create index refund_approval_by_alert on refund_approval (organisation_id, alert_id, id);

-- Who has agreed to it: the primary key makes one person count once.
create table refund_approver (
  approval_id     bigint      not null references refund_approval (id),
  person          text        not null,
  organisation_id text        not null,
  operator        text        not null,
  approved_at     timestamptz not null,
  primary key (approval_id, person)
);

-- Customers for whom a policy asked for `block_customer`, by the same hashes.
create table blocked_customer (
  organisation_id text        not null,
  identity        text        not null,
  blocked_at      timestamptz not null,
  blocked_by      text        not null,
  alert_id        text,
  primary key (organisation_id, identity)
);

-- ---------------------------------------------------------------- review

-- Who looks at a held case, and until when nobody else does.
create table review_claim (
  organisation_id text        not null,
  alert_id        text        not null,
  operator        text        not null,
  claimed_at      timestamptz not null,
  claimed_until   timestamptz not null,
  primary key (organisation_id, alert_id)
);

create table review_comment (
  id              bigint      generated always as identity primary key,
  organisation_id text        not null,
  alert_id        text        not null,
  operator        text        not null,
  text            text        not null,
  at              timestamptz not null
);
create index review_comment_by_alert on review_comment (organisation_id, alert_id, id);

-- ---------------------------------------------------------------- side actions

-- Alerts whose side actions are to be planned: written by the triggers below, so that no path to a
-- decision can forget it.
create table side_action_due (
  organisation_id text not null,
  alert_id        text not null,
  primary key (organisation_id, alert_id)
);

create table side_action (
  organisation_id text        not null,
  id              text        not null,
  alert_id        text        not null,
  kind            text        not null check (kind in ('cancel_subscription', 'stop_fulfilment', 'block_customer', 'notify')),
  -- The charge whose subscription it is, the order or the customer; the alert for a message.
  subject         text        not null,
  -- Why: the policy's rule, or what Forestall does by itself.
  cause           text        not null,
  detail          jsonb       not null default '{}',
  state           text        not null check (state in ('DUE', 'DONE', 'FAILED')),
  attempts        integer     not null default 0,
  next_attempt_at timestamptz,
  last_error      text,
  created_at      timestamptz not null,
  settled_at      timestamptz,
  primary key (organisation_id, id),
  unique (organisation_id, kind, subject, alert_id),
  constraint due_action_has_a_plan check ((state = 'DUE') = (next_attempt_at is not null))
);
create index side_action_next on side_action (next_attempt_at) where next_attempt_at is not null;
create index side_action_by_alert on side_action (organisation_id, alert_id);

create function side_action_after_decision() returns trigger language plpgsql as $$
begin
  if not new.shadow then
    insert into side_action_due (organisation_id, alert_id) values (new.organisation_id, new.alert_id)
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger decision_side_actions after insert on decision
  for each row execute function side_action_after_decision();

create function side_action_after_rdr() returns trigger language plpgsql as $$
begin
  insert into side_action_due (organisation_id, alert_id) values (new.organisation_id, new.alert_id)
  on conflict do nothing;
  return null;
end $$;
create trigger alert_case_side_actions after update of state on alert_case
  for each row when (new.state = 'RECONCILED_RDR' and old.state <> 'RECONCILED_RDR')
  execute function side_action_after_rdr();

-- ---------------------------------------------------------------- shadow, notifications

-- What the shadow would have done about the alerts that closed on a day, beside what happened.
create table shadow_report (
  organisation_id text        not null,
  day             date        not null,
  report          jsonb       not null,
  created_at      timestamptz not null,
  primary key (organisation_id, day)
);
create index alert_case_by_closing on alert_case (organisation_id, closed_at) where closed_at is not null;
create index decision_by_alert_shadow on decision (organisation_id, alert_id) where shadow;

-- Through which channel a message went, or that a digest carried it.
alter table notification add column channel text;
create index notification_sent on notification (organisation_id, sent_at) where sent_at is not null;
create index notification_given_up on notification (organisation_id) where sent_at is null;
