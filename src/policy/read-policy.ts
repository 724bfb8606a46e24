/**
 * `loadPolicy`, as programs import it: a policy from its text, without the parts that explaining and trying it need.
 *
 * @module
 */
import type { Policy } from '../alerts/decide/policy.ts';
import type { LoadPolicyOptions } from './load.ts';
import { loadPolicy as load } from './load.ts';

/**
 * Reads a policy. Pure: the files it names are given, not read.
 *
 * @throws {PolicyError} listing every problem with file, line and column
 */
export function loadPolicy(text: string, options: LoadPolicyOptions): Policy {
  return load(text, options);
}
