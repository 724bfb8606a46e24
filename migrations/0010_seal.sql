-- Sealed columns: values encrypted by Forestall under keys that the database never sees.
-- Plain SQL, never edited once released. Every column is null as long as no key is set.

-- The key under which `body` is sealed; null: `body` is as it came. What an event is about stands beside a
-- sealed body, because reports ask for it.
alter table inbox_event
  add column key_id     text,
  add column event_type text,
  add column object_id  text;

-- `body_hash`: SHA-256 of the body as it came, by which a repeat is recognised.
alter table quarantine
  add column key_id    text,
  add column body_hash bytea;

-- `submitted` and `body` name their key in themselves: the JSON string "sealed:<key_id>:<base64>". The
-- keyed hashes find a customer's orders.
alter table order_record
  add column email_hmac   bytea,
  add column account_hmac bytea;
create index order_record_by_email_hmac on order_record (organisation_id, email_hmac) where email_hmac is not null;
create index order_record_by_account_hmac on order_record (organisation_id, account_hmac) where account_hmac is not null;

-- The keys that rows may need. Written before the first value is sealed under a key; removed when sealing
-- anew has found that no row needs it. `check_value` is a known text sealed under the key, so that another
-- key under the same id is refused at the start; `sealing_at`, when a process last said that it seals with it.
create table data_key (
  organisation_id text        not null,
  key_id          text        not null,
  check_value     bytea       not null,
  first_used_at   timestamptz not null,
  sealing_at      timestamptz not null,
  primary key (organisation_id, key_id)
);
