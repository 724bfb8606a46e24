-- What the search box asks for: the beginning of an order's or a charge's reference.
-- Plain SQL, never edited once released.

drop index concurrently if exists @schema@.order_record_by_prefix;
create index concurrently order_record_by_prefix on @schema@.order_record (organisation_id, reference_id text_pattern_ops);
drop index concurrently if exists @schema@.charge_by_prefix;
create index concurrently charge_by_prefix on @schema@.charge (organisation_id, reference text_pattern_ops);
