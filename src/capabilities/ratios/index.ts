/** How near the card schemes' monitoring programmes are: counts, ratios, forecasts, alarms. */
import type { Capability } from '../../surface/capability.ts';
import { cockpitDeps } from './cockpit-deps.ts';
import { ratioCrossed } from './event-kinds.ts';
import { COUNTING_EVERY_MS, createProgrammeWatch } from './programmes.job.ts';
import { COUNTS_BATCH } from './roll-up.store.ts';
import {
  programmeAlarm,
  programmeReported,
  rollUp,
  rollUpChange,
  rollUpDue,
  rollUpEvent,
} from './roll-up.table.ts';

export const ratios: Capability = {
  name: 'ratios',
  tables: [rollUp, rollUpChange, rollUpEvent, rollUpDue, programmeReported, programmeAlarm],
  eventKinds: [ratioCrossed],
  loops: (work) => [
    {
      name: 'ratios',
      runOnce: createProgrammeWatch({ ...cockpitDeps(work), clock: work.clock }),
      fullAt: COUNTS_BATCH,
      idleMs: COUNTING_EVERY_MS,
    },
  ],
};
