-- The last look at the estate of an installation whose merchants, enrolments and rulesets stand in a file:
-- what the service holds, what others changed, and the plan, for the console.
-- Plain SQL, never edited once released. The version before does not know the table.

create table estate_look (
  organisation_id text        not null primary key,
  -- The main file, as it is named in the settings.
  file            text        not null,
  -- Of the texts that were read: another text is looked at soon.
  digest          text        not null,
  tried_at        timestamptz not null,
  -- Of the picture; null until a look succeeded.
  looked_at       timestamptz,
  picture         jsonb,
  -- Why the last look failed; null when it did not.
  problem         text
);
