/** Pages of backtests and of drafts, and what the console's own pages show of them. */
import type { CapabilityPages } from '../../surface/capability.ts';
import { registerPolicyDrafts } from './drafts/page.ts';
import { draftsForSecondPerson, draftsOnPolicies } from './drafts/parts.ts';
import { registerBacktests } from './page.ts';

export const backtestsPages: CapabilityPages = {
  register(router, context): void {
    registerBacktests(router, context);
    registerPolicyDrafts(router, context);
  },
  linkedFrom: { '/policies': { path: '/policies/backtests', label: 'Try a policy on the past' } },
  onPolicies: draftsOnPolicies,
  forSecondPerson: draftsForSecondPerson,
};
