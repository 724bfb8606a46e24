/**
 * Which organisation a command is about, where an installation has several: the one that
 * `FORESTALL_ORGANISATION_ID` names by its id or its path, or the first in the file.
 */
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Environment } from '../environment.ts';
import { installationPathIn } from '../environment.ts';
import { readInstallation } from './read-installation.ts';

/**
 * The environment of the chosen organisation; the given one where no file is named.
 *
 * @throws {InstallationFileError} naming everything that is wrong with the file
 * @throws {ConfigError} when no organisation has that name
 */
export function chosenEnvironment(env: Environment): Environment {
  const file = installationPathIn(env);
  if (file === undefined) return env;
  const organisations = readInstallation(file, env);
  const name = env['FORESTALL_ORGANISATION_ID'];
  const chosen =
    name === undefined
      ? organisations[0]
      : organisations.find(({ entry, path }) => entry.id === name || path === name);
  if (chosen === undefined) {
    throw new ConfigError(
      `FORESTALL_ORGANISATION_ID names no organisation of the installation. Known: ${organisations.map(({ entry }) => entry.id).join(', ')}.`,
    );
  }
  return chosen.env;
}
