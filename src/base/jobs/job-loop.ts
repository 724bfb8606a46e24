/**
 * A loop over the jobs of one queue and organisation: takes one, does it, and ends it in the transaction that
 * writes its result. What fails is retried by pg-boss; after the last attempt it comes back as a dead letter.
 */
import { sql } from 'kysely';
import type { PgBoss } from 'pg-boss';
import type { Installation, Trx } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { nowDate } from '../kernel/clock.ts';
import { messageOf } from '../kernel/errors.ts';
import type { DueCondition } from './due.store.ts';
import { readDue } from './due.store.ts';
import type { OpenBoss, TakenJob } from './job.store.ts';
import {
  completeJob,
  enqueue,
  hasDueIn,
  hasDueJob,
  isMine,
  takeJob,
  withBoss,
} from './job.store.ts';
import type { LoopSpec } from './loop.ts';
import { SAFETY_MS } from './loop.ts';
import type { JobQueue } from './queues.ts';

/** What is written in the transaction that ends a job. */
export type JobResult = (trx: Trx) => Promise<void>;

/** How the jobs of a queue are done. */
export interface JobWork {
  readonly queue: JobQueue;
  /** Whether this process may do them at all. @default always */
  readonly mayRun?: DueCondition;
  /** Ids of what is to be done, job or not: asked once, so that rows without a job get one. */
  readonly unfinished?: () => Promise<readonly string[]>;
  /**
   * Does what the job's id names; throws to be tried again. `signal` is aborted when the process stops, or the
   * job is no longer this worker's: what is returned then is not written.
   */
  readonly run: (id: string, signal: AbortSignal) => Promise<JobResult | undefined>;
  /** It was tried for the last time: written so that a person sees it. */
  readonly giveUp: (trx: Trx, id: string, why: string) => Promise<void>;
}

/** What the loop works with. */
export type JobLoopDeps = Pick<Installation, 'db' | 'clock' | 'log' | 'organisationId'>;

/** How often a job under way gives a sign of life, in milliseconds: a third of what a queue waits for one. */
const BEAT_MS = 20_000;

/** Creates the loop. */
export function createJobLoop(deps: JobLoopDeps, name: string, work: JobWork): LoopSpec {
  const { db, clock, organisationId } = deps;
  const { queue } = work;
  const isDue = dueCondition(work);
  const stop = new AbortController();
  let running: Promise<number> | undefined;
  let isAdopted = work.unfinished === undefined;
  const round = async (): Promise<number> => {
    if (!isAdopted) await adopt(deps, work);
    isAdopted = true;
    const asked = [hasDueIn(queue.deadLetter), isDue];
    const [isDead = false, isAny = false] = await readDue(
      db,
      { organisationId, now: nowDate(clock) },
      asked,
    );
    if (!isAny) return 0;
    return await withBoss(db, async (opened) => {
      const name = isDead ? queue.deadLetter : queue.name;
      const job = await takeJob(db, opened, { queue: name, organisationId });
      if (job === undefined) return 0;
      if (isDead) await giveUp(deps, work, { opened, job });
      else await attempt(deps, work, { opened, job, stop: stop.signal });
      return 1;
    });
  };
  return {
    name,
    async runOnce(): Promise<number> {
      // The loop and the minute's job both call.
      if (stop.signal.aborted || running !== undefined) return 0;
      running = round();
      try {
        return await running;
      } finally {
        running = undefined;
      }
    },
    async finish(): Promise<void> {
      stop.abort();
      await running?.catch(() => undefined);
    },
    idleMs: SAFETY_MS,
    wakeOn: [queue.name],
    isDue,
  };
}

function dueCondition({ queue, mayRun }: JobWork): DueCondition {
  const hasJob = hasDueJob(queue);
  if (mayRun === undefined) return hasJob;
  return (...asked) => sql<boolean>`(${hasJob(...asked)} and ${mayRun(...asked)})`;
}

/** Gives jobs to rows that have none: adding one is nothing where it waits or runs. */
async function adopt({ db, organisationId }: JobLoopDeps, work: JobWork): Promise<void> {
  for (const id of (await work.unfinished?.()) ?? []) {
    await inTransaction(db, (trx) => enqueue(trx, work.queue, { organisationId, id }));
  }
}

/** A job that was taken, and with what. */
interface Taken {
  readonly opened: OpenBoss;
  readonly job: TakenJob;
}

async function giveUp(
  { db }: JobLoopDeps,
  work: JobWork,
  { opened, job: dead }: Taken,
): Promise<void> {
  const { sourceOutput: output } = dead;
  const isSaid = output !== null && 'message' in output && typeof output.message === 'string';
  const why = isSaid ? String(output.message) : 'The processes that did it ended each time.';
  await inTransaction(db, async (trx) => {
    await work.giveUp(trx, dead.data.id, why);
    await completeJob(trx, opened, dead);
  });
}

/** One attempt: ended, or failed for pg-boss to retry. */
async function attempt(
  { db, log }: JobLoopDeps,
  { run }: JobWork,
  { opened, job, stop }: Taken & { readonly stop: AbortSignal },
): Promise<void> {
  const { boss } = opened;
  const lost = new AbortController();
  const beat = setInterval(() => void showLife(boss, job, lost), BEAT_MS);
  const signal = AbortSignal.any([stop, lost.signal]);
  try {
    const result = await run(job.data.id, signal);
    signal.throwIfAborted();
    await inTransaction(db, async (trx) => {
      await completeJob(trx, opened, job);
      return result?.(trx);
    });
  } catch (error) {
    log.warn({ err: error, job: job.data.id, retries: job.retryCount }, 'job failed');
    // Of this attempt only: where another worker has the job, nothing changes.
    await boss.fail(job.name, job, { message: messageOf(error) });
  } finally {
    clearInterval(beat);
  }
}

async function showLife(boss: PgBoss, job: TakenJob, lost: AbortController): Promise<void> {
  // A database that is away for longer than the queue waits has given the job to another worker when it is back.
  const answer = await boss.touch(job.name, job).catch(() => undefined);
  if (answer !== undefined && !isMine(answer)) lost.abort();
}
