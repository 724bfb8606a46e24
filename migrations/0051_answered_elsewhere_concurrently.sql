-- Alerts that were accepted because no charge was found, by us or in the service's dashboard: asked for whenever a charge's
-- money is decided about. Plain SQL, never edited once released.

drop index concurrently if exists @schema@.alert_case_answered_without_charge;
create index concurrently alert_case_answered_without_charge on @schema@.alert_case (organisation_id, alert_id)
  where charge_reference is null and state in ('DECLARE_ACCEPT', 'DECLARED_ACCEPT', 'CLOSED_REMOTE');
