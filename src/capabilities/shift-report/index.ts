/** The end of a shift: what the last hours brought and what the next ones ask for, as a page, and once a day as a message. */
import type { Capability } from '../../surface/capability.ts';
import { createDigest } from './digest.job.ts';

/** How often it looks whether the time of the message has come, in milliseconds. */
const IDLE_MS = 60_000;

export const shiftReport: Capability = {
  name: 'shift-report',
  loops: ({ db, clock, organisationId, digestAt: at }) =>
    at === undefined
      ? []
      : [
          {
            name: 'digest',
            runOnce: createDigest({ db, clock, organisationId, at }),
            idleMs: IDLE_MS,
            // It asks the clock, and the database once a day.
            spreadMs: 0,
          },
        ],
};
