-- A library of documents for disputes, and which pack a customer's dispute is answered with.
-- Plain SQL, never edited once released. The version before goes on beside it: it writes and asks none of these.

-- Versions of one document have the same element, name, language, product and order, and days that follow one another.
create table evidence_document (
  organisation_id text        not null,
  id              text        not null,
  element         text        not null,
  name            text        not null check (length(name) between 1 and 120),
  language        text        check (language ~ '^[a-z]{2,3}$'),
  product         text        check (length(product) between 1 and 200),
  -- It is about this order alone, and goes with the order's customer.
  order_reference text        check (length(order_reference) between 1 and 255),
  valid_from      date        not null,
  -- The last day; the one before the first: it is in force on none.
  valid_until     date        check (valid_until >= valid_from - 1),
  type            text        not null check (type in ('application/pdf', 'image/png', 'image/jpeg')),
  pages           integer     not null check (pages between 1 and 50),
  byte_count      integer     not null check (byte_count between 1 and 4194304),
  -- Of the bytes in clear.
  sha256          text        not null,
  -- Null: the bytes stand as they are. Else they are sealed under that data key.
  key_id          text,
  body            bytea       not null,
  added_by        text        not null,
  added_at        timestamptz not null,
  primary key (organisation_id, id)
);
create unique index evidence_document_version on evidence_document
  (organisation_id, element, name, coalesce(language, ''), coalesce(product, ''), coalesce(order_reference, ''), valid_from);
create index evidence_document_order on evidence_document (organisation_id, order_reference) where order_reference is not null;
create index evidence_document_by_age on evidence_document (organisation_id, valid_until) where valid_until is not null;

-- One representment is about one dispute. What two had by mistake, neither of the later has.
update processor_dispute p set representment_id = null
where p.representment_id is not null and exists (
  select from processor_dispute q
  where q.organisation_id = p.organisation_id and q.representment_id = p.representment_id
    and (q.opened_at, q.reference) < (p.opened_at, p.reference));
drop index processor_dispute_representment;
create unique index processor_dispute_representment on processor_dispute (organisation_id, representment_id)
  where representment_id <> '';

-- An erasure gives a reference that names the customer another name here, too.
do $$
declare
  changed text;
begin
  select replace(pg_get_functiondef(oid), $find$('evidence_submission', 'dispute_reference')$find$,
    $put$('evidence_document', 'order_reference'), ('evidence_submission', 'dispute_reference')$put$)
  into strict changed from pg_proc where oid = '@schema@.erase_references'::regproc;
  execute changed;
end $$;
