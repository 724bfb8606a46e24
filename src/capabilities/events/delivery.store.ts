/** All SQL of deliveries: what is taken from the stream, claims, outcomes, sending again. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import type {
  Attempt,
  DeliveryState,
  EndpointOwner,
  EndpointSecret,
  EventRow,
} from './events.table.ts';

/** The kind of event that only the endpoint gets that it is about. */
export const TEST_EVENT = 'endpoint.test';

/** Attempts of one delivery that are kept: those of five days, and some that were asked for. */
const ATTEMPTS_KEPT = 25;

/** Whether an endpoint `p` has something to be sent at this moment. */
function hasWork(now: Date): RawBuilder<boolean> {
  return sql<boolean>`p.state = 'ON' and coalesce(p.quiet_until, ${now}::timestamptz) <= ${now}
    and (p.taken_seq < (select q.last_seq from event_position q where q.organisation_id = p.organisation_id)
      or exists (select from event_delivery d where d.organisation_id = p.organisation_id and d.endpoint_id = p.id
        and d.state = 'PENDING' and d.next_at <= ${now} and coalesce(d.lease_until, ${now}) <= ${now}))`;
}

export const hasDueDeliveries: DueCondition = (now, organisation) => sql<boolean>`exists (
    select from event_endpoint p where p.organisation_id = ${organisation} and ${hasWork(now)})`;

/** Endpoints that have something to be sent now. */
export async function dueEndpoints(
  db: Db,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id from event_endpoint p where p.organisation_id = ${organisationId} and ${hasWork(now)}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** An endpoint as a lane needs it. */
export interface LaneEndpoint {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly kept_by: EndpointOwner;
  readonly with_email: boolean;
  readonly secrets: readonly EndpointSecret[] | string;
  /** The stream has gone on since it was looked at. */
  readonly is_behind: boolean;
  readonly failing_since: Date | null;
  readonly failures: number;
}

/** Locks it while deliveries are claimed; undefined: another process claims, it pauses, or it is off. */
export async function lockEndpoint(
  trx: Trx,
  {
    organisationId,
    id,
    now,
  }: { readonly organisationId: string; readonly id: string; readonly now: Date },
): Promise<LaneEndpoint | undefined> {
  const { rows } = await sql<LaneEndpoint>`
    select id, name, url, kept_by, with_email, secrets, failing_since, failures,
      taken_seq < (select q.last_seq from event_position q where q.organisation_id = ${organisationId}) as is_behind
    from event_endpoint
    where organisation_id = ${organisationId} and id = ${id} and state = 'ON' and coalesce(quiet_until, ${now}::timestamptz) <= ${now}
    for no key update skip locked`.execute(trx);
  return rows[0];
}

/** Whether an endpoint `p` asked for an event `e`. */
const ASKED_FOR = sql<boolean>`case when e.type = ${sql.lit(TEST_EVENT)} then e.subject = 'endpoint/' || p.id
  else (p.types = '[]' or p.types ? e.type)
    and (p.merchants = '[]' or p.merchants ? coalesce(e.merchant_id, e.data ->> 'merchant_id', '')) end`;

/** What is never reordered has the same number. Not a function of Postgres' own: theirs may differ between versions. */
const LANE = sql<number>`('x' || substr(md5(e.subject), 1, 8))::bit(32)::int`;

/**
 * Makes deliveries of what is in the stream behind the endpoint, under its lock: no event is passed over, and what an
 * endpoint does not look at yet costs nothing. Returns how many events were looked at.
 */
export async function takeFromStream(
  trx: Trx,
  endpoint: {
    readonly organisationId: string;
    readonly id: string;
    readonly now: Date;
    readonly limit: number;
  },
): Promise<number> {
  const { organisationId, id, now, limit } = endpoint;
  const { rows } = await sql<{ looked: number }>`
    with looked as materialized (
      select e.seq, e.type, e.subject, e.merchant_id, e.data from event e
      where e.organisation_id = ${organisationId}
        and e.seq > (select taken_seq from event_endpoint where organisation_id = ${organisationId} and id = ${id})
      order by e.seq limit ${limit}
    ), added as (
      insert into event_delivery (organisation_id, endpoint_id, seq, lane, next_at, changed_at)
      select p.organisation_id, p.id, e.seq, ${LANE}, ${now}::timestamptz, ${now}
      from looked e join event_endpoint p on p.organisation_id = ${organisationId} and p.id = ${id} and ${ASKED_FOR}
      on conflict (organisation_id, endpoint_id, seq) do nothing
    ), moved as (
      update event_endpoint set taken_seq = greatest(taken_seq, (select max(seq) from looked))
      where organisation_id = ${organisationId} and id = ${id} and exists (select from looked)
    )
    select count(*)::int as looked from looked`.execute(trx);
  return rows[0]?.looked ?? 0;
}

/** A claimed delivery with its event. */
export interface ClaimedDelivery extends EventRow {
  readonly lane: number;
  readonly tries: number;
  readonly first_at: Date;
}

/**
 * Claims deliveries, the oldest first; of one alert none while an earlier one waits for its next attempt or is under way.
 * Under the lock of the endpoint, in a statement of its own: it sees what others claimed.
 */
export async function claimDeliveries(
  trx: Trx,
  endpoint: {
    readonly organisationId: string;
    readonly id: string;
    readonly now: Date;
    readonly leaseUntil: Date;
    readonly limit: number;
  },
): Promise<ClaimedDelivery[]> {
  const { organisationId, id, now, leaseUntil, limit } = endpoint;
  const { rows } = await sql<ClaimedDelivery>`
    with chosen as materialized (
      select d.seq from event_delivery d
      where d.organisation_id = ${organisationId} and d.endpoint_id = ${id} and d.state = 'PENDING'
        and d.next_at <= ${now}::timestamptz and coalesce(d.lease_until, ${now}) <= ${now}
        and not exists (select from event_delivery b where b.organisation_id = d.organisation_id and b.endpoint_id = d.endpoint_id
          and b.lane = d.lane and b.seq < d.seq and b.state = 'PENDING'
          and (b.next_at > ${now} or coalesce(b.lease_until, ${now}) > ${now}))
      order by d.seq limit ${limit}
    ), claimed as (
      update event_delivery d set lease_until = ${leaseUntil}::timestamptz, first_at = coalesce(d.first_at, ${now})
      from chosen where d.organisation_id = ${organisationId} and d.endpoint_id = ${id} and d.seq = chosen.seq and d.state = 'PENDING'
      returning d.seq, d.lane, d.tries, d.first_at
    )
    select e.*, c.lane, c.tries, c.first_at from claimed c join event e on e.organisation_id = ${organisationId} and e.seq = c.seq
    order by e.seq`.execute(trx);
  return rows;
}

/** The outcome of one delivery. */
export interface Outcome {
  readonly seq: number;
  readonly state: DeliveryState;
  readonly nextAt: Date;
  /** Of the claim under which it was tried. */
  readonly leaseUntil: Date;
  /** Undefined: it was not tried and goes back. */
  readonly attempt: Attempt | undefined;
}

/**
 * Writes outcomes in one statement. That an event was taken is noted whatever happened meanwhile; anything else only while
 * the claim is still this one's. Repeatable: an attempt that is written is not written again.
 */
export async function writeOutcomes(
  db: Db,
  endpoint: { readonly organisationId: string; readonly id: string; readonly now: Date },
  outcomes: readonly Outcome[],
): Promise<void> {
  const { organisationId, id, now } = endpoint;
  await sql`
    update event_delivery d set lease_until = null, changed_at = ${now}::timestamptz, state = o.state, next_at = o."nextAt",
      tries = d.tries + (case when o.attempt is null then 0 else 1 end),
      first_at = case when o.attempt is null and d.tries = 0 then null else d.first_at end,
      attempts = case when o.attempt is null then d.attempts
        when jsonb_array_length(d.attempts) < ${ATTEMPTS_KEPT} then d.attempts || o.attempt
        else (d.attempts - 0) || o.attempt end
    from json_to_recordset(${JSON.stringify(outcomes)}::json) as o(seq bigint, state text, "nextAt" timestamptz,
      "leaseUntil" timestamptz, attempt jsonb)
    where d.organisation_id = ${organisationId} and d.endpoint_id = ${id} and d.seq = o.seq
      and (o.state = 'DELIVERED' or d.lease_until = o."leaseUntil")
      and (o.attempt is null or d.attempts -> -1 is distinct from o.attempt)`.execute(db);
}

/**
 * Has one event sent to an endpoint again, at once. Undefined: there is no such delivery. `false`: it is under way, or the
 * endpoint is off.
 */
export async function sendAgain(
  trx: Trx,
  delivery: {
    readonly organisationId: string;
    readonly endpointId: string;
    readonly seq: number;
    readonly now: Date;
  },
): Promise<boolean | undefined> {
  const { organisationId, endpointId, seq, now } = delivery;
  const { rows } = await sql<{ is_free: boolean }>`
    select p.state = 'ON' and coalesce(d.lease_until, ${now}::timestamptz) <= ${now} as is_free
    from event_delivery d join event_endpoint p on p.organisation_id = d.organisation_id and p.id = d.endpoint_id
    where d.organisation_id = ${organisationId} and d.endpoint_id = ${endpointId} and d.seq = ${seq}
    for update of d`.execute(trx);
  const [row] = rows;
  if (row?.is_free !== true) return row?.is_free;
  await sql`
    update event_delivery set state = 'PENDING', tries = 0, first_at = null, next_at = ${now}, changed_at = ${now}
    where organisation_id = ${organisationId} and endpoint_id = ${endpointId} and seq = ${seq}`.execute(
    trx,
  );
  await sql`update event_endpoint set quiet_until = null where organisation_id = ${organisationId} and id = ${endpointId}`.execute(
    trx,
  );
  return true;
}

/** Has everything sent again that was given up. Returns how much. */
export async function sendGivenUp(
  trx: Trx,
  {
    organisationId,
    endpointId,
    now,
  }: { readonly organisationId: string; readonly endpointId: string; readonly now: Date },
): Promise<number> {
  const done = await sql`
    update event_delivery set state = 'PENDING', tries = 0, first_at = null, next_at = ${now}, changed_at = ${now}
    where organisation_id = ${organisationId} and endpoint_id = ${endpointId} and state = 'GIVEN_UP'`.execute(
    trx,
  );
  return Number(done.numAffectedRows ?? 0n);
}

/** Puts a test event into the stream; only this endpoint is sent it. */
export async function noteTest(
  trx: Trx,
  test: {
    readonly organisationId: string;
    readonly endpointId: string;
    readonly name: string;
    readonly by: string;
    readonly now: Date;
  },
): Promise<void> {
  const { organisationId, endpointId, name, by, now } = test;
  await sql`
    insert into event_outbox (organisation_id, type, at, subject, data)
    values (${organisationId}, ${TEST_EVENT}, ${now}, ${`endpoint/${endpointId}`},
      ${JSON.stringify({ endpoint_id: endpointId, endpoint: name, asked_by: by })}::jsonb)`.execute(
    trx,
  );
  await sql`update event_endpoint set quiet_until = null where organisation_id = ${organisationId} and id = ${endpointId}`.execute(
    trx,
  );
}

export interface DeliveryItem {
  readonly endpoint_id: string;
  readonly endpoint_name: string;
  readonly seq: number;
  readonly type: string;
  readonly sentence: string;
  readonly alert_id: string | null;
  readonly at: Date;
  readonly state: DeliveryState;
  readonly tries: number;
  readonly next_at: Date;
  readonly lease_until: Date | null;
  readonly changed_at: Date;
  readonly attempts: readonly Attempt[];
  /** The earlier event of the same alert that it waits for. */
  readonly waits_for: number | null;
}

/** Deliveries, the newest event first. `seq`: that one only. */
export async function listDeliveries(
  db: Db,
  filter: {
    readonly organisationId: string;
    readonly endpointId: string;
    readonly state?: DeliveryState | undefined;
    readonly before?: number | undefined;
    readonly seq?: number | undefined;
    readonly limit: number;
  },
): Promise<DeliveryItem[]> {
  const { organisationId, endpointId, state, before, seq, limit } = filter;
  const { rows } = await sql<DeliveryItem>`
    select d.endpoint_id, p.name as endpoint_name, d.seq, e.type, e.sentence, e.alert_id, e.at, d.state, d.tries, d.next_at,
      d.lease_until, d.changed_at, d.attempts,
      case when d.state = 'PENDING' then (select min(b.seq) from event_delivery b where b.organisation_id = d.organisation_id
        and b.endpoint_id = d.endpoint_id and b.lane = d.lane and b.seq < d.seq and b.state = 'PENDING') end as waits_for
    from event_delivery d join event e on e.organisation_id = d.organisation_id and e.seq = d.seq
      join event_endpoint p on p.organisation_id = d.organisation_id and p.id = d.endpoint_id
    where d.organisation_id = ${organisationId} and d.endpoint_id = ${endpointId}
      ${state === undefined ? sql`` : sql`and d.state = ${state}`}
      ${before === undefined ? sql`` : sql`and d.seq < ${before}`}
      ${seq === undefined ? sql`` : sql`and d.seq = ${seq}`}
    order by d.seq desc limit ${limit}`.execute(db);
  return rows;
}

/** What an endpoint was not sent and is about to go, by endpoint. */
export interface AboutToGo {
  readonly id: string;
  readonly name: string;
  readonly events: number;
}

/** Events from before a moment that an endpoint has not taken: what is behind it in the stream, and what is retried. */
export async function untakenBefore(
  db: Db,
  { organisationId, before }: { readonly organisationId: string; readonly before: Date },
): Promise<AboutToGo[]> {
  const { rows } = await sql<AboutToGo>`
    select * from (
      select p.id, p.name,
        (select count(*)::int from event e where e.organisation_id = p.organisation_id and e.seq > p.taken_seq
          and e.at < ${before}::timestamptz and ${ASKED_FOR})
        + (select count(*)::int from event_delivery d join event e on e.organisation_id = d.organisation_id and e.seq = d.seq
          where d.organisation_id = p.organisation_id and d.endpoint_id = p.id and d.state = 'PENDING' and e.at < ${before}) as events
      from event_endpoint p where p.organisation_id = ${organisationId} and p.state <> 'REMOVED') counted
    where events > 0 order by name`.execute(db);
  return rows;
}

/** Deletes a batch of deliveries whose event is gone. Returns how many. */
export async function deleteOldDeliveries(
  db: Db,
  { organisationId, limit }: { readonly organisationId: string; readonly limit: number },
): Promise<number> {
  const gone = await sql`
    with kept as (select coalesce((select min(seq) from event where organisation_id = ${organisationId}),
        (select last_seq + 1 from event_position where organisation_id = ${organisationId})) as first),
      old as (select endpoint_id, seq from event_delivery where organisation_id = ${organisationId}
        and seq < (select first from kept) limit ${limit})
    delete from event_delivery d using old where d.organisation_id = ${organisationId} and d.endpoint_id = old.endpoint_id
      and d.seq = old.seq`.execute(db);
  return Number(gone.numAffectedRows ?? 0n);
}
