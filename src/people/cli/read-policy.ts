/** The policy that a command is about: of a file that is named, or of the one that the settings name. */
import { pathToFileURL } from 'node:url';
import type { Policy } from '../../alerts/decide/policy.ts';
import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import { isRecord } from '../../base/kernel/is-record.ts';
import { readPolicyText } from '../../policy/files.ts';
import type { LoadedPolicy } from '../../policy/load.ts';
import { loadPolicy } from '../../policy/load.ts';
import { readCommandSettings } from '../../running/config.ts';

/** The file that is named, or the one in force. */
function pathOf(path: string | undefined): string {
  const named = path ?? readCommandSettings().policyPath;
  if (named === undefined) throw new ConfigError('Name a policy file, or set FORESTALL_POLICY.');
  return named;
}

export function readYaml(path: string | undefined): LoadedPolicy {
  const file = pathOf(path);
  try {
    const { text, files } = readPolicyText(file);
    return loadPolicy(text, { file, files, brands: readCommandSettings().brandTokens });
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) {
      throw new ConfigError(`${file} cannot be read: ${messageOf(error)}. Check the path.`, {
        cause: error,
      });
    }
    throw error;
  }
}

/** A policy in YAML, or the default export of a module that calls `definePolicy`. */
export async function readAnyPolicy(path: string | undefined): Promise<Policy> {
  const file = pathOf(path);
  if (!/\.[cm]?[jt]s$/.test(file)) return readYaml(file);
  const module: unknown = await import(pathToFileURL(file).href);
  const policy = isRecord(module) ? module['default'] : null;
  if (isPolicy(policy)) return policy;
  throw new ConfigError(`${file} has no policy as its default export. Make one with definePolicy.`);
}

function isPolicy(value: unknown): value is Policy {
  return (
    typeof value === 'object' &&
    value !== null &&
    'propose' in value &&
    typeof value.propose === 'function' &&
    'version' in value
  );
}
