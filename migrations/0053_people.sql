-- Who may use the console: rows that functions of the owner write, and no process by itself. Each looks at the session of
-- whoever acts: an administrator's, proved within a quarter of an hour by something that the database itself can compare.
-- Plain SQL, never edited once released. Where `roles.sql` is in use, run it again: until then the processes of the version
-- before go on as they were.

alter table console_operator add column token_ends_at timestamptz;
-- By a sign-in, or by a program; noted once a minute.
alter table console_operator add column token_used_at timestamptz;
-- What a program may do, by verb. Null: a person, who may do what their role says.
alter table console_operator add column may text[];
-- A name is one person's in the whole database. Null: of the version before, which let the same name in twice.
alter table console_operator add column name_key text;

update console_operator set token_ends_at = now() + interval '365 days' where token_hash is not null;
update console_operator o set name_key = lower(name) where not exists (
  select from console_operator e where lower(e.name) = lower(o.name) and (e.created_at, e.organisation_id, e.id) < (o.created_at, o.organisation_id, o.id));
create unique index console_operator_by_name on console_operator (name_key);
alter table console_operator add constraint token_ends check (token_hash is null or token_ends_at is not null);
alter table console_operator add constraint program_is_no_person
  check (may is null or (role = 'viewer' and email is null and oidc_subject is null));

-- The version before says neither.
create function note_operator() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.name <> old.name then
    new.name_key := lower(new.name);
  end if;
  if new.token_hash is not null and new.token_ends_at is null then
    new.token_ends_at := new.changed_at + interval '365 days';
  end if;
  return new;
end $$;
create trigger note_operator before insert or update on console_operator for each row execute function note_operator();

-- Whether the database itself saw the proof. A provider's word is known to the process alone.
alter table console_session add column is_proven boolean not null default false;

-- A new token is made by whoever opens its link, once.
create table console_token_link (
  link_hash       bytea       primary key,
  organisation_id text        not null,
  operator_id     text        not null,
  made_by         text        not null,
  expires_at      timestamptz not null,
  token_ends_at   timestamptz not null,
  foreign key (organisation_id, operator_id) references console_operator (organisation_id, id) on delete cascade
);
create index console_token_link_by_operator on console_token_link (organisation_id, operator_id);

-- What a console with a role of its own is believed, by where people are entered. Written by the owner.
create table console_trust (
  organisation_id     text    primary key,
  -- SHA-256 of the console token.
  console_token_hash  bytea,
  -- Whether rights may be changed by who signed in at the identity provider.
  trusts_provider     boolean not null default false
);

-- Sign-ins and tokens that were refused, by address, way and minute.
create table console_refusal (
  organisation_id text        not null,
  minute          timestamptz not null,
  address         text        not null,
  way             text        not null check (way in ('token', 'provider', 'confirm', 'bearer', 'link', 'closed')),
  count           bigint      not null check (count > 0),
  primary key (organisation_id, minute, address, way)
);

-- ---------------------------------------------------------------- who calls

-- Whether the caller could write the rows without these functions: a member of the role that owns them, or a superuser.
create function acts_as_owner() returns boolean language sql stable set search_path = @schema@, pg_temp as $$
  select pg_has_role(coalesce(nullif(current_setting('role', true), 'none'), session_user::text)::name, current_user, 'usage')
$$;

-- The moment that the caller names, where it is now. A process that may not write the rows does not say what time it is.
create function access_now(given timestamptz) returns timestamptz language sql volatile set search_path = @schema@, pg_temp as $$
  select case when acts_as_owner() or abs(extract(epoch from given - clock_timestamp())) <= 60 then given else clock_timestamp() end
$$;

create function works_for(place text) returns void language plpgsql set search_path = @schema@, pg_temp as $$
declare
  seen text := coalesce(nullif(current_setting('forestall.organisation', true), ''), '*');
begin
  if seen <> '*' and not (array[place, '*'] && string_to_array(seen, ',')) then
    raise exception 'this connection works for another organisation' using errcode = '42501';
  end if;
end $$;

-- What a credential proves. Null: nothing. False: something that the database has to take the caller's word for.
create function proves(place text, person text, way text, credential text, moment timestamptz) returns boolean
language plpgsql set search_path = @schema@, pg_temp as $$
declare
  given bytea := sha256(convert_to(credential, 'UTF8'));
begin
  if way = 'token' then
    return (select true from console_operator o
            where o.organisation_id = place and o.id = person and o.may is null and o.token_hash = given and o.token_ends_at > moment);
  elsif way = 'provider' then
    return (select acts_as_owner() or coalesce((select t.trusts_provider from console_trust t where t.organisation_id = place), false)
            from console_operator o where o.organisation_id = place and o.id = person and o.may is null and o.oidc_subject = credential);
  elsif way = 'console' and person is null then
    return acts_as_owner() or coalesce((select t.console_token_hash = given from console_trust t where t.organisation_id = place), false);
  elsif way = 'owner' and acts_as_owner() then
    return true;
  end if;
  return null;
end $$;

-- The name of whoever changes something about the people of a place: an organisation, or the installation.
create function acting_person(session text, said text, place text, moment timestamptz) returns text
language plpgsql set search_path = @schema@, pg_temp as $$
declare
  who record;
begin
  perform works_for(place);
  if session is null then
    if not acts_as_owner() then
      raise exception 'rights are changed by the session of an administrator, or by a member of the role that owns the tables'
        using errcode = '42501';
    end if;
    return said;
  end if;
  select s.organisation_id, s.operator_id, s.is_proven, o.name, o.role,
    s.authenticated_at > moment - interval '15 minutes' and s.authenticated_at <= moment + interval '1 minute' as is_fresh,
    s.operator_id is null and s.organisation_id in (place, 'installation')
      or o.role = 'administrator' and o.organisation_id in (place, 'installation')
      or exists (select from console_right r where r.organisation_id = acting_person.place and r.home = s.organisation_id
                 and r.operator_id = s.operator_id and r.role = 'administrator') as is_administrator
    into who
  from console_session s
  left join console_operator o on o.organisation_id = s.organisation_id and o.id = s.operator_id
  where s.id_hash = sha256(convert_to(session, 'UTF8')) and s.started_at > moment - interval '12 hours'
    and s.seen_at > moment - interval '30 minutes';
  if who is null or who.is_fresh is not true then
    raise exception 'no session that has just proved who acts' using errcode = 'FA001';
  elsif who.is_administrator is not true then
    raise exception 'the session is of no administrator of %', place using errcode = 'FA002';
  elsif not who.is_proven and not acts_as_owner() then
    raise exception 'the database has not seen what proves who acts' using errcode = 'FA003';
  end if;
  return coalesce(who.name, 'console');
end $$;

create function note_about_operator(place text, moment timestamptz, subject_name text, person text, act text, what_else jsonb) returns void
language sql set search_path = @schema@, pg_temp as $$
  insert into audit (organisation_id, at, subject, subject_id, actor, what, detail)
  values (place, moment, 'operator', subject_name, 'operator:' || person, act, what_else)
$$;

-- ---------------------------------------------------------------- sessions

-- Begins a session of somebody who proves who they are; false: they do not. Their oldest beyond `most` ends.
create function begin_session(place text, person text, secret_hash bytea, way text, credential text, moment timestamptz, most integer)
returns boolean language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  at_ timestamptz := access_now(moment);
  proven boolean := proves(place, person, way, credential, at_);
begin
  perform works_for(place);
  if proven is null then
    return false;
  end if;
  delete from console_session s where s.organisation_id = place and (
    s.seen_at <= at_ - interval '30 minutes' or s.started_at <= at_ - interval '12 hours' or s.id_hash in (
      select e.id_hash from console_session e where e.organisation_id = place and e.operator_id is not distinct from person
      order by e.started_at desc, e.id_hash offset most - 1));
  insert into console_session (id_hash, organisation_id, operator_id, credential_hash, started_at, seen_at, authenticated_at, is_proven)
  values (secret_hash, place, person, case when person is null then sha256(convert_to(credential, 'UTF8')) end, at_, at_, at_, proven);
  return true;
end $$;

-- The same person proves it again.
create function prove_session(place text, secret_hash bytea, person text, way text, credential text, moment timestamptz)
returns boolean language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  at_ timestamptz := access_now(moment);
  proven boolean := proves(place, person, way, credential, at_);
begin
  perform works_for(place);
  if proven is null then
    return false;
  end if;
  update console_session s set authenticated_at = at_, seen_at = at_, is_proven = proven
  where s.organisation_id = place and s.id_hash = secret_hash and s.operator_id is not distinct from person;
  return found;
end $$;

-- ---------------------------------------------------------------- people

-- Enters somebody. Null: done; otherwise what stands against it.
create function enter_operator(session text, said text, place text, entry jsonb, moment timestamptz) returns text
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  at_ timestamptz := access_now(moment);
  person text := acting_person(session, said, place, at_);
  ends timestamptz := (entry ->> 'token_ends_at')::timestamptz;
  verbs text[] := case when entry ? 'may' then array(select jsonb_array_elements_text(entry -> 'may')) end;
  broken text;
begin
  if session is not null and entry ? 'token_hash' then
    raise exception 'a token is made by whoever opens its link' using errcode = '42501';
  end if;
  if ends > at_ + interval '366 days' then
    raise exception 'a token ends within 366 days' using errcode = '22023';
  end if;
  if exists (select from console_right r where r.organisation_id = place and lower(r.name) = lower(entry ->> 'name')) then
    return 'name_taken';
  end if;
  begin
    insert into console_operator (organisation_id, id, name, role, may, token_hash, token_ends_at, email, created_at, created_by, changed_at)
    values (place, entry ->> 'id', entry ->> 'name', entry ->> 'role', verbs, decode(entry ->> 'token_hash', 'hex'),
            case when entry ? 'token_hash' then ends end, entry ->> 'email', at_, person, at_);
  exception when unique_violation then
    get stacked diagnostics broken = constraint_name;
    return case when broken = 'console_operator_by_email' then 'email_taken' else 'name_taken' end;
  end;
  if entry ? 'link_hash' then
    insert into console_token_link (link_hash, organisation_id, operator_id, made_by, expires_at, token_ends_at)
    values (decode(entry ->> 'link_hash', 'hex'), place, entry ->> 'id', person, (entry ->> 'link_ends_at')::timestamptz, ends);
  end if;
  perform note_about_operator(place, at_, entry ->> 'name', person, 'operator added',
    jsonb_strip_nulls(jsonb_build_object('role', entry ->> 'role', 'may', to_jsonb(verbs))));
  return null;
end $$;

create function change_operator_role(session text, said text, place text, of_name text, new_role text, moment timestamptz)
returns boolean language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  at_ timestamptz := access_now(moment);
  person text := acting_person(session, said, place, at_);
  changed text;
begin
  update console_operator o set role = new_role, changed_at = at_
  where o.organisation_id = place and o.name = of_name and o.may is null returning o.id into changed;
  if changed is null then
    return false;
  end if;
  delete from console_session s where s.organisation_id = place and s.operator_id = changed;
  perform note_about_operator(place, at_, of_name, person, 'operator role changed', jsonb_build_object('role', new_role));
  return true;
end $$;

-- The token ends at once, with every session and every link before. `entry`: a link by which its owner makes the next one; for
-- the owner of the tables, or the token itself.
create function renew_operator_token(session text, said text, place text, of_name text, entry jsonb, moment timestamptz)
returns boolean language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  at_ timestamptz := access_now(moment);
  person text := acting_person(session, said, place, at_);
  ends timestamptz := (entry ->> 'token_ends_at')::timestamptz;
  changed text;
begin
  if session is not null and entry ? 'token_hash' then
    raise exception 'a token is made by whoever opens its link' using errcode = '42501';
  end if;
  if ends > at_ + interval '366 days' then
    raise exception 'a token ends within 366 days' using errcode = '22023';
  end if;
  update console_operator o set token_hash = decode(entry ->> 'token_hash', 'hex'), token_used_at = null, changed_at = at_,
    token_ends_at = case when entry ? 'token_hash' then ends end
  where o.organisation_id = place and o.name = of_name returning o.id into changed;
  if changed is null then
    return false;
  end if;
  delete from console_session s where s.organisation_id = place and s.operator_id = changed;
  delete from console_token_link l where l.organisation_id = place and l.operator_id = changed;
  if entry ? 'link_hash' then
    insert into console_token_link (link_hash, organisation_id, operator_id, made_by, expires_at, token_ends_at)
    values (decode(entry ->> 'link_hash', 'hex'), place, changed, person, (entry ->> 'link_ends_at')::timestamptz, ends);
  end if;
  perform note_about_operator(place, at_, of_name, person, 'operator token renewed', '{}');
  return true;
end $$;

-- Whoever has the link makes the token, once. Null: the link was used, is too old, or never was.
create function open_token_link(link text, new_token_hash bytea, moment timestamptz) returns jsonb
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  at_ timestamptz := access_now(moment);
  used record;
  owner_name text;
begin
  delete from console_token_link l where l.link_hash = sha256(convert_to(link, 'UTF8')) returning l.* into used;
  if used is null or used.expires_at <= at_ then
    return null;
  end if;
  perform works_for(used.organisation_id);
  update console_operator o set token_hash = new_token_hash, token_ends_at = used.token_ends_at, token_used_at = null, changed_at = at_
  where o.organisation_id = used.organisation_id and o.id = used.operator_id returning o.name into owner_name;
  perform note_about_operator(used.organisation_id, at_, owner_name, owner_name, 'operator token shown', '{}');
  return jsonb_build_object('name', owner_name, 'ends_at', used.token_ends_at);
end $$;

create function remove_operator(session text, said text, place text, of_name text, moment timestamptz)
returns boolean language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  at_ timestamptz := access_now(moment);
  person text := acting_person(session, said, place, at_);
begin
  delete from console_operator o where o.organisation_id = place and o.name = of_name;
  if not found then
    return false;
  end if;
  perform note_about_operator(place, at_, of_name, person, 'operator removed', '{}');
  return true;
end $$;

-- Binds somebody who was entered with an e-mail address to their account at the provider, once.
create function bind_operator_account(place text, person text, subject text, moment timestamptz)
returns boolean language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  perform works_for(place);
  update console_operator o set oidc_subject = subject, changed_at = access_now(moment)
  where o.organisation_id = place and o.id = person and o.email is not null and o.oidc_subject is null;
  return found;
end $$;

-- Gives a right for an organisation to somebody who is entered elsewhere; false: somebody of that name is entered for it.
create function give_right(session text, said text, organisation text, of_home text, person_id text, new_role text, moment timestamptz)
returns boolean language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  at_ timestamptz := access_now(moment);
  person text := acting_person(session, said, 'installation', at_);
  of_name text := (select o.name from console_operator o where o.organisation_id = of_home and o.id = person_id);
begin
  if exists (select from console_operator o where o.organisation_id = organisation and lower(o.name) = lower(of_name)) then
    return false;
  end if;
  insert into console_right (organisation_id, home, operator_id, name, role, created_at, created_by)
  values (organisation, of_home, person_id, of_name, new_role, at_, person)
  on conflict (organisation_id, home, operator_id) do update
    set role = excluded.role, created_at = excluded.created_at, created_by = excluded.created_by;
  perform note_about_operator(organisation, at_, of_name, person, 'operator given a right', jsonb_build_object('role', new_role));
  return true;
exception when unique_violation then
  return false;
end $$;

create function take_right(session text, said text, organisation text, of_home text, person_id text, moment timestamptz)
returns boolean language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  at_ timestamptz := access_now(moment);
  person text := acting_person(session, said, 'installation', at_);
  of_name text;
begin
  delete from console_right r where r.organisation_id = organisation and r.home = of_home and r.operator_id = person_id
  returning r.name into of_name;
  if of_name is null then
    return false;
  end if;
  perform note_about_operator(organisation, at_, of_name, person, 'operator right taken away', '{}');
  return true;
end $$;

-- What a console with a role of its own is believed. Only for the owner.
create function trust_console(place text, token_hash bytea, trusts boolean) returns void
language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  if not acts_as_owner() then
    raise exception 'only a member of the role that owns the tables says what is believed' using errcode = '42501';
  end if;
  insert into console_trust (organisation_id, console_token_hash, trusts_provider) values (place, token_hash, coalesce(trusts, false))
  on conflict (organisation_id) do update set
    console_token_hash = coalesce(excluded.console_token_hash, console_trust.console_token_hash),
    trusts_provider = coalesce(trusts, console_trust.trusts_provider);
end $$;

-- ---------------------------------------------------------------- rights
revoke execute on function
  note_operator(), acts_as_owner(), access_now(timestamptz), works_for(text), proves(text, text, text, text, timestamptz),
  acting_person(text, text, text, timestamptz), note_about_operator(text, timestamptz, text, text, text, jsonb),
  begin_session(text, text, bytea, text, text, timestamptz, integer), prove_session(text, bytea, text, text, text, timestamptz),
  enter_operator(text, text, text, jsonb, timestamptz), change_operator_role(text, text, text, text, text, timestamptz),
  renew_operator_token(text, text, text, text, jsonb, timestamptz), open_token_link(text, bytea, timestamptz),
  remove_operator(text, text, text, text, timestamptz), bind_operator_account(text, text, text, timestamptz),
  give_right(text, text, text, text, text, text, timestamptz), take_right(text, text, text, text, text, timestamptz),
  trust_console(text, bytea, boolean)
from public;
-- Where `roles.sql` is in use: the roles go on before it is run again.
do $$
declare
  process text;
begin
  foreach process in array array['forestall_app', 'forestall_console'] loop
    if exists (select from pg_roles where rolname = process) then
      execute format('grant select on console_token_link, console_trust to %I', process);
      execute format('grant select, insert, update, delete on console_refusal to %I', process);
      execute format('grant execute on function
        begin_session(text, text, bytea, text, text, timestamptz, integer), prove_session(text, bytea, text, text, text, timestamptz),
        enter_operator(text, text, text, jsonb, timestamptz), change_operator_role(text, text, text, text, text, timestamptz),
        renew_operator_token(text, text, text, text, jsonb, timestamptz), open_token_link(text, bytea, timestamptz),
        remove_operator(text, text, text, text, timestamptz), bind_operator_account(text, text, text, timestamptz),
        give_right(text, text, text, text, text, text, timestamptz), take_right(text, text, text, text, text, timestamptz) to %I', process);
    end if;
  end loop;
end $$;
