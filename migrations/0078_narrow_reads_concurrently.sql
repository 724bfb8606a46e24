-- Alerts by sum and day where they say no last digits of a card: only there a sum tells anything. What waits is looked up by
-- the ids of such alerts, for which the table's key suffices. Plain SQL, never edited once released.

drop index concurrently if exists @schema@.alert_by_sum_day_without_card;
create index concurrently alert_by_sum_day_without_card on @schema@.alert (organisation_id, amount_minor, currency, authorised_at)
  where authorised_at is not null and coalesce(card_last4, '') !~ '^\d{4}$';
drop index concurrently if exists @schema@.alert_case_answered_without_charge;

-- Evidence that was sent at the processor, the last ones first.
drop index concurrently if exists @schema@.evidence_submission_by_sending;
create index concurrently evidence_submission_by_sending on @schema@.evidence_submission (organisation_id, submitted_at)
  where state = 'SUBMITTED' and pack_rule is not null;

-- What waits for people, in the order in which Forestall acts by itself, with what counting and sorting it ask of a case.
drop index concurrently if exists @schema@.alert_case_waiting_for_people;
create index concurrently alert_case_waiting_for_people
  on @schema@.alert_case (organisation_id, (least(fallback_at, deadline_at)), alert_id)
  include (fallback_at, deadline_at, hold_reason, opened_at) where state = 'HUMAN';
drop index concurrently if exists @schema@.alert_case_by_acting;

-- Open disputes by amount and by change: beside many that ended, the whole list was walked for them.
drop index concurrently if exists @schema@.representment_open_by_amount;
create index concurrently representment_open_by_amount
  on @schema@.representment (organisation_id, coalesce(currency, ''), coalesce(amount_minor, 0), id)
  where coalesce(dispute_status, '') not in ('LOST', 'WON', 'ACCEPTED', 'CLOSED');
drop index concurrently if exists @schema@.representment_open_by_change;
create index concurrently representment_open_by_change on @schema@.representment (organisation_id, changed_at, id)
  where coalesce(dispute_status, '') not in ('LOST', 'WON', 'ACCEPTED', 'CLOSED');

-- Refunds of a dispute, which each new one is held against (L3, L5): without it every movement of the organisation was read.
drop index concurrently if exists @schema@.movement_by_dispute;
create index concurrently movement_by_dispute on @schema@.movement (organisation_id, dispute_id) where dispute_id is not null;
