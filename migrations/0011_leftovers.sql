-- An approval ends with its alert: what a fallback, another decision or the service made of the alert before
-- two people had agreed is the reason that stands beside it.
-- Plain SQL, never edited once released. The version before writes and reads the states it knows.

alter table refund_approval add column settled_because text;
alter table refund_approval drop constraint refund_approval_state_check;
alter table refund_approval add constraint refund_approval_state_check
  check (state in ('PENDING', 'APPROVED', 'DECLINED', 'REPLACED', 'OVERTAKEN'));

-- Those that were left behind.
update refund_approval a set state = 'OVERTAKEN', settled_at = c.closed_at, settled_because = 'the alert is closed'
from alert_case c
where c.organisation_id = a.organisation_id and c.alert_id = a.alert_id
  and a.state = 'PENDING' and not c.is_open;
