-- A list of disputes that could not be read to its end is gone on with where it ended.
alter table dispute_look
  alter column looked_until drop not null,
  add column walk_since    timestamptz,
  add column walk_began_at timestamptz,
  add column walk_cursor   text,
  add column walk_failures integer not null default 0;
