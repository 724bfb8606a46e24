/** All programmes there are: those that come with Forestall, and those of the merchant's own folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unreadable } from '../../base/kernel/setting-file.ts';
import type { Programme } from './programme.ts';
import { readProgramme } from './programme.ts';

/** The name of the setting that names the folder. */
export const FOLDER_SETTING = 'FORESTALL_MONITORING';

const SHIPPED = new URL('./data/', import.meta.url).pathname;
/** Data of other kinds in the same folder. */
const NO_PROGRAMMES = new Set(['card-brands.yaml', 'fraud-reasons.yaml']);

/**
 * Reads them. A file of the merchant's folder replaces the one with the same id.
 *
 * @throws {ConfigError} when a file cannot be used
 */
export function openProgrammes(folder?: string): readonly Programme[] {
  const shipped = readFolder(SHIPPED);
  const own = folder === undefined ? [] : readFolder(folder);
  const byId = new Map([...shipped, ...own].map((programme) => [programme.id, programme]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function readFolder(folder: string): Programme[] {
  return namesIn(folder).map((name) => readProgramme(contentOf(join(folder, name)), name));
}

function namesIn(folder: string): string[] {
  try {
    const isProgramme = (name: string): boolean =>
      /\.ya?ml$/.test(name) && !NO_PROGRAMMES.has(name);
    return readdirSync(folder).filter(isProgramme).sort();
  } catch (cause) {
    throw unreadable(FOLDER_SETTING, cause);
  }
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadable(FOLDER_SETTING, cause);
  }
}
