/** Merchants, enrolments and rulesets at the service, from a reviewed file; what others change there. */
import type { Capability, CapabilityWork } from '../../surface/capability.ts';
import { estateLook } from './estate-look.table.ts';
import type { EstateWatch } from './look-at-estate.ts';
import { lookNow, lookWhenDue } from './look-at-estate.ts';
import { estateFile } from './settings.ts';

/** It looks at the file every minute, and at the service when the file changed or time is up. */
const IDLE_MS = 60_000;

export const estate: Capability = {
  name: 'estate',
  tables: [estateLook],
  loops: (work) =>
    watchOf(work).map((watch) => ({
      name: 'estate',
      idleMs: IDLE_MS,
      runOnce: async (): Promise<number> => {
        await lookWhenDue(watch);
        return 0;
      },
    })),
  nightly: (work) => watchOf(work).map((watch) => ({ name: 'estate', run: () => lookNow(watch) })),
};

/** What is looked at; nothing where no file is named. */
function watchOf(work: CapabilityWork): EstateWatch[] {
  const path = work.settings.of(estateFile);
  return path === undefined ? [] : [{ ...work, path }];
}
