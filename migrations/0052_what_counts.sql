-- What the monitoring programmes count: disputes by what they say they are about, payments without the attempts that
-- failed, and notices by the month in which they were received, with the month of the report beside it.
-- Plain SQL, never edited once released. The version before goes on beside it: what judges is here, and it skips
-- measures that it does not know.

-- ---------------------------------------------------------------- fraud by its reason code

-- Whether a reason code, or the word in its place, speaks of fraud. Null: nothing is said. The beginnings are those of
-- src/books/programmes/data/fraud-reasons.yaml; a test compares both.
create function fraud_reason(code text) returns boolean language sql immutable parallel safe as $$
  select case when btrim(code) <> '' then upper(btrim(code)) like any (array[
    '10.%', '4837%', '4840%', '4863%', '4870%', '4871%', 'FRAUD%', 'UA01%', 'UA02%', 'FR2%', 'FR4%', 'FR6%',
    'F10%', 'F14%', 'F24%', 'F29%', 'F30%', 'F31%']) end
$$;

-- ---------------------------------------------------------------- events

-- A notice counts in the month in which it was received. Where its report is of another month, two rows more say so:
-- less in the one month, more in the other.
alter table roll_up_event add column part text not null default 'counted'
  check (part in ('counted', 'moved_out', 'moved_in'));
alter table roll_up_event drop constraint roll_up_event_pkey;
alter table roll_up_event add primary key (organisation_id, source, source_id, part);

-- Everything that counts, in one shape, as in 0018; besides: what the row itself says about fraud, and the day of
-- the report. An alert about fraud that was not refunded counts nothing, and tells what its payment's dispute is about.
create or replace view roll_up_source with (security_invoker = true) as
  select organisation_id, 'notice' as source, id as source_id, acquirer_reference_number,
    case
      when is_revoked then case when is_fraud then 'revoked_fraud' else 'revoked_dispute' end
      when is_fraud then 'fraud'
      when notice_type = 'FRAUD_NOTICE' then 'dispute_said_fraud'
      else 'dispute' end as kind,
    utc_day(coalesce(created_at, fraud_reported_at, updated_at)) as day,
    brand_key(scheme) as brand, coalesce(merchant_id, '') as merchant_id,
    coalesce(snapshot->>'transaction_merchant_id', '') as submerchant_id,
    descriptor_of(organisation_id, acquirer_reference_number) as descriptor, '' as enrolment_id,
    coalesce(currency, '') as currency, coalesce(amount_minor, 0) as amount_minor,
    null::boolean as says_fraud,
    utc_day(coalesce(fraud_reported_at, created_at, updated_at)) as reported_day
  from (
    select *, scheme_notice_type in ('TC40', 'SAF')
      or (scheme_notice_type is distinct from 'TC15' and notice_type = 'FRAUD_NOTICE') as is_fraud
    from scheme_notice) as n
  union all
  select organisation_id, 'representment', id, acquirer_reference_number, 'represented',
    utc_day(coalesce(moment_or_null(snapshot->>'disputed_at'), created_at, updated_at)),
    brand_key(snapshot->>'dispute_schema'), coalesce(merchant_id, ''), '',
    descriptor_of(organisation_id, acquirer_reference_number), '',
    coalesce(currency, ''), coalesce(amount_minor, 0),
    coalesce(fraud_reason(snapshot->>'dispute_reason_code'), fraud_reason(snapshot->>'dispute_reason')), null
  from representment
  union all
  select organisation_id, 'alert', id, acquirer_reference_number,
    case when status = 'RESOLVED' and refund_outcome = 'REFUNDED'
      then case when enrolment_type = 'NETB_RDR' then 'rdr' else 'alert' end else 'alert_said_fraud' end,
    utc_day(coalesce(created_at, updated_at)),
    coalesce(nullif(brand_key(card_scheme), ''), case when enrolment_type like 'NETB%' then 'SCHEMEA' else '' end),
    coalesce(merchant_id, ''), '', descriptor_key(descriptor), coalesce(enrolment_id, ''),
    coalesce(currency, ''), coalesce(amount_minor, 0), fraud_reason(reason_code), null
  from alert
  -- Claims for a refund stand among the alerts, and are none.
  where id not like 'netalrt\_claim\_%'
    and ((status = 'RESOLVED' and refund_outcome = 'REFUNDED')
      or (fraud_reason(reason_code) and usable_arn(acquirer_reference_number) is not null))
  union all
  select organisation_id, 'lookup', id, acquirer_reference_number, 'evidence',
    utc_day(coalesce(created_at, updated_at)),
    case when type like 'NETB%' then 'SCHEMEA' when type = 'NETA_FIRST_PARTY_TRUST' then 'SCHEMEB' else '' end,
    '', '', '', coalesce(enrolment_id, ''), coalesce(currency, ''), coalesce(amount_minor, 0), null, null
  from lookup where deflection_status = 'SUCCEEDED';

-- Judges everything about some payments anew, as in 0018. A dispute is about fraud where a fraud report is about its payment,
-- or its own reason code says so, or, where it has none, that of an alert about the payment.
create or replace function roll_up_again(organisation text, arns text[], of_source text, ids text[]) returns void
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
  select organisation_id, day, measure, brand, merchant_id, submerchant_id, descriptor, enrolment_id, currency,
    case part when 'moved_out' then 1 else -1 end, case part when 'moved_out' then amount_minor else -amount_minor end
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
      bool_or(f.kind in ('dispute', 'dispute_said_fraud', 'represented')) over payment as has_dispute,
      coalesce(
        bool_or(f.says_fraud) filter (where f.kind = 'represented') over payment,
        bool_or(f.says_fraud) filter (where f.source = 'alert') over payment, false) as is_said_fraud
    from found f window payment as (partition by f.group_key)
  ), named as (
    select organisation_id, source, source_id, group_key, day, reported_day,
      case
        when kind = 'dispute_said_fraud' then 'dispute_of_fraud'
        when kind in ('dispute', 'represented') then case when has_fraud or is_said_fraud then 'dispute_of_fraud' else 'dispute' end
        when kind in ('rdr', 'alert', 'evidence')
          then kind || case when has_dispute then '_counted' when has_fraud then '_fraud' else '_out' end
        else kind end as measure,
      brand, merchant_id, submerchant_id, descriptor, enrolment_id, currency, amount_minor
    from judged
    -- A dispute may be known by its notice already.
    where kind <> 'alert_said_fraud' and not (kind = 'represented' and has_notice) and day is not null
  ), added as (
    insert into roll_up_event (organisation_id, source, source_id, group_key, day, measure, brand, merchant_id, submerchant_id,
      descriptor, enrolment_id, currency, amount_minor, part)
    select organisation_id, source, source_id, group_key, day, measure,
      brand, merchant_id, submerchant_id, descriptor, enrolment_id, currency, amount_minor, 'counted'
    from named
    union all
    select n.organisation_id, n.source, n.source_id, n.group_key, moved.day, n.measure || '_moved',
      n.brand, n.merchant_id, n.submerchant_id, n.descriptor, n.enrolment_id, n.currency, n.amount_minor, moved.part
    from named n cross join lateral (values (n.day, 'moved_out'), (n.reported_day, 'moved_in')) as moved (day, part)
    where n.measure in ('fraud', 'dispute', 'dispute_of_fraud')
      and date_trunc('month', n.day) is distinct from date_trunc('month', n.reported_day) and n.reported_day is not null
    on conflict do nothing
    returning *
  )
  insert into roll_up_change
  select organisation_id, day, measure, brand, merchant_id, submerchant_id, descriptor, enrolment_id, currency,
    case part when 'moved_out' then -1 else 1 end, case part when 'moved_out' then -amount_minor else amount_minor end
  from added;
end $$;

-- An alert about fraud is noted too, when its reason or its reference changes: its payment's dispute may be known already.
create or replace function note_counted_alert() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into roll_up_due
  select distinct new.organisation_id, 'alert', new.id, usable_arn(side.arn)
  from (values (new.acquirer_reference_number, new.status, new.refund_outcome, new.reason_code),
    (old.acquirer_reference_number, old.status, old.refund_outcome, old.reason_code)) as side(arn, status, outcome, reason)
  where (side.status = 'RESOLVED' and side.outcome = 'REFUNDED')
    or (fraud_reason(side.reason) and usable_arn(side.arn) is not null);
  return null;
end $$;
drop trigger alert_counts on alert;
create trigger alert_counts after update on alert
  for each row when (old.snapshot_hash is distinct from new.snapshot_hash
    and (new.status = 'RESOLVED' and new.refund_outcome = 'REFUNDED' or old.status = 'RESOLVED' and old.refund_outcome = 'REFUNDED'
      or (old.reason_code, old.acquirer_reference_number) is distinct from (new.reason_code, new.acquirer_reference_number)))
  execute function note_counted_alert();

create or replace function note_new_counted_alerts() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into roll_up_due
  select distinct organisation_id, 'alert', id, usable_arn(acquirer_reference_number)
  from fresh where (status = 'RESOLVED' and refund_outcome = 'REFUNDED')
    or (fraud_reason(reason_code) and usable_arn(acquirer_reference_number) is not null);
  return null;
end $$;

-- What is counted already is judged again, by the worker.
insert into roll_up_due
select organisation_id, 'notice', id, usable_arn(acquirer_reference_number) from scheme_notice
union all
select organisation_id, 'representment', id, usable_arn(acquirer_reference_number) from representment;

-- ---------------------------------------------------------------- payments

-- Whether the attempt took no money: declined, voided, or for nothing. Null: nobody says. Schemes divide by settled sales.
alter table charge add column is_failed boolean;

create or replace function note_new_payments() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into roll_up_change
  select organisation_id, utc_day(coalesce(settled_at, authorised_at)), 'payment', brand_key(card_brand), '', '',
    descriptor_key(descriptor), '', '', count(*), 0
  from fresh where coalesce(settled_at, authorised_at) is not null and is_failed is not true group by 1, 2, 4, 7;
  return null;
end $$;

create or replace function note_payment_move() returns trigger language plpgsql security definer set search_path = @schema@, pg_temp as $$
begin
  insert into roll_up_change
  select organisation, day, 'payment', brand, '', '', descriptor, '', '', sign, 0
  from (values
    (old.organisation_id, utc_day(coalesce(old.settled_at, old.authorised_at)), brand_key(old.card_brand), descriptor_key(old.descriptor), -1,
      old.is_failed),
    (new.organisation_id, utc_day(coalesce(new.settled_at, new.authorised_at)), brand_key(new.card_brand), descriptor_key(new.descriptor), 1,
      new.is_failed)
  ) as moved (organisation, day, brand, descriptor, sign, is_failed)
  where day is not null and is_failed is not true;
  return null;
end $$;
drop trigger charge_counts on charge;
create trigger charge_counts after update of settled_at, authorised_at, card_brand, descriptor, is_failed on charge
  for each row when ((old.settled_at, old.authorised_at, old.card_brand, old.descriptor, old.is_failed)
    is distinct from (new.settled_at, new.authorised_at, new.card_brand, new.descriptor, new.is_failed))
  execute function note_payment_move();

-- Attempts known already: the index of evidence says which failed (bit 2) and which were settled all the same (bit 1).
update charge c set is_failed = true
from payment_evidence e join evidence_key k on k.number = e.organisation
where k.organisation_id = c.organisation_id and c.reference = e.reference
  and e.traits & 2 = 2 and (e.traits & 1 = 0 or c.amount_minor = 0);
