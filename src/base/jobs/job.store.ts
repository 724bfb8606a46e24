/** All SQL of jobs, most of it pg-boss's own: added with the transaction that gives cause to them, taken, ended. */
import { sql } from 'kysely';
import type { ConnectionOptions, JobWithMetadata, PgBoss } from 'pg-boss';
import type { Db, Trx } from '../db/database.ts';
import { jobsSchemaOf, schemaOf } from '../db/schemas.ts';
import { inTransaction } from '../db/transaction.ts';
import type { DueCondition } from './due.store.ts';
import { anyDue } from './due.store.ts';
import type { JobQueue } from './queues.ts';
import { wake } from './wake.store.ts';

/** What a job carries: whose it is, and the id of what is to be done. */
export interface JobData {
  readonly organisationId: string;
  readonly id: string;
}

/** A job that was taken. */
export type TakenJob = JobWithMetadata<JobData>;

/** pg-boss, open, and how a call of it is part of a transaction: `boss.complete(name, id, null, within(trx))`. */
export interface OpenBoss {
  readonly boss: PgBoss;
  readonly within: (trx: Trx) => ConnectionOptions;
}

/**
 * pg-boss on a connection or a transaction of ours. It runs nothing by itself and keeps nothing open. To open it takes
 * some statements: what does several things with it opens it once.
 */
export async function withBoss<Result>(
  db: Db,
  use: (opened: OpenBoss) => Promise<Result>,
): Promise<Result> {
  const { PgBoss: Boss, fromKysely } = await import('pg-boss');
  const boss = new Boss({
    db: fromKysely(db),
    schema: jobsSchemaOf(schemaOf(db)),
    migrate: false,
    supervise: false,
    schedule: false,
    registerInstance: false,
  });
  // It looks at its queues each minute that it is open. Such a look that fails, while the database is away, has no caller to
  // tell, and without a listener would end the process; what was asked of it throws by itself.
  boss.on('error', () => undefined);
  await boss.start();
  try {
    return await use({ boss, within: (trx) => ({ db: fromKysely(trx) }) });
  } finally {
    await boss.stop({ graceful: false });
  }
}

/** What pg-boss is told of every job besides its data. */
export function optionsOf({ organisationId, id }: JobData): {
  readonly singletonKey: string;
  readonly group: { readonly id: string };
} {
  return { singletonKey: `${organisationId} ${id}`, group: { id: organisationId } };
}

/** Adds a job and wakes a worker, both when this transaction commits. Nothing where it waits or runs already. */
export async function enqueue(trx: Trx, { name }: JobQueue, data: JobData): Promise<void> {
  await withBoss(trx, ({ boss }) => boss.send(name, data, optionsOf(data)));
  await wake(trx, name);
}

/** Whether a job or a dead letter of the organisation is due. Judged by the clock of the database, as pg-boss does. */
export function hasDueJob({ name, deadLetter }: JobQueue): DueCondition {
  const known = DUE_JOBS.get(name);
  if (known !== undefined) return known;
  const isDue = anyDue([hasDueIn(name), hasDueIn(deadLetter)]);
  DUE_JOBS.set(name, isDue);
  return isDue;
}

/** By queue: the loops of all organisations share a condition, so that one look asks for all of them. */
const DUE_JOBS = new Map<string, DueCondition>();

/** The same of one name. */
export function hasDueIn(name: string): DueCondition {
  return (_now, organisation) => sql<boolean>`exists (
    select from job where name = ${name} and group_id = ${organisation}
      and state < 'active' and not blocked and start_after <= job_now())`;
}

/** One of another organisation was added in between: this process has not its keys. */
class ForeignJobError extends Error {}

/** Takes the organisation's next job of the queue. */
export async function takeJob(
  db: Db,
  { boss, within }: OpenBoss,
  { queue, organisationId }: { readonly queue: string; readonly organisationId: string },
): Promise<TakenJob | undefined> {
  const take = async (trx: Trx): Promise<TakenJob | undefined> => {
    const { rows } = await sql<{ group_id: string }>`
      select distinct group_id from job
      where name = ${queue} and state < 'active' and group_id <> ${organisationId}`.execute(trx);
    const ignoreGroups = rows.map(({ group_id: group }) => group);
    const options = { includeMetadata: true, ignoreGroups, ...within(trx) } as const;
    const [job] = await boss.fetch<JobData>(queue, options);
    if (job !== undefined && job.data.organisationId !== organisationId) {
      throw new ForeignJobError();
    }
    return job;
  };
  return await inTransaction(db, take).catch((error: unknown) => {
    if (error instanceof ForeignJobError) return undefined;
    throw error;
  });
}

/**
 * The job is done, with what is written in this transaction.
 *
 * @throws when it gave no sign of life for too long, so that another worker has it by now
 */
export async function completeJob(
  trx: Trx,
  { boss, within }: OpenBoss,
  job: TakenJob,
): Promise<void> {
  const answer = await boss.complete(job.name, job, null, within(trx));
  if (!isMine(answer)) throw new Error('Another worker has the job by now.');
}

/** Whether pg-boss found the attempt that it was asked about. Its types leave the count out. */
export function isMine(answer: object): boolean {
  return 'affected' in answer && answer.affected === 1;
}
