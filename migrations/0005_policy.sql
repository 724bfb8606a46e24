-- The policy: what a decision leads to besides its answer, a second policy judged beside the live one,
-- and which version was in force when.
-- Plain SQL, never edited once released.

-- What the rule wants done besides the answer: [{"kind": "cancel_subscription"}, {"kind": "notify",
-- "text": "…"}]. Wanted, not done: it is due once the case is decided and no guard or person said otherwise.
--
-- beside_*: what FORESTALL_SHADOW_POLICY would have decided from the same facts, guards included; all
-- null when no second policy was set.
alter table decision
  add column side_actions           jsonb not null default '[]',
  add column beside_version         text,
  add column beside_action          text  check (beside_action in ('REFUND', 'ACCEPT_DISPUTE', 'REVIEW', 'NONE')),
  add column beside_amount_minor    bigint,
  add column beside_currency        text,
  add column beside_rule            text,
  add column beside_guard           text,
  add column beside_fallback_action text  check (beside_fallback_action in ('REFUND', 'ACCEPT_DISPUTE')),
  add column beside_fallback_at     timestamptz,
  add column beside_sentence        text,
  add constraint beside_is_whole check ((beside_version is null) = (beside_action is null));
create index decision_by_time on decision (organisation_id, decided_at, id);

-- `files`: the named lists and the rate table as they were read with this version, by path; they are
-- part of what the version is derived from. `kind` module: written in TypeScript with definePolicy.
alter table policy_version
  add column name   text  not null default '',
  add column author text,
  add column kind   text  not null default 'yaml' check (kind in ('yaml', 'module')),
  add column files  jsonb not null default '{}';

-- Which version was put in force when, and by whom. Append-only; the newest row is in force.
create table policy_activation (
  id               bigint      generated always as identity primary key,
  organisation_id  text        not null,
  version          text        not null,
  previous_version text,
  author           text        not null,
  -- The file's path, or `built-in`.
  origin           text        not null,
  activated_at     timestamptz not null,
  foreign key (organisation_id, version) references policy_version (organisation_id, version)
);
create index policy_activation_latest on policy_activation (organisation_id, id desc);
create trigger policy_activation_append_only before update or delete on policy_activation
  for each row execute function refuse_change();

-- A customer's other orders, by account and by e-mail.
create index order_record_by_account on order_record (organisation_id, (body->>'customer_account_id'))
  where body->>'customer_account_id' is not null;
create index order_record_by_email on order_record (organisation_id, lower(body->>'customer_email'))
  where body->>'customer_email' is not null;
create index scheme_notice_by_arn on scheme_notice (organisation_id, acquirer_reference_number)
  where acquirer_reference_number is not null;
