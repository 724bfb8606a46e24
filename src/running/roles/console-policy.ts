/**
 * The policy in force where no file is configured: the one that two people put in force in the console, or
 * the one that comes with the program until they do.
 */
import type { Policy } from '../../alerts/decide/policy.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { loadPolicy } from '../../policy/load.ts';
import type { PolicySource } from '../../policy/policy-watcher.ts';
import { findActivation, findVersion } from '../../policy/version.store.ts';
import type { PolicyScope } from './policy-source.ts';

/**
 * Opens it. A version that cannot be used never replaces one that can; where the one in force cannot be
 * used at the start, the program's own stays, and a person is notified.
 */
export async function openConsolePolicy(
  scope: PolicyScope,
  builtIn: Policy,
): Promise<PolicySource> {
  const { db, organisationId, brands, log } = scope;
  let inForce = builtIn;
  let problem: string | null = null;
  const read = async (): Promise<Policy | undefined> => {
    const latest = await findActivation(db, organisationId);
    // Without a second person it came from a file, or with the program.
    if (latest === undefined || latest.approved_by === null) return undefined;
    if (latest.version === inForce.version) return inForce;
    const stored = await findVersion(db, organisationId, latest.version);
    if (stored === undefined) throw new Error(`version ${latest.version} is not stored.`);
    const { source, files, name } = stored;
    const policy = loadPolicy(source, { file: name, files, brands });
    if (policy.version !== latest.version) {
      throw new Error(`the stored text of version ${latest.version} is another one.`);
    }
    return policy;
  };
  const refresh = async (): Promise<boolean> => {
    try {
      const next = await read();
      problem = null;
      if (next === undefined || next === inForce) return false;
      inForce = next;
      log.info({ policyVersion: next.version }, 'policy replaced');
      return true;
    } catch (error) {
      problem = messageOf(error);
      log.error({ problem }, 'the policy of the console cannot be used; the old one stays');
      return false;
    }
  };
  await refresh();
  return { current: () => inForce, refresh, problem: () => problem, followsConsole: true };
}
