/**
 * Opens the policy in force and the one judged beside it, out of the settings and of what was in
 * force before.
 */
import { userInfo } from 'node:os';
import type { Policy } from '../decide/policy.ts';
import { messageOf } from '../kernel/errors.ts';
import { loadPolicy } from '../policy/load.ts';
import { findActivation, findVersion } from '../policy/version.store.ts';
import type { Parts } from './parts.ts';
import type { PolicySource } from './policy-source.ts';
import { openPolicy } from './policy-source.ts';

/** Where the policies lie. */
export interface PolicyPaths {
  readonly policyPath: string | undefined;
  readonly shadowPolicyPath: string | undefined;
}

/** The policies of a worker. */
export interface OpenPolicies {
  readonly policy: PolicySource;
  readonly policyBeside: PolicySource | undefined;
}

/**
 * Opens them. A policy file that has become unusable is replaced by the version that was in force
 * from it before, so that a restart does not leave alerts without an answer.
 *
 * @throws {ConfigError} when a file cannot be read and there is no such version
 * @throws {PolicyError} the same for a file that is wrong, naming every problem
 */
export async function openPolicies(
  parts: Parts,
  { policyPath, shadowPolicyPath }: PolicyPaths,
  demonstration: boolean,
): Promise<OpenPolicies> {
  const shared = { demonstration, brands: parts.place.brandTokens, log: parts.log };
  const lastGood = policyPath === undefined ? undefined : await findLastGood(parts, policyPath);
  return {
    policy: openPolicy({ ...shared, path: policyPath, lastGood }),
    policyBeside:
      shadowPolicyPath === undefined
        ? undefined
        : openPolicy({ ...shared, path: shadowPolicyPath, setting: 'FORESTALL_SHADOW_POLICY' }),
  };
}

async function findLastGood(parts: Parts, path: string): Promise<Policy | undefined> {
  const { database, organisationId, place, log } = parts;
  const activation = await findActivation(database.db, organisationId, path);
  if (activation === undefined) return undefined;
  const stored = await findVersion(database.db, organisationId, activation.version);
  if (stored === undefined) return undefined;
  try {
    const { source, files } = stored;
    return loadPolicy(source, { file: path, brands: place.brandTokens, files });
  } catch (error) {
    log.warn(
      { version: stored.version, problem: messageOf(error) },
      'an earlier policy is of no use',
    );
    return undefined;
  }
}

/** As whom this process runs: who put a policy in force that names no author. */
export function processUser(): string {
  try {
    return `user:${userInfo().username}`;
  } catch {
    // A container may run under a number that has no name.
    return 'forestall';
  }
}
