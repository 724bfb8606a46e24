-- What has no charge and may be about one: alerts by code, by card and day, by sum and day. Asked for whenever a charge's
-- money is decided about. Plain SQL, never edited once released.

drop index concurrently if exists @schema@.alert_by_plain_code;
create index concurrently alert_by_plain_code on @schema@.alert (organisation_id, upper(trim(authorisation_code)))
  where authorisation_code is not null;
drop index concurrently if exists @schema@.alert_by_card_day;
create index concurrently alert_by_card_day on @schema@.alert (organisation_id, card_last4, authorised_at)
  where card_last4 is not null and authorised_at is not null;
drop index concurrently if exists @schema@.alert_by_sum_day;
create index concurrently alert_by_sum_day on @schema@.alert (organisation_id, amount_minor, currency, authorised_at)
  where authorised_at is not null;
