-- The console: what became of each webhook delivery, figures by merchant, descriptor and reason, and policies
-- that are written, tried and put in force there.
-- Plain SQL, never edited once released.

-- Deliveries that were not stored as new events: repeats, and those refused by reason. One row a minute and
-- verdict, with an example, so that a flood of refused requests costs no more than one of them.
create table delivery_minute (
  organisation_id text        not null,
  minute          timestamptz not null,
  -- `repeat`, or the reason of the refusal.
  verdict         text        not null,
  count           bigint      not null check (count > 0),
  last_at         timestamptz not null,
  -- The first ones of the minute: lengths, hashes and ids, never a body.
  examples        jsonb       not null default '[]',
  primary key (organisation_id, minute, verdict)
);

-- What came of alerts, by when they ended or were missed (UTC), in one dimension at a time: over all by the
-- day, by everything else by the month.
create table outcome_day (
  organisation_id text        not null,
  -- The day, or the first day of the month.
  day             timestamptz not null,
  -- `all`, `merchant` (with the network after a space), `descriptor`, `reason`, or `answer`: the hours that
  -- were left until the deadline, rounded down to a bound.
  dimension       text        not null,
  -- Empty: not known. `*`: everything beyond the most frequent of the month.
  label           text        not null,
  outcome         text        not null check (outcome in ('refunded', 'network', 'accepted', 'otherwise', 'missed')),
  currency        text        not null,
  count           bigint      not null,
  -- The sum of the alerts' amounts.
  amount_minor    bigint      not null,
  primary key (organisation_id, day, dimension, label, outcome, currency)
);

-- Policies written in the console. A text that was put in force is never changed again.
create table policy_draft (
  organisation_id text        not null,
  id              text        not null,
  name            text        not null,
  source          text        not null,
  -- The lists and rates it names.
  files           jsonb       not null default '{}',
  -- The version that these texts come to; null: the checks found something wrong.
  version         text,
  -- The version in force that it was written against.
  based_on        text,
  state           text        not null default 'DRAFT' check (state in ('DRAFT', 'ACTIVE', 'DISCARDED')),
  created_at      timestamptz not null,
  changed_at      timestamptz not null,
  -- Everybody who wrote at it, in the order in which they first did.
  authors         text[]      not null check (cardinality(authors) > 0),
  activated_by    text,
  activated_at    timestamptz,
  primary key (organisation_id, id),
  constraint usable_when_active check (state <> 'ACTIVE' or (version is not null and activated_at is not null)),
  -- Four eyes: who puts a text in force has not written at it.
  constraint activated_by_another check ((state = 'ACTIVE') = (activated_by is not null) and not (activated_by = any (authors)))
);
create index policy_draft_by_change on policy_draft (organisation_id, changed_at desc, id);

-- The second person of an activation from the console, and of no other one.
alter table policy_activation add column approved_by text;
alter table policy_activation add constraint approved_by_another check (approved_by is null or approved_by <> author);
