-- A database of version 0.2.0 as it stood before the charge ledger (migrations 0001 to 0011): one row of
-- `refund` per charge. Made on commit 391bbf9 with fill-refunds.ts; how, it says there. For a small file the
-- schema of the job queue and the bodies in the inbox were left out (pg_dump --exclude-schema=pgboss
-- --exclude-table-data='public.inbox_event*'), and so were the lines for psql; the worker was given a name without its host.
--
-- Playing leaves no request halfway. So two rows that were left UNKNOWN were changed to what a process
-- killed a moment earlier leaves, with the trigger refund_terminal switched off: `under_way`, which
-- executed, to SENT (killed before the answer came), and `not_sent`, which did not, to INTENT (killed before
-- the commit that sends; first_sent_at and sent_at null). Both: attempts 0, lease_owner 'gone', lease_until
-- and next_action_at 30 s after the sending. Everything else was played.
--
--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: alert_case_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.alert_case_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if not old.is_open and new.state <> old.state then
    raise exception 'case % is closed as % and cannot become %', old.alert_id, old.state, new.state using errcode = '23514';
  end if;
  if new.state <> old.state and not alert_case_may(old.state, new.state) then
    raise exception 'case % cannot go from % to %', old.alert_id, old.state, new.state using errcode = '23514';
  end if;
  return new;
end $$;


--
-- Name: alert_case_may(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.alert_case_may(old_state text, new_state text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select new_state = any (case old_state
    when 'RECEIVED' then array['MATCHED', 'UNMATCHED', 'AMBIGUOUS', 'HUMAN', 'RECONCILED_RDR', 'CLOSED_REMOTE', 'CLOSED_INVALID']
    when 'MATCHED' then array['DECIDED_REFUND', 'DECIDED_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'UNMATCHED' then array['MATCHED', 'AMBIGUOUS', 'DECIDED_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'AMBIGUOUS' then array['MATCHED', 'UNMATCHED', 'DECIDED_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'HUMAN' then array['MATCHED', 'DECIDED_REFUND', 'DECIDED_ACCEPT', 'DECLARE_REFUND', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'DECIDED_REFUND' then array['REFUNDING', 'DECLARE_REFUND', 'DECIDED_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'DECIDED_ACCEPT' then array['DECLARE_ACCEPT', 'DECLARE_REFUND', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'REFUNDING' then array['DECLARE_REFUND', 'DECIDED_ACCEPT', 'DECLARE_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'DECLARE_REFUND' then array['DECLARED_REFUND', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    when 'DECLARE_ACCEPT' then array['DECLARED_ACCEPT', 'HUMAN', 'CLOSED_REMOTE', 'CLOSED_INVALID', 'CONFLICT']
    else array[]::text[] end)
$$;


--
-- Name: alert_status_rank(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.alert_status_rank(status text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case status when 'INVALID' then 3 when 'RESOLVED' then 2 else 1 end
$$;


--
-- Name: delete_old_cases(text, timestamp with time zone, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.delete_old_cases(organisation text, older_than timestamp with time zone, row_limit integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
declare
  alerts text[];
  gone bigint := 0;
  step bigint;
begin
  if older_than > now() - interval '390 days' then
    raise exception 'cases younger than 390 days are not deleted';
  end if;
  select array(
    select c.alert_id from alert_case c
    where c.organisation_id = organisation and not c.is_open and c.closed_at < older_than
    order by c.closed_at limit row_limit for update skip locked
  ) into alerts;
  delete from alert_case where organisation_id = organisation and alert_id = any(alerts);
  get diagnostics step = row_count; gone := gone + step;
  delete from match where organisation_id = organisation and alert_id = any(alerts);
  get diagnostics step = row_count; gone := gone + step;
  delete from decision where organisation_id = organisation and alert_id = any(alerts);
  get diagnostics step = row_count; gone := gone + step;
  delete from alert where organisation_id = organisation and id = any(alerts);
  get diagnostics step = row_count; gone := gone + step;
  delete from entity_change where ctid = any(array(
    select ctid from entity_change where organisation_id = organisation and changed_at < older_than limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  delete from lookup where ctid = any(array(
    select ctid from lookup where organisation_id = organisation and updated_at < older_than limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  delete from representment where ctid = any(array(
    select ctid from representment where organisation_id = organisation and updated_at < older_than limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  delete from scheme_notice where ctid = any(array(
    select ctid from scheme_notice where organisation_id = organisation and updated_at < older_than limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  delete from order_record where ctid = any(array(
    select ctid from order_record o
    where o.organisation_id = organisation and o.changed_at < older_than and o.state in ('CREATED', 'REFUSED')
      and not exists (
        select from charge ch join alert_case c on c.organisation_id = ch.organisation_id and c.charge_reference = ch.reference
        where ch.organisation_id = o.organisation_id and ch.order_reference = o.reference_id)
    limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  delete from charge where ctid = any(array(
    select ctid from charge ch
    where ch.organisation_id = organisation and ch.known_at < older_than
      and not exists (select from alert_case c where c.organisation_id = ch.organisation_id and c.charge_reference = ch.reference)
      and not exists (select from order_record o where o.organisation_id = ch.organisation_id and o.reference_id = ch.order_reference)
    limit row_limit));
  get diagnostics step = row_count; gone := gone + step;
  return gone;
end $$;


--
-- Name: drop_old_inbox(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.drop_old_inbox(older_than timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
declare
  part record;
  dropped integer := 0;
begin
  if older_than > now() - interval '7 days' then
    raise exception 'events younger than 7 days are not deleted';
  end if;
  for part in
    select c.relname,
           (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''([^'']+)''\)'))[1]::timestamptz as ends_at
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'inbox_event'::regclass and c.relname <> 'inbox_event_rest'
  loop
    continue when part.ends_at is null or part.ends_at > older_than;
    -- Work that was never done would lose its body.
    continue when exists (select from inbox_work w where w.received_at < part.ends_at);
    execute format('drop table %I', part.relname);
    dropped := dropped + 1;
  end loop;
  delete from inbox_event_rest r where r.received_at < older_than
    and not exists (select from inbox_work w where w.seq = r.seq and w.received_at = r.received_at);
  return dropped;
end $$;


--
-- Name: ensure_inbox_partition(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.ensure_inbox_partition(moment timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
declare
  first_day timestamptz := date_trunc('month', moment at time zone 'UTC') at time zone 'UTC';
  next_day  timestamptz := (date_trunc('month', moment at time zone 'UTC') + interval '1 month') at time zone 'UTC';
  part_name text := 'inbox_event_' || to_char(moment at time zone 'UTC', 'YYYY_MM');
begin
  perform pg_advisory_xact_lock(hashtext('forestall.inbox_partition'));
  if to_regclass(part_name) is null
     and not exists (select from inbox_event_rest where received_at >= first_day and received_at < next_day) then
    execute format('create table %I partition of inbox_event for values from (%L) to (%L)', part_name, first_day, next_day);
  end if;
end $$;


--
-- Name: refund_guard(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refund_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if old.charge_reference <> new.charge_reference
     or (old.state in ('SENT', 'UNKNOWN', 'PENDING', 'CONFIRMED', 'HUMAN', 'REVERSED')
         and (old.idempotency_key, old.amount_minor, old.currency, old.kind) is distinct from (new.idempotency_key, new.amount_minor, new.currency, new.kind))
     or (old.state <> new.state and not refund_may(old.state, new.state)) then
    raise exception 'refund % cannot go from % to %', old.id, old.state, new.state using errcode = '23514';
  end if;
  return new;
end $$;


--
-- Name: refund_may(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refund_may(old_state text, new_state text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select new_state = any (case old_state
    when 'INTENT' then array['SENT', 'EXTERNAL', 'REJECTED', 'HUMAN']
    when 'SENT' then array['CONFIRMED', 'PENDING', 'REJECTED', 'UNKNOWN']
    when 'UNKNOWN' then array['CONFIRMED', 'PENDING', 'REJECTED', 'SENT', 'HUMAN']
    when 'PENDING' then array['CONFIRMED', 'REJECTED', 'HUMAN']
    when 'CONFIRMED' then array['REVERSED']
    when 'REJECTED' then array['INTENT', 'EXTERNAL']
    when 'HUMAN' then array['CONFIRMED', 'PENDING', 'REJECTED']
    else array[]::text[] end)
$$;


--
-- Name: refuse_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'audit'
     and coalesce(current_setting('forestall.erasing', true), '') = 'on'
     and to_jsonb(new) - 'detail' = to_jsonb(old) - 'detail' then
    return new;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = '23514';
end $$;


--
-- Name: side_action_after_decision(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.side_action_after_decision() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if not new.shadow then
    insert into side_action_due (organisation_id, alert_id) values (new.organisation_id, new.alert_id)
    on conflict do nothing;
  end if;
  return null;
end $$;


--
-- Name: side_action_after_rdr(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.side_action_after_rdr() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into side_action_due (organisation_id, alert_id) values (new.organisation_id, new.alert_id)
  on conflict do nothing;
  return null;
end $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: activity_day; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.activity_day (
    organisation_id text NOT NULL,
    day timestamp with time zone NOT NULL,
    measure text NOT NULL,
    currency text DEFAULT ''::text NOT NULL,
    count bigint NOT NULL,
    amount_minor bigint DEFAULT 0 NOT NULL
);


--
-- Name: activity_hour; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.activity_hour (
    organisation_id text NOT NULL,
    hour timestamp with time zone NOT NULL,
    measure text NOT NULL,
    currency text DEFAULT ''::text NOT NULL,
    count bigint NOT NULL,
    amount_minor bigint DEFAULT 0 NOT NULL
);


--
-- Name: alert; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alert (
    organisation_id text NOT NULL,
    id text NOT NULL,
    status text NOT NULL,
    enrolment_type text,
    enrolment_id text,
    merchant_id text,
    deadline_at timestamp with time zone,
    amount_minor bigint,
    currency text,
    authorised_at timestamp with time zone,
    authorisation_code text,
    acquirer_reference_number text,
    descriptor text,
    card_bin text,
    card_last4 text,
    card_issuer text,
    card_scheme text,
    network_id text,
    reason_code text,
    refund_outcome text,
    subscription_cancel_outcome text,
    note text,
    integration_id text,
    integration_transaction_id text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    snapshot jsonb NOT NULL,
    snapshot_hash bytea NOT NULL,
    source text NOT NULL,
    read_at timestamp with time zone,
    needs_read boolean DEFAULT false NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT alert_source_check CHECK ((source = ANY (ARRAY['webhook'::text, 'poll'::text])))
);


--
-- Name: alert_case; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alert_case (
    organisation_id text NOT NULL,
    alert_id text NOT NULL,
    state text NOT NULL,
    is_open boolean GENERATED ALWAYS AS ((state <> ALL (ARRAY['DECLARED_REFUND'::text, 'DECLARED_ACCEPT'::text, 'CLOSED_REMOTE'::text, 'CLOSED_INVALID'::text, 'RECONCILED_RDR'::text, 'CONFLICT'::text]))) STORED NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    deadline_at timestamp with time zone NOT NULL,
    next_action_at timestamp with time zone,
    lease_owner text,
    lease_until timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    match_id bigint,
    decision_id bigint,
    charge_reference text,
    refund_id text,
    hold_reason text,
    fallback_action text,
    fallback_at timestamp with time zone,
    answer_note text,
    credit_claim boolean DEFAULT false NOT NULL,
    next_alarm_at timestamp with time zone,
    alarm_level integer DEFAULT 0 NOT NULL,
    alarmed_at timestamp with time zone,
    missed_at timestamp with time zone,
    closed_at timestamp with time zone,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT alert_case_fallback_action_check CHECK ((fallback_action = ANY (ARRAY['REFUND'::text, 'ACCEPT_DISPUTE'::text]))),
    CONSTRAINT alert_case_state_check CHECK ((state = ANY (ARRAY['RECEIVED'::text, 'MATCHED'::text, 'UNMATCHED'::text, 'AMBIGUOUS'::text, 'HUMAN'::text, 'DECIDED_REFUND'::text, 'DECIDED_ACCEPT'::text, 'REFUNDING'::text, 'DECLARE_REFUND'::text, 'DECLARE_ACCEPT'::text, 'DECLARED_REFUND'::text, 'DECLARED_ACCEPT'::text, 'CLOSED_REMOTE'::text, 'CLOSED_INVALID'::text, 'RECONCILED_RDR'::text, 'CONFLICT'::text]))),
    CONSTRAINT open_case_has_a_plan CHECK (((state = ANY (ARRAY['DECLARED_REFUND'::text, 'DECLARED_ACCEPT'::text, 'CLOSED_REMOTE'::text, 'CLOSED_INVALID'::text, 'RECONCILED_RDR'::text, 'CONFLICT'::text])) OR (next_action_at IS NOT NULL)))
);


--
-- Name: audit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit (
    id bigint NOT NULL,
    organisation_id text NOT NULL,
    at timestamp with time zone NOT NULL,
    subject text NOT NULL,
    subject_id text NOT NULL,
    alert_id text,
    actor text NOT NULL,
    what text NOT NULL,
    from_state text,
    to_state text,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT audit_subject_check CHECK ((subject = ANY (ARRAY['case'::text, 'refund'::text, 'declaration'::text, 'event'::text, 'order'::text, 'policy'::text, 'operator'::text, 'system'::text])))
);


--
-- Name: audit_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.audit ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: backtest; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.backtest (
    organisation_id text NOT NULL,
    id text NOT NULL,
    requested_by text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    policy_name text NOT NULL,
    policy_version text NOT NULL,
    source text NOT NULL,
    files jsonb DEFAULT '{}'::jsonb NOT NULL,
    against_version text,
    decided_from timestamp with time zone NOT NULL,
    decided_before timestamp with time zone NOT NULL,
    state text DEFAULT 'WAITING'::text NOT NULL,
    lease_owner text,
    lease_until timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    replayed integer DEFAULT 0 NOT NULL,
    total integer,
    result jsonb,
    fault text,
    finished_at timestamp with time zone,
    CONSTRAINT backtest_state_check CHECK ((state = ANY (ARRAY['WAITING'::text, 'RUNNING'::text, 'DONE'::text, 'FAILED'::text, 'STOPPED'::text]))),
    CONSTRAINT done_has_a_result CHECK (((state = 'DONE'::text) = (result IS NOT NULL)))
);


--
-- Name: blocked_customer; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.blocked_customer (
    organisation_id text NOT NULL,
    identity text NOT NULL,
    blocked_at timestamp with time zone NOT NULL,
    blocked_by text NOT NULL,
    alert_id text
);


--
-- Name: book_check; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.book_check (
    organisation_id text NOT NULL,
    alert_id text NOT NULL,
    compared_at timestamp with time zone NOT NULL,
    next_at timestamp with time zone,
    answer text NOT NULL,
    refunded_minor bigint,
    currency text,
    CONSTRAINT book_check_answer_check CHECK ((answer = ANY (ARRAY['found'::text, 'absent'::text, 'not_offered'::text, 'unavailable'::text])))
);


--
-- Name: charge; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.charge (
    organisation_id text NOT NULL,
    reference text NOT NULL,
    order_reference text,
    integration_id text,
    source text NOT NULL,
    amount_minor bigint NOT NULL,
    currency text NOT NULL,
    authorised_at timestamp with time zone,
    settled_at timestamp with time zone,
    authorisation_code text,
    acquirer_reference_number text,
    card_bin text,
    card_last4 text,
    card_brand text,
    descriptor text,
    subscription_reference text,
    known_at timestamp with time zone NOT NULL,
    CONSTRAINT charge_source_check CHECK ((source = ANY (ARRAY['order'::text, 'processor'::text])))
);


--
-- Name: cluster_lease; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.cluster_lease (
    organisation_id text NOT NULL,
    name text NOT NULL,
    holder text NOT NULL,
    until timestamp with time zone NOT NULL
);


--
-- Name: console_attempt; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.console_attempt (
    organisation_id text NOT NULL,
    key_hash bytea NOT NULL,
    failures integer NOT NULL,
    window_started_at timestamp with time zone NOT NULL,
    CONSTRAINT console_attempt_failures_check CHECK ((failures >= 0))
);


--
-- Name: console_oidc_flow; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.console_oidc_flow (
    state_hash bytea NOT NULL,
    organisation_id text NOT NULL,
    code_verifier text NOT NULL,
    nonce text NOT NULL,
    next_path text NOT NULL,
    confirms bytea,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: console_operator; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.console_operator (
    organisation_id text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    token_hash bytea,
    email text,
    oidc_subject text,
    created_at timestamp with time zone NOT NULL,
    created_by text NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT console_operator_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'reviewer'::text, 'administrator'::text])))
);


--
-- Name: console_session; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.console_session (
    id_hash bytea NOT NULL,
    organisation_id text NOT NULL,
    operator_id text,
    credential_hash bytea,
    started_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    authenticated_at timestamp with time zone NOT NULL,
    CONSTRAINT somebody CHECK (((operator_id IS NULL) = (credential_hash IS NOT NULL)))
);


--
-- Name: daily_report; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.daily_report (
    organisation_id text NOT NULL,
    day text NOT NULL,
    made_at timestamp with time zone NOT NULL,
    report jsonb NOT NULL,
    CONSTRAINT daily_report_day_check CHECK ((day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'::text))
);


--
-- Name: data_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.data_key (
    organisation_id text NOT NULL,
    key_id text NOT NULL,
    check_value bytea NOT NULL,
    first_used_at timestamp with time zone NOT NULL,
    sealing_at timestamp with time zone NOT NULL
);


--
-- Name: decision; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.decision (
    id bigint NOT NULL,
    organisation_id text NOT NULL,
    alert_id text NOT NULL,
    action text NOT NULL,
    amount_minor bigint,
    currency text,
    fallback_action text,
    fallback_at timestamp with time zone,
    decided_by text NOT NULL,
    policy_version text,
    rule text,
    guard text,
    sentence text NOT NULL,
    inputs jsonb NOT NULL,
    shadow boolean DEFAULT false NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    side_actions jsonb DEFAULT '[]'::jsonb NOT NULL,
    beside_version text,
    beside_action text,
    beside_amount_minor bigint,
    beside_currency text,
    beside_rule text,
    beside_guard text,
    beside_fallback_action text,
    beside_fallback_at timestamp with time zone,
    beside_sentence text,
    CONSTRAINT beside_is_whole CHECK (((beside_version IS NULL) = (beside_action IS NULL))),
    CONSTRAINT decision_action_check CHECK ((action = ANY (ARRAY['REFUND'::text, 'ACCEPT_DISPUTE'::text, 'REVIEW'::text, 'NONE'::text]))),
    CONSTRAINT decision_beside_action_check CHECK ((beside_action = ANY (ARRAY['REFUND'::text, 'ACCEPT_DISPUTE'::text, 'REVIEW'::text, 'NONE'::text]))),
    CONSTRAINT decision_beside_fallback_action_check CHECK ((beside_fallback_action = ANY (ARRAY['REFUND'::text, 'ACCEPT_DISPUTE'::text]))),
    CONSTRAINT decision_fallback_action_check CHECK ((fallback_action = ANY (ARRAY['REFUND'::text, 'ACCEPT_DISPUTE'::text])))
);


--
-- Name: decision_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.decision ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.decision_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: declaration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.declaration (
    organisation_id text NOT NULL,
    alert_id text NOT NULL,
    action text NOT NULL,
    note text NOT NULL,
    refund_id text,
    state text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    first_sent_at timestamp with time zone,
    last_sent_at timestamp with time zone,
    settled_at timestamp with time zone,
    remote_outcome text,
    credit_claim boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT declaration_action_check CHECK ((action = ANY (ARRAY['REFUND'::text, 'ACCEPT_DISPUTE'::text]))),
    CONSTRAINT declaration_state_check CHECK ((state = ANY (ARRAY['DUE'::text, 'SENT'::text, 'DONE'::text, 'ELSEWHERE'::text, 'REFUSED'::text]))),
    CONSTRAINT refund_needs_money CHECK (((action <> 'REFUND'::text) OR (refund_id IS NOT NULL)))
);


--
-- Name: enrolment; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.enrolment (
    organisation_id text NOT NULL,
    id text NOT NULL,
    type text,
    status text,
    note text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    snapshot jsonb NOT NULL,
    snapshot_hash bytea NOT NULL,
    source text NOT NULL,
    read_at timestamp with time zone,
    needs_read boolean DEFAULT false NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT enrolment_source_check CHECK ((source = ANY (ARRAY['webhook'::text, 'poll'::text])))
);


--
-- Name: entity_change; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.entity_change (
    id bigint NOT NULL,
    organisation_id text NOT NULL,
    entity text NOT NULL,
    entity_id text NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    source text NOT NULL,
    event_id text,
    accepted boolean NOT NULL,
    before jsonb,
    after jsonb NOT NULL,
    CONSTRAINT entity_change_entity_check CHECK ((entity = ANY (ARRAY['alert'::text, 'lookup'::text, 'enrolment'::text, 'representment'::text, 'scheme_notice'::text]))),
    CONSTRAINT entity_change_source_check CHECK ((source = ANY (ARRAY['webhook'::text, 'poll'::text])))
);


--
-- Name: entity_change_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.entity_change ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.entity_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: fact; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.fact (
    organisation_id text NOT NULL,
    name text NOT NULL,
    value jsonb NOT NULL,
    changed_at timestamp with time zone NOT NULL
);


--
-- Name: finding; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.finding (
    id bigint NOT NULL,
    organisation_id text NOT NULL,
    kind text NOT NULL,
    severity text NOT NULL,
    subject text NOT NULL,
    subject_id text NOT NULL,
    evidence jsonb NOT NULL,
    next_step text NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    repair text,
    CONSTRAINT finding_severity_check CHECK ((severity = ANY (ARRAY['info'::text, 'warning'::text, 'error'::text])))
);


--
-- Name: finding_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.finding ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.finding_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: forestall_migration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.forestall_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);


--
-- Name: forestall_migration_lock; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.forestall_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);


--
-- Name: inbox_event; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.inbox_event (
    seq bigint NOT NULL,
    received_at timestamp with time zone NOT NULL,
    organisation_id text NOT NULL,
    event_id text NOT NULL,
    subscription text DEFAULT ''::text NOT NULL,
    delivery_id text,
    secret_id text NOT NULL,
    signed_at timestamp with time zone NOT NULL,
    body bytea NOT NULL,
    key_id text,
    event_type text,
    object_id text
)
PARTITION BY RANGE (received_at);


--
-- Name: inbox_event_2026_11; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.inbox_event_2026_11 (
    seq bigint NOT NULL,
    received_at timestamp with time zone NOT NULL,
    organisation_id text NOT NULL,
    event_id text NOT NULL,
    subscription text DEFAULT ''::text NOT NULL,
    delivery_id text,
    secret_id text NOT NULL,
    signed_at timestamp with time zone NOT NULL,
    body bytea NOT NULL,
    key_id text,
    event_type text,
    object_id text
);


--
-- Name: inbox_event_2026_12; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.inbox_event_2026_12 (
    seq bigint NOT NULL,
    received_at timestamp with time zone NOT NULL,
    organisation_id text NOT NULL,
    event_id text NOT NULL,
    subscription text DEFAULT ''::text NOT NULL,
    delivery_id text,
    secret_id text NOT NULL,
    signed_at timestamp with time zone NOT NULL,
    body bytea NOT NULL,
    key_id text,
    event_type text,
    object_id text
);


--
-- Name: inbox_event_rest; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.inbox_event_rest (
    seq bigint NOT NULL,
    received_at timestamp with time zone NOT NULL,
    organisation_id text NOT NULL,
    event_id text NOT NULL,
    subscription text DEFAULT ''::text NOT NULL,
    delivery_id text,
    secret_id text NOT NULL,
    signed_at timestamp with time zone NOT NULL,
    body bytea NOT NULL,
    key_id text,
    event_type text,
    object_id text
);


--
-- Name: inbox_id; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.inbox_id (
    event_id text NOT NULL,
    organisation_id text NOT NULL,
    body_hash bytea NOT NULL,
    received_at timestamp with time zone NOT NULL,
    seq bigint NOT NULL
);


--
-- Name: inbox_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.inbox_seq
    START WITH 1
    INCREMENT BY 512
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: inbox_work; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.inbox_work (
    seq bigint NOT NULL,
    received_at timestamp with time zone NOT NULL,
    organisation_id text NOT NULL,
    event_id text NOT NULL
)
WITH (autovacuum_vacuum_threshold='10000', autovacuum_vacuum_scale_factor='0', autovacuum_analyze_threshold='10000', autovacuum_analyze_scale_factor='0');


--
-- Name: lookup; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lookup (
    organisation_id text NOT NULL,
    id text NOT NULL,
    type text,
    enrolment_id text,
    parent_lookup_id text,
    lookup_status text,
    deflection_status text,
    amount_minor bigint,
    currency text,
    transaction_date timestamp with time zone,
    acquirer_reference_number text,
    integration_id text,
    integration_transaction_id text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    snapshot jsonb NOT NULL,
    snapshot_hash bytea NOT NULL,
    source text NOT NULL,
    read_at timestamp with time zone,
    needs_read boolean DEFAULT false NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT lookup_source_check CHECK ((source = ANY (ARRAY['webhook'::text, 'poll'::text])))
);


--
-- Name: lookup_day; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lookup_day (
    organisation_id text NOT NULL,
    day timestamp with time zone NOT NULL,
    type text NOT NULL,
    lookup_status text NOT NULL,
    deflection_status text NOT NULL,
    currency text NOT NULL,
    count bigint NOT NULL,
    amount_minor bigint NOT NULL
);


--
-- Name: match; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.match (
    id bigint NOT NULL,
    organisation_id text NOT NULL,
    alert_id text NOT NULL,
    outcome text NOT NULL,
    charge_reference text,
    tier text,
    evidence jsonb NOT NULL,
    candidates jsonb NOT NULL,
    matched_at timestamp with time zone NOT NULL,
    matched_by text DEFAULT 'matcher'::text NOT NULL,
    score integer,
    margin integer,
    runner_up text,
    weak_sign text,
    CONSTRAINT match_check CHECK (((outcome = 'single'::text) = (charge_reference IS NOT NULL))),
    CONSTRAINT match_outcome_check CHECK ((outcome = ANY (ARRAY['single'::text, 'none'::text, 'several'::text])))
);


--
-- Name: match_choice; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.match_choice (
    organisation_id text NOT NULL,
    alert_id text NOT NULL,
    charge_reference text NOT NULL,
    operator text NOT NULL,
    chosen_at timestamp with time zone NOT NULL,
    acquirer_reference_number text,
    authorisation_code text,
    card_bin text,
    card_last4 text,
    amount_minor bigint,
    currency text,
    authorised_day integer,
    charge_card_last4 text
);


--
-- Name: match_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.match ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.match_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: money_pause; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.money_pause (
    organisation_id text NOT NULL,
    paused_at timestamp with time zone NOT NULL,
    paused_by text NOT NULL,
    reason text NOT NULL
);


--
-- Name: notification; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notification (
    id bigint NOT NULL,
    organisation_id text NOT NULL,
    dedupe_key text NOT NULL,
    kind text NOT NULL,
    severity text NOT NULL,
    alert_id text,
    text text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    next_attempt_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    sent_at timestamp with time zone,
    last_error text,
    channel text,
    CONSTRAINT notification_severity_check CHECK ((severity = ANY (ARRAY['info'::text, 'warning'::text, 'error'::text])))
);


--
-- Name: notification_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.notification ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.notification_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: order_import; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.order_import (
    organisation_id text NOT NULL,
    file_key text NOT NULL,
    file_name text NOT NULL,
    lines_done bigint DEFAULT 0 NOT NULL,
    accepted integer DEFAULT 0 NOT NULL,
    unchanged integer DEFAULT 0 NOT NULL,
    rejected integer DEFAULT 0 NOT NULL,
    started_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone
);


--
-- Name: order_nested_reference; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.order_nested_reference (
    organisation_id text NOT NULL,
    integration_id text NOT NULL,
    kind text NOT NULL,
    reference text NOT NULL,
    order_reference text NOT NULL,
    given text NOT NULL,
    alias text,
    source text DEFAULT 'merchant'::text NOT NULL,
    CONSTRAINT order_nested_reference_kind_check CHECK ((kind = ANY (ARRAY['transaction'::text, 'delivery'::text, 'item'::text, 'refund'::text, 'dispute'::text]))),
    CONSTRAINT order_nested_reference_source_check CHECK ((source = ANY (ARRAY['merchant'::text, 'saga'::text])))
);


--
-- Name: order_push; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.order_push (
    organisation_id text NOT NULL,
    integration_id text NOT NULL,
    reference_id text NOT NULL,
    part text NOT NULL,
    seq bigint NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    state text NOT NULL,
    source text NOT NULL,
    reason text,
    error_code text,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT order_push_source_check CHECK ((source = ANY (ARRAY['merchant'::text, 'saga'::text, 'repair'::text]))),
    CONSTRAINT order_push_state_check CHECK ((state = ANY (ARRAY['DUE'::text, 'PARKED'::text]))),
    CONSTRAINT parked_has_a_reason CHECK (((state <> 'PARKED'::text) OR (reason IS NOT NULL)))
);


--
-- Name: order_push_seq_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.order_push ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.order_push_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: order_record; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.order_record (
    organisation_id text NOT NULL,
    integration_id text NOT NULL,
    reference_id text NOT NULL,
    seq bigint NOT NULL,
    type text NOT NULL,
    state text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    submitted jsonb NOT NULL,
    submitted_hash bytea NOT NULL,
    body jsonb NOT NULL,
    order_id text,
    ready text[] DEFAULT '{}'::text[] NOT NULL,
    missing jsonb DEFAULT '{}'::jsonb NOT NULL,
    warnings jsonb DEFAULT '[]'::jsonb NOT NULL,
    reason text,
    error_code text,
    difference jsonb,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone,
    accepted_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    email_hmac bytea,
    account_hmac bytea,
    CONSTRAINT created_order_has_an_id CHECK (((state <> 'CREATED'::text) OR (order_id IS NOT NULL))),
    CONSTRAINT order_at_rest_has_a_reason CHECK (((state <> ALL (ARRAY['HELD'::text, 'REFUSED'::text])) OR (reason IS NOT NULL))),
    CONSTRAINT order_record_state_check CHECK ((state = ANY (ARRAY['HELD'::text, 'WAITING'::text, 'CHECKING'::text, 'CREATED'::text, 'REFUSED'::text]))),
    CONSTRAINT order_record_type_check CHECK ((type = ANY (ARRAY['COMPLETE'::text, 'PARTIAL'::text]))),
    CONSTRAINT order_under_way_has_a_plan CHECK (((state <> ALL (ARRAY['WAITING'::text, 'CHECKING'::text])) OR (next_attempt_at IS NOT NULL)))
)
WITH (fillfactor='80');


--
-- Name: order_record_seq_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.order_record ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.order_record_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: policy_activation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.policy_activation (
    id bigint NOT NULL,
    organisation_id text NOT NULL,
    version text NOT NULL,
    previous_version text,
    author text NOT NULL,
    origin text NOT NULL,
    activated_at timestamp with time zone NOT NULL
);


--
-- Name: policy_activation_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.policy_activation ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.policy_activation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: policy_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.policy_version (
    organisation_id text NOT NULL,
    version text NOT NULL,
    source text NOT NULL,
    first_used_at timestamp with time zone NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    author text,
    kind text DEFAULT 'yaml'::text NOT NULL,
    files jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT policy_version_kind_check CHECK ((kind = ANY (ARRAY['yaml'::text, 'module'::text])))
);


--
-- Name: poll_request; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.poll_request (
    organisation_id text NOT NULL,
    alert_id text NOT NULL,
    reason text NOT NULL,
    requested_at timestamp with time zone NOT NULL
);


--
-- Name: quarantine; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.quarantine (
    id bigint NOT NULL,
    organisation_id text NOT NULL,
    event_id text NOT NULL,
    seq bigint,
    reason text NOT NULL,
    detail text DEFAULT ''::text NOT NULL,
    body bytea,
    quarantined_at timestamp with time zone NOT NULL,
    resolved_at timestamp with time zone,
    resolved_by text,
    key_id text,
    body_hash bytea
);


--
-- Name: quarantine_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.quarantine ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.quarantine_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: reconcile_request; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.reconcile_request (
    organisation_id text NOT NULL,
    id text NOT NULL,
    since timestamp with time zone NOT NULL,
    orders integer NOT NULL,
    requested_by text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    report jsonb,
    error text
);


--
-- Name: refund; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.refund (
    organisation_id text NOT NULL,
    id text NOT NULL,
    charge_reference text NOT NULL,
    idempotency_key text NOT NULL,
    round integer DEFAULT 1 NOT NULL,
    kind text DEFAULT 'refund'::text NOT NULL,
    alert_id text NOT NULL,
    network_alert_id text,
    state text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    amount_minor bigint NOT NULL,
    currency text NOT NULL,
    captured_minor bigint NOT NULL,
    external_minor bigint DEFAULT 0 NOT NULL,
    processor_reference text,
    external_reference text,
    failure_code text,
    first_sent_at timestamp with time zone,
    sent_at timestamp with time zone,
    confirmed_at timestamp with time zone,
    lease_owner text,
    lease_until timestamp with time zone,
    next_action_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT external_moves_nothing CHECK ((((state <> 'EXTERNAL'::text) AND (kind <> 'void'::text)) OR (amount_minor = 0))),
    CONSTRAINT never_above_captured CHECK (((amount_minor + external_minor) <= captured_minor)),
    CONSTRAINT open_refund_has_a_plan CHECK (((state <> ALL (ARRAY['INTENT'::text, 'SENT'::text, 'UNKNOWN'::text, 'PENDING'::text])) OR (next_action_at IS NOT NULL))),
    CONSTRAINT refund_amount_minor_check CHECK ((amount_minor >= 0)),
    CONSTRAINT refund_captured_minor_check CHECK ((captured_minor >= 0)),
    CONSTRAINT refund_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT refund_external_minor_check CHECK ((external_minor >= 0)),
    CONSTRAINT refund_kind_check CHECK ((kind = ANY (ARRAY['refund'::text, 'void'::text]))),
    CONSTRAINT refund_state_check CHECK ((state = ANY (ARRAY['INTENT'::text, 'SENT'::text, 'UNKNOWN'::text, 'PENDING'::text, 'CONFIRMED'::text, 'REJECTED'::text, 'HUMAN'::text, 'REVERSED'::text, 'EXTERNAL'::text]))),
    CONSTRAINT sent_has_a_moment CHECK (((state <> ALL (ARRAY['SENT'::text, 'UNKNOWN'::text, 'PENDING'::text, 'CONFIRMED'::text, 'REVERSED'::text])) OR (first_sent_at IS NOT NULL)))
);


--
-- Name: refund_approval; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.refund_approval (
    id bigint NOT NULL,
    organisation_id text NOT NULL,
    alert_id text NOT NULL,
    charge_reference text NOT NULL,
    amount_minor bigint NOT NULL,
    currency text NOT NULL,
    state text NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    settled_because text,
    CONSTRAINT refund_approval_amount_minor_check CHECK ((amount_minor > 0)),
    CONSTRAINT refund_approval_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'DECLINED'::text, 'REPLACED'::text, 'OVERTAKEN'::text])))
);


--
-- Name: refund_approval_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.refund_approval ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.refund_approval_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: refund_approver; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.refund_approver (
    approval_id bigint NOT NULL,
    person text NOT NULL,
    organisation_id text NOT NULL,
    operator text NOT NULL,
    approved_at timestamp with time zone NOT NULL
);


--
-- Name: refund_breaker; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.refund_breaker (
    organisation_id text NOT NULL,
    threshold integer,
    measured_at timestamp with time zone NOT NULL,
    opened_at timestamp with time zone,
    opened_count integer,
    snoozed_until timestamp with time zone
);


--
-- Name: refund_customer; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.refund_customer (
    organisation_id text NOT NULL,
    identity text NOT NULL,
    refund_id text NOT NULL
);


--
-- Name: representment; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.representment (
    organisation_id text NOT NULL,
    id text NOT NULL,
    merchant_id text,
    dispute_status text,
    dispute_stage text,
    dispute_due_by timestamp with time zone,
    amount_minor bigint,
    currency text,
    transaction_reference_id text,
    acquirer_reference_number text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    snapshot jsonb NOT NULL,
    snapshot_hash bytea NOT NULL,
    source text NOT NULL,
    read_at timestamp with time zone,
    needs_read boolean DEFAULT false NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT representment_source_check CHECK ((source = ANY (ARRAY['webhook'::text, 'poll'::text])))
);


--
-- Name: request_budget; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.request_budget (
    organisation_id text NOT NULL,
    pool text NOT NULL,
    grants timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    paused_until timestamp with time zone,
    penalties integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');


--
-- Name: review_claim; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.review_claim (
    organisation_id text NOT NULL,
    alert_id text NOT NULL,
    operator text NOT NULL,
    claimed_at timestamp with time zone NOT NULL,
    claimed_until timestamp with time zone NOT NULL
);


--
-- Name: review_comment; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.review_comment (
    id bigint NOT NULL,
    organisation_id text NOT NULL,
    alert_id text NOT NULL,
    operator text NOT NULL,
    text text NOT NULL,
    at timestamp with time zone NOT NULL
);


--
-- Name: review_comment_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.review_comment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.review_comment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: saved_view; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.saved_view (
    id bigint NOT NULL,
    organisation_id text NOT NULL,
    operator text NOT NULL,
    name text NOT NULL,
    query text NOT NULL,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: saved_view_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.saved_view ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.saved_view_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: scheme_notice; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.scheme_notice (
    organisation_id text NOT NULL,
    id text NOT NULL,
    merchant_id text,
    scheme_notice_type text,
    notice_type text,
    scheme text,
    is_revoked boolean,
    fraud_reported_at timestamp with time zone,
    amount_minor bigint,
    currency text,
    card_bin text,
    card_last4 text,
    acquirer_reference_number text,
    purchase_date timestamp with time zone,
    created_at timestamp with time zone,
    updated_at timestamp with time zone NOT NULL,
    snapshot jsonb NOT NULL,
    snapshot_hash bytea NOT NULL,
    source text NOT NULL,
    read_at timestamp with time zone,
    needs_read boolean DEFAULT false NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT scheme_notice_source_check CHECK ((source = ANY (ARRAY['webhook'::text, 'poll'::text])))
);


--
-- Name: shadow_report; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.shadow_report (
    organisation_id text NOT NULL,
    day date NOT NULL,
    report jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: side_action; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.side_action (
    organisation_id text NOT NULL,
    id text NOT NULL,
    alert_id text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    cause text NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    state text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone,
    last_error text,
    created_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    CONSTRAINT due_action_has_a_plan CHECK (((state = 'DUE'::text) = (next_attempt_at IS NOT NULL))),
    CONSTRAINT side_action_kind_check CHECK ((kind = ANY (ARRAY['cancel_subscription'::text, 'stop_fulfilment'::text, 'block_customer'::text, 'notify'::text]))),
    CONSTRAINT side_action_state_check CHECK ((state = ANY (ARRAY['DUE'::text, 'DONE'::text, 'FAILED'::text])))
);


--
-- Name: side_action_due; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.side_action_due (
    organisation_id text NOT NULL,
    alert_id text NOT NULL
);


--
-- Name: worker_heartbeat; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.worker_heartbeat (
    worker_id text NOT NULL,
    organisation_id text NOT NULL,
    role text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL
);


--
-- Name: inbox_event_2026_11; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.inbox_event ATTACH PARTITION public.inbox_event_2026_11 FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00');


--
-- Name: inbox_event_2026_12; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.inbox_event ATTACH PARTITION public.inbox_event_2026_12 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2027-01-01 00:00:00+00');


--
-- Name: inbox_event_rest; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.inbox_event ATTACH PARTITION public.inbox_event_rest DEFAULT;


--
-- Data for Name: activity_day; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.activity_day VALUES
	('org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'closed:DECLARED_REFUND', '', 1, 0),
	('org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'received', '', 1, 0),
	('org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'refund', 'USD', 1, 2900);


--
-- Data for Name: activity_hour; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.activity_hour VALUES
	('org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'received', '', 1, 0),
	('org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'closed:DECLARED_REFUND', '', 1, 0),
	('org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'refund', 'USD', 1, 2900),
	('org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'received', '', 5, 0),
	('org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'closed:DECLARED_REFUND', '', 3, 0),
	('org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'USD', 1, 1900);


--
-- Data for Name: alert; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.alert VALUES
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_8845ffc2e13a74934af3a40c5c', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-23 01:00:00+00', 2900, 'USD', '2026-11-08 01:00:00+00', '283159', '51617992647361904039153', 'DEMO STORE', '411111', '4610', NULL, 'SCHEME_A', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '{"id": "netalrt_8845ffc2e13a74934af3a40c5c", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-21T01:00:00.000Z", "updated_at": "2026-11-21T01:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "4610", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_A", "action_required_deadline": "2026-11-23T01:00:00.000Z", "transaction_authorised_at": "2026-11-08T01:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "283159", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "51617992647361904039153"}', '\x7902c1a0eb275c5e9c488b8d519269e4333969450b568ba4c261404423c3e617', 'webhook', '2026-11-21 04:30:00+00', false, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_7c973a9361bfd93c73b742a47d', 'RESOLVED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-23 01:00:00+00', 2900, 'USD', '2026-11-04 01:00:00+00', '725143', '90387750581152087681826', 'DEMO STORE', '411111', '7348', NULL, 'SCHEME_B', NULL, NULL, 'REFUNDED', NULL, 'already refunded re_03b07e940d82094321c9', NULL, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '{"id": "netalrt_7c973a9361bfd93c73b742a47d", "note": "already refunded re_03b07e940d82094321c9", "status": "RESOLVED", "created_at": "2026-11-21T01:00:00.000Z", "updated_at": "2026-11-21T01:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "7348", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_B", "action_required_deadline": "2026-11-23T01:00:00.000Z", "transaction_authorised_at": "2026-11-04T01:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": "REFUNDED", "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "725143", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "90387750581152087681826"}', '\x6a1136b1ed439d059b6c2035a559910adc5287a4af74d2bb6e6483526ff4a8d1', 'poll', '2026-11-21 04:00:00+00', false, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_3fcc08060d826075bb915a9d05', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-23 04:30:00+00', 2900, 'USD', '2026-11-04 04:30:00+00', '514387', '31661135405811645555562', 'DEMO STORE', '411111', '5583', NULL, 'SCHEME_A', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', '{"id": "netalrt_3fcc08060d826075bb915a9d05", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-21T04:30:00.000Z", "updated_at": "2026-11-21T04:30:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "5583", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_A", "action_required_deadline": "2026-11-23T04:30:00.000Z", "transaction_authorised_at": "2026-11-04T04:30:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "514387", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "31661135405811645555562"}', '\x0185d3301d967063f982728731214919e81514bb5ec0b427be713bb238079817', 'webhook', '2026-11-21 04:30:00+00', false, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_5187c240a91d493c843156b8b6', 'RESOLVED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-23 01:00:00+00', 2900, 'USD', '2026-11-17 01:00:00+00', '492281', '23246145089785272936077', 'DEMO STORE', '411111', '8153', NULL, 'SCHEME_B', NULL, NULL, 'REFUNDED', NULL, 'authorisation voided', NULL, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '{"id": "netalrt_5187c240a91d493c843156b8b6", "note": "authorisation voided", "status": "RESOLVED", "created_at": "2026-11-21T01:00:00.000Z", "updated_at": "2026-11-21T01:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "8153", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_B", "action_required_deadline": "2026-11-23T01:00:00.000Z", "transaction_authorised_at": "2026-11-17T01:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": "REFUNDED", "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "492281", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "23246145089785272936077"}', '\x3444c8f8df4d2ea72309a5f1db7a447bb25e1a120632ad0cba7e8718fab0148b', 'poll', '2026-11-21 04:00:00+00', false, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_8e729c219b2653eb5a705e5616', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-23 04:00:00+00', 2900, 'USD', '2026-11-10 04:00:00+00', '300264', '39701038391763435596456', 'DEMO STORE', '411111', '2170', NULL, 'SCHEME_A', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-21 04:00:00+00', '2026-11-21 04:00:00+00', '{"id": "netalrt_8e729c219b2653eb5a705e5616", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-21T04:00:00.000Z", "updated_at": "2026-11-21T04:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "2170", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_A", "action_required_deadline": "2026-11-23T04:00:00.000Z", "transaction_authorised_at": "2026-11-10T04:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "300264", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "39701038391763435596456"}', '\x4eaccf2e8b3ddc0d70553b11c0b24206201fe9a68b8021e8b7fb19268acdd831', 'webhook', '2026-11-21 04:30:00+00', false, '2026-11-21 04:00:00+00', '2026-11-21 04:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'RESOLVED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-23 01:00:00+00', 2900, 'USD', '2026-11-15 01:00:00+00', '078159', '21745295455339565662802', 'DEMO STORE', '411111', '7862', NULL, 'SCHEME_A', NULL, NULL, 'REFUNDED', NULL, 'refund re_def11a7e1247f12b04f7', NULL, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '{"id": "netalrt_970f42ef8a798eccaeb95f1dcf", "note": "refund re_def11a7e1247f12b04f7", "status": "RESOLVED", "created_at": "2026-11-21T01:00:00.000Z", "updated_at": "2026-11-21T01:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "7862", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_A", "action_required_deadline": "2026-11-23T01:00:00.000Z", "transaction_authorised_at": "2026-11-15T01:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": "REFUNDED", "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "078159", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "21745295455339565662802"}', '\x752c2ed2cfe6ff0c86d33f65d561de03823a8865b235247c45608847e05b343d', 'poll', '2026-11-21 04:00:00+00', false, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_ce4b9699064c680456bdffc826', 'RESOLVED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-22 00:00:00+00', 2900, 'USD', '2026-11-18 00:00:00+00', '394228', '63243264192842920199495', 'DEMO STORE', '411111', '2483', NULL, 'SCHEME_A', NULL, NULL, 'REFUNDED', NULL, 'refund re_44a3d760389dd4e44723', NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '{"id": "netalrt_ce4b9699064c680456bdffc826", "note": "refund re_44a3d760389dd4e44723", "status": "RESOLVED", "created_at": "2026-11-20T00:00:00.000Z", "updated_at": "2026-11-20T00:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "2483", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_A", "action_required_deadline": "2026-11-22T00:00:00.000Z", "transaction_authorised_at": "2026-11-18T00:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": "REFUNDED", "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "394228", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "63243264192842920199495"}', '\x4efb1f6e852d6dea342d10708d7ca3abc74f8247138b839db05e0cff34b3efd9', 'poll', '2026-11-21 04:00:00+00', false, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_f33460678f5ad64cb8375996d2', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-23 04:30:00+00', 2900, 'USD', '2026-11-09 04:30:00+00', '069527', '23347873715064492632924', 'DEMO STORE', '411111', '2911', NULL, 'SCHEME_B', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', '{"id": "netalrt_f33460678f5ad64cb8375996d2", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-21T04:30:00.000Z", "updated_at": "2026-11-21T04:30:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "2911", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_B", "action_required_deadline": "2026-11-23T04:30:00.000Z", "transaction_authorised_at": "2026-11-09T04:30:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "069527", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "23347873715064492632924"}', '\xfa063fcaed5942740adedd28c673f1947cee83707e4ebb9a04cd668de3058bf0', 'webhook', '2026-11-21 04:30:00+00', false, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-23 01:00:00+00', 2900, 'USD', '2026-11-19 01:00:00+00', '633873', '34672038359259716911986', 'DEMO STORE', '411111', '3541', NULL, 'SCHEME_B', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '{"id": "netalrt_ce25fd40809dcc61fe389b8e3d", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-21T01:00:00.000Z", "updated_at": "2026-11-21T01:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "3541", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_B", "action_required_deadline": "2026-11-23T01:00:00.000Z", "transaction_authorised_at": "2026-11-19T01:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "633873", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "34672038359259716911986"}', '\xec66c1c260259b11aaf383bd006f01b001d03b227d7851d76076b45d31856a53', 'webhook', '2026-11-21 04:30:00+00', false, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_e27549f1f872221e3eb4d6c343', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-23 04:30:00+00', 2900, 'USD', '2026-11-04 04:30:00+00', '514387', '31661135405811645555562', 'DEMO STORE', '411111', '5583', NULL, 'SCHEME_A', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', '{"id": "netalrt_e27549f1f872221e3eb4d6c343", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-21T04:30:00.000Z", "updated_at": "2026-11-21T04:30:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "5583", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_A", "action_required_deadline": "2026-11-23T04:30:00.000Z", "transaction_authorised_at": "2026-11-04T04:30:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "514387", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "31661135405811645555562"}', '\x5295dd284c9ab9091463649de119220ebfd00c2e8565f8975a13498ae2bbbaf1', 'webhook', '2026-11-21 04:30:00+00', false, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_edaa8a70870246e37fdff74182', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-23 04:30:00+00', 1000, 'USD', '2026-11-09 04:30:00+00', '320310', '39572876482452823764612', 'DEMO STORE', '411111', '3415', NULL, 'SCHEME_B', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', '{"id": "netalrt_edaa8a70870246e37fdff74182", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-21T04:30:00.000Z", "updated_at": "2026-11-21T04:30:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "3415", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_B", "action_required_deadline": "2026-11-23T04:30:00.000Z", "transaction_authorised_at": "2026-11-09T04:30:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 1000, "transaction_authorisation_code": "320310", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "39572876482452823764612"}', '\x78eb9319fbff0730bb04d2fa582679068ef4c48d3521afa28f9e5fd6945fef32', 'webhook', '2026-11-21 04:30:00+00', false, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-23 04:30:00+00', 2900, 'USD', '2026-11-04 04:30:00+00', '483292', '67789939202480662390608', 'DEMO STORE', '411111', '4524', NULL, 'SCHEME_B', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', '{"id": "netalrt_e9a3a99ad30b17bfa2a7d9c382", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-21T04:30:00.000Z", "updated_at": "2026-11-21T04:30:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "4524", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_B", "action_required_deadline": "2026-11-23T04:30:00.000Z", "transaction_authorised_at": "2026-11-04T04:30:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "483292", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "67789939202480662390608"}', '\x368a3e95c6fb08600ec572e8f6c05b572102e484afede5f7df4dd90e83e273f8', 'webhook', '2026-11-21 04:30:00+00', false, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_e70689d0b3506243bc8954d8dc', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-23 04:30:00+00', 2900, 'USD', '2026-11-20 04:30:00+00', '622362', '35664018337412468441403', 'DEMO STORE', '411111', '6050', NULL, 'SCHEME_B', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', '{"id": "netalrt_e70689d0b3506243bc8954d8dc", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-21T04:30:00.000Z", "updated_at": "2026-11-21T04:30:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "6050", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_B", "action_required_deadline": "2026-11-23T04:30:00.000Z", "transaction_authorised_at": "2026-11-20T04:30:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "622362", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "35664018337412468441403"}', '\x19d9cb353fb2cab5f59d4a981139bfb311499904daa20267e5c29bd0a1323331', 'webhook', '2026-11-21 04:30:00+00', false, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00');


--
-- Data for Name: alert_case; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.alert_case VALUES
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_ce4b9699064c680456bdffc826', 'DECLARED_REFUND', DEFAULT, 11, '2026-11-20 00:00:00+00', '2026-11-22 00:00:00+00', NULL, NULL, NULL, 0, NULL, 1, 1, 'ch_933196426574', 'rf_cdc7a960299c98c3d70bdad4a6', NULL, NULL, NULL, NULL, false, NULL, 0, NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'DECLARED_REFUND', DEFAULT, 12, '2026-11-21 01:00:00+00', '2026-11-23 01:00:00+00', NULL, NULL, NULL, 0, NULL, 2, 4, 'ch_470098884499', 'rf_866e92bc036c889738fbb419a4', NULL, NULL, NULL, NULL, false, NULL, 0, NULL, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_7c973a9361bfd93c73b742a47d', 'DECLARED_REFUND', DEFAULT, 9, '2026-11-21 01:00:00+00', '2026-11-23 01:00:00+00', NULL, NULL, NULL, 0, NULL, 3, 2, 'ch_919109415537', 'rf_23d047a47b30cd0ca5707ef8a4', NULL, NULL, NULL, NULL, false, NULL, 0, NULL, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'HUMAN', DEFAULT, 17, '2026-11-21 01:00:00+00', '2026-11-23 01:00:00+00', '2026-11-23 01:00:00+00', NULL, NULL, 0, NULL, 6, 7, 'ch_859453712839', 'rf_4849d87cc7fab22e0097722087', 'refund_unresolved', NULL, NULL, NULL, false, '2026-11-22 01:00:00+00', 0, NULL, NULL, NULL, '2026-11-21 03:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_8845ffc2e13a74934af3a40c5c', 'HUMAN', DEFAULT, 17, '2026-11-21 01:00:00+00', '2026-11-23 01:00:00+00', '2026-11-23 01:00:00+00', NULL, NULL, 0, NULL, 5, 6, 'ch_425700558717', 'rf_e527c3c2e3cb114de31df86559', 'refund_unresolved', NULL, NULL, NULL, false, '2026-11-22 01:00:00+00', 0, NULL, NULL, NULL, '2026-11-21 03:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_5187c240a91d493c843156b8b6', 'DECLARED_REFUND', DEFAULT, 11, '2026-11-21 01:00:00+00', '2026-11-23 01:00:00+00', NULL, NULL, NULL, 0, NULL, 4, 5, 'ch_340172016941', 'rf_1147a496295d11bc265ed80e6d', NULL, NULL, NULL, NULL, false, NULL, 0, NULL, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_f33460678f5ad64cb8375996d2', 'REFUNDING', DEFAULT, 9, '2026-11-21 04:30:00+00', '2026-11-23 04:30:00+00', '2026-11-21 04:40:00+00', NULL, NULL, 0, NULL, 8, 9, 'ch_601284878677', 'rf_a256d74a35db395dfa7e66cbea', NULL, 'ACCEPT_DISPUTE', '2026-11-23 02:30:00+00', NULL, false, '2026-11-22 04:30:00+00', 0, NULL, NULL, NULL, '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_8e729c219b2653eb5a705e5616', 'DECLARE_ACCEPT', DEFAULT, 15, '2026-11-21 04:00:00+00', '2026-11-23 04:00:00+00', '2026-11-21 04:30:01.749+00', NULL, NULL, 1, 'SERVER_ERROR from PATCH /v1/alerts/{alert_id}', 7, 8, 'ch_946400183675', 'rf_11e6cce3e55e3081cd45f34f6e', NULL, NULL, NULL, NULL, false, '2026-11-22 04:00:00+00', 0, NULL, NULL, NULL, '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_edaa8a70870246e37fdff74182', 'DECLARE_REFUND', DEFAULT, 10, '2026-11-21 04:30:00+00', '2026-11-23 04:30:00+00', '2026-11-21 04:30:01.312+00', NULL, NULL, 1, 'SERVER_ERROR from PATCH /v1/alerts/{alert_id}', 11, 13, 'ch_523439483977', 'rf_59253d6d520c9c562a58ba7d8b', NULL, NULL, NULL, NULL, false, '2026-11-22 04:30:00+00', 0, NULL, NULL, NULL, '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_3fcc08060d826075bb915a9d05', 'DECLARE_REFUND', DEFAULT, 11, '2026-11-21 04:30:00+00', '2026-11-23 04:30:00+00', '2026-11-21 04:30:01.985+00', NULL, NULL, 1, 'SERVER_ERROR from PATCH /v1/alerts/{alert_id}', 9, 12, 'ch_487571517460', 'rf_e23f05577417bb1e81e5171fcf', NULL, NULL, NULL, NULL, false, '2026-11-22 04:30:00+00', 0, NULL, NULL, NULL, '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_e27549f1f872221e3eb4d6c343', 'DECLARE_REFUND', DEFAULT, 11, '2026-11-21 04:30:00+00', '2026-11-23 04:30:00+00', '2026-11-21 04:30:01.759+00', NULL, NULL, 1, 'SERVER_ERROR from PATCH /v1/alerts/{alert_id}', 10, 10, 'ch_487571517460', 'rf_e23f05577417bb1e81e5171fcf', NULL, NULL, NULL, NULL, false, '2026-11-22 04:30:00+00', 0, NULL, NULL, NULL, '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_e70689d0b3506243bc8954d8dc', 'REFUNDING', DEFAULT, 9, '2026-11-21 04:30:00+00', '2026-11-23 04:30:00+00', '2026-11-21 04:40:00+00', NULL, NULL, 0, NULL, 13, 15, 'ch_994063568278', 'rf_4531c9397d0215aa941646d3a4', NULL, 'ACCEPT_DISPUTE', '2026-11-23 02:30:00+00', NULL, false, '2026-11-22 04:30:00+00', 0, NULL, NULL, NULL, '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', 'REFUNDING', DEFAULT, 9, '2026-11-21 04:30:00+00', '2026-11-23 04:30:00+00', '2026-11-21 04:40:00+00', NULL, NULL, 0, NULL, 12, 14, 'ch_545158548112', 'rf_f3ad5f02e9d833047db62cb60c', NULL, 'ACCEPT_DISPUTE', '2026-11-23 02:30:00+00', NULL, false, '2026-11-22 04:30:00+00', 0, NULL, NULL, NULL, '2026-11-21 04:30:00+00');


--
-- Data for Name: audit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit OVERRIDING SYSTEM VALUE VALUES
	(1, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'Charge ch_933196426574 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 1}'),
	(2, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 1}'),
	(3, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'refund', 'rf_cdc7a960299c98c3d70bdad4a6', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_933196426574", "currency": "USD", "amount_minor": 2900}'),
	(4, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_cdc7a960299c98c3d70bdad4a6"}'),
	(5, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'refund', 'rf_cdc7a960299c98c3d70bdad4a6', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_ab992766df9764e01603558d709e4eebe3abd503", "charge": "ch_933196426574", "currency": "USD", "amount_minor": 2900}'),
	(6, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'refund', 'rf_cdc7a960299c98c3d70bdad4a6', 'netalrt_ce4b9699064c680456bdffc826', 'processor', 'refund confirmed', 'SENT', 'CONFIRMED', '{"charge": "ch_933196426574", "currency": "USD", "amount_minor": 2900}'),
	(7, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'order', 'order-933196', NULL, 'forestall', 'order changed by a refund or dispute of ours', 'CREATED', 'CREATED', '{"parts": ["refunds/re_44a3d760389dd4e44723"], "integration_id": "int_fd4d0d3795e94dfcdee9f2c099"}'),
	(8, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'declaration', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'REFUND owed', NULL, 'DUE', '{}'),
	(9, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'refund stands', 'REFUNDING', 'DECLARE_REFUND', '{"refund": "rf_cdc7a960299c98c3d70bdad4a6"}'),
	(10, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'declaration', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'REFUND done', 'DUE', 'DONE', '{}'),
	(11, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'declared', 'DECLARE_REFUND', 'DECLARED_REFUND', '{"note": "refund re_44a3d760389dd4e44723", "outcome": "REFUNDED"}'),
	(12, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'policy', '77e68516b58f8eec', NULL, 'user:root', 'policy activated', NULL, NULL, '{"name": "Demonstration", "author": "user:root", "origin": "built-in", "previous_version": null}'),
	(13, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_cdc7a960299c98c3d70bdad4a6', 'netalrt_ce4b9699064c680456bdffc826', 'processor', 'refund failed after confirmation', 'CONFIRMED', 'REVERSED', '{"charge": "ch_933196426574", "currency": "USD", "amount_minor": 2900}'),
	(14, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'order', 'order-933196', NULL, 'forestall', 'order changed by a refund or dispute of ours', 'CREATED', 'CREATED', '{"parts": ["refunds/re_44a3d760389dd4e44723"], "integration_id": "int_fd4d0d3795e94dfcdee9f2c099"}'),
	(15, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'forestall', 'Charge ch_470098884499 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 2}'),
	(16, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_7c973a9361bfd93c73b742a47d', 'netalrt_7c973a9361bfd93c73b742a47d', 'forestall', 'Charge ch_919109415537 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 3}'),
	(17, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_7c973a9361bfd93c73b742a47d', 'netalrt_7c973a9361bfd93c73b742a47d', 'forestall', 'Answer REFUND without moving money: re_03b07e940d82094321c9 has returned these 29.00 USD already (rule "refunded before" applies, because refunded is full).', 'MATCHED', 'DECIDED_REFUND', '{"rule": "refunded before", "guard": "already_refunded", "decision_id": 2}'),
	(18, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'forestall', 'A person decides about 29.00 USD: 10.00 USD of the charge were refunded before, and the policy asks for the full amount. This stopped REFUND by rule "small amounts". Without a decision it becomes ACCEPT_DISPUTE at 2026-11-22T23:00:00.000Z.', 'MATCHED', 'HUMAN', '{"rule": "small amounts", "guard": "partly_refunded", "decision_id": 3}'),
	(19, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_23d047a47b30cd0ca5707ef8a4', 'netalrt_7c973a9361bfd93c73b742a47d', 'forestall', 'charge reserved', NULL, 'EXTERNAL', '{"charge": "ch_919109415537", "currency": "USD", "amount_minor": 0}'),
	(20, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'order', 'order-919109', NULL, 'forestall', 'order changed by a refund or dispute of ours', 'CREATED', 'CREATED', '{"parts": ["refunds/re_03b07e940d82094321c9"], "integration_id": "int_fd4d0d3795e94dfcdee9f2c099"}'),
	(21, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'declaration', 'netalrt_7c973a9361bfd93c73b742a47d', 'netalrt_7c973a9361bfd93c73b742a47d', 'forestall', 'REFUND owed', NULL, 'DUE', '{}'),
	(22, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_7c973a9361bfd93c73b742a47d', 'netalrt_7c973a9361bfd93c73b742a47d', 'forestall', 'refunded by somebody else', 'DECIDED_REFUND', 'DECLARE_REFUND', '{"refund": "rf_23d047a47b30cd0ca5707ef8a4"}'),
	(23, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'declaration', 'netalrt_7c973a9361bfd93c73b742a47d', 'netalrt_7c973a9361bfd93c73b742a47d', 'forestall', 'REFUND done', 'DUE', 'DONE', '{}'),
	(24, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_7c973a9361bfd93c73b742a47d', 'netalrt_7c973a9361bfd93c73b742a47d', 'forestall', 'declared', 'DECLARE_REFUND', 'DECLARED_REFUND', '{"note": "already refunded re_03b07e940d82094321c9", "outcome": "REFUNDED"}'),
	(25, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'operator:Ines', 'decided REFUND', 'HUMAN', 'DECIDED_REFUND', '{}'),
	(26, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'operator', 'Ines', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'operator:Ines', 'asked for REFUND', 'HUMAN', 'DECIDED_REFUND', '{}'),
	(27, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_5187c240a91d493c843156b8b6', 'netalrt_5187c240a91d493c843156b8b6', 'forestall', 'Charge ch_340172016941 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 4}'),
	(28, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_866e92bc036c889738fbb419a4', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_470098884499", "currency": "USD", "amount_minor": 1900}'),
	(29, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_866e92bc036c889738fbb419a4"}'),
	(30, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_866e92bc036c889738fbb419a4', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_5e0d0a29ce6c41f1e0f2b6106c0bdddc8a5651e2", "charge": "ch_470098884499", "currency": "USD", "amount_minor": 1900}'),
	(31, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_866e92bc036c889738fbb419a4', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'processor', 'refund confirmed', 'SENT', 'CONFIRMED', '{"charge": "ch_470098884499", "currency": "USD", "amount_minor": 1900}'),
	(32, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'order', 'order-470098', NULL, 'forestall', 'order changed by a refund or dispute of ours', 'CREATED', 'CREATED', '{"parts": ["refunds/re_def11a7e1247f12b04f7"], "integration_id": "int_fd4d0d3795e94dfcdee9f2c099"}'),
	(35, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_5187c240a91d493c843156b8b6', 'netalrt_5187c240a91d493c843156b8b6', 'forestall', 'Release the authorisation of 29.00 USD, which was never captured: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 5}'),
	(36, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_1147a496295d11bc265ed80e6d', 'netalrt_5187c240a91d493c843156b8b6', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_340172016941", "currency": "USD", "amount_minor": 0}'),
	(37, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_5187c240a91d493c843156b8b6', 'netalrt_5187c240a91d493c843156b8b6', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_1147a496295d11bc265ed80e6d"}'),
	(38, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_1147a496295d11bc265ed80e6d', 'netalrt_5187c240a91d493c843156b8b6', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_f4dffb8b367de57ffd44fc4cef2cdd38dc899725", "charge": "ch_340172016941", "currency": "USD", "amount_minor": 0}'),
	(41, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_1147a496295d11bc265ed80e6d', 'netalrt_5187c240a91d493c843156b8b6', 'processor', 'refund confirmed', 'SENT', 'CONFIRMED', '{"charge": "ch_340172016941", "currency": "USD", "amount_minor": 0}'),
	(42, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'declaration', 'netalrt_5187c240a91d493c843156b8b6', 'netalrt_5187c240a91d493c843156b8b6', 'forestall', 'REFUND owed', NULL, 'DUE', '{}'),
	(43, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_5187c240a91d493c843156b8b6', 'netalrt_5187c240a91d493c843156b8b6', 'forestall', 'refund stands', 'REFUNDING', 'DECLARE_REFUND', '{"refund": "rf_1147a496295d11bc265ed80e6d"}'),
	(44, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'declaration', 'netalrt_5187c240a91d493c843156b8b6', 'netalrt_5187c240a91d493c843156b8b6', 'forestall', 'REFUND done', 'DUE', 'DONE', '{}'),
	(45, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_5187c240a91d493c843156b8b6', 'netalrt_5187c240a91d493c843156b8b6', 'forestall', 'declared', 'DECLARE_REFUND', 'DECLARED_REFUND', '{"note": "authorisation voided", "outcome": "REFUNDED"}'),
	(33, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'declaration', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'forestall', 'REFUND owed', NULL, 'DUE', '{}'),
	(34, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'forestall', 'refund stands', 'REFUNDING', 'DECLARE_REFUND', '{"refund": "rf_866e92bc036c889738fbb419a4"}'),
	(39, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'declaration', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'forestall', 'REFUND done', 'DUE', 'DONE', '{}'),
	(40, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'forestall', 'declared', 'DECLARE_REFUND', 'DECLARED_REFUND', '{"note": "refund re_def11a7e1247f12b04f7", "outcome": "REFUNDED"}'),
	(46, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_8845ffc2e13a74934af3a40c5c', 'netalrt_8845ffc2e13a74934af3a40c5c', 'forestall', 'Charge ch_425700558717 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 5}'),
	(47, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_8845ffc2e13a74934af3a40c5c', 'netalrt_8845ffc2e13a74934af3a40c5c', 'forestall', 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 6}'),
	(48, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_e527c3c2e3cb114de31df86559', 'netalrt_8845ffc2e13a74934af3a40c5c', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_425700558717", "currency": "USD", "amount_minor": 2900}'),
	(49, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_8845ffc2e13a74934af3a40c5c', 'netalrt_8845ffc2e13a74934af3a40c5c', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_e527c3c2e3cb114de31df86559"}'),
	(50, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_e527c3c2e3cb114de31df86559', 'netalrt_8845ffc2e13a74934af3a40c5c', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_7677355e0a091d4fcbeb9dfb4330b729a32e3e9f", "charge": "ch_425700558717", "currency": "USD", "amount_minor": 2900}'),
	(51, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_e527c3c2e3cb114de31df86559', 'netalrt_8845ffc2e13a74934af3a40c5c', 'forestall', 'answer missing', 'SENT', 'UNKNOWN', '{"charge": "ch_425700558717", "reason": "the call ended: broken", "currency": "USD", "amount_minor": 2900}'),
	(52, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'forestall', 'Charge ch_859453712839 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 6}'),
	(53, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'forestall', 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 7}'),
	(54, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_4849d87cc7fab22e0097722087', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_859453712839", "currency": "USD", "amount_minor": 2900}'),
	(55, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'case', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_4849d87cc7fab22e0097722087"}'),
	(56, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_4849d87cc7fab22e0097722087', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_97ae6bfb71a1b52067b17ca6b4320742df6e2369", "charge": "ch_859453712839", "currency": "USD", "amount_minor": 2900}'),
	(57, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 01:00:00+00', 'refund', 'rf_4849d87cc7fab22e0097722087', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'forestall', 'answer missing', 'SENT', 'UNKNOWN', '{"charge": "ch_859453712839", "reason": "the call ended: broken", "currency": "USD", "amount_minor": 2900}'),
	(58, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 03:00:00+00', 'refund', 'rf_e527c3c2e3cb114de31df86559', 'netalrt_8845ffc2e13a74934af3a40c5c', 'forestall', 'refund needs a person', 'UNKNOWN', 'HUMAN', '{"charge": "ch_425700558717", "reason": "key_expired", "currency": "USD", "amount_minor": 2900}'),
	(61, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 03:00:00+00', 'case', 'netalrt_8845ffc2e13a74934af3a40c5c', 'netalrt_8845ffc2e13a74934af3a40c5c', 'forestall', 'held for a person', 'REFUNDING', 'HUMAN', '{"reason": "refund_unresolved"}'),
	(59, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 03:00:00+00', 'refund', 'rf_4849d87cc7fab22e0097722087', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'forestall', 'refund needs a person', 'UNKNOWN', 'HUMAN', '{"charge": "ch_859453712839", "reason": "key_expired", "currency": "USD", "amount_minor": 2900}'),
	(60, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 03:00:00+00', 'case', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'forestall', 'held for a person', 'REFUNDING', 'HUMAN', '{"reason": "refund_unresolved"}'),
	(62, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:00:00+00', 'case', 'netalrt_8e729c219b2653eb5a705e5616', 'netalrt_8e729c219b2653eb5a705e5616', 'forestall', 'Charge ch_946400183675 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 7}'),
	(63, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:00:00+00', 'case', 'netalrt_8e729c219b2653eb5a705e5616', 'netalrt_8e729c219b2653eb5a705e5616', 'forestall', 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 8}'),
	(64, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:00:00+00', 'refund', 'rf_11e6cce3e55e3081cd45f34f6e', 'netalrt_8e729c219b2653eb5a705e5616', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_946400183675", "currency": "USD", "amount_minor": 2900}'),
	(65, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:00:00+00', 'case', 'netalrt_8e729c219b2653eb5a705e5616', 'netalrt_8e729c219b2653eb5a705e5616', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_11e6cce3e55e3081cd45f34f6e"}'),
	(66, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:00:00+00', 'refund', 'rf_11e6cce3e55e3081cd45f34f6e', 'netalrt_8e729c219b2653eb5a705e5616', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_dca3b0ab3d46630ca308c7adcb070d87ed4fbce8", "charge": "ch_946400183675", "currency": "USD", "amount_minor": 2900}'),
	(67, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:00:00+00', 'refund', 'rf_11e6cce3e55e3081cd45f34f6e', 'netalrt_8e729c219b2653eb5a705e5616', 'processor', 'refund accepted, not settled', 'SENT', 'PENDING', '{"charge": "ch_946400183675", "currency": "USD", "amount_minor": 2900}'),
	(68, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_11e6cce3e55e3081cd45f34f6e', 'netalrt_8e729c219b2653eb5a705e5616', 'processor', 'refund refused', 'PENDING', 'REJECTED', '{"charge": "ch_946400183675", "currency": "USD", "amount_minor": 2900}'),
	(69, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_8e729c219b2653eb5a705e5616', 'netalrt_8e729c219b2653eb5a705e5616', 'forestall', 'refund refused by the processor, dispute accepted by policy', 'REFUNDING', 'DECIDED_ACCEPT', '{"failure_code": "card_closed"}'),
	(70, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'declaration', 'netalrt_8e729c219b2653eb5a705e5616', 'netalrt_8e729c219b2653eb5a705e5616', 'forestall', 'ACCEPT_DISPUTE owed', NULL, 'DUE', '{}'),
	(71, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_8e729c219b2653eb5a705e5616', 'netalrt_8e729c219b2653eb5a705e5616', 'forestall', 'no money moved; the answer is owed', 'DECIDED_ACCEPT', 'DECLARE_ACCEPT', '{}'),
	(72, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_f33460678f5ad64cb8375996d2', 'netalrt_f33460678f5ad64cb8375996d2', 'forestall', 'Charge ch_601284878677 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 8}'),
	(73, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_f33460678f5ad64cb8375996d2', 'netalrt_f33460678f5ad64cb8375996d2', 'forestall', 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 9}'),
	(74, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_a256d74a35db395dfa7e66cbea', 'netalrt_f33460678f5ad64cb8375996d2', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_601284878677", "currency": "USD", "amount_minor": 2900}'),
	(75, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_f33460678f5ad64cb8375996d2', 'netalrt_f33460678f5ad64cb8375996d2', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_a256d74a35db395dfa7e66cbea"}'),
	(76, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_a256d74a35db395dfa7e66cbea', 'netalrt_f33460678f5ad64cb8375996d2', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_149693f3e6f51af63f4092fdaed6e2a858cb0fe3", "charge": "ch_601284878677", "currency": "USD", "amount_minor": 2900}'),
	(77, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_a256d74a35db395dfa7e66cbea', 'netalrt_f33460678f5ad64cb8375996d2', 'processor', 'refund accepted, not settled', 'SENT', 'PENDING', '{"charge": "ch_601284878677", "currency": "USD", "amount_minor": 2900}'),
	(79, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_edaa8a70870246e37fdff74182', 'netalrt_edaa8a70870246e37fdff74182', 'forestall', 'Charge ch_523439483977 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 11}'),
	(83, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_edaa8a70870246e37fdff74182', 'netalrt_edaa8a70870246e37fdff74182', 'forestall', 'A person decides about 10.00 USD: the alert is about 10.00 USD, the charge about 29.00 USD. This stopped REFUND by rule "small amounts". Without a decision it becomes ACCEPT_DISPUTE at 2026-11-23T02:30:00.000Z.', 'MATCHED', 'HUMAN', '{"rule": "small amounts", "guard": "amount_differs", "decision_id": 11}'),
	(84, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_e23f05577417bb1e81e5171fcf', 'netalrt_e27549f1f872221e3eb4d6c343', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_487571517460", "currency": "USD", "amount_minor": 2900}'),
	(85, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_e27549f1f872221e3eb4d6c343', 'netalrt_e27549f1f872221e3eb4d6c343', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_e23f05577417bb1e81e5171fcf"}'),
	(87, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_e23f05577417bb1e81e5171fcf', 'netalrt_e27549f1f872221e3eb4d6c343', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_e7443d6e10f679175b8f3da62a5d7dde45ccd2ff", "charge": "ch_487571517460", "currency": "USD", "amount_minor": 2900}'),
	(88, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_e23f05577417bb1e81e5171fcf', 'netalrt_e27549f1f872221e3eb4d6c343', 'processor', 'refund confirmed', 'SENT', 'CONFIRMED', '{"charge": "ch_487571517460", "currency": "USD", "amount_minor": 2900}'),
	(89, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'order', 'order-487571', NULL, 'forestall', 'order changed by a refund or dispute of ours', 'CREATED', 'CREATED', '{"parts": ["refunds/re_7c46d0d996395c2954c6"], "integration_id": "int_fd4d0d3795e94dfcdee9f2c099"}'),
	(90, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'declaration', 'netalrt_3fcc08060d826075bb915a9d05', 'netalrt_3fcc08060d826075bb915a9d05', 'forestall', 'REFUND owed', NULL, 'DUE', '{}'),
	(91, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_3fcc08060d826075bb915a9d05', 'netalrt_3fcc08060d826075bb915a9d05', 'forestall', 'refund stands', 'REFUNDING', 'DECLARE_REFUND', '{"refund": "rf_e23f05577417bb1e81e5171fcf"}'),
	(100, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', 'forestall', 'Charge ch_545158548112 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 12}'),
	(78, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_3fcc08060d826075bb915a9d05', 'netalrt_3fcc08060d826075bb915a9d05', 'forestall', 'Charge ch_487571517460 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 9}'),
	(80, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_e27549f1f872221e3eb4d6c343', 'netalrt_e27549f1f872221e3eb4d6c343', 'forestall', 'Charge ch_487571517460 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 10}'),
	(81, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_e27549f1f872221e3eb4d6c343', 'netalrt_e27549f1f872221e3eb4d6c343', 'forestall', 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 10}'),
	(82, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_3fcc08060d826075bb915a9d05', 'netalrt_3fcc08060d826075bb915a9d05', 'forestall', 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 12}'),
	(86, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_3fcc08060d826075bb915a9d05', 'netalrt_3fcc08060d826075bb915a9d05', 'forestall', 'joined the charge’s refund', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_e23f05577417bb1e81e5171fcf"}'),
	(92, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'declaration', 'netalrt_e27549f1f872221e3eb4d6c343', 'netalrt_e27549f1f872221e3eb4d6c343', 'forestall', 'REFUND owed', NULL, 'DUE', '{}'),
	(93, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_e27549f1f872221e3eb4d6c343', 'netalrt_e27549f1f872221e3eb4d6c343', 'forestall', 'refund stands', 'REFUNDING', 'DECLARE_REFUND', '{"refund": "rf_e23f05577417bb1e81e5171fcf"}'),
	(94, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_edaa8a70870246e37fdff74182', 'netalrt_edaa8a70870246e37fdff74182', 'operator:Ines', 'decided REFUND', 'HUMAN', 'DECIDED_REFUND', '{}'),
	(95, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'operator', 'Ines', 'netalrt_edaa8a70870246e37fdff74182', 'operator:Ines', 'asked for REFUND', 'HUMAN', 'DECIDED_REFUND', '{}'),
	(96, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_59253d6d520c9c562a58ba7d8b', 'netalrt_edaa8a70870246e37fdff74182', 'forestall', 'charge reserved', NULL, 'EXTERNAL', '{"charge": "ch_523439483977", "currency": "USD", "amount_minor": 0}'),
	(97, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'order', 'order-523439', NULL, 'forestall', 'order changed by a refund or dispute of ours', 'CREATED', 'CREATED', '{"parts": ["refunds/re_2bfb64d5890e67817d08"], "integration_id": "int_fd4d0d3795e94dfcdee9f2c099"}'),
	(98, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'declaration', 'netalrt_edaa8a70870246e37fdff74182', 'netalrt_edaa8a70870246e37fdff74182', 'forestall', 'REFUND owed', NULL, 'DUE', '{}'),
	(99, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_edaa8a70870246e37fdff74182', 'netalrt_edaa8a70870246e37fdff74182', 'forestall', 'refunded by somebody else', 'DECIDED_REFUND', 'DECLARE_REFUND', '{"refund": "rf_59253d6d520c9c562a58ba7d8b"}');
INSERT INTO public.audit OVERRIDING SYSTEM VALUE VALUES
	(101, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', 'forestall', 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 14}'),
	(102, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_f3ad5f02e9d833047db62cb60c', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_545158548112", "currency": "USD", "amount_minor": 2900}'),
	(103, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_f3ad5f02e9d833047db62cb60c"}'),
	(104, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_f3ad5f02e9d833047db62cb60c', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_f2a0523f27383f86b6d212d46cba62e157a2dea5", "charge": "ch_545158548112", "currency": "USD", "amount_minor": 2900}'),
	(105, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_f3ad5f02e9d833047db62cb60c', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', 'forestall', 'answer missing', 'SENT', 'UNKNOWN', '{"charge": "ch_545158548112", "reason": "the call ended: broken", "currency": "USD", "amount_minor": 2900}'),
	(106, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_e70689d0b3506243bc8954d8dc', 'netalrt_e70689d0b3506243bc8954d8dc', 'forestall', 'Charge ch_994063568278 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 13}'),
	(107, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_e70689d0b3506243bc8954d8dc', 'netalrt_e70689d0b3506243bc8954d8dc', 'forestall', 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 15}'),
	(108, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_4531c9397d0215aa941646d3a4', 'netalrt_e70689d0b3506243bc8954d8dc', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_994063568278", "currency": "USD", "amount_minor": 2900}'),
	(109, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'case', 'netalrt_e70689d0b3506243bc8954d8dc', 'netalrt_e70689d0b3506243bc8954d8dc', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_4531c9397d0215aa941646d3a4"}'),
	(110, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_4531c9397d0215aa941646d3a4', 'netalrt_e70689d0b3506243bc8954d8dc', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_49db124cb8ea2f9527e8e1a517ad8453c968c2e5", "charge": "ch_994063568278", "currency": "USD", "amount_minor": 2900}'),
	(111, 'org_b80b16a547b10e933f04fcfb58', '2026-11-21 04:30:00+00', 'refund', 'rf_4531c9397d0215aa941646d3a4', 'netalrt_e70689d0b3506243bc8954d8dc', 'forestall', 'answer missing', 'SENT', 'UNKNOWN', '{"charge": "ch_994063568278", "reason": "the call ended: broken", "currency": "USD", "amount_minor": 2900}');


--
-- Data for Name: backtest; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: blocked_customer; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: book_check; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.book_check VALUES
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_7c973a9361bfd93c73b742a47d', '2026-11-21 02:00:00+00', '2026-11-22 01:00:00+00', 'found', 0, 'USD'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_970f42ef8a798eccaeb95f1dcf', '2026-11-21 02:00:00+00', '2026-11-22 01:00:00+00', 'found', 1900, 'USD'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_5187c240a91d493c843156b8b6', '2026-11-21 02:00:00+00', '2026-11-22 01:00:00+00', 'found', 0, 'USD'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_ce4b9699064c680456bdffc826', '2026-11-21 02:00:00+00', '2026-11-23 00:00:00+00', 'found', 0, 'USD'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_8845ffc2e13a74934af3a40c5c', '2026-11-21 04:30:00+00', '2026-11-21 04:45:00+00', 'found', 2900, 'USD'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_ce25fd40809dcc61fe389b8e3d', '2026-11-21 04:30:00+00', '2026-11-21 04:45:00+00', 'found', 0, 'USD');


--
-- Data for Name: charge; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.charge VALUES
	('org_b80b16a547b10e933f04fcfb58', 'ch_933196426574', 'order-933196', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-18 00:00:00+00', NULL, '394228', '63243264192842920199495', '411111', '2483', 'SCHEME_A', 'DEMO STORE', NULL, '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_919109415537', 'order-919109', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-04 01:00:00+00', NULL, '725143', '90387750581152087681826', '411111', '7348', 'SCHEME_B', 'DEMO STORE', NULL, '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_470098884499', 'order-470098', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-15 01:00:00+00', NULL, '078159', '21745295455339565662802', '411111', '7862', 'SCHEME_A', 'DEMO STORE', NULL, '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_340172016941', 'order-340172', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-17 01:00:00+00', NULL, '492281', '23246145089785272936077', '411111', '8153', 'SCHEME_B', 'DEMO STORE', NULL, '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_425700558717', 'order-425700', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-08 01:00:00+00', NULL, '283159', '51617992647361904039153', '411111', '4610', 'SCHEME_A', 'DEMO STORE', NULL, '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_859453712839', 'order-859453', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-19 01:00:00+00', NULL, '633873', '34672038359259716911986', '411111', '3541', 'SCHEME_B', 'DEMO STORE', NULL, '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_946400183675', 'order-946400', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-10 04:00:00+00', NULL, '300264', '39701038391763435596456', '411111', '2170', 'SCHEME_A', 'DEMO STORE', NULL, '2026-11-21 04:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_601284878677', 'order-601284', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-09 04:30:00+00', NULL, '069527', '23347873715064492632924', '411111', '2911', 'SCHEME_B', 'DEMO STORE', NULL, '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_487571517460', 'order-487571', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-04 04:30:00+00', NULL, '514387', '31661135405811645555562', '411111', '5583', 'SCHEME_A', 'DEMO STORE', NULL, '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_523439483977', 'order-523439', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-09 04:30:00+00', NULL, '320310', '39572876482452823764612', '411111', '3415', 'SCHEME_B', 'DEMO STORE', NULL, '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_545158548112', 'order-545158', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-04 04:30:00+00', NULL, '483292', '67789939202480662390608', '411111', '4524', 'SCHEME_B', 'DEMO STORE', NULL, '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_994063568278', 'order-994063', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-20 04:30:00+00', NULL, '622362', '35664018337412468441403', '411111', '6050', 'SCHEME_B', 'DEMO STORE', NULL, '2026-11-21 04:30:00+00');


--
-- Data for Name: cluster_lease; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: console_attempt; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: console_oidc_flow; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: console_operator; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: console_session; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: daily_report; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: data_key; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: decision; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.decision OVERRIDING SYSTEM VALUE VALUES
	(1, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_ce4b9699064c680456bdffc826', 'REFUND', 2900, 'USD', 'ACCEPT_DISPUTE', '2026-11-21 22:00:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-20T00:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_ce4b9699064c680456bdffc826", "note": null, "issuer": null, "scheme": "SCHEME_A", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "2483", "createdAt": "2026-11-20T00:00:00.000Z", "networkId": null, "updatedAt": "2026-11-20T00:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-18T00:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "394228", "transactionReference": null, "acquirerReferenceNumber": "63243264192842920199495", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "933196", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-18T00:00:00.000Z", "delivered": false, "reference": "order-933196", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_933196426574", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 2900}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-933196", "emailHash": "92454806479ed43c0f6d6db5d29749447ee56f362f876181d7bb6216607288a1", "emailDomain": "customer.example", "firstOrderAt": "2026-11-18T00:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-22T00:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-21T22:00:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-20 00:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(2, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_7c973a9361bfd93c73b742a47d', 'REFUND', 0, 'USD', 'ACCEPT_DISPUTE', '2026-11-22 23:00:00+00', 'guard', '77e68516b58f8eec', 'refunded before', 'already_refunded', 'Answer REFUND without moving money: re_03b07e940d82094321c9 has returned these 29.00 USD already (rule "refunded before" applies, because refunded is full).', '{"facts": {"now": "2026-11-21T01:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_7c973a9361bfd93c73b742a47d", "note": null, "issuer": null, "scheme": "SCHEME_B", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "7348", "createdAt": "2026-11-21T01:00:00.000Z", "networkId": null, "updatedAt": "2026-11-21T01:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-04T01:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "725143", "transactionReference": null, "acquirerReferenceNumber": "90387750581152087681826", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "919109", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-04T01:00:00.000Z", "delivered": false, "reference": "order-919109", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_919109415537", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 2900, "refundReference": "re_03b07e940d82094321c9", "refundableMinor": 0}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-919109", "emailHash": "46fa15c12c4ab9e874bd420e1407a2606b4bac4310359c8f3f77fbb2178f1476", "emailDomain": "customer.example", "firstOrderAt": "2026-11-04T01:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-23T01:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is full", "line": 27, "rule": "refunded before", "result": "yes"}, {"why": "an earlier rule applies", "line": 33, "rule": "small amounts", "result": "not reached"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-22T23:00:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-21 01:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(3, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'REVIEW', NULL, NULL, 'ACCEPT_DISPUTE', '2026-11-22 23:00:00+00', 'guard', '77e68516b58f8eec', 'small amounts', 'partly_refunded', 'A person decides about 29.00 USD: 10.00 USD of the charge were refunded before, and the policy asks for the full amount. This stopped REFUND by rule "small amounts". Without a decision it becomes ACCEPT_DISPUTE at 2026-11-22T23:00:00.000Z.', '{"facts": {"now": "2026-11-21T01:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_970f42ef8a798eccaeb95f1dcf", "note": null, "issuer": null, "scheme": "SCHEME_A", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "7862", "createdAt": "2026-11-21T01:00:00.000Z", "networkId": null, "updatedAt": "2026-11-21T01:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-15T01:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "078159", "transactionReference": null, "acquirerReferenceNumber": "21745295455339565662802", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "470098", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-15T01:00:00.000Z", "delivered": false, "reference": "order-470098", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_470098884499", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 1000, "refundReference": "re_1869a30022308c4ecf55", "refundableMinor": 1900}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-470098", "emailHash": "fce8ebc0ab3485d8067be47c4cd16826ce12282c02fc685f80e61492790bfef1", "emailDomain": "customer.example", "firstOrderAt": "2026-11-15T01:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-23T01:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is part, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-22T23:00:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-21 01:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(4, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'REFUND', NULL, NULL, NULL, NULL, 'operator:Ines', NULL, NULL, NULL, 'Ines decided REFUND.', '{"note": ""}', false, '2026-11-21 01:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(5, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_5187c240a91d493c843156b8b6', 'REFUND', 2900, 'USD', 'ACCEPT_DISPUTE', '2026-11-22 23:00:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Release the authorisation of 29.00 USD, which was never captured: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-21T01:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_5187c240a91d493c843156b8b6", "note": null, "issuer": null, "scheme": "SCHEME_B", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "8153", "createdAt": "2026-11-21T01:00:00.000Z", "networkId": null, "updatedAt": "2026-11-21T01:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-17T01:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "492281", "transactionReference": null, "acquirerReferenceNumber": "23246145089785272936077", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "340172", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-17T01:00:00.000Z", "delivered": false, "reference": "order-340172", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "authorised", "currency": "USD", "disputed": false, "reference": "ch_340172016941", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 0}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-340172", "emailHash": "de68baf6e3ed284e80a18731e9c4983a796ca4ff0fa929d10dc25243da41a932", "emailDomain": "customer.example", "firstOrderAt": "2026-11-17T01:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-23T01:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-22T23:00:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-21 01:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(6, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_8845ffc2e13a74934af3a40c5c', 'REFUND', 2900, 'USD', 'ACCEPT_DISPUTE', '2026-11-22 23:00:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-21T01:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_8845ffc2e13a74934af3a40c5c", "note": null, "issuer": null, "scheme": "SCHEME_A", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "4610", "createdAt": "2026-11-21T01:00:00.000Z", "networkId": null, "updatedAt": "2026-11-21T01:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-08T01:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "283159", "transactionReference": null, "acquirerReferenceNumber": "51617992647361904039153", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "425700", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-08T01:00:00.000Z", "delivered": false, "reference": "order-425700", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_425700558717", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 2900}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-425700", "emailHash": "c108cfa24f4cc98c42be19b54c4a32b4f24b945fc4dd24a8816377090d9c53af", "emailDomain": "customer.example", "firstOrderAt": "2026-11-08T01:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-23T01:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-22T23:00:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-21 01:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(7, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'REFUND', 2900, 'USD', 'ACCEPT_DISPUTE', '2026-11-22 23:00:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-21T01:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_ce25fd40809dcc61fe389b8e3d", "note": null, "issuer": null, "scheme": "SCHEME_B", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "3541", "createdAt": "2026-11-21T01:00:00.000Z", "networkId": null, "updatedAt": "2026-11-21T01:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-19T01:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "633873", "transactionReference": null, "acquirerReferenceNumber": "34672038359259716911986", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "859453", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-19T01:00:00.000Z", "delivered": false, "reference": "order-859453", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_859453712839", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 2900}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-859453", "emailHash": "9029b271e20405646d0e2523821c512b5e0d6ad824bad2f11ab67c89aa13461d", "emailDomain": "customer.example", "firstOrderAt": "2026-11-19T01:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-23T01:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-22T23:00:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-21 01:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(8, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_8e729c219b2653eb5a705e5616', 'REFUND', 2900, 'USD', 'ACCEPT_DISPUTE', '2026-11-23 02:00:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-21T04:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_8e729c219b2653eb5a705e5616", "note": null, "issuer": null, "scheme": "SCHEME_A", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "2170", "createdAt": "2026-11-21T04:00:00.000Z", "networkId": null, "updatedAt": "2026-11-21T04:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-10T04:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "300264", "transactionReference": null, "acquirerReferenceNumber": "39701038391763435596456", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "946400", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-10T04:00:00.000Z", "delivered": false, "reference": "order-946400", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_946400183675", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 2900}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-946400", "emailHash": "f226ba63a7acb35db81d417167f5b9df9c02d903d538fe2307bb8f207a6253b0", "emailDomain": "customer.example", "firstOrderAt": "2026-11-10T04:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-23T04:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-23T02:00:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-21 04:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(9, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_f33460678f5ad64cb8375996d2', 'REFUND', 2900, 'USD', 'ACCEPT_DISPUTE', '2026-11-23 02:30:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-21T04:30:00.000Z", "mode": "live", "alert": {"id": "netalrt_f33460678f5ad64cb8375996d2", "note": null, "issuer": null, "scheme": "SCHEME_B", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "2911", "createdAt": "2026-11-21T04:30:00.000Z", "networkId": null, "updatedAt": "2026-11-21T04:30:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-09T04:30:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "069527", "transactionReference": null, "acquirerReferenceNumber": "23347873715064492632924", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "601284", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-09T04:30:00.000Z", "delivered": false, "reference": "order-601284", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_601284878677", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 2900}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-601284", "emailHash": "3d945d68510f87cd1e9df52a1592b4ae954a96e1bdca62c25fddd42f891cde54", "emailDomain": "customer.example", "firstOrderAt": "2026-11-09T04:30:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-23T04:30:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-23T02:30:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-21 04:30:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(10, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_e27549f1f872221e3eb4d6c343', 'REFUND', 2900, 'USD', 'ACCEPT_DISPUTE', '2026-11-23 02:30:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-21T04:30:00.000Z", "mode": "live", "alert": {"id": "netalrt_e27549f1f872221e3eb4d6c343", "note": null, "issuer": null, "scheme": "SCHEME_A", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "5583", "createdAt": "2026-11-21T04:30:00.000Z", "networkId": null, "updatedAt": "2026-11-21T04:30:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-04T04:30:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "514387", "transactionReference": null, "acquirerReferenceNumber": "31661135405811645555562", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "487571", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-04T04:30:00.000Z", "delivered": false, "reference": "order-487571", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_487571517460", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 2900}, "history": {"rdr": false, "twin": true, "alerts": 1, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-487571", "emailHash": "ccf58d5af8322455bca946f73e21b1d64666096f4a11178727963a13e7b4f65e", "emailDomain": "customer.example", "firstOrderAt": "2026-11-04T04:30:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-23T04:30:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-23T02:30:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-21 04:30:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(11, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_edaa8a70870246e37fdff74182', 'REVIEW', NULL, NULL, 'ACCEPT_DISPUTE', '2026-11-23 02:30:00+00', 'guard', '77e68516b58f8eec', 'small amounts', 'amount_differs', 'A person decides about 10.00 USD: the alert is about 10.00 USD, the charge about 29.00 USD. This stopped REFUND by rule "small amounts". Without a decision it becomes ACCEPT_DISPUTE at 2026-11-23T02:30:00.000Z.', '{"facts": {"now": "2026-11-21T04:30:00.000Z", "mode": "live", "alert": {"id": "netalrt_edaa8a70870246e37fdff74182", "note": null, "issuer": null, "scheme": "SCHEME_B", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "3415", "createdAt": "2026-11-21T04:30:00.000Z", "networkId": null, "updatedAt": "2026-11-21T04:30:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 1000, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-09T04:30:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "320310", "transactionReference": null, "acquirerReferenceNumber": "39572876482452823764612", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 94, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "523439", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-09T04:30:00.000Z", "delivered": false, "reference": "order-523439", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_523439483977", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 1000, "refundReference": "re_2bfb64d5890e67817d08", "refundableMinor": 1900}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-523439", "emailHash": "ac29b78d8f13ad4066442bb5f56e0936d4c0c3251f36ead36e320489e6c552d8", "emailDomain": "customer.example", "firstOrderAt": "2026-11-09T04:30:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-23T04:30:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is part, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 10.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-23T02:30:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-21 04:30:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(12, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_3fcc08060d826075bb915a9d05', 'REFUND', 2900, 'USD', 'ACCEPT_DISPUTE', '2026-11-23 02:30:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-21T04:30:00.000Z", "mode": "live", "alert": {"id": "netalrt_3fcc08060d826075bb915a9d05", "note": null, "issuer": null, "scheme": "SCHEME_A", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "5583", "createdAt": "2026-11-21T04:30:00.000Z", "networkId": null, "updatedAt": "2026-11-21T04:30:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-04T04:30:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "514387", "transactionReference": null, "acquirerReferenceNumber": "31661135405811645555562", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "487571", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-04T04:30:00.000Z", "delivered": false, "reference": "order-487571", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_487571517460", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 2900}, "history": {"rdr": false, "twin": true, "alerts": 1, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-487571", "emailHash": "ccf58d5af8322455bca946f73e21b1d64666096f4a11178727963a13e7b4f65e", "emailDomain": "customer.example", "firstOrderAt": "2026-11-04T04:30:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-23T04:30:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-23T02:30:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-21 04:30:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(13, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_edaa8a70870246e37fdff74182', 'REFUND', NULL, NULL, NULL, NULL, 'operator:Ines', NULL, NULL, NULL, 'Ines decided REFUND.', '{"note": ""}', false, '2026-11-21 04:30:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(14, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', 'REFUND', 2900, 'USD', 'ACCEPT_DISPUTE', '2026-11-23 02:30:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-21T04:30:00.000Z", "mode": "live", "alert": {"id": "netalrt_e9a3a99ad30b17bfa2a7d9c382", "note": null, "issuer": null, "scheme": "SCHEME_B", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "4524", "createdAt": "2026-11-21T04:30:00.000Z", "networkId": null, "updatedAt": "2026-11-21T04:30:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-04T04:30:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "483292", "transactionReference": null, "acquirerReferenceNumber": "67789939202480662390608", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "545158", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-04T04:30:00.000Z", "delivered": false, "reference": "order-545158", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_545158548112", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 2900}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-545158", "emailHash": "7b421a94ae71ea69aac0602568f58ff8cbd7f382c93786c2eef1d8719581d1b5", "emailDomain": "customer.example", "firstOrderAt": "2026-11-04T04:30:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-23T04:30:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-23T02:30:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-21 04:30:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(15, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_e70689d0b3506243bc8954d8dc', 'REFUND', 2900, 'USD', 'ACCEPT_DISPUTE', '2026-11-23 02:30:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-21T04:30:00.000Z", "mode": "live", "alert": {"id": "netalrt_e70689d0b3506243bc8954d8dc", "note": null, "issuer": null, "scheme": "SCHEME_B", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "6050", "createdAt": "2026-11-21T04:30:00.000Z", "networkId": null, "updatedAt": "2026-11-21T04:30:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-20T04:30:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "622362", "transactionReference": null, "acquirerReferenceNumber": "35664018337412468441403", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "994063", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-20T04:30:00.000Z", "delivered": false, "reference": "order-994063", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_994063568278", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 2900}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-994063", "emailHash": "cac4d9238e38f1952cff2430d32e475895dbd6ed2f26102753363e327042a9d8", "emailDomain": "customer.example", "firstOrderAt": "2026-11-20T04:30:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-23T04:30:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-23T02:30:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-21 04:30:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);


--
-- Data for Name: declaration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.declaration VALUES
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_ce4b9699064c680456bdffc826', 'REFUND', 'refund re_44a3d760389dd4e44723', 'rf_cdc7a960299c98c3d70bdad4a6', 'DONE', 1, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', 'REFUNDED', false, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_7c973a9361bfd93c73b742a47d', 'REFUND', 'already refunded re_03b07e940d82094321c9', 'rf_23d047a47b30cd0ca5707ef8a4', 'DONE', 1, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', 'REFUNDED', false, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'REFUND', 'refund re_def11a7e1247f12b04f7', 'rf_866e92bc036c889738fbb419a4', 'DONE', 1, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', 'REFUNDED', false, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_5187c240a91d493c843156b8b6', 'REFUND', 'authorisation voided', 'rf_1147a496295d11bc265ed80e6d', 'DONE', 1, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', 'REFUNDED', false, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_8e729c219b2653eb5a705e5616', 'ACCEPT_DISPUTE', 'not refunded', NULL, 'SENT', 1, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', NULL, NULL, false, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_3fcc08060d826075bb915a9d05', 'REFUND', 'refund re_7c46d0d996395c2954c6', 'rf_e23f05577417bb1e81e5171fcf', 'SENT', 1, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', NULL, NULL, false, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_e27549f1f872221e3eb4d6c343', 'REFUND', 'refund re_7c46d0d996395c2954c6', 'rf_e23f05577417bb1e81e5171fcf', 'SENT', 1, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', NULL, NULL, false, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_edaa8a70870246e37fdff74182', 'REFUND', 'already refunded re_2bfb64d5890e67817d08', 'rf_59253d6d520c9c562a58ba7d8b', 'SENT', 1, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', NULL, NULL, false, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00');


--
-- Data for Name: enrolment; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.enrolment VALUES
	('org_b80b16a547b10e933f04fcfb58', 'enrl_1347d7822e0470964325300ceb', 'NETB_ORDER_INSIGHT', 'ENABLED', NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '{"id": "enrl_1347d7822e0470964325300ceb", "note": null, "type": "NETB_ORDER_INSIGHT", "status": "ENABLED", "created_at": "2026-11-20T00:00:00.000Z", "updated_at": "2026-11-20T00:00:00.000Z", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "organisation_id": "org_b80b16a547b10e933f04fcfb58"}', '\x961066c64f55a95bab1932ad1c58b17fc51d6cd11ad234714662e4654e31d9c0', 'poll', '2026-11-20 00:00:00+00', false, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'enrl_3715be1cdc30403e6aa2c26bf8', 'NETA_ALERT', 'ENABLED', NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '{"id": "enrl_3715be1cdc30403e6aa2c26bf8", "note": null, "type": "NETA_ALERT", "status": "ENABLED", "created_at": "2026-11-20T00:00:00.000Z", "neta_alert": {"descriptors": [{"status": "ACTIVE", "descriptor": "DEMO STORE", "match_type": "STARTS_WITH"}]}, "updated_at": "2026-11-20T00:00:00.000Z", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "organisation_id": "org_b80b16a547b10e933f04fcfb58"}', '\xe1b6df57df7b28637fcc7ff6f64315dab9b8a76bb615c171a513ecdf28268821', 'poll', '2026-11-20 00:00:00+00', false, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'enrl_b95a3821d8d8a2445286d74c50', 'NETB_RDR', 'ENABLED', NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '{"id": "enrl_b95a3821d8d8a2445286d74c50", "note": null, "type": "NETB_RDR", "status": "ENABLED", "netb_rdr": {"bin": "411111", "arns": null, "caid": "DEMOSTORE000001"}, "created_at": "2026-11-20T00:00:00.000Z", "updated_at": "2026-11-20T00:00:00.000Z", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "organisation_id": "org_b80b16a547b10e933f04fcfb58"}', '\x748eb3fd820114dcac6a4c383e59c65888c06910fad4f6e3d26e81f1146e0ca8', 'poll', '2026-11-20 00:00:00+00', false, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00');


--
-- Data for Name: entity_change; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.entity_change OVERRIDING SYSTEM VALUE VALUES
	(1, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_ce4b9699064c680456bdffc826', '2026-11-20 00:00:00+00', 'webhook', 'evt_a474ed315ad6f113a5d646ef78', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-20T00:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-22T00:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(2, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_ce4b9699064c680456bdffc826', '2026-11-20 00:00:00+00', 'poll', NULL, true, '{"note": null, "status": "ACTION_REQUIRED", "transaction_refund_outcome": null}', '{"note": "refund re_44a3d760389dd4e44723", "status": "RESOLVED", "transaction_refund_outcome": "REFUNDED"}'),
	(3, 'org_b80b16a547b10e933f04fcfb58', 'enrolment', 'enrl_1347d7822e0470964325300ceb', '2026-11-20 00:00:00+00', 'poll', NULL, true, NULL, '{"type": "NETB_ORDER_INSIGHT", "status": "ENABLED", "updated_at": "2026-11-20T00:00:00.000Z"}'),
	(4, 'org_b80b16a547b10e933f04fcfb58', 'enrolment', 'enrl_3715be1cdc30403e6aa2c26bf8', '2026-11-20 00:00:00+00', 'poll', NULL, true, NULL, '{"type": "NETA_ALERT", "status": "ENABLED", "updated_at": "2026-11-20T00:00:00.000Z"}'),
	(5, 'org_b80b16a547b10e933f04fcfb58', 'enrolment', 'enrl_b95a3821d8d8a2445286d74c50', '2026-11-20 00:00:00+00', 'poll', NULL, true, NULL, '{"type": "NETB_RDR", "status": "ENABLED", "updated_at": "2026-11-20T00:00:00.000Z"}'),
	(6, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_7c973a9361bfd93c73b742a47d', '2026-11-21 01:00:00+00', 'webhook', 'evt_ad4f273d2dd9a6b009e0eafd29', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-21T01:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-23T01:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(7, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_970f42ef8a798eccaeb95f1dcf', '2026-11-21 01:00:00+00', 'webhook', 'evt_d70b3feb1327df309bcc71269d', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-21T01:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-23T01:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(8, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_7c973a9361bfd93c73b742a47d', '2026-11-21 01:00:00+00', 'poll', NULL, true, '{"note": null, "status": "ACTION_REQUIRED", "transaction_refund_outcome": null}', '{"note": "already refunded re_03b07e940d82094321c9", "status": "RESOLVED", "transaction_refund_outcome": "REFUNDED"}'),
	(9, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_5187c240a91d493c843156b8b6', '2026-11-21 01:00:00+00', 'webhook', 'evt_7935a6ab6960aceba61f18fba8', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-21T01:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-23T01:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(10, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_970f42ef8a798eccaeb95f1dcf', '2026-11-21 01:00:00+00', 'poll', NULL, true, '{"note": null, "status": "ACTION_REQUIRED", "transaction_refund_outcome": null}', '{"note": "refund re_def11a7e1247f12b04f7", "status": "RESOLVED", "transaction_refund_outcome": "REFUNDED"}'),
	(11, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_5187c240a91d493c843156b8b6', '2026-11-21 01:00:00+00', 'poll', NULL, true, '{"note": null, "status": "ACTION_REQUIRED", "transaction_refund_outcome": null}', '{"note": "authorisation voided", "status": "RESOLVED", "transaction_refund_outcome": "REFUNDED"}'),
	(12, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_8845ffc2e13a74934af3a40c5c', '2026-11-21 01:00:00+00', 'webhook', 'evt_69a342939c1a5b0f84bcb45fdd', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-21T01:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-23T01:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(13, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_ce25fd40809dcc61fe389b8e3d', '2026-11-21 01:00:00+00', 'webhook', 'evt_3cd6dfa43fe4f3617f8b78ccd0', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-21T01:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-23T01:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(14, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_8e729c219b2653eb5a705e5616', '2026-11-21 04:00:00+00', 'webhook', 'evt_3ffab7c8bffeb79f8fcd480b91', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-21T04:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-23T04:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(15, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_f33460678f5ad64cb8375996d2', '2026-11-21 04:30:00+00', 'webhook', 'evt_27ad9c0ec6625e3bb684790f5b', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-21T04:30:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-23T04:30:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(16, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_3fcc08060d826075bb915a9d05', '2026-11-21 04:30:00+00', 'webhook', 'evt_cc3ca60725a058dbbc136ea9cb', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-21T04:30:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-23T04:30:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(17, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_e27549f1f872221e3eb4d6c343', '2026-11-21 04:30:00+00', 'webhook', 'evt_48d755ec6e47c981e2a791621d', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-21T04:30:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-23T04:30:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(18, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_edaa8a70870246e37fdff74182', '2026-11-21 04:30:00+00', 'webhook', 'evt_dd7ca5eb1047ffb93380f7e5b2', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-21T04:30:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-23T04:30:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(19, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', '2026-11-21 04:30:00+00', 'webhook', 'evt_f333f233d08a91db0366055368', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-21T04:30:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-23T04:30:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(20, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_e70689d0b3506243bc8954d8dc', '2026-11-21 04:30:00+00', 'webhook', 'evt_d2711d675ff0efa833e091ea0a', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-21T04:30:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-23T04:30:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}');


--
-- Data for Name: fact; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.fact VALUES
	('org_b80b16a547b10e933f04fcfb58', 'poll_enrolments_read', 'true', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'last_poll_at', '"2026-11-21T04:30:00.000Z"', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'last_webhook_at', '"2026-11-21T04:30:00.000Z"', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'poll_sweep', '{"offset": null, "horizonMs": 1794024000000, "startedMs": 1795233600000}', '2026-11-21 04:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'last_alive', '{"at": "2026-11-21T04:30:00.000Z", "kind": "full", "identity": "7711041725109135730/00000001/22718/22891"}', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'activity_rolled_up_to', '"2026-11-21T04:00:00.000Z"', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'lookups_rolled_up_at', '"2026-11-21T04:30:00.000Z"', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'poll_lookup_round', '8', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'poll_failure', 'null', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'webhook_silence', '{"changes": 0, "firstFoundMs": null, "watchSinceMs": 1795132800000}', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'last_poll_report', '{"swept": null, "errors": [], "healed": 0, "listed": 3, "unread": 0, "foreign": 0, "lookups": null, "outcome": "whole", "notFound": 0, "requested": 0, "startedAt": "2026-11-21T04:30:00.000Z", "sweepDone": false, "durationMs": 0, "enrolments": null, "leftTheList": 0, "findingsClosed": 0, "findingsOpened": 0, "newWithoutWebhook": 0}', '2026-11-21 04:30:00+00');


--
-- Data for Name: finding; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.finding OVERRIDING SYSTEM VALUE VALUES
	(1, 'org_b80b16a547b10e933f04fcfb58', 'unlisted_period', 'warning', 'period', '2026-11-20T00:00:00.000Z', '{"to": "2026-11-21T01:00:00.000Z", "from": "2026-11-20T00:00:00.000Z"}', 'No webhook arrived from 2026-11-20T00:00:00.000Z to 2026-11-21T01:00:00.000Z. Alerts, lookups and enrolments were read again and nothing of them is missing. Representments and scheme notices have no list to read: look in the dashboard for those of that time.', '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', NULL, NULL),
	(2, 'org_b80b16a547b10e933f04fcfb58', 'refund_failed_at_processor', 'error', 'case', 'netalrt_ce4b9699064c680456bdffc826', '{"currency": "USD", "refund_id": "rf_cdc7a960299c98c3d70bdad4a6", "alert_status": "RESOLVED", "refund_state": "CONFIRMED", "charge_status": "captured", "alert_currency": "USD", "amount_in_cents": 2900, "charge_in_cents": 2900, "charge_reference": "ch_933196426574", "processor_refunds": [], "alert_refund_outcome": "REFUNDED", "alert_amount_in_cents": 2900, "refunded_at_processor_in_cents": 0}', 'The processor shows our refund as failed. It is put under watch again, which marks it as reversed; refund the customer by another way if it was declared.', '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '2026-11-21 02:00:00+00', 'The refund was put under watch again at 2026-11-21T01:00:00.000Z.'),
	(3, 'org_b80b16a547b10e933f04fcfb58', 'declared_refund_reversed', 'error', 'case', 'netalrt_ce4b9699064c680456bdffc826', '{"currency": "USD", "refund_id": "rf_cdc7a960299c98c3d70bdad4a6", "case_state": "DECLARED_REFUND", "deadline_at": "2026-11-22T00:00:00.000Z", "alert_status": "RESOLVED", "failure_code": "card_closed", "amount_in_cents": 2900, "charge_reference": "ch_933196426574", "refund_confirmed_at": "2026-11-20T00:00:00.000Z", "alert_refund_outcome": "REFUNDED"}', 'The refund failed at the processor after it was declared. Refund the customer by another way now: a dispute will follow otherwise, and the declaration cannot be taken back.', '2026-11-21 01:30:00+00', '2026-11-21 04:30:00+00', NULL, NULL);


--
-- Data for Name: forestall_migration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.forestall_migration VALUES
	('0001_spine', '2026-11-22T17:13:01.670Z'),
	('0002_feed', '2026-11-22T17:13:01.735Z'),
	('0003_matching', '2026-11-22T17:13:01.741Z'),
	('0004_reconciliation', '2026-11-22T17:13:01.751Z'),
	('0005_policy', '2026-11-22T17:13:01.759Z'),
	('0006_guards', '2026-11-22T17:13:01.779Z'),
	('0007_console', '2026-11-22T17:13:01.793Z'),
	('0008_retention', '2026-11-22T17:13:01.796Z'),
	('0009_console_more', '2026-11-22T17:13:01.803Z'),
	('0010_seal', '2026-11-22T17:13:01.808Z'),
	('0011_leftovers', '2026-11-22T17:13:01.811Z');


--
-- Data for Name: forestall_migration_lock; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.forestall_migration_lock VALUES
	('migration_lock', 0);


--
-- Data for Name: inbox_id; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.inbox_id VALUES
	('evt_a474ed315ad6f113a5d646ef78', 'org_b80b16a547b10e933f04fcfb58', '\x9795cd06d51be771f8dbbbc714759964dbafa8ac85848e003f024dba367837c1', '2026-11-20 00:00:00+00', 1),
	('evt_90fff5092e0cba88cffda95705', 'org_b80b16a547b10e933f04fcfb58', '\x7c868d83cf0773c053976b7e6e6ac97fa692d7a072627fdbc22808dbe2aac03a', '2026-11-20 00:00:00+00', 513),
	('evt_ad4f273d2dd9a6b009e0eafd29', 'org_b80b16a547b10e933f04fcfb58', '\x22aa4b4a8d1b2a2ba2e7e3abf729ee70ec0f79bdbbd6e604956164608d6a0e60', '2026-11-21 01:00:00+00', 1025),
	('evt_d70b3feb1327df309bcc71269d', 'org_b80b16a547b10e933f04fcfb58', '\xde9cc2b62e9fe4d9a07e487e9be7aa0bab6e09ac6e5cbf79d21a2cd3da6668d5', '2026-11-21 01:00:00+00', 1537),
	('evt_446a38284c73ddab75febfed71', 'org_b80b16a547b10e933f04fcfb58', '\x3b59938390992e3c8670ca222c992aba473bc219a88f2d8bd75e879ac76b3265', '2026-11-21 01:00:00+00', 2049),
	('evt_7935a6ab6960aceba61f18fba8', 'org_b80b16a547b10e933f04fcfb58', '\x2869f3c02c21ed1017786a05ef587144f297e144316ed946ae911c0647240899', '2026-11-21 01:00:00+00', 2561),
	('evt_f891c69e3d23c3a3c1ea27926d', 'org_b80b16a547b10e933f04fcfb58', '\x99d8e4a71bc8d3288c44dcb6a80dbd9694ad620b502f404cd126f290522c683d', '2026-11-21 01:00:00+00', 3073),
	('evt_d0a5e14182bc572bec6c9771ac', 'org_b80b16a547b10e933f04fcfb58', '\x319570280a679d7f350e34e0465cebd3fa4fce219cac9b7e71f37d36f4ba1d14', '2026-11-21 01:00:00+00', 3585),
	('evt_69a342939c1a5b0f84bcb45fdd', 'org_b80b16a547b10e933f04fcfb58', '\x0183c30d200b2e163a107f66663eacd4b4b4ef03f2b7874dc6378474fa1e39ea', '2026-11-21 01:00:00+00', 4097),
	('evt_3cd6dfa43fe4f3617f8b78ccd0', 'org_b80b16a547b10e933f04fcfb58', '\xc7325fdf2d691ab960d4ad6c3884bce6bd383cf6e9fa6637e6ae984895d0d382', '2026-11-21 01:00:00+00', 4609),
	('evt_3ffab7c8bffeb79f8fcd480b91', 'org_b80b16a547b10e933f04fcfb58', '\xbe6600b3bc56789ec284e97a82957e5eb770fc9a8623297c5e84a698d3b829a5', '2026-11-21 04:00:00+00', 5121),
	('evt_27ad9c0ec6625e3bb684790f5b', 'org_b80b16a547b10e933f04fcfb58', '\xf154fe627ea81ea89331c378ae5e2195422e8fc5b6d046a39e6664c798cee2fc', '2026-11-21 04:30:00+00', 5633),
	('evt_cc3ca60725a058dbbc136ea9cb', 'org_b80b16a547b10e933f04fcfb58', '\x951cbc9238f8cee521b10a08a4bf5f7454c11cf9d736dd7b99708ce02efecd57', '2026-11-21 04:30:00+00', 6145),
	('evt_48d755ec6e47c981e2a791621d', 'org_b80b16a547b10e933f04fcfb58', '\xa7098e1ae675974fe31bf65b940494bbfd1ed11fa8ec99ebb0a96ff25a1ee8f7', '2026-11-21 04:30:00+00', 6657),
	('evt_dd7ca5eb1047ffb93380f7e5b2', 'org_b80b16a547b10e933f04fcfb58', '\x54ab822c433d4f4e9307fa6f951f4ac3a88071baccf9e7415a24469b95fc41d4', '2026-11-21 04:30:00+00', 7169),
	('evt_f333f233d08a91db0366055368', 'org_b80b16a547b10e933f04fcfb58', '\x46ba0ac13cfe9df2b2a0df0ab99c9b38f77497ec0acbe7dbc9b7f7fecc8dddbb', '2026-11-21 04:30:00+00', 7681),
	('evt_d2711d675ff0efa833e091ea0a', 'org_b80b16a547b10e933f04fcfb58', '\xa1f97918d5462bab06a9948c7d079dcc63abc3e993f2f959e0fcd260e8d42ddb', '2026-11-21 04:30:00+00', 8193);


--
-- Data for Name: inbox_work; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: lookup; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: lookup_day; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: match; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.match OVERRIDING SYSTEM VALUE VALUES
	(1, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_ce4b9699064c680456bdffc826', 'single', 'ch_933196426574', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_933196426574 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_A", "cardLast4": "2483", "reference": "ch_933196426574", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-18T00:00:00.000Z", "contradicted": false, "orderReference": "order-933196"}]', '2026-11-20 00:00:00+00', 'matcher', 110, NULL, NULL, NULL),
	(2, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'single', 'ch_470098884499', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_470098884499 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_A", "cardLast4": "7862", "reference": "ch_470098884499", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-15T01:00:00.000Z", "contradicted": false, "orderReference": "order-470098"}]', '2026-11-21 01:00:00+00', 'matcher', 110, NULL, NULL, NULL),
	(3, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_7c973a9361bfd93c73b742a47d', 'single', 'ch_919109415537', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_919109415537 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_B", "cardLast4": "7348", "reference": "ch_919109415537", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-04T01:00:00.000Z", "contradicted": false, "orderReference": "order-919109"}]', '2026-11-21 01:00:00+00', 'matcher', 110, NULL, NULL, NULL),
	(4, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_5187c240a91d493c843156b8b6', 'single', 'ch_340172016941', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_340172016941 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_B", "cardLast4": "8153", "reference": "ch_340172016941", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-17T01:00:00.000Z", "contradicted": false, "orderReference": "order-340172"}]', '2026-11-21 01:00:00+00', 'matcher', 110, NULL, NULL, NULL),
	(5, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_8845ffc2e13a74934af3a40c5c', 'single', 'ch_425700558717', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_425700558717 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_A", "cardLast4": "4610", "reference": "ch_425700558717", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-08T01:00:00.000Z", "contradicted": false, "orderReference": "order-425700"}]', '2026-11-21 01:00:00+00', 'matcher', 110, NULL, NULL, NULL),
	(6, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'single', 'ch_859453712839', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_859453712839 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_B", "cardLast4": "3541", "reference": "ch_859453712839", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-19T01:00:00.000Z", "contradicted": false, "orderReference": "order-859453"}]', '2026-11-21 01:00:00+00', 'matcher', 110, NULL, NULL, NULL),
	(7, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_8e729c219b2653eb5a705e5616', 'single', 'ch_946400183675', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_946400183675 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_A", "cardLast4": "2170", "reference": "ch_946400183675", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-10T04:00:00.000Z", "contradicted": false, "orderReference": "order-946400"}]', '2026-11-21 04:00:00+00', 'matcher', 110, NULL, NULL, NULL),
	(8, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_f33460678f5ad64cb8375996d2', 'single', 'ch_601284878677', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_601284878677 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_B", "cardLast4": "2911", "reference": "ch_601284878677", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-09T04:30:00.000Z", "contradicted": false, "orderReference": "order-601284"}]', '2026-11-21 04:30:00+00', 'matcher', 110, NULL, NULL, NULL),
	(11, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_edaa8a70870246e37fdff74182', 'single', 'ch_523439483977', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount differs: 10.00 USD on the alert, 29.00 USD on the charge", "weight": -4, "verdict": "differs", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "127.0.0.1:45913 was asked and showed 2 charges", "runnerUp": null, "sentence": "Charge ch_523439483977 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 94, "against": ["amount differs: 10.00 USD on the alert, 29.00 USD on the charge"], "sources": ["order", "processor"], "currency": "USD", "cardBrand": "SCHEME_B", "cardLast4": "3415", "reference": "ch_523439483977", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-09T04:30:00.000Z", "contradicted": false, "orderReference": "order-523439"}]', '2026-11-21 04:30:00+00', 'matcher', 94, NULL, NULL, NULL),
	(12, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', 'single', 'ch_545158548112', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_545158548112 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_B", "cardLast4": "4524", "reference": "ch_545158548112", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-04T04:30:00.000Z", "contradicted": false, "orderReference": "order-545158"}]', '2026-11-21 04:30:00+00', 'matcher', 110, NULL, NULL, NULL),
	(13, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_e70689d0b3506243bc8954d8dc', 'single', 'ch_994063568278', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_994063568278 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_B", "cardLast4": "6050", "reference": "ch_994063568278", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-20T04:30:00.000Z", "contradicted": false, "orderReference": "order-994063"}]', '2026-11-21 04:30:00+00', 'matcher', 110, NULL, NULL, NULL),
	(9, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_3fcc08060d826075bb915a9d05', 'single', 'ch_487571517460', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_487571517460 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_A", "cardLast4": "5583", "reference": "ch_487571517460", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-04T04:30:00.000Z", "contradicted": false, "orderReference": "order-487571"}]', '2026-11-21 04:30:00+00', 'matcher', 110, NULL, NULL, NULL),
	(10, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_e27549f1f872221e3eb4d6c343', 'single', 'ch_487571517460', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_487571517460 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_A", "cardLast4": "5583", "reference": "ch_487571517460", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-04T04:30:00.000Z", "contradicted": false, "orderReference": "order-487571"}]', '2026-11-21 04:30:00+00', 'matcher', 110, NULL, NULL, NULL);


--
-- Data for Name: match_choice; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: money_pause; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: notification; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notification OVERRIDING SYSTEM VALUE VALUES
	(1, 'org_b80b16a547b10e933f04fcfb58', 'finding:refund_failed_at_processor:netalrt_ce4b9699064c680456bdffc826:2026-11-21T01:00:00.000Z', 'refund_failed_at_processor', 'error', 'netalrt_ce4b9699064c680456bdffc826', 'Alert netalrt_ce4b9699064c680456bdffc826: The processor shows our refund as failed. It is put under watch again, which marks it as reversed; refund the customer by another way if it was declared.', '2026-11-21 01:00:00+00', NULL, 1, '2026-11-21 01:00:00+00', NULL, 'log'),
	(2, 'org_b80b16a547b10e933f04fcfb58', 'refund:rf_cdc7a960299c98c3d70bdad4a6:REVERSED', 'refund_reversed', 'error', 'netalrt_ce4b9699064c680456bdffc826', 'Refund rf_cdc7a960299c98c3d70bdad4a6 of 29.00 USD on charge ch_933196426574 failed at the processor. It was declared for netalrt_ce4b9699064c680456bdffc826, which is now false. Refund the customer another way.', '2026-11-21 01:00:00+00', NULL, 1, '2026-11-21 01:00:00+00', NULL, 'log'),
	(3, 'org_b80b16a547b10e933f04fcfb58', 'hold:netalrt_970f42ef8a798eccaeb95f1dcf:partly_refunded', 'case_held', 'warning', 'netalrt_970f42ef8a798eccaeb95f1dcf', 'Alert netalrt_970f42ef8a798eccaeb95f1dcf, due 2026-11-23T01:00:00.000Z. A person decides about 29.00 USD: 10.00 USD of the charge were refunded before, and the policy asks for the full amount. This stopped REFUND by rule "small amounts". Without a decision it becomes ACCEPT_DISPUTE at 2026-11-22T23:00:00.000Z.', '2026-11-21 01:00:00+00', NULL, 1, '2026-11-21 01:00:00+00', NULL, 'log'),
	(4, 'org_b80b16a547b10e933f04fcfb58', 'refund:rf_4849d87cc7fab22e0097722087:HUMAN', 'refund_unresolved', 'error', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'Refund rf_4849d87cc7fab22e0097722087 of 29.00 USD on charge ch_859453712839: whether it was executed could not be found out. Look at the charge at the processor; nothing is sent again.', '2026-11-21 03:00:00+00', NULL, 1, '2026-11-21 03:00:00+00', NULL, 'log'),
	(5, 'org_b80b16a547b10e933f04fcfb58', 'refund:rf_e527c3c2e3cb114de31df86559:HUMAN', 'refund_unresolved', 'error', 'netalrt_8845ffc2e13a74934af3a40c5c', 'Refund rf_e527c3c2e3cb114de31df86559 of 29.00 USD on charge ch_425700558717: whether it was executed could not be found out. Look at the charge at the processor; nothing is sent again.', '2026-11-21 03:00:00+00', NULL, 1, '2026-11-21 03:00:00+00', NULL, 'log'),
	(6, 'org_b80b16a547b10e933f04fcfb58', 'hold:netalrt_ce25fd40809dcc61fe389b8e3d:refund_unresolved', 'case_held', 'warning', 'netalrt_ce25fd40809dcc61fe389b8e3d', 'Alert netalrt_ce25fd40809dcc61fe389b8e3d needs a decision before 2026-11-23T01:00:00.000Z. Whether the refund was executed could not be found out.', '2026-11-21 03:00:00+00', NULL, 1, '2026-11-21 03:00:00+00', NULL, 'log'),
	(7, 'org_b80b16a547b10e933f04fcfb58', 'hold:netalrt_8845ffc2e13a74934af3a40c5c:refund_unresolved', 'case_held', 'warning', 'netalrt_8845ffc2e13a74934af3a40c5c', 'Alert netalrt_8845ffc2e13a74934af3a40c5c needs a decision before 2026-11-23T01:00:00.000Z. Whether the refund was executed could not be found out.', '2026-11-21 03:00:00+00', NULL, 1, '2026-11-21 03:00:00+00', NULL, 'log'),
	(8, 'org_b80b16a547b10e933f04fcfb58', 'hold:netalrt_edaa8a70870246e37fdff74182:amount_differs', 'case_held', 'warning', 'netalrt_edaa8a70870246e37fdff74182', 'Alert netalrt_edaa8a70870246e37fdff74182, due 2026-11-23T04:30:00.000Z. A person decides about 10.00 USD: the alert is about 10.00 USD, the charge about 29.00 USD. This stopped REFUND by rule "small amounts". Without a decision it becomes ACCEPT_DISPUTE at 2026-11-23T02:30:00.000Z.', '2026-11-21 04:30:00+00', NULL, 1, '2026-11-21 04:30:00+00', NULL, 'log');


--
-- Data for Name: order_import; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: order_nested_reference; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.order_nested_reference VALUES
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-933196:d', 'order-933196', 'order-933196:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-933196:1', 'order-933196', 'order-933196:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_933196426574', 'order-933196', 'ch_933196426574', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'refund', 're_44a3d760389dd4e44723', 'order-933196', 're_44a3d760389dd4e44723', NULL, 'saga'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-919109:d', 'order-919109', 'order-919109:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-919109:1', 'order-919109', 'order-919109:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_919109415537', 'order-919109', 'ch_919109415537', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-470098:d', 'order-470098', 'order-470098:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-470098:1', 'order-470098', 'order-470098:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_470098884499', 'order-470098', 'ch_470098884499', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'refund', 're_03b07e940d82094321c9', 'order-919109', 're_03b07e940d82094321c9', NULL, 'saga'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-340172:d', 'order-340172', 'order-340172:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-340172:1', 'order-340172', 'order-340172:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_340172016941', 'order-340172', 'ch_340172016941', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'refund', 're_def11a7e1247f12b04f7', 'order-470098', 're_def11a7e1247f12b04f7', NULL, 'saga'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-425700:d', 'order-425700', 'order-425700:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-425700:1', 'order-425700', 'order-425700:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_425700558717', 'order-425700', 'ch_425700558717', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-859453:d', 'order-859453', 'order-859453:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-859453:1', 'order-859453', 'order-859453:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_859453712839', 'order-859453', 'ch_859453712839', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-946400:d', 'order-946400', 'order-946400:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-946400:1', 'order-946400', 'order-946400:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_946400183675', 'order-946400', 'ch_946400183675', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-601284:d', 'order-601284', 'order-601284:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-601284:1', 'order-601284', 'order-601284:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_601284878677', 'order-601284', 'ch_601284878677', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-487571:d', 'order-487571', 'order-487571:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-487571:1', 'order-487571', 'order-487571:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_487571517460', 'order-487571', 'ch_487571517460', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-523439:d', 'order-523439', 'order-523439:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-523439:1', 'order-523439', 'order-523439:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_523439483977', 'order-523439', 'ch_523439483977', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'refund', 're_7c46d0d996395c2954c6', 'order-487571', 're_7c46d0d996395c2954c6', NULL, 'saga'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'refund', 're_2bfb64d5890e67817d08', 'order-523439', 're_2bfb64d5890e67817d08', NULL, 'saga'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-545158:d', 'order-545158', 'order-545158:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-545158:1', 'order-545158', 'order-545158:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_545158548112', 'order-545158', 'ch_545158548112', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-994063:d', 'order-994063', 'order-994063:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-994063:1', 'order-994063', 'order-994063:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_994063568278', 'order-994063', 'ch_994063568278', NULL, 'merchant');


--
-- Data for Name: order_push; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: order_record; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.order_record OVERRIDING SYSTEM VALUE VALUES
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-933196', 1, 'COMPLETE', 'CREATED', 3, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-933196:1", "price_in_cents": 2900}], "device_id": "device-ddddd59ecb5577c", "deliveries": [{"type": "DIGITAL", "reference_id": "order-933196:d"}], "order_email": "noor.933196@customer.example", "merchant_url": "https://store.example", "order_number": "933196", "order_status": "CLOSED_COMPLETE", "reference_id": "order-933196", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_933196426574", "authorised_at": "2026-11-18T00:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "394228", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "63243264192842920199495", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "2483"}], "merchant_name": "Demo store", "customer_email": "noor.933196@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-18T00:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.231", "customer_account_id": "acct-933196", "customer_first_name": "Noor", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\x49120b5a53d63799a7591013d271934529dfd2cfdb94a862710130ffb82d5dba', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-933196:1", "price_in_cents": 2900}], "refunds": [{"status": "FAILED", "currency": "USD", "reference_id": "re_44a3d760389dd4e44723", "amount_in_cents": 2900, "refund_datetime": "2026-11-20T00:00:00.000Z", "original_transaction_reference_id": "ch_933196426574"}], "device_id": "device-ddddd59ecb5577c", "deliveries": [{"type": "DIGITAL", "reference_id": "order-933196:d"}], "order_email": "noor.933196@customer.example", "merchant_url": "https://store.example", "order_number": "933196", "order_status": "CLOSED_COMPLETE", "reference_id": "order-933196", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_933196426574", "authorised_at": "2026-11-18T00:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "394228", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "63243264192842920199495", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "2483"}], "merchant_name": "Demo store", "customer_email": "noor.933196@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-18T00:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.231", "customer_account_id": "acct-933196", "customer_first_name": "Noor", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_7934cfa3782634ce6fa568595d', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-20 00:00:00+00', '2026-11-21 01:00:00+00', '2026-11-20 00:00:00+00', NULL, NULL),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-919109', 2, 'COMPLETE', 'CREATED', 2, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-919109:1", "price_in_cents": 2900}], "device_id": "device-ddddd339a684d8c", "deliveries": [{"type": "DIGITAL", "reference_id": "order-919109:d"}], "order_email": "tomás.919109@customer.example", "merchant_url": "https://store.example", "order_number": "919109", "order_status": "CLOSED_COMPLETE", "reference_id": "order-919109", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_919109415537", "authorised_at": "2026-11-04T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "725143", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "90387750581152087681826", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "7348"}], "merchant_name": "Demo store", "customer_email": "tomás.919109@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-04T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.105", "customer_account_id": "acct-919109", "customer_first_name": "Tomás", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\x975e1fb3ef2e4246714bb22be690119b77368f2872dfbb1d0fffd9a87df27766', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-919109:1", "price_in_cents": 2900}], "refunds": [{"status": "SUCCEEDED", "currency": "USD", "reference_id": "re_03b07e940d82094321c9", "amount_in_cents": 2900, "refund_datetime": "2026-11-21T01:00:00.000Z", "original_transaction_reference_id": "ch_919109415537"}], "device_id": "device-ddddd339a684d8c", "deliveries": [{"type": "DIGITAL", "reference_id": "order-919109:d"}], "order_email": "tomás.919109@customer.example", "merchant_url": "https://store.example", "order_number": "919109", "order_status": "CLOSED_COMPLETE", "reference_id": "order-919109", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_919109415537", "authorised_at": "2026-11-04T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "725143", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "90387750581152087681826", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "7348"}], "merchant_name": "Demo store", "customer_email": "tomás.919109@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-04T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.105", "customer_account_id": "acct-919109", "customer_first_name": "Tomás", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_0ad26bcdcb6d5ded627af8f52d', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', NULL, NULL),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-340172', 4, 'COMPLETE', 'CREATED', 1, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-340172:1", "price_in_cents": 2900}], "device_id": "device-dddddc1c96c7e5e", "deliveries": [{"type": "DIGITAL", "reference_id": "order-340172:d"}], "order_email": "mateo.340172@customer.example", "merchant_url": "https://store.example", "order_number": "340172", "order_status": "CLOSED_COMPLETE", "reference_id": "order-340172", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_340172016941", "authorised_at": "2026-11-17T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "492281", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "23246145089785272936077", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "8153"}], "merchant_name": "Demo store", "customer_email": "mateo.340172@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-17T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.228", "customer_account_id": "acct-340172", "customer_first_name": "Mateo", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\x5cdc837b85bc0fa92e35e3a64d5bae382d75a6469b1f19ac3818c4c7698b6e4e', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-340172:1", "price_in_cents": 2900}], "device_id": "device-dddddc1c96c7e5e", "deliveries": [{"type": "DIGITAL", "reference_id": "order-340172:d"}], "order_email": "mateo.340172@customer.example", "merchant_url": "https://store.example", "order_number": "340172", "order_status": "CLOSED_COMPLETE", "reference_id": "order-340172", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_340172016941", "authorised_at": "2026-11-17T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "492281", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "23246145089785272936077", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "8153"}], "merchant_name": "Demo store", "customer_email": "mateo.340172@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-17T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.228", "customer_account_id": "acct-340172", "customer_first_name": "Mateo", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_d6e0508814bd4690046fea8034', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', NULL, NULL),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-946400', 7, 'COMPLETE', 'CREATED', 1, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-946400:1", "price_in_cents": 2900}], "device_id": "device-ddddd3d55c4239e", "deliveries": [{"type": "DIGITAL", "reference_id": "order-946400:d"}], "order_email": "noor.946400@customer.example", "merchant_url": "https://store.example", "order_number": "946400", "order_status": "CLOSED_COMPLETE", "reference_id": "order-946400", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_946400183675", "authorised_at": "2026-11-10T04:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "300264", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "39701038391763435596456", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "2170"}], "merchant_name": "Demo store", "customer_email": "noor.946400@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-10T04:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.193", "customer_account_id": "acct-946400", "customer_first_name": "Noor", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\x9cc0c642bc4569ac4976f741cfd6eb8f4942b67b8d83c9467bed6537ecb60d5a', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-946400:1", "price_in_cents": 2900}], "device_id": "device-ddddd3d55c4239e", "deliveries": [{"type": "DIGITAL", "reference_id": "order-946400:d"}], "order_email": "noor.946400@customer.example", "merchant_url": "https://store.example", "order_number": "946400", "order_status": "CLOSED_COMPLETE", "reference_id": "order-946400", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_946400183675", "authorised_at": "2026-11-10T04:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "300264", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "39701038391763435596456", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "2170"}], "merchant_name": "Demo store", "customer_email": "noor.946400@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-10T04:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.193", "customer_account_id": "acct-946400", "customer_first_name": "Noor", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_a338919503cf4163145b9e60b2', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-21 04:00:00+00', '2026-11-21 04:00:00+00', '2026-11-21 04:00:00+00', NULL, NULL),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-470098', 3, 'COMPLETE', 'CREATED', 2, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-470098:1", "price_in_cents": 2900}], "device_id": "device-ddddd99993151b9", "deliveries": [{"type": "DIGITAL", "reference_id": "order-470098:d"}], "order_email": "mateo.470098@customer.example", "merchant_url": "https://store.example", "order_number": "470098", "order_status": "CLOSED_COMPLETE", "reference_id": "order-470098", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_470098884499", "authorised_at": "2026-11-15T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "078159", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "21745295455339565662802", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "7862"}], "merchant_name": "Demo store", "customer_email": "mateo.470098@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-15T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.155", "customer_account_id": "acct-470098", "customer_first_name": "Mateo", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\xd0dda63243fa217c022f1a3aeb24954e9e72da461e60309e2e71b4b0dd5a0302', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-470098:1", "price_in_cents": 2900}], "refunds": [{"status": "SUCCEEDED", "currency": "USD", "reference_id": "re_def11a7e1247f12b04f7", "amount_in_cents": 1900, "refund_datetime": "2026-11-21T01:00:00.000Z", "original_transaction_reference_id": "ch_470098884499"}], "device_id": "device-ddddd99993151b9", "deliveries": [{"type": "DIGITAL", "reference_id": "order-470098:d"}], "order_email": "mateo.470098@customer.example", "merchant_url": "https://store.example", "order_number": "470098", "order_status": "CLOSED_COMPLETE", "reference_id": "order-470098", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_470098884499", "authorised_at": "2026-11-15T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "078159", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "21745295455339565662802", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "7862"}], "merchant_name": "Demo store", "customer_email": "mateo.470098@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-15T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.155", "customer_account_id": "acct-470098", "customer_first_name": "Mateo", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_5b498dd095991b726f06bf8191', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', NULL, NULL),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-425700', 5, 'COMPLETE', 'CREATED', 1, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-425700:1", "price_in_cents": 2900}], "device_id": "device-ddddddba0d013e0", "deliveries": [{"type": "DIGITAL", "reference_id": "order-425700:d"}], "order_email": "ada.425700@customer.example", "merchant_url": "https://store.example", "order_number": "425700", "order_status": "CLOSED_COMPLETE", "reference_id": "order-425700", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_425700558717", "authorised_at": "2026-11-08T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "283159", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "51617992647361904039153", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "4610"}], "merchant_name": "Demo store", "customer_email": "ada.425700@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-08T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.242", "customer_account_id": "acct-425700", "customer_first_name": "Ada", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\xef151e27a1d4a725ac248ca3cbb405324223e00ea74ed2fffc600121ed04fec5', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-425700:1", "price_in_cents": 2900}], "device_id": "device-ddddddba0d013e0", "deliveries": [{"type": "DIGITAL", "reference_id": "order-425700:d"}], "order_email": "ada.425700@customer.example", "merchant_url": "https://store.example", "order_number": "425700", "order_status": "CLOSED_COMPLETE", "reference_id": "order-425700", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_425700558717", "authorised_at": "2026-11-08T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "283159", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "51617992647361904039153", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "4610"}], "merchant_name": "Demo store", "customer_email": "ada.425700@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-08T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.242", "customer_account_id": "acct-425700", "customer_first_name": "Ada", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_482a1f8d60aa092474a5bd8bfc', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', NULL, NULL),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-859453', 6, 'COMPLETE', 'CREATED', 1, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-859453:1", "price_in_cents": 2900}], "device_id": "device-ddddd6821987c72", "deliveries": [{"type": "DIGITAL", "reference_id": "order-859453:d"}], "order_email": "tomás.859453@customer.example", "merchant_url": "https://store.example", "order_number": "859453", "order_status": "CLOSED_COMPLETE", "reference_id": "order-859453", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_859453712839", "authorised_at": "2026-11-19T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "633873", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "34672038359259716911986", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "3541"}], "merchant_name": "Demo store", "customer_email": "tomás.859453@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-19T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.212", "customer_account_id": "acct-859453", "customer_first_name": "Tomás", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\x1700a757e06d97fcfb692c9157336cb7990106a8f5a69bb758c822c28a4711b5', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-859453:1", "price_in_cents": 2900}], "device_id": "device-ddddd6821987c72", "deliveries": [{"type": "DIGITAL", "reference_id": "order-859453:d"}], "order_email": "tomás.859453@customer.example", "merchant_url": "https://store.example", "order_number": "859453", "order_status": "CLOSED_COMPLETE", "reference_id": "order-859453", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_859453712839", "authorised_at": "2026-11-19T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "633873", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "34672038359259716911986", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "3541"}], "merchant_name": "Demo store", "customer_email": "tomás.859453@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-19T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.212", "customer_account_id": "acct-859453", "customer_first_name": "Tomás", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_7ed938868d4350ebadfb01dd67', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', NULL, NULL),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-601284', 8, 'COMPLETE', 'CREATED', 1, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-601284:1", "price_in_cents": 2900}], "device_id": "device-ddddd19b09ba17f", "deliveries": [{"type": "DIGITAL", "reference_id": "order-601284:d"}], "order_email": "lena.601284@customer.example", "merchant_url": "https://store.example", "order_number": "601284", "order_status": "CLOSED_COMPLETE", "reference_id": "order-601284", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_601284878677", "authorised_at": "2026-11-09T04:30:00.000Z", "amount_in_cents": 2900, "authorisation_code": "069527", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "23347873715064492632924", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "2911"}], "merchant_name": "Demo store", "customer_email": "lena.601284@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-09T04:30:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.128", "customer_account_id": "acct-601284", "customer_first_name": "Lena", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\xa08589eb3f5d571f43478767ced6b325d2722719439027b922b5bd4b9439ab11', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-601284:1", "price_in_cents": 2900}], "device_id": "device-ddddd19b09ba17f", "deliveries": [{"type": "DIGITAL", "reference_id": "order-601284:d"}], "order_email": "lena.601284@customer.example", "merchant_url": "https://store.example", "order_number": "601284", "order_status": "CLOSED_COMPLETE", "reference_id": "order-601284", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_601284878677", "authorised_at": "2026-11-09T04:30:00.000Z", "amount_in_cents": 2900, "authorisation_code": "069527", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "23347873715064492632924", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "2911"}], "merchant_name": "Demo store", "customer_email": "lena.601284@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-09T04:30:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.128", "customer_account_id": "acct-601284", "customer_first_name": "Lena", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_ea01cf8ec149242acc54df5f7c', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', NULL, NULL),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-487571', 9, 'COMPLETE', 'CREATED', 2, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-487571:1", "price_in_cents": 2900}], "device_id": "device-ddddde00ea9639b", "deliveries": [{"type": "DIGITAL", "reference_id": "order-487571:d"}], "order_email": "noor.487571@customer.example", "merchant_url": "https://store.example", "order_number": "487571", "order_status": "CLOSED_COMPLETE", "reference_id": "order-487571", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_487571517460", "authorised_at": "2026-11-04T04:30:00.000Z", "amount_in_cents": 2900, "authorisation_code": "514387", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "31661135405811645555562", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "5583"}], "merchant_name": "Demo store", "customer_email": "noor.487571@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-04T04:30:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.20", "customer_account_id": "acct-487571", "customer_first_name": "Noor", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\x3bb480dbc6ed4ee57a02fc8b76467356c134a70b887de1666c1e22a0e7947d57', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-487571:1", "price_in_cents": 2900}], "refunds": [{"status": "SUCCEEDED", "currency": "USD", "reference_id": "re_7c46d0d996395c2954c6", "amount_in_cents": 2900, "refund_datetime": "2026-11-21T04:30:00.000Z", "original_transaction_reference_id": "ch_487571517460"}], "device_id": "device-ddddde00ea9639b", "deliveries": [{"type": "DIGITAL", "reference_id": "order-487571:d"}], "order_email": "noor.487571@customer.example", "merchant_url": "https://store.example", "order_number": "487571", "order_status": "CLOSED_COMPLETE", "reference_id": "order-487571", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_487571517460", "authorised_at": "2026-11-04T04:30:00.000Z", "amount_in_cents": 2900, "authorisation_code": "514387", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "31661135405811645555562", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "5583"}], "merchant_name": "Demo store", "customer_email": "noor.487571@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-04T04:30:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.20", "customer_account_id": "acct-487571", "customer_first_name": "Noor", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_61f4cd40f3d4fcf7b60eb68f7a', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', NULL, NULL),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-523439', 10, 'COMPLETE', 'CREATED', 2, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-523439:1", "price_in_cents": 2900}], "device_id": "device-ddddd16e77675a6", "deliveries": [{"type": "DIGITAL", "reference_id": "order-523439:d"}], "order_email": "yuki.523439@customer.example", "merchant_url": "https://store.example", "order_number": "523439", "order_status": "CLOSED_COMPLETE", "reference_id": "order-523439", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_523439483977", "authorised_at": "2026-11-09T04:30:00.000Z", "amount_in_cents": 2900, "authorisation_code": "320310", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "39572876482452823764612", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "3415"}], "merchant_name": "Demo store", "customer_email": "yuki.523439@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-09T04:30:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.148", "customer_account_id": "acct-523439", "customer_first_name": "Yuki", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\x8b8e79cc3846cbf62503ad0ffd0f83980ab35c77cadfccb53a5c2d4f1cb5a870', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-523439:1", "price_in_cents": 2900}], "refunds": [{"status": "SUCCEEDED", "currency": "USD", "reference_id": "re_2bfb64d5890e67817d08", "amount_in_cents": 1000, "refund_datetime": "2026-11-21T04:30:00.000Z", "original_transaction_reference_id": "ch_523439483977"}], "device_id": "device-ddddd16e77675a6", "deliveries": [{"type": "DIGITAL", "reference_id": "order-523439:d"}], "order_email": "yuki.523439@customer.example", "merchant_url": "https://store.example", "order_number": "523439", "order_status": "CLOSED_COMPLETE", "reference_id": "order-523439", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_523439483977", "authorised_at": "2026-11-09T04:30:00.000Z", "amount_in_cents": 2900, "authorisation_code": "320310", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "39572876482452823764612", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "3415"}], "merchant_name": "Demo store", "customer_email": "yuki.523439@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-09T04:30:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.148", "customer_account_id": "acct-523439", "customer_first_name": "Yuki", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_e82451f1f007290f97701148d1', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', NULL, NULL),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-545158', 11, 'COMPLETE', 'CREATED', 1, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-545158:1", "price_in_cents": 2900}], "device_id": "device-ddddddeb8779465", "deliveries": [{"type": "DIGITAL", "reference_id": "order-545158:d"}], "order_email": "yuki.545158@customer.example", "merchant_url": "https://store.example", "order_number": "545158", "order_status": "CLOSED_COMPLETE", "reference_id": "order-545158", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_545158548112", "authorised_at": "2026-11-04T04:30:00.000Z", "amount_in_cents": 2900, "authorisation_code": "483292", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "67789939202480662390608", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "4524"}], "merchant_name": "Demo store", "customer_email": "yuki.545158@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-04T04:30:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.234", "customer_account_id": "acct-545158", "customer_first_name": "Yuki", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\x4a316188e1480076e2b755f37a1b4e35eab278c4a718c469c0b24f8877a7f9da', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-545158:1", "price_in_cents": 2900}], "device_id": "device-ddddddeb8779465", "deliveries": [{"type": "DIGITAL", "reference_id": "order-545158:d"}], "order_email": "yuki.545158@customer.example", "merchant_url": "https://store.example", "order_number": "545158", "order_status": "CLOSED_COMPLETE", "reference_id": "order-545158", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_545158548112", "authorised_at": "2026-11-04T04:30:00.000Z", "amount_in_cents": 2900, "authorisation_code": "483292", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "67789939202480662390608", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "4524"}], "merchant_name": "Demo store", "customer_email": "yuki.545158@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-04T04:30:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.234", "customer_account_id": "acct-545158", "customer_first_name": "Yuki", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_6eeb33f46a008477022d4394f0', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', NULL, NULL),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-994063', 12, 'COMPLETE', 'CREATED', 1, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-994063:1", "price_in_cents": 2900}], "device_id": "device-ddddd5229c83f1d", "deliveries": [{"type": "DIGITAL", "reference_id": "order-994063:d"}], "order_email": "ada.994063@customer.example", "merchant_url": "https://store.example", "order_number": "994063", "order_status": "CLOSED_COMPLETE", "reference_id": "order-994063", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_994063568278", "authorised_at": "2026-11-20T04:30:00.000Z", "amount_in_cents": 2900, "authorisation_code": "622362", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "35664018337412468441403", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "6050"}], "merchant_name": "Demo store", "customer_email": "ada.994063@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-20T04:30:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.94", "customer_account_id": "acct-994063", "customer_first_name": "Ada", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\x910c1459399dcfd6458d5924433575bad029e764bdb9763e59050c5c0d6e8d28', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-994063:1", "price_in_cents": 2900}], "device_id": "device-ddddd5229c83f1d", "deliveries": [{"type": "DIGITAL", "reference_id": "order-994063:d"}], "order_email": "ada.994063@customer.example", "merchant_url": "https://store.example", "order_number": "994063", "order_status": "CLOSED_COMPLETE", "reference_id": "order-994063", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_994063568278", "authorised_at": "2026-11-20T04:30:00.000Z", "amount_in_cents": 2900, "authorisation_code": "622362", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "35664018337412468441403", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "6050"}], "merchant_name": "Demo store", "customer_email": "ada.994063@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-20T04:30:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.94", "customer_account_id": "acct-994063", "customer_first_name": "Ada", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_8ccbf67880e43046f74097a1dc', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', NULL, NULL);


--
-- Data for Name: policy_activation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.policy_activation OVERRIDING SYSTEM VALUE VALUES
	(1, 'org_b80b16a547b10e933f04fcfb58', '77e68516b58f8eec', NULL, 'user:root', 'built-in', '2026-11-20 00:00:00+00');


--
-- Data for Name: policy_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.policy_version VALUES
	('org_b80b16a547b10e933f04fcfb58', '77e68516b58f8eec', '# The demonstration policy: what an alert is answered when no policy of yours is set.
#
# Rules are tried from top to bottom; the first that plainly applies decides. A fact that is not
# known (no order, no issuer) never makes a rule apply, not even under "not".
# Guards stand above every rule: an RDR alert, a charge that is not found, an amount that differs
# or a dispute that is open already never leads to a refund, whatever is written here.

name: Demonstration

rules:
  # Whoever cannot say which payment is meant cannot refund it. A person gets the time until six
  # hours before the deadline; then the dispute is let through.
  - name: no single charge
    when:
      match: [none, several]
    then:
      REVIEW:
        fallback: ACCEPT_DISPUTE
        at: 6h before deadline

  - name: dispute open already
    when:
      disputed: true
    then: ACCEPT_DISPUTE

  # Support or an earlier alert returned the money: nothing is moved, and REFUND is declared.
  - name: refunded before
    when:
      refunded: full
    then: REFUND

  # A dispute costs more than these amounts.
  - name: small amounts
    when:
      amount:
        - at_most: 50.00 USD
        - at_most: 45.00 EUR
        - at_most: 40.00 GBP
        - at_most: 7500 JPY
    then: REFUND

  # What was partly refunded before gets its rest.
  - name: rest of a part refund
    when:
      refunded: part
    then:
      REFUND: remainder

  # The customer has the goods: the dispute can be won with the carrier''s proof.
  - name: large and dispatched
    when:
      amount:
        - above: 200.00 USD
        - above: 180.00 EUR
      delivery: [physical, mixed]
      dispatched: true
    then: ACCEPT_DISPUTE

  - name: digital goods and subscriptions
    when:
      any:
        - subscription: true
        - delivery: digital
      order_age:
        at_most: 60d
    then: REFUND

  # Not sent yet: the refund costs nothing but the sale.
  - name: not dispatched yet
    when:
      delivery: [physical, mixed]
      dispatched: false
      not:
        order_status: CLOSED_COMPLETE
    then: REFUND

otherwise:
  REVIEW:
    fallback: REFUND
    at: 4h before deadline

# When a guard holds an alert that a rule would have answered.
held:
  fallback: ACCEPT_DISPUTE
  at: 2h before deadline
', '2026-11-20 00:00:00+00', 'Demonstration', NULL, 'yaml', '{}');


--
-- Data for Name: poll_request; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: quarantine; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: reconcile_request; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: refund; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.refund VALUES
	('org_b80b16a547b10e933f04fcfb58', 'rf_cdc7a960299c98c3d70bdad4a6', 'ch_933196426574', 'fst_ab992766df9764e01603558d709e4eebe3abd503', 1, 'refund', 'netalrt_ce4b9699064c680456bdffc826', NULL, 'REVERSED', 5, 2900, 'USD', 2900, 0, 're_44a3d760389dd4e44723', NULL, 'card_closed', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', NULL, NULL, NULL, 0, '2026-11-20 00:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_23d047a47b30cd0ca5707ef8a4', 'ch_919109415537', 'fst_cc628bf13d297ca9678c427bc66993451cfa8183', 1, 'refund', 'netalrt_7c973a9361bfd93c73b742a47d', NULL, 'EXTERNAL', 1, 0, 'USD', 2900, 2900, NULL, 're_03b07e940d82094321c9', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_866e92bc036c889738fbb419a4', 'ch_470098884499', 'fst_5e0d0a29ce6c41f1e0f2b6106c0bdddc8a5651e2', 1, 'refund', 'netalrt_970f42ef8a798eccaeb95f1dcf', NULL, 'CONFIRMED', 3, 1900, 'USD', 2900, 1000, 're_def11a7e1247f12b04f7', NULL, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', NULL, NULL, NULL, 0, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_1147a496295d11bc265ed80e6d', 'ch_340172016941', 'fst_f4dffb8b367de57ffd44fc4cef2cdd38dc899725', 1, 'void', 'netalrt_5187c240a91d493c843156b8b6', NULL, 'CONFIRMED', 3, 0, 'USD', 0, 0, 'ch_340172016941', NULL, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', NULL, NULL, NULL, 0, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_11e6cce3e55e3081cd45f34f6e', 'ch_946400183675', 'fst_dca3b0ab3d46630ca308c7adcb070d87ed4fbce8', 1, 'refund', 'netalrt_8e729c219b2653eb5a705e5616', NULL, 'REJECTED', 5, 2900, 'USD', 2900, 0, 're_ca0d40e7b00106c4e015', NULL, 'card_closed', '2026-11-21 04:00:00+00', '2026-11-21 04:00:00+00', NULL, NULL, NULL, NULL, 0, '2026-11-21 04:00:00+00', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_a256d74a35db395dfa7e66cbea', 'ch_601284878677', 'fst_149693f3e6f51af63f4092fdaed6e2a858cb0fe3', 1, 'refund', 'netalrt_f33460678f5ad64cb8375996d2', NULL, 'PENDING', 3, 2900, 'USD', 2900, 0, 're_6628812203a6d34c4dd2', NULL, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', NULL, NULL, NULL, '2026-11-21 04:31:00+00', 0, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_e23f05577417bb1e81e5171fcf', 'ch_487571517460', 'fst_e7443d6e10f679175b8f3da62a5d7dde45ccd2ff', 1, 'refund', 'netalrt_e27549f1f872221e3eb4d6c343', NULL, 'CONFIRMED', 3, 2900, 'USD', 2900, 0, 're_7c46d0d996395c2954c6', NULL, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', NULL, NULL, NULL, 0, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_59253d6d520c9c562a58ba7d8b', 'ch_523439483977', 'fst_13e214a172606ae13e605e7f00d8c8c5f6984ef8', 1, 'refund', 'netalrt_edaa8a70870246e37fdff74182', NULL, 'EXTERNAL', 1, 0, 'USD', 2900, 1000, NULL, 're_2bfb64d5890e67817d08', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_4849d87cc7fab22e0097722087', 'ch_859453712839', 'fst_97ae6bfb71a1b52067b17ca6b4320742df6e2369', 1, 'refund', 'netalrt_ce25fd40809dcc61fe389b8e3d', NULL, 'HUMAN', 13, 2900, 'USD', 2900, 0, NULL, NULL, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', NULL, NULL, NULL, '2026-11-21 05:00:00+00', 1, '2026-11-21 01:00:00+00', '2026-11-21 04:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_e527c3c2e3cb114de31df86559', 'ch_425700558717', 'fst_7677355e0a091d4fcbeb9dfb4330b729a32e3e9f', 1, 'refund', 'netalrt_8845ffc2e13a74934af3a40c5c', NULL, 'HUMAN', 13, 2900, 'USD', 2900, 0, NULL, NULL, NULL, '2026-11-21 01:00:00+00', '2026-11-21 01:00:00+00', NULL, NULL, NULL, '2026-11-21 05:00:00+00', 1, '2026-11-21 01:00:00+00', '2026-11-21 04:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_f3ad5f02e9d833047db62cb60c', 'ch_545158548112', 'fst_f2a0523f27383f86b6d212d46cba62e157a2dea5', 1, 'refund', 'netalrt_e9a3a99ad30b17bfa2a7d9c382', NULL, 'SENT', 3, 2900, 'USD', 2900, 0, NULL, NULL, NULL, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00', NULL, 'gone', '2026-11-21 04:30:30+00', '2026-11-21 04:30:30+00', 0, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_4531c9397d0215aa941646d3a4', 'ch_994063568278', 'fst_49db124cb8ea2f9527e8e1a517ad8453c968c2e5', 1, 'refund', 'netalrt_e70689d0b3506243bc8954d8dc', NULL, 'INTENT', 3, 2900, 'USD', 2900, 0, NULL, NULL, NULL, NULL, NULL, NULL, 'gone', '2026-11-21 04:30:30+00', '2026-11-21 04:30:30+00', 0, '2026-11-21 04:30:00+00', '2026-11-21 04:30:00+00');


--
-- Data for Name: refund_approval; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: refund_approver; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: refund_breaker; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.refund_breaker VALUES
	('org_b80b16a547b10e933f04fcfb58', NULL, '2026-11-21 04:30:00+00', NULL, NULL, NULL);


--
-- Data for Name: refund_customer; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.refund_customer VALUES
	('org_b80b16a547b10e933f04fcfb58', 'account_b30a19a113da797fb1228ea2e3eef3ad9e90aee6', 'rf_cdc7a960299c98c3d70bdad4a6'),
	('org_b80b16a547b10e933f04fcfb58', 'email_998a8129845b15cbd9c756d82fb8e7a9c67766b4', 'rf_cdc7a960299c98c3d70bdad4a6'),
	('org_b80b16a547b10e933f04fcfb58', 'account_40b30983b668300840dd8c40c6b5868d33198aa3', 'rf_866e92bc036c889738fbb419a4'),
	('org_b80b16a547b10e933f04fcfb58', 'email_d912b2e648960b3d3903e5f409806b44bb1564cc', 'rf_866e92bc036c889738fbb419a4'),
	('org_b80b16a547b10e933f04fcfb58', 'account_08af9404cfe9d993239fcb94b3446e2a9a8eaedd', 'rf_e527c3c2e3cb114de31df86559'),
	('org_b80b16a547b10e933f04fcfb58', 'email_7c1e01b6bbd1fea2016484d11202057ab4709bf8', 'rf_e527c3c2e3cb114de31df86559'),
	('org_b80b16a547b10e933f04fcfb58', 'account_d0f68991cf02e4fa376395860242bc84fdf3c9e6', 'rf_4849d87cc7fab22e0097722087'),
	('org_b80b16a547b10e933f04fcfb58', 'email_fadd3960a211974464110a447bf34ab43e0bf7f2', 'rf_4849d87cc7fab22e0097722087'),
	('org_b80b16a547b10e933f04fcfb58', 'account_3200eeb8613fed8e3c2659e14195fb4a08e000d9', 'rf_11e6cce3e55e3081cd45f34f6e'),
	('org_b80b16a547b10e933f04fcfb58', 'email_219472b32c983fc8b589786e452892347a36d12c', 'rf_11e6cce3e55e3081cd45f34f6e'),
	('org_b80b16a547b10e933f04fcfb58', 'account_47e4f0f1da271e57c4bed465ebcea310b55ee04b', 'rf_a256d74a35db395dfa7e66cbea'),
	('org_b80b16a547b10e933f04fcfb58', 'email_68fc9c80c2605d708e77596f7a9fa70e07b0b4b8', 'rf_a256d74a35db395dfa7e66cbea'),
	('org_b80b16a547b10e933f04fcfb58', 'account_cc1a9c02eccebf93cf97e09ffaaff2c6a2d6d5ba', 'rf_e23f05577417bb1e81e5171fcf'),
	('org_b80b16a547b10e933f04fcfb58', 'email_5d928c7667456238cd05fa46ab2e4cb608f754a8', 'rf_e23f05577417bb1e81e5171fcf'),
	('org_b80b16a547b10e933f04fcfb58', 'account_92298ffd4e24820807f4156f43cacee82578a208', 'rf_f3ad5f02e9d833047db62cb60c'),
	('org_b80b16a547b10e933f04fcfb58', 'email_464e14061b24a3ff0bcf8a8d121b59131c4d049f', 'rf_f3ad5f02e9d833047db62cb60c'),
	('org_b80b16a547b10e933f04fcfb58', 'account_0e11f127e74e4a6730a8925ef680d2e0b4e93c30', 'rf_4531c9397d0215aa941646d3a4'),
	('org_b80b16a547b10e933f04fcfb58', 'email_f263cce6018101ea17098d27b3bef62a9fcea342', 'rf_4531c9397d0215aa941646d3a4');


--
-- Data for Name: representment; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: request_budget; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.request_budget VALUES
	('org_b80b16a547b10e933f04fcfb58', 'GET /v1/lookups/', '{"2026-11-20 00:00:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'GET /v2/enrolments', '{"2026-11-20 00:00:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'PATCH /v1/alerts/{alert_id}', '{"2026-11-21 04:30:00+00","2026-11-21 04:30:00+00","2026-11-21 04:30:00+00","2026-11-21 04:30:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'GET /v1/orders/', '{"2026-11-21 01:00:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'PATCH /v1/orders/{order_id}', '{"2026-11-21 04:30:00+00","2026-11-21 04:30:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'POST /v1/orders/', '{"2026-11-21 04:30:00+00","2026-11-21 04:30:00+00","2026-11-21 04:30:00+00","2026-11-21 04:30:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'GET /v1/alerts/{alert_id}', '{"2026-11-21 04:30:00+00","2026-11-21 04:30:00+00","2026-11-21 04:30:00+00","2026-11-21 04:30:00+00","2026-11-21 04:30:00+00","2026-11-21 04:30:00+00","2026-11-21 04:30:00+00","2026-11-21 04:30:00+00","2026-11-21 04:30:00+00","2026-11-21 04:30:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'GET /v1/alerts/', '{"2026-11-21 04:30:00+00"}', NULL, 0);


--
-- Data for Name: review_claim; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: review_comment; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: saved_view; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: scheme_notice; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: shadow_report; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: side_action; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: side_action_due; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: worker_heartbeat; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.worker_heartbeat VALUES
	('worker:1:4b7c12', 'org_b80b16a547b10e933f04fcfb58', 'work', '2026-11-20 00:00:00+00', '2026-11-21 04:30:00+00');


--
-- Name: audit_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.audit_id_seq', 111, true);


--
-- Name: decision_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.decision_id_seq', 15, true);


--
-- Name: entity_change_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.entity_change_id_seq', 20, true);


--
-- Name: finding_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.finding_id_seq', 9, true);


--
-- Name: inbox_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.inbox_seq', 8193, true);


--
-- Name: match_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.match_id_seq', 13, true);


--
-- Name: notification_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.notification_id_seq', 8, true);


--
-- Name: order_push_seq_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.order_push_seq_seq', 7, true);


--
-- Name: order_record_seq_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.order_record_seq_seq', 12, true);


--
-- Name: policy_activation_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.policy_activation_id_seq', 1, true);


--
-- Name: quarantine_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.quarantine_id_seq', 1, false);


--
-- Name: refund_approval_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.refund_approval_id_seq', 1, false);


--
-- Name: review_comment_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.review_comment_id_seq', 1, false);


--
-- Name: saved_view_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.saved_view_id_seq', 1, false);


--
-- Name: activity_day activity_day_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.activity_day
    ADD CONSTRAINT activity_day_pkey PRIMARY KEY (organisation_id, day, measure, currency);


--
-- Name: activity_hour activity_hour_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.activity_hour
    ADD CONSTRAINT activity_hour_pkey PRIMARY KEY (organisation_id, hour, measure, currency);


--
-- Name: alert_case alert_case_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_case
    ADD CONSTRAINT alert_case_pkey PRIMARY KEY (organisation_id, alert_id);


--
-- Name: alert alert_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert
    ADD CONSTRAINT alert_pkey PRIMARY KEY (organisation_id, id);


--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);


--
-- Name: backtest backtest_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.backtest
    ADD CONSTRAINT backtest_pkey PRIMARY KEY (organisation_id, id);


--
-- Name: blocked_customer blocked_customer_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.blocked_customer
    ADD CONSTRAINT blocked_customer_pkey PRIMARY KEY (organisation_id, identity);


--
-- Name: book_check book_check_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.book_check
    ADD CONSTRAINT book_check_pkey PRIMARY KEY (organisation_id, alert_id);


--
-- Name: charge charge_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.charge
    ADD CONSTRAINT charge_pkey PRIMARY KEY (organisation_id, reference);


--
-- Name: cluster_lease cluster_lease_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cluster_lease
    ADD CONSTRAINT cluster_lease_pkey PRIMARY KEY (organisation_id, name);


--
-- Name: console_attempt console_attempt_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.console_attempt
    ADD CONSTRAINT console_attempt_pkey PRIMARY KEY (organisation_id, key_hash);


--
-- Name: console_oidc_flow console_oidc_flow_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.console_oidc_flow
    ADD CONSTRAINT console_oidc_flow_pkey PRIMARY KEY (state_hash);


--
-- Name: console_operator console_operator_organisation_id_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.console_operator
    ADD CONSTRAINT console_operator_organisation_id_name_key UNIQUE (organisation_id, name);


--
-- Name: console_operator console_operator_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.console_operator
    ADD CONSTRAINT console_operator_pkey PRIMARY KEY (organisation_id, id);


--
-- Name: console_session console_session_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.console_session
    ADD CONSTRAINT console_session_pkey PRIMARY KEY (id_hash);


--
-- Name: daily_report daily_report_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.daily_report
    ADD CONSTRAINT daily_report_pkey PRIMARY KEY (organisation_id, day);


--
-- Name: data_key data_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.data_key
    ADD CONSTRAINT data_key_pkey PRIMARY KEY (organisation_id, key_id);


--
-- Name: decision decision_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.decision
    ADD CONSTRAINT decision_pkey PRIMARY KEY (id);


--
-- Name: declaration declaration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.declaration
    ADD CONSTRAINT declaration_pkey PRIMARY KEY (organisation_id, alert_id);


--
-- Name: enrolment enrolment_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.enrolment
    ADD CONSTRAINT enrolment_pkey PRIMARY KEY (organisation_id, id);


--
-- Name: entity_change entity_change_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.entity_change
    ADD CONSTRAINT entity_change_pkey PRIMARY KEY (id);


--
-- Name: fact fact_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.fact
    ADD CONSTRAINT fact_pkey PRIMARY KEY (organisation_id, name);


--
-- Name: finding finding_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.finding
    ADD CONSTRAINT finding_pkey PRIMARY KEY (id);


--
-- Name: forestall_migration_lock forestall_migration_lock_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.forestall_migration_lock
    ADD CONSTRAINT forestall_migration_lock_pkey PRIMARY KEY (id);


--
-- Name: forestall_migration forestall_migration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.forestall_migration
    ADD CONSTRAINT forestall_migration_pkey PRIMARY KEY (name);


--
-- Name: inbox_event inbox_event_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.inbox_event
    ADD CONSTRAINT inbox_event_pkey PRIMARY KEY (received_at, seq);


--
-- Name: inbox_event_2026_11 inbox_event_2026_11_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.inbox_event_2026_11
    ADD CONSTRAINT inbox_event_2026_11_pkey PRIMARY KEY (received_at, seq);


--
-- Name: inbox_event_2026_12 inbox_event_2026_12_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.inbox_event_2026_12
    ADD CONSTRAINT inbox_event_2026_12_pkey PRIMARY KEY (received_at, seq);


--
-- Name: inbox_event_rest inbox_event_rest_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.inbox_event_rest
    ADD CONSTRAINT inbox_event_rest_pkey PRIMARY KEY (received_at, seq);


--
-- Name: inbox_id inbox_id_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.inbox_id
    ADD CONSTRAINT inbox_id_pkey PRIMARY KEY (event_id);


--
-- Name: inbox_work inbox_work_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.inbox_work
    ADD CONSTRAINT inbox_work_pkey PRIMARY KEY (seq);


--
-- Name: lookup_day lookup_day_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lookup_day
    ADD CONSTRAINT lookup_day_pkey PRIMARY KEY (organisation_id, day, type, lookup_status, deflection_status, currency);


--
-- Name: lookup lookup_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lookup
    ADD CONSTRAINT lookup_pkey PRIMARY KEY (organisation_id, id);


--
-- Name: match_choice match_choice_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.match_choice
    ADD CONSTRAINT match_choice_pkey PRIMARY KEY (organisation_id, alert_id);


--
-- Name: match match_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.match
    ADD CONSTRAINT match_pkey PRIMARY KEY (id);


--
-- Name: money_pause money_pause_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.money_pause
    ADD CONSTRAINT money_pause_pkey PRIMARY KEY (organisation_id);


--
-- Name: notification notification_organisation_id_dedupe_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification
    ADD CONSTRAINT notification_organisation_id_dedupe_key_key UNIQUE (organisation_id, dedupe_key);


--
-- Name: notification notification_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification
    ADD CONSTRAINT notification_pkey PRIMARY KEY (id);


--
-- Name: order_import order_import_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_import
    ADD CONSTRAINT order_import_pkey PRIMARY KEY (organisation_id, file_key);


--
-- Name: order_nested_reference order_nested_reference_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_nested_reference
    ADD CONSTRAINT order_nested_reference_pkey PRIMARY KEY (organisation_id, integration_id, kind, reference);


--
-- Name: order_push order_push_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_push
    ADD CONSTRAINT order_push_pkey PRIMARY KEY (organisation_id, integration_id, reference_id, part);


--
-- Name: order_record order_record_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_record
    ADD CONSTRAINT order_record_pkey PRIMARY KEY (organisation_id, integration_id, reference_id);


--
-- Name: policy_activation policy_activation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.policy_activation
    ADD CONSTRAINT policy_activation_pkey PRIMARY KEY (id);


--
-- Name: policy_version policy_version_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.policy_version
    ADD CONSTRAINT policy_version_pkey PRIMARY KEY (organisation_id, version);


--
-- Name: poll_request poll_request_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.poll_request
    ADD CONSTRAINT poll_request_pkey PRIMARY KEY (organisation_id, alert_id);


--
-- Name: quarantine quarantine_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quarantine
    ADD CONSTRAINT quarantine_pkey PRIMARY KEY (id);


--
-- Name: reconcile_request reconcile_request_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.reconcile_request
    ADD CONSTRAINT reconcile_request_pkey PRIMARY KEY (organisation_id, id);


--
-- Name: refund_approval refund_approval_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refund_approval
    ADD CONSTRAINT refund_approval_pkey PRIMARY KEY (id);


--
-- Name: refund_approver refund_approver_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refund_approver
    ADD CONSTRAINT refund_approver_pkey PRIMARY KEY (approval_id, person);


--
-- Name: refund_breaker refund_breaker_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refund_breaker
    ADD CONSTRAINT refund_breaker_pkey PRIMARY KEY (organisation_id);


--
-- Name: refund_customer refund_customer_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refund_customer
    ADD CONSTRAINT refund_customer_pkey PRIMARY KEY (organisation_id, identity, refund_id);


--
-- Name: refund refund_organisation_id_charge_reference_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refund
    ADD CONSTRAINT refund_organisation_id_charge_reference_key UNIQUE (organisation_id, charge_reference);


--
-- Name: refund refund_organisation_id_idempotency_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refund
    ADD CONSTRAINT refund_organisation_id_idempotency_key_key UNIQUE (organisation_id, idempotency_key);


--
-- Name: refund refund_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refund
    ADD CONSTRAINT refund_pkey PRIMARY KEY (organisation_id, id);


--
-- Name: representment representment_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.representment
    ADD CONSTRAINT representment_pkey PRIMARY KEY (organisation_id, id);


--
-- Name: request_budget request_budget_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.request_budget
    ADD CONSTRAINT request_budget_pkey PRIMARY KEY (organisation_id, pool);


--
-- Name: review_claim review_claim_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.review_claim
    ADD CONSTRAINT review_claim_pkey PRIMARY KEY (organisation_id, alert_id);


--
-- Name: review_comment review_comment_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.review_comment
    ADD CONSTRAINT review_comment_pkey PRIMARY KEY (id);


--
-- Name: saved_view saved_view_organisation_id_operator_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.saved_view
    ADD CONSTRAINT saved_view_organisation_id_operator_name_key UNIQUE (organisation_id, operator, name);


--
-- Name: saved_view saved_view_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.saved_view
    ADD CONSTRAINT saved_view_pkey PRIMARY KEY (id);


--
-- Name: scheme_notice scheme_notice_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scheme_notice
    ADD CONSTRAINT scheme_notice_pkey PRIMARY KEY (organisation_id, id);


--
-- Name: shadow_report shadow_report_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.shadow_report
    ADD CONSTRAINT shadow_report_pkey PRIMARY KEY (organisation_id, day);


--
-- Name: side_action_due side_action_due_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.side_action_due
    ADD CONSTRAINT side_action_due_pkey PRIMARY KEY (organisation_id, alert_id);


--
-- Name: side_action side_action_organisation_id_kind_subject_alert_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.side_action
    ADD CONSTRAINT side_action_organisation_id_kind_subject_alert_id_key UNIQUE (organisation_id, kind, subject, alert_id);


--
-- Name: side_action side_action_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.side_action
    ADD CONSTRAINT side_action_pkey PRIMARY KEY (organisation_id, id);


--
-- Name: worker_heartbeat worker_heartbeat_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.worker_heartbeat
    ADD CONSTRAINT worker_heartbeat_pkey PRIMARY KEY (worker_id);


--
-- Name: alert_by_arn; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_by_arn ON public.alert USING btree (organisation_id, acquirer_reference_number) WHERE (acquirer_reference_number IS NOT NULL);


--
-- Name: alert_by_code; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_by_code ON public.alert USING btree (organisation_id, authorisation_code) WHERE (authorisation_code IS NOT NULL);


--
-- Name: alert_by_descriptor; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_by_descriptor ON public.alert USING btree (organisation_id, lower(descriptor) text_pattern_ops) WHERE (descriptor IS NOT NULL);


--
-- Name: alert_by_last4; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_by_last4 ON public.alert USING btree (organisation_id, card_last4, created_at DESC) WHERE (card_last4 IS NOT NULL);


--
-- Name: alert_by_recency; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_by_recency ON public.alert USING btree (organisation_id, created_at DESC, id);


--
-- Name: alert_by_transaction; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_by_transaction ON public.alert USING btree (organisation_id, integration_transaction_id) WHERE (integration_transaction_id IS NOT NULL);


--
-- Name: alert_case_alarm; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_case_alarm ON public.alert_case USING btree (next_alarm_at) WHERE (is_open AND (next_alarm_at IS NOT NULL));


--
-- Name: alert_case_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_case_by_change ON public.alert_case USING btree (organisation_id, changed_at) WHERE (charge_reference IS NOT NULL);


--
-- Name: alert_case_by_charge; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_case_by_charge ON public.alert_case USING btree (organisation_id, charge_reference) WHERE (charge_reference IS NOT NULL);


--
-- Name: alert_case_by_closing; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_case_by_closing ON public.alert_case USING btree (organisation_id, closed_at) WHERE (closed_at IS NOT NULL);


--
-- Name: alert_case_by_deadline; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_case_by_deadline ON public.alert_case USING btree (organisation_id, deadline_at, alert_id) WHERE is_open;


--
-- Name: alert_case_by_opening; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_case_by_opening ON public.alert_case USING btree (organisation_id, opened_at);


--
-- Name: alert_case_by_refund; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_case_by_refund ON public.alert_case USING btree (organisation_id, refund_id) WHERE (refund_id IS NOT NULL);


--
-- Name: alert_case_by_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_case_by_state ON public.alert_case USING btree (organisation_id, state, deadline_at, alert_id);


--
-- Name: alert_case_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_case_due ON public.alert_case USING btree (next_action_at) WHERE is_open;


--
-- Name: alert_case_late_plan; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_case_late_plan ON public.alert_case USING btree (organisation_id, deadline_at) WHERE (is_open AND (next_action_at > deadline_at));


--
-- Name: alert_case_missed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_case_missed ON public.alert_case USING btree (organisation_id, missed_at) WHERE (missed_at IS NOT NULL);


--
-- Name: alert_case_unmissed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_case_unmissed ON public.alert_case USING btree (organisation_id, deadline_at) WHERE (is_open AND (missed_at IS NULL));


--
-- Name: alert_case_unplanned; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_case_unplanned ON public.alert_case USING btree (organisation_id) WHERE (is_open AND (next_alarm_at IS NULL) AND (alarm_level = 0));


--
-- Name: alert_needs_read; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_needs_read ON public.alert USING btree (organisation_id, id) WHERE needs_read;


--
-- Name: audit_by_alert; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_by_alert ON public.audit USING btree (organisation_id, alert_id, id) WHERE (alert_id IS NOT NULL);


--
-- Name: audit_by_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_by_subject ON public.audit USING btree (organisation_id, subject, subject_id, id);


--
-- Name: backtest_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX backtest_by_time ON public.backtest USING btree (organisation_id, requested_at DESC, id);


--
-- Name: backtest_unfinished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX backtest_unfinished ON public.backtest USING btree (organisation_id, requested_at) WHERE (state = ANY (ARRAY['WAITING'::text, 'RUNNING'::text]));


--
-- Name: book_check_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX book_check_due ON public.book_check USING btree (organisation_id, next_at) WHERE (next_at IS NOT NULL);


--
-- Name: charge_by_amount; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charge_by_amount ON public.charge USING btree (organisation_id, amount_minor, currency, authorised_at);


--
-- Name: charge_by_arn; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charge_by_arn ON public.charge USING btree (organisation_id, acquirer_reference_number) WHERE (acquirer_reference_number IS NOT NULL);


--
-- Name: charge_by_card; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charge_by_card ON public.charge USING btree (organisation_id, card_last4, amount_minor, currency, authorised_at) WHERE (card_last4 IS NOT NULL);


--
-- Name: charge_by_card_date; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charge_by_card_date ON public.charge USING btree (organisation_id, card_last4, authorised_at) WHERE (card_last4 IS NOT NULL);


--
-- Name: charge_by_code; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charge_by_code ON public.charge USING btree (organisation_id, authorisation_code, card_last4) WHERE (authorisation_code IS NOT NULL);


--
-- Name: charge_by_month; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charge_by_month ON public.charge USING btree (organisation_id, authorised_at) INCLUDE (card_brand) WHERE (authorised_at IS NOT NULL);


--
-- Name: charge_by_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX charge_by_order ON public.charge USING btree (organisation_id, order_reference) WHERE (order_reference IS NOT NULL);


--
-- Name: console_attempt_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX console_attempt_by_age ON public.console_attempt USING btree (organisation_id, window_started_at);


--
-- Name: console_operator_by_email; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX console_operator_by_email ON public.console_operator USING btree (organisation_id, lower(email)) WHERE (email IS NOT NULL);


--
-- Name: console_operator_by_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX console_operator_by_subject ON public.console_operator USING btree (organisation_id, oidc_subject) WHERE (oidc_subject IS NOT NULL);


--
-- Name: console_operator_by_token; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX console_operator_by_token ON public.console_operator USING btree (token_hash) WHERE (token_hash IS NOT NULL);


--
-- Name: console_session_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX console_session_by_age ON public.console_session USING btree (organisation_id, started_at);


--
-- Name: decision_by_alert; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX decision_by_alert ON public.decision USING btree (organisation_id, alert_id, id);


--
-- Name: decision_by_alert_shadow; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX decision_by_alert_shadow ON public.decision USING btree (organisation_id, alert_id) WHERE shadow;


--
-- Name: decision_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX decision_by_time ON public.decision USING btree (organisation_id, decided_at, id);


--
-- Name: enrolment_by_recency; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX enrolment_by_recency ON public.enrolment USING btree (organisation_id, created_at DESC, id);


--
-- Name: entity_change_by_entity; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX entity_change_by_entity ON public.entity_change USING btree (organisation_id, entity, entity_id, id);


--
-- Name: entity_change_by_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX entity_change_by_event ON public.entity_change USING btree (event_id) WHERE (event_id IS NOT NULL);


--
-- Name: finding_by_opening; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finding_by_opening ON public.finding USING btree (organisation_id, opened_at);


--
-- Name: finding_by_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX finding_by_subject ON public.finding USING btree (organisation_id, subject_id);


--
-- Name: finding_open; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX finding_open ON public.finding USING btree (organisation_id, kind, subject, subject_id) WHERE (closed_at IS NULL);


--
-- Name: lookup_by_arn; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lookup_by_arn ON public.lookup USING btree (organisation_id, acquirer_reference_number) WHERE (acquirer_reference_number IS NOT NULL);


--
-- Name: lookup_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lookup_by_change ON public.lookup USING btree (organisation_id, changed_at) INCLUDE (created_at);


--
-- Name: lookup_by_recency; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lookup_by_recency ON public.lookup USING btree (organisation_id, created_at DESC, id);


--
-- Name: lookup_by_transaction; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lookup_by_transaction ON public.lookup USING btree (organisation_id, integration_transaction_id) WHERE (integration_transaction_id IS NOT NULL);


--
-- Name: lookup_figures; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lookup_figures ON public.lookup USING btree (organisation_id, created_at) INCLUDE (type, lookup_status, deflection_status, amount_minor, currency);


--
-- Name: match_by_alert; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX match_by_alert ON public.match USING btree (organisation_id, alert_id, id);


--
-- Name: match_by_charge; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX match_by_charge ON public.match USING btree (organisation_id, charge_reference) WHERE (charge_reference IS NOT NULL);


--
-- Name: match_choice_by_arn; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX match_choice_by_arn ON public.match_choice USING btree (organisation_id, acquirer_reference_number) WHERE (acquirer_reference_number IS NOT NULL);


--
-- Name: match_choice_by_card; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX match_choice_by_card ON public.match_choice USING btree (organisation_id, card_last4, chosen_at DESC) WHERE (card_last4 IS NOT NULL);


--
-- Name: notification_by_alert; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notification_by_alert ON public.notification USING btree (organisation_id, alert_id, id) WHERE (alert_id IS NOT NULL);


--
-- Name: notification_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notification_due ON public.notification USING btree (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);


--
-- Name: notification_given_up; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notification_given_up ON public.notification USING btree (organisation_id) WHERE (sent_at IS NULL);


--
-- Name: notification_sent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notification_sent ON public.notification USING btree (organisation_id, sent_at) WHERE (sent_at IS NOT NULL);


--
-- Name: order_nested_reference_by_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_nested_reference_by_order ON public.order_nested_reference USING btree (organisation_id, integration_id, order_reference);


--
-- Name: order_push_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_push_due ON public.order_push USING btree (organisation_id, next_attempt_at) WHERE (state = 'DUE'::text);


--
-- Name: order_record_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_record_by_account ON public.order_record USING btree (organisation_id, ((body ->> 'customer_account_id'::text))) WHERE ((body ->> 'customer_account_id'::text) IS NOT NULL);


--
-- Name: order_record_by_account_hmac; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_record_by_account_hmac ON public.order_record USING btree (organisation_id, account_hmac) WHERE (account_hmac IS NOT NULL);


--
-- Name: order_record_by_email; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_record_by_email ON public.order_record USING btree (organisation_id, lower((body ->> 'customer_email'::text))) WHERE ((body ->> 'customer_email'::text) IS NOT NULL);


--
-- Name: order_record_by_email_hmac; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_record_by_email_hmac ON public.order_record USING btree (organisation_id, email_hmac) WHERE (email_hmac IS NOT NULL);


--
-- Name: order_record_by_reference; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_record_by_reference ON public.order_record USING btree (organisation_id, reference_id);


--
-- Name: order_record_by_seq; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_record_by_seq ON public.order_record USING btree (organisation_id, seq DESC);


--
-- Name: order_record_by_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_record_by_state ON public.order_record USING btree (organisation_id, state, accepted_at);


--
-- Name: order_record_checking; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_record_checking ON public.order_record USING btree (organisation_id, next_attempt_at) WHERE ((state = ANY (ARRAY['CHECKING'::text, 'CREATED'::text])) AND (next_attempt_at IS NOT NULL));


--
-- Name: order_record_settled; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_record_settled ON public.order_record USING btree (organisation_id, settled_at) WHERE (settled_at IS NOT NULL);


--
-- Name: order_record_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_record_waiting ON public.order_record USING btree (organisation_id, seq) WHERE (state = 'WAITING'::text);


--
-- Name: policy_activation_latest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX policy_activation_latest ON public.policy_activation USING btree (organisation_id, id DESC);


--
-- Name: quarantine_by_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX quarantine_by_event ON public.quarantine USING btree (organisation_id, event_id);


--
-- Name: quarantine_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX quarantine_open ON public.quarantine USING btree (organisation_id, id) WHERE (resolved_at IS NULL);


--
-- Name: reconcile_request_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX reconcile_request_waiting ON public.reconcile_request USING btree (organisation_id, requested_at) WHERE (finished_at IS NULL);


--
-- Name: refund_approval_by_alert; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refund_approval_by_alert ON public.refund_approval USING btree (organisation_id, alert_id, id);


--
-- Name: refund_approval_open; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX refund_approval_open ON public.refund_approval USING btree (organisation_id, alert_id) WHERE (state = 'PENDING'::text);


--
-- Name: refund_by_confirmation; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refund_by_confirmation ON public.refund USING btree (organisation_id, confirmed_at) WHERE (confirmed_at IS NOT NULL);


--
-- Name: refund_by_sending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refund_by_sending ON public.refund USING btree (organisation_id, first_sent_at) WHERE (first_sent_at IS NOT NULL);


--
-- Name: refund_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refund_due ON public.refund USING btree (next_action_at) WHERE (next_action_at IS NOT NULL);


--
-- Name: refund_reversed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refund_reversed ON public.refund USING btree (organisation_id) WHERE (state = 'REVERSED'::text);


--
-- Name: representment_by_arn; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX representment_by_arn ON public.representment USING btree (organisation_id, acquirer_reference_number) WHERE (acquirer_reference_number IS NOT NULL);


--
-- Name: representment_by_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX representment_by_due ON public.representment USING btree (organisation_id, dispute_due_by, id);


--
-- Name: representment_by_transaction; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX representment_by_transaction ON public.representment USING btree (organisation_id, transaction_reference_id) WHERE (transaction_reference_id IS NOT NULL);


--
-- Name: review_comment_by_alert; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX review_comment_by_alert ON public.review_comment USING btree (organisation_id, alert_id, id);


--
-- Name: scheme_notice_by_arn; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX scheme_notice_by_arn ON public.scheme_notice USING btree (organisation_id, acquirer_reference_number) WHERE (acquirer_reference_number IS NOT NULL);


--
-- Name: scheme_notice_by_card; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX scheme_notice_by_card ON public.scheme_notice USING btree (organisation_id, card_last4, amount_minor, currency) WHERE (card_last4 IS NOT NULL);


--
-- Name: scheme_notice_by_report; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX scheme_notice_by_report ON public.scheme_notice USING btree (organisation_id, COALESCE(fraud_reported_at, created_at) DESC, id);


--
-- Name: side_action_by_alert; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX side_action_by_alert ON public.side_action USING btree (organisation_id, alert_id);


--
-- Name: side_action_next; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX side_action_next ON public.side_action USING btree (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);


--
-- Name: inbox_event_2026_11_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.inbox_event_pkey ATTACH PARTITION public.inbox_event_2026_11_pkey;


--
-- Name: inbox_event_2026_12_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.inbox_event_pkey ATTACH PARTITION public.inbox_event_2026_12_pkey;


--
-- Name: inbox_event_rest_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.inbox_event_pkey ATTACH PARTITION public.inbox_event_rest_pkey;


--
-- Name: alert_case alert_case_side_actions; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER alert_case_side_actions AFTER UPDATE OF state ON public.alert_case FOR EACH ROW WHEN (((new.state = 'RECONCILED_RDR'::text) AND (old.state <> 'RECONCILED_RDR'::text))) EXECUTE FUNCTION public.side_action_after_rdr();


--
-- Name: alert_case alert_case_terminal; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER alert_case_terminal BEFORE UPDATE OF state ON public.alert_case FOR EACH ROW EXECUTE FUNCTION public.alert_case_guard();


--
-- Name: audit audit_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER audit_append_only BEFORE DELETE OR UPDATE ON public.audit FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: decision decision_side_actions; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER decision_side_actions AFTER INSERT ON public.decision FOR EACH ROW EXECUTE FUNCTION public.side_action_after_decision();


--
-- Name: policy_activation policy_activation_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER policy_activation_append_only BEFORE DELETE OR UPDATE ON public.policy_activation FOR EACH ROW EXECUTE FUNCTION public.refuse_change();


--
-- Name: refund refund_terminal; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refund_terminal BEFORE UPDATE ON public.refund FOR EACH ROW EXECUTE FUNCTION public.refund_guard();


--
-- Name: alert_case alert_case_decision_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_case
    ADD CONSTRAINT alert_case_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES public.decision(id);


--
-- Name: alert_case alert_case_match_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_case
    ADD CONSTRAINT alert_case_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.match(id);


--
-- Name: console_session console_session_organisation_id_operator_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.console_session
    ADD CONSTRAINT console_session_organisation_id_operator_id_fkey FOREIGN KEY (organisation_id, operator_id) REFERENCES public.console_operator(organisation_id, id) ON DELETE CASCADE;


--
-- Name: declaration declaration_organisation_id_refund_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.declaration
    ADD CONSTRAINT declaration_organisation_id_refund_id_fkey FOREIGN KEY (organisation_id, refund_id) REFERENCES public.refund(organisation_id, id);


--
-- Name: order_push order_push_organisation_id_integration_id_reference_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_push
    ADD CONSTRAINT order_push_organisation_id_integration_id_reference_id_fkey FOREIGN KEY (organisation_id, integration_id, reference_id) REFERENCES public.order_record(organisation_id, integration_id, reference_id) ON DELETE CASCADE;


--
-- Name: policy_activation policy_activation_organisation_id_version_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.policy_activation
    ADD CONSTRAINT policy_activation_organisation_id_version_fkey FOREIGN KEY (organisation_id, version) REFERENCES public.policy_version(organisation_id, version);


--
-- Name: refund_approver refund_approver_approval_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refund_approver
    ADD CONSTRAINT refund_approver_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES public.refund_approval(id);


--
-- Name: refund_customer refund_customer_organisation_id_refund_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refund_customer
    ADD CONSTRAINT refund_customer_organisation_id_refund_id_fkey FOREIGN KEY (organisation_id, refund_id) REFERENCES public.refund(organisation_id, id);


--
-- PostgreSQL database dump complete
--


