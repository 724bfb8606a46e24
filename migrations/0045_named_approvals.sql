-- Two people agree to one thing, by its name: a refund, or what somebody says of money. Each word has a row of its own and
-- replaces no other. Null: written by a version that did not say, so that nobody can agree to it.
alter table refund_approval add column kind text
  check (kind in ('REFUND', 'REFUNDED_OUTSIDE', 'DID_EXECUTE', 'ACCEPT_DISPUTE'));
-- Where the money can be found, as it was said.
alter table refund_approval add column reference text;

update refund_approval set
  kind = case
    when movement_id like 'outside:%' then 'REFUNDED_OUTSIDE'
    when movement_id like 'executed:%' then 'DID_EXECUTE'
    when movement_id like 'despite:%' then 'ACCEPT_DISPUTE'
    else 'REFUND' end,
  reference = case
    when movement_id like 'outside:%' or movement_id like 'executed:%' then regexp_replace(movement_id, '^[^:]*:[^:]*:', '') end;

drop index refund_approval_open;
create unique index refund_approval_open on refund_approval
  (organisation_id, alert_id, coalesce(kind, ''), coalesce(movement_id, ''), charge_reference, amount_minor, currency)
  where state = 'PENDING';
