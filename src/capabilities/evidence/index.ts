/** Evidence: which disputes would qualify, what orders lacked, and who was right. How one is judged is `alerts/evidence/`. */
import { evidenceRules } from '../../alerts/evidence/setting.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Capability } from '../../surface/capability.ts';
import { evidenceJudgement } from './evidence-judgement.table.ts';
import { createEvidenceJudge, JUDGE_BATCH, JUDGE_EVERY_MS } from './judge-evidence.job.ts';
import { markEvidence } from './mark-evidence.store.ts';

export const evidence: Capability = {
  name: 'evidence',
  tables: [evidenceJudgement],
  loops: (work) => [
    {
      name: 'evidence',
      runOnce: createEvidenceJudge({ ...work, rules: work.settings.of(evidenceRules) }),
      fullAt: JUDGE_BATCH,
      idleMs: JUDGE_EVERY_MS,
    },
  ],
  beforeRetention: ({ db, organisationId, clock }) => [
    {
      name: 'evidence',
      run: async () => ({ marked: await markEvidence(db, organisationId, nowDate(clock)) }),
    },
  ],
};
