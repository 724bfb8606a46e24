/** Representments: the pack of evidence for each contested dispute, when it is due, and what came of it. */
import type { Capability } from '../../surface/capability.ts';
import { representmentPack } from './representment-pack.table.ts';
import { createRepresentments } from './representments.job.ts';

export const representments: Capability = {
  name: 'representments',
  tables: [representmentPack],
  loops: (work) => [
    {
      name: 'representments',
      runOnce: createRepresentments(work).runOnce,
      idleMs: 5 * 60_000,
    },
  ],
};
