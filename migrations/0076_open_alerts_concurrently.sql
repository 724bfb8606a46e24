-- Alerts that the service waits for are few among all: counted by what they are for the page of ratios. Plain SQL, never edited once
-- released.

drop index concurrently if exists @schema@.alert_open;
create index concurrently alert_open on @schema@.alert (organisation_id, id) where status = 'ACTION_REQUIRED';

-- The same as movement_by_processor_reference: each movement was written to both.
drop index concurrently if exists @schema@.movement_by_reference;
