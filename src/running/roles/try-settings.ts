/**
 * What the settings lead to, tried before anything is opened, changed or called: a start that cannot
 * succeed leaves everything as it was, the database above all.
 */
import { openMatchSettings } from '../../alerts/match/settings-file.ts';
import type { OpenDatabase } from '../../base/db/connect.ts';
import { readTls } from '../../base/http/tls-files.ts';
import { systemClock } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import type { Log } from '../../base/kernel/log.ts';
import { openSettings, tryAll } from '../../base/kernel/setting.ts';
import { openChannels } from '../../base/notify/notify-settings.ts';
import { CAPABILITY_SETTINGS } from '../../capabilities/settings.ts';
import type { Settings } from '../config.ts';
import { unknownSettings } from '../unknown-settings.ts';
import { importProcessor } from './open-processor.ts';
import { findLastGood } from './policies.ts';
import { openPolicy } from './policy-source.ts';

/** Says in the log which names in the environment look like settings and are none. */
export function warnOfUnknownSettings(log: Log): void {
  for (const { name, near } of unknownSettings()) {
    log.warn({ name, ...(near === undefined ? {} : { meant: near }) }, 'no setting has this name');
  }
}

/** Tries what a listener needs. @throws {ConfigError} when its certificate cannot be used */
export function tryListenerSettings({ tls }: Settings): void {
  if (tls !== undefined) readTls(tls);
}

/** Settings that name files of their own; what is left out is not set. */
export type FileSettings = Pick<Settings, 'brandTokens'> &
  Partial<Pick<Settings, 'matchingPath' | 'given' | 'console' | 'shadowPolicyPath'>>;

type Try = (settings: FileSettings, log: Log) => unknown;

/** Each opens a file that a setting names, and throws when it cannot be used. */
const FILE_TRIES: readonly Try[] = [
  ({ matchingPath, brandTokens }): unknown => openMatchSettings(matchingPath, brandTokens),
  ({ given = {} }): unknown => tryAll(CAPABILITY_SETTINGS, openSettings(given)),
  ({ shadowPolicyPath: path, brandTokens: brands }, log): unknown =>
    openPolicy({ path, setting: 'FORESTALL_SHADOW_POLICY', demonstration: false, brands, log }),
];

/** What keeps each of these files from being used, in words that name its setting. */
export function fileProblems(settings: FileSettings, log: Log): string[] {
  return FILE_TRIES.flatMap((open) => {
    try {
      open(settings, log);
      return [];
    } catch (error) {
      return [messageOf(error)];
    }
  });
}

/**
 * Tries what a worker needs, but for the policy in force: an earlier version may replace it.
 *
 * @throws {ConfigError} naming the setting whose file, module or address cannot be used
 * @throws {PolicyError} for the shadow policy
 */
export async function tryWorkerSettings(settings: Settings, log: Log): Promise<void> {
  for (const open of FILE_TRIES) open(settings, log);
  openChannels(settings.notify, systemClock);
  const { processor } = settings;
  if (processor.kind === 'module') await importProcessor(processor.path);
}

/**
 * Tries the policy in force on a database that may still have to be migrated.
 *
 * @throws {ConfigError} when its file cannot be read and no earlier version can replace it
 * @throws {PolicyError} the same for a file that is wrong
 */
export async function tryPolicy(
  settings: Settings,
  { database, log }: { readonly database: OpenDatabase; readonly log: Log },
): Promise<void> {
  const { policyPath: path, brandTokens: brands, organisationId } = settings;
  try {
    openPolicy({ path, demonstration: false, brands, log });
  } catch (error) {
    if (path === undefined || organisationId === undefined) throw error;
    const scope = { db: database.db, organisationId, brands, log };
    // A database without our tables has none either.
    const kept = await findLastGood(scope, path).catch(() => undefined);
    if (kept === undefined) throw error;
  }
}
