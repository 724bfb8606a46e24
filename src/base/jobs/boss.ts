/**
 * pg-boss, for what it is good at: work that one process in the cluster does at set times.
 *
 * No event and no alert ever depends on a job: the minute job only stands in for loops that hang.
 */
import pg from 'pg';
import type { PgBoss } from 'pg-boss';
import type { JobStore } from '../db/source.ts';
import { KEEP_ALIVE, watchedClient } from '../db/watched-client.ts';
import { requireWritable } from '../db/writable.ts';
import type { Log } from '../kernel/log.ts';

/** The cluster-wide jobs, by queue name. */
export interface ClusterJobs {
  /** Each minute: what loops that hang have left. */
  readonly minute: () => Promise<void>;
  /** Each night: partitions, retention. */
  readonly nightly: () => Promise<void>;
}

/** Options of {@link startBoss}. */
export interface BossOptions {
  readonly store: JobStore;
  readonly log: Log;
  readonly jobs: ClusterJobs;
}

/** The version in a name stands for the queue's policy, which pg-boss never changes afterwards. */
const MINUTE_QUEUE = 'forestall.minute.v1';
const NIGHTLY_QUEUE = 'forestall.nightly.v1';
const STOP_TIMEOUT_MS = 15_000;

/**
 * How often the queues are asked for a job, in seconds. A job begins this much later at most, which neither the
 * minute's safety net nor the night's work minds, and an idle installation asks its database little.
 */
const ASK_SECONDS = { minute: 15, nightly: 60, cron: 15 };

/** How often pg-boss looks after itself, in seconds: two jobs of a second each need little of it. */
const CARE_SECONDS = 300;

/** What was kept long enough may be millions of rows; after this long another process may begin anew. */
const NIGHTLY_SECONDS_MAX = 4 * 3_600;

const QUEUE = {
  policy: 'exclusive',
  retryLimit: 0,
  expireInSeconds: 120,
  deleteAfterSeconds: 24 * 3_600,
} as const;

/** Creates pg-boss's tables and our queues and schedules. Safe to run at once in many processes. */
export async function migrateBoss(store: JobStore, log: Log): Promise<void> {
  const boss = await createBoss(store, log, {
    migrate: true,
    supervise: false,
    schedule: false,
  });
  await boss.start();
  try {
    await boss.createQueue(MINUTE_QUEUE, QUEUE);
    await boss.createQueue(NIGHTLY_QUEUE, QUEUE);
    await boss.schedule(MINUTE_QUEUE, '* * * * *', null, { missed: 'once' });
    await boss.schedule(NIGHTLY_QUEUE, '17 3 * * *', null, {
      missed: 'once',
      expireInSeconds: NIGHTLY_SECONDS_MAX,
    });
  } finally {
    await boss.stop({ graceful: false, close: true });
  }
}

/** Starts running the jobs in this process. Returns the function that stops it, draining. */
export async function startBoss(options: BossOptions): Promise<() => Promise<void>> {
  const { store, log, jobs } = options;
  const boss = await createBoss(store, log, {
    migrate: false,
    supervise: true,
    schedule: true,
  });
  await boss.start();
  const { minute, nightly } = ASK_SECONDS;
  await boss.work(MINUTE_QUEUE, { pollingIntervalSeconds: minute }, () => jobs.minute());
  await boss.work(NIGHTLY_QUEUE, { pollingIntervalSeconds: nightly }, () => jobs.nightly());
  return async () => {
    await boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS, close: true });
  };
}

/** Loads pg-boss only now: a program that only receives, or only reads a policy, does not need it. */
async function createBoss(
  store: JobStore,
  log: Log,
  flags: { migrate: boolean; supervise: boolean; schedule: boolean },
): Promise<PgBoss> {
  const { PgBoss: Boss } = await import('pg-boss');
  const boss = new Boss({
    ...store,
    // For the pool that it opens at an address; one that was brought is its owner's.
    ...{ Client: watchedClient(pg.Client, log), verify: requireWritable, ...KEEP_ALIVE },
    schema: 'pgboss',
    application_name: 'forestall-jobs',
    max: 3,
    cronWorkerIntervalSeconds: ASK_SECONDS.cron,
    superviseIntervalSeconds: CARE_SECONDS,
    flowIntervalSeconds: CARE_SECONDS,
    bamIntervalSeconds: CARE_SECONDS,
    queueCacheIntervalSeconds: CARE_SECONDS,
    ...flags,
  });
  // Without a listener a lost connection would end the process.
  boss.on('error', (error) => log.warn({ err: error }, 'job queue error'));
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'job queue warning'));
  return boss;
}
