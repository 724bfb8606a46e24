/** Policies of one organisation, as the embedding program asks about them: what capabilities answer. All only read. */
import type { Policy } from '../../alerts/decide/policy.ts';
import type { OpenSettings } from '../../base/kernel/setting.ts';
import { replayReaders } from '../../capabilities/index.ts';
import type { CapabilityPolicies } from '../../capabilities/policies.ts';
import { policiesOf } from '../../capabilities/policies.ts';
import type { OrganisationParts } from '../roles/parts.ts';

/** Policies of one organisation, tried on its past. */
export type ForestallPolicies = CapabilityPolicies;

/** What it is made of, besides the parts. */
export interface PoliciesOptions {
  readonly current: () => Policy;
  readonly open: (policy: Policy | string) => Policy;
  /** Those of capabilities. */
  readonly settings: OpenSettings;
}

export function createPolicies(
  { clock, organisationId, database: { db } }: OrganisationParts,
  { current, open, settings }: PoliciesOptions,
): ForestallPolicies {
  const asked = { db, clock, organisationId, settings };
  return policiesOf({ ...asked, current, open, readers: () => replayReaders(asked) });
}
