-- Monitoring programmes of the card schemes, and lookups with causes: counts kept as rows change, numbers that
-- the acquirer reports, alarms, and where a ratio stands for the policy.
-- Plain SQL, never edited once released.

-- ---------------------------------------------------------------- counts

-- What stands behind a count: one row per notice, dispute, answered alert or deflected lookup, with the
-- count it belongs to. Rows about one payment are judged together (a dispute about a payment that has a
-- fraud report is another one), so they share a group: the acquirer reference, or their own id.
create table roll_up_event (
  organisation_id text   not null,
  source          text   not null check (source in ('notice', 'representment', 'alert', 'lookup')),
  source_id       text   not null,
  group_key       text   not null,
  day             date   not null,
  measure         text   not null,
  brand           text   not null,
  merchant_id     text   not null,
  submerchant_id  text   not null,
  descriptor      text   not null,
  enrolment_id    text   not null,
  currency        text   not null,
  amount_minor    bigint not null,
  primary key (organisation_id, source, source_id)
);
create index roll_up_event_by_group on roll_up_event (organisation_id, group_key);
create index roll_up_event_by_day on roll_up_event using brin (day) with (autosummarize = on);

-- The counts, by day and by month. The figure is the sum of both tables: a change is a row of its own, so that no
-- two wait for each other; a worker adds the changes up.
-- Empty text: not said.
create table roll_up (
  organisation_id text   not null,
  grain           text   not null check (grain in ('day', 'month')),
  period          date   not null,
  measure         text   not null,
  brand           text   not null,
  merchant_id     text   not null,
  submerchant_id  text   not null,
  descriptor      text   not null,
  enrolment_id    text   not null,
  currency        text   not null,
  count           bigint not null,
  amount_minor    bigint not null,
  primary key (organisation_id, grain, period, measure, brand, merchant_id, submerchant_id, descriptor, enrolment_id, currency)
);
create table roll_up_change (
  organisation_id text   not null,
  day             date   not null,
  measure         text   not null,
  brand           text   not null,
  merchant_id     text   not null,
  submerchant_id  text   not null,
  descriptor      text   not null,
  enrolment_id    text   not null,
  currency        text   not null,
  count           bigint not null,
  amount_minor    bigint not null
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- What changed since it was judged. Storing a row only notes it here, so that nothing which stores waits for counts
-- or for another one that stores; a worker judges.
create table roll_up_due (
  organisation_id           text not null,
  source                    text not null,
  source_id                 text not null,
  -- A usable one, or none.
  acquirer_reference_number text
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
create index roll_up_due_by_organisation on roll_up_due (organisation_id);

-- The part of a descriptor that stays the same: upper case, and a mark for every later word with a digit in
-- it (order numbers), so that there are as many as shops and not as many as payments.
create function descriptor_key(descriptor text) returns text language sql immutable parallel safe as $$
  select coalesce(left(regexp_replace(upper(regexp_replace(btrim(descriptor), '\s+', ' ', 'g')), '([ *])[^ *]*[0-9][^ *]*', '\1#', 'g'), 40), '')
$$;

-- A card brand as it is compared: letters and digits, upper case.
create function brand_key(brand text) returns text language sql immutable parallel safe as $$
  select left(regexp_replace(upper(coalesce(brand, '')), '[^A-Z0-9]', '', 'g'), 40)
$$;

-- An acquirer reference that names one payment.
create function usable_arn(arn text) returns text language sql immutable parallel safe as $$
  select case when length(arn) = 23 and arn ~ '^[0-9A-Z]+$' and arn !~ '^0+$' then arn end
$$;

create function utc_day(moment timestamptz) returns date language sql immutable parallel safe as $$
  select (moment at time zone 'UTC')::date
$$;

-- What the service wrote as a moment; an odd text is none, and stops nothing.
create function moment_or_null(written text) returns timestamptz language plpgsql stable as $$
begin
  return written::timestamptz;
exception when others then
  return null;
end $$;

-- The descriptor of the payment that a reference names, of which notices say nothing.
create function descriptor_of(organisation text, arn text) returns text language sql stable parallel safe as $$
  select coalesce((select descriptor_key(c.descriptor) from charge c
    where c.organisation_id = organisation and c.acquirer_reference_number = usable_arn(arn) and c.descriptor is not null limit 1), '')
$$;

-- Everything that counts, in one shape. kind: fraud report, dispute, dispute that says itself that it is about
-- fraud, revoked ones, dispute known by its representment, alert or RDR that was refunded, evidence that deflected.
create view roll_up_source as
  select organisation_id, 'notice' as source, id as source_id, acquirer_reference_number,
    case
      when is_revoked then case when is_fraud then 'revoked_fraud' else 'revoked_dispute' end
      when is_fraud then 'fraud'
      when notice_type = 'FRAUD_NOTICE' then 'dispute_said_fraud'
      else 'dispute' end as kind,
    utc_day(coalesce(fraud_reported_at, created_at, updated_at)) as day,
    brand_key(scheme) as brand, coalesce(merchant_id, '') as merchant_id,
    coalesce(snapshot->>'transaction_merchant_id', '') as submerchant_id,
    descriptor_of(organisation_id, acquirer_reference_number) as descriptor, '' as enrolment_id,
    coalesce(currency, '') as currency, coalesce(amount_minor, 0) as amount_minor
  from (
    select *, scheme_notice_type in ('TC40', 'SAF')
      or (scheme_notice_type is distinct from 'TC15' and notice_type = 'FRAUD_NOTICE') as is_fraud
    from scheme_notice) as n
  union all
  select organisation_id, 'representment', id, acquirer_reference_number, 'represented',
    utc_day(coalesce(moment_or_null(snapshot->>'disputed_at'), created_at, updated_at)),
    brand_key(snapshot->>'dispute_schema'), coalesce(merchant_id, ''), '',
    descriptor_of(organisation_id, acquirer_reference_number), '',
    coalesce(currency, ''), coalesce(amount_minor, 0)
  from representment
  union all
  select organisation_id, 'alert', id, acquirer_reference_number,
    case when enrolment_type = 'NETB_RDR' then 'rdr' else 'alert' end,
    utc_day(coalesce(created_at, updated_at)),
    coalesce(nullif(brand_key(card_scheme), ''), case when enrolment_type like 'NETB%' then 'SCHEMEA' else '' end),
    coalesce(merchant_id, ''), '', descriptor_key(descriptor), coalesce(enrolment_id, ''),
    coalesce(currency, ''), coalesce(amount_minor, 0)
  from alert where status = 'RESOLVED' and refund_outcome = 'REFUNDED'
  union all
  select organisation_id, 'lookup', id, acquirer_reference_number, 'evidence',
    utc_day(coalesce(created_at, updated_at)),
    case when type like 'NETB%' then 'SCHEMEA' when type = 'NETA_FIRST_PARTY_TRUST' then 'SCHEMEB' else '' end,
    '', '', '', coalesce(enrolment_id, ''), coalesce(currency, ''), coalesce(amount_minor, 0)
  from lookup where deflection_status = 'SUCCEEDED';

-- Judges everything about some payments anew, and notes what changed in the counts. `arns` are usable
-- references; `ids` are rows without one, of one source. One judges at a time: of two, neither could see what the
-- other adds.
create function roll_up_again(organisation text, arns text[], of_source text, ids text[]) returns void
language plpgsql security definer set search_path = @schema@, pg_temp as $$
declare
  keys text[];
begin
  if cardinality(arns) = 0 and cardinality(ids) = 0 then return; end if;
  keys := arns || array(select of_source || ':' || id from unnest(ids) as id);
  with gone as (
    delete from roll_up_event where organisation_id = organisation and group_key = any(keys) returning *
  )
  insert into roll_up_change
  select organisation_id, day, measure, brand, merchant_id, submerchant_id, descriptor, enrolment_id, currency, -1, -amount_minor
  from gone;
  with found as (
    select s.*, s.acquirer_reference_number as group_key from roll_up_source s
    where s.organisation_id = organisation and s.acquirer_reference_number = any(arns)
    union all
    select s.*, of_source || ':' || s.source_id from roll_up_source s
    where s.organisation_id = organisation and s.source = of_source and s.source_id = any(ids)
      and usable_arn(s.acquirer_reference_number) is null
  ), judged as (
    select f.*,
      bool_or(f.kind = 'fraud') over payment as has_fraud,
      bool_or(f.kind in ('dispute', 'dispute_said_fraud', 'revoked_dispute')) over payment as has_notice,
      bool_or(f.kind in ('dispute', 'dispute_said_fraud', 'represented')) over payment as has_dispute
    from found f window payment as (partition by f.group_key)
  ), added as (
    insert into roll_up_event
    select organisation_id, source, source_id, group_key, day,
      case kind
        when 'dispute' then case when has_fraud then 'dispute_of_fraud' else 'dispute' end
        when 'dispute_said_fraud' then 'dispute_of_fraud'
        when 'represented' then case when has_fraud then 'dispute_of_fraud' else 'dispute' end
        when 'rdr' then 'rdr' || fate when 'alert' then 'alert' || fate when 'evidence' then 'evidence' || fate
        else kind end,
      brand, merchant_id, submerchant_id, descriptor, enrolment_id, currency, amount_minor
    from (select *, case when has_dispute then '_counted' when has_fraud then '_fraud' else '_out' end as fate from judged) as j
    -- Known by its notice already.
    where not (kind = 'represented' and has_notice) and day is not null
    on conflict do nothing
    returning *
  )
  insert into roll_up_change
  select organisation_id, day, measure, brand, merchant_id, submerchant_id, descriptor, enrolment_id, currency, 1, amount_minor
  from added;
end $$;

-- Judges what changed, and returns how much that was. One process at a time does; the others find it under way.
create function judge_counts(organisation text, at_most integer) returns bigint
language plpgsql set search_path = @schema@, pg_temp as $$
declare
  taken bigint := 0;
  item record;
begin
  if not pg_try_advisory_xact_lock(hashtext('forestall.roll_up'), hashtext(organisation)) then return 0; end if;
  for item in
    with due as (
      delete from roll_up_due where ctid = any(array(
        select ctid from roll_up_due where organisation_id = organisation limit at_most))
      returning *
    )
    select source, count(*) as noted,
      coalesce(array_agg(distinct acquirer_reference_number) filter (where acquirer_reference_number is not null), '{}') as arns,
      coalesce(array_agg(distinct source_id) filter (where acquirer_reference_number is null), '{}') as ids
    from due group by source
  loop
    perform roll_up_again(organisation, item.arns, item.source, item.ids);
    taken := taken + item.noted;
  end loop;
  return taken;
end $$;

-- One function for four tables: what changed is noted. What a row says is its hash; rows that say what they said,
-- and those that never counted and do not now, are passed over.
create function note_counted_rows() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  execute format('insert into roll_up_due select distinct organisation_id, %L, id, usable_arn(acquirer_reference_number) from (%s) as touched',
    tg_argv[0],
    case when tg_op = 'INSERT'
      then format('select organisation_id, id, acquirer_reference_number from fresh where %s', tg_argv[1])
      else format($changed$
        select organisation_id, id, acquirer_reference_number
        from (select * from fresh union all select * from stale) as both_sides
        where %s and (organisation_id, id) in (
          select f.organisation_id, f.id from fresh f join stale s using (organisation_id, id)
          where f.snapshot_hash is distinct from s.snapshot_hash)$changed$, tg_argv[1]) end);
  return null;
end $$;

create trigger scheme_notice_new_counts after insert on scheme_notice
  referencing new table as fresh for each statement execute function note_counted_rows('notice', 'true');
create trigger scheme_notice_counts after update on scheme_notice
  referencing old table as stale new table as fresh for each statement execute function note_counted_rows('notice', 'true');
create trigger representment_new_counts after insert on representment
  referencing new table as fresh for each statement execute function note_counted_rows('representment', 'true');
create trigger representment_counts after update on representment
  referencing old table as stale new table as fresh for each statement execute function note_counted_rows('representment', 'true');
create trigger alert_new_counts after insert on alert
  referencing new table as fresh for each statement execute function note_counted_rows('alert', $$status = 'RESOLVED' and refund_outcome = 'REFUNDED'$$);
create trigger alert_counts after update on alert
  referencing old table as stale new table as fresh for each statement execute function note_counted_rows('alert', $$status = 'RESOLVED' and refund_outcome = 'REFUNDED'$$);
create trigger lookup_new_counts after insert on lookup
  referencing new table as fresh for each statement execute function note_counted_rows('lookup', $$deflection_status = 'SUCCEEDED'$$);
create trigger lookup_counts after update on lookup
  referencing old table as stale new table as fresh for each statement execute function note_counted_rows('lookup', $$deflection_status = 'SUCCEEDED'$$);

-- Payments: by the day they were settled, or else authorised. The triggers run as the owner, so that whoever may
-- store a charge needs no right on the counts. What was counted stays when its charge is deleted.
create function note_new_payments() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into roll_up_change
  select organisation_id, utc_day(coalesce(settled_at, authorised_at)), 'payment', brand_key(card_brand), '', '',
    descriptor_key(descriptor), '', '', count(*), 0
  from fresh where coalesce(settled_at, authorised_at) is not null group by 1, 2, 4, 7;
  return null;
end $$;
create trigger charge_new_counts after insert on charge
  referencing new table as fresh for each statement execute function note_new_payments();

create function note_payment_move() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into roll_up_change
  select organisation, day, 'payment', brand, '', '', descriptor, '', '', sign, 0
  from (values
    (old.organisation_id, utc_day(coalesce(old.settled_at, old.authorised_at)), brand_key(old.card_brand), descriptor_key(old.descriptor), -1),
    (new.organisation_id, utc_day(coalesce(new.settled_at, new.authorised_at)), brand_key(new.card_brand), descriptor_key(new.descriptor), 1)
  ) as moved (organisation, day, brand, descriptor, sign)
  where day is not null;
  return null;
end $$;
create trigger charge_counts after update of settled_at, authorised_at, card_brand, descriptor on charge
  for each row when ((old.settled_at, old.authorised_at, old.card_brand, old.descriptor)
    is distinct from (new.settled_at, new.authorised_at, new.card_brand, new.descriptor))
  execute function note_payment_move();

-- Orders, by how long it took from their intake until the service knew them. The bounds are those of
-- src/capabilities/lookups/feed-delay.ts; a test compares both.
create function feed_delay_bound(seconds double precision) returns text language sql immutable parallel safe as $$
  select coalesce((select min(b) from unnest(array[10, 60, 300, 3600, 86400]) as b where b >= seconds)::text, '+Inf')
$$;
create function note_known_order() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into roll_up_change
  values (new.organisation_id, utc_day(new.accepted_at),
    'order_known:' || feed_delay_bound(extract(epoch from coalesce(new.settled_at, new.changed_at) - new.accepted_at)::float8),
    '', '', '', '', '', '', 1, 0);
  return null;
end $$;
create trigger order_record_known after update of order_id on order_record
  for each row when (old.order_id is null and new.order_id is not null) execute function note_known_order();

-- What there is already.
insert into roll_up
select organisation_id, grain, date_trunc(grain, day)::date, 'payment', brand, '', '', descriptor, '', '', sum(count), 0
from (
  select organisation_id, utc_day(coalesce(settled_at, authorised_at)) as day, brand_key(card_brand) as brand,
    descriptor_key(descriptor) as descriptor, count(*) as count
  from charge where coalesce(settled_at, authorised_at) is not null group by 1, 2, 3, 4
) as counted cross join (values ('day'), ('month')) as grains (grain)
group by 1, 2, 3, 5, 8;
insert into roll_up
select organisation_id, grain, date_trunc(grain, day)::date, measure, '', '', '', '', '', '', sum(count), 0
from (
  select organisation_id, utc_day(accepted_at) as day,
    'order_known:' || feed_delay_bound(extract(epoch from settled_at - accepted_at)::float8) as measure, count(*) as count
  from order_record where order_id is not null and settled_at is not null group by 1, 2, 3
) as counted cross join (values ('day'), ('month')) as grains (grain)
group by 1, 2, 3, 4;
do $$
declare
  item record;
begin
  for item in
    select organisation_id, source,
      coalesce(array_agg(distinct usable_arn(acquirer_reference_number)) filter (where usable_arn(acquirer_reference_number) is not null), '{}') as arns,
      coalesce(array_agg(distinct source_id) filter (where usable_arn(acquirer_reference_number) is null), '{}') as ids
    from roll_up_source group by 1, 2
  loop
    perform roll_up_again(item.organisation_id, item.arns, item.source, item.ids);
  end loop;
end $$;

-- ---------------------------------------------------------------- numbers of others, alarms, the policy

-- What the acquirer or the scheme reports for a month: typed in or imported. It stands beside our estimate.
create table programme_reported (
  organisation_id text        not null,
  -- First day of the month.
  month           date        not null check (extract(day from month) = 1),
  scheme          text        not null,
  scope           text        not null check (scope in ('organisation', 'merchant', 'submerchant', 'descriptor', 'enrolment')),
  scope_id        text        not null,
  measure         text        not null check (measure in ('payments', 'fraud', 'dispute', 'dispute_of_fraud', 'three_d_secure', 'fraud_dispute_usd')),
  value           bigint      not null check (value >= 0),
  origin          text        not null,
  entered_by      text        not null,
  entered_at      timestamptz not null,
  primary key (organisation_id, month, scheme, scope, scope_id, measure)
);

-- Each alarm that was raised, so that it is raised once.
create table programme_alarm (
  organisation_id text        not null,
  month           date        not null,
  programme       text        not null,
  line            text        not null,
  scope           text        not null,
  scope_id        text        not null,
  basis           text        not null check (basis in ('estimated', 'reported')),
  -- Per cent of the line: 50, 75, 90 or 100.
  level           integer     not null,
  detail          jsonb       not null,
  raised_at       timestamptz not null,
  primary key (organisation_id, month, programme, line, scope, scope_id, basis, level)
);

-- Where the ratios stand, for the policy: written by a worker, read when an alert is decided.
create table ratio_standing (
  organisation_id text             not null,
  -- Empty: of the whole organisation.
  merchant_id     text             not null,
  scheme          text             not null,
  ratio_percent   double precision,
  -- Counted items until the nearest line; null without a line.
  headroom        integer,
  line            text,
  measured_at     timestamptz      not null,
  primary key (organisation_id, merchant_id, scheme)
);

-- ---------------------------------------------------------------- lookups

-- Why a lookup was not answered, or did not deflect. Judged by a worker, again when it or its order changed.
create table lookup_cause (
  organisation_id  text        not null,
  lookup_id        text        not null,
  created_at       timestamptz not null,
  type             text        not null,
  cause            text        not null,
  -- The field, the code, the reference: what the cause names.
  detail           text        not null,
  charge_reference text,
  order_reference  text,
  -- What came of it: what was refunded or disputed on the payment afterwards, and at stake otherwise.
  cost             text        not null check (cost in ('disputed', 'refunded', 'alert_open', 'none_yet')),
  currency         text,
  amount_minor     bigint,
  judged_at        timestamptz not null,
  -- The lookup's own change that was judged.
  changed_at       timestamptz not null,
  judge_again_at   timestamptz,
  primary key (organisation_id, lookup_id)
);
create index lookup_cause_by_recency on lookup_cause (organisation_id, created_at desc, lookup_id);
create index lookup_cause_due on lookup_cause (organisation_id, judge_again_at) where judge_again_at is not null;

-- ---------------------------------------------------------------- rights

revoke execute on function
  roll_up_again(text, text[], text, text[]), note_counted_rows(), note_new_payments(), note_payment_move(), note_known_order()
from public;
-- Where `roles.sql` is in use: everybody goes on before it is run again.
do $$
begin
  if exists (select from pg_roles where rolname = 'forestall_app') then
    grant select, insert, update, delete on
      roll_up, roll_up_change, roll_up_event, programme_reported, programme_alarm, ratio_standing, lookup_cause
    to forestall_app;
  end if;
  if exists (select from pg_roles where rolname = 'forestall_console') then
    grant select on
      roll_up, roll_up_change, roll_up_event, programme_reported, programme_alarm, ratio_standing, lookup_cause
    to forestall_console;
    grant insert, update on programme_reported to forestall_console;
  end if;
end $$;
