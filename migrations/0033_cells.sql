-- Cells: an organisation that moves from one installation to another one, and what keeps the installation that it
-- left from ever working for it again. Plain SQL, never edited once released. The version before does not know the
-- table; what it writes for an organisation that has gone is refused by triggers, which a move makes for it alone.

-- At the installation that it leaves (`OUT`), and at the one to which it goes (`IN`). No row: it lives here.
create table organisation_move (
  organisation_id text        not null primary key,
  direction       text        not null,
  state           text        not null,
  -- The same on both sides.
  move_id         text        not null,
  -- The other database: host, port and name.
  other           text        not null,
  -- Where deliveries that still arrive here are sent on to; null: they are told to come again later.
  forward_url     text,
  -- IN: what is added to numbers that the database here draws for all its organisations.
  offsets         jsonb       not null default '{}',
  -- IN: tables that have been copied once. OUT: rows and checksum of each, as both sides were compared.
  tables          jsonb       not null default '{}',
  -- IN: it had left from here before.
  has_returned    boolean     not null default false,
  holder          text,
  held_until      timestamptz,
  started_at      timestamptz not null,
  changed_at      timestamptz not null,
  constraint state_of_direction check (state = any (case direction
    when 'OUT' then array['COPYING', 'CLOSING', 'CLOSED', 'VERIFIED', 'SWITCHED', 'FORGOTTEN']
    when 'IN' then array['ARRIVING', 'ARRIVED'] end))
);

-- What has gone stays gone, until it comes back as a move of its own.
create function organisation_move_guard() returns trigger language plpgsql as $$
begin
  if old.direction = 'OUT' and (
    (old.state = 'SWITCHED' and (tg_op = 'DELETE' or new.direction <> 'OUT' or new.state not in ('SWITCHED', 'FORGOTTEN')))
    or (old.state = 'FORGOTTEN' and (tg_op = 'DELETE'
      or (new.direction, new.state) not in (('OUT', 'FORGOTTEN'), ('IN', 'ARRIVING'))))) then
    raise exception 'organisation % has moved away', old.organisation_id using errcode = '23514';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger organisation_move_keeps_the_rules before update or delete on organisation_move
  for each row execute function organisation_move_guard();

-- For the triggers that a move puts on every table, for rows of its organisation alone.
create function refuse_moved() returns trigger language plpgsql as $$
begin
  raise exception 'organisation % moves to another installation, or has moved', tg_argv[0] using errcode = '55000';
end $$;

-- Where `roles.sql` is in use: the roles go on before it is run again.
do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_app') then
    grant select, insert on organisation_move to forestall_app;
  end if;
  if exists (select from pg_roles where rolname = 'forestall_console') then
    grant select on organisation_move to forestall_console;
  end if;
end $$;
