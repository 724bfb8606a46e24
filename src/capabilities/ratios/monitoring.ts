/**
 * What the ratio cockpit works by: the programmes' files (those that come with Forestall, and those of the merchant's
 * own folder), and the acquirer's region.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { listPackageFolder, readPackageFile } from '../../base/kernel/package-file.ts';
import { readSettingFile, unreadable } from '../../base/kernel/setting-file.ts';
import type { Programme } from './programme.ts';
import { readProgramme } from './programme.ts';

export interface Monitoring {
  readonly programmes: readonly Programme[];
  readonly region: string | undefined;
}

/** Reads the files. @throws {ConfigError} when one cannot be used */
export function openMonitoring(given: {
  readonly folder?: string | undefined;
  readonly region?: string | undefined;
}): Monitoring {
  return { programmes: openProgrammes(given.folder), region: given.region };
}

const FOLDER_SETTING = 'FORESTALL_MONITORING';

const SHIPPED = new URL('./data/', import.meta.url);
/** Data of other kinds in the same folder. */
const NO_PROGRAMMES = new Set(['card-brands.yaml', 'fraud-reasons.yaml']);

/** Those that come with this version: read once, however many organisations there are. */
let shipped: readonly Programme[] | undefined;

/**
 * Reads them. A file of the merchant's folder replaces the one with the same id.
 *
 * @throws {ConfigError} when a file cannot be used
 */
export function openProgrammes(folder?: string): readonly Programme[] {
  shipped ??= listPackageFolder(SHIPPED)
    .filter(isProgramme)
    .map((name) => readProgramme(readPackageFile(new URL(name, SHIPPED)), name));
  const own = folder === undefined ? [] : readFolder(folder);
  const byId = new Map([...shipped, ...own].map((programme) => [programme.id, programme]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function readFolder(folder: string): Programme[] {
  return namesIn(folder).map((name) =>
    readProgramme(readSettingFile(join(folder, name), FOLDER_SETTING), name),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isProgramme).sort();
  } catch (cause) {
    throw unreadable(FOLDER_SETTING, cause);
  }
}

function isProgramme(name: string): boolean {
  return /\.ya?ml$/.test(name) && !NO_PROGRAMMES.has(name);
}
