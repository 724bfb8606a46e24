-- How far the handlers of an embedding program have come in the stream of events. Plain SQL, never edited once released. The
-- version before knows nothing of it and leaves it alone.

create table event_handler (
  organisation_id text        not null,
  name            text        not null,
  -- The position up to which it has handled what it asks for.
  cursor          bigint      not null,
  -- One process at a time; after the lease another one goes on.
  lease_owner     text,
  lease_until     timestamptz,
  -- Attempts at the next event that failed, and when it is tried again.
  tries           integer     not null default 0,
  retry_at        timestamptz,
  primary key (organisation_id, name)
);

do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_app') then
    grant select, insert, update, delete on event_handler to forestall_app;
  end if;
  if exists (select from pg_roles where rolname = 'forestall_console') then
    grant select on event_handler to forestall_console;
  end if;
end $$;
