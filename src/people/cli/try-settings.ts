/**
 * What the settings lead to, tried before anything is opened, changed or called: a start that cannot
 * succeed leaves everything as it was, the database above all.
 */
import { openEvidenceRules } from '../../alerts/evidence/evidence-rules.ts';
import { openMatchSettings } from '../../alerts/match/settings-file.ts';
import type { OpenDatabase } from '../../base/db/connect.ts';
import { readTls } from '../../base/http/tls-files.ts';
import { systemClock } from '../../base/kernel/clock.ts';
import type { Log } from '../../base/kernel/log.ts';
import { openSettings, tryAll } from '../../base/kernel/setting.ts';
import { openChannels } from '../../base/notify/notify-settings.ts';
import { openPackRules } from '../../books/representments/pack-rules.ts';
import { CAPABILITY_SETTINGS } from '../../capabilities/settings.ts';
import type { Settings } from '../../running/config.ts';
import { importProcessor } from '../../running/roles/open-processor.ts';
import { findLastGood } from '../../running/roles/policies.ts';
import { openPolicy } from '../../running/roles/policy-source.ts';
import { unknownSettings } from '../../running/unknown-settings.ts';

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

/**
 * Tries what a worker needs, but for the policy in force: an earlier version may stand in for it.
 *
 * @throws {ConfigError} naming the setting whose file, module or address cannot be used
 * @throws {PolicyError} for the shadow policy
 */
export async function tryWorkerSettings(settings: Settings, log: Log): Promise<void> {
  const { brandTokens: brands, processor, shadowPolicyPath: path } = settings;
  openMatchSettings(settings.matchingPath, brands);
  openEvidenceRules(settings.evidencePath);
  tryAll(CAPABILITY_SETTINGS, openSettings(settings.given));
  openPackRules(settings.console.evidencePacksPath);
  openChannels(settings.notify, systemClock);
  const setting = 'FORESTALL_SHADOW_POLICY';
  openPolicy({ path, setting, demonstration: false, brands, log });
  if (processor.kind === 'module') await importProcessor(processor.path);
}

/**
 * Tries the policy in force on a database that may still have to be migrated.
 *
 * @throws {ConfigError} when its file cannot be read and no earlier version can stand in for it
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
