/** The keys of the file, and the setting that each of them means. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CAPABILITY_VARIABLES } from '../../capabilities/settings.ts';
import type { Environment } from '../environment.ts';
import type { SecretSource } from './installation-file.ts';

/** How a key of the file becomes a setting. */
type Kind = 'text' | 'path' | 'processor' | 'list' | 'secret' | 'secrets';

/** Settings by the key of each; a dot goes one level down. */
const SETTINGS: Readonly<Record<string, { readonly setting: string; readonly kind: Kind }>> = {
  ...Object.fromEntries(
    CAPABILITY_VARIABLES.map(({ key, name, kind }) => [key, { setting: name, kind }]),
  ),
  id: { setting: 'FORESTALL_ORGANISATION_ID', kind: 'text' },
  mode: { setting: 'FORESTALL_MODE', kind: 'text' },
  integration: { setting: 'FORESTALL_INTEGRATION_ID', kind: 'text' },
  service_url: { setting: 'FORESTALL_SERVICE_URL', kind: 'text' },
  api_key: { setting: 'FORESTALL_API_KEY', kind: 'secret' },
  partner_api_key: { setting: 'FORESTALL_PARTNER_API_KEY', kind: 'secret' },
  webhook_secrets: { setting: 'FORESTALL_WEBHOOK_SECRETS', kind: 'secrets' },
  processor: { setting: 'FORESTALL_PROCESSOR', kind: 'processor' },
  processor_secret: { setting: 'FORESTALL_PROCESSOR_SECRET', kind: 'secret' },
  policy: { setting: 'FORESTALL_POLICY', kind: 'path' },
  shadow_policy: { setting: 'FORESTALL_SHADOW_POLICY', kind: 'path' },
  guards: { setting: 'FORESTALL_GUARDS', kind: 'path' },
  matching: { setting: 'FORESTALL_MATCHING', kind: 'path' },
  reconcile_seconds: { setting: 'FORESTALL_RECONCILE_SECONDS', kind: 'text' },
  programmes: { setting: 'FORESTALL_PROGRAMMES', kind: 'list' },
  'actions.url': { setting: 'FORESTALL_ACTIONS_URL', kind: 'text' },
  'actions.secret': { setting: 'FORESTALL_ACTIONS_SECRET', kind: 'secret' },
  'notify.url': { setting: 'FORESTALL_NOTIFY_URL', kind: 'text' },
  'notify.webhook_url': { setting: 'FORESTALL_NOTIFY_WEBHOOK_URL', kind: 'text' },
  'notify.webhook_secret': { setting: 'FORESTALL_NOTIFY_WEBHOOK_SECRET', kind: 'secret' },
  'notify.smtp_url': { setting: 'FORESTALL_NOTIFY_SMTP_URL', kind: 'secret' },
  'notify.email_from': { setting: 'FORESTALL_NOTIFY_EMAIL_FROM', kind: 'text' },
  'notify.email_to': { setting: 'FORESTALL_NOTIFY_EMAIL_TO', kind: 'text' },
  'notify.digest': { setting: 'FORESTALL_NOTIFY_DIGEST', kind: 'text' },
};

export interface KeyProblem {
  readonly path: readonly string[];
  readonly message: string;
}

export interface ReadKeys {
  readonly settings: ReadonlyMap<string, string>;
  readonly problems: readonly KeyProblem[];
}

export function readKeys(find: (path: readonly string[]) => unknown, reading: Reading): ReadKeys {
  const settings = new Map<string, string>();
  const problems: KeyProblem[] = [];
  for (const [key, { setting, kind }] of Object.entries(SETTINGS)) {
    const path = key.split('.');
    const value = find(path);
    if (value === undefined) continue;
    try {
      settings.set(setting, textOf(value, kind, reading));
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      problems.push({ path: [...path, ...error.at], message: error.message });
    }
  }
  return { settings, problems };
}

/** A fault of a setting, as one of its key. */
export function problemOfSetting(fault: string): KeyProblem {
  const known = Object.entries(SETTINGS);
  const named = known.find(([, { setting }]) => new RegExp(`^${setting}\\b`).test(fault));
  const message = known.reduce(
    (text, [key, { setting }]) => text.replaceAll(new RegExp(`${setting}\\b`, 'g'), key),
    fault,
  );
  return { path: named?.[0].split('.') ?? [], message };
}

class UnreadableSecret extends Error {
  readonly at: readonly string[];
  constructor(
    message: string,
    where: { readonly at: readonly string[]; readonly cause?: unknown },
  ) {
    super(message, { cause: where.cause });
    this.at = where.at;
  }
}

export interface Reading {
  readonly file: string;
  readonly env: Environment;
}

function textOf(value: unknown, kind: Kind, reading: Reading): string {
  switch (kind) {
    case 'text':
      return String(value);
    case 'list':
      return listOf(value).map(String).join(',');
    case 'path':
      return resolve(dirname(reading.file), String(value));
    case 'processor':
      return isModule(String(value)) ? textOf(value, 'path', reading) : String(value);
    case 'secret':
      return readSecret(value, reading, []);
    case 'secrets':
      return listOf(value)
        .map((each, place) => readSecret(each, reading, [String(place)]))
        .join(',');
    default:
      return kind satisfies never;
  }
}

function isModule(processor: string): boolean {
  return processor !== 'none' && processor !== 'sandbox' && !/^[a-z][a-z0-9+.-]+:/i.test(processor);
}

function readSecret(
  source: SecretSource | unknown,
  { file, env }: Reading,
  at: readonly string[],
): string {
  const named = valueAt(source, ['file']);
  if (typeof named === 'string') {
    try {
      return readFileSync(resolve(dirname(file), named), 'utf8').replace(/\r?\n$/, '');
    } catch (cause) {
      const message = 'names a file that cannot be read. Check the path.';
      throw new UnreadableSecret(message, { at: [...at, 'file'], cause });
    }
  }
  const name = String(valueAt(source, ['env']));
  const value = env[name];
  if (value === undefined) {
    throw new UnreadableSecret(`names the variable ${name}, which is not set. Set it.`, {
      at: [...at, 'env'],
    });
  }
  return value;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
    value,
  );
}
