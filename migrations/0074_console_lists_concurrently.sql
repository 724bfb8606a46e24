-- Pages beside a million alerts: an alert is found by its amount, newest first; credit claims are counted by state, network and
-- reason, disputes by the month in which they came, evidence by when it was sent. Plain SQL, never edited once released.

drop index concurrently if exists @schema@.alert_by_sum;
create index concurrently alert_by_sum on @schema@.alert (organisation_id, amount_minor, created_at desc) include (currency, id);
drop index concurrently if exists @schema@.credit_claim_counts;
create index concurrently credit_claim_counts on @schema@.credit_claim (organisation_id, state, class, network);
drop index concurrently if exists @schema@.representment_by_first_sight;
create index concurrently representment_by_first_sight on @schema@.representment (organisation_id, first_seen_at)
  include (dispute_status, currency, amount_minor);
drop index concurrently if exists @schema@.representment_pack_by_sending;
create index concurrently representment_pack_by_sending on @schema@.representment_pack (organisation_id, sent_at);
