/** Data files that lie beside the package's code: rules, migrations, templates. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigError } from './errors.ts';

/** The text of the file. @throws {ConfigError} when it does not lie where the code is: a bundler has left it behind */
export function readPackageFile(url: URL): string {
  return asPackaged(url, () => readFileSync(url, 'utf8'));
}

/** The names in the folder, in order. @throws {ConfigError} as {@link readPackageFile} does */
export function listPackageFolder(url: URL): string[] {
  return asPackaged(url, () => readdirSync(url).sort());
}

function asPackaged<Read>(url: URL, read: () => Read): Read {
  try {
    return read();
  } catch (cause) {
    const isGone = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (!isGone) throw cause;
    throw new ConfigError(
      `${fileURLToPath(url)} is not there, though the package brings it. A bundler copies code without its data files: leave forestall outside of the bundle (external) and install it where the bundle runs, as templates/guides/bundling.md of the package says. Without a bundler, install forestall again.`,
      { cause },
    );
  }
}
