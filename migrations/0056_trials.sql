-- Trials that a policy asks for: a small share of what it would refund is accepted, to learn what accepting costs.
-- Plain SQL, never edited once released. The version before goes on beside it: it writes and asks none of these.

-- What the arms of an organisation are drawn with: nobody who does not read this row can foresee one.
create table policy_trial_key (
  organisation_id text        primary key,
  key             bytea       not null check (octet_length(key) = 32),
  made_at         timestamptz not null
);

-- What a trial has used of a month. Its row is what one decision waits for when another takes the last of the budget.
create table policy_trial_month (
  organisation_id text        not null,
  experiment      text        not null,
  -- UTC, its first day.
  month           date        not null,
  cases           integer     not null check (cases >= 0),
  amount_minor    bigint      not null check (amount_minor >= 0),
  currency        text        not null,
  changed_at      timestamptz not null,
  primary key (organisation_id, experiment, month)
);

-- The arm of a decision, and how likely it was. Null: the case was in no trial.
alter table decision
  add column experiment text,
  add column arm text check (arm in ('accept', 'refund')),
  add column propensity double precision check (propensity > 0 and propensity <= 1),
  add constraint decision_arm check ((arm is null) = (propensity is null) and (arm is null) = (experiment is null)) not valid;
