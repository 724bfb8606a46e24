/**
 * What happens once a night, in the one process of the cluster that pg-boss picks.
 *
 * The report comes before anything that may have to wait, and what may have to wait for longest comes
 * last: partitions that somebody reads, as a dump does.
 */
import type { Kysely } from 'kysely';
import { markEvidence } from '../../alerts/evidence/mark-evidence.store.ts';
import { ensureInboxPartitions } from '../../alerts/receive/inbox.store.ts';
import type { Database } from '../../base/db/database.ts';
import type { NightlyStep } from '../../base/jobs/nightly.job.ts';
import { runNightly } from '../../base/jobs/nightly.job.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { DatabaseError } from '../../base/kernel/errors.ts';
import type { EstateWatch } from '../../books/estate/look-at-estate.ts';
import { lookNow } from '../../books/estate/look-at-estate.ts';
import { makeDailyReports } from '../../books/reconcile/daily-report.job.ts';
import type { Wait } from '../../service/client/wait.ts';
import { waitOnTimer } from '../../service/client/wait.ts';
import { deleteOldRows } from '../privacy/old-rows.store.ts';
import { deleteOld, dropOldBodies } from '../privacy/retention.store.ts';
import type { Parts } from './parts.ts';

/** Attempts at partitions that somebody reads: for half an hour, the length of a large dump. */
const PARTITION_ATTEMPTS = 30;

/** Between two of them, in milliseconds. */
const PARTITION_PAUSE_MS = 60_000;

/** The night's work. */
export interface Nightly {
  /** Where many organisations share a database, its own steps run once, and the others for each. */
  run(which?: 'all' | 'organisation' | 'database'): Promise<void>;
  /** Ends it between two transactions; the next night goes on. */
  abort(): void;
}

/** Puts it together. */
export function createNightly(
  parts: Pick<Parts, 'database' | 'organisationId' | 'clock' | 'log'>,
  estate?: EstateWatch,
): Nightly {
  const { database, organisationId, clock } = parts;
  const { db } = database;
  const log = parts.log.child({ part: 'nightly' });
  const stop = new AbortController();
  const once = (): { now: Date; signal: AbortSignal } => ({
    now: nowDate(clock),
    signal: stop.signal,
  });
  const steps: readonly (NightlyStep & { readonly perDatabase?: true })[] = [
    {
      name: 'partitions',
      perDatabase: true,
      run: async () => ({ missing: await ensureInboxPartitions(db) }),
    },
    {
      name: 'report',
      run: async () => ({ days: await makeDailyReports(db, { organisationId, ...once() }) }),
    },
    {
      // Before retention, which deletes what it reads.
      name: 'evidence',
      run: async () => ({ marked: await markEvidence(db, organisationId, nowDate(clock)) }),
    },
    { name: 'retention', run: () => deleteOld(db, organisationId, once()) },
    {
      name: 'retention of the rest',
      run: async () => ({ rowsDeleted: await deleteOldRows(db, organisationId, once()) }),
    },
    ...(estate === undefined ? [] : [{ name: 'estate', run: () => lookNow(estate) }]),
    {
      name: 'partitions in use',
      perDatabase: true,
      run: () => finishPartitions(db, { ...once(), wait: waitOnTimer }),
    },
  ];
  return {
    run: (which = 'all'): Promise<void> => {
      const isOfDatabase = which === 'database';
      const chosen = steps.filter(
        ({ perDatabase = false }) => which === 'all' || perDatabase === isOfDatabase,
      );
      return runNightly(chosen, { db, log, organisationId, ...once() });
    },
    abort: () => stop.abort(),
  };
}

/**
 * Makes and drops the partitions that somebody was reading, again and again.
 *
 * @throws when some are left in the end
 */
export async function finishPartitions(
  db: Kysely<Database>,
  { now, signal, wait }: { readonly now: Date; readonly signal: AbortSignal; readonly wait: Wait },
): Promise<{ readonly attempts: number }> {
  for (let attempts = 1; ; attempts++) {
    const missing = await ensureInboxPartitions(db, now);
    const { partitionsLeft } = await dropOldBodies(db, now);
    if (missing + partitionsLeft === 0) return { attempts };
    if (attempts === PARTITION_ATTEMPTS) {
      throw new DatabaseError(
        `${missing} partitions of the inbox could not be made and ${partitionsLeft} not dropped: somebody reads it all the time.`,
      );
    }
    await wait(PARTITION_PAUSE_MS, signal);
  }
}
