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
