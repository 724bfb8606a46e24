/** All SQL of the backtests that the console asks for and a worker runs. Its claim and retries are those of its job. */
import type { RawBuilder, Selectable, SqlBool, Updateable } from 'kysely';
import { sql } from 'kysely';
import type { Policy } from '../../alerts/decide/policy.ts';
import { writeAudit } from '../../base/audit/audit.store.ts';
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { enqueue } from '../../base/jobs/job.store.ts';
import { BACKTEST_QUEUE } from '../../base/jobs/queues.ts';
import { createId } from '../../base/kernel/ids.ts';
import type { BacktestTable } from './backtest.table.ts';
import type { BacktestReport } from './backtest-report.ts';

export type BacktestRow = Selectable<BacktestTable>;

/** Backtests of an organisation that wait or run at once; a further one is refused. */
export const UNFINISHED_MAX = 5;

/** Backtests kept; the oldest that is finished gives way. */
export const KEPT_MAX = 50;

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
  db: Db,
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
    await enqueue(trx, BACKTEST_QUEUE, { organisationId, id });
    return id;
  });
}

/** What is listed: everything but the texts and the result. */
export type BacktestItem = Omit<BacktestRow, 'source' | 'files' | 'result' | 'lease_owner'> & {
  /** What came out; null until it is done. */
  readonly verdict: BacktestVerdict | null;
};

/** A backtest in a sentence: alerts, how many would have been decided otherwise, and what became of them before and then. */
export interface BacktestVerdict {
  readonly alerts: number;
  readonly changes: number;
  readonly was: VerdictCounts;
  readonly is: VerdictCounts;
}

type VerdictCounts = Pick<BacktestReport['was'], 'refunds' | 'accepted' | 'reviews'>;

const counts = (side: 'was' | 'is'): RawBuilder<unknown> => sql`jsonb_build_object(
  'refunds', result #> ${`{${side},refunds}`}::text[], 'accepted', result #> ${`{${side},accepted}`}::text[],
  'reviews', result #> ${`{${side},reviews}`}::text[])`;

const VERDICT = sql<BacktestVerdict | null>`case when result is null then null else jsonb_build_object(
  'alerts', result -> 'alerts', 'changes', result -> 'changes', 'was', ${counts('was')}, 'is', ${counts('is')}) end`;

/** The newest ones. */
export async function listBacktests(
  db: Db,
  organisationId: string,
  limit: number,
): Promise<readonly BacktestItem[]> {
  return await db
    .selectFrom('backtest')
    .select(['organisation_id', 'id', 'requested_by', 'requested_at', 'policy_name'])
    .select(['policy_version', 'against_version', 'decided_from', 'decided_before', 'state'])
    .select(['replayed', 'total', 'fault', 'finished_at'])
    .select(VERDICT.as('verdict'))
    .where('organisation_id', '=', organisationId)
    .orderBy('requested_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** One of them. */
export async function findBacktest(
  db: Db,
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

/** Backtests that wait or run; each has a job, unless it was asked for before there were jobs, or somebody deleted it. */
export async function unfinishedBacktests(db: Db, organisationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('backtest')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('state', 'in', ['WAITING', 'RUNNING'])
    .orderBy('requested_at')
    .execute();
  return rows.map(({ id }) => id);
}

/** One backtest. */
export interface BacktestKey {
  readonly organisationId: string;
  readonly id: string;
}

/** Tells how far it is. False: a person stopped it. */
export async function reportProgress(
  db: Db,
  key: BacktestKey,
  progress: { readonly replayed: number; readonly total: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('backtest')
    .where(isUnfinished(key))
    .set({ ...progress, state: 'RUNNING' })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** How a backtest ends: with its figures, with the reason why there are none, or because it is not wanted. */
export type BacktestEnd =
  | { readonly report: BacktestReport }
  | { readonly fault: string }
  | 'STOPPED';

/** Keeps how it ended; one that has ended stays as it is. */
export async function endBacktest(
  db: Db,
  key: BacktestKey,
  { end, now }: { readonly end: BacktestEnd; readonly now: Date },
): Promise<void> {
  await db
    .updateTable('backtest')
    .where(isUnfinished(key))
    .set({ ...columnsOf(end), finished_at: now })
    .execute();
}

function columnsOf(end: BacktestEnd): Updateable<BacktestTable> {
  if (end === 'STOPPED') return { state: end };
  if ('fault' in end) return { state: 'FAILED', fault: end.fault };
  return { state: 'DONE', result: JSON.stringify(end.report) };
}

function isUnfinished({ organisationId, id }: BacktestKey): RawBuilder<SqlBool> {
  return sql`organisation_id = ${organisationId} and id = ${id} and state in ('WAITING', 'RUNNING')`;
}
