-- Reconciliation: comparisons with the processor, passes that somebody asked for, the daily report.
-- Plain SQL, never edited once released.

-- When an alert's case was last compared with the processor's books, and when it is next.
create table book_check (
  organisation_id text        not null,
  alert_id        text        not null,
  compared_at     timestamptz not null,
  next_at         timestamptz,
  -- What the processor said about the charge.
  answer          text        not null check (answer in ('found', 'absent', 'not_offered', 'unavailable')),
  -- What went back to the cardholder under our keys, as the processor shows it.
  refunded_minor  bigint,
  currency        text,
  primary key (organisation_id, alert_id)
);
create index book_check_due on book_check (organisation_id, next_at) where next_at is not null;
create index alert_case_by_change on alert_case (organisation_id, changed_at) where charge_reference is not null;

-- A pass asked for by a person; the process that polls serves it and leaves the report.
create table reconcile_request (
  organisation_id text        not null,
  id              text        not null,
  since           timestamptz not null,
  orders          integer     not null,
  requested_by    text        not null,
  requested_at    timestamptz not null,
  started_at      timestamptz,
  finished_at     timestamptz,
  report          jsonb,
  error           text,
  primary key (organisation_id, id)
);
create index reconcile_request_waiting on reconcile_request (organisation_id, requested_at) where finished_at is null;

-- One report per UTC day.
create table daily_report (
  organisation_id text        not null,
  -- YYYY-MM-DD, a UTC day.
  day             text        not null check (day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  made_at         timestamptz not null,
  report          jsonb       not null,
  primary key (organisation_id, day)
);

-- The safe repair that was made by itself, where there is one.
alter table finding add column repair text;
create index finding_by_opening on finding (organisation_id, opened_at);
