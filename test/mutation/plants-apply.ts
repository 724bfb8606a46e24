/** Bugs of taking events off the list and reading them. */
import type { PlantedBug } from './plants.ts';

export const APPLY_BUGS: readonly PlantedBug[] = [
  {
    name: 'the lanes of a drain take their work from the whole list',
    file: 'alerts/apply/apply.job.ts',
    find: '{ limit: APPLY_BATCH, within }',
    put: '{ limit: APPLY_BATCH, within: { ...within, after: 0, upTo: Number.MAX_SAFE_INTEGER } }',
    test: 'integration/apply/backlog.test.ts',
  },
  {
    name: 'an event is not looked at for card numbers',
    file: 'alerts/apply/apply.job.ts',
    find: 'mayHoldCards(stored.text)',
    put: "stored.text === ''",
    test: 'integration/apply/card-bodies.test.ts',
  },
];
