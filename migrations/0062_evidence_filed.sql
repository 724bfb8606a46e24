-- Evidence filed at the processor: its disputes as it showed them, and the one submission of each.
-- Plain SQL, never edited once released. The version before goes on beside it: it writes and asks none of these.

create table processor_dispute (
  organisation_id           text        not null,
  reference                 text        not null check (length(reference) between 1 and 255),
  charge_reference          text        not null,
  reason_code               text,
  amount_minor              bigint      not null check (amount_minor >= 0),
  currency                  text        not null,
  status                    text        not null,
  due_by                    timestamptz,
  opened_at                 timestamptz not null,
  acquirer_reference_number text,
  representment_id          text,
  -- What it takes as evidence.
  wants                     jsonb       not null,
  seen_at                   timestamptz not null,
  primary key (organisation_id, reference)
);
create index processor_dispute_representment on processor_dispute (organisation_id, representment_id)
  where representment_id is not null;
create index processor_dispute_charge on processor_dispute (organisation_id, charge_reference);

-- One row for a dispute, one key for a row: a second submission has no place to stand in.
create table evidence_submission (
  organisation_id   text        not null,
  dispute_reference text        not null,
  state             text        not null check (state in ('WAITING', 'HELD', 'SENT', 'ACCEPTING', 'SUBMITTED',
                                  'ELSEWHERE', 'ACCEPTED', 'EXPIRED', 'CLOSED')),
  held_reason       text,
  problems          jsonb       not null,
  idempotency_key   text        not null unique,
  content_hash      text,
  pack_rule         text,
  staged            jsonb       not null,
  asked_by          text,
  agreed_by         text,
  given_up_by       text,
  sent_at           timestamptz,
  submitted_at      timestamptz,
  attempts          integer     not null,
  next_at           timestamptz,
  last_error        text,
  version           integer     not null,
  changed_at        timestamptz not null,
  primary key (organisation_id, dispute_reference),
  check (asked_by is distinct from agreed_by or asked_by is null),
  check ((state = 'HELD') = (held_reason is not null)),
  check (state not in ('SENT', 'SUBMITTED') or sent_at is not null)
);
create index evidence_submission_due on evidence_submission (organisation_id, next_at) where next_at is not null;

create table dispute_look (
  organisation_id text        primary key,
  looked_until    timestamptz not null
);

-- An erasure reads these references, too: one that evidence is still handed in for stays until that is over.
do $$
declare
  changed text;
begin
  select replace(pg_get_functiondef(oid), $find$('processor_event', 'dispute_reference')$find$,
    $put$('evidence_submission', 'dispute_reference'), ('processor_dispute', 'charge_reference'),
    ('processor_dispute', 'reference'), ('processor_event', 'dispute_reference')$put$)
  into strict changed from pg_proc where oid = '@schema@.erase_references'::regproc;
  execute changed;
  select replace(pg_get_functiondef(oid), 'needed as (', $put$needed as (
    select 'evidence' as why, null::timestamptz as until from evidence_submission s
    join processor_dispute d on d.organisation_id = s.organisation_id and d.reference = s.dispute_reference
    where s.organisation_id = organisation and s.next_at is not null
      and (value = d.reference or d.charge_reference in (select reference from charges))
    union all$put$)
  into strict changed from pg_proc where oid = '@schema@.reference_needed'::regproc;
  execute changed;
end $$;
