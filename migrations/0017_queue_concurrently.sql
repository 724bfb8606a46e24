-- The order of the review queue: by the moment at which Forestall acts by itself, hours before the deadline
-- where a fallback is set. (LEAST leaves out what is null.)
-- Plain SQL, never edited once released.

drop index concurrently if exists @schema@.alert_case_by_acting;
create index concurrently alert_case_by_acting
  on @schema@.alert_case (organisation_id, (least(fallback_at, deadline_at)), alert_id) where state = 'HUMAN';
