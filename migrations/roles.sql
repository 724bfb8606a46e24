-- Database roles with the least each part needs. Optional; run by a superuser in Forestall's database,
-- once after "forestall migrate", and again after each upgrade (it can be repeated). Then give the roles
-- to login users of your own, for example: create user shop_worker password '…' in role forestall_app;
--
--   forestall_owner    owns the tables; only "forestall migrate" connects as a member of it
--   forestall_app      serve and work: reads and writes rows; no DDL; deletes nothing of the ledger
--   forestall_console  console: reads, writes what operators decide and takes orders in; it can make no
--                      refund, and change nothing that the service told
--
-- Where several organisations share the database, run wall.sql after it: it holds for the last two.
--
-- The ledger is what says which money moved and why: audit rows can only be added, and refunds,
-- declarations, decisions, cases and received events are never deleted by the application. Retention
-- is done by functions of the owner, which can delete nothing younger than they say.

do $$
declare
  name text;
begin
  foreach name in array array['forestall_owner', 'forestall_app', 'forestall_console'] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I nologin', name);
    end if;
  end loop;
end $$;

-- Whoever migrated owns everything; hand it to the owner's role.
do $$
declare
  item record;
begin
  for item in
    select format('alter %s %I.%I owner to forestall_owner',
                  case c.relkind when 'S' then 'sequence' when 'v' then 'view' else 'table' end,
                  n.nspname, c.relname) as statement
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'pgboss') and c.relkind in ('r', 'p', 'v', 'S')
      -- A sequence of an identity column follows its table.
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i') and c.relkind = 'S')
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
  loop
    execute item.statement;
  end loop;
  for item in
    select format('alter routine %s owner to forestall_owner', p.oid::regprocedure) as statement
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('public', 'pgboss')
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  loop
    execute item.statement;
  end loop;
end $$;

grant create, usage on schema public to forestall_owner;
revoke create on schema public from public;
grant usage on schema public to forestall_app, forestall_console;
grant select, insert, update, delete on all tables in schema public to forestall_app;
grant usage, select on all sequences in schema public to forestall_app, forestall_console;
grant execute on all routines in schema public to forestall_app, forestall_console;
-- Deleting, and making partitions, is the workers' part; nobody else who may connect runs what runs as its owner.
revoke execute on function
  ensure_inbox_partition(timestamptz), ensure_inbox_partitions(timestamptz, integer), make_inbox_partition(timestamptz),
  drop_old_inbox(timestamptz), delete_old_inbox_rows(timestamptz, integer), delete_old_cases(text, timestamptz, integer),
  note_new_cases(), note_case_move(), note_old_cases(), note_refund_move(),
  note_credit_case(), note_credit_alert(), note_credit_movement(),
  roll_up_again(text, text[], text, text[]), note_new_counted(), note_new_counted_lookups(), note_counted(), note_counted_lookup(), note_counted_alert(), note_new_counted_alerts(), note_new_payments(), note_payment_move(), note_known_order()
from public, forestall_console;
-- An erasure changes history through its owner; people at the console erase nobody.
revoke execute on function erase_value(text, text, text, tid, oid, text) from public, forestall_console;
revoke execute on procedure wall_organisations(boolean) from public, forestall_app, forestall_console;
grant select on all tables in schema public to forestall_console;

-- The console: what it keeps for itself,
grant insert, update, delete on
  backtest, console_attempt, console_oidc_flow, console_operator, console_right, console_session, policy_draft, saved_view
to forestall_console;
-- what people decide there, which the workers carry out,
grant insert on
  audit, decision, declaration, inbox_work, match, match_choice, money_pause, notification,
  charge_account, cover, dispute, movement, policy_activation, policy_version, reconcile_request, refund_approval,
  refund_approver, refund_claim, representment_pack, review_attachment, review_claim, review_comment, review_mention,
  side_action_due
to forestall_console;
grant update on
  alert_case, charge_account, cover, credit_claim, declaration, dispute, finding, match_choice, money_pause, movement, quarantine,
  reconcile_request, refund_approval,
  refund_approver, refund_breaker, review_claim, review_mention, side_action_due
to forestall_console;
grant delete on cover, fact, money_pause, reconcile_request, review_claim to forestall_console;
-- and the orders that come in through its API.
grant insert, update, delete on order_nested_reference, order_push to forestall_console;
grant insert, update on charge, evidence_key, order_import, order_record, payment_evidence to forestall_console;
-- (that of a stopped integration is locked while its orders are corrected)
grant update on feed_brake to forestall_console;
-- Numbers that the acquirer reports.
grant insert, update on programme_reported to forestall_console;
-- Which data key it seals them with.
grant insert, update on data_key to forestall_console;
-- One reference is named by one person at a time.
grant insert, update on organisation_lock to forestall_console;

-- The ledger.
revoke delete, truncate on
  alert, alert_case, audit, charge, decision, declaration, entity_change, inbox_event, inbox_id, match,
  movement, policy_version
from forestall_app;
revoke update on audit, entity_change, policy_version from forestall_app;
revoke insert, update, delete on forestall_migration, forestall_migration_lock from forestall_app;
-- That an organisation has moved away is said by the owner, and taken back by nobody.
revoke update, delete on organisation_move from forestall_app;

-- pg-boss: its tables and queues are made by "forestall migrate".
do $$
begin
  if to_regnamespace('pgboss') is not null then
    alter schema pgboss owner to forestall_owner;
    grant usage on schema pgboss to forestall_app, forestall_console;
    grant select, insert, update, delete on all tables in schema pgboss to forestall_app;
    grant usage, select on all sequences in schema pgboss to forestall_app;
    grant execute on all routines in schema pgboss to forestall_app;
    grant select on all tables in schema pgboss to forestall_console;
    -- What people ask for there is a job as well.
    grant insert on pgboss.job, pgboss.job_common to forestall_console;
  end if;
end $$;
