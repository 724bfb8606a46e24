/** The two policies that ship with Forestall: what happens while the merchant has set none. */

import type { Policy } from '../alerts/decide/policy.ts';
import { readPackageFile } from '../base/kernel/package-file.ts';
import type { BrandTokenMap } from '../service/wire/brand-tokens.ts';
import { loadPolicy } from './load.ts';

/**
 * Against a live service without a policy: nothing moves money and nothing is declared. Every alert
 * waits for a person, and the alarms before its deadline call one.
 */
export const HOLD_EVERYTHING_POLICY: Policy = loadPolicy(
  `# No policy is set: a person decides about every alert. Set FORESTALL_POLICY to the path of yours.
name: Hold everything
rules: []
otherwise: REVIEW
`,
  { file: 'hold-everything.yaml' },
);

const DEMONSTRATION_FILE = new URL('../../templates/policies/demonstration.yaml', import.meta.url);

/** The policy of the demonstration, as `forestall add` would copy it. */
export function demonstrationPolicy(brands?: BrandTokenMap): Policy {
  return loadPolicy(readPackageFile(DEMONSTRATION_FILE), {
    file: 'templates/policies/demonstration.yaml',
    ...(brands === undefined ? {} : { brands }),
  });
}
