/** What a capability adds to the pages of policies. */

import type { WorkerSettings } from '../alerts/cases/worker-settings.store.ts';
import type { HtmlValue } from '../base/kernel/html.ts';
import type { Visit } from './web/visit.ts';

/** Whether a file or the console decides which policy is in force; undefined while no worker has said so. */
export type PolicyOwner = WorkerSettings['policy'];

export interface ShownPolicies {
  readonly owner: PolicyOwner;
  /** The page of one version, which could be in force again. @default that of all */
  readonly version?: string;
}

export interface PolicyPart {
  /** Forms next to what can be done. */
  readonly actions?: HtmlValue;
  /** A section above the versions. */
  readonly section?: HtmlValue;
}

export type OnPolicies = (visit: Visit, shown: ShownPolicies) => Promise<PolicyPart>;

/** Why nothing can be edited in the console, and where it can. */
export function ownerNote(owner: PolicyOwner): string {
  if (owner === 'file') {
    return 'The policy is a file (FORESTALL_POLICY), and the file is the truth: change it there. Here it can be read, compared and tried on the past.';
  }
  if (owner === 'program') {
    return 'The program that Forestall runs in sets the policy: change it there. Here it can be read, compared and tried on the past.';
  }
  return 'No worker has said yet whether a policy file is configured. Start one, then load the page again.';
}
