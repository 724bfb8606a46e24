-- The order feed: what the merchant told us, what the service shall hold, and what has still to be sent.
-- Plain SQL, never edited once released.

-- One row per order. `body` is the merchant's last word in the interface's form; `submitted` is what was
-- first accepted, kept so that a repeat can be told from a contradiction.
create table order_record (
  organisation_id text        not null,
  integration_id  text        not null,
  reference_id    text        not null,
  seq             bigint      not null generated always as identity,
  type            text        not null check (type in ('COMPLETE', 'PARTIAL')),
  state           text        not null check (state in ('HELD', 'WAITING', 'CHECKING', 'CREATED', 'REFUSED')),
  -- Raised with every change of the body: tells what was sent from what is wanted now.
  version         integer     not null default 1,
  submitted       jsonb       not null,
  submitted_hash  bytea       not null,
  body            jsonb       not null,
  order_id        text,
  -- Programmes the order is ready for; what the others lack; what a person should know.
  ready           text[]      not null default '{}',
  missing         jsonb       not null default '{}',
  warnings        jsonb       not null default '[]',
  -- Why it waits for a person (HELD, REFUSED), with the next step; the last failure otherwise.
  reason          text,
  error_code      text,
  -- Fields in which the service holds something else, that no update can repair.
  difference      jsonb,
  attempts        integer     not null default 0,
  -- WAITING: send then. CHECKING: read back then. CREATED: compare with the service then.
  next_attempt_at timestamptz,
  accepted_at     timestamptz not null,
  changed_at      timestamptz not null,
  settled_at      timestamptz,
  primary key (organisation_id, integration_id, reference_id),
  constraint order_under_way_has_a_plan check (state not in ('WAITING', 'CHECKING') or next_attempt_at is not null),
  constraint order_at_rest_has_a_reason check (state not in ('HELD', 'REFUSED') or reason is not null),
  constraint created_order_has_an_id check (state <> 'CREATED' or order_id is not null)
) with (fillfactor = 80);
create index order_record_waiting on order_record (organisation_id, seq) where state = 'WAITING';
create index order_record_checking on order_record (organisation_id, next_attempt_at)
  where state in ('CHECKING', 'CREATED') and next_attempt_at is not null;
create index order_record_by_reference on order_record (organisation_id, reference_id);
create index order_record_by_state on order_record (organisation_id, state, accepted_at);
create index order_record_settled on order_record (organisation_id, settled_at) where settled_at is not null;

-- Parts of a created order that the service does not hold yet. A mark, not a copy: what is sent is read
-- from the order, so several changes merge and the later one wins.
create table order_push (
  organisation_id text        not null,
  integration_id  text        not null,
  reference_id    text        not null,
  -- `order_status`, `order_communications`, or `<array>/<reference_id>`.
  part            text        not null,
  seq             bigint      not null generated always as identity,
  version         integer     not null default 1,
  state           text        not null check (state in ('DUE', 'PARKED')),
  source          text        not null check (source in ('merchant', 'saga', 'repair')),
  reason          text,
  error_code      text,
  attempts        integer     not null default 0,
  next_attempt_at timestamptz not null,
  changed_at      timestamptz not null,
  primary key (organisation_id, integration_id, reference_id, part),
  foreign key (organisation_id, integration_id, reference_id)
    references order_record (organisation_id, integration_id, reference_id) on delete cascade,
  constraint parked_has_a_reason check (state <> 'PARKED' or reason is not null)
);
create index order_push_due on order_push (organisation_id, next_attempt_at) where state = 'DUE';

-- Every nested reference in use: the service wants each unique per integration, across all orders.
create table order_nested_reference (
  organisation_id text        not null,
  integration_id  text        not null,
  kind            text        not null check (kind in ('transaction', 'delivery', 'item', 'refund', 'dispute')),
  -- As sent.
  reference       text        not null,
  order_reference text        not null,
  -- As the merchant, or the refund saga, calls it; and a second name once both have reported it.
  given           text        not null,
  alias           text,
  source          text        not null default 'merchant' check (source in ('merchant', 'saga')),
  primary key (organisation_id, integration_id, kind, reference)
);
create index order_nested_reference_by_order on order_nested_reference (organisation_id, integration_id, order_reference);

-- How far the import of a file came, so that it goes on from there.
create table order_import (
  organisation_id text        not null,
  file_key        text        not null,
  file_name       text        not null,
  lines_done      bigint      not null default 0,
  accepted        integer     not null default 0,
  unchanged       integer     not null default 0,
  rejected        integer     not null default 0,
  started_at      timestamptz not null,
  changed_at      timestamptz not null,
  finished_at     timestamptz,
  primary key (organisation_id, file_key)
);
