-- What refunding and accepting cost, counted each night for the console; and the key of trials, sealed where data keys are set.
-- Plain SQL, never edited once released. The version before goes on beside it: it writes and asks none of these.

create table measured_cost (
  organisation_id text        primary key,
  counted_at      timestamptz not null,
  -- A hash of the cost model that it was counted with: with another one it says nothing.
  model           text        not null,
  report          jsonb       not null
);

-- Null: the key stands as it is. Else it is sealed under that data key, and longer.
alter table policy_trial_key
  add column key_id text,
  drop constraint policy_trial_key_key_check,
  add constraint policy_trial_key_length check ((key_id is null and octet_length(key) = 32) or (key_id is not null and octet_length(key) = 60));
