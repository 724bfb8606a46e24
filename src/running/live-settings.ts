/**
 * Settings of a running process whose secrets are exchanged without a restart: files that settings name
 * as `NAME_FILE` are read again when their text changes, and on SIGHUP. What cannot be used never takes the
 * place of what could.
 */

import { ConfigError } from '../base/kernel/errors.ts';
import type { Log } from '../base/kernel/log.ts';
import type { KeyAdmission } from '../base/seal/key-admission.ts';
import type { Settings } from './config.ts';
import { readSettings, settingsInFiles } from './config.ts';
import type { ServiceSecret } from './remote-settings.ts';
import { ALL_SECRETS } from './remote-settings.ts';

/** How often the files are looked at, in milliseconds. */
const LOOK_EVERY_MS = 5_000;

/** What takes effect at once; everything else at the next start. */
export const LIVE_SETTINGS: ReadonlySet<string> = new Set([
  'FORESTALL_API_KEY',
  'FORESTALL_PARTNER_API_KEY',
  'FORESTALL_WEBHOOK_SECRETS',
  'FORESTALL_PROCESSOR_SECRET',
  'FORESTALL_CONSOLE_TOKEN',
  'FORESTALL_DATA_KEYS',
]);

export interface FollowOptions {
  readonly log: Log;
  /** Whether rows can be worked with under other data keys. */
  readonly keyAdmission: Pick<KeyAdmission, 'admitNext'>;
  /** @default 5000 */
  readonly lookEveryMs?: number;
}

export interface LiveSettings {
  current(): Settings;
  /** Looks at the files now and then, and on SIGHUP. Returns what ends it. */
  follow(options: FollowOptions): () => void;
  /** Looks at the files once. Never throws: what is wrong is logged. */
  refresh(options: FollowOptions): Promise<void>;
}

/** `needed`: the secrets of the service that this process cannot do without. @throws {ConfigError} as `readSettings` does */
export function openLiveSettings(
  env?: Readonly<Record<string, string | undefined>>,
  needed: readonly ServiceSecret[] = ALL_SECRETS,
): LiveSettings {
  let settings = readSettings(env, needed);
  let textsRead = settingsInFiles(env);
  let turn = Promise.resolve();

  const look = async ({ log, keyAdmission }: FollowOptions): Promise<void> => {
    const texts = settingsInFiles(env);
    const names = [...new Set([...textsRead.keys(), ...texts.keys()])];
    const changed = names.filter((name) => texts.get(name) !== textsRead.get(name));
    if (changed.length === 0) return;
    try {
      const next = withSecretsOf(settings, readSettings(env, needed));
      const { dataKeys } = next;
      if (dataKeys !== undefined && dataKeys !== settings.dataKeys) {
        await keyAdmission.admitNext(dataKeys);
      }
      settings = next;
      tell(log, changed);
    } catch (error) {
      // What failed for another reason is tried again at the next look.
      if (!(error instanceof ConfigError)) throw error;
      log.error(
        { settings: changed, problem: error.message },
        'settings in files cannot be used; the old ones stay',
      );
    }
    textsRead = texts;
  };
  const refresh = (options: FollowOptions): Promise<void> => {
    turn = turn.then(async () => {
      try {
        await look(options);
      } catch (error) {
        options.log.warn({ err: error }, 'settings in files could not be exchanged yet');
      }
    });
    return turn;
  };
  return {
    current: () => settings,
    refresh,
    follow(options): () => void {
      if (textsRead.size === 0) return () => undefined;
      const onSignal = (): void => void refresh(options);
      const timer = setInterval(onSignal, options.lookEveryMs ?? LOOK_EVERY_MS).unref();
      process.on('SIGHUP', onSignal);
      return () => {
        clearInterval(timer);
        process.off('SIGHUP', onSignal);
      };
    },
  };
}

/** The settings in force with the secrets of others. Pure. */
export function withSecretsOf(settings: Settings, next: Settings): Settings {
  const { service, processor, dataKeys } = settings;
  return {
    ...settings,
    webhookSecrets: next.webhookSecrets,
    consoleToken: next.consoleToken,
    // Columns are sealed, or not, for as long as a process runs.
    dataKeys: dataKeys === undefined ? undefined : (next.dataKeys ?? dataKeys),
    service:
      service.kind === 'remote' && next.service.kind === 'remote'
        ? { ...service, apiKey: next.service.apiKey, partnerApiKey: next.service.partnerApiKey }
        : service,
    processor:
      processor.kind === 'http' && next.processor.kind === 'http'
        ? { ...processor, secret: next.processor.secret }
        : processor,
  };
}

function tell(log: Log, changed: readonly string[]): void {
  const live = changed.filter((name) => LIVE_SETTINGS.has(name));
  const later = changed.filter((name) => !LIVE_SETTINGS.has(name));
  if (live.length > 0) log.info({ settings: live }, 'secrets read again');
  if (later.length > 0) {
    log.warn({ settings: later }, 'settings in files changed; they take effect at the next start');
  }
}
