/**
 * pg-boss as a running part: it keeps the schedules, returns jobs of workers that are gone to their queues, and
 * runs the minute job in one process of the cluster. Jobs of the other queues are done by loops (`job-loop.ts`).
 *
 * No event and no alert ever depends on a job: the minute job only does the work of loops that hang.
 */
import { hash } from 'node:crypto';
import pg from 'pg';
import type { PgBoss } from 'pg-boss';
import type { JobStore } from '../db/source.ts';
import { KEEP_ALIVE, watchedClient } from '../db/watched-client.ts';
import { requireWritable } from '../db/writable.ts';
import type { Log } from '../kernel/log.ts';
import { optionsOf } from './job.store.ts';
import { MINUTE_QUEUE, NIGHT_QUEUE, QUEUES } from './queues.ts';

/** Options of {@link startBoss}. */
export interface BossOptions {
  readonly store: JobStore;
  readonly log: Log;
  /** Each minute: what loops that hang have left. */
  readonly minute: () => Promise<void>;
}

/** pg-boss, running in this process. */
export interface RunningBoss {
  /** Plans the night's work of an organisation, each night from now on. Any process may, again and again. */
  planNight(organisationId: string): Promise<void>;
  /** Stops it, draining. */
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 15_000;

/**
 * How often the queue of the minute's job, and the schedules, are asked, in seconds. A job begins this much later
 * at most, which neither the minute's safety net nor the night's work minds, and an idle installation asks its
 * database little.
 */
const ASK_SECONDS = 15;

/** How often pg-boss looks after itself, in seconds: a few jobs a day need little of it. */
const CARE_SECONDS = 300;

/** The night's work of organisations begins within these hours, UTC: a thousand nights do not come at one moment. */
const NIGHT_HOURS = { from: 1, count: 6 };

/** The night's queue of earlier versions, whose one schedule served whichever organisation's worker came first. */
const FORMER_NIGHT_QUEUE = 'forestall.nightly.v1';

/** Creates pg-boss's tables and our queues and schedules. Safe to run at once in many processes. */
export async function migrateBoss(store: JobStore, log: Log): Promise<void> {
  const boss = await createBoss(store, log, { migrate: true, supervise: false, schedule: false });
  await boss.start();
  try {
    for (const { name, policy, ...options } of QUEUES) {
      await boss.createQueue(name, { ...options, policy });
      // Creating changes nothing of a queue that is there.
      await boss.updateQueue(name, options);
    }
    await boss.schedule(MINUTE_QUEUE.name, '* * * * *', null, { missed: 'once' });
    await boss.unschedule(FORMER_NIGHT_QUEUE);
  } finally {
    await boss.stop({ graceful: false, close: true });
  }
}

/** Starts it in this process. */
export async function startBoss({ store, log, minute }: BossOptions): Promise<RunningBoss> {
  const boss = await createBoss(store, log, { migrate: false, supervise: true, schedule: true });
  await boss.start();
  await boss.work(MINUTE_QUEUE.name, { pollingIntervalSeconds: ASK_SECONDS }, () => minute());
  return {
    async planNight(organisationId): Promise<void> {
      const night = { organisationId, id: 'night' };
      const times = { ...optionsOf(night), key: organisationId, missed: 'once' } as const;
      await boss.schedule(NIGHT_QUEUE.name, nightOf(organisationId), night, times);
    },
    async stop(): Promise<void> {
      await boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS, close: true });
    },
  };
}

/** Always the same minute for an organisation, as cron writes it. */
function nightOf(organisationId: string): string {
  const place = hash('sha256', organisationId, 'buffer').readUInt32BE() % (NIGHT_HOURS.count * 60);
  return `${place % 60} ${NIGHT_HOURS.from + Math.floor(place / 60)} * * *`;
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
    application_name: 'forestall-jobs',
    max: 3,
    cronWorkerIntervalSeconds: ASK_SECONDS,
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
