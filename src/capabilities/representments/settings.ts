/** The setting of representments. Every command reads it: only what opens the file is loaded. */
import { settingOfFile } from '../../base/kernel/setting.ts';
import { openPackRules } from './pack-rules.ts';

export const evidencePacks = settingOfFile({
  name: 'FORESTALL_EVIDENCE_PACKS',
  says: 'path of your file that says what each reason code asks for',
  byDefault: 'the one that comes with it',
  open: openPackRules,
});

export interface RepresentmentOptions {
  /** Path of a file with the packs of evidence for contested disputes. @default those that come with Forestall */
  readonly evidencePacks?: string;
}
