/**
 * Read-only questions about the feed: where orders are, how fast they go, what went wrong last, and
 * for which programmes they are ready.
 */
import { sql } from 'kysely';
import type { Db } from '../base/db/database.ts';
import type { FeedBrake } from './feed-brake.store.ts';
import { findStopped } from './feed-brake.store.ts';
import type { OrderState } from './order-state.ts';
import type { Programme } from './programme.ts';
import { PROGRAMMES } from './programme.ts';

/** The rate is taken over this time, in milliseconds. */
const RATE_WINDOW_MS = 5 * 60_000;

/** Reasons listed at most. */
const TROUBLES_MAX = 10;

/** The feed at one moment. */
export interface FeedStatus {
  /** Orders by state; states without orders are absent. */
  readonly orders: Partial<Record<OrderState, number>>;
  /** Changes of created orders that the service does not hold yet. */
  readonly updates: { readonly due: number; readonly parked: number };
  readonly oldestWaiting: { readonly referenceId: string; readonly ageSeconds: number } | null;
  /** Orders created per minute over the last five. */
  readonly createdPerMinute: number;
  /** Orders the service holds with another content than ours. */
  readonly differing: number;
  /** Integrations whose orders are not sent, because most were refused for one reason. */
  readonly stopped: readonly StoppedFeed[];
  readonly lastError: FeedTrouble | null;
  /** Why orders wait for a person, the most frequent reason first. */
  readonly troubles: readonly (FeedTrouble & { readonly count: number })[];
  readonly readiness: readonly ProgrammeReadiness[];
}

/** An integration whose orders are not sent for now. */
export interface StoppedFeed {
  readonly integrationId: string;
  readonly code: string;
  readonly reason: string;
  /** An order that was refused. */
  readonly referenceId: string;
  readonly since: string;
  /** When one order is tried again. */
  readonly nextTry: string;
}

export interface FeedTrouble {
  readonly referenceId: string;
  readonly state: string;
  readonly code: string | null;
  readonly reason: string;
  readonly at: string;
}

/** How many orders are ready for one programme. */
export interface ProgrammeReadiness {
  readonly programme: Programme;
  readonly orders: number;
  readonly ready: number;
  /** From 0 to 100, rounded down, so that 100 means all. Null without orders. */
  readonly percent: number | null;
  /** The field missing most often, and on how many orders. */
  readonly mostMissing: { readonly field: string; readonly orders: number } | null;
}

/** Asks everything at once. */
export async function readFeedStatus(
  db: Db,
  organisationId: string,
  now: Date,
): Promise<FeedStatus> {
  const [orders, updates, oldest, created, differing, stopped, lastError, troubles, readiness] =
    await Promise.all([
      countStates(db, organisationId),
      countUpdates(db, organisationId),
      findOldestWaiting(db, organisationId, now),
      countCreatedSince(db, organisationId, new Date(now.getTime() - RATE_WINDOW_MS)),
      countDiffering(db, organisationId),
      findStopped(db, organisationId),
      findLastError(db, organisationId),
      findTroubles(db, organisationId),
      readReadiness(db, organisationId),
    ]);
  return {
    orders,
    updates,
    oldestWaiting: oldest,
    createdPerMinute: Math.round((created / (RATE_WINDOW_MS / 60_000)) * 10) / 10,
    differing,
    stopped: stopped.map(stoppedOf),
    lastError,
    troubles,
    readiness,
  };
}

function stoppedOf(brake: FeedBrake): StoppedFeed {
  return {
    integrationId: brake.integration_id,
    code: brake.error_code,
    reason: brake.reason,
    referenceId: brake.example,
    since: brake.stopped_at.toISOString(),
    nextTry: brake.next_probe_at.toISOString(),
  };
}

/** What is still to be sent or looked at, by queue: the figures that are cheap enough for metrics. */
export async function readBacklog(
  db: Db,
  organisationId: string,
): Promise<Readonly<Record<string, number>>> {
  const rows = await db
    .selectFrom('order_record')
    .select(['state', sql<number>`count(*)::int`.as('orders')])
    .where('organisation_id', '=', organisationId)
    // Named one by one, so that the index skips the many that are created.
    .where('state', 'in', ['HELD', 'WAITING', 'CHECKING', 'REFUSED'])
    .groupBy('state')
    .execute();
  const { due, parked } = await countUpdates(db, organisationId);
  return {
    ...Object.fromEntries(
      rows.map(({ state, orders }) => [`orders_${state.toLowerCase()}`, orders]),
    ),
    updates_due: due,
    updates_parked: parked,
  };
}

async function countStates(
  db: Db,
  organisationId: string,
): Promise<Partial<Record<OrderState, number>>> {
  const rows = await db
    .selectFrom('order_record')
    .select(['state', sql<number>`count(*)::int`.as('orders')])
    .where('organisation_id', '=', organisationId)
    .groupBy('state')
    .execute();
  return Object.fromEntries(rows.map(({ state, orders }) => [state, orders]));
}

async function countUpdates(db: Db, organisationId: string): Promise<FeedStatus['updates']> {
  return await db
    .selectFrom('order_push')
    .select([
      sql<number>`(count(*) filter (where state = 'DUE'))::int`.as('due'),
      sql<number>`(count(*) filter (where state = 'PARKED'))::int`.as('parked'),
    ])
    .where('organisation_id', '=', organisationId)
    .executeTakeFirstOrThrow();
}

async function findOldestWaiting(
  db: Db,
  organisationId: string,
  now: Date,
): Promise<FeedStatus['oldestWaiting']> {
  const row = await db
    .selectFrom('order_record')
    .select(['reference_id', 'accepted_at'])
    .where('organisation_id', '=', organisationId)
    .where('state', '=', 'WAITING')
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  const ageSeconds = Math.floor((now.getTime() - row.accepted_at.getTime()) / 1_000);
  return { referenceId: row.reference_id, ageSeconds };
}

async function countCreatedSince(db: Db, organisationId: string, since: Date): Promise<number> {
  const { orders } = await db
    .selectFrom('order_record')
    .select(sql<number>`count(*)::int`.as('orders'))
    .where('organisation_id', '=', organisationId)
    .where('settled_at', '>', since)
    .executeTakeFirstOrThrow();
  return orders;
}

async function countDiffering(db: Db, organisationId: string): Promise<number> {
  const { orders } = await db
    .selectFrom('order_record')
    .select(sql<number>`count(*)::int`.as('orders'))
    .where('organisation_id', '=', organisationId)
    .where('difference', 'is not', null)
    .executeTakeFirstOrThrow();
  return orders;
}

type TroubleRow = Omit<FeedTrouble, 'at'> & { readonly at: Date };

async function findLastError(db: Db, organisationId: string): Promise<FeedTrouble | null> {
  const { rows } = await sql<TroubleRow>`
    select reference_id as "referenceId", state, error_code as code, reason, changed_at as at from order_record
    where organisation_id = ${organisationId} and error_code is not null and reason is not null
    union all
    select reference_id, state, error_code, reason, changed_at from order_push
    where organisation_id = ${organisationId} and reason is not null
    order by at desc
    limit 1
  `.execute(db);
  const [row] = rows;
  return row === undefined ? null : withTime(row);
}

async function findTroubles(db: Db, organisationId: string): Promise<FeedStatus['troubles']> {
  const { rows } = await sql<TroubleRow & { readonly count: number }>`
    select state, error_code as code, count(*)::int as count, min(reference_id) as "referenceId",
      (array_agg(reason order by changed_at desc))[1] as reason, max(changed_at) as at
    from (
      select state, error_code, reference_id, reason, changed_at from order_record
      where organisation_id = ${organisationId} and state in ('HELD', 'REFUSED')
      union all
      select state, error_code, reference_id, reason, changed_at from order_push
      where organisation_id = ${organisationId} and state = 'PARKED'
    ) as waiting
    group by state, error_code, case when error_code is null then reason end
    order by count desc, state
    limit ${TROUBLES_MAX}
  `.execute(db);
  return rows.map(withTime);
}

function withTime<Row extends TroubleRow>(row: Row): Omit<Row, 'at'> & { readonly at: string } {
  return { ...row, at: row.at.toISOString() };
}

async function readReadiness(db: Db, organisationId: string): Promise<ProgrammeReadiness[]> {
  const { rows } = await sql<{ programme: string; orders: number; ready: number }>`
    select p.programme, count(*)::int as orders,
      (count(*) filter (where p.programme = any(o.ready)))::int as ready
    from order_record o
    cross join unnest(${[...PROGRAMMES]}::text[]) as p(programme)
    where o.organisation_id = ${organisationId}
    group by p.programme
  `.execute(db);
  const gaps = await sql<{ programme: string; field: string; orders: number }>`
    select distinct on (programme) programme, field, orders from (
      select m.key as programme, f.field, count(distinct o.seq)::int as orders
      from order_record o, jsonb_each(o.missing) as m, jsonb_array_elements_text(m.value) as g(gap),
        regexp_replace(g.gap, '\\[\\d+\\]', '[]', 'g') as f(field)
      where o.organisation_id = ${organisationId}
      group by m.key, f.field
    ) as counted
    order by programme, orders desc, field
  `.execute(db);
  return PROGRAMMES.map((programme) => {
    const row = rows.find((candidate) => candidate.programme === programme);
    const gap = gaps.rows.find((candidate) => candidate.programme === programme);
    return {
      programme,
      ...readinessShare(row?.orders ?? 0, row?.ready ?? 0),
      mostMissing: gap === undefined ? null : { field: gap.field, orders: gap.orders },
    };
  });
}

/** Counts with their share in percent, rounded down. */
export function readinessShare(
  orders: number,
  ready: number,
): Pick<ProgrammeReadiness, 'orders' | 'ready' | 'percent'> {
  return { orders, ready, percent: orders === 0 ? null : Math.floor((ready * 100) / orders) };
}
