/**
 * The queues of pg-boss. The version in a name means the queue's policy, which pg-boss never changes
 * afterwards; everything else is brought up to date by each migration.
 *
 * A job names what is to be done and for whom; what was asked, and its result, are in rows of our own. The job
 * is the claim, the sign of life, the retries and, after the last one, the dead letter.
 */
import type { Queue } from 'pg-boss';

/** The options of a queue for {@link createJobLoop}, whose jobs end as dead letters in `deadLetter`. */
export interface JobQueue extends Queue {
  readonly deadLetter: string;
}

const HOUR = 3_600;
const DAY = 24 * HOUR;

const COMMON = {
  // One job of each key waits, runs or is to be retried at a time.
  policy: 'exclusive',
  deleteAfterSeconds: DAY,
} as const;

const LIVELY = {
  ...COMMON,
  // A worker that was killed is noticed after this long, and by the next round of pg-boss's own care.
  heartbeatSeconds: 60,
} as const;

/** Each minute: what loops that hang have left. */
export const MINUTE_QUEUE = {
  ...COMMON,
  name: 'forestall.minute.v1',
  retryLimit: 0,
  expireInSeconds: 120,
} as const satisfies Queue;

/** The night's work of one organisation, for about two hours until every step of it was done. */
export const NIGHT_QUEUE = {
  ...LIVELY,
  name: 'forestall.night.v2',
  retryLimit: 12,
  retryDelay: 60,
  retryBackoff: true,
  retryDelayMax: 900,
  // What was kept long enough may be millions of rows.
  expireInSeconds: 4 * HOUR,
  deadLetter: 'forestall.night.v2.dead',
} as const satisfies JobQueue;

/** A policy tried on past decisions. */
export const BACKTEST_QUEUE = {
  ...LIVELY,
  name: 'forestall.backtest.v1',
  // One that ends its workers is not begun for ever.
  retryLimit: 2,
  retryDelay: 0,
  expireInSeconds: HOUR,
  deadLetter: 'forestall.backtest.v1.dead',
} as const satisfies JobQueue;

/** A reconciliation pass that somebody asked for. */
export const PASS_QUEUE = {
  ...LIVELY,
  name: 'forestall.pass.v1',
  retryLimit: 2,
  retryDelay: 5,
  expireInSeconds: 4 * HOUR,
  deadLetter: 'forestall.pass.v1.dead',
} as const satisfies JobQueue;

/** Dead letters must be told to people: they wait for a worker, however long there is none. */
const DEAD = {
  policy: 'standard',
  retryLimit: 1_000,
  retryDelay: 60,
  retentionSeconds: 365 * DAY,
  deleteAfterSeconds: DAY,
} as const;

const JOB_QUEUES: readonly (JobQueue & Required<Pick<Queue, 'policy'>>)[] = [
  NIGHT_QUEUE,
  BACKTEST_QUEUE,
  PASS_QUEUE,
];

/** All of them; a dead letter's queue must exist before the one that names it. */
export const QUEUES: readonly (Queue & Required<Pick<Queue, 'policy'>>)[] = [
  ...JOB_QUEUES.map(({ deadLetter: name }) => ({ ...DEAD, name })),
  MINUTE_QUEUE,
  ...JOB_QUEUES,
];
