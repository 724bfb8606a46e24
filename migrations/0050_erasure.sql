-- An erasure takes a person's name out of history that the application may not change. The owner does it, one value at
-- a time, and only takes away: what is left must have stood there before, and what went has left its mark.

-- Whether the text is the other one with marks in the place of words.
create function is_erased_text(before text, after text) returns boolean language sql immutable as $$
  select after ~ '\[erased\]|erased@erased\.invalid'
    and before like regexp_replace(regexp_replace(after, '([\\%_])', '\\\1', 'g'), '\[erased\]|erased@erased\.invalid', '%', 'g')
$$;

-- The same of JSON: no number, no true or false and no part is lost or new, and a text or a name that is new bears the mark.
create function is_erased_json(before jsonb, after jsonb) returns boolean language sql immutable as $$
  select
    (select count(*) from jsonb_path_query(before, 'strict $.**')) = (select count(*) from jsonb_path_query(after, 'strict $.**'))
    and not exists (
      select v from jsonb_path_query(after, 'strict $.**') v
      where jsonb_typeof(v) not in ('object', 'array')
        and (jsonb_typeof(v) <> 'string' or (v #>> '{}') !~ '\[erased\]|erased@erased\.invalid')
      except all
      select v from jsonb_path_query(before, 'strict $.**') v where jsonb_typeof(v) not in ('object', 'array'))
    and not exists (
      select k from jsonb_path_query(after, 'strict $.** ? (@.type() == "object").keyvalue().key') k
      where (k #>> '{}') !~ '\[erased\]|erased@erased\.invalid'
      except all
      select k from jsonb_path_query(before, 'strict $.** ? (@.type() == "object").keyvalue().key') k)
$$;

-- Replaces one value of history, at this place of this table, for an erasure. False: it is not there any more.
create function erase_value(organisation text, target text, field text, place tid, part oid, value text)
returns boolean language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  known text;
begin
  if (target, field) not in (
    ('audit', 'detail'), ('entity_change', 'before'), ('entity_change', 'after'),
    ('policy_version', 'source'), ('policy_version', 'name'), ('policy_version', 'files')
  ) then
    raise exception 'an erasure changes no %.%', target, field using errcode = '42501';
  end if;
  if coalesce(nullif(current_setting('forestall.organisation', true), ''), organisation) not in (organisation, '*') then
    raise exception 'this connection works for another organisation' using errcode = '42501';
  end if;
  execute format('select %I::text from %I where organisation_id = $1 and ctid = $2 and tableoid = $3 for update', field, target)
    into known using organisation, place, part;
  if known is null then
    return false;
  end if;
  if not (case when field in ('source', 'name') then is_erased_text(known, value) else is_erased_json(known::jsonb, value::jsonb) end) then
    raise exception 'an erasure only takes away: %.% would say something else', target, field using errcode = '42501';
  end if;
  perform set_config('forestall.erasing', 'on', true);
  execute format('update %I set %I = $4::%s where organisation_id = $1 and ctid = $2 and tableoid = $3', target, field,
                 case when field in ('source', 'name') then 'text' else 'jsonb' end)
    using organisation, place, part, value;
  perform set_config('forestall.erasing', '', true);
  return true;
end $$;
revoke execute on function erase_value(text, text, text, tid, oid, text) from public;
