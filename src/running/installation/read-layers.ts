/** What is above an organisation of the file, and its merchants below it. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readStatedGuards } from '../../alerts/guard/guard-settings.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Environment } from '../environment.ts';
import type { InstallationFile, MerchantEntry, OrganisationEntry } from './installation-file.ts';
import type { LayerWords } from './layer-words.ts';
import { merchantFaults } from './merchant-shape.ts';
import type { KeyProblem } from './setting-keys.ts';
import { problemOfSetting, readKeys, valueAt } from './setting-keys.ts';

export interface FileScope extends Pick<InstallationFile, 'defaults' | 'installation'> {
  readonly file: string;
  /** The environment of the process. */
  readonly env: Environment;
}

/** Reads them. Never throws: what cannot be read is listed. */
export function readLayers(
  entry: OrganisationEntry,
  { file, defaults, installation, env }: FileScope,
): { readonly words: LayerWords; readonly problems: readonly KeyProblem[] } {
  const problems: KeyProblem[] = [];
  const guardsAt = (
    named: string | undefined,
    path: readonly string[],
    folder = dirname(file),
  ): string | undefined => {
    if (named === undefined) return undefined;
    try {
      const text = readFileSync(resolve(folder, named), 'utf8');
      readStatedGuards(text, 'guards');
      return text;
    } catch (error) {
      const message =
        error instanceof ConfigError
          ? error.message
          : 'names a file that cannot be read. Check the path.';
      problems.push({ path, message });
      return undefined;
    }
  };
  const outermost = guardsAt(installation?.guards, ['guards']);
  const layers = [
    { layer: 'environment', text: guardsAt(env['FORESTALL_GUARDS'], ['guards'], '.') },
    { layer: 'installation', text: outermost },
    { layer: 'defaults', text: guardsAt(defaults?.guards, ['guards']) },
    { layer: 'organisation', text: guardsAt(entry.guards, ['guards']) },
  ];
  const merchants = (entry.merchants ?? []).map((merchant, place) => {
    const at = ['merchants', String(place)];
    const read = readKeys((path) => valueAt(merchantKeys(merchant), path), { file, env });
    const settings = Object.fromEntries(read.settings);
    problems.push(
      ...read.problems.map(({ path, message }) => ({ path: [...at, ...path], message })),
      ...merchantFaults(settings).map((fault) => {
        const { path, message } = problemOfSetting(fault);
        return { path: [...at, ...path], message };
      }),
    );
    const { id, name } = merchant;
    return { id, name, settings, guards: guardsAt(merchant.guards, [...at, 'guards']) };
  });
  const words: LayerWords = {
    policy: sayerOf('policy', entry, defaults),
    processor: sayerOf('processor', entry, defaults),
    guards: layers.flatMap(({ layer, text }) => (text === undefined ? [] : [{ layer, text }])),
    installation: outermost,
    merchants,
  };
  return { words, problems };
}

/** Its guards are a layer, not a setting; its id and name are none either. */
function merchantKeys({ id: _id, name: _name, guards: _guards, ...keys }: MerchantEntry): object {
  return keys;
}

function sayerOf(
  key: 'policy' | 'processor',
  entry: OrganisationEntry,
  defaults: InstallationFile['defaults'],
): LayerWords['policy'] {
  if (entry[key] !== undefined) return 'organisation';
  return defaults?.[key] === undefined ? undefined : 'installation';
}
