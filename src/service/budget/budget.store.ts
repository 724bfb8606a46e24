/**
 * The request budget shared by every process of an organisation, in table `request_budget`.
 *
 * One statement locks the pool's row, forgets grants outside the window, and records as many new
 * ones as fit. Time is the database's, so machines need not agree; should it go back, what lies ahead of
 * it holds no caller up for longer than it would have. The connection is back in the pool before anybody
 * waits.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import {
  GRANTS_MAX,
  PAUSE_MS_MAX,
  PENALTY_MEMORY_MS,
  pauseAfter,
  WINDOW_MS,
} from '../client/budget.ts';
import type { BudgetLedger, RequestBudget, TakeAnswer, Wait } from '../client/budget-queue.ts';
import { createQueueingBudget } from '../client/budget-queue.ts';

/** Options of {@link createStoreBudget}. */
export interface StoreBudgetOptions {
  readonly db: Db;
  readonly organisationId: string;
  /** For tests only. @default the database's clock */
  readonly clock?: Clock;
  /** @default real timers */
  readonly wait?: Wait;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: () => number;
}

/** A budget that all processes of the organisation share through the database. */
export function createStoreBudget(options: StoreBudgetOptions): RequestBudget {
  return createQueueingBudget(createStoreLedger(options), {
    ...(options.wait === undefined ? {} : { wait: options.wait }),
    ...(options.random === undefined ? {} : { random: options.random }),
  });
}

/** The log of grants in the database, without the waiting. */
export function createStoreLedger(options: StoreBudgetOptions): BudgetLedger {
  const { db, organisationId, clock, random = Math.random } = options;
  const now = (): RawBuilder<unknown> =>
    clock === undefined
      ? sql`clock_timestamp()`
      : sql`to_timestamp(${clock.nowMs()}::double precision / 1000)`;
  return {
    tryTake: async (pool, count): Promise<TakeAnswer> => {
      const key = { organisationId, pool };
      const first = await takeRow(db, key, { count, now: now() });
      if (first !== undefined) return first;
      await createRow(db, key);
      return (await takeRow(db, key, { count, now: now() })) ?? { granted: 0, waitMs: 0 };
    },
    penalise: async (pool, attempt): Promise<void> => {
      const key = { organisationId, pool };
      await createRow(db, key);
      await inTransaction(db, (trx) => pauseRow(trx, key, { attempt, now: now(), random }));
    },
  };
}

interface PoolKey {
  readonly organisationId: string;
  readonly pool: string;
}

async function createRow(db: Db, key: PoolKey): Promise<void> {
  await db
    .insertInto('request_budget')
    .values({ organisation_id: key.organisationId, pool: key.pool })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Takes up to `count` grants; `undefined` when the pool has no row yet. Asked before each request, also where a step
 * makes two: a grant that is taken early and not used would be another process's.
 *
 * The row is locked in a part of its own, so that the time is read after the lock was gained: a
 * grant dated before its wait for the lock would leave the window too early.
 */
async function takeRow(
  db: Db,
  key: PoolKey,
  ask: { readonly count: number; readonly now: RawBuilder<unknown> },
): Promise<TakeAnswer | undefined> {
  const result = await sql<{ granted: number; wait_ms: number }>`
    with locked as materialized (
      select grants, paused_until, penalties from request_budget
      where organisation_id = ${key.organisationId} and pool = ${key.pool}
      for update
    ), timed as materialized (
      select grants, ${believed(sql`paused_until`, sql`now`)} as paused_until, penalties, now
      from (select *, ${ask.now} as now from locked) as read
    ), kept as materialized (
      select
        array(
          select least(given, now) from unnest(grants) as given
          where given > now - ${WINDOW_MS} * interval '1 millisecond' order by 1
        ) as grants,
        paused_until,
        penalties,
        now,
        coalesce(paused_until > now, false) as paused
      from timed
    ), plan as materialized (
      select *,
        case when paused then 0
          else greatest(0, least(${ask.count}::int, ${GRANTS_MAX}::int - cardinality(grants))) end as granted
      from kept
    )
    update request_budget as budget set
      grants = plan.grants || array_fill(plan.now, array[plan.granted]),
      penalties = case
        when plan.paused_until + (${PENALTY_MEMORY_MS} * interval '1 millisecond') <= plan.now then 0
        else plan.penalties end
    from plan
    where budget.organisation_id = ${key.organisationId} and budget.pool = ${key.pool}
    returning plan.granted, case
      when plan.granted = ${ask.count}::int then 0
      when plan.paused then (extract(epoch from plan.paused_until - plan.now)::float8 * 1000)
      else ${WINDOW_MS}::float8
        - (extract(epoch from plan.now - coalesce(plan.grants[1], plan.now))::float8 * 1000)
      end as wait_ms
  `.execute(db);
  const row = result.rows[0];
  return row === undefined ? undefined : { granted: row.granted, waitMs: Math.max(0, row.wait_ms) };
}

/** A pause; null when it ends later than any that began by now could: the clock has gone back. */
function believed(pausedUntil: RawBuilder<unknown>, now: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${pausedUntil} <= ${now} + ${PAUSE_MS_MAX} * interval '1 millisecond' then ${pausedUntil} end`;
}

interface Penalty {
  readonly attempt: number;
  readonly now: RawBuilder<unknown>;
  readonly random: () => number;
}

/**
 * Pauses the pool. Several 429 of one burst are one offence, so only the first lengthens the next: who counts holds the
 * row until its pause is written.
 */
async function pauseRow(trx: Trx, key: PoolKey, penalty: Penalty): Promise<void> {
  const counted = await sql<{ penalties: number }>`
    update request_budget
    set penalties = penalties
      + case when ${believed(sql`paused_until`, penalty.now)} > ${penalty.now} then 0 else 1 end
    where organisation_id = ${key.organisationId} and pool = ${key.pool}
    returning penalties
  `.execute(trx);
  const offences = Math.max(penalty.attempt, counted.rows[0]?.penalties ?? 1);
  const pauseMs = pauseAfter(offences, penalty.random);
  await sql`
    update request_budget
    set paused_until = greatest(
      ${believed(sql`paused_until`, penalty.now)}, ${penalty.now} + ${pauseMs} * interval '1 millisecond')
    where organisation_id = ${key.organisationId} and pool = ${key.pool}
  `.execute(trx);
}
