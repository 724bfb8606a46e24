/** When evidence is sent without a person: as the settings say, else as the policy in force does. Pure. */
import type { EvidenceWords } from '../../../alerts/decide/evidence-words.ts';
import type { FilingSettings } from './plan.ts';

/** What the settings say. `mode` null: as the policy says. */
export interface FilingSetting extends Omit<FilingSettings, 'mode'> {
  readonly mode: FilingSettings['mode'] | null;
}

/** Undefined: nothing is filed. */
export function filingBy(
  setting: FilingSetting | undefined,
  words: EvidenceWords | undefined,
): FilingSettings | undefined {
  const mode = setting?.mode ?? words?.file;
  if (setting === undefined || mode === undefined) return undefined;
  return {
    mode,
    marginMs: words?.marginMs ?? setting.marginMs,
    secondPersonAbove: words?.secondPersonAbove ?? setting.secondPersonAbove,
  };
}
