-- Database roles with the least each part needs. Optional; run once after "forestall migrate", and again after each
-- upgrade (it can be repeated). Then give the roles to login users of your own, for example:
-- create user shop_worker password '…' in role forestall_app;
--
--   forestall_owner    owns the tables; only "forestall migrate" connects as a member of it
--   forestall_app      serve and work: reads and writes rows; no DDL; deletes nothing of the ledger
--   forestall_console  console: reads, writes what operators decide and takes orders in; it can make no
--                      refund, and change nothing that the service told
--
-- Neither of the last two can make anybody an operator, or sign anybody in, without what proves who they are. The console
-- token counts for that once "forestall migrate" or "forestall operators trust" has been told of it.
--
-- It takes a superuser, or a user with CREATEROLE who owns Forestall's tables, as on managed servers: that one becomes a
-- member of forestall_owner. It touches nothing but the two schemas of Forestall. Where FORESTALL_DATABASE_SCHEMA names
-- another one: psql -c "set forestall.schema = 'name'" -f roles.sql
--
-- Where several organisations share the database, run wall.sql after it: it holds for the last two.
--
-- The ledger is what says which money moved and why: audit rows can only be added, and refunds,
-- declarations, decisions, cases and received events are never deleted by the application. Retention
-- is done by functions of the owner, which can delete nothing younger than they say.

begin;
select set_config('forestall.schema', coalesce(nullif(current_setting('forestall.schema', true), ''), 'forestall'), true);
select set_config('search_path', format('%I, %I, pg_temp', name, name || '_jobs'), true)
from (select current_setting('forestall.schema') as name) as named;

do $$
declare
  role_name text;
  is_superuser boolean := (select r.rolsuper from pg_roles r where r.rolname = current_user);
begin
  if not exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = current_setting('forestall.schema') and c.relname = 'forestall_migration') then
    raise exception 'The schema % holds no Forestall. Run "forestall migrate" first, or name the schema: set forestall.schema = ''name''.',
      current_setting('forestall.schema');
  end if;
  foreach role_name in array array['forestall_owner', 'forestall_app', 'forestall_console'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I nologin', role_name);
    end if;
  end loop;
  -- Only who may act as the new owner may hand anything over to it.
  if not is_superuser then
    begin
      execute format('grant forestall_owner to %I', current_user);
    exception when insufficient_privilege then
      if not pg_has_role('forestall_owner', 'usage') then
        raise exception 'The role forestall_owner was made by somebody else. Have them run: grant forestall_owner to %', current_user;
      end if;
    end;
  end if;
end $$;

-- Whoever migrated owns everything; hand it to the owner's role.
do $$
declare
  item record;
  schemas constant text[] := array[current_setting('forestall.schema'), current_setting('forestall.schema') || '_jobs'];
begin
  for item in
    select n.nspname as name, n.nspowner = 'forestall_owner'::regrole as is_done,
      pg_has_role(n.nspowner, 'usage') and has_database_privilege(current_database(), 'create') as may_hand_over
    from pg_namespace n where n.nspname = any (schemas)
  loop
    if item.may_hand_over and not item.is_done then
      execute format('alter schema %I owner to forestall_owner', item.name);
    elsif not item.is_done then
      execute format('grant create, usage on schema %I to forestall_owner', item.name);
    end if;
    execute format('grant usage on schema %I to forestall_app, forestall_console', item.name);
  end loop;
  for item in
    select format('alter %s %I.%I owner to forestall_owner',
                  case c.relkind when 'S' then 'sequence' when 'v' then 'view' else 'table' end,
                  n.nspname, c.relname) as statement
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (schemas) and c.relkind in ('r', 'p', 'v', 'S') and c.relowner <> 'forestall_owner'::regrole
      -- A sequence of an identity column follows its table.
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i') and c.relkind = 'S')
  loop
    execute item.statement;
  end loop;
  for item in
    select format('alter routine %s owner to forestall_owner', p.oid::regprocedure) as statement
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = any (schemas) and p.proowner <> 'forestall_owner'::regrole
  loop
    execute item.statement;
  end loop;
  for item in
    select format('alter type %I.%I owner to forestall_owner', n.nspname, t.typname) as statement
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where n.nspname = any (schemas) and t.typtype = 'e' and t.typowner <> 'forestall_owner'::regrole
  loop
    execute item.statement;
  end loop;
end $$;

do $$
declare
  own text := current_setting('forestall.schema');
begin
  execute format('grant select, insert, update, delete on all tables in schema %I to forestall_app', own);
  execute format('grant usage, select on all sequences in schema %I to forestall_app, forestall_console', own);
  execute format('grant execute on all routines in schema %I to forestall_app, forestall_console', own);
  execute format('grant select on all tables in schema %I to forestall_console', own);
end $$;
-- Deleting, and making partitions, is the workers' part; nobody else who may connect runs what runs as its owner.
revoke execute on function
  ensure_inbox_partition(timestamptz), ensure_inbox_partitions(timestamptz, integer), make_inbox_partition(timestamptz),
  drop_old_inbox(timestamptz), delete_old_inbox_rows(timestamptz, integer), delete_old_cases(text, timestamptz, integer),
  note_new_cases(), note_case_move(), note_old_cases(), note_refund_move(),
  note_credit_case(), note_credit_alert(), note_credit_movement(),
  note_event(text, text, timestamptz, text, text, text, jsonb), note_event_case(), note_event_case_end(), note_event_decision(), note_event_movement(),
  note_event_declaration(), note_event_dispute(), note_event_order(), note_event_finding(), note_event_credit(), note_event_ratio(),
  roll_up_again(text, text[], text, text[]), note_new_counted(), note_new_counted_lookups(), note_counted(), note_counted_lookup(), note_counted_alert(), note_new_counted_alerts(), note_new_payments(), note_payment_move(), note_known_order()
from public, forestall_console;
-- What the functions about people are made of, and what only the owner says.
revoke execute on function
  note_operator(), acts_as_owner(), access_now(timestamptz), works_for(text), proves(text, text, text, text, timestamptz),
  acting_person(text, text, text, timestamptz), note_about_operator(text, timestamptz, text, text, text, jsonb),
  trust_console(text, bytea, boolean)
from public, forestall_app, forestall_console;
-- An erasure changes history through its owner; people at the console erase nobody.
revoke execute on function
  erase_value(text, text, text, tid, oid, text), erase_references(text, text[], text[], timestamptz)
from public, forestall_console;
revoke execute on procedure wall_organisations(boolean) from public, forestall_app, forestall_console;

-- The console: what it keeps for itself,
grant insert, update, delete on
  backtest, console_attempt, console_oidc_flow, console_refusal, console_sent, policy_draft, saved_view
to forestall_console;
-- what people decide there, which the workers carry out,
grant insert on
  audit, decision, declaration, inbox_work, match, match_choice, money_pause, notification,
  charge_account, cover, dispute, movement, policy_activation, policy_version, reconcile_request, refund_approval,
  evidence_document, refund_approver, refund_claim, representment_pack, review_attachment, review_claim, review_comment, review_mention,
  side_action_due
to forestall_console;
grant update on
  alert_case, charge_account, cover, credit_claim, declaration, dispute, evidence_document, finding, match_choice, money_pause, movement, quarantine,
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
-- Endpoints for events, and what is sent again to them; a test event.
grant insert, update on event_endpoint, event_delivery to forestall_console;
grant delete on event_delivery to forestall_console;
grant insert on event_outbox to forestall_console;
-- What people say about evidence that is handed in.
grant update on evidence_submission, processor_dispute to forestall_console;
-- Which data key it seals them with.
grant insert, update on data_key to forestall_console;
-- One reference is named by one person at a time.
grant insert, update on organisation_lock to forestall_console;

-- Who may do what, and who is signed in: written by functions of the owner, which look at the session of whoever acts.
revoke insert, update, delete, truncate on console_operator, console_right, console_session, console_token_link, console_trust
from forestall_app, forestall_console;
grant update (token_used_at) on console_operator to forestall_app, forestall_console;
grant update (seen_at), delete on console_session to forestall_app, forestall_console;

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
declare
  jobs text := current_setting('forestall.schema') || '_jobs';
begin
  if exists (select from pg_namespace where nspname = jobs) then
    execute format('grant select, insert, update, delete on all tables in schema %I to forestall_app', jobs);
    execute format('grant usage, select on all sequences in schema %I to forestall_app', jobs);
    execute format('grant execute on all routines in schema %I to forestall_app', jobs);
    execute format('grant select on all tables in schema %I to forestall_console', jobs);
    -- What people ask for there is a job as well.
    execute format('grant insert on %1$I.job, %1$I.job_common to forestall_console', jobs);
  end if;
end $$;
commit;
