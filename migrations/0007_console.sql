-- The console: who may use it, their sessions and saved views, and what keeps its pages fast.
-- Plain SQL, never edited once released.

-- A person or a program. `token_hash` is SHA-256 of a random token; `oidc_subject` binds the person to
-- one account of the identity provider at the first sign-in with the e-mail address.
create table console_operator (
  organisation_id text        not null,
  id              text        not null,
  name            text        not null,
  role            text        not null check (role in ('viewer', 'reviewer', 'administrator')),
  token_hash      bytea,
  email           text,
  oidc_subject    text,
  created_at      timestamptz not null,
  created_by      text        not null,
  changed_at      timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, name)
);
create unique index console_operator_by_token on console_operator (token_hash) where token_hash is not null;
create unique index console_operator_by_email on console_operator (organisation_id, lower(email)) where email is not null;
create unique index console_operator_by_subject on console_operator (organisation_id, oidc_subject) where oidc_subject is not null;

-- The id lies in the person's cookie; here is only its hash. Without an operator it is a session of the
-- console token, and ends when that token is another one.
create table console_session (
  id_hash          bytea       primary key,
  organisation_id  text        not null,
  operator_id      text,
  credential_hash  bytea,
  started_at       timestamptz not null,
  seen_at          timestamptz not null,
  -- The last time the person proved who they are: asked for again before money moves.
  authenticated_at timestamptz not null,
  foreign key (organisation_id, operator_id) references console_operator (organisation_id, id) on delete cascade,
  constraint somebody check ((operator_id is null) = (credential_hash is not null))
);
create index console_session_by_age on console_session (organisation_id, started_at);

-- A sign-in at the identity provider that is under way.
create table console_oidc_flow (
  state_hash      bytea       primary key,
  organisation_id text        not null,
  code_verifier   text        not null,
  nonce           text        not null,
  next_path       text        not null,
  -- Somebody already signed in proves again who they are.
  confirms        bytea,
  expires_at      timestamptz not null
);

create table saved_view (
  id              bigint      generated always as identity primary key,
  organisation_id text        not null,
  operator        text        not null,
  name            text        not null,
  query           text        not null,
  created_at      timestamptz not null,
  unique (organisation_id, operator, name)
);

-- Figures of hours that are over: what they hold can no longer change. Filled in by a worker; whatever
-- is missing is counted from the rows themselves.
create table activity_hour (
  organisation_id text        not null,
  hour            timestamptz not null,
  measure         text        not null,
  currency        text        not null default '',
  count           bigint      not null,
  amount_minor    bigint      not null default 0,
  primary key (organisation_id, hour, measure, currency)
);

-- What the search box and the charts ask for.
create index alert_by_last4 on alert (organisation_id, card_last4, created_at desc) where card_last4 is not null;
create index alert_by_arn on alert (organisation_id, acquirer_reference_number) where acquirer_reference_number is not null;
create index alert_by_code on alert (organisation_id, authorisation_code) where authorisation_code is not null;
create index alert_by_descriptor on alert (organisation_id, lower(descriptor) text_pattern_ops) where descriptor is not null;
create index if not exists alert_case_by_opening on alert_case (organisation_id, opened_at);
create index if not exists alert_case_by_closing on alert_case (organisation_id, closed_at) where closed_at is not null;
create index alert_case_missed on alert_case (organisation_id, missed_at) where missed_at is not null;
create index refund_by_confirmation on refund (organisation_id, confirmed_at) where confirmed_at is not null;
create index refund_reversed on refund (organisation_id) where state = 'REVERSED';
create index lookup_figures on lookup (organisation_id, created_at) include (type, lookup_status, deflection_status, amount_minor, currency);
create index enrolment_by_recency on enrolment (organisation_id, created_at desc, id);
create index representment_by_due on representment (organisation_id, dispute_due_by, id);
create index scheme_notice_by_report on scheme_notice (organisation_id, (coalesce(fraud_reported_at, created_at)) desc, id);
create index charge_by_month on charge (organisation_id, authorised_at) include (card_brand) where authorised_at is not null;
create index notification_by_alert on notification (organisation_id, alert_id, id) where alert_id is not null;
create index entity_change_by_event on entity_change (event_id) where event_id is not null;
create index finding_by_subject on finding (organisation_id, subject_id);
create index order_record_by_seq on order_record (organisation_id, seq desc);
