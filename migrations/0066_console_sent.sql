-- Forms that people sent to the console, by an id of their own: whether each was carried out can be looked up when no answer
-- came, and none is carried out twice. Plain SQL, never edited once released. The version before knows nothing of it.

create table console_sent (
  organisation_id text        not null,
  id              text        not null check (id ~ '^[A-Za-z0-9_-]{22}$'),
  operator        text        not null,
  -- WITHDRAWN: somebody asked before it came, was told that it is not carried out, and so it is refused when it comes.
  state           text        not null check (state in ('BEGUN', 'DONE', 'REFUSED', 'FAILED', 'WITHDRAWN')),
  begun_at        timestamptz not null,
  ended_at        timestamptz,
  primary key (organisation_id, id),
  check ((ended_at is null) = (state = 'BEGUN'))
);

create index console_sent_begun_at on console_sent (organisation_id, begun_at);

do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_app') then
    grant select, insert, update, delete on console_sent to forestall_app;
  end if;
  if exists (select from pg_roles where rolname = 'forestall_console') then
    grant select, insert, update, delete on console_sent to forestall_console;
  end if;
end $$;
