-- Alerts that polling found before any webhook told of them, newest first: what the webhook log shows beside deliveries.
-- Plain SQL, never edited once released.

drop index concurrently if exists @schema@.entity_change_found_by_poll;
create index concurrently entity_change_found_by_poll on @schema@.entity_change (organisation_id, changed_at, id)
  where entity = 'alert' and source = 'poll' and before is null;
