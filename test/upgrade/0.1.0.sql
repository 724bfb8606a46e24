-- A database of version 0.1.0 (migrations 0001 to 0008), made with fill.ts; how, it says there.
--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

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
-- Name: pgboss; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA pgboss;


--
-- Name: job_state; Type: TYPE; Schema: pgboss; Owner: -
--

CREATE TYPE pgboss.job_state AS ENUM (
    'created',
    'retry',
    'active',
    'completed',
    'cancelled',
    'failed'
);


--
-- Name: create_queue(text, jsonb); Type: FUNCTION; Schema: pgboss; Owner: -
--

CREATE FUNCTION pgboss.create_queue(queue_name text, options jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $_$
    DECLARE
      tablename varchar := CASE WHEN options->>'partition' = 'true'
                            THEN 'j' || encode(sha224(queue_name::bytea), 'hex')
                            ELSE 'job_common'
                            END;
      queue_created_on timestamptz;
    BEGIN

      WITH q as (
        INSERT INTO pgboss.queue (
          name,
          policy,
          retry_limit,
          retry_delay,
          retry_backoff,
          retry_delay_max,
          expire_seconds,
          retention_seconds,
          deletion_seconds,
          warning_queued,
          dead_letter,
          partition,
          table_name,
          heartbeat_seconds,
          notify,
          created_on,
          updated_on
        )
        VALUES (
          queue_name,
          options->>'policy',
          COALESCE((options->>'retryLimit')::int, 2),
          COALESCE((options->>'retryDelay')::int, 0),
          COALESCE((options->>'retryBackoff')::bool, false),
          (options->>'retryDelayMax')::int,
          COALESCE((options->>'expireInSeconds')::int, 900),
          COALESCE((options->>'retentionSeconds')::int, 1209600),
          COALESCE((options->>'deleteAfterSeconds')::int, 604800),
          COALESCE((options->>'warningQueueSize')::int, 0),
          options->>'deadLetter',
          COALESCE((options->>'partition')::bool, false),
          tablename,
          (options->>'heartbeatSeconds')::int,
          COALESCE((options->>'notify')::bool, false),
          pgboss.job_now(),
          pgboss.job_now()
        )
        ON CONFLICT DO NOTHING
        RETURNING created_on
      )
      SELECT created_on into queue_created_on from q;

      IF queue_created_on IS NULL OR options->>'partition' IS DISTINCT FROM 'true' THEN
        RETURN;
      END IF;

      EXECUTE format('CREATE TABLE pgboss.%I (LIKE pgboss.job INCLUDING DEFAULTS)', tablename);

      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id)$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);

      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i11 ON pgboss.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i4 ON pgboss.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i7 ON pgboss.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i9 ON pgboss.job (name, id) WHERE blocking AND state = 'completed'$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i12 ON pgboss.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i13 ON pgboss.job (name, singleton_key) WHERE state = 'created' AND upsert_by_key$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i14 ON pgboss.job (name, state, blocked, start_after) WHERE state IN ('created', 'retry', 'active', 'failed')$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i15 ON pgboss.job (name, created_on)$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i16 ON pgboss.job (name, completed_on) WHERE completed_on IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i17 ON pgboss.job (name, singleton_key, created_on) WHERE state < 'active' AND singleton_key IS NOT NULL$cmd$, tablename);

      IF options->>'policy' = 'short' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i1 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, tablename);
      ELSIF options->>'policy' = 'singleton' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i2 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, tablename);
      ELSIF options->>'policy' = 'stately' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i3 ON pgboss.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, tablename);
      ELSIF options->>'policy' = 'exclusive' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i6 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, tablename);
      ELSIF options->>'policy' = 'key_strict_fifo' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i8 ON pgboss.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i10 ON pgboss.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, tablename);
      END IF;

      EXECUTE format('ALTER TABLE pgboss.%I ADD CONSTRAINT cjc CHECK (name=%L)', tablename, queue_name);
      EXECUTE format('ALTER TABLE pgboss.job ATTACH PARTITION pgboss.%I FOR VALUES IN (%L)', tablename, queue_name);
    END;
    $_$;


--
-- Name: delete_queue(text); Type: FUNCTION; Schema: pgboss; Owner: -
--

CREATE FUNCTION pgboss.delete_queue(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    DECLARE
      v_table varchar;
      v_partition bool;
    BEGIN
      
      SELECT table_name, partition
      FROM pgboss.queue
      WHERE name = queue_name
      INTO v_table, v_partition;

      IF v_partition THEN
        EXECUTE format('DROP TABLE IF EXISTS pgboss.%I', v_table);
      ELSE
        EXECUTE format('DELETE FROM pgboss.%I WHERE name = %L', v_table, queue_name);
      END IF;
    
      DELETE FROM pgboss.queue WHERE name = queue_name;
    END;
    $$;


--
-- Name: job_now(); Type: FUNCTION; Schema: pgboss; Owner: -
--

CREATE FUNCTION pgboss.job_now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
      SELECT pg_catalog.now();
    $$;


--
-- Name: job_table_format(text, text); Type: FUNCTION; Schema: pgboss; Owner: -
--

CREATE FUNCTION pgboss.job_table_format(command text, table_name text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$
      SELECT format(
        regexp_replace(
          regexp_replace(command, '\.job\y', '.%1$I', 'g'),
          '\yjob_i(\d+)', '%1$s_i\1', 'g'
        ),
        table_name
      );
    $_$;


--
-- Name: job_table_run(text, text, text); Type: FUNCTION; Schema: pgboss; Owner: -
--

CREATE FUNCTION pgboss.job_table_run(command text, tbl_name text DEFAULT NULL::text, queue_name text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    DECLARE
      tbl RECORD;
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        EXECUTE pgboss.job_table_format(command, tbl_name);
        RETURN;
      END IF;

      EXECUTE pgboss.job_table_format(command, 'job_common');

      FOR tbl IN SELECT table_name FROM pgboss.queue WHERE partition = true
      LOOP
        EXECUTE pgboss.job_table_format(command, tbl.table_name);
      END LOOP;
    END;
    $$;


--
-- Name: job_table_run_async(text, integer, text, text, text); Type: FUNCTION; Schema: pgboss; Owner: -
--

CREATE FUNCTION pgboss.job_table_run_async(command_name text, version integer, command text, tbl_name text DEFAULT NULL::text, queue_name text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
        VALUES (
          command_name,
          version,
          'pending',
          queue_name,
          tbl_name,
          pgboss.job_table_format(command, tbl_name)
        );
        RETURN;
      END IF;

      INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
      SELECT
        command_name,
        version,
        'pending',
        NULL,
        'job_common',
        pgboss.job_table_format(command, 'job_common')
      UNION ALL
      SELECT
        command_name,
        version,
        'pending',
        queue.name,
        queue.table_name,
        pgboss.job_table_format(command, queue.table_name)
      FROM pgboss.queue
      WHERE partition = true;
    END;
    $$;


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
-- Name: bam; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.bam (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    version integer NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    queue text,
    table_name text NOT NULL,
    command text NOT NULL,
    error text,
    created_on timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone
);


--
-- Name: instance; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.instance (
    id uuid NOT NULL,
    name text,
    host text NOT NULL,
    pid integer NOT NULL,
    version text NOT NULL,
    node_version text NOT NULL,
    application_name text,
    heartbeat_seconds integer NOT NULL,
    supervise boolean NOT NULL,
    schedule boolean NOT NULL,
    migrate boolean NOT NULL,
    persist_queue_stats boolean NOT NULL,
    persist_warnings boolean NOT NULL,
    pool_max integer,
    pool_total integer,
    pool_idle integer,
    pool_waiting integer,
    workers jsonb DEFAULT '[]'::jsonb NOT NULL,
    metrics jsonb,
    config jsonb DEFAULT '{}'::jsonb NOT NULL,
    crash_restarts integer DEFAULT 0 NOT NULL,
    crash_restarts_since timestamp with time zone,
    started_on timestamp with time zone DEFAULT now() NOT NULL,
    heartbeat_on timestamp with time zone DEFAULT now() NOT NULL,
    stopped_on timestamp with time zone
);


--
-- Name: job; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.job (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    retry_delay_max integer,
    expire_seconds integer DEFAULT 900 NOT NULL,
    deletion_seconds integer DEFAULT 604800 NOT NULL,
    singleton_key text,
    singleton_on timestamp without time zone,
    group_id text,
    group_tier text,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '336:00:00'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    heartbeat_on timestamp with time zone,
    heartbeat_seconds integer,
    blocked boolean DEFAULT false NOT NULL,
    blocking boolean DEFAULT false NOT NULL,
    pending_dependencies integer DEFAULT 0 NOT NULL,
    source_name text,
    source_id uuid,
    source_created_on timestamp with time zone,
    source_retry_count integer,
    source_output jsonb,
    source_root_id uuid,
    trace_context jsonb,
    upsert_by_key boolean
)
PARTITION BY LIST (name);


--
-- Name: job_common; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.job_common (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    retry_delay_max integer,
    expire_seconds integer DEFAULT 900 NOT NULL,
    deletion_seconds integer DEFAULT 604800 NOT NULL,
    singleton_key text,
    singleton_on timestamp without time zone,
    group_id text,
    group_tier text,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '336:00:00'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    heartbeat_on timestamp with time zone,
    heartbeat_seconds integer,
    blocked boolean DEFAULT false NOT NULL,
    blocking boolean DEFAULT false NOT NULL,
    pending_dependencies integer DEFAULT 0 NOT NULL,
    source_name text,
    source_id uuid,
    source_created_on timestamp with time zone,
    source_retry_count integer,
    source_output jsonb,
    source_root_id uuid,
    trace_context jsonb,
    upsert_by_key boolean,
    CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK ((NOT ((policy = 'key_strict_fifo'::text) AND (singleton_key IS NULL))))
);


--
-- Name: job_dependency; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.job_dependency (
    child_name text NOT NULL,
    child_id uuid NOT NULL,
    parent_name text NOT NULL,
    parent_id uuid NOT NULL
);


--
-- Name: queue; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.queue (
    name text NOT NULL,
    policy text NOT NULL,
    retry_limit integer NOT NULL,
    retry_delay integer NOT NULL,
    retry_backoff boolean NOT NULL,
    retry_delay_max integer,
    expire_seconds integer NOT NULL,
    retention_seconds integer NOT NULL,
    deletion_seconds integer NOT NULL,
    dead_letter text,
    partition boolean NOT NULL,
    table_name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    blocked_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    warning_queued integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    retained_count integer,
    retained_on timestamp with time zone,
    created_delta integer DEFAULT 0 NOT NULL,
    completed_delta integer DEFAULT 0 NOT NULL,
    failed_delta integer DEFAULT 0 NOT NULL,
    delta_on timestamp with time zone,
    delta_seconds integer,
    wait_bins integer[],
    run_bins integer[],
    ready_oldest_seconds integer,
    ready_history integer[] DEFAULT '{}'::integer[] NOT NULL,
    heartbeat_seconds integer,
    notify boolean DEFAULT false NOT NULL,
    singletons_active text[],
    monitor_claim_on timestamp with time zone,
    monitor_on timestamp with time zone,
    maintain_on timestamp with time zone,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT queue_check CHECK ((dead_letter IS DISTINCT FROM name))
);


--
-- Name: queue_stats; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.queue_stats (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    wait_bins integer[],
    run_bins integer[],
    ready_oldest_seconds integer,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
)
PARTITION BY RANGE (captured_on);


--
-- Name: queue_stats_20261122; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.queue_stats_20261122 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    wait_bins integer[],
    run_bins integer[],
    ready_oldest_seconds integer,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: queue_stats_20261123; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.queue_stats_20261123 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    wait_bins integer[],
    run_bins integer[],
    ready_oldest_seconds integer,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: schedule; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.schedule (
    name text NOT NULL,
    key text DEFAULT ''::text NOT NULL,
    kind text DEFAULT 'cron'::text NOT NULL,
    cron text NOT NULL,
    timezone text DEFAULT 'UTC'::text,
    data jsonb,
    options jsonb,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL,
    last_job_id uuid,
    CONSTRAINT schedule_kind_check CHECK ((kind = ANY (ARRAY['cron'::text, 'rrule'::text])))
);


--
-- Name: subscription; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.subscription (
    event text NOT NULL,
    name text NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: version; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.version (
    version integer NOT NULL,
    cron_on timestamp with time zone,
    bam_on timestamp with time zone,
    flow_on timestamp with time zone,
    reindex_on timestamp with time zone,
    monitor_backoff_on timestamp with time zone
);


--
-- Name: warning; Type: TABLE; Schema: pgboss; Owner: -
--

CREATE TABLE pgboss.warning (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    type text NOT NULL,
    message text NOT NULL,
    data jsonb,
    created_on timestamp with time zone DEFAULT now() NOT NULL
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
    body bytea NOT NULL
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
    body bytea NOT NULL
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
    body bytea NOT NULL
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
    body bytea NOT NULL
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
    resolved_by text
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
    CONSTRAINT refund_approval_amount_minor_check CHECK ((amount_minor > 0)),
    CONSTRAINT refund_approval_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'DECLINED'::text, 'REPLACED'::text])))
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
-- Name: job_common; Type: TABLE ATTACH; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.job ATTACH PARTITION pgboss.job_common DEFAULT;


--
-- Name: queue_stats_20261122; Type: TABLE ATTACH; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue_stats ATTACH PARTITION pgboss.queue_stats_20261122 FOR VALUES FROM ('2026-11-22 00:00:00+00') TO ('2026-11-23 00:00:00+00');


--
-- Name: queue_stats_20261123; Type: TABLE ATTACH; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue_stats ATTACH PARTITION pgboss.queue_stats_20261123 FOR VALUES FROM ('2026-11-23 00:00:00+00') TO ('2026-11-24 00:00:00+00');


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
-- Data for Name: bam; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: job_common; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: job_dependency; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: queue; Type: TABLE DATA; Schema: pgboss; Owner: -
--

INSERT INTO pgboss.queue VALUES
	('forestall.minute.v1', 'exclusive', 0, 0, false, NULL, 120, 1209600, 86400, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 02:47:25.647612+00', '2026-11-22 02:47:25.647612+00'),
	('forestall.nightly.v1', 'exclusive', 0, 0, false, NULL, 120, 1209600, 86400, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-22 02:47:25.695644+00', '2026-11-22 02:47:25.695644+00');


--
-- Data for Name: queue_stats_20261122; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: queue_stats_20261123; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: schedule; Type: TABLE DATA; Schema: pgboss; Owner: -
--

INSERT INTO pgboss.schedule VALUES
	('forestall.minute.v1', '', 'cron', '* * * * *', 'UTC', NULL, '{"missed": "once"}', '2026-11-22 02:47:25.820973+00', '2026-11-22 02:47:25.820973+00', NULL),
	('forestall.nightly.v1', '', 'cron', '17 3 * * *', 'UTC', NULL, '{"missed": "once"}', '2026-11-22 02:47:25.834973+00', '2026-11-22 02:47:25.834973+00', NULL);


--
-- Data for Name: subscription; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: version; Type: TABLE DATA; Schema: pgboss; Owner: -
--

INSERT INTO pgboss.version VALUES
	(46, NULL, '2026-11-22 02:47:25.603604+00', NULL, NULL, NULL);


--
-- Data for Name: warning; Type: TABLE DATA; Schema: pgboss; Owner: -
--



--
-- Data for Name: activity_hour; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: alert; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.alert VALUES
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_4fd2e8c497a8b650bd2b460c70', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-22 00:00:00+00', 6450, 'USD', '2026-11-04 00:00:00+00', '182169', '33816953026748034782209', 'DEMO STORE', '411111', '5775', NULL, 'SCHEME_A', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '{"id": "netalrt_4fd2e8c497a8b650bd2b460c70", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-20T00:00:00.000Z", "updated_at": "2026-11-20T00:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "5775", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_A", "action_required_deadline": "2026-11-22T00:00:00.000Z", "transaction_authorised_at": "2026-11-04T00:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 6450, "transaction_authorisation_code": "182169", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "33816953026748034782209"}', '\xd1734b98b6bdcd46c535183480bc71c29738664a8a55f5d0c478647f29a3aa58', 'webhook', '2026-11-20 01:00:00+00', false, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'RESOLVED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-22 00:00:00+00', 84900, 'USD', '2026-11-12 00:00:00+00', '394461', '73460513846705987379441', 'DEMO STORE', '411111', '7108', NULL, 'SCHEME_A', NULL, NULL, 'NOT_REFUNDED', NULL, 'not refunded', NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '{"id": "netalrt_86a2226ff707b96fa8ce8af6e7", "note": "not refunded", "status": "RESOLVED", "created_at": "2026-11-20T00:00:00.000Z", "updated_at": "2026-11-20T00:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "7108", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_A", "action_required_deadline": "2026-11-22T00:00:00.000Z", "transaction_authorised_at": "2026-11-12T00:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": "NOT_REFUNDED", "subscription_cancel_outcome": null, "transaction_amount_in_cents": 84900, "transaction_authorisation_code": "394461", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "73460513846705987379441"}', '\xaeaba1b09c6358ac101d426ae6bcb72b9f47deab1c75bca1861f027d94933190', 'poll', '2026-11-20 01:00:00+00', false, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_6d81a474f0e832c68550f1cede', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-22 00:00:00+00', 1000, 'USD', '2026-11-19 00:00:00+00', '000000', NULL, 'DEMO STORE', NULL, '0000', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '{"id": "netalrt_6d81a474f0e832c68550f1cede", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-20T00:00:00.000Z", "updated_at": "2026-11-20T00:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": null, "chargeback_reason_code": null, "transaction_card_last4": "0000", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": null, "action_required_deadline": "2026-11-22T00:00:00.000Z", "transaction_authorised_at": "2026-11-19T00:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 1000, "transaction_authorisation_code": "000000", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": null}', '\xfde4607cec046dc884106b6547e71989e29f7aebf4cc43b8cbca65043c88b73c', 'webhook', '2026-11-20 01:00:00+00', false, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_9c6bf18afc5b5bbf0d718205c9', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-22 00:00:00+00', 6450, 'USD', '2026-11-18 00:00:00+00', '876225', '89193939465915595890631', 'DEMO STORE', '411111', '6034', NULL, 'SCHEME_A', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '{"id": "netalrt_9c6bf18afc5b5bbf0d718205c9", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-20T00:00:00.000Z", "updated_at": "2026-11-20T00:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "6034", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_A", "action_required_deadline": "2026-11-22T00:00:00.000Z", "transaction_authorised_at": "2026-11-18T00:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 6450, "transaction_authorisation_code": "876225", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "89193939465915595890631"}', '\x964258f9d2ada3ce7fafcdfbab579ed35a36fc86dd9fda66d67d338317558ed2', 'webhook', '2026-11-20 01:00:00+00', false, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_b1d301437820c1b6787f220ce4', 'RESOLVED', 'NETB_RDR', 'enrl_b95a3821d8d8a2445286d74c50', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-22 00:00:00+00', 2900, 'USD', '2026-11-09 00:00:00+00', '742806', '08906836749361531341260', NULL, '411111', '5963', NULL, 'SCHEME_A', NULL, NULL, 'REFUNDED', NULL, NULL, NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '{"id": "netalrt_b1d301437820c1b6787f220ce4", "note": null, "status": "RESOLVED", "created_at": "2026-11-20T00:00:00.000Z", "updated_at": "2026-11-20T00:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_b95a3821d8d8a2445286d74c50", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETB_RDR", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "5963", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_A", "action_required_deadline": "2026-11-22T00:00:00.000Z", "transaction_authorised_at": "2026-11-09T00:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": "REFUNDED", "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "742806", "transaction_statement_descriptor": null, "transaction_acquirer_reference_number": "08906836749361531341260"}', '\xc4cacfc0e839be054a32e814fa56b72c48234e21e2c92230b0127fd69a57be0f', 'webhook', '2026-11-20 01:00:00+00', false, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_ce4b9699064c680456bdffc826', 'RESOLVED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-22 00:00:00+00', 2900, 'USD', '2026-11-08 00:00:00+00', '297026', '94122134447581813556579', 'DEMO STORE', '411111', '4402', NULL, 'SCHEME_A', NULL, NULL, 'REFUNDED', NULL, 'refund re_362ea598fa52ad27cb93', NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '{"id": "netalrt_ce4b9699064c680456bdffc826", "note": "refund re_362ea598fa52ad27cb93", "status": "RESOLVED", "created_at": "2026-11-20T00:00:00.000Z", "updated_at": "2026-11-20T00:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "4402", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_A", "action_required_deadline": "2026-11-22T00:00:00.000Z", "transaction_authorised_at": "2026-11-08T00:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": "REFUNDED", "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "297026", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "94122134447581813556579"}', '\x813d39c29101db1e6bdf8f66358cd43df329d1735e80ca5e5b873c3226430dee', 'poll', '2026-11-20 01:00:00+00', false, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_328d1e8d6c4a43f66576c428ae', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-22 01:00:00+00', 1290, 'USD', '2026-11-17 01:00:00+00', '945236', '33869495589292457911224', 'DEMO STORE', '411111', '2299', NULL, 'SCHEME_B', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', '{"id": "netalrt_328d1e8d6c4a43f66576c428ae", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-20T01:00:00.000Z", "updated_at": "2026-11-20T01:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "2299", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_B", "action_required_deadline": "2026-11-22T01:00:00.000Z", "transaction_authorised_at": "2026-11-17T01:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 1290, "transaction_authorisation_code": "945236", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "33869495589292457911224"}', '\x19a1445493b4b679f8eb7d3232991c89947a99c566ef90cd2bb58cc67ec3b69e', 'webhook', '2026-11-20 01:00:00+00', false, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_721fc0d66e60cb502511e31120', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-22 01:00:00+00', 2900, 'USD', '2026-11-16 01:00:00+00', '263960', '47631720679716032306290', 'DEMO STORE', '411111', '8229', NULL, 'SCHEME_A', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', '{"id": "netalrt_721fc0d66e60cb502511e31120", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-20T01:00:00.000Z", "updated_at": "2026-11-20T01:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "8229", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_A", "action_required_deadline": "2026-11-22T01:00:00.000Z", "transaction_authorised_at": "2026-11-16T01:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "263960", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "47631720679716032306290"}', '\xf984ee1df98fb2ec4f6ea86d589c4bea01b8b4f8fae916d9b8cbfb453156db7e', 'webhook', '2026-11-20 01:00:00+00', false, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_e27549f1f872221e3eb4d6c343', 'ACTION_REQUIRED', 'NETA_ALERT', 'enrl_3715be1cdc30403e6aa2c26bf8', 'mrch_ba5f6f035a61a91c80f1ff8ece', '2026-11-22 01:00:00+00', 2900, 'USD', '2026-11-06 01:00:00+00', '988696', '81159603051811654743018', 'DEMO STORE', '411111', '6146', NULL, 'SCHEME_A', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', '{"id": "netalrt_e27549f1f872221e3eb4d6c343", "note": null, "status": "ACTION_REQUIRED", "created_at": "2026-11-20T01:00:00.000Z", "updated_at": "2026-11-20T01:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "enrolment_id": "enrl_3715be1cdc30403e6aa2c26bf8", "merchant_ids": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "enrolment_type": "NETA_ALERT", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_card_bin": "411111", "chargeback_reason_code": null, "transaction_card_last4": "6146", "transaction_network_id": null, "transaction_card_issuer": null, "transaction_card_scheme": "SCHEME_A", "action_required_deadline": "2026-11-22T01:00:00.000Z", "transaction_authorised_at": "2026-11-06T01:00:00.000Z", "transaction_currency_code": "USD", "integration_transaction_id": null, "transaction_refund_outcome": null, "subscription_cancel_outcome": null, "transaction_amount_in_cents": 2900, "transaction_authorisation_code": "988696", "transaction_statement_descriptor": "DEMO STORE", "transaction_acquirer_reference_number": "81159603051811654743018"}', '\xd65236ec0a9ae8ba1603aa53d21abbb0902f465a9150202186758f9208eea357', 'webhook', '2026-11-20 01:00:00+00', false, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00');


--
-- Data for Name: alert_case; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.alert_case VALUES
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_b1d301437820c1b6787f220ce4', 'RECONCILED_RDR', DEFAULT, 4, '2026-11-20 00:00:00+00', '2026-11-22 00:00:00+00', NULL, NULL, NULL, 0, NULL, 2, NULL, 'ch_301201797033', NULL, NULL, NULL, NULL, NULL, false, NULL, 0, NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_6d81a474f0e832c68550f1cede', 'HUMAN', DEFAULT, 5, '2026-11-20 01:00:00+00', '2026-11-22 00:00:00+00', '2026-11-20 02:00:00+00', NULL, NULL, 0, NULL, 5, 3, NULL, NULL, 'no_charge', 'ACCEPT_DISPUTE', '2026-11-21 18:00:00+00', NULL, false, '2026-11-21 00:30:00+00', 0, NULL, NULL, NULL, '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_4fd2e8c497a8b650bd2b460c70', 'HUMAN', DEFAULT, 5, '2026-11-20 01:00:00+00', '2026-11-22 00:00:00+00', '2026-11-21 20:00:00+00', NULL, NULL, 0, NULL, 4, 4, 'ch_428969921360', NULL, 'policy_review', 'REFUND', '2026-11-21 20:00:00+00', NULL, false, '2026-11-21 00:30:00+00', 0, NULL, NULL, NULL, '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_9c6bf18afc5b5bbf0d718205c9', 'HUMAN', DEFAULT, 5, '2026-11-20 01:00:00+00', '2026-11-22 00:00:00+00', '2026-11-21 20:00:00+00', NULL, NULL, 0, NULL, 6, 5, 'ch_913988403626', NULL, 'policy_review', 'REFUND', '2026-11-21 20:00:00+00', NULL, false, '2026-11-21 00:30:00+00', 0, NULL, NULL, NULL, '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_721fc0d66e60cb502511e31120', 'REFUNDING', DEFAULT, 9, '2026-11-20 01:00:00+00', '2026-11-22 01:00:00+00', '2026-11-20 01:10:00+00', NULL, NULL, 0, NULL, 8, 7, 'ch_967566236894', 'rf_c3f722454321ca887610933129', NULL, 'ACCEPT_DISPUTE', '2026-11-21 23:00:00+00', NULL, false, '2026-11-21 01:00:00+00', 0, NULL, NULL, NULL, '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'DECLARED_ACCEPT', DEFAULT, 9, '2026-11-20 00:00:00+00', '2026-11-22 00:00:00+00', NULL, NULL, NULL, 0, NULL, 1, 2, 'ch_612264435643', NULL, NULL, NULL, NULL, NULL, false, NULL, 0, NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_ce4b9699064c680456bdffc826', 'DECLARED_REFUND', DEFAULT, 11, '2026-11-20 00:00:00+00', '2026-11-22 00:00:00+00', NULL, NULL, NULL, 0, NULL, 3, 1, 'ch_559007729534', 'rf_1505821682d65f0220174f23fc', NULL, NULL, NULL, NULL, false, NULL, 0, NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_328d1e8d6c4a43f66576c428ae', 'DECLARE_REFUND', DEFAULT, 11, '2026-11-20 01:00:00+00', '2026-11-22 01:00:00+00', '2026-11-20 01:00:01.993+00', NULL, NULL, 1, 'SERVER_ERROR from PATCH /v1/alerts/{alert_id}', 7, 6, 'ch_863991086935', 'rf_e70b1694a137dc690ff9708eab', NULL, NULL, NULL, NULL, false, '2026-11-21 01:00:00+00', 0, NULL, NULL, NULL, '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_e27549f1f872221e3eb4d6c343', 'REFUNDING', DEFAULT, 9, '2026-11-20 01:00:00+00', '2026-11-22 01:00:00+00', '2026-11-20 01:10:00+00', NULL, NULL, 0, NULL, 9, 8, 'ch_587073054934', 'rf_ec2d015b025c9cceedf9bf29ac', NULL, 'ACCEPT_DISPUTE', '2026-11-21 23:00:00+00', NULL, false, '2026-11-21 01:00:00+00', 0, NULL, NULL, NULL, '2026-11-20 01:00:00+00');


--
-- Data for Name: audit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit OVERRIDING SYSTEM VALUE VALUES
	(1, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'forestall', 'Charge ch_612264435643 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 1}'),
	(2, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_b1d301437820c1b6787f220ce4', 'netalrt_b1d301437820c1b6787f220ce4', 'forestall', 'Charge ch_301201797033 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'RECEIVED', '{"tier": "arn", "match_id": 2}'),
	(3, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'Charge ch_559007729534 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 3}'),
	(4, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'refund', 'rf_8af1877eaa9d55103c0afdc2ee', 'netalrt_b1d301437820c1b6787f220ce4', 'forestall', 'charge reserved', NULL, 'EXTERNAL', '{"charge": "ch_301201797033", "currency": "USD", "amount_minor": 0}'),
	(5, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'order', 'order-301201', NULL, 'forestall', 'order changed by a refund or dispute of ours', 'CREATED', 'CREATED', '{"parts": ["refunds/netalrt_b1d301437820c1b6787f220ce4"], "integration_id": "int_fd4d0d3795e94dfcdee9f2c099"}'),
	(6, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_b1d301437820c1b6787f220ce4', 'netalrt_b1d301437820c1b6787f220ce4', 'forestall', 'refunded by the network', 'RECEIVED', 'RECONCILED_RDR', '{"booked": "external refund booked", "status": "RESOLVED", "outcome": "REFUNDED"}'),
	(7, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'policy', '77e68516b58f8eec', NULL, 'user:root', 'policy activated', NULL, NULL, '{"name": "Demonstration", "author": "user:root", "origin": "built-in", "previous_version": null}'),
	(8, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 1}'),
	(9, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'forestall', 'Accept the dispute of 849.00 USD: rule "large and dispatched" applies, because amount is 849.00 USD, above 200.00 USD and delivery is physical and dispatched is true.', 'MATCHED', 'DECIDED_ACCEPT', '{"rule": "large and dispatched", "guard": null, "decision_id": 2}'),
	(10, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'declaration', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'forestall', 'ACCEPT_DISPUTE owed', NULL, 'DUE', '{}'),
	(11, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'forestall', 'no money moved; the answer is owed', 'DECIDED_ACCEPT', 'DECLARE_ACCEPT', '{}'),
	(12, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'refund', 'rf_1505821682d65f0220174f23fc', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_559007729534", "currency": "USD", "amount_minor": 2900}'),
	(13, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_1505821682d65f0220174f23fc"}'),
	(14, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'refund', 'rf_1505821682d65f0220174f23fc', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_aa9687319cae0d28a9d22cd9e85d0c250d2e04a6", "charge": "ch_559007729534", "currency": "USD", "amount_minor": 2900}'),
	(15, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'refund', 'rf_1505821682d65f0220174f23fc', 'netalrt_ce4b9699064c680456bdffc826', 'processor', 'refund confirmed', 'SENT', 'CONFIRMED', '{"charge": "ch_559007729534", "currency": "USD", "amount_minor": 2900}'),
	(16, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'order', 'order-559007', NULL, 'forestall', 'order changed by a refund or dispute of ours', 'CREATED', 'CREATED', '{"parts": ["refunds/re_362ea598fa52ad27cb93"], "integration_id": "int_fd4d0d3795e94dfcdee9f2c099"}'),
	(17, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'declaration', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'REFUND owed', NULL, 'DUE', '{}'),
	(18, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'refund stands', 'REFUNDING', 'DECLARE_REFUND', '{"refund": "rf_1505821682d65f0220174f23fc"}'),
	(19, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'declaration', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'forestall', 'ACCEPT_DISPUTE done', 'DUE', 'DONE', '{}'),
	(20, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'forestall', 'declared', 'DECLARE_ACCEPT', 'DECLARED_ACCEPT', '{"note": "not refunded", "outcome": "NOT_REFUNDED"}'),
	(21, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'declaration', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'REFUND done', 'DUE', 'DONE', '{}'),
	(22, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'case', 'netalrt_ce4b9699064c680456bdffc826', 'netalrt_ce4b9699064c680456bdffc826', 'forestall', 'declared', 'DECLARE_REFUND', 'DECLARED_REFUND', '{"note": "refund re_362ea598fa52ad27cb93", "outcome": "REFUNDED"}'),
	(23, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_4fd2e8c497a8b650bd2b460c70', 'netalrt_4fd2e8c497a8b650bd2b460c70', 'forestall', 'Charge ch_428969921360 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 4}'),
	(24, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_6d81a474f0e832c68550f1cede', 'netalrt_6d81a474f0e832c68550f1cede', 'forestall', 'No charge shares an identifier with this alert.', 'RECEIVED', 'UNMATCHED', '{"tier": null, "match_id": 5}'),
	(25, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_9c6bf18afc5b5bbf0d718205c9', 'netalrt_9c6bf18afc5b5bbf0d718205c9', 'forestall', 'Charge ch_913988403626 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 6}'),
	(26, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_6d81a474f0e832c68550f1cede', 'netalrt_6d81a474f0e832c68550f1cede', 'forestall', 'A person decides about 10.00 USD: no charge was found that this alert is about. Without a decision it becomes ACCEPT_DISPUTE at 2026-11-21T18:00:00.000Z.', 'UNMATCHED', 'HUMAN', '{"rule": "no single charge", "guard": "no_charge", "decision_id": 3}'),
	(27, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_4fd2e8c497a8b650bd2b460c70', 'netalrt_4fd2e8c497a8b650bd2b460c70', 'forestall', 'A person decides about 64.50 USD: no rule of the policy applies, so its "otherwise" does. Without a decision it becomes REFUND at 2026-11-21T20:00:00.000Z.', 'MATCHED', 'HUMAN', '{"rule": null, "guard": null, "decision_id": 4}'),
	(31, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_328d1e8d6c4a43f66576c428ae', 'netalrt_328d1e8d6c4a43f66576c428ae', 'forestall', 'Charge ch_863991086935 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 7}'),
	(28, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_9c6bf18afc5b5bbf0d718205c9', 'netalrt_9c6bf18afc5b5bbf0d718205c9', 'forestall', 'A person decides about 64.50 USD: no rule of the policy applies, so its "otherwise" does. Without a decision it becomes REFUND at 2026-11-21T20:00:00.000Z.', 'MATCHED', 'HUMAN', '{"rule": null, "guard": null, "decision_id": 5}'),
	(29, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'operator', 'Ines', 'netalrt_9c6bf18afc5b5bbf0d718205c9', 'operator:Ines', 'claimed the review', NULL, NULL, '{}'),
	(30, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'operator', 'Ines', 'netalrt_9c6bf18afc5b5bbf0d718205c9', 'operator:Ines', 'commented', NULL, NULL, '{}'),
	(32, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_328d1e8d6c4a43f66576c428ae', 'netalrt_328d1e8d6c4a43f66576c428ae', 'forestall', 'Refund 12.90 USD in full: rule "small amounts" applies, because amount is 12.90 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 6}'),
	(33, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_328d1e8d6c4a43f66576c428ae', 'netalrt_328d1e8d6c4a43f66576c428ae', 'forestall', 'cancel subscription planned', NULL, NULL, '{"cause": "alert", "subject": "ch_863991086935"}'),
	(34, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_328d1e8d6c4a43f66576c428ae', 'netalrt_328d1e8d6c4a43f66576c428ae', 'forestall', 'cancel subscription done', NULL, NULL, '{"note": "sub_863991", "cause": "alert", "subject": "ch_863991086935"}'),
	(40, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'declaration', 'netalrt_328d1e8d6c4a43f66576c428ae', 'netalrt_328d1e8d6c4a43f66576c428ae', 'forestall', 'REFUND owed', NULL, 'DUE', '{}'),
	(41, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_328d1e8d6c4a43f66576c428ae', 'netalrt_328d1e8d6c4a43f66576c428ae', 'forestall', 'refund stands', 'REFUNDING', 'DECLARE_REFUND', '{"refund": "rf_e70b1694a137dc690ff9708eab"}'),
	(42, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_721fc0d66e60cb502511e31120', 'netalrt_721fc0d66e60cb502511e31120', 'forestall', 'Charge ch_967566236894 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 8}'),
	(43, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_721fc0d66e60cb502511e31120', 'netalrt_721fc0d66e60cb502511e31120', 'forestall', 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 7}'),
	(48, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_e27549f1f872221e3eb4d6c343', 'netalrt_e27549f1f872221e3eb4d6c343', 'forestall', 'Charge ch_587073054934 is the only one that agrees in the ARN with last 4 digits or BIN.', 'RECEIVED', 'MATCHED', '{"tier": "arn", "match_id": 9}'),
	(54, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'operator', 'Ines', NULL, 'operator:setup', 'operator added', NULL, NULL, '{"role": "reviewer"}'),
	(55, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'system', 'money_pause', NULL, 'operator:Ines', 'refunds paused', NULL, NULL, '{}'),
	(56, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 00:00:00+00', 'system', 'money_pause', NULL, 'operator:Ines', 'refunds resumed', NULL, NULL, '{}'),
	(35, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'refund', 'rf_e70b1694a137dc690ff9708eab', 'netalrt_328d1e8d6c4a43f66576c428ae', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_863991086935", "currency": "USD", "amount_minor": 1290}'),
	(36, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_328d1e8d6c4a43f66576c428ae', 'netalrt_328d1e8d6c4a43f66576c428ae', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_e70b1694a137dc690ff9708eab"}'),
	(37, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'refund', 'rf_e70b1694a137dc690ff9708eab', 'netalrt_328d1e8d6c4a43f66576c428ae', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_b3bf9316780487846575871811d57f20653af07b", "charge": "ch_863991086935", "currency": "USD", "amount_minor": 1290}'),
	(38, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'refund', 'rf_e70b1694a137dc690ff9708eab', 'netalrt_328d1e8d6c4a43f66576c428ae', 'processor', 'refund confirmed', 'SENT', 'CONFIRMED', '{"charge": "ch_863991086935", "currency": "USD", "amount_minor": 1290}'),
	(39, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'order', 'order-863991', NULL, 'forestall', 'order changed by a refund or dispute of ours', 'CREATED', 'CREATED', '{"parts": ["refunds/re_1e2123a2a3bfde84c7f2"], "integration_id": "int_fd4d0d3795e94dfcdee9f2c099"}'),
	(44, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'refund', 'rf_c3f722454321ca887610933129', 'netalrt_721fc0d66e60cb502511e31120', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_967566236894", "currency": "USD", "amount_minor": 2900}'),
	(45, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_721fc0d66e60cb502511e31120', 'netalrt_721fc0d66e60cb502511e31120', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_c3f722454321ca887610933129"}'),
	(46, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'refund', 'rf_c3f722454321ca887610933129', 'netalrt_721fc0d66e60cb502511e31120', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_75fd34a1099d88463667d9289dd455d7405a68de", "charge": "ch_967566236894", "currency": "USD", "amount_minor": 2900}'),
	(47, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'refund', 'rf_c3f722454321ca887610933129', 'netalrt_721fc0d66e60cb502511e31120', 'forestall', 'answer missing', 'SENT', 'UNKNOWN', '{"charge": "ch_967566236894", "reason": "the call ended: broken", "currency": "USD", "amount_minor": 2900}'),
	(49, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_e27549f1f872221e3eb4d6c343', 'netalrt_e27549f1f872221e3eb4d6c343', 'forestall', 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', 'MATCHED', 'DECIDED_REFUND', '{"rule": "small amounts", "guard": null, "decision_id": 8}'),
	(50, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'refund', 'rf_ec2d015b025c9cceedf9bf29ac', 'netalrt_e27549f1f872221e3eb4d6c343', 'forestall', 'charge reserved', NULL, 'INTENT', '{"charge": "ch_587073054934", "currency": "USD", "amount_minor": 2900}'),
	(51, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'case', 'netalrt_e27549f1f872221e3eb4d6c343', 'netalrt_e27549f1f872221e3eb4d6c343', 'forestall', 'charge reserved', 'DECIDED_REFUND', 'REFUNDING', '{"refund": "rf_ec2d015b025c9cceedf9bf29ac"}'),
	(52, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'refund', 'rf_ec2d015b025c9cceedf9bf29ac', 'netalrt_e27549f1f872221e3eb4d6c343', 'forestall', 'refund sent', 'INTENT', 'SENT', '{"key": "fst_24a3841fe3fe97348cdf0c76afc6077fa2c67b70", "charge": "ch_587073054934", "currency": "USD", "amount_minor": 2900}'),
	(53, 'org_b80b16a547b10e933f04fcfb58', '2026-11-20 01:00:00+00', 'refund', 'rf_ec2d015b025c9cceedf9bf29ac', 'netalrt_e27549f1f872221e3eb4d6c343', 'forestall', 'answer missing', 'SENT', 'UNKNOWN', '{"charge": "ch_587073054934", "reason": "the call ended: broken", "currency": "USD", "amount_minor": 2900}');


--
-- Data for Name: blocked_customer; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: book_check; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.book_check VALUES
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_b1d301437820c1b6787f220ce4', '2026-11-20 01:00:00+00', '2026-11-21 00:00:00+00', 'found', 0, 'USD'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_ce4b9699064c680456bdffc826', '2026-11-20 01:00:00+00', '2026-11-21 00:00:00+00', 'found', 2900, 'USD'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_86a2226ff707b96fa8ce8af6e7', '2026-11-20 01:00:00+00', '2026-11-21 00:00:00+00', 'found', 0, 'USD');


--
-- Data for Name: charge; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.charge VALUES
	('org_b80b16a547b10e933f04fcfb58', 'ch_559007729534', 'order-559007', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-08 00:00:00+00', NULL, '297026', '94122134447581813556579', '411111', '4402', 'SCHEME_A', 'DEMO STORE', NULL, '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_612264435643', 'order-612264', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 84900, 'USD', '2026-11-12 00:00:00+00', NULL, '394461', '73460513846705987379441', '411111', '7108', 'SCHEME_A', 'DEMO STORE', NULL, '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_301201797033', 'order-301201', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-09 00:00:00+00', NULL, '742806', '08906836749361531341260', '411111', '5963', 'SCHEME_A', 'DEMO STORE', NULL, '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_428969921360', 'order-428969', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 6450, 'USD', '2026-11-04 00:00:00+00', NULL, '182169', '33816953026748034782209', '411111', '5775', 'SCHEME_A', 'DEMO STORE', NULL, '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_913988403626', 'order-913988', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 6450, 'USD', '2026-11-18 00:00:00+00', NULL, '876225', '89193939465915595890631', '411111', '6034', 'SCHEME_A', 'DEMO STORE', NULL, '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_863991086935', 'order-863991', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 1290, 'USD', '2026-11-17 01:00:00+00', NULL, '945236', '33869495589292457911224', '411111', '2299', 'SCHEME_B', 'DEMO STORE', 'order-863991:sub', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_967566236894', 'order-967566', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-16 01:00:00+00', NULL, '263960', '47631720679716032306290', '411111', '8229', 'SCHEME_A', 'DEMO STORE', NULL, '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_587073054934', 'order-587073', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-06 01:00:00+00', NULL, '988696', '81159603051811654743018', '411111', '6146', 'SCHEME_A', 'DEMO STORE', NULL, '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_626421536760', 'order-626421', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 8400, 'USD', '2026-11-13 01:00:00+00', NULL, '270922', '61438246851562001776986', '411111', '6581', 'SCHEME_B', 'DEMO STORE', NULL, '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'ch_802584338041', 'order-802584', 'int_fd4d0d3795e94dfcdee9f2c099', 'order', 2900, 'USD', '2026-11-19 01:00:00+00', NULL, '717961', '94303085112180056779804', '411111', '4236', 'SCHEME_B', 'DEMO STORE', NULL, '2026-11-20 01:00:00+00');


--
-- Data for Name: cluster_lease; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: console_oidc_flow; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: console_operator; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.console_operator VALUES
	('org_b80b16a547b10e933f04fcfb58', 'opr_9d23437d1cc750086dacc274a7', 'Ines', 'reviewer', NULL, NULL, NULL, '2026-11-20 00:00:00+00', 'setup', '2026-11-20 00:00:00+00');


--
-- Data for Name: console_session; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: daily_report; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: decision; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.decision OVERRIDING SYSTEM VALUE VALUES
	(1, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_ce4b9699064c680456bdffc826', 'REFUND', 2900, 'USD', 'ACCEPT_DISPUTE', '2026-11-21 22:00:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-20T00:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_ce4b9699064c680456bdffc826", "note": null, "issuer": null, "scheme": "SCHEME_A", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "4402", "createdAt": "2026-11-20T00:00:00.000Z", "networkId": null, "updatedAt": "2026-11-20T00:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-08T00:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "297026", "transactionReference": null, "acquirerReferenceNumber": "94122134447581813556579", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "559007", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-08T00:00:00.000Z", "delivered": false, "reference": "order-559007", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_559007729534", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 2900}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-559007", "emailHash": "6d63e41cf1438aaf2ea308617182d9d2bd8e4e5dc695b0e33d37de11f0fb7714", "emailDomain": "customer.example", "firstOrderAt": "2026-11-08T00:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-22T00:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-21T22:00:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-20 00:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(2, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'ACCEPT_DISPUTE', NULL, NULL, 'ACCEPT_DISPUTE', '2026-11-21 22:00:00+00', 'policy', '77e68516b58f8eec', 'large and dispatched', NULL, 'Accept the dispute of 849.00 USD: rule "large and dispatched" applies, because amount is 849.00 USD, above 200.00 USD and delivery is physical and dispatched is true.', '{"facts": {"now": "2026-11-20T00:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_86a2226ff707b96fa8ce8af6e7", "note": null, "issuer": null, "scheme": "SCHEME_A", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "7108", "createdAt": "2026-11-20T00:00:00.000Z", "networkId": null, "updatedAt": "2026-11-20T00:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 84900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-12T00:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "394461", "transactionReference": null, "acquirerReferenceNumber": "73460513846705987379441", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Folding bicycle"}], "units": 1, "number": "612264", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": ["Demo Parcel"], "currency": "USD", "delivery": "physical", "disputes": 0, "placedAt": "2026-11-12T00:00:00.000Z", "delivered": true, "reference": "order-612264", "dispatched": true, "totalMinor": 84900, "cvcVerified": null, "deliveredAt": "2026-11-12T00:00:00.000Z", "dispatchedAt": "2026-11-12T00:00:00.000Z", "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_612264435643", "amountMinor": 84900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 84900}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-612264", "emailHash": "8571deb1ae7d73fa38c5d98187b4517e9a08316bfc5d14464ee1e1fce05a6535", "emailDomain": "customer.example", "firstOrderAt": "2026-11-12T00:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-22T00:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 849.00 USD, not at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "no"}, {"why": "refunded is none, not part", "line": 43, "rule": "rest of a part refund", "result": "no"}, {"why": "amount is 849.00 USD, above 200.00 USD and delivery is physical and dispatched is true", "line": 50, "rule": "large and dispatched", "result": "yes"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-21T22:00:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "ACCEPT_DISPUTE"}', false, '2026-11-20 00:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(3, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_6d81a474f0e832c68550f1cede', 'REVIEW', NULL, NULL, 'ACCEPT_DISPUTE', '2026-11-21 18:00:00+00', 'guard', '77e68516b58f8eec', 'no single charge', 'no_charge', 'A person decides about 10.00 USD: no charge was found that this alert is about. Without a decision it becomes ACCEPT_DISPUTE at 2026-11-21T18:00:00.000Z.', '{"facts": {"now": "2026-11-20T01:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_6d81a474f0e832c68550f1cede", "note": null, "issuer": null, "scheme": null, "status": "ACTION_REQUIRED", "cardBin": null, "currency": "USD", "cardLast4": "0000", "createdAt": "2026-11-20T00:00:00.000Z", "networkId": null, "updatedAt": "2026-11-20T00:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 1000, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-19T00:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "000000", "transactionReference": null, "acquirerReferenceNumber": null, "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": null, "score": null, "margin": null, "outcome": "none"}, "order": null, "charge": {"kind": "none"}, "history": null, "customer": null, "ownRefund": null, "deadlineAt": "2026-11-22T00:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is none", "line": 13, "rule": "no single charge", "result": "yes"}, {"why": "an earlier rule applies", "line": 21, "rule": "dispute open already", "result": "not reached"}, {"why": "an earlier rule applies", "line": 27, "rule": "refunded before", "result": "not reached"}, {"why": "an earlier rule applies", "line": 33, "rule": "small amounts", "result": "not reached"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-21T18:00:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REVIEW"}', false, '2026-11-20 01:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(4, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_4fd2e8c497a8b650bd2b460c70', 'REVIEW', NULL, NULL, 'REFUND', '2026-11-21 20:00:00+00', 'policy', '77e68516b58f8eec', NULL, NULL, 'A person decides about 64.50 USD: no rule of the policy applies, so its "otherwise" does. Without a decision it becomes REFUND at 2026-11-21T20:00:00.000Z.', '{"facts": {"now": "2026-11-20T01:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_4fd2e8c497a8b650bd2b460c70", "note": null, "issuer": null, "scheme": "SCHEME_A", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "5775", "createdAt": "2026-11-20T00:00:00.000Z", "networkId": null, "updatedAt": "2026-11-20T00:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 6450, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-04T00:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "182169", "transactionReference": null, "acquirerReferenceNumber": "33816953026748034782209", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Desk lamp"}], "units": 1, "number": "428969", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": ["Demo Parcel"], "currency": "USD", "delivery": "physical", "disputes": 0, "placedAt": "2026-11-04T00:00:00.000Z", "delivered": true, "reference": "order-428969", "dispatched": true, "totalMinor": 6450, "cvcVerified": null, "deliveredAt": "2026-11-04T00:00:00.000Z", "dispatchedAt": "2026-11-04T00:00:00.000Z", "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_428969921360", "amountMinor": 6450, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 6450}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-428969", "emailHash": "7904e6324cbc9b9d1691376ee9bb02b757bc09e5738d95bef0763269285a2f8c", "emailDomain": "customer.example", "firstOrderAt": "2026-11-04T00:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-22T00:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 64.50 USD, not at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "no"}, {"why": "refunded is none, not part", "line": 43, "rule": "rest of a part refund", "result": "no"}, {"why": "amount is 64.50 USD, not above 200.00 USD", "line": 50, "rule": "large and dispatched", "result": "no"}, {"why": "subscription is false and delivery is physical, not digital", "line": 59, "rule": "digital goods and subscriptions", "result": "no"}, {"why": "dispatched is true", "line": 69, "rule": "not dispatched yet", "result": "no"}], "fallback": {"at": "2026-11-21T20:00:00.000Z", "answer": {"action": "REFUND", "amount": "full"}}, "proposed": "REVIEW"}', false, '2026-11-20 01:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(5, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_9c6bf18afc5b5bbf0d718205c9', 'REVIEW', NULL, NULL, 'REFUND', '2026-11-21 20:00:00+00', 'policy', '77e68516b58f8eec', NULL, NULL, 'A person decides about 64.50 USD: no rule of the policy applies, so its "otherwise" does. Without a decision it becomes REFUND at 2026-11-21T20:00:00.000Z.', '{"facts": {"now": "2026-11-20T01:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_9c6bf18afc5b5bbf0d718205c9", "note": null, "issuer": null, "scheme": "SCHEME_A", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "6034", "createdAt": "2026-11-20T00:00:00.000Z", "networkId": null, "updatedAt": "2026-11-20T00:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 6450, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-18T00:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "876225", "transactionReference": null, "acquirerReferenceNumber": "89193939465915595890631", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Desk lamp"}], "units": 1, "number": "913988", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": ["Demo Parcel"], "currency": "USD", "delivery": "physical", "disputes": 0, "placedAt": "2026-11-18T00:00:00.000Z", "delivered": true, "reference": "order-913988", "dispatched": true, "totalMinor": 6450, "cvcVerified": null, "deliveredAt": "2026-11-18T00:00:00.000Z", "dispatchedAt": "2026-11-18T00:00:00.000Z", "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_913988403626", "amountMinor": 6450, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 6450}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-913988", "emailHash": "bb6234f9c0c23ae46378e9340581adec6383b4588cd40155c66214f38f1ec935", "emailDomain": "customer.example", "firstOrderAt": "2026-11-18T00:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-22T00:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 64.50 USD, not at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "no"}, {"why": "refunded is none, not part", "line": 43, "rule": "rest of a part refund", "result": "no"}, {"why": "amount is 64.50 USD, not above 200.00 USD", "line": 50, "rule": "large and dispatched", "result": "no"}, {"why": "subscription is false and delivery is physical, not digital", "line": 59, "rule": "digital goods and subscriptions", "result": "no"}, {"why": "dispatched is true", "line": 69, "rule": "not dispatched yet", "result": "no"}], "fallback": {"at": "2026-11-21T20:00:00.000Z", "answer": {"action": "REFUND", "amount": "full"}}, "proposed": "REVIEW"}', false, '2026-11-20 01:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(6, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_328d1e8d6c4a43f66576c428ae', 'REFUND', 1290, 'USD', 'ACCEPT_DISPUTE', '2026-11-21 23:00:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Refund 12.90 USD in full: rule "small amounts" applies, because amount is 12.90 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-20T01:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_328d1e8d6c4a43f66576c428ae", "note": null, "issuer": null, "scheme": "SCHEME_B", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "2299", "createdAt": "2026-11-20T01:00:00.000Z", "networkId": null, "updatedAt": "2026-11-20T01:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 1290, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-17T01:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "945236", "transactionReference": null, "acquirerReferenceNumber": "33869495589292457911224", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Magazine, monthly"}], "units": 1, "number": "863991", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "none", "disputes": 0, "placedAt": "2026-11-17T01:00:00.000Z", "delivered": false, "reference": "order-863991", "dispatched": false, "totalMinor": 1290, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": true, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": ["MONTH"]}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_863991086935", "amountMinor": 1290, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 1290}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-863991", "emailHash": "cf02978f66f9bbb2e5745422a9c2ea4028d5a8d33274abf5c4bd89a912d822c9", "emailDomain": "customer.example", "firstOrderAt": "2026-11-17T01:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-22T01:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 12.90 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-21T23:00:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-20 01:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(7, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_721fc0d66e60cb502511e31120', 'REFUND', 2900, 'USD', 'ACCEPT_DISPUTE', '2026-11-21 23:00:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-20T01:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_721fc0d66e60cb502511e31120", "note": null, "issuer": null, "scheme": "SCHEME_A", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "8229", "createdAt": "2026-11-20T01:00:00.000Z", "networkId": null, "updatedAt": "2026-11-20T01:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-16T01:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "263960", "transactionReference": null, "acquirerReferenceNumber": "47631720679716032306290", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "967566", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-16T01:00:00.000Z", "delivered": false, "reference": "order-967566", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_967566236894", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 2900}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-967566", "emailHash": "67d73ff642a2ec7a732da87577a4101ef2c55b430d8320d4a59b0a4f1ea99016", "emailDomain": "customer.example", "firstOrderAt": "2026-11-16T01:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-22T01:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-21T23:00:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-20 01:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(8, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_e27549f1f872221e3eb4d6c343', 'REFUND', 2900, 'USD', 'ACCEPT_DISPUTE', '2026-11-21 23:00:00+00', 'policy', '77e68516b58f8eec', 'small amounts', NULL, 'Refund 29.00 USD in full: rule "small amounts" applies, because amount is 29.00 USD, at most 50.00 USD.', '{"facts": {"now": "2026-11-20T01:00:00.000Z", "mode": "live", "alert": {"id": "netalrt_e27549f1f872221e3eb4d6c343", "note": null, "issuer": null, "scheme": "SCHEME_A", "status": "ACTION_REQUIRED", "cardBin": "411111", "currency": "USD", "cardLast4": "6146", "createdAt": "2026-11-20T01:00:00.000Z", "networkId": null, "updatedAt": "2026-11-20T01:00:00.000Z", "descriptor": "DEMO STORE", "merchantId": "mrch_ba5f6f035a61a91c80f1ff8ece", "reasonCode": null, "amountMinor": 2900, "enrolmentId": "enrl_3715be1cdc30403e6aa2c26bf8", "merchantIds": ["mrch_ba5f6f035a61a91c80f1ff8ece"], "authorisedAt": "2026-11-06T01:00:00.000Z", "enrolmentType": "NETA_ALERT", "integrationId": null, "refundOutcome": null, "authorisationCode": "988696", "transactionReference": null, "acquirerReferenceNumber": "81159603051811654743018", "subscriptionCancelOutcome": null}, "match": {"by": "matcher", "tier": "arn", "score": 110, "margin": null, "outcome": "single"}, "order": {"items": [{"sku": null, "name": "Font licence"}], "units": 1, "number": "587073", "status": "CLOSED_COMPLETE", "refunds": 0, "carriers": [], "currency": "USD", "delivery": "digital", "disputes": 0, "placedAt": "2026-11-06T01:00:00.000Z", "delivered": false, "reference": "order-587073", "dispatched": false, "totalMinor": 2900, "cvcVerified": null, "deliveredAt": null, "dispatchedAt": null, "subscription": false, "threeDSecure": null, "billingCountries": [], "shippingCountries": [], "subscriptionStatuses": [], "subscriptionCancelled": false, "subscriptionIntervals": []}, "charge": {"kind": "found", "status": "captured", "currency": "USD", "disputed": false, "reference": "ch_587073054934", "amountMinor": 2900, "pendingMinor": 0, "refundedMinor": 0, "refundReference": null, "refundableMinor": 2900}, "history": {"rdr": false, "twin": false, "alerts": 0, "fraudNotice": false, "represented": false, "disputeNotice": false}, "customer": {"alerts": 0, "orders": 0, "blocked": false, "refunds": 0, "accountId": "acct-587073", "emailHash": "3445cab89e1a5b480a63b34fd3b5a8bc8ffdd9f832cd394c95072a3fdcef158c", "emailDomain": "customer.example", "firstOrderAt": "2026-11-06T01:00:00.000Z", "fraudNotices": 0}, "ownRefund": null, "deadlineAt": "2026-11-22T01:00:00.000Z", "refundGuardMs": 900000, "integrationType": "CUSTOM_ORDERS"}, "trace": [{"why": "match is single, not none or several", "line": 13, "rule": "no single charge", "result": "no"}, {"why": "disputed is false", "line": 21, "rule": "dispute open already", "result": "no"}, {"why": "refunded is none, not full", "line": 27, "rule": "refunded before", "result": "no"}, {"why": "amount is 29.00 USD, at most 50.00 USD", "line": 33, "rule": "small amounts", "result": "yes"}, {"why": "an earlier rule applies", "line": 43, "rule": "rest of a part refund", "result": "not reached"}, {"why": "an earlier rule applies", "line": 50, "rule": "large and dispatched", "result": "not reached"}, {"why": "an earlier rule applies", "line": 59, "rule": "digital goods and subscriptions", "result": "not reached"}, {"why": "an earlier rule applies", "line": 69, "rule": "not dispatched yet", "result": "not reached"}], "fallback": {"at": "2026-11-21T23:00:00.000Z", "answer": {"action": "ACCEPT_DISPUTE"}}, "proposed": "REFUND"}', false, '2026-11-20 01:00:00+00', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);


--
-- Data for Name: declaration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.declaration VALUES
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'ACCEPT_DISPUTE', 'not refunded', NULL, 'DONE', 1, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', 'NOT_REFUNDED', false, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_ce4b9699064c680456bdffc826', 'REFUND', 'refund re_362ea598fa52ad27cb93', 'rf_1505821682d65f0220174f23fc', 'DONE', 1, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', 'REFUNDED', false, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_328d1e8d6c4a43f66576c428ae', 'REFUND', 'refund re_1e2123a2a3bfde84c7f2', 'rf_e70b1694a137dc690ff9708eab', 'SENT', 1, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', NULL, NULL, false, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00');


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
	(1, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_86a2226ff707b96fa8ce8af6e7', '2026-11-20 00:00:00+00', 'webhook', 'evt_385f862719595a26956e951d1c', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-20T00:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-22T00:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(2, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_b1d301437820c1b6787f220ce4', '2026-11-20 00:00:00+00', 'webhook', 'evt_e760765bdeef8239edd3ab3945', true, NULL, '{"status": "RESOLVED", "updated_at": "2026-11-20T00:00:00.000Z", "enrolment_type": "NETB_RDR", "action_required_deadline": "2026-11-22T00:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": "REFUNDED"}'),
	(3, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_ce4b9699064c680456bdffc826', '2026-11-20 00:00:00+00', 'webhook', 'evt_a474ed315ad6f113a5d646ef78', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-20T00:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-22T00:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(4, 'org_b80b16a547b10e933f04fcfb58', 'enrolment', 'enrl_1347d7822e0470964325300ceb', '2026-11-20 00:00:00+00', 'poll', NULL, true, NULL, '{"type": "NETB_ORDER_INSIGHT", "status": "ENABLED", "updated_at": "2026-11-20T00:00:00.000Z"}'),
	(5, 'org_b80b16a547b10e933f04fcfb58', 'enrolment', 'enrl_3715be1cdc30403e6aa2c26bf8', '2026-11-20 00:00:00+00', 'poll', NULL, true, NULL, '{"type": "NETA_ALERT", "status": "ENABLED", "updated_at": "2026-11-20T00:00:00.000Z"}'),
	(6, 'org_b80b16a547b10e933f04fcfb58', 'enrolment', 'enrl_b95a3821d8d8a2445286d74c50', '2026-11-20 00:00:00+00', 'poll', NULL, true, NULL, '{"type": "NETB_RDR", "status": "ENABLED", "updated_at": "2026-11-20T00:00:00.000Z"}'),
	(7, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_86a2226ff707b96fa8ce8af6e7', '2026-11-20 00:00:00+00', 'poll', NULL, true, '{"note": null, "status": "ACTION_REQUIRED", "transaction_refund_outcome": null}', '{"note": "not refunded", "status": "RESOLVED", "transaction_refund_outcome": "NOT_REFUNDED"}'),
	(8, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_ce4b9699064c680456bdffc826', '2026-11-20 00:00:00+00', 'poll', NULL, true, '{"note": null, "status": "ACTION_REQUIRED", "transaction_refund_outcome": null}', '{"note": "refund re_362ea598fa52ad27cb93", "status": "RESOLVED", "transaction_refund_outcome": "REFUNDED"}'),
	(9, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_4fd2e8c497a8b650bd2b460c70', '2026-11-20 01:00:00+00', 'webhook', 'evt_c0461ea67702b4d5a488fa0146', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-20T00:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-22T00:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(10, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_6d81a474f0e832c68550f1cede', '2026-11-20 01:00:00+00', 'webhook', 'evt_f891c69e3d23c3a3c1ea27926d', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-20T00:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-22T00:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(11, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_9c6bf18afc5b5bbf0d718205c9', '2026-11-20 01:00:00+00', 'webhook', 'evt_1b240e29d3abc51f2e6c3747e3', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-20T00:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-22T00:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(12, 'org_b80b16a547b10e933f04fcfb58', 'lookup', 'lkup_2fc51cec858340129f85d33a36', '2026-11-20 01:00:00+00', 'webhook', 'evt_c6b216ff3573ffc488aa1999d0', true, NULL, '{"type": "NETB_ORDER_INSIGHT", "updated_at": "2026-11-20T00:00:00.000Z", "lookup_status": "PENDING", "deflection_status": "NOT_ATTEMPTED"}'),
	(13, 'org_b80b16a547b10e933f04fcfb58', 'lookup', 'lkup_2fc51cec858340129f85d33a36', '2026-11-20 01:00:00+00', 'webhook', 'evt_b5a9e37ec8087841ae501f7341', true, '{"updated_at": "2026-11-20T00:00:00.000Z", "lookup_status": "PENDING"}', '{"updated_at": "2026-11-20T00:00:02.000Z", "lookup_status": "FAILED"}'),
	(14, 'org_b80b16a547b10e933f04fcfb58', 'representment', 'rep_d51d0b7579a52022ec0a02df86', '2026-11-20 01:00:00+00', 'webhook', 'evt_e03e8b1fb3fc9825e29ff9c79d', true, NULL, '{"updated_at": "2026-11-20T00:00:00.000Z", "dispute_stage": "CHARGEBACK", "dispute_due_by": "2026-11-27T00:00:00.000Z", "dispute_status": "OPEN"}'),
	(15, 'org_b80b16a547b10e933f04fcfb58', 'scheme_notice', 'schntc_9d22de3774b3ca3d6f25f357a3', '2026-11-20 01:00:00+00', 'webhook', 'evt_3cd6dfa43fe4f3617f8b78ccd0', true, NULL, '{"is_revoked": false, "updated_at": "2026-11-20T00:00:00.000Z", "notice_type": "FRAUD_NOTICE", "scheme_notice_type": "TC40"}'),
	(16, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_328d1e8d6c4a43f66576c428ae', '2026-11-20 01:00:00+00', 'webhook', 'evt_80575a0c9d8a36314190c8d36d', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-20T01:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-22T01:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(17, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_721fc0d66e60cb502511e31120', '2026-11-20 01:00:00+00', 'webhook', 'evt_dd4fee9e3217d4a4160bf40648', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-20T01:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-22T01:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}'),
	(18, 'org_b80b16a547b10e933f04fcfb58', 'alert', 'netalrt_e27549f1f872221e3eb4d6c343', '2026-11-20 01:00:00+00', 'webhook', 'evt_48d755ec6e47c981e2a791621d', true, NULL, '{"status": "ACTION_REQUIRED", "updated_at": "2026-11-20T01:00:00.000Z", "enrolment_type": "NETA_ALERT", "action_required_deadline": "2026-11-22T01:00:00.000Z", "integration_transaction_id": null, "transaction_refund_outcome": null}');


--
-- Data for Name: fact; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.fact VALUES
	('org_b80b16a547b10e933f04fcfb58', 'poll_enrolments_read', 'true', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'activity_rolled_up_to', '"2026-11-20T00:00:00.000Z"', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'poll_sweep', '{"offset": null, "horizonMs": 1793926800000, "startedMs": 1795136400000}', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'poll_lookup_round', '1', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'poll_failure', 'null', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'webhook_silence', '{"changes": 0, "firstFoundMs": null, "watchSinceMs": 1795132800000}', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'last_poll_report', '{"swept": 6, "errors": [], "healed": 0, "listed": 3, "unread": 0, "foreign": 0, "lookups": null, "outcome": "whole", "notFound": 0, "requested": 0, "startedAt": "2026-11-20T01:00:00.000Z", "sweepDone": true, "durationMs": 0, "enrolments": null, "leftTheList": 0, "findingsClosed": 0, "findingsOpened": 0, "newWithoutWebhook": 0}', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'last_poll_at', '"2026-11-20T01:00:00.000Z"', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'last_webhook_at', '"2026-11-20T01:00:00.000Z"', '2026-11-20 01:00:00+00');


--
-- Data for Name: finding; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: forestall_migration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.forestall_migration VALUES
	('0001_spine', '2026-11-22T02:47:24.377Z'),
	('0002_feed', '2026-11-22T02:47:24.411Z'),
	('0003_matching', '2026-11-22T02:47:24.423Z'),
	('0004_reconciliation', '2026-11-22T02:47:24.437Z'),
	('0005_policy', '2026-11-22T02:47:24.465Z'),
	('0006_guards', '2026-11-22T02:47:24.814Z'),
	('0007_console', '2026-11-22T02:47:25.078Z'),
	('0008_retention', '2026-11-22T02:47:25.100Z');


--
-- Data for Name: forestall_migration_lock; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.forestall_migration_lock VALUES
	('migration_lock', 0);


--
-- Data for Name: inbox_event_2026_11; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.inbox_event_2026_11 VALUES
	(1, '2026-11-20 00:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_a474ed315ad6f113a5d646ef78', '', 'whdl_296400f0022e59bd51556484c9', 'de71a9f7', '2026-11-20 00:00:00+00', '\x7b226964223a226576745f6134373465643331356164366631313361356436343665663738222c2274797065223a22616c6572742e63726561746564222c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226e6574616c72745f6365346239363939303634633638303435366264666663383236222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c226d65726368616e745f696473223a5b226d7263685f6261356636663033356136316139316338306631666638656365225d2c22656e726f6c6d656e745f6964223a22656e726c5f3337313562653163646333303430336536616132633236626638222c22656e726f6c6d656e745f74797065223a224e4554415f414c455254222c22737461747573223a22414354494f4e5f5245515549524544222c226e6f7465223a6e756c6c2c22616374696f6e5f72657175697265645f646561646c696e65223a22323032362d31312d32325430303a30303a30302e3030305a222c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a323930302c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f617574686f72697365645f6174223a22323032362d31312d30385430303a30303a30302e3030305a222c227472616e73616374696f6e5f617574686f7269736174696f6e5f636f6465223a22323937303236222c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a223934313232313334343437353831383133353536353739222c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a2244454d4f2053544f5245222c227472616e73616374696f6e5f636172645f62696e223a22343131313131222c227472616e73616374696f6e5f636172645f6c61737434223a2234343032222c227472616e73616374696f6e5f636172645f697373756572223a6e756c6c2c227472616e73616374696f6e5f636172645f736368656d65223a22534348454d455f41222c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c226368617267656261636b5f726561736f6e5f636f6465223a6e756c6c2c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a6e756c6c2c22737562736372697074696f6e5f63616e63656c5f6f7574636f6d65223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a227d7d2c226170695f76657273696f6e223a227631227d'),
	(513, '2026-11-20 00:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_385f862719595a26956e951d1c', '', 'whdl_8d01c41ffa7ee7f41550df49f5', 'de71a9f7', '2026-11-20 00:00:00+00', '\x7b226964223a226576745f3338356638363237313935393561323639353665393531643163222c2274797065223a22616c6572742e63726561746564222c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226e6574616c72745f3836613232323666663730376239366661386365386166366537222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c226d65726368616e745f696473223a5b226d7263685f6261356636663033356136316139316338306631666638656365225d2c22656e726f6c6d656e745f6964223a22656e726c5f3337313562653163646333303430336536616132633236626638222c22656e726f6c6d656e745f74797065223a224e4554415f414c455254222c22737461747573223a22414354494f4e5f5245515549524544222c226e6f7465223a6e756c6c2c22616374696f6e5f72657175697265645f646561646c696e65223a22323032362d31312d32325430303a30303a30302e3030305a222c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a38343930302c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f617574686f72697365645f6174223a22323032362d31312d31325430303a30303a30302e3030305a222c227472616e73616374696f6e5f617574686f7269736174696f6e5f636f6465223a22333934343631222c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a223733343630353133383436373035393837333739343431222c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a2244454d4f2053544f5245222c227472616e73616374696f6e5f636172645f62696e223a22343131313131222c227472616e73616374696f6e5f636172645f6c61737434223a2237313038222c227472616e73616374696f6e5f636172645f697373756572223a6e756c6c2c227472616e73616374696f6e5f636172645f736368656d65223a22534348454d455f41222c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c226368617267656261636b5f726561736f6e5f636f6465223a6e756c6c2c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a6e756c6c2c22737562736372697074696f6e5f63616e63656c5f6f7574636f6d65223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a227d7d2c226170695f76657273696f6e223a227631227d'),
	(1025, '2026-11-20 00:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_e760765bdeef8239edd3ab3945', '', 'whdl_44472eeb2d0f4ef7e806eb370d', 'de71a9f7', '2026-11-20 00:00:00+00', '\x7b226964223a226576745f6537363037363562646565663832333965646433616233393435222c2274797065223a22616c6572742e63726561746564222c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226e6574616c72745f6231643330313433373832306331623637383766323230636534222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c226d65726368616e745f696473223a5b226d7263685f6261356636663033356136316139316338306631666638656365225d2c22656e726f6c6d656e745f6964223a22656e726c5f6239356133383231643864386132343435323836643734633530222c22656e726f6c6d656e745f74797065223a224e4554425f524452222c22737461747573223a225245534f4c564544222c226e6f7465223a6e756c6c2c22616374696f6e5f72657175697265645f646561646c696e65223a22323032362d31312d32325430303a30303a30302e3030305a222c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a323930302c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f617574686f72697365645f6174223a22323032362d31312d30395430303a30303a30302e3030305a222c227472616e73616374696f6e5f617574686f7269736174696f6e5f636f6465223a22373432383036222c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a223038393036383336373439333631353331333431323630222c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a6e756c6c2c227472616e73616374696f6e5f636172645f62696e223a22343131313131222c227472616e73616374696f6e5f636172645f6c61737434223a2235393633222c227472616e73616374696f6e5f636172645f697373756572223a6e756c6c2c227472616e73616374696f6e5f636172645f736368656d65223a22534348454d455f41222c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c226368617267656261636b5f726561736f6e5f636f6465223a6e756c6c2c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a22524546554e444544222c22737562736372697074696f6e5f63616e63656c5f6f7574636f6d65223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a227d7d2c226170695f76657273696f6e223a227631227d'),
	(1537, '2026-11-20 00:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_d70b3feb1327df309bcc71269d', '', 'whdl_4752eddf024f4d55756437fd75', 'de71a9f7', '2026-11-20 00:00:00+00', '\x7b226964223a226576745f6437306233666562313332376466333039626363373132363964222c2274797065223a22616c6572742e75706461746564222c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226e6574616c72745f3836613232323666663730376239366661386365386166366537222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c226d65726368616e745f696473223a5b226d7263685f6261356636663033356136316139316338306631666638656365225d2c22656e726f6c6d656e745f6964223a22656e726c5f3337313562653163646333303430336536616132633236626638222c22656e726f6c6d656e745f74797065223a224e4554415f414c455254222c22737461747573223a225245534f4c564544222c226e6f7465223a226e6f7420726566756e646564222c22616374696f6e5f72657175697265645f646561646c696e65223a22323032362d31312d32325430303a30303a30302e3030305a222c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a38343930302c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f617574686f72697365645f6174223a22323032362d31312d31325430303a30303a30302e3030305a222c227472616e73616374696f6e5f617574686f7269736174696f6e5f636f6465223a22333934343631222c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a223733343630353133383436373035393837333739343431222c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a2244454d4f2053544f5245222c227472616e73616374696f6e5f636172645f62696e223a22343131313131222c227472616e73616374696f6e5f636172645f6c61737434223a2237313038222c227472616e73616374696f6e5f636172645f697373756572223a6e756c6c2c227472616e73616374696f6e5f636172645f736368656d65223a22534348454d455f41222c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c226368617267656261636b5f726561736f6e5f636f6465223a6e756c6c2c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a224e4f545f524546554e444544222c22737562736372697074696f6e5f63616e63656c5f6f7574636f6d65223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a227d2c2270726576696f75735f61747472696275746573223a7b22737461747573223a22414354494f4e5f5245515549524544222c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a6e756c6c7d7d2c226170695f76657273696f6e223a227631227d'),
	(2049, '2026-11-20 00:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_83b2a827b152c8ced9538cecc8', '', 'whdl_16a5823ee4ad958ac98c258f82', 'de71a9f7', '2026-11-20 00:00:00+00', '\x7b226964223a226576745f3833623261383237623135326338636564393533386365636338222c2274797065223a22616c6572742e75706461746564222c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226e6574616c72745f6365346239363939303634633638303435366264666663383236222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c226d65726368616e745f696473223a5b226d7263685f6261356636663033356136316139316338306631666638656365225d2c22656e726f6c6d656e745f6964223a22656e726c5f3337313562653163646333303430336536616132633236626638222c22656e726f6c6d656e745f74797065223a224e4554415f414c455254222c22737461747573223a225245534f4c564544222c226e6f7465223a22726566756e642072655f3336326561353938666135326164323763623933222c22616374696f6e5f72657175697265645f646561646c696e65223a22323032362d31312d32325430303a30303a30302e3030305a222c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a323930302c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f617574686f72697365645f6174223a22323032362d31312d30385430303a30303a30302e3030305a222c227472616e73616374696f6e5f617574686f7269736174696f6e5f636f6465223a22323937303236222c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a223934313232313334343437353831383133353536353739222c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a2244454d4f2053544f5245222c227472616e73616374696f6e5f636172645f62696e223a22343131313131222c227472616e73616374696f6e5f636172645f6c61737434223a2234343032222c227472616e73616374696f6e5f636172645f697373756572223a6e756c6c2c227472616e73616374696f6e5f636172645f736368656d65223a22534348454d455f41222c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c226368617267656261636b5f726561736f6e5f636f6465223a6e756c6c2c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a22524546554e444544222c22737562736372697074696f6e5f63616e63656c5f6f7574636f6d65223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a227d2c2270726576696f75735f61747472696275746573223a7b22737461747573223a22414354494f4e5f5245515549524544222c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a6e756c6c7d7d2c226170695f76657273696f6e223a227631227d'),
	(5633, '2026-11-20 00:00:02+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_b5a9e37ec8087841ae501f7341', '', 'whdl_0d1d455bf790ed7df29a7a64a4', 'de71a9f7', '2026-11-20 00:00:02+00', '\x7b226964223a226576745f6235613965333765633830383738343161653530316637333431222c2274797065223a226c6f6f6b75702e75706461746564222c22637265617465645f6174223a22323032362d31312d32305430303a30303a30322e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226c6b75705f3266633531636563383538333430313239663835643333613336222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c22656e726f6c6c6d656e745f6964223a22656e726c5f6239356133383231643864386132343435323836643734633530222c2274797065223a224e4554425f4f524445525f494e5349474854222c22706172656e745f6c6f6f6b75705f6964223a6e756c6c2c226c6f6f6b75705f737461747573223a224641494c4544222c226465666c656374696f6e5f737461747573223a224e4f545f415454454d50544544222c227472616e73616374696f6e5f636172645f62696e223a6e756c6c2c227472616e73616374696f6e5f636172645f6c61737434223a6e756c6c2c227472616e73616374696f6e5f61726e223a6e756c6c2c227472616e73616374696f6e5f617574685f636f6465223a6e756c6c2c227472616e73616374696f6e5f616d6f756e74223a313030302c227472616e73616374696f6e5f63757272656e6379223a22555344222c227472616e73616374696f6e5f64617465223a22323032362d31312d31395430303a30303a30302e3030305a222c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a6e756c6c2c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430303a30303a30322e3030305a227d2c2270726576696f75735f61747472696275746573223a7b226c6f6f6b75705f737461747573223a2250454e44494e47227d7d2c226170695f76657273696f6e223a227631227d'),
	(2561, '2026-11-20 00:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_c0461ea67702b4d5a488fa0146', '', 'whdl_43b49d7650a6f157c0bff2763a', 'de71a9f7', '2026-11-20 00:00:00+00', '\x7b226964223a226576745f6330343631656136373730326234643561343838666130313436222c2274797065223a22616c6572742e63726561746564222c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226e6574616c72745f3466643265386334393761386236353062643262343630633730222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c226d65726368616e745f696473223a5b226d7263685f6261356636663033356136316139316338306631666638656365225d2c22656e726f6c6d656e745f6964223a22656e726c5f3337313562653163646333303430336536616132633236626638222c22656e726f6c6d656e745f74797065223a224e4554415f414c455254222c22737461747573223a22414354494f4e5f5245515549524544222c226e6f7465223a6e756c6c2c22616374696f6e5f72657175697265645f646561646c696e65223a22323032362d31312d32325430303a30303a30302e3030305a222c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a363435302c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f617574686f72697365645f6174223a22323032362d31312d30345430303a30303a30302e3030305a222c227472616e73616374696f6e5f617574686f7269736174696f6e5f636f6465223a22313832313639222c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a223333383136393533303236373438303334373832323039222c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a2244454d4f2053544f5245222c227472616e73616374696f6e5f636172645f62696e223a22343131313131222c227472616e73616374696f6e5f636172645f6c61737434223a2235373735222c227472616e73616374696f6e5f636172645f697373756572223a6e756c6c2c227472616e73616374696f6e5f636172645f736368656d65223a22534348454d455f41222c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c226368617267656261636b5f726561736f6e5f636f6465223a6e756c6c2c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a6e756c6c2c22737562736372697074696f6e5f63616e63656c5f6f7574636f6d65223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a227d7d2c226170695f76657273696f6e223a227631227d'),
	(3073, '2026-11-20 00:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_1b240e29d3abc51f2e6c3747e3', '', 'whdl_351979076d2d5a4547c95279cb', 'de71a9f7', '2026-11-20 00:00:00+00', '\x7b226964223a226576745f3162323430653239643361626335316632653663333734376533222c2274797065223a22616c6572742e63726561746564222c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226e6574616c72745f3963366266313861666335623562626630643731383230356339222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c226d65726368616e745f696473223a5b226d7263685f6261356636663033356136316139316338306631666638656365225d2c22656e726f6c6d656e745f6964223a22656e726c5f3337313562653163646333303430336536616132633236626638222c22656e726f6c6d656e745f74797065223a224e4554415f414c455254222c22737461747573223a22414354494f4e5f5245515549524544222c226e6f7465223a6e756c6c2c22616374696f6e5f72657175697265645f646561646c696e65223a22323032362d31312d32325430303a30303a30302e3030305a222c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a363435302c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f617574686f72697365645f6174223a22323032362d31312d31385430303a30303a30302e3030305a222c227472616e73616374696f6e5f617574686f7269736174696f6e5f636f6465223a22383736323235222c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a223839313933393339343635393135353935383930363331222c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a2244454d4f2053544f5245222c227472616e73616374696f6e5f636172645f62696e223a22343131313131222c227472616e73616374696f6e5f636172645f6c61737434223a2236303334222c227472616e73616374696f6e5f636172645f697373756572223a6e756c6c2c227472616e73616374696f6e5f636172645f736368656d65223a22534348454d455f41222c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c226368617267656261636b5f726561736f6e5f636f6465223a6e756c6c2c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a6e756c6c2c22737562736372697074696f6e5f63616e63656c5f6f7574636f6d65223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a227d7d2c226170695f76657273696f6e223a227631227d'),
	(3585, '2026-11-20 00:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_f891c69e3d23c3a3c1ea27926d', '', 'whdl_3636d4fcc0cd233d8a0dbe1432', 'de71a9f7', '2026-11-20 00:00:00+00', '\x7b226964223a226576745f6638393163363965336432336333613363316561323739323664222c2274797065223a22616c6572742e63726561746564222c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226e6574616c72745f3664383161343734663065383332633638353530663163656465222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c226d65726368616e745f696473223a5b226d7263685f6261356636663033356136316139316338306631666638656365225d2c22656e726f6c6d656e745f6964223a22656e726c5f3337313562653163646333303430336536616132633236626638222c22656e726f6c6d656e745f74797065223a224e4554415f414c455254222c22737461747573223a22414354494f4e5f5245515549524544222c226e6f7465223a6e756c6c2c22616374696f6e5f72657175697265645f646561646c696e65223a22323032362d31312d32325430303a30303a30302e3030305a222c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a313030302c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f617574686f72697365645f6174223a22323032362d31312d31395430303a30303a30302e3030305a222c227472616e73616374696f6e5f617574686f7269736174696f6e5f636f6465223a22303030303030222c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a6e756c6c2c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a2244454d4f2053544f5245222c227472616e73616374696f6e5f636172645f62696e223a6e756c6c2c227472616e73616374696f6e5f636172645f6c61737434223a2230303030222c227472616e73616374696f6e5f636172645f697373756572223a6e756c6c2c227472616e73616374696f6e5f636172645f736368656d65223a6e756c6c2c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c226368617267656261636b5f726561736f6e5f636f6465223a6e756c6c2c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a6e756c6c2c22737562736372697074696f6e5f63616e63656c5f6f7574636f6d65223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a227d7d2c226170695f76657273696f6e223a227631227d'),
	(4097, '2026-11-20 00:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_c6b216ff3573ffc488aa1999d0', '', 'whdl_35f75fbeac2c9348358f359eee', 'de71a9f7', '2026-11-20 00:00:00+00', '\x7b226964223a226576745f6336623231366666333537336666633438386161313939396430222c2274797065223a226c6f6f6b75702e63726561746564222c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226c6b75705f3266633531636563383538333430313239663835643333613336222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c22656e726f6c6c6d656e745f6964223a22656e726c5f6239356133383231643864386132343435323836643734633530222c2274797065223a224e4554425f4f524445525f494e5349474854222c22706172656e745f6c6f6f6b75705f6964223a6e756c6c2c226c6f6f6b75705f737461747573223a2250454e44494e47222c226465666c656374696f6e5f737461747573223a224e4f545f415454454d50544544222c227472616e73616374696f6e5f636172645f62696e223a6e756c6c2c227472616e73616374696f6e5f636172645f6c61737434223a6e756c6c2c227472616e73616374696f6e5f61726e223a6e756c6c2c227472616e73616374696f6e5f617574685f636f6465223a6e756c6c2c227472616e73616374696f6e5f616d6f756e74223a313030302c227472616e73616374696f6e5f63757272656e6379223a22555344222c227472616e73616374696f6e5f64617465223a22323032362d31312d31395430303a30303a30302e3030305a222c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a6e756c6c2c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a227d7d2c226170695f76657273696f6e223a227631227d'),
	(4609, '2026-11-20 00:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_e03e8b1fb3fc9825e29ff9c79d', '', 'whdl_708dfcfcb9d4b5514e9adf4129', 'de71a9f7', '2026-11-20 00:00:00+00', '\x7b226964223a226576745f6530336538623166623366633938323565323966663963373964222c2274797065223a22726570726573656e746d656e742e63726561746564222c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a227265705f6435316430623735373961353230323265633061303264663836222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c226d616e616765645f6279223a22504152544e4552222c22736572766963655f74797065223a224f4e4c494e455f5345525649434553222c22646973707574655f7374616765223a224348415247454241434b222c22646973707574655f726561736f6e223a22535542534352495054494f4e5f43414e43454c4544222c22646973707574655f726561736f6e5f636f6465223a6e756c6c2c22646973707574655f736368656d61223a22534348454d455f41222c22646973707574655f737461747573223a224f50454e222c22646973707574655f7265666572656e63655f6964223a2264705f66623732366436313732653864303633222c22646973707574655f63757272656e63795f636f6465223a22555344222c22646973707574655f616d6f756e745f696e5f63656e7473223a313030302c2264697370757465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c22646973707574655f6475655f6279223a22323032362d31312d32375430303a30303a30302e3030305a222c227472616e73616374696f6e5f7265666572656e63655f6964223a6e756c6c2c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a313030302c227472616e73616374696f6e5f617574686f7269736174696f6e5f64617465223a6e756c6c2c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a227d7d2c226170695f76657273696f6e223a227631227d'),
	(5121, '2026-11-20 00:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_3cd6dfa43fe4f3617f8b78ccd0', '', 'whdl_e58909f3dd5fd82f50042e55d4', 'de71a9f7', '2026-11-20 00:00:00+00', '\x7b226964223a226576745f3363643664666134336665346633363137663862373863636430222c2274797065223a22736368656d655f6e6f746963652e63726561746564222c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a227363686e74635f3964323264653337373462336361336436663235663335376133222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c22736368656d655f6e6f746963655f74797065223a2254433430222c226e6f746963655f74797065223a2246524155445f4e4f54494345222c22736368656d65223a22534348454d455f41222c2269735f7265766f6b6564223a66616c73652c226e6f746963655f7265766f6b65645f6174223a6e756c6c2c2266726175645f7265706f727465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c2266726175645f74797065223a2243617264206e6f742070726573656e74222c2266726175645f646973707574655f656c696769626c65223a747275652c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a313030302c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f636172645f62696e223a6e756c6c2c227472616e73616374696f6e5f636172645f6c61737434223a6e756c6c2c227472616e73616374696f6e5f6d65726368616e745f6e616d65223a2244656d6f2073746f7265222c227472616e73616374696f6e5f6d65726368616e745f6964223a6e756c6c2c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a6e756c6c2c227472616e73616374696f6e5f617574686f7269736174696f6e5f636f6465223a6e756c6c2c227472616e73616374696f6e5f6f726967696e616c5f64617465223a6e756c6c2c227472616e73616374696f6e5f70757263686173655f64617465223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430303a30303a30302e3030305a227d7d2c226170695f76657273696f6e223a227631227d'),
	(6145, '2026-11-20 01:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_80575a0c9d8a36314190c8d36d', '', 'whdl_faf6fbb78a389073de6c421c14', 'de71a9f7', '2026-11-20 01:00:00+00', '\x7b226964223a226576745f3830353735613063396438613336333134313930633864333664222c2274797065223a22616c6572742e63726561746564222c22637265617465645f6174223a22323032362d31312d32305430313a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226e6574616c72745f3332386431653864366334613433663636353736633432386165222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c226d65726368616e745f696473223a5b226d7263685f6261356636663033356136316139316338306631666638656365225d2c22656e726f6c6d656e745f6964223a22656e726c5f3337313562653163646333303430336536616132633236626638222c22656e726f6c6d656e745f74797065223a224e4554415f414c455254222c22737461747573223a22414354494f4e5f5245515549524544222c226e6f7465223a6e756c6c2c22616374696f6e5f72657175697265645f646561646c696e65223a22323032362d31312d32325430313a30303a30302e3030305a222c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a313239302c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f617574686f72697365645f6174223a22323032362d31312d31375430313a30303a30302e3030305a222c227472616e73616374696f6e5f617574686f7269736174696f6e5f636f6465223a22393435323336222c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a223333383639343935353839323932343537393131323234222c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a2244454d4f2053544f5245222c227472616e73616374696f6e5f636172645f62696e223a22343131313131222c227472616e73616374696f6e5f636172645f6c61737434223a2232323939222c227472616e73616374696f6e5f636172645f697373756572223a6e756c6c2c227472616e73616374696f6e5f636172645f736368656d65223a22534348454d455f42222c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c226368617267656261636b5f726561736f6e5f636f6465223a6e756c6c2c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a6e756c6c2c22737562736372697074696f6e5f63616e63656c5f6f7574636f6d65223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430313a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430313a30303a30302e3030305a227d7d2c226170695f76657273696f6e223a227631227d'),
	(6657, '2026-11-20 01:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_dd4fee9e3217d4a4160bf40648', '', 'whdl_612b02949a927b42b8b1a6bf49', 'de71a9f7', '2026-11-20 01:00:00+00', '\x7b226964223a226576745f6464346665653965333231376434613431363062663430363438222c2274797065223a22616c6572742e63726561746564222c22637265617465645f6174223a22323032362d31312d32305430313a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226e6574616c72745f3732316663306436366536306362353032353131653331313230222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c226d65726368616e745f696473223a5b226d7263685f6261356636663033356136316139316338306631666638656365225d2c22656e726f6c6d656e745f6964223a22656e726c5f3337313562653163646333303430336536616132633236626638222c22656e726f6c6d656e745f74797065223a224e4554415f414c455254222c22737461747573223a22414354494f4e5f5245515549524544222c226e6f7465223a6e756c6c2c22616374696f6e5f72657175697265645f646561646c696e65223a22323032362d31312d32325430313a30303a30302e3030305a222c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a323930302c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f617574686f72697365645f6174223a22323032362d31312d31365430313a30303a30302e3030305a222c227472616e73616374696f6e5f617574686f7269736174696f6e5f636f6465223a22323633393630222c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a223437363331373230363739373136303332333036323930222c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a2244454d4f2053544f5245222c227472616e73616374696f6e5f636172645f62696e223a22343131313131222c227472616e73616374696f6e5f636172645f6c61737434223a2238323239222c227472616e73616374696f6e5f636172645f697373756572223a6e756c6c2c227472616e73616374696f6e5f636172645f736368656d65223a22534348454d455f41222c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c226368617267656261636b5f726561736f6e5f636f6465223a6e756c6c2c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a6e756c6c2c22737562736372697074696f6e5f63616e63656c5f6f7574636f6d65223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430313a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430313a30303a30302e3030305a227d7d2c226170695f76657273696f6e223a227631227d'),
	(7169, '2026-11-20 01:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_48d755ec6e47c981e2a791621d', '', 'whdl_5b50f6712a2e56d72a614736e3', 'de71a9f7', '2026-11-20 01:00:00+00', '\x7b226964223a226576745f3438643735356563366534376339383165326137393136323164222c2274797065223a22616c6572742e63726561746564222c22637265617465645f6174223a22323032362d31312d32305430313a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226e6574616c72745f6532373534396631663837323232316533656234643663333433222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c226d65726368616e745f696473223a5b226d7263685f6261356636663033356136316139316338306631666638656365225d2c22656e726f6c6d656e745f6964223a22656e726c5f3337313562653163646333303430336536616132633236626638222c22656e726f6c6d656e745f74797065223a224e4554415f414c455254222c22737461747573223a22414354494f4e5f5245515549524544222c226e6f7465223a6e756c6c2c22616374696f6e5f72657175697265645f646561646c696e65223a22323032362d31312d32325430313a30303a30302e3030305a222c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a323930302c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f617574686f72697365645f6174223a22323032362d31312d30365430313a30303a30302e3030305a222c227472616e73616374696f6e5f617574686f7269736174696f6e5f636f6465223a22393838363936222c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a223831313539363033303531383131363534373433303138222c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a2244454d4f2053544f5245222c227472616e73616374696f6e5f636172645f62696e223a22343131313131222c227472616e73616374696f6e5f636172645f6c61737434223a2236313436222c227472616e73616374696f6e5f636172645f697373756572223a6e756c6c2c227472616e73616374696f6e5f636172645f736368656d65223a22534348454d455f41222c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c226368617267656261636b5f726561736f6e5f636f6465223a6e756c6c2c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a6e756c6c2c22737562736372697074696f6e5f63616e63656c5f6f7574636f6d65223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430313a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430313a30303a30302e3030305a227d7d2c226170695f76657273696f6e223a227631227d'),
	(7681, '2026-11-20 01:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'sha256:300f7fcef4f4a126c6c39a79f5c8014246936e2f517f6f2764e4cb888683da28', '', 'whdl_d1e8179a2a41c78f725ff5b180', 'de71a9f7', '2026-11-20 01:00:00+00', '\x7b226964223a226576745f31222c226964223a226576745f32227d'),
	(8193, '2026-11-20 01:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_ead7a1cc12191cc20a3172ed8a', '', 'whdl_2537f3617feaaff75a4963e235', 'de71a9f7', '2026-11-20 01:00:00+00', '\x7b226964223a226576745f6561643761316363313231393163633230613331373265643861222c2274797065223a22616c6572742e63726561746564222c22637265617465645f6174223a22323032362d31312d32305430313a30303a30302e3030305a222c2264617461223a7b226f626a656374223a7b226964223a226e6574616c72745f6261376439333731663834353266613932396332396633396462222c226f7267616e69736174696f6e5f6964223a226f72675f6238306231366135343762313065393333663034666366623538222c226d65726368616e745f6964223a226d7263685f6261356636663033356136316139316338306631666638656365222c226d65726368616e745f696473223a5b226d7263685f6261356636663033356136316139316338306631666638656365225d2c22656e726f6c6d656e745f6964223a22656e726c5f3337313562653163646333303430336536616132633236626638222c22656e726f6c6d656e745f74797065223a224e4554415f414c455254222c22737461747573223a22414354494f4e5f5245515549524544222c226e6f7465223a6e756c6c2c22616374696f6e5f72657175697265645f646561646c696e65223a22323032362d31312d32325430313a30303a30302e3030305a222c227472616e73616374696f6e5f616d6f756e745f696e5f63656e7473223a323930302c227472616e73616374696f6e5f63757272656e63795f636f6465223a22555344222c227472616e73616374696f6e5f617574686f72697365645f6174223a22323032362d31312d31395430313a30303a30302e3030305a222c227472616e73616374696f6e5f617574686f7269736174696f6e5f636f6465223a22373137393631222c227472616e73616374696f6e5f61637175697265725f7265666572656e63655f6e756d626572223a223934333033303835313132313830303536373739383034222c227472616e73616374696f6e5f73746174656d656e745f64657363726970746f72223a2244454d4f2053544f5245222c227472616e73616374696f6e5f636172645f62696e223a22343131313131222c227472616e73616374696f6e5f636172645f6c61737434223a2234323336222c227472616e73616374696f6e5f636172645f697373756572223a6e756c6c2c227472616e73616374696f6e5f636172645f736368656d65223a22534348454d455f42222c227472616e73616374696f6e5f6e6574776f726b5f6964223a6e756c6c2c226368617267656261636b5f726561736f6e5f636f6465223a6e756c6c2c227472616e73616374696f6e5f726566756e645f6f7574636f6d65223a6e756c6c2c22737562736372697074696f6e5f63616e63656c5f6f7574636f6d65223a6e756c6c2c22696e746567726174696f6e5f6964223a6e756c6c2c22696e746567726174696f6e5f7472616e73616374696f6e5f6964223a6e756c6c2c22637265617465645f6174223a22323032362d31312d32305430313a30303a30302e3030305a222c22757064617465645f6174223a22323032362d31312d32305430313a30303a30302e3030305a227d7d2c226170695f76657273696f6e223a227631227d');


--
-- Data for Name: inbox_event_2026_12; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: inbox_event_rest; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: inbox_id; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.inbox_id VALUES
	('evt_a474ed315ad6f113a5d646ef78', 'org_b80b16a547b10e933f04fcfb58', '\x296963c29574e676c01cc43e4cb66a71c809e88ed33b3b10c79280e2869eeece', '2026-11-20 00:00:00+00', 1),
	('evt_385f862719595a26956e951d1c', 'org_b80b16a547b10e933f04fcfb58', '\xe369b3592b1e9054bb670597c324d585a9d53d181ad4dc51798e07ea181357f9', '2026-11-20 00:00:00+00', 513),
	('evt_e760765bdeef8239edd3ab3945', 'org_b80b16a547b10e933f04fcfb58', '\x0d9c8ec4c1fbf840c4a9d099437e204f30d74c731f7434a99983513eb19f5bb8', '2026-11-20 00:00:00+00', 1025),
	('evt_d70b3feb1327df309bcc71269d', 'org_b80b16a547b10e933f04fcfb58', '\x98d7014d2dd93157734539be90a873437d2ec4cd75228c2b73820de093f95b3e', '2026-11-20 00:00:00+00', 1537),
	('evt_83b2a827b152c8ced9538cecc8', 'org_b80b16a547b10e933f04fcfb58', '\x3e329c69c08a9e1946efe9df4cdf11a6b5aa49a78e93428459790b54b054084b', '2026-11-20 00:00:00+00', 2049),
	('evt_c0461ea67702b4d5a488fa0146', 'org_b80b16a547b10e933f04fcfb58', '\xf046841e1c29025ad014e9aa756c7e93cf8ccbac9fa8b0aea00f1ca3afb79c5e', '2026-11-20 00:00:00+00', 2561),
	('evt_1b240e29d3abc51f2e6c3747e3', 'org_b80b16a547b10e933f04fcfb58', '\xe39e51d0e7ad44cc7312470e933e0e835b041f22afbe2420621e1c231b41b510', '2026-11-20 00:00:00+00', 3073),
	('evt_f891c69e3d23c3a3c1ea27926d', 'org_b80b16a547b10e933f04fcfb58', '\xc69840cc9dbff599613c0dad658eab5f710401272ae1cc1307b6542ff6a185f1', '2026-11-20 00:00:00+00', 3585),
	('evt_c6b216ff3573ffc488aa1999d0', 'org_b80b16a547b10e933f04fcfb58', '\xd002694c16f911f55ed4681641a36dc2fa1c4a625d4aac7336be6065e8216b0d', '2026-11-20 00:00:00+00', 4097),
	('evt_e03e8b1fb3fc9825e29ff9c79d', 'org_b80b16a547b10e933f04fcfb58', '\xac58f4ac81b8b18671a35b2a92ed16bc1e09dd5446c846545b49d3ded29922e4', '2026-11-20 00:00:00+00', 4609),
	('evt_3cd6dfa43fe4f3617f8b78ccd0', 'org_b80b16a547b10e933f04fcfb58', '\x9a58c57e94ec6010b34b0aa86d48a346e8b6b6267d4133b3659a436cbf84d5fa', '2026-11-20 00:00:00+00', 5121),
	('evt_b5a9e37ec8087841ae501f7341', 'org_b80b16a547b10e933f04fcfb58', '\x1ae148109c65fe3ce4a0b3bbcc1323e2fce33be6251a81e51ad0a50af13973f3', '2026-11-20 00:00:02+00', 5633),
	('evt_80575a0c9d8a36314190c8d36d', 'org_b80b16a547b10e933f04fcfb58', '\x079b64480fb766976641eee4e1bda1fbcb34cdb0cd183ad7dee88cdd68ad5e3c', '2026-11-20 01:00:00+00', 6145),
	('evt_dd4fee9e3217d4a4160bf40648', 'org_b80b16a547b10e933f04fcfb58', '\xd457be9ce5a3e584c22d0d5c9fe9899b3cf12850e9739bec9e57b39dd005f04c', '2026-11-20 01:00:00+00', 6657),
	('evt_48d755ec6e47c981e2a791621d', 'org_b80b16a547b10e933f04fcfb58', '\x2800a54d47e910efa251a6fb6a558aaf8c9caa4ecc7d4868d8b9d7bec52a9b56', '2026-11-20 01:00:00+00', 7169),
	('sha256:300f7fcef4f4a126c6c39a79f5c8014246936e2f517f6f2764e4cb888683da28', 'org_b80b16a547b10e933f04fcfb58', '\x300f7fcef4f4a126c6c39a79f5c8014246936e2f517f6f2764e4cb888683da28', '2026-11-20 01:00:00+00', 7681),
	('evt_ead7a1cc12191cc20a3172ed8a', 'org_b80b16a547b10e933f04fcfb58', '\xcce2c4c950ecec1933304b7a4935247ea2adb8eeb83a371a89b82f2341940dbf', '2026-11-20 01:00:00+00', 8193);


--
-- Data for Name: inbox_work; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.inbox_work VALUES
	(8193, '2026-11-20 01:00:00+00', 'org_b80b16a547b10e933f04fcfb58', 'evt_ead7a1cc12191cc20a3172ed8a');


--
-- Data for Name: lookup; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.lookup VALUES
	('org_b80b16a547b10e933f04fcfb58', 'lkup_2fc51cec858340129f85d33a36', 'NETB_ORDER_INSIGHT', 'enrl_b95a3821d8d8a2445286d74c50', NULL, 'FAILED', 'NOT_ATTEMPTED', 1000, 'USD', '2026-11-19 00:00:00+00', NULL, NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:02+00', '{"id": "lkup_2fc51cec858340129f85d33a36", "type": "NETB_ORDER_INSIGHT", "created_at": "2026-11-20T00:00:00.000Z", "updated_at": "2026-11-20T00:00:02.000Z", "enrollment_id": "enrl_b95a3821d8d8a2445286d74c50", "lookup_status": "FAILED", "integration_id": null, "organisation_id": "org_b80b16a547b10e933f04fcfb58", "transaction_arn": null, "parent_lookup_id": null, "transaction_date": "2026-11-19T00:00:00.000Z", "deflection_status": "NOT_ATTEMPTED", "transaction_amount": 1000, "transaction_card_bin": null, "transaction_currency": "USD", "transaction_auth_code": null, "transaction_card_last4": null, "transaction_network_id": null, "integration_transaction_id": null, "transaction_statement_descriptor": null}', '\x35e7b7b3eb06ad2905f3d2e074d17a449e20707e6da5ee1900da625bf07e630e', 'webhook', NULL, false, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00');


--
-- Data for Name: match; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.match OVERRIDING SYSTEM VALUE VALUES
	(1, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_86a2226ff707b96fa8ce8af6e7', 'single', 'ch_612264435643', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_612264435643 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_A", "cardLast4": "7108", "reference": "ch_612264435643", "descriptor": "DEMO STORE", "amountMinor": 84900, "authorisedAt": "2026-11-12T00:00:00.000Z", "contradicted": false, "orderReference": "order-612264"}]', '2026-11-20 00:00:00+00', 'matcher', 110, NULL, NULL, NULL),
	(2, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_b1d301437820c1b6787f220ce4', 'single', 'ch_301201797033', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_301201797033 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge"], "sign": null, "tier": "arn", "score": 108, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_A", "cardLast4": "5963", "reference": "ch_301201797033", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-09T00:00:00.000Z", "contradicted": false, "orderReference": "order-301201"}]', '2026-11-20 00:00:00+00', 'matcher', 108, NULL, NULL, NULL),
	(3, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_ce4b9699064c680456bdffc826', 'single', 'ch_559007729534', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_559007729534 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_A", "cardLast4": "4402", "reference": "ch_559007729534", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-08T00:00:00.000Z", "contradicted": false, "orderReference": "order-559007"}]', '2026-11-20 00:00:00+00', 'matcher', 110, NULL, NULL, NULL),
	(4, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_4fd2e8c497a8b650bd2b460c70', 'single', 'ch_428969921360', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_428969921360 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_A", "cardLast4": "5775", "reference": "ch_428969921360", "descriptor": "DEMO STORE", "amountMinor": 6450, "authorisedAt": "2026-11-04T00:00:00.000Z", "contradicted": false, "orderReference": "order-428969"}]', '2026-11-20 01:00:00+00', 'matcher', 110, NULL, NULL, NULL),
	(5, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_6d81a474f0e832c68550f1cede', 'none', NULL, NULL, '{"facts": [], "margin": null, "search": "127.0.0.1:34231 was asked and showed 0 charges", "runnerUp": null, "sentence": "No charge shares an identifier with this alert."}', '[]', '2026-11-20 01:00:00+00', 'matcher', NULL, NULL, NULL, NULL),
	(6, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_9c6bf18afc5b5bbf0d718205c9', 'single', 'ch_913988403626', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_913988403626 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_A", "cardLast4": "6034", "reference": "ch_913988403626", "descriptor": "DEMO STORE", "amountMinor": 6450, "authorisedAt": "2026-11-18T00:00:00.000Z", "contradicted": false, "orderReference": "order-913988"}]', '2026-11-20 01:00:00+00', 'matcher', 110, NULL, NULL, NULL),
	(7, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_328d1e8d6c4a43f66576c428ae', 'single', 'ch_863991086935', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_863991086935 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_B", "cardLast4": "2299", "reference": "ch_863991086935", "descriptor": "DEMO STORE", "amountMinor": 1290, "authorisedAt": "2026-11-17T01:00:00.000Z", "contradicted": false, "orderReference": "order-863991"}]', '2026-11-20 01:00:00+00', 'matcher', 110, NULL, NULL, NULL),
	(8, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_721fc0d66e60cb502511e31120', 'single', 'ch_967566236894', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_967566236894 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_A", "cardLast4": "8229", "reference": "ch_967566236894", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-16T01:00:00.000Z", "contradicted": false, "orderReference": "order-967566"}]', '2026-11-20 01:00:00+00', 'matcher', 110, NULL, NULL, NULL),
	(9, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_e27549f1f872221e3eb4d6c343', 'single', 'ch_587073054934', 'arn', '{"facts": [{"fact": "arn", "text": "ARN agrees", "weight": 40, "verdict": "agrees", "contradicts": false}, {"fact": "authorisation_code", "text": "authorisation code agrees", "weight": 25, "verdict": "agrees", "contradicts": false}, {"fact": "card_last4", "text": "last 4 digits agrees", "weight": 10, "verdict": "agrees", "contradicts": false}, {"fact": "card_bin", "text": "BIN agrees", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "card_brand", "text": "card brand agrees", "weight": 2, "verdict": "agrees", "contradicts": false}, {"fact": "amount", "text": "amount agrees", "weight": 12, "verdict": "agrees", "contradicts": false}, {"fact": "currency", "text": "currency agrees", "weight": 3, "verdict": "agrees", "contradicts": false}, {"fact": "date", "text": "0 days between the alert and the charge", "weight": 8, "verdict": "agrees", "contradicts": false}, {"fact": "descriptor", "text": "descriptor agrees", "weight": 2, "verdict": "agrees", "contradicts": false}], "margin": null, "search": "not needed", "runnerUp": null, "sentence": "Charge ch_587073054934 is the only one that agrees in the ARN with last 4 digits or BIN."}', '[{"for": ["ARN agrees", "authorisation code agrees", "last 4 digits agrees", "BIN agrees", "card brand agrees", "amount agrees", "currency agrees", "0 days between the alert and the charge", "descriptor agrees"], "sign": null, "tier": "arn", "score": 110, "against": [], "sources": ["order"], "currency": "USD", "cardBrand": "SCHEME_A", "cardLast4": "6146", "reference": "ch_587073054934", "descriptor": "DEMO STORE", "amountMinor": 2900, "authorisedAt": "2026-11-06T01:00:00.000Z", "contradicted": false, "orderReference": "order-587073"}]', '2026-11-20 01:00:00+00', 'matcher', 110, NULL, NULL, NULL);


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
	(1, 'org_b80b16a547b10e933f04fcfb58', 'hold:netalrt_6d81a474f0e832c68550f1cede:no_charge', 'case_held', 'warning', 'netalrt_6d81a474f0e832c68550f1cede', 'Alert netalrt_6d81a474f0e832c68550f1cede, due 2026-11-22T00:00:00.000Z. A person decides about 10.00 USD: no charge was found that this alert is about. Without a decision it becomes ACCEPT_DISPUTE at 2026-11-21T18:00:00.000Z.', '2026-11-20 01:00:00+00', NULL, 1, '2026-11-20 01:00:00+00', NULL, 'log'),
	(2, 'org_b80b16a547b10e933f04fcfb58', 'hold:netalrt_4fd2e8c497a8b650bd2b460c70:policy_review', 'case_held', 'info', 'netalrt_4fd2e8c497a8b650bd2b460c70', 'Alert netalrt_4fd2e8c497a8b650bd2b460c70, due 2026-11-22T00:00:00.000Z. A person decides about 64.50 USD: no rule of the policy applies, so its "otherwise" does. Without a decision it becomes REFUND at 2026-11-21T20:00:00.000Z.', '2026-11-20 01:00:00+00', NULL, 1, '2026-11-20 01:00:00+00', NULL, 'log'),
	(3, 'org_b80b16a547b10e933f04fcfb58', 'hold:netalrt_9c6bf18afc5b5bbf0d718205c9:policy_review', 'case_held', 'info', 'netalrt_9c6bf18afc5b5bbf0d718205c9', 'Alert netalrt_9c6bf18afc5b5bbf0d718205c9, due 2026-11-22T00:00:00.000Z. A person decides about 64.50 USD: no rule of the policy applies, so its "otherwise" does. Without a decision it becomes REFUND at 2026-11-21T20:00:00.000Z.', '2026-11-20 01:00:00+00', NULL, 1, '2026-11-20 01:00:00+00', NULL, 'log'),
	(4, 'org_b80b16a547b10e933f04fcfb58', 'paused:2026-11-20T00:00:00.000Z', 'paused', 'error', NULL, 'Ines paused all refunds (rehearsal). Alerts that need one go to people, who must answer them before their deadlines. "forestall resume" lets refunds go again.', '2026-11-20 00:00:00+00', NULL, 1, '2026-11-20 01:00:00+00', NULL, 'log'),
	(5, 'org_b80b16a547b10e933f04fcfb58', 'resumed:2026-11-20T00:00:00.000Z', 'resumed', 'warning', NULL, 'Ines let refunds go again. 0 alerts that were held for it go on.', '2026-11-20 00:00:00+00', NULL, 1, '2026-11-20 01:00:00+00', NULL, 'log'),
	(6, 'org_b80b16a547b10e933f04fcfb58', 'quarantine:duplicate_key:2026-11-20', 'event_quarantined', 'warning', NULL, 'Event sha256:300f7fcef4f4a126c6c39a79f5c8014246936e2f517f6f2764e4cb888683da28 was signed but could not be used (duplicate_key). It is kept and had no effect; look at the quarantined events. Later ones of today with the same reason are not announced again.', '2026-11-20 01:00:00+00', NULL, 1, '2026-11-20 01:00:00+00', NULL, 'log');


--
-- Data for Name: order_import; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: order_nested_reference; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.order_nested_reference VALUES
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-559007:d', 'order-559007', 'order-559007:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-559007:1', 'order-559007', 'order-559007:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_559007729534', 'order-559007', 'ch_559007729534', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-612264:d', 'order-612264', 'order-612264:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-612264:1', 'order-612264', 'order-612264:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_612264435643', 'order-612264', 'ch_612264435643', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-301201:d', 'order-301201', 'order-301201:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-301201:1', 'order-301201', 'order-301201:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_301201797033', 'order-301201', 'ch_301201797033', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'refund', 'netalrt_b1d301437820c1b6787f220ce4', 'order-301201', 'netalrt_b1d301437820c1b6787f220ce4', NULL, 'saga'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'refund', 're_362ea598fa52ad27cb93', 'order-559007', 're_362ea598fa52ad27cb93', NULL, 'saga'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-428969:d', 'order-428969', 'order-428969:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-428969:1', 'order-428969', 'order-428969:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_428969921360', 'order-428969', 'ch_428969921360', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-913988:d', 'order-913988', 'order-913988:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-913988:1', 'order-913988', 'order-913988:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_913988403626', 'order-913988', 'ch_913988403626', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-863991:1', 'order-863991', 'order-863991:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_863991086935', 'order-863991', 'ch_863991086935', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'refund', 're_1e2123a2a3bfde84c7f2', 'order-863991', 're_1e2123a2a3bfde84c7f2', NULL, 'saga'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-967566:d', 'order-967566', 'order-967566:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-967566:1', 'order-967566', 'order-967566:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_967566236894', 'order-967566', 'ch_967566236894', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-587073:d', 'order-587073', 'order-587073:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-587073:1', 'order-587073', 'order-587073:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_587073054934', 'order-587073', 'ch_587073054934', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-626421:d', 'order-626421', 'order-626421:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-626421:1', 'order-626421', 'order-626421:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_626421536760', 'order-626421', 'ch_626421536760', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'delivery', 'order-802584:d', 'order-802584', 'order-802584:d', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'item', 'order-802584:1', 'order-802584', 'order-802584:1', NULL, 'merchant'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'transaction', 'ch_802584338041', 'order-802584', 'ch_802584338041', NULL, 'merchant');


--
-- Data for Name: order_push; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: order_record; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.order_record OVERRIDING SYSTEM VALUE VALUES
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-301201', 3, 'COMPLETE', 'CREATED', 2, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-301201:1", "price_in_cents": 2900}], "device_id": "device-ddddd79cb1f202d", "deliveries": [{"type": "DIGITAL", "reference_id": "order-301201:d"}], "order_email": "yuki.301201@customer.example", "merchant_url": "https://store.example", "order_number": "301201", "order_status": "CLOSED_COMPLETE", "reference_id": "order-301201", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_301201797033", "authorised_at": "2026-11-09T00:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "742806", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "08906836749361531341260", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "5963"}], "merchant_name": "Demo store", "customer_email": "yuki.301201@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-09T00:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.196", "customer_account_id": "acct-301201", "customer_first_name": "Yuki", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\xa624eefe5e1350b60b7b59f6a2168518b64ef3b556de5851382dfeedcb4e2f5c', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-301201:1", "price_in_cents": 2900}], "refunds": [{"status": "SUCCEEDED", "currency": "USD", "reference_id": "netalrt_b1d301437820c1b6787f220ce4", "amount_in_cents": 2900, "refund_datetime": "2026-11-20T00:00:00.000Z", "original_transaction_reference_id": "ch_301201797033"}], "device_id": "device-ddddd79cb1f202d", "deliveries": [{"type": "DIGITAL", "reference_id": "order-301201:d"}], "order_email": "yuki.301201@customer.example", "merchant_url": "https://store.example", "order_number": "301201", "order_status": "CLOSED_COMPLETE", "reference_id": "order-301201", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_301201797033", "authorised_at": "2026-11-09T00:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "742806", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "08906836749361531341260", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "5963"}], "merchant_name": "Demo store", "customer_email": "yuki.301201@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-09T00:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.196", "customer_account_id": "acct-301201", "customer_first_name": "Yuki", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_3aac81982a0eaffaaaf1a97048', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-612264', 2, 'COMPLETE', 'CREATED', 1, '{"type": "COMPLETE", "items": [{"name": "Folding bicycle", "quantity": 1, "reference_id": "order-612264:1", "price_in_cents": 84900}], "device_id": "device-ddddd244613072e", "deliveries": [{"type": "PHYSICAL", "reference_id": "order-612264:d", "physical_shipping_status": "DELIVERED", "physical_shipping_carrier": "Demo Parcel", "physical_shipping_tracking_number": "DP7200709527", "physical_shipping_datetime_shipped": "2026-11-12T00:00:00.000Z", "physical_shipping_datetime_delivered": "2026-11-12T00:00:00.000Z"}], "order_email": "mateo.612264@customer.example", "merchant_url": "https://store.example", "order_number": "612264", "order_status": "CLOSED_COMPLETE", "reference_id": "order-612264", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_612264435643", "authorised_at": "2026-11-12T00:00:00.000Z", "amount_in_cents": 84900, "authorisation_code": "394461", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "73460513846705987379441", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "7108"}], "merchant_name": "Demo store", "customer_email": "mateo.612264@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-12T00:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.154", "customer_account_id": "acct-612264", "customer_first_name": "Mateo", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 84900, "order_subtotal_amount_in_cents": 84900}', '\x953dc5718dfc381264fffe6d5a41b3496aade88263d052ae0e51a8b8bf1ccd62', '{"type": "COMPLETE", "items": [{"name": "Folding bicycle", "quantity": 1, "reference_id": "order-612264:1", "price_in_cents": 84900}], "device_id": "device-ddddd244613072e", "deliveries": [{"type": "PHYSICAL", "reference_id": "order-612264:d", "physical_shipping_status": "DELIVERED", "physical_shipping_carrier": "Demo Parcel", "physical_shipping_tracking_number": "DP7200709527", "physical_shipping_datetime_shipped": "2026-11-12T00:00:00.000Z", "physical_shipping_datetime_delivered": "2026-11-12T00:00:00.000Z"}], "order_email": "mateo.612264@customer.example", "merchant_url": "https://store.example", "order_number": "612264", "order_status": "CLOSED_COMPLETE", "reference_id": "order-612264", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_612264435643", "authorised_at": "2026-11-12T00:00:00.000Z", "amount_in_cents": 84900, "authorisation_code": "394461", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "73460513846705987379441", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "7108"}], "merchant_name": "Demo store", "customer_email": "mateo.612264@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-12T00:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.154", "customer_account_id": "acct-612264", "customer_first_name": "Mateo", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 84900, "order_subtotal_amount_in_cents": 84900}', 'ord_b0e121bb6cf375f62deb8453e9', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-559007', 1, 'COMPLETE', 'CREATED', 2, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-559007:1", "price_in_cents": 2900}], "device_id": "device-ddddd6a8bc05a14", "deliveries": [{"type": "DIGITAL", "reference_id": "order-559007:d"}], "order_email": "ada.559007@customer.example", "merchant_url": "https://store.example", "order_number": "559007", "order_status": "CLOSED_COMPLETE", "reference_id": "order-559007", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_559007729534", "authorised_at": "2026-11-08T00:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "297026", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "94122134447581813556579", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "4402"}], "merchant_name": "Demo store", "customer_email": "ada.559007@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-08T00:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.244", "customer_account_id": "acct-559007", "customer_first_name": "Ada", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\xd8076d6e50d1fecc366556568f2424128a9982a724a97763114c328232a69b95', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-559007:1", "price_in_cents": 2900}], "refunds": [{"status": "SUCCEEDED", "currency": "USD", "reference_id": "re_362ea598fa52ad27cb93", "amount_in_cents": 2900, "refund_datetime": "2026-11-20T00:00:00.000Z", "original_transaction_reference_id": "ch_559007729534"}], "device_id": "device-ddddd6a8bc05a14", "deliveries": [{"type": "DIGITAL", "reference_id": "order-559007:d"}], "order_email": "ada.559007@customer.example", "merchant_url": "https://store.example", "order_number": "559007", "order_status": "CLOSED_COMPLETE", "reference_id": "order-559007", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_559007729534", "authorised_at": "2026-11-08T00:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "297026", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "94122134447581813556579", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "4402"}], "merchant_name": "Demo store", "customer_email": "ada.559007@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-08T00:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.244", "customer_account_id": "acct-559007", "customer_first_name": "Ada", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_2120e225011ae0be6b15dbec05', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-428969', 4, 'COMPLETE', 'CREATED', 1, '{"type": "COMPLETE", "items": [{"name": "Desk lamp", "quantity": 1, "reference_id": "order-428969:1", "price_in_cents": 6450}], "device_id": "device-ddddd501984902a", "deliveries": [{"type": "PHYSICAL", "reference_id": "order-428969:d", "physical_shipping_status": "DELIVERED", "physical_shipping_carrier": "Demo Parcel", "physical_shipping_tracking_number": "DP1888037426", "physical_shipping_datetime_shipped": "2026-11-04T00:00:00.000Z", "physical_shipping_datetime_delivered": "2026-11-04T00:00:00.000Z"}], "order_email": "yuki.428969@customer.example", "merchant_url": "https://store.example", "order_number": "428969", "order_status": "CLOSED_COMPLETE", "reference_id": "order-428969", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_428969921360", "authorised_at": "2026-11-04T00:00:00.000Z", "amount_in_cents": 6450, "authorisation_code": "182169", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "33816953026748034782209", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "5775"}], "merchant_name": "Demo store", "customer_email": "yuki.428969@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-04T00:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.30", "customer_account_id": "acct-428969", "customer_first_name": "Yuki", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 6450, "order_subtotal_amount_in_cents": 6450}', '\x1eabf621ffec0c5fdcae92882da63533918ee22c4c29d9fdb99e790429475c0f', '{"type": "COMPLETE", "items": [{"name": "Desk lamp", "quantity": 1, "reference_id": "order-428969:1", "price_in_cents": 6450}], "device_id": "device-ddddd501984902a", "deliveries": [{"type": "PHYSICAL", "reference_id": "order-428969:d", "physical_shipping_status": "DELIVERED", "physical_shipping_carrier": "Demo Parcel", "physical_shipping_tracking_number": "DP1888037426", "physical_shipping_datetime_shipped": "2026-11-04T00:00:00.000Z", "physical_shipping_datetime_delivered": "2026-11-04T00:00:00.000Z"}], "order_email": "yuki.428969@customer.example", "merchant_url": "https://store.example", "order_number": "428969", "order_status": "CLOSED_COMPLETE", "reference_id": "order-428969", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_428969921360", "authorised_at": "2026-11-04T00:00:00.000Z", "amount_in_cents": 6450, "authorisation_code": "182169", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "33816953026748034782209", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "5775"}], "merchant_name": "Demo store", "customer_email": "yuki.428969@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-04T00:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.30", "customer_account_id": "acct-428969", "customer_first_name": "Yuki", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 6450, "order_subtotal_amount_in_cents": 6450}', 'ord_e96bfb094b0de1992ada5f92ab', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-20 00:00:00+00', '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-913988', 5, 'COMPLETE', 'CREATED', 1, '{"type": "COMPLETE", "items": [{"name": "Desk lamp", "quantity": 1, "reference_id": "order-913988:1", "price_in_cents": 6450}], "device_id": "device-ddddd343d275d28", "deliveries": [{"type": "PHYSICAL", "reference_id": "order-913988:d", "physical_shipping_status": "DELIVERED", "physical_shipping_carrier": "Demo Parcel", "physical_shipping_tracking_number": "DP5213841324", "physical_shipping_datetime_shipped": "2026-11-18T00:00:00.000Z", "physical_shipping_datetime_delivered": "2026-11-18T00:00:00.000Z"}], "order_email": "tomás.913988@customer.example", "merchant_url": "https://store.example", "order_number": "913988", "order_status": "CLOSED_COMPLETE", "reference_id": "order-913988", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_913988403626", "authorised_at": "2026-11-18T00:00:00.000Z", "amount_in_cents": 6450, "authorisation_code": "876225", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "89193939465915595890631", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "6034"}], "merchant_name": "Demo store", "customer_email": "tomás.913988@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-18T00:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.54", "customer_account_id": "acct-913988", "customer_first_name": "Tomás", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 6450, "order_subtotal_amount_in_cents": 6450}', '\xcc3163b6d539d20d5a9a148422aca9bf424fbf63d385f6b2e6018d0573b2c40e', '{"type": "COMPLETE", "items": [{"name": "Desk lamp", "quantity": 1, "reference_id": "order-913988:1", "price_in_cents": 6450}], "device_id": "device-ddddd343d275d28", "deliveries": [{"type": "PHYSICAL", "reference_id": "order-913988:d", "physical_shipping_status": "DELIVERED", "physical_shipping_carrier": "Demo Parcel", "physical_shipping_tracking_number": "DP5213841324", "physical_shipping_datetime_shipped": "2026-11-18T00:00:00.000Z", "physical_shipping_datetime_delivered": "2026-11-18T00:00:00.000Z"}], "order_email": "tomás.913988@customer.example", "merchant_url": "https://store.example", "order_number": "913988", "order_status": "CLOSED_COMPLETE", "reference_id": "order-913988", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_913988403626", "authorised_at": "2026-11-18T00:00:00.000Z", "amount_in_cents": 6450, "authorisation_code": "876225", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "89193939465915595890631", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "6034"}], "merchant_name": "Demo store", "customer_email": "tomás.913988@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-18T00:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.54", "customer_account_id": "acct-913988", "customer_first_name": "Tomás", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 6450, "order_subtotal_amount_in_cents": 6450}', 'ord_4fe8a77f6423eba15e4941e966', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-20 00:00:00+00', '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-863991', 6, 'COMPLETE', 'CREATED', 2, '{"type": "COMPLETE", "items": [{"name": "Magazine, monthly", "quantity": 1, "reference_id": "order-863991:1", "price_in_cents": 1290}], "device_id": "device-dddddd453c92fb5", "order_email": "yuki.863991@customer.example", "merchant_url": "https://store.example", "order_number": "863991", "order_status": "CLOSED_COMPLETE", "reference_id": "order-863991", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_863991086935", "authorised_at": "2026-11-17T01:00:00.000Z", "amount_in_cents": 1290, "authorisation_code": "945236", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "33869495589292457911224", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "2299"}], "merchant_name": "Demo store", "subscriptions": [{"interval": "MONTH", "reference_id": "order-863991:sub", "interval_currency": "USD", "interval_price_in_cents": 1290}], "customer_email": "yuki.863991@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-17T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.218", "customer_account_id": "acct-863991", "customer_first_name": "Yuki", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 1290, "order_subtotal_amount_in_cents": 1290}', '\x7c57120e824cf400d3d8fd113f8149d2dbce1c546c90640e10b37160252c086d', '{"type": "COMPLETE", "items": [{"name": "Magazine, monthly", "quantity": 1, "reference_id": "order-863991:1", "price_in_cents": 1290}], "refunds": [{"status": "SUCCEEDED", "currency": "USD", "reference_id": "re_1e2123a2a3bfde84c7f2", "amount_in_cents": 1290, "refund_datetime": "2026-11-20T01:00:00.000Z", "original_transaction_reference_id": "ch_863991086935"}], "device_id": "device-dddddd453c92fb5", "order_email": "yuki.863991@customer.example", "merchant_url": "https://store.example", "order_number": "863991", "order_status": "CLOSED_COMPLETE", "reference_id": "order-863991", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_863991086935", "authorised_at": "2026-11-17T01:00:00.000Z", "amount_in_cents": 1290, "authorisation_code": "945236", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "33869495589292457911224", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "2299"}], "merchant_name": "Demo store", "subscriptions": [{"interval": "MONTH", "reference_id": "order-863991:sub", "interval_currency": "USD", "interval_price_in_cents": 1290}], "customer_email": "yuki.863991@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-17T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.218", "customer_account_id": "acct-863991", "customer_first_name": "Yuki", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 1290, "order_subtotal_amount_in_cents": 1290}', 'ord_4ae535c286309c393e6b33e175', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: deliveries"]', NULL, NULL, NULL, 0, NULL, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-967566', 7, 'COMPLETE', 'CREATED', 1, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-967566:1", "price_in_cents": 2900}], "device_id": "device-ddddd6f9d936c0e", "deliveries": [{"type": "DIGITAL", "reference_id": "order-967566:d"}], "order_email": "noor.967566@customer.example", "merchant_url": "https://store.example", "order_number": "967566", "order_status": "CLOSED_COMPLETE", "reference_id": "order-967566", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_967566236894", "authorised_at": "2026-11-16T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "263960", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "47631720679716032306290", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "8229"}], "merchant_name": "Demo store", "customer_email": "noor.967566@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-16T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.245", "customer_account_id": "acct-967566", "customer_first_name": "Noor", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\xb3cef329ce826fd51b8e5f54a3919d580f59bfcd282d8de2791555f67a79c439', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-967566:1", "price_in_cents": 2900}], "device_id": "device-ddddd6f9d936c0e", "deliveries": [{"type": "DIGITAL", "reference_id": "order-967566:d"}], "order_email": "noor.967566@customer.example", "merchant_url": "https://store.example", "order_number": "967566", "order_status": "CLOSED_COMPLETE", "reference_id": "order-967566", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_967566236894", "authorised_at": "2026-11-16T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "263960", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "47631720679716032306290", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "8229"}], "merchant_name": "Demo store", "customer_email": "noor.967566@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-16T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.245", "customer_account_id": "acct-967566", "customer_first_name": "Noor", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_59a885f11cd40c374e4924d02f', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-587073', 8, 'COMPLETE', 'CREATED', 1, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-587073:1", "price_in_cents": 2900}], "device_id": "device-ddddddb9029a5a4", "deliveries": [{"type": "DIGITAL", "reference_id": "order-587073:d"}], "order_email": "tomás.587073@customer.example", "merchant_url": "https://store.example", "order_number": "587073", "order_status": "CLOSED_COMPLETE", "reference_id": "order-587073", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_587073054934", "authorised_at": "2026-11-06T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "988696", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "81159603051811654743018", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "6146"}], "merchant_name": "Demo store", "customer_email": "tomás.587073@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-06T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.139", "customer_account_id": "acct-587073", "customer_first_name": "Tomás", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\x0f580e4f7b92f19e4d247e9c6493c1b7eb5a03ad0c3b7e3a4e5dff306a3567f2', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-587073:1", "price_in_cents": 2900}], "device_id": "device-ddddddb9029a5a4", "deliveries": [{"type": "DIGITAL", "reference_id": "order-587073:d"}], "order_email": "tomás.587073@customer.example", "merchant_url": "https://store.example", "order_number": "587073", "order_status": "CLOSED_COMPLETE", "reference_id": "order-587073", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_587073054934", "authorised_at": "2026-11-06T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "988696", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "81159603051811654743018", "payment_method_card_brand": "SCHEME_A", "payment_method_card_last_4": "6146"}], "merchant_name": "Demo store", "customer_email": "tomás.587073@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-06T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.139", "customer_account_id": "acct-587073", "customer_first_name": "Tomás", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', 'ord_62a271bb206e4d37fc293cf918', '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, NULL, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-626421', 9, 'COMPLETE', 'WAITING', 1, '{"type": "COMPLETE", "items": [{"name": "Evening course, 6 lessons", "quantity": 1, "reference_id": "order-626421:1", "price_in_cents": 8400}], "device_id": "device-ddddd8c17e0500a", "deliveries": [{"type": "DIGITAL", "reference_id": "order-626421:d"}], "order_email": "tomás.626421@customer.example", "merchant_url": "https://store.example", "order_number": "626421", "order_status": "CLOSED_COMPLETE", "reference_id": "order-626421", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_626421536760", "authorised_at": "2026-11-13T01:00:00.000Z", "amount_in_cents": 8400, "authorisation_code": "270922", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "61438246851562001776986", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "6581"}], "merchant_name": "Demo store", "customer_email": "tomás.626421@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-13T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.135", "customer_account_id": "acct-626421", "customer_first_name": "Tomás", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 8400, "order_subtotal_amount_in_cents": 8400}', '\xd0f461eb4e34b8faa57052c722c4b9e37ec499e54ef57f875e218e97a85137cd', '{"type": "COMPLETE", "items": [{"name": "Evening course, 6 lessons", "quantity": 1, "reference_id": "order-626421:1", "price_in_cents": 8400}], "device_id": "device-ddddd8c17e0500a", "deliveries": [{"type": "DIGITAL", "reference_id": "order-626421:d"}], "order_email": "tomás.626421@customer.example", "merchant_url": "https://store.example", "order_number": "626421", "order_status": "CLOSED_COMPLETE", "reference_id": "order-626421", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_626421536760", "authorised_at": "2026-11-13T01:00:00.000Z", "amount_in_cents": 8400, "authorisation_code": "270922", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "61438246851562001776986", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "6581"}], "merchant_name": "Demo store", "customer_email": "tomás.626421@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-13T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.135", "customer_account_id": "acct-626421", "customer_first_name": "Tomás", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 8400, "order_subtotal_amount_in_cents": 8400}', NULL, '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', 'No clear answer (SERVER_ERROR). It is sent again by itself.', 'SERVER_ERROR', NULL, 1, '2026-11-20 01:00:01.56+00', '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', NULL),
	('org_b80b16a547b10e933f04fcfb58', 'int_fd4d0d3795e94dfcdee9f2c099', 'order-802584', 10, 'COMPLETE', 'WAITING', 1, '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-802584:1", "price_in_cents": 2900}], "device_id": "device-dddddeb1c2a06c2", "deliveries": [{"type": "DIGITAL", "reference_id": "order-802584:d"}], "order_email": "mateo.802584@customer.example", "merchant_url": "https://store.example", "order_number": "802584", "order_status": "CLOSED_COMPLETE", "reference_id": "order-802584", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_802584338041", "authorised_at": "2026-11-19T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "717961", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "94303085112180056779804", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "4236"}], "merchant_name": "Demo store", "customer_email": "mateo.802584@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-19T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.2", "customer_account_id": "acct-802584", "customer_first_name": "Mateo", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', '\x54cc369ea42ba9644f20594152ab49b6cfcbbe85de661e92b82a4886f5e76e6e', '{"type": "COMPLETE", "items": [{"name": "Font licence", "quantity": 1, "reference_id": "order-802584:1", "price_in_cents": 2900}], "device_id": "device-dddddeb1c2a06c2", "deliveries": [{"type": "DIGITAL", "reference_id": "order-802584:d"}], "order_email": "mateo.802584@customer.example", "merchant_url": "https://store.example", "order_number": "802584", "order_status": "CLOSED_COMPLETE", "reference_id": "order-802584", "transactions": [{"currency": "USD", "descriptor": "DEMO STORE", "reference_id": "ch_802584338041", "authorised_at": "2026-11-19T01:00:00.000Z", "amount_in_cents": 2900, "authorisation_code": "717961", "payment_method_type": "CARD", "authorisation_status": "SETTLED", "payment_method_card_bin": "411111", "acquirer_reference_number": "94303085112180056779804", "payment_method_card_brand": "SCHEME_B", "payment_method_card_last_4": "4236"}], "merchant_name": "Demo store", "customer_email": "mateo.802584@customer.example", "integration_id": "int_fd4d0d3795e94dfcdee9f2c099", "order_currency": "USD", "order_datetime": "2026-11-19T01:00:00.000Z", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "device_ip_address": "203.0.113.2", "customer_account_id": "acct-802584", "customer_first_name": "Mateo", "merchant_store_name": "Demo store, online", "merchant_contact_phone": "+1 202 555 0100", "order_total_amount_in_cents": 2900, "order_subtotal_amount_in_cents": 2900}', NULL, '{alerts,receipt-neta,receipt-netb,first-party-trust,compelling-evidence,merchant-information}', '{"alerts": [], "receipt-neta": [], "receipt-netb": [], "first-party-trust": [], "compelling-evidence": [], "merchant-information": []}', '["can be updated later only if sent now: subscriptions"]', NULL, NULL, NULL, 0, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', NULL);


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

INSERT INTO public.quarantine OVERRIDING SYSTEM VALUE VALUES
	(1, 'org_b80b16a547b10e933f04fcfb58', 'sha256:300f7fcef4f4a126c6c39a79f5c8014246936e2f517f6f2764e4cb888683da28', 7681, 'duplicate_key', '', NULL, '2026-11-20 01:00:00+00', NULL, NULL);


--
-- Data for Name: reconcile_request; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: refund; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.refund VALUES
	('org_b80b16a547b10e933f04fcfb58', 'rf_8af1877eaa9d55103c0afdc2ee', 'ch_301201797033', 'fst_a88e8c677b9caf4a98ea3e9d198f11028ad5031f', 1, 'refund', 'netalrt_b1d301437820c1b6787f220ce4', 'netalrt_b1d301437820c1b6787f220ce4', 'EXTERNAL', 1, 0, 'USD', 2900, 2900, NULL, 'netalrt_b1d301437820c1b6787f220ce4', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_1505821682d65f0220174f23fc', 'ch_559007729534', 'fst_aa9687319cae0d28a9d22cd9e85d0c250d2e04a6', 1, 'refund', 'netalrt_ce4b9699064c680456bdffc826', NULL, 'CONFIRMED', 3, 2900, 'USD', 2900, 0, 're_362ea598fa52ad27cb93', NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', NULL, NULL, NULL, 0, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_e70b1694a137dc690ff9708eab', 'ch_863991086935', 'fst_b3bf9316780487846575871811d57f20653af07b', 1, 'refund', 'netalrt_328d1e8d6c4a43f66576c428ae', NULL, 'CONFIRMED', 3, 1290, 'USD', 1290, 0, 're_1e2123a2a3bfde84c7f2', NULL, NULL, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', NULL, NULL, NULL, 0, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_c3f722454321ca887610933129', 'ch_967566236894', 'fst_75fd34a1099d88463667d9289dd455d7405a68de', 1, 'refund', 'netalrt_721fc0d66e60cb502511e31120', NULL, 'UNKNOWN', 3, 2900, 'USD', 2900, 0, NULL, NULL, NULL, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', NULL, NULL, NULL, '2026-11-20 01:00:02+00', 0, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00'),
	('org_b80b16a547b10e933f04fcfb58', 'rf_ec2d015b025c9cceedf9bf29ac', 'ch_587073054934', 'fst_24a3841fe3fe97348cdf0c76afc6077fa2c67b70', 1, 'refund', 'netalrt_e27549f1f872221e3eb4d6c343', NULL, 'UNKNOWN', 3, 2900, 'USD', 2900, 0, NULL, NULL, NULL, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00', NULL, NULL, NULL, '2026-11-20 01:00:02+00', 0, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00');


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
	('org_b80b16a547b10e933f04fcfb58', NULL, '2026-11-20 01:00:00+00', NULL, NULL, NULL);


--
-- Data for Name: refund_customer; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.refund_customer VALUES
	('org_b80b16a547b10e933f04fcfb58', 'account_8fd90407d1a43b355dc522f985d3221511f6d5e1', 'rf_1505821682d65f0220174f23fc'),
	('org_b80b16a547b10e933f04fcfb58', 'email_d811dbd18b541b7fbf913751c0768be6d8717a1d', 'rf_1505821682d65f0220174f23fc'),
	('org_b80b16a547b10e933f04fcfb58', 'account_052b4e32e07a10489a2c2323b0536ec35053448c', 'rf_e70b1694a137dc690ff9708eab'),
	('org_b80b16a547b10e933f04fcfb58', 'email_a400e513bf833f54740fd869c63e6ed5c0f0d443', 'rf_e70b1694a137dc690ff9708eab'),
	('org_b80b16a547b10e933f04fcfb58', 'account_ff157beb5fc37fadc460b85228f8c20f07f54396', 'rf_c3f722454321ca887610933129'),
	('org_b80b16a547b10e933f04fcfb58', 'email_861131a675450bc0362088bc42c4dd3b230561be', 'rf_c3f722454321ca887610933129'),
	('org_b80b16a547b10e933f04fcfb58', 'account_b080ce76851a8b070730d8ce1c9fa5ec5f9f87b1', 'rf_ec2d015b025c9cceedf9bf29ac'),
	('org_b80b16a547b10e933f04fcfb58', 'email_bfe5dbeb55e5254e052ce061dd40dc99507ad655', 'rf_ec2d015b025c9cceedf9bf29ac');


--
-- Data for Name: representment; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.representment VALUES
	('org_b80b16a547b10e933f04fcfb58', 'rep_d51d0b7579a52022ec0a02df86', 'mrch_ba5f6f035a61a91c80f1ff8ece', 'OPEN', 'CHARGEBACK', '2026-11-27 00:00:00+00', 1000, 'USD', NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '{"id": "rep_d51d0b7579a52022ec0a02df86", "created_at": "2026-11-20T00:00:00.000Z", "managed_by": "PARTNER", "updated_at": "2026-11-20T00:00:00.000Z", "disputed_at": "2026-11-20T00:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "service_type": "ONLINE_SERVICES", "dispute_stage": "CHARGEBACK", "dispute_due_by": "2026-11-27T00:00:00.000Z", "dispute_reason": "SUBSCRIPTION_CANCELED", "dispute_schema": "SCHEME_A", "dispute_status": "OPEN", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "dispute_reason_code": null, "dispute_reference_id": "dp_fb726d6172e8d063", "dispute_currency_code": "USD", "dispute_amount_in_cents": 1000, "transaction_reference_id": null, "transaction_currency_code": "USD", "transaction_amount_in_cents": 1000, "transaction_authorisation_date": null, "transaction_acquirer_reference_number": null}', '\x17f9cc8f5cdb4850229e115c92876d111a48a549cde74f3dfd0697c9fd30e279', 'webhook', NULL, false, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00');


--
-- Data for Name: request_budget; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.request_budget VALUES
	('org_b80b16a547b10e933f04fcfb58', 'GET /v1/lookups/', '{"2026-11-20 00:00:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'GET /v2/enrolments', '{"2026-11-20 00:00:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'GET /v1/orders/', '{"2026-11-20 00:00:00+00","2026-11-20 00:00:00+00","2026-11-20 00:00:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'GET /v1/alerts/', '{"2026-11-20 01:00:00+00","2026-11-20 01:00:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'PATCH /v1/orders/{order_id}', '{"2026-11-20 01:00:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'PATCH /v1/alerts/{alert_id}', '{"2026-11-20 01:00:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'GET /v1/alerts/{alert_id}', '{"2026-11-20 01:00:00+00","2026-11-20 01:00:00+00","2026-11-20 01:00:00+00","2026-11-20 01:00:00+00"}', NULL, 0),
	('org_b80b16a547b10e933f04fcfb58', 'POST /v1/orders/', '{"2026-11-20 01:00:00+00","2026-11-20 01:00:00+00","2026-11-20 01:00:00+00","2026-11-20 01:00:00+00","2026-11-20 01:00:00+00"}', NULL, 0);


--
-- Data for Name: review_claim; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.review_claim VALUES
	('org_b80b16a547b10e933f04fcfb58', 'netalrt_9c6bf18afc5b5bbf0d718205c9', 'Ines', '2026-11-20 00:00:00+00', '2026-11-20 00:30:00+00');


--
-- Data for Name: review_comment; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.review_comment OVERRIDING SYSTEM VALUE VALUES
	(1, 'org_b80b16a547b10e933f04fcfb58', 'netalrt_9c6bf18afc5b5bbf0d718205c9', 'Ines', 'Asked the shop.', '2026-11-20 00:00:00+00');


--
-- Data for Name: saved_view; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.saved_view OVERRIDING SYSTEM VALUE VALUES
	(1, 'org_b80b16a547b10e933f04fcfb58', 'Ines', 'Mine', 'state=HUMAN', '2026-11-20 00:00:00+00');


--
-- Data for Name: scheme_notice; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.scheme_notice VALUES
	('org_b80b16a547b10e933f04fcfb58', 'schntc_9d22de3774b3ca3d6f25f357a3', 'mrch_ba5f6f035a61a91c80f1ff8ece', 'TC40', 'FRAUD_NOTICE', 'SCHEME_A', false, '2026-11-20 00:00:00+00', 1000, 'USD', NULL, NULL, NULL, NULL, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '{"id": "schntc_9d22de3774b3ca3d6f25f357a3", "scheme": "SCHEME_A", "created_at": "2026-11-20T00:00:00.000Z", "fraud_type": "Card not present", "is_revoked": false, "updated_at": "2026-11-20T00:00:00.000Z", "merchant_id": "mrch_ba5f6f035a61a91c80f1ff8ece", "notice_type": "FRAUD_NOTICE", "organisation_id": "org_b80b16a547b10e933f04fcfb58", "fraud_reported_at": "2026-11-20T00:00:00.000Z", "notice_revoked_at": null, "scheme_notice_type": "TC40", "transaction_card_bin": null, "fraud_dispute_eligible": true, "transaction_card_last4": null, "transaction_merchant_id": null, "transaction_currency_code": "USD", "transaction_merchant_name": "Demo store", "transaction_original_date": null, "transaction_purchase_date": null, "transaction_amount_in_cents": 1000, "transaction_authorisation_code": null, "transaction_acquirer_reference_number": null}', '\x97f5396694588a0ded190a9e8f54cff6cc5d0e89b16cfd0d4090a18f37c6b14d', 'webhook', NULL, false, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00');


--
-- Data for Name: shadow_report; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: side_action; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.side_action VALUES
	('org_b80b16a547b10e933f04fcfb58', 'sa_0875adb39a793e51d1a343bc89b35b3ab3cb3e44', 'netalrt_328d1e8d6c4a43f66576c428ae', 'cancel_subscription', 'ch_863991086935', 'alert', '{"subscription": "order-863991:sub"}', 'DONE', 1, NULL, NULL, '2026-11-20 01:00:00+00', '2026-11-20 01:00:00+00');


--
-- Data for Name: side_action_due; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: worker_heartbeat; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.worker_heartbeat VALUES
	('worker:1:e8b1d0', 'org_b80b16a547b10e933f04fcfb58', 'work', '2026-11-20 00:00:00+00', '2026-11-20 01:00:00+00');


--
-- Name: audit_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.audit_id_seq', 56, true);


--
-- Name: decision_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.decision_id_seq', 8, true);


--
-- Name: entity_change_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.entity_change_id_seq', 18, true);


--
-- Name: finding_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.finding_id_seq', 1, false);


--
-- Name: inbox_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.inbox_seq', 8193, true);


--
-- Name: match_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.match_id_seq', 9, true);


--
-- Name: notification_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.notification_id_seq', 6, true);


--
-- Name: order_push_seq_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.order_push_seq_seq', 3, true);


--
-- Name: order_record_seq_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.order_record_seq_seq', 10, true);


--
-- Name: policy_activation_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.policy_activation_id_seq', 1, true);


--
-- Name: quarantine_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.quarantine_id_seq', 1, true);


--
-- Name: refund_approval_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.refund_approval_id_seq', 1, false);


--
-- Name: review_comment_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.review_comment_id_seq', 1, true);


--
-- Name: saved_view_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.saved_view_id_seq', 1, true);


--
-- Name: bam bam_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.bam
    ADD CONSTRAINT bam_pkey PRIMARY KEY (id);


--
-- Name: instance instance_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.instance
    ADD CONSTRAINT instance_pkey PRIMARY KEY (id);


--
-- Name: job job_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (name, id);


--
-- Name: job_common job_common_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT job_common_pkey PRIMARY KEY (name, id);


--
-- Name: job_dependency job_dependency_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.job_dependency
    ADD CONSTRAINT job_dependency_pkey PRIMARY KEY (child_name, child_id, parent_name, parent_id);


--
-- Name: queue queue_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (name);


--
-- Name: queue_stats queue_stats_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue_stats
    ADD CONSTRAINT queue_stats_pkey PRIMARY KEY (id, captured_on);


--
-- Name: queue_stats_20261122 queue_stats_20261122_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue_stats_20261122
    ADD CONSTRAINT queue_stats_20261122_pkey PRIMARY KEY (id, captured_on);


--
-- Name: queue_stats_20261123 queue_stats_20261123_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue_stats_20261123
    ADD CONSTRAINT queue_stats_20261123_pkey PRIMARY KEY (id, captured_on);


--
-- Name: schedule schedule_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.schedule
    ADD CONSTRAINT schedule_pkey PRIMARY KEY (name, key);


--
-- Name: subscription subscription_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (event, name);


--
-- Name: version version_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.version
    ADD CONSTRAINT version_pkey PRIMARY KEY (version);


--
-- Name: warning warning_pkey; Type: CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.warning
    ADD CONSTRAINT warning_pkey PRIMARY KEY (id);


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
-- Name: job_common_i1; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE UNIQUE INDEX job_common_i1 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'created'::pgboss.job_state) AND (policy = 'short'::text));


--
-- Name: job_common_i10; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i10 ON pgboss.job_common USING btree (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE ((state < 'active'::pgboss.job_state) AND (NOT blocked) AND (policy = 'key_strict_fifo'::text));


--
-- Name: job_common_i11; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i11 ON pgboss.job_common USING btree (name, priority DESC, created_on, start_after) WHERE ((state < 'active'::pgboss.job_state) AND (NOT blocked));


--
-- Name: job_common_i12; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i12 ON pgboss.job_common USING btree (source_root_id) WHERE (source_root_id IS NOT NULL);


--
-- Name: job_common_i13; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE UNIQUE INDEX job_common_i13 ON pgboss.job_common USING btree (name, singleton_key) WHERE ((state = 'created'::pgboss.job_state) AND upsert_by_key);


--
-- Name: job_common_i14; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i14 ON pgboss.job_common USING btree (name, state, blocked, start_after) WHERE (state = ANY (ARRAY['created'::pgboss.job_state, 'retry'::pgboss.job_state, 'active'::pgboss.job_state, 'failed'::pgboss.job_state]));


--
-- Name: job_common_i15; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i15 ON pgboss.job_common USING btree (name, created_on);


--
-- Name: job_common_i16; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i16 ON pgboss.job_common USING btree (name, completed_on) WHERE (completed_on IS NOT NULL);


--
-- Name: job_common_i17; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i17 ON pgboss.job_common USING btree (name, singleton_key, created_on) WHERE ((state < 'active'::pgboss.job_state) AND (singleton_key IS NOT NULL));


--
-- Name: job_common_i2; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE UNIQUE INDEX job_common_i2 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'active'::pgboss.job_state) AND (policy = 'singleton'::text));


--
-- Name: job_common_i3; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE UNIQUE INDEX job_common_i3 ON pgboss.job_common USING btree (name, state, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::pgboss.job_state) AND (policy = 'stately'::text));


--
-- Name: job_common_i4; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE UNIQUE INDEX job_common_i4 ON pgboss.job_common USING btree (name, singleton_on, COALESCE(singleton_key, ''::text)) WHERE ((state <> 'cancelled'::pgboss.job_state) AND (singleton_on IS NOT NULL));


--
-- Name: job_common_i6; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE UNIQUE INDEX job_common_i6 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::pgboss.job_state) AND (policy = 'exclusive'::text));


--
-- Name: job_common_i7; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i7 ON pgboss.job_common USING btree (name, group_id) WHERE ((state = 'active'::pgboss.job_state) AND (group_id IS NOT NULL));


--
-- Name: job_common_i8; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE UNIQUE INDEX job_common_i8 ON pgboss.job_common USING btree (name, singleton_key) WHERE ((state = ANY (ARRAY['active'::pgboss.job_state, 'retry'::pgboss.job_state, 'failed'::pgboss.job_state])) AND (policy = 'key_strict_fifo'::text));


--
-- Name: job_common_i9; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_common_i9 ON pgboss.job_common USING btree (name, id) WHERE (blocking AND (state = 'completed'::pgboss.job_state));


--
-- Name: job_dep_parent_idx; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX job_dep_parent_idx ON pgboss.job_dependency USING btree (parent_name, parent_id);


--
-- Name: queue_stats_i1; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX queue_stats_i1 ON ONLY pgboss.queue_stats USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);


--
-- Name: queue_stats_20261122_name_captured_on_deferred_count_queued_idx; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX queue_stats_20261122_name_captured_on_deferred_count_queued_idx ON pgboss.queue_stats_20261122 USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);


--
-- Name: queue_stats_20261123_name_captured_on_deferred_count_queued_idx; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX queue_stats_20261123_name_captured_on_deferred_count_queued_idx ON pgboss.queue_stats_20261123 USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);


--
-- Name: warning_i1; Type: INDEX; Schema: pgboss; Owner: -
--

CREATE INDEX warning_i1 ON pgboss.warning USING btree (created_on DESC);


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
-- Name: order_record_by_email; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_record_by_email ON public.order_record USING btree (organisation_id, lower((body ->> 'customer_email'::text))) WHERE ((body ->> 'customer_email'::text) IS NOT NULL);


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
-- Name: job_common_pkey; Type: INDEX ATTACH; Schema: pgboss; Owner: -
--

ALTER INDEX pgboss.job_pkey ATTACH PARTITION pgboss.job_common_pkey;


--
-- Name: queue_stats_20261122_name_captured_on_deferred_count_queued_idx; Type: INDEX ATTACH; Schema: pgboss; Owner: -
--

ALTER INDEX pgboss.queue_stats_i1 ATTACH PARTITION pgboss.queue_stats_20261122_name_captured_on_deferred_count_queued_idx;


--
-- Name: queue_stats_20261122_pkey; Type: INDEX ATTACH; Schema: pgboss; Owner: -
--

ALTER INDEX pgboss.queue_stats_pkey ATTACH PARTITION pgboss.queue_stats_20261122_pkey;


--
-- Name: queue_stats_20261123_name_captured_on_deferred_count_queued_idx; Type: INDEX ATTACH; Schema: pgboss; Owner: -
--

ALTER INDEX pgboss.queue_stats_i1 ATTACH PARTITION pgboss.queue_stats_20261123_name_captured_on_deferred_count_queued_idx;


--
-- Name: queue_stats_20261123_pkey; Type: INDEX ATTACH; Schema: pgboss; Owner: -
--

ALTER INDEX pgboss.queue_stats_pkey ATTACH PARTITION pgboss.queue_stats_20261123_pkey;


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
-- Name: job_common dlq_fkey; Type: FK CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;


--
-- Name: job_common q_fkey; Type: FK CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;


--
-- Name: queue queue_dead_letter_fkey; Type: FK CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.queue
    ADD CONSTRAINT queue_dead_letter_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name);


--
-- Name: schedule schedule_name_fkey; Type: FK CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.schedule
    ADD CONSTRAINT schedule_name_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE CASCADE;


--
-- Name: subscription subscription_name_fkey; Type: FK CONSTRAINT; Schema: pgboss; Owner: -
--

ALTER TABLE ONLY pgboss.subscription
    ADD CONSTRAINT subscription_name_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE CASCADE;


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


