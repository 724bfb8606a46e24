/**
 * Finds the files of a project that came from templates, wherever they were moved to, and says which
 * were edited and which have a newer version.
 */
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readManifest, readTemplateFile } from './template-manifest.ts';
import { checksumOf, readStamp } from './template-stamp.ts';

export interface TemplateDrift {
  /** Relative to the project. */
  readonly path: string;
  /** Path under `templates/` that it was copied from. */
  readonly file: string;
  /** Version of the package it was copied from. */
  readonly version: string;
  /** Changed since it was copied. */
  readonly edited: boolean;
  /** `newer`: this package ships another text. `gone`: it ships none of this name any more. */
  readonly upstream: 'same' | 'newer' | 'gone';
}

const SKIPPED = new Set(['node_modules', 'dist', 'build', 'vendor']);
/** Looked at and no more: a project is not a file system. */
const ENTRIES_MAX = 20_000;
const FILE_BYTES_MAX = 256 * 1024;
const MAY_BE_TEMPLATE =
  /\.(?:ts|tsx|js|mjs|py|php|md|ya?ml|json|service|conf|sh)$|(?:^|\/)Caddyfile$/;

/** Looks through the project. Hidden folders and installed packages are left out. */
export async function findTemplateDrift(root: string): Promise<readonly TemplateDrift[]> {
  const shipped = new Set(readManifest().flatMap(({ files }) => files));
  const found: TemplateDrift[] = [];
  for (const path of await candidates(root)) {
    const marked = readStamp(await readFile(path, 'utf8'));
    if (marked === undefined) continue;
    const { stamp, text } = marked;
    const isShipped = shipped.has(stamp.file);
    const isSame =
      isShipped && checksumOf(readTemplateFile(stamp.file), stamp.file) === stamp.checksum;
    found.push({
      path: relative(root, path),
      file: stamp.file,
      version: stamp.version,
      edited: checksumOf(text, stamp.file) !== stamp.checksum,
      upstream: upstreamOf(isShipped, isSame),
    });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function upstreamOf(isShipped: boolean, isSame: boolean): TemplateDrift['upstream'] {
  if (!isShipped) return 'gone';
  return isSame ? 'same' : 'newer';
}

/** Files that may be templates, by name and size, folder by folder. */
async function candidates(root: string): Promise<string[]> {
  const files: string[] = [];
  const folders = [root];
  let entryCount = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true });
    entryCount += entries.length;
    if (entryCount > ENTRIES_MAX) return files;
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (isOwnFolder(entry)) folders.push(path);
      else if (entry.isFile() && (await mayBeTemplate(path))) files.push(path);
    }
  }
  return files;
}

function isOwnFolder(entry: Dirent): boolean {
  return entry.isDirectory() && !SKIPPED.has(entry.name) && !entry.name.startsWith('.');
}

async function mayBeTemplate(path: string): Promise<boolean> {
  return MAY_BE_TEMPLATE.test(path) && (await stat(path)).size <= FILE_BYTES_MAX;
}
