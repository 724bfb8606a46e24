/** Alerts whose price can be claimed back, and the provider's invoice. */
import type { Capability } from '../../surface/capability.ts';
import { creditClaim, creditDue } from './credit-claim.table.ts';
import { CREDIT_BATCH, createCredits } from './credits.job.ts';
import { creditClaimable } from './event-kinds.ts';
import { claimOfAlert } from './of-alert.ts';
import { creditWindows } from './settings.ts';

export const credits: Capability = {
  name: 'credits',
  tables: [creditClaim, creditDue],
  eventKinds: [creditClaimable],
  loops: (work) => [
    {
      // A claim has days: those of five minutes are judged together.
      name: 'credits',
      runOnce: createCredits({ ...work, windows: work.settings.of(creditWindows) }).runOnce,
      fullAt: CREDIT_BATCH,
      idleMs: 5 * 60_000,
    },
  ],
  ofAlert: { creditClaim: claimOfAlert },
};
