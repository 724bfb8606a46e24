/** Forestall's own stream of events, for the systems around it. */
import { anyDue } from '../../base/jobs/due.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Capability } from '../../surface/capability.ts';
import { deleteOldEvents, hasWaiting } from './event.store.ts';
import { EVENT_DAYS, event, eventOutbox, eventPosition } from './events.table.ts';
import { createSequence } from './sequence.ts';

/** Longest time between two looks of one organisation, in milliseconds: a reader sees an event within two seconds. */
const LOOK_MS = 1_000;

const OLD_BATCH = 1_000;

export const events: Capability = {
  name: 'events',
  tables: [eventOutbox, eventPosition, event],
  loops: (work) => [
    {
      name: 'events',
      runOnce: createSequence({ ...work, kinds: work.eventKinds }),
      idleMs: LOOK_MS,
      isDue: anyDue([hasWaiting]),
    },
  ],
  nightly: ({ db, clock, organisationId }) => [
    {
      name: 'old-events',
      run: async () => {
        const before = new Date(nowDate(clock).getTime() - EVENT_DAYS * 86_400_000);
        let deleted = 0;
        for (let batch = OLD_BATCH; batch === OLD_BATCH; deleted += batch)
          batch = await deleteOldEvents(db, { organisationId, before, limit: OLD_BATCH });
        return { deleted };
      },
    },
  ],
};
