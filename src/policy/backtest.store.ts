/** All SQL of the backtests that the console asks for and a worker runs. */
import type { Kysely, RawBuilder, Selectable, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Policy } from '../alerts/decide/policy.ts';
import { writeAudit } from '../base/audit/audit.store.ts';
import type { Database } from '../base/db/database.ts';
import { inTransaction } from '../base/db/transaction.ts';
import type { DueCondition } from '../base/jobs/due.store.ts';
import { wake } from '../base/jobs/wake.store.ts';
import { createId } from '../base/kernel/ids.ts';
import type { BacktestTable } from './backtest.table.ts';
import type { BacktestReport } from './backtest-report.ts';

export type BacktestRow = Selectable<BacktestTable>;

/** What a worker listens to. */
export const BACKTEST_TOPIC = 'backtest';

/** Backtests of an organisation that wait or run at once; a further one is refused. */
export const UNFINISHED_MAX = 5;

/** Backtests kept; the oldest that is finished gives way. */
export const KEPT_MAX = 50;

/** How long a worker holds one without a sign of life, in milliseconds. */
const LEASE_MS = 60_000;

/** What is asked for. */
export interface BacktestRequest {
  readonly organisationId: string;
  /** Name of the operator. */
  readonly by: string;
  readonly policy: Policy;
  /** A stored version; undefined: what was decided then. */
  readonly against: string | undefined;
  readonly from: Date;
  readonly before: Date;
  readonly now: Date;
}

/** Writes the request down and wakes a worker. Returns its id; undefined when too many are unfinished. */
export async function requestBacktest(
  db: Kysely<Database>,
  request: BacktestRequest,
): Promise<string | undefined> {
  const { organisationId, by, policy, against, from, before, now } = request;
  return await inTransaction(db, async (trx) => {
    const key = `forestall.backtest:${organisationId}`;
    await sql`select pg_advisory_xact_lock(hashtext(${key}))`.execute(trx);
    const unfinished = await trx
      .selectFrom('backtest')
      .select(sql<number>`count(*)`.as('count'))
      .where('organisation_id', '=', organisationId)
      .where('state', 'in', ['WAITING', 'RUNNING'])
      .executeTakeFirstOrThrow();
    if (unfinished.count >= UNFINISHED_MAX) return undefined;
    const id = createId('bkt');
    await trx
      .insertInto('backtest')
      .values({
        organisation_id: organisationId,
        id,
        requested_by: by,
        requested_at: now,
        policy_name: policy.name,
        policy_version: policy.version,
        source: policy.source,
        files: JSON.stringify(policy.files ?? {}),
        against_version: against ?? null,
        decided_from: from,
        decided_before: before,
      })
      .execute();
    await sql`
      delete from backtest where organisation_id = ${organisationId} and finished_at is not null and id in (
        select id from backtest where organisation_id = ${organisationId}
        order by requested_at desc, id offset ${KEPT_MAX})`.execute(trx);
    await writeAudit(trx, {
      organisationId,
      at: now,
      subject: 'policy',
      subjectId: policy.version,
      actor: `operator:${by}`,
      what: 'backtest asked for',
    });
    await wake(trx, BACKTEST_TOPIC);
    return id;
  });
}

/** What is listed: everything but the texts and the result. */
export type BacktestItem = Omit<BacktestRow, 'source' | 'files' | 'result'>;

/** The newest ones. */
export async function listBacktests(
  db: Kysely<Database>,
  organisationId: string,
  limit: number,
): Promise<readonly BacktestItem[]> {
  return await db
    .selectFrom('backtest')
    .select(['organisation_id', 'id', 'requested_by', 'requested_at', 'policy_name'])
    .select(['policy_version', 'against_version', 'decided_from', 'decided_before', 'state'])
    .select(['lease_owner', 'lease_until', 'attempts', 'replayed', 'total', 'fault', 'finished_at'])
    .where('organisation_id', '=', organisationId)
    .orderBy('requested_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** One of them. */
export async function findBacktest(
  db: Kysely<Database>,
  organisationId: string,
  id: string,
): Promise<BacktestRow | undefined> {
  return await db
    .selectFrom('backtest')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Who runs what. */
export interface BacktestHold {
  readonly organisationId: string;
  readonly id: string;
  readonly workerId: string;
  readonly now: Date;
}

/** Whether {@link claimBacktest} would find one. */
export const hasBacktestToRun: DueCondition = (now, organisation) => sql<boolean>`exists (
    select from backtest where organisation_id = ${organisation}
      and (state = 'WAITING' or (state = 'RUNNING' and lease_until <= ${now})))`;

/** Takes the oldest that waits, or whose worker is gone. */
export async function claimBacktest(
  db: Kysely<Database>,
  { organisationId, workerId, now }: Omit<BacktestHold, 'id'>,
): Promise<BacktestRow | undefined> {
  const { rows } = await sql<BacktestRow>`
    update backtest set state = 'RUNNING', lease_owner = ${workerId},
      lease_until = ${new Date(now.getTime() + LEASE_MS)}, attempts = attempts + 1, replayed = 0
    where organisation_id = ${organisationId} and id = (
      select id from backtest
      where organisation_id = ${organisationId}
        and (state = 'WAITING' or (state = 'RUNNING' and lease_until <= ${now}))
      order by requested_at, id limit 1 for update skip locked)
    returning *`.execute(db);
  return rows[0];
}

/** Tells how far it is and holds it for longer. False: a person stopped it, or another worker has it. */
export async function reportProgress(
  db: Kysely<Database>,
  hold: BacktestHold,
  progress: { readonly replayed: number; readonly total: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('backtest')
    .where(isHeld(hold))
    .set({ ...progress, lease_until: new Date(hold.now.getTime() + LEASE_MS) })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Keeps the result, or why there is none. */
export async function finishBacktest(
  db: Kysely<Database>,
  hold: BacktestHold,
  outcome: { readonly report: BacktestReport } | { readonly fault: string },
): Promise<void> {
  const end =
    'report' in outcome
      ? { state: 'DONE' as const, result: JSON.stringify(outcome.report) }
      : { state: 'FAILED' as const, fault: outcome.fault };
  await db
    .updateTable('backtest')
    .where(isHeld(hold))
    .set({ ...end, finished_at: hold.now, lease_until: null })
    .execute();
}

function isHeld({ organisationId, id, workerId }: BacktestHold): RawBuilder<SqlBool> {
  return sql`organisation_id = ${organisationId} and id = ${id} and state = 'RUNNING'
    and lease_owner = ${workerId}`;
}

/** A person no longer wants it. False: it is finished already, or not known. */
export async function stopBacktest(
  db: Kysely<Database>,
  { organisationId, id, now }: Omit<BacktestHold, 'workerId'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('backtest')
    .set({ state: 'STOPPED', finished_at: now, lease_until: null })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .where('state', 'in', ['WAITING', 'RUNNING'])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
