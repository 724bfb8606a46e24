-- Who is told of events, and what became of each delivery. Plain SQL, never edited once released. The version before knows
-- nothing of it and leaves it alone.

create table event_endpoint (
  organisation_id text        not null,
  id              text        not null,
  name            text        not null,
  url             text        not null,
  -- `settings`: its secrets stay there.
  kept_by         text        not null check (kept_by in ('console', 'settings')),
  -- Empty: all.
  types           jsonb       not null default '[]',
  merchants       jsonb       not null default '[]',
  with_email      boolean     not null default false,
  -- Newest first: each with its secret and, where another took its place, until when it signs too.
  secrets         jsonb       not null default '[]',
  state           text        not null default 'ON' check (state in ('ON', 'OFF', 'REMOVED')),
  off_reason      text,
  -- Events up to here have a delivery, or were not asked for. Those behind it are kept by the stream.
  taken_seq       bigint      not null,
  -- Since when nothing was taken; attempts in a row that failed; nothing is sent before `quiet_until`.
  failing_since   timestamptz,
  failures        integer     not null default 0,
  quiet_until     timestamptz,
  created_at      timestamptz not null,
  created_by      text        not null,
  changed_at      timestamptz not null,
  primary key (organisation_id, id)
);
create unique index event_endpoint_by_name on event_endpoint (organisation_id, name) where state <> 'REMOVED';

create table event_delivery (
  organisation_id text        not null,
  endpoint_id     text        not null,
  seq             bigint      not null,
  -- Hash of what is never reordered.
  lane            integer     not null,
  state           text        not null default 'PENDING' check (state in ('PENDING', 'DELIVERED', 'GIVEN_UP')),
  tries           integer     not null default 0,
  next_at         timestamptz not null,
  lease_until     timestamptz,
  first_at        timestamptz,
  changed_at      timestamptz not null,
  -- When, how long, the status or the fault, the first bytes of the answer.
  attempts        jsonb       not null default '[]',
  primary key (organisation_id, endpoint_id, seq)
);
create index event_delivery_pending on event_delivery (organisation_id, endpoint_id, seq) include (next_at, lease_until) where state = 'PENDING';
create index event_delivery_due on event_delivery (organisation_id, endpoint_id, next_at) where state = 'PENDING';
create index event_delivery_in_order on event_delivery (organisation_id, endpoint_id, lane, seq) where state = 'PENDING';
create index event_delivery_given_up on event_delivery (organisation_id, endpoint_id, seq) where state = 'GIVEN_UP';

-- Where `roles.sql` is in use: workers and console go on before it is run again.
do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_app') then
    grant select, insert, update, delete on event_endpoint, event_delivery to forestall_app;
  end if;
  if exists (select from pg_roles where rolname = 'forestall_console') then
    grant select, insert, update on event_endpoint, event_delivery to forestall_console;
    grant delete on event_delivery to forestall_console;
    grant insert on event_outbox to forestall_console;
  end if;
end $$;
