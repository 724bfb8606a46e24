/** Why lookups were not answered or did not deflect, and how fast orders are known to the service. */
import type { Capability } from '../../surface/capability.ts';
import { createLookupJudge } from './lookup-cause.job.ts';
import { lookupCause } from './lookup-cause.table.ts';
import { LOOKUP_BATCH } from './lookup-facts.store.ts';

export const lookups: Capability = {
  name: 'lookups',
  tables: [lookupCause],
  loops: (work) => [
    {
      name: 'lookup-causes',
      runOnce: createLookupJudge(work),
      fullAt: LOOKUP_BATCH,
      idleMs: 5 * 60_000,
    },
  ],
};
