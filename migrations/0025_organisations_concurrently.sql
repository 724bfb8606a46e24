-- Several organisations in one database: an event id belongs to its organisation (`0026` makes the unique indexes the
-- primary keys), and what is due is found by organisation, so that a long list of one delays no other.
-- The event id comes first: the version before looks for it alone.
-- Plain SQL, never edited once released.

drop index concurrently if exists @schema@.inbox_id_by_event;
create unique index concurrently inbox_id_by_event on @schema@.inbox_id (event_id, organisation_id);

drop index concurrently if exists @schema@.inbox_work_by_organisation;
create unique index concurrently inbox_work_by_organisation on @schema@.inbox_work (organisation_id, seq);

drop index concurrently if exists @schema@.alert_case_due_by_organisation;
create index concurrently alert_case_due_by_organisation on @schema@.alert_case (organisation_id, next_action_at) where is_open;
drop index concurrently if exists @schema@.alert_case_alarm_by_organisation;
create index concurrently alert_case_alarm_by_organisation on @schema@.alert_case (organisation_id, next_alarm_at)
  where is_open and next_alarm_at is not null;
drop index concurrently if exists @schema@.movement_due_by_organisation;
create index concurrently movement_due_by_organisation on @schema@.movement (organisation_id, next_action_at, id)
  where next_action_at is not null;
drop index concurrently if exists @schema@.side_action_due_by_organisation;
create index concurrently side_action_due_by_organisation on @schema@.side_action (organisation_id, next_attempt_at)
  where next_attempt_at is not null;
drop index concurrently if exists @schema@.notification_due_by_organisation;
create index concurrently notification_due_by_organisation on @schema@.notification (organisation_id, next_attempt_at)
  where next_attempt_at is not null;

drop index concurrently if exists @schema@.figure_change_by_organisation;
create index concurrently figure_change_by_organisation on @schema@.figure_change (organisation_id);
drop index concurrently if exists @schema@.roll_up_change_by_organisation;
create index concurrently roll_up_change_by_organisation on @schema@.roll_up_change (organisation_id);

-- The same without the organisation. Each goes in a transaction of its own, which waits for nobody for long; an index that
-- is there cannot be dropped concurrently where an event trigger of the installation writes something first.
do $$ begin set local lock_timeout = '10s'; drop index if exists @schema@.alert_case_due; end $$;
do $$ begin set local lock_timeout = '10s'; drop index if exists @schema@.alert_case_alarm; end $$;
do $$ begin set local lock_timeout = '10s'; drop index if exists @schema@.movement_due; end $$;
do $$ begin set local lock_timeout = '10s'; drop index if exists @schema@.side_action_next; end $$;
do $$ begin set local lock_timeout = '10s'; drop index if exists @schema@.notification_due; end $$;
