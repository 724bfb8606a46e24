-- Which days of a demonstration were made up: every page that may show them says so. Plain SQL, never edited once
-- released. No row: nothing was made up, as in every installation that a real service stands behind.

create table made_past (
  organisation_id text        primary key,
  from_at         timestamptz not null,
  until_at        timestamptz not null,
  check (from_at < until_at)
);
