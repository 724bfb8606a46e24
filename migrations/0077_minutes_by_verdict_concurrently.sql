-- Minutes with deliveries of one kind are few among all: repeats and refusals are listed by their kind. Plain SQL, never edited
-- once released.

drop index concurrently if exists @schema@.delivery_minute_by_verdict;
create index concurrently delivery_minute_by_verdict on @schema@.delivery_minute (organisation_id, verdict, minute);
