-- The page of representments sorts by due date, amount, change and end, begins after any row, and sums what there is of each
-- end. What a month's ratio counts is looked up by its days. Plain SQL, never edited once released.

drop index concurrently if exists @schema@.representment_open_by_due;
create index concurrently representment_open_by_due on @schema@.representment
  (organisation_id, coalesce(dispute_due_by, 'infinity'), id)
  where coalesce(dispute_status, '') not in ('LOST', 'WON', 'ACCEPTED', 'CLOSED');
drop index concurrently if exists @schema@.representment_by_known_due;
create index concurrently representment_by_known_due on @schema@.representment
  (organisation_id, coalesce(dispute_due_by, 'infinity'), id);
drop index concurrently if exists @schema@.representment_by_change;
create index concurrently representment_by_change on @schema@.representment (organisation_id, changed_at, id);
drop index concurrently if exists @schema@.representment_by_amount;
create index concurrently representment_by_amount on @schema@.representment
  (organisation_id, coalesce(currency, ''), coalesce(amount_minor, 0), id);
drop index concurrently if exists @schema@.representment_by_end;
create index concurrently representment_by_end on @schema@.representment (organisation_id, coalesce(dispute_status, ''), id);
drop index concurrently if exists @schema@.representment_sums;
create index concurrently representment_sums on @schema@.representment (organisation_id, dispute_status, currency) include (amount_minor);
drop index concurrently if exists @schema@.roll_up_event_counted;
create index concurrently roll_up_event_counted on @schema@.roll_up_event (organisation_id, day)
  where measure in ('fraud', 'dispute', 'dispute_of_fraud', 'fraud_moved', 'dispute_moved', 'dispute_of_fraud_moved',
    'rdr_out', 'rdr_fraud');
