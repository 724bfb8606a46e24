-- What refunding and accepting cost, measured: the forecast behind a ratio's standing, and trials that a policy asks for.
-- Plain SQL, never edited once released. The version before goes on beside it: it writes and asks none of these.

-- What the nearest line of a programme is compared with: counted so far, and what the month still brings.
alter table ratio_standing
  add column counted double precision,
  add column ahead_expected double precision,
  add column ahead_low double precision,
  add column ahead_high double precision;
