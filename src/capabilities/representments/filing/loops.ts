/** The loops of filing: what changed at the processor, and what is to be handed in. */
import type { LoopSpec } from '../../../base/jobs/loop.ts';
import type { CapabilityWork } from '../../../surface/capability.ts';
import { evidencePacks, filing } from '../settings.ts';
import { createFiling, FILING_BATCH } from './file-evidence.job.ts';
import { createDisputeLook } from './look.job.ts';

/** None where it is off, where the processor takes no evidence, and in shadow mode, which acts on nothing. */
export function filingLoops(work: CapabilityWork): readonly LoopSpec[] {
  const settings = work.settings.of(filing);
  if (settings === undefined || work.isShadow) return [];
  const { disputes, name: processorName } = work.processor;
  if (disputes === undefined) {
    work.log.warn(
      { processor: processorName },
      'evidence is not filed: the processor takes none; leave FORESTALL_FILING out, or add `disputes` to its adapter',
    );
    return [];
  }
  const rules = work.settings.of(evidencePacks);
  const look = createDisputeLook({ ...work, disputes });
  const file = createFiling({ ...work, disputes, processorName, rules, settings });
  return [
    { name: 'disputes', runOnce: look.runOnce, idleMs: 5 * 60_000 },
    { name: 'file-evidence', runOnce: file.runOnce, fullAt: FILING_BATCH, idleMs: 60_000 },
  ];
}
