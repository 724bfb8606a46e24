/** The loops of filing: what changed at the processor, and what is to be handed in. */
import { isRouted } from '../../../alerts/cases/routed-processor.ts';
import type { LoopSpec } from '../../../base/jobs/loop.ts';
import type { CapabilityWork } from '../../../surface/capability.ts';
import { evidencePacks, filing } from '../settings.ts';
import { createComposedBefore } from './composed-before.ts';
import { createFiling, FILING_BATCH } from './file-evidence.job.ts';
import { createDisputeLook } from './look.job.ts';
import type { FilingSettings } from './plan.ts';
import { filingBy } from './when.ts';

/**
 * None where it is switched off, where the processor takes no evidence, and in shadow mode, which acts on nothing. A policy may
 * begin to ask for it, or end, while they run.
 */
export function filingLoops(work: CapabilityWork): readonly LoopSpec[] {
  const setting = work.settings.of(filing);
  if (setting === undefined || work.isShadow) return [];
  const wanted = (): FilingSettings | undefined => filingBy(setting, work.currentPolicy().evidence);
  const { disputes, name: processorName } = work.processor;
  if (disputes === undefined || isRouted(work.processor)) {
    if (wanted() !== undefined) work.log.warn({ processor: processorName }, whyNot(work));
    return [];
  }
  const rules = work.settings.of(evidencePacks);
  const look = createDisputeLook({ ...work, disputes });
  const composed = createComposedBefore();
  return [
    {
      name: 'disputes',
      runOnce: async (): Promise<number> => (wanted() === undefined ? 0 : await look.runOnce()),
      idleMs: 5 * 60_000,
    },
    {
      name: 'file-evidence',
      runOnce: async (): Promise<number> => {
        const settings = wanted();
        if (settings === undefined) return 0;
        const deps = { ...work, disputes, processorName, rules, settings, composed };
        return await createFiling(deps).runOnce();
      },
      fullAt: FILING_BATCH,
      idleMs: 60_000,
    },
  ];
}

/** What is said where evidence is wanted and cannot be filed. */
export function whyNot({ processor }: Pick<CapabilityWork, 'processor'>): string {
  return isRouted(processor)
    ? 'evidence is not filed: merchants of this organisation have processors of their own, and a dispute does not say whose it is; give them an organisation of their own, or hand evidence in by hand'
    : 'evidence is not filed: the processor takes none; leave FORESTALL_FILING and `evidence` of the policy out, or add `disputes` to its adapter';
}
