-- An alert whose programme or status is known late may turn out to be the network's own refund (RDR): its case ends so.
-- Plain SQL, never edited once released. The moves of src/alerts/cases/case-state.ts; a test walks every pair of both.

create or replace function alert_case_may(old_state text, new_state text) returns boolean language sql immutable parallel safe as $$
  select new_state = any (case old_state
    when 'RECEIVED' then array['MATCHED', 'UNMATCHED', 'AMBIGUOUS', 'HUMAN', 'RECONCILED_RDR', 'CLOSED_REMOTE', 'CLOSED_INVALID']
    when 'MATCHED' then array['DECIDED_REFUND', 'DECIDED_ACCEPT', 'HUMAN', 'RECONCILED_RDR', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'UNMATCHED' then array['MATCHED', 'AMBIGUOUS', 'DECIDED_ACCEPT', 'HUMAN', 'RECONCILED_RDR', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'AMBIGUOUS' then array['MATCHED', 'UNMATCHED', 'DECIDED_ACCEPT', 'HUMAN', 'RECONCILED_RDR', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'HUMAN' then array['MATCHED', 'DECIDED_REFUND', 'DECIDED_ACCEPT', 'DECLARE_REFUND', 'RECONCILED_RDR', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'DECIDED_REFUND' then array['REFUNDING', 'DECLARE_REFUND', 'DECIDED_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'DECIDED_ACCEPT' then array['DECLARE_ACCEPT', 'DECLARE_REFUND', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'REFUNDING' then array['DECLARE_REFUND', 'DECIDED_ACCEPT', 'DECLARE_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'DECLARE_REFUND' then array['DECLARED_REFUND', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'DECLARE_ACCEPT' then array['DECLARED_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    else array[]::text[] end)
$$;
