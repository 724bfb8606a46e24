/** The setting of evidence. Every command reads it: only what opens the file is loaded. */
import { settingOfFile } from '../../base/kernel/setting.ts';
import { openEvidenceRules } from './evidence-rules.ts';

export const evidenceRules = settingOfFile({
  name: 'FORESTALL_EVIDENCE',
  says: 'path of your settings for evidence, and of rules of later dates',
  byDefault: 'published conditions',
  open: openEvidenceRules,
});

export interface EvidenceOptions {
  /** Path of a file with what the schemes ask of evidence. @default the rules that come with Forestall */
  readonly evidence?: string;
}
