-- The store: events of one second in their order, partitions that nobody waits for, retention and figures
-- that cost the same however much is kept.
-- Plain SQL, never edited once released. It only adds: the version before goes on working beside it.

-- ---------------------------------------------------------------- apply

-- The moment of the event that told of a row, and whether it told of an update: they order events of one
-- second about what cannot be read from the service.
alter table alert         add column told_at timestamptz, add column told_as_update boolean not null default false;
alter table lookup        add column told_at timestamptz, add column told_as_update boolean not null default false;
alter table enrolment     add column told_at timestamptz, add column told_as_update boolean not null default false;
alter table representment add column told_at timestamptz, add column told_as_update boolean not null default false;
alter table scheme_notice add column told_at timestamptz, add column told_as_update boolean not null default false;
