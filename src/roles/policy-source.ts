/**
 * The policy in force: from the merchant's file, read again when it changes. A file that cannot be
 * used never replaces one that could.
 */
import { readFileSync } from 'node:fs';
import type { Policy } from '../decide/policy.ts';
import { ConfigError, messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { demonstrationPolicy, HOLD_EVERYTHING_POLICY } from '../policy/built-in.ts';
import { loadPolicy } from '../policy/load.ts';
import type { BrandTokenMap } from '../wire/brand-tokens.ts';

/** Options of {@link openPolicy}. */
export interface PolicyOptions {
  readonly path: string | undefined;
  /** The sandbox decides by the demonstration policy; a real service holds everything. */
  readonly demonstration: boolean;
  readonly brands: BrandTokenMap;
  readonly log: Log;
}

/** The policy in force. */
export interface PolicySource {
  current(): Policy;
  /** Reads the file again if its text has changed. Returns whether another policy is in force. */
  refresh(): boolean;
}

/**
 * Opens the policy.
 *
 * @throws {ConfigError} when the file cannot be read
 * @throws {PolicyError} naming every problem with its line and column
 */
export function openPolicy(options: PolicyOptions): PolicySource {
  const { path, brands, log } = options;
  if (path === undefined) {
    const policy = options.demonstration ? demonstrationPolicy(brands) : HOLD_EVERYTHING_POLICY;
    return { current: () => policy, refresh: () => false };
  }
  let text = readText(path);
  let policy = loadPolicy(text, { file: path, brands });
  return {
    current: () => policy,
    refresh(): boolean {
      try {
        const next = readText(path);
        if (next === text) return false;
        text = next;
        policy = loadPolicy(next, { file: path, brands });
        log.info({ policyVersion: policy.version }, 'policy replaced');
        return true;
      } catch (error) {
        log.error(
          { path, problem: messageOf(error) },
          'the policy file cannot be used; the old one stays',
        );
        return false;
      }
    },
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`The policy ${path} cannot be read. Check FORESTALL_POLICY.`, {
      cause: error,
    });
  }
}
