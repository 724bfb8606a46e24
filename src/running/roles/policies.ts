/**
 * Opens the policy in force and the one judged with it, out of the settings and of what was in
 * force before.
 */
import { userInfo } from 'node:os';
import type { Policy } from '../../alerts/decide/policy.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { loadPolicy } from '../../policy/load.ts';
import type { PolicySource } from '../../policy/policy-watcher.ts';
import { findActivation, findVersion } from '../../policy/version.store.ts';
import { openConsolePolicy } from './console-policy.ts';
import type { OrganisationParts } from './parts.ts';
import type { PolicyScope } from './policy-source.ts';
import { openPolicy } from './policy-source.ts';

export interface PolicyPaths {
  readonly policyPath: string | undefined;
  readonly shadowPolicyPath: string | undefined;
}

/**
 * Opens them. A policy file that has become unusable is replaced by the version that was in force
 * from it before, so that a restart does not leave alerts without an answer.
 *
 * @throws {ConfigError} when a file cannot be read and there is no such version
 * @throws {PolicyError} the same for a file that is wrong, naming every problem
 */
export async function openPolicies(
  parts: OrganisationParts,
  { policyPath, shadowPolicyPath }: PolicyPaths,
  demonstration: boolean,
): Promise<{ readonly policy: PolicySource; readonly policyBeside: PolicySource | undefined }> {
  const shared = { demonstration, brands: parts.endpoints.brandTokens, log: parts.log };
  const { database, organisationId } = parts;
  const scope = { ...shared, db: database.db, organisationId };
  const lastGood = policyPath === undefined ? undefined : await findLastGood(scope, policyPath);
  const opened = openPolicy({ ...shared, path: policyPath, lastGood });
  return {
    policy: policyPath === undefined ? await openConsolePolicy(scope, opened.current()) : opened,
    policyBeside:
      shadowPolicyPath === undefined
        ? undefined
        : openPolicy({ ...shared, path: shadowPolicyPath, setting: 'FORESTALL_SHADOW_POLICY' }),
  };
}

/** The version that was in force from this path before, where it can still be used. */
export async function findLastGood(
  { db, organisationId, brands, log }: PolicyScope,
  path: string,
): Promise<Policy | undefined> {
  const activation = await findActivation(db, organisationId, path);
  if (activation === undefined) return undefined;
  const stored = await findVersion(db, organisationId, activation.version);
  if (stored === undefined) return undefined;
  try {
    const { source, files } = stored;
    return loadPolicy(source, { file: path, brands, files });
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
