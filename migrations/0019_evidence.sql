-- Evidence: what of a payment can be compared with a later, disputed one (compelling evidence, first-party
-- trust), kept apart from its order and for longer.
-- Plain SQL, never edited once released. It only adds: the version before goes on working beside it.

-- Of each organisation: its number in `payment_evidence`, the secret under which values are hashed, and how far
-- orders that an older version stored have been gone through.
create table evidence_key (
  organisation_id text        not null primary key,
  number          smallint    not null generated always as identity unique,
  -- 32 random bytes; sealed under the data key that `key_id` names, where data keys are set.
  secret          bytea       not null,
  key_id          text,
  made_at         timestamptz not null,
  -- The place in the line of the last order gone through, and when the last of all was.
  filled_to       bigint      not null default 0,
  filled_at       timestamptz
);

-- One payment. Values are the first eight bytes of an HMAC, so that a row says nothing about anybody and is
-- small; null: the order does not say. Columns stand in an order that leaves no gaps between them.
create table payment_evidence (
  credential   bigint,
  account      bigint,
  email        bigint,
  ip           bigint,
  address      bigint,
  device       bigint,
  fingerprint  bigint,
  subscription bigint,
  -- Settled, or else authorised.
  day          date     not null,
  -- Yes and no by bit, lengths of identifiers: `src/orders/evidence/traits.ts`.
  traits       integer  not null,
  organisation smallint not null,
  -- Its first six characters.
  descriptor   text,
  -- Of the billing address: two letters.
  country      text,
  reference    text     not null
);
create unique index payment_evidence_by_reference on payment_evidence (hashtextextended(reference, organisation));
create index payment_evidence_by_credential on payment_evidence (credential, day) where credential is not null;
create index payment_evidence_by_email on payment_evidence (email) where email is not null;
create index payment_evidence_by_day on payment_evidence using brin (day) with (autosummarize = on);

-- What was judged about an alert, a lookup, a notice or a dispute, when it was first known with its payment.
create table evidence_judgement (
  organisation_id  text        not null,
  subject          text        not null check (subject in ('alert', 'lookup', 'scheme_notice', 'representment')),
  subject_id       text        not null,
  charge_reference text        not null,
  judged_at        timestamptz not null,
  ce3              text        not null check (ce3 in ('qualifies', 'edge', 'not', 'elsewhere')),
  fpt              text        not null check (fpt in ('qualifies', 'edge', 'not', 'elsewhere')),
  ce3_why          text        not null,
  fpt_why          text        not null,
  -- Fields of an order each of which would have made it qualify.
  ce3_missing      text[]      not null default '{}',
  fpt_missing      text[]      not null default '{}',
  primary key (organisation_id, subject, subject_id)
);
create index evidence_judgement_by_time on evidence_judgement (organisation_id, judged_at);

-- Where `roles.sql` is in use: the roles go on before it is run again.
do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_app') then
    grant select, insert, update, delete on evidence_key, payment_evidence, evidence_judgement to forestall_app;
  end if;
  if exists (select from pg_roles where rolname = 'forestall_console') then
    grant select on evidence_key, payment_evidence, evidence_judgement to forestall_console;
    grant insert, update on evidence_key, payment_evidence to forestall_console;
  end if;
end $$;
