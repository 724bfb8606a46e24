/** Why lookups were not answered or did not deflect, how many by the day, and how fast orders are known to the service. */
import { nowDate } from '../../base/kernel/clock.ts';
import type { Capability } from '../../surface/capability.ts';
import { createLookupJudge } from './lookup-cause.job.ts';
import { lookupCause } from './lookup-cause.table.ts';
import { rollUpLookups } from './lookup-day.store.ts';
import { lookupDay } from './lookup-day.table.ts';
import { LOOKUP_BATCH } from './lookup-facts.store.ts';

export const lookups: Capability = {
  name: 'lookups',
  tables: [lookupCause, lookupDay],
  loops: (work) => [
    {
      name: 'lookup-causes',
      runOnce: createLookupJudge(work),
      fullAt: LOOKUP_BATCH,
      idleMs: 5 * 60_000,
    },
    {
      name: 'lookup-days',
      runOnce: async (): Promise<number> => {
        const { db, clock, organisationId } = work;
        await rollUpLookups(db, { organisationId, now: nowDate(clock) });
        return 0;
      },
      idleMs: 60_000,
    },
  ],
};
