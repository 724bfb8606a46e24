/**
 * The policy in force: from the merchant's file, read again when it or a file it names changes. A
 * file that cannot be used never replaces one that could, not even across a restart.
 */
import type { Policy } from '../../alerts/decide/policy.ts';
import type { Installation } from '../../base/db/database.ts';
import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import type { Log } from '../../base/kernel/log.ts';
import { unreadable } from '../../base/kernel/setting-file.ts';
import { demonstrationPolicy, HOLD_EVERYTHING_POLICY } from '../../policy/built-in.ts';
import { readPolicyText } from '../../policy/files.ts';
import type { LoadPolicyOptions } from '../../policy/load.ts';
import { loadPolicy, policyVersion } from '../../policy/load.ts';
import type { PolicySource } from '../../policy/policy-watcher.ts';
import { PolicyError } from '../../policy/source.ts';
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';

export interface PolicyOptions {
  readonly path: string | undefined;
  /** The sandbox decides by the demonstration policy; a real service holds everything. */
  readonly demonstration: boolean;
  readonly brands: BrandTokenMap;
  readonly log: Log;
  /** What was in force from this path before; used when the file cannot be used now. */
  readonly lastGood?: Policy | undefined;
  /** The setting that names the file. @default 'FORESTALL_POLICY' */
  readonly setting?: string;
}

/** Where earlier versions of policies lie. */
export interface PolicyScope extends Pick<Installation, 'db' | 'log' | 'organisationId'> {
  readonly brands: BrandTokenMap;
}

/**
 * Opens the policy.
 *
 * @throws {ConfigError} when the file cannot be read
 * @throws {PolicyError} naming every problem with its line and column
 */
export function openPolicy(options: PolicyOptions): PolicySource {
  const { path, brands } = options;
  if (path === undefined) {
    const policy = options.demonstration ? demonstrationPolicy(brands) : HOLD_EVERYTHING_POLICY;
    return { current: () => policy, refresh: () => false };
  }
  return openFile(path, options);
}

function openFile(path: string, options: PolicyOptions): PolicySource {
  const { brands, log, lastGood, setting = 'FORESTALL_POLICY' } = options;
  let versionRead = '';
  let problem: string | null = null;
  let policy: Policy | undefined;
  const read = (): Policy | undefined => {
    const { text, files } = readText(path, setting);
    const version = policyVersion(text, files);
    if (version === versionRead) return undefined;
    // Noted before it is tried: a file that cannot be used is told of once, not at every look.
    versionRead = version;
    try {
      return loadShared(text, { file: path, brands, files });
    } catch (error) {
      throw namedBy(setting, error);
    }
  };
  try {
    policy = read();
  } catch (error) {
    if (lastGood === undefined) throw error;
    problem = messageOf(error);
  }
  const first = policy ?? lastGood;
  if (first === undefined) throw new ConfigError(`The policy of ${setting} cannot be used.`);
  let inForce = first;
  return {
    origin: path,
    current: () => inForce,
    problem: () => problem,
    refresh(): boolean {
      try {
        const next = read();
        if (next === undefined) return false;
        problem = null;
        const replaced = next.version !== inForce.version;
        inForce = next;
        if (replaced) log.info({ policyVersion: next.version }, 'policy replaced');
        return replaced;
      } catch (error) {
        const message = messageOf(error);
        if (message !== problem) {
          log.error(
            { setting, problem: message },
            'the policy file cannot be used; the old one stays',
          );
        }
        problem = message;
        return false;
      }
    },
  };
}

/** What is wrong is at a place of the file; anyone who reads it must also know what to set otherwise. */
function namedBy(setting: string, error: unknown): unknown {
  return error instanceof PolicyError ? new PolicyError(error.problems, setting) : error;
}

/** Policies kept: many organisations name the same file. */
const KEPT_MAX = 64;

const kept = new Map<string, Policy>();

/** What was read from the same texts before. A policy holds no state. */
function loadShared(text: string, options: LoadPolicyOptions): Policy {
  const key = JSON.stringify([text, options]);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const policy = loadPolicy(text, options);
  if (kept.size >= KEPT_MAX) kept.clear();
  kept.set(key, policy);
  return policy;
}

function readText(path: string, setting: string): ReturnType<typeof readPolicyText> {
  try {
    return readPolicyText(path);
  } catch (error) {
    throw unreadable(setting, error);
  }
}
