-- People of an installation of several organisations: who may act for which of them, and as what.
-- Plain SQL, never edited once released. The version before reads operators of its own organisation only, who have a role.

-- Whoever is entered for the installation (organisation_id = 'installation') has a role for all of its organisations, or
-- none and the rights below. Adding a constraint that is not looked at locks the table for a moment only.
alter table console_operator alter column role drop not null;
alter table console_operator add constraint role_or_rights
  check (role is not null or organisation_id = 'installation') not valid;

-- One right of an operator who is entered elsewhere: for the installation, or for another organisation.
create table console_right (
  organisation_id text        not null,
  home            text        not null,
  operator_id     text        not null,
  -- As the audit log of the organisation shows it: unique there, so that two people are never taken for one.
  name            text        not null,
  role            text        not null check (role in ('viewer', 'reviewer', 'administrator')),
  created_at      timestamptz not null,
  created_by      text        not null,
  primary key (organisation_id, home, operator_id),
  foreign key (home, operator_id) references console_operator (organisation_id, id) on delete cascade
);
create unique index console_right_by_name on console_right (organisation_id, lower(name));
create index console_right_by_operator on console_right (home, operator_id);

-- ---------------------------------------------------------------- rights
-- Where `roles.sql` is in use: the roles go on before it is run again.
do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_app') then
    grant select, insert, update, delete on console_right to forestall_app;
  end if;
  if exists (select from pg_roles where rolname = 'forestall_console') then
    grant select, insert, update, delete on console_right to forestall_console;
  end if;
end $$;
