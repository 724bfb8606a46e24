-- Several organisations in one database: an event id belongs to its organisation (`0026` makes the unique indexes the
-- primary keys), and what is due is found by organisation, so that a long list of one delays no other.
-- The event id comes first: the version before looks for it alone.
-- Plain SQL, never edited once released.

drop index concurrently if exists inbox_id_by_event;
create unique index concurrently inbox_id_by_event on inbox_id (event_id, organisation_id);

drop index concurrently if exists inbox_work_by_organisation;
create unique index concurrently inbox_work_by_organisation on inbox_work (organisation_id, seq);

drop index concurrently if exists alert_case_due_by_organisation;
create index concurrently alert_case_due_by_organisation on alert_case (organisation_id, next_action_at) where is_open;
drop index concurrently if exists alert_case_alarm_by_organisation;
create index concurrently alert_case_alarm_by_organisation on alert_case (organisation_id, next_alarm_at)
  where is_open and next_alarm_at is not null;
drop index concurrently if exists movement_due_by_organisation;
create index concurrently movement_due_by_organisation on movement (organisation_id, next_action_at, id)
  where next_action_at is not null;
drop index concurrently if exists side_action_due_by_organisation;
create index concurrently side_action_due_by_organisation on side_action (organisation_id, next_attempt_at)
  where next_attempt_at is not null;
drop index concurrently if exists notification_due_by_organisation;
create index concurrently notification_due_by_organisation on notification (organisation_id, next_attempt_at)
  where next_attempt_at is not null;

drop index concurrently if exists figure_change_by_organisation;
create index concurrently figure_change_by_organisation on figure_change (organisation_id);
drop index concurrently if exists roll_up_change_by_organisation;
create index concurrently roll_up_change_by_organisation on roll_up_change (organisation_id);

-- The same without the organisation.
drop index concurrently if exists alert_case_due;
drop index concurrently if exists alert_case_alarm;
drop index concurrently if exists movement_due;
drop index concurrently if exists side_action_next;
drop index concurrently if exists notification_due;
