/**
 * One organisation of the file as the settings of the environment that it means: whatever is checked and
 * read of those is checked and read of these in the same way.
 */
import { CAPABILITY_VARIABLES } from '../../capabilities/settings.ts';
import type { Environment } from '../environment.ts';
import type { OrganisationEntry } from './installation-file.ts';
import { LAYERS } from './layer-words.ts';
import type { FileScope } from './read-layers.ts';
import { readLayers } from './read-layers.ts';
import type { KeyProblem } from './setting-keys.ts';
import { readKeys, valueAt } from './setting-keys.ts';

/** What of the environment belongs to one organisation, and never to several. */
const NEVER_SHARED = [
  'FORESTALL_INSTALLATION',
  'FORESTALL_ORGANISATION_ID',
  'FORESTALL_INTEGRATION_ID',
  'FORESTALL_API_KEY',
  'FORESTALL_WEBHOOK_SECRETS',
  ...CAPABILITY_VARIABLES.flatMap(({ name, isOwn }) => (isOwn === true ? [name] : [])),
];

export interface OrganisationEnvironment {
  readonly env: Environment;
  readonly problems: readonly KeyProblem[];
}

/** The environment of an organisation. Never throws: what cannot be read is listed. */
export function organisationEnvironment(
  entry: OrganisationEntry,
  scope: FileScope,
): OrganisationEnvironment {
  const { file, defaults, env: base } = scope;
  const env: Record<string, string | undefined> = { ...base };
  const problems: KeyProblem[] = [];
  const set = (setting: string, text: string | undefined): void => {
    delete env[`${setting}_FILE`];
    delete env[setting];
    if (text !== undefined) env[setting] = text;
  };
  for (const setting of NEVER_SHARED) set(setting, undefined);
  const merge = (path: readonly string[]): unknown =>
    valueAt(entry, path) ?? valueAt(defaults, path);
  const own = readKeys(merge, { file, env: base });
  for (const [setting, text] of own.settings) set(setting, text);
  problems.push(...own.problems);
  const { words, problems: layerProblems } = readLayers(entry, scope);
  problems.push(...layerProblems);
  env[LAYERS] = JSON.stringify(words);
  return { env, problems };
}
