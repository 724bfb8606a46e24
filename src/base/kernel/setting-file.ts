/** Files that settings name: what is wrong with one is said by the setting's name, never by its value. */
import { readFileSync } from 'node:fs';
import { ConfigError, codeOf } from './errors.ts';

/** Reads the file. @throws {ConfigError} when it cannot be read */
export function readSettingFile(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadable(setting, cause);
  }
}

/** The error for a file that could not be read. */
export function unreadable(setting: string, cause: unknown): ConfigError {
  const code = codeOf(cause);
  return new ConfigError(
    `${setting} names a file that cannot be read${code === undefined ? '' : ` (${code})`}. Check the path.`,
    { cause },
  );
}
