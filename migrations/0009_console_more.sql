-- The console, continued: wrong sign-ins counted for all replicas at once, and backtests that are run
-- off the request.
-- Plain SQL, never edited once released.

-- Attempts to sign in that have not succeeded, within a window that began with the first of them. The key
-- is the hash of an address or of a session, never the address itself.
create table console_attempt (
  organisation_id   text        not null,
  key_hash          bytea       not null,
  failures          integer     not null check (failures >= 0),
  window_started_at timestamptz not null,
  primary key (organisation_id, key_hash)
);
create index console_attempt_by_age on console_attempt (organisation_id, window_started_at);

-- Figures of days that are over, added up from their hours.
create table activity_day (
  organisation_id text        not null,
  day             timestamptz not null,
  measure         text        not null,
  currency        text        not null default '',
  count           bigint      not null,
  amount_minor    bigint      not null default 0,
  primary key (organisation_id, day, measure, currency)
);
insert into activity_day (organisation_id, day, measure, currency, count, amount_minor)
select h.organisation_id, date_trunc('day', h.hour, 'UTC'), h.measure, h.currency, sum(h.count), sum(h.amount_minor)
from activity_hour h join fact f on f.organisation_id = h.organisation_id and f.name = 'activity_rolled_up_to'
where h.hour < date_trunc('day', (f.value #>> '{}')::timestamptz, 'UTC')
group by 1, 2, 3, 4;

-- Lookups of days that are over, by the day they were created on. A lookup changes after its day, when a
-- deflection is decided or taken back: its day is then added up anew. Empty text stands for null.
create table lookup_day (
  organisation_id   text        not null,
  day               timestamptz not null,
  type              text        not null,
  lookup_status     text        not null,
  deflection_status text        not null,
  currency          text        not null,
  count             bigint      not null,
  amount_minor      bigint      not null,
  primary key (organisation_id, day, type, lookup_status, deflection_status, currency)
);
create index lookup_by_change on lookup (organisation_id, changed_at) include (created_at);

-- A policy tried on past decisions, asked for in the console and run by a worker, a slice at a time.
create table backtest (
  organisation_id text        not null,
  id              text        not null,
  requested_by    text        not null,
  requested_at    timestamptz not null,
  -- The policy that is tried, whole: it may never have been in force.
  policy_name     text        not null,
  policy_version  text        not null,
  source          text        not null,
  files           jsonb       not null default '{}',
  -- Null: compared with what was decided then.
  against_version text,
  decided_from    timestamptz not null,
  decided_before  timestamptz not null,
  state           text        not null default 'WAITING'
    check (state in ('WAITING', 'RUNNING', 'DONE', 'FAILED', 'STOPPED')),
  lease_owner     text,
  lease_until     timestamptz,
  attempts        integer     not null default 0,
  replayed        integer     not null default 0,
  total           integer,
  result          jsonb,
  fault           text,
  finished_at     timestamptz,
  primary key (organisation_id, id),
  constraint done_has_a_result check ((state = 'DONE') = (result is not null))
);
create index backtest_unfinished on backtest (organisation_id, requested_at) where state in ('WAITING', 'RUNNING');
create index backtest_by_time on backtest (organisation_id, requested_at desc, id);
