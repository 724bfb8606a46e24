-- What people wrote for the whole installation (rows of '*' and of 'installation') names customers of any organisation: an
-- erasure takes them out of history there too. A connection that says for which organisations it works, one or several,
-- changes the history of those. Plain SQL, never edited once released; the version before goes on as it was.

create or replace function erase_value(organisation text, target text, field text, place tid, part oid, value text)
returns boolean language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  known text;
  seen text := coalesce(nullif(current_setting('forestall.organisation', true), ''), '*');
begin
  if (target, field) not in (
    ('audit', 'detail'), ('audit', 'what'), ('entity_change', 'before'), ('entity_change', 'after'),
    ('policy_version', 'source'), ('policy_version', 'name'), ('policy_version', 'files')
  ) then
    raise exception 'an erasure changes no %.%', target, field using errcode = '42501';
  end if;
  if seen <> '*' and organisation <> all (string_to_array(seen, ',')) then
    raise exception 'this connection works for another organisation' using errcode = '42501';
  end if;
  execute format('select %I::text from %I where organisation_id = $1 and ctid = $2 and tableoid = $3 for update', field, target)
    into known using organisation, place, part;
  if known is null then
    return false;
  end if;
  if not (case when field in ('source', 'name', 'what') then is_erased_text(known, value) else is_erased_json(known::jsonb, value::jsonb) end) then
    raise exception 'an erasure only takes away: %.% would say something else', target, field using errcode = '42501';
  end if;
  perform set_config('forestall.erasing', 'on', true);
  execute format('update %I set %I = $4::%s where organisation_id = $1 and ctid = $2 and tableoid = $3', target, field,
                 case when field in ('source', 'name', 'what') then 'text' else 'jsonb' end)
    using organisation, place, part, value;
  perform set_config('forestall.erasing', '', true);
  return true;
end $$;
