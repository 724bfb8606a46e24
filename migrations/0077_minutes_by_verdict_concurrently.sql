-- Minutes with repeated deliveries are few among all, and listed by their kind. Plain SQL, never edited once released.

drop index concurrently if exists @schema@.delivery_minute_by_verdict;
create index concurrently delivery_minute_by_verdict on @schema@.delivery_minute (organisation_id, verdict, minute);
