-- The alerts page sorts by amount: currency by currency, then by size. Plain SQL, never edited once released.

drop index concurrently if exists @schema@.alert_by_amount;
create index concurrently alert_by_amount on @schema@.alert
  (organisation_id, coalesce(currency, ''), coalesce(amount_minor, 0), id);
