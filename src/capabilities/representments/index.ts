/** Representments: the pack of evidence for each contested dispute, when it is due, and the outcome. */
import type { Capability } from '../../surface/capability.ts';
import { resealDocuments } from './documents/document.store.ts';
import { evidenceDocument } from './documents/document.table.ts';
import { eraseDocuments } from './documents/erase-documents.ts';
import { disputeLook, evidenceSubmission, processorDispute } from './filing/filing.table.ts';
import { filingLoops } from './filing/loops.ts';
import { representmentPack } from './representment-pack.table.ts';
import { createRepresentments } from './representments.job.ts';

export const representments: Capability = {
  name: 'representments',
  tables: [representmentPack, processorDispute, evidenceSubmission, disputeLook, evidenceDocument],
  reseal: resealDocuments,
  erase: eraseDocuments,
  loops: (work) => [
    {
      name: 'representments',
      runOnce: createRepresentments(work).runOnce,
      idleMs: 5 * 60_000,
    },
    ...filingLoops(work),
  ],
};
