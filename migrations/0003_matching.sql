-- Matching: weaker signs, what people chose, and everything that touches one charge.
-- Plain SQL, never edited once released.

-- How sure the match is, readable without opening its evidence. Null: stored before this migration, or
-- nothing to compare with.
alter table match add column score integer;
alter table match add column margin integer;
alter table match add column runner_up text;
-- The strongest sign of the best candidate, where none clears the bar.
alter table match add column weak_sign text;
create index match_by_charge on match (organisation_id, charge_reference) where charge_reference is not null;

-- Candidates by weaker signs: the same card on other amounts (a part of it, another currency), and the
-- same amount on other or unknown card digits (wallet tokens). Both are read from a moment outwards.
create index charge_by_card_date on charge (organisation_id, card_last4, authorised_at) where card_last4 is not null;
create index charge_by_amount on charge (organisation_id, amount_minor, currency, authorised_at);

-- The charge a person chose for an alert, with what the alert said then: evidence for later alerts about
-- the same payment, or paid with the same device token. One row per alert, the last choice.
create table match_choice (
  organisation_id    text        not null,
  alert_id           text        not null,
  charge_reference   text        not null,
  operator           text        not null,
  chosen_at          timestamptz not null,
  acquirer_reference_number text,
  authorisation_code text,
  card_bin           text,
  card_last4         text,
  amount_minor       bigint,
  currency           text,
  -- UTC calendar day of the alert's payment, counted from 1970-01-01.
  authorised_day     integer,
  -- Digits of the chosen charge's card, as far as they were known.
  charge_card_last4  text,
  primary key (organisation_id, alert_id)
);
create index match_choice_by_arn on match_choice (organisation_id, acquirer_reference_number) where acquirer_reference_number is not null;
create index match_choice_by_card on match_choice (organisation_id, card_last4, chosen_at desc) where card_last4 is not null;

-- What else names a charge: read for its history.
create index lookup_by_transaction on lookup (organisation_id, integration_transaction_id) where integration_transaction_id is not null;
create index lookup_by_arn on lookup (organisation_id, acquirer_reference_number) where acquirer_reference_number is not null;
create index representment_by_transaction on representment (organisation_id, transaction_reference_id) where transaction_reference_id is not null;
create index representment_by_arn on representment (organisation_id, acquirer_reference_number) where acquirer_reference_number is not null;
create index scheme_notice_by_card on scheme_notice (organisation_id, card_last4, amount_minor, currency) where card_last4 is not null;
