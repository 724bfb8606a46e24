-- References that name a person are erased too: another word stands in their place in every table at once, so that what
-- belongs together still does. While money or an answer is under way under one it stays.

-- Only the owner's function says so, and only for words of its own making.
create function is_erasing_reference(after text) returns boolean language sql stable as $$
  select coalesce(current_setting('forestall.erasing', true), '') = 'on' and after ~ '^erased-[0-9a-f]{32}$'
    and pg_has_role(current_user, (select relowner from pg_class where oid = 'audit'::regclass), 'usage')
$$;

create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'audit'
     and coalesce(current_setting('forestall.erasing', true), '') = 'on' then
    if to_jsonb(new) - array['detail', 'what'] = to_jsonb(old) - array['detail', 'what']
       or (is_erasing_reference(new.subject_id) and to_jsonb(new) - 'subject_id' = to_jsonb(old) - 'subject_id') then
      return new;
    end if;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = '23514';
end $$;

create or replace function movement_guard() returns trigger language plpgsql as $$
declare
  charge_account_row charge_account;
  dispute_row dispute;
  elsewhere_minor bigint;
begin
  if tg_op = 'UPDATE' then
    if (old.charge_reference is not null and old.charge_reference is distinct from new.charge_reference
        and not is_erasing_reference(new.charge_reference))
       or (old.idempotency_key is null) <> (new.idempotency_key is null)
       or (old.idempotency_key is not null and (old.amount_minor, old.currency, old.kind) is distinct from (new.amount_minor, new.currency, new.kind))
       or (old.idempotency_key is distinct from new.idempotency_key and old.state not in ('REJECTED', 'NOT_SENT'))
       or (old.state <> new.state and not movement_may(new.idempotency_key is not null, old.state, new.state)) then
      raise exception 'movement % cannot go from % to %', old.id, old.state, new.state using errcode = '23514';
    end if;
    if old.state = new.state then return new; end if;
  end if;
  if new.idempotency_key is null or new.state <> 'SENT' then return new; end if;
  -- L1: never more than was captured by our doing. The charge is locked by whoever sends.
  select * into charge_account_row from charge_account
    where organisation_id = new.organisation_id and charge_reference = new.charge_reference;
  select coalesce(sum(m.amount_minor), 0) into elsewhere_minor from movement m
    where m.organisation_id = new.organisation_id and m.charge_reference = new.charge_reference and m.id <> new.id and may_have_executed(m);
  if new.kind = 'refund' and (charge_account_row.status is distinct from 'captured' or charge_account_row.currency is distinct from new.currency
     or elsewhere_minor + new.amount_minor > charge_account_row.amount_minor) then
    raise exception 'movement % would exceed what charge % captured', new.id, new.charge_reference using errcode = '23514';
  end if;
  -- L3: never more than the dispute is about; L5: never beside an answer that denies it.
  select * into dispute_row from dispute where organisation_id = new.organisation_id and id = new.dispute_id;
  select coalesce(sum(m.amount_minor), 0) into elsewhere_minor from movement m
    where m.organisation_id = new.organisation_id and m.dispute_id = new.dispute_id and m.id <> new.id
      and m.idempotency_key is not null and may_have_executed(m);
  if dispute_row.id is null or (new.kind = 'refund' and (dispute_row.currency <> new.currency
     or elsewhere_minor + new.amount_minor > dispute_row.amount_minor)) then
    raise exception 'movement % would exceed dispute %', new.id, new.dispute_id using errcode = '23514';
  end if;
  if exists (select from alert_case c join declaration d on d.organisation_id = c.organisation_id and d.alert_id = c.alert_id
      where c.organisation_id = new.organisation_id and c.dispute_id = new.dispute_id
        and d.action = 'ACCEPT_DISPUTE' and d.state in ('DUE', 'SENT', 'DONE')
        and c.alert_id not like 'netalrt\_claim\_%') then
    raise exception 'movement % on dispute %, which is accepted', new.id, new.dispute_id using errcode = '23514';
  end if;
  return new;
end $$;

-- What was done may say of which charge.
create or replace function erase_value(organisation text, target text, field text, place tid, part oid, value text)
returns boolean language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  known text;
begin
  if (target, field) not in (
    ('audit', 'detail'), ('audit', 'what'), ('entity_change', 'before'), ('entity_change', 'after'),
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

-- A push follows its order.
alter table order_push drop constraint order_push_organisation_id_integration_id_reference_id_fkey;
alter table order_push add constraint order_push_organisation_id_integration_id_reference_id_fkey
  foreign key (organisation_id, integration_id, reference_id)
  references order_record (organisation_id, integration_id, reference_id) on delete cascade on update cascade;

-- Why a reference has to stay for now, and until when where that is known. No row: it may go.
--   alert: an alert or a claim about the charge is open · money: a movement is under way, or may still fail
--   order: the order or a part of it has still to be sent · event: it may be delivered again, or waits to be read
create function reference_needed(organisation text, value text, at timestamptz)
returns table (why text, until timestamptz) language sql stable as $$
  with orders as (
    select n.order_reference from order_nested_reference n
    where n.organisation_id = organisation and value in (n.reference, n.given, n.alias)
    union select value
  ), charges as (
    select c.reference from charge c
    where c.organisation_id = organisation
      and (value in (c.reference, c.subscription_reference) or c.order_reference in (select order_reference from orders))
    union select value
  ), needed as (
    select 'alert' as why, null::timestamptz as until from alert_case k
    where k.organisation_id = organisation and k.is_open
      and (k.charge_reference in (select reference from charges)
        or exists (select from match m where m.organisation_id = k.organisation_id and m.alert_id = k.alert_id
                   and m.charge_reference in (select reference from charges))
        or exists (select from alert a where a.organisation_id = k.organisation_id and a.id = k.alert_id
                   and a.integration_transaction_id = value))
    union all
    select 'money', case when m.state = 'CONFIRMED' then coalesce(m.confirmed_at, m.changed_at) + interval '30 days' end from movement m
    where m.organisation_id = organisation
      and (m.charge_reference in (select reference from charges) or m.processor_reference = value)
      and (m.state in ('SENT', 'UNKNOWN', 'PENDING', 'HUMAN')
        or (m.state = 'CONFIRMED' and m.idempotency_key is not null and coalesce(m.confirmed_at, m.changed_at) > at - interval '30 days'))
    union all
    select 'money', null from refund_approval a
    where a.organisation_id = organisation and a.state = 'PENDING'
      and (a.charge_reference in (select reference from charges) or a.reference = value)
    union all
    select 'order', null from order_record o
    where o.organisation_id = organisation
      and o.reference_id in (select order_reference from orders)
      and (o.state in ('HELD', 'WAITING', 'CHECKING') or exists (
        select from order_push p
        where p.organisation_id = o.organisation_id and p.integration_id = o.integration_id
          and p.reference_id = o.reference_id and p.state = 'DUE'))
    union all
    select 'event', null from inbox_work w where w.organisation_id = organisation and w.event_id = value
    union all
    select 'event', i.received_at + interval '30 days' from inbox_id i
    where i.event_id = value and i.organisation_id = organisation and i.received_at > at - interval '30 days'
    union all
    select 'event', null from quarantine q
    where q.organisation_id = organisation and q.event_id = value and q.resolved_at is null
    union all
    select 'event', case when e.next_action_at is null then e.received_at + interval '30 days' end from processor_event e
    where e.organisation_id = organisation
      and (e.next_action_at is not null or e.received_at > at - interval '30 days')
      and (value in (e.event_id, e.refund_reference, e.dispute_reference) or value = any (e.charge_references))
  )
  select needed.why, case when bool_or(needed.until is null) then null else max(needed.until) end
  from needed group by needed.why
$$;

-- Puts another word in the place of each of these references, in every table at once. Nothing when one of them is needed.
create function erase_references(organisation text, old_values text[], new_values text[], at timestamptz)
returns bigint language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  place record;
  step bigint;
  changed bigint := 0;
begin
  if coalesce(nullif(current_setting('forestall.organisation', true), ''), organisation) not in (organisation, '*') then
    raise exception 'this connection works for another organisation' using errcode = '42501';
  end if;
  if exists (select from unnest(new_values) as v where v !~ '^erased-[0-9a-f]{32}$')
     or exists (select from unnest(old_values) as v where v ~ '^erased-[0-9a-f]{32}$')
     or array_length(old_values, 1) is distinct from (select count(distinct v) from unnest(new_values) as v) then
    raise exception 'an erasure puts a word of its own in the place of a reference' using errcode = '42501';
  end if;
  -- Whoever moves money on these charges holds this lock.
  perform from charge_account where organisation_id = organisation and charge_reference = any (old_values)
    order by charge_reference for update;
  perform from order_record where organisation_id = organisation and reference_id = any (old_values)
    order by integration_id, reference_id for update;
  if exists (select from unnest(old_values) as v, reference_needed(organisation, v, at)) then
    return null;
  end if;
  perform set_config('forestall.erasing', 'on', true);
  for place in select * from (values
    ('alert', 'integration_transaction_id'), ('alert_case', 'charge_reference'), ('audit', 'subject_id'),
    ('charge', 'order_reference'), ('charge', 'reference'), ('charge', 'subscription_reference'),
    ('charge_account', 'charge_reference'), ('dispute', 'charge_reference'), ('entity_change', 'event_id'),
    ('event', 'subject'), ('evidence_judgement', 'charge_reference'), ('finding', 'subject_id'), ('inbox_event', 'event_id'),
    ('inbox_id', 'event_id'), ('lookup', 'integration_transaction_id'), ('lookup_cause', 'charge_reference'),
    ('lookup_cause', 'order_reference'), ('match', 'charge_reference'), ('match_choice', 'charge_reference'),
    ('movement', 'charge_reference'), ('movement', 'processor_reference'), ('order_nested_reference', 'alias'),
    ('order_nested_reference', 'given'), ('order_nested_reference', 'order_reference'),
    ('order_nested_reference', 'reference'), ('order_record', 'reference_id'), ('processor_event', 'dispute_reference'),
    ('processor_event', 'event_id'), ('processor_event', 'refund_reference'), ('quarantine', 'event_id'),
    ('refund_approval', 'charge_reference'), ('refund_approval', 'reference'), ('refund_claim', 'charge_reference'),
    ('representment', 'transaction_reference_id')) as known (name, field)
  loop
    execute format('update %I as t set %I = p.after from unnest($2, $3) as p (before, after) where t.organisation_id = $1 and t.%I = p.before',
                   place.name, place.field, place.field)
      using organisation, old_values, new_values;
    get diagnostics step = row_count;
    changed := changed + step;
  end loop;
  update processor_event e set charge_references = (
    select array_agg(coalesce(p.after, r.value) order by r.place)
    from unnest(e.charge_references) with ordinality as r (value, place)
    left join unnest(old_values, new_values) as p (before, after) on p.before = r.value)
  where e.organisation_id = organisation and e.charge_references && old_values;
  get diagnostics step = row_count;
  changed := changed + step;
  update payment_evidence e set reference = p.after
  from unnest(old_values, new_values) as p (before, after), evidence_key k
  where k.organisation_id = erase_references.organisation and e.organisation = k.number and e.reference = p.before;
  get diagnostics step = row_count;
  perform set_config('forestall.erasing', '', true);
  return changed + step;
end $$;
revoke execute on function erase_references(text, text[], text[], timestamptz) from public;
