-- Disputes at the processor are listed by what became of them, newest first, however many there are. Plain SQL, never edited once
-- released.

drop index concurrently if exists @schema@.processor_dispute_by_opening;
create index concurrently processor_dispute_by_opening on @schema@.processor_dispute (organisation_id, opened_at, reference);

drop index concurrently if exists @schema@.processor_dispute_by_status;
create index concurrently processor_dispute_by_status on @schema@.processor_dispute (organisation_id, status, opened_at, reference);
