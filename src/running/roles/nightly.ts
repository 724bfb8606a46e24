/**
 * What happens once a night for an organisation, in the one process of the cluster that takes its job.
 *
 * What capabilities do before retention comes before anything that may have to wait, and what may have to wait for
 * longest comes last: partitions that somebody reads, as a dump does.
 */
import { ensureInboxPartitions } from '../../alerts/receive/inbox.store.ts';
import type { Db } from '../../base/db/database.ts';
import type { JobLoopDeps, JobWork } from '../../base/jobs/job-loop.ts';
import { createJobLoop } from '../../base/jobs/job-loop.ts';
import type { LoopSpec } from '../../base/jobs/loop.ts';
import { NIGHT_QUEUE } from '../../base/jobs/queues.ts';
import { nowDate, nowIso } from '../../base/kernel/clock.ts';
import { DatabaseError } from '../../base/kernel/errors.ts';
import type { Log } from '../../base/kernel/log.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { tellOfTokenEnds } from '../../surface/access/token-ends.ts';
import type { NightStep } from '../../surface/capability.ts';
import { deleteOldRows } from '../privacy/old-rows.store.ts';
import { deleteOld, dropOldBodies } from '../privacy/retention.store.ts';

const DAY_LENGTH = 'YYYY-MM-DD'.length;

interface NightOptions {
  /** The steps of capabilities. @default none */
  readonly ofCapabilities?: Readonly<Record<'beforeRetention' | 'nightly', readonly NightStep[]>>;
}

export function createNightLoop(deps: JobLoopDeps, options: NightOptions = {}): LoopSpec {
  return createJobLoop(deps, 'night', nightWork(deps, options));
}

/** The night's work. A night that was stopped continues between two transactions when its job is taken again. */
export function nightWork(deps: JobLoopDeps, { ofCapabilities }: NightOptions = {}): JobWork {
  const { db, organisationId, clock, log } = deps;
  return {
    queue: NIGHT_QUEUE,
    async run(_id, signal): Promise<undefined> {
      const once = (): { now: Date; signal: AbortSignal } => ({ now: nowDate(clock), signal });
      /** Partitions that were in use, until both steps have said that none is. */
      const inUse = { missing: 1, left: 1 };
      const steps: readonly NightStep[] = [
        {
          name: 'partitions',
          run: async () => {
            inUse.missing = await ensureInboxPartitions(db);
            return { missing: inUse.missing };
          },
        },
        ...(ofCapabilities?.beforeRetention ?? []),
        {
          name: 'retention',
          run: async () => {
            const deleted = await deleteOld(db, organisationId, once());
            inUse.left = deleted.partitionsLeft;
            return deleted;
          },
        },
        {
          name: 'retention of the rest',
          run: async () => ({ rowsDeleted: await deleteOldRows(db, organisationId, once()) }),
        },
        ...(ofCapabilities?.nightly ?? []),
        {
          name: 'tokens that end',
          run: async () => ({
            told: await tellOfTokenEnds(db, { organisationId, now: nowDate(clock) }),
          }),
        },
        {
          name: 'partitions in use',
          run: async () =>
            inUse.missing + inUse.left === 0 ? {} : await finishPartitions(db, nowDate(clock)),
        },
      ];
      await runSteps(steps, log, signal);
      return undefined;
    },
    async giveUp(trx, _id, why): Promise<void> {
      await notify(trx, {
        organisationId,
        dedupeKey: `nightly:${nowIso(clock).slice(0, DAY_LENGTH)}`,
        kind: 'nightly_failed',
        severity: 'warning',
        text: `The night's work failed again and again: ${why}. Its other steps ran; the log says more. It is tried again next night.`,
        at: nowDate(clock),
      });
    },
  };
}

/**
 * Runs every step, in order. One that fails costs no other: a partition that could not be dropped costs no
 * report. The night is then tried again as a whole, for a step finds nothing left of what it has done.
 *
 * @throws naming the steps that failed
 */
async function runSteps(steps: readonly NightStep[], log: Log, signal: AbortSignal): Promise<void> {
  const failed: string[] = [];
  for (const { name, run } of steps) {
    signal.throwIfAborted();
    try {
      log.info({ step: name, ...(await run()) }, 'nightly step done');
    } catch (error) {
      signal.throwIfAborted();
      log.error({ err: error, step: name }, 'nightly step failed');
      failed.push(name);
    }
  }
  if (failed.length > 0) throw new Error(failed.join(', '));
}

/**
 * Creates and drops the partitions that somebody was reading.
 *
 * @throws when some are left: the next attempt comes in a minute, and the last one two hours later
 */
async function finishPartitions(db: Db, now: Date): Promise<object> {
  const missing = await ensureInboxPartitions(db, now);
  const { partitionsLeft } = await dropOldBodies(db, now);
  if (missing + partitionsLeft === 0) return {};
  throw new DatabaseError(
    `${missing} partitions of the inbox could not be made and ${partitionsLeft} not dropped: somebody reads it.`,
  );
}
