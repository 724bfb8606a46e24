-- What exports and the shift report read by time: money that went back, and the audit log, whose rows lie in
-- the order of time.
-- Plain SQL, never edited once released.

drop index concurrently if exists @schema@.movement_by_confirmation;
create index concurrently movement_by_confirmation on @schema@.movement (organisation_id, confirmed_at, id) where confirmed_at is not null;
drop index concurrently if exists @schema@.movement_reversed;
create index concurrently movement_reversed on @schema@.movement (organisation_id, changed_at, id) where state = 'REVERSED';
drop index concurrently if exists @schema@.audit_by_time;
create index concurrently audit_by_time on @schema@.audit using brin (at) with (autosummarize = on);
-- What people did: few rows among many.
drop index concurrently if exists @schema@.audit_by_people;
create index concurrently audit_by_people on @schema@.audit (organisation_id, at, id) where actor like 'operator:%';
