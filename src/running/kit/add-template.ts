/**
 * Copies a template into a project. Looks at everything first, and then writes all of it or nothing:
 * a file that is there and is not the template's own, untouched, is never replaced unasked.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRecord } from '../../base/kernel/is-record.ts';
import { changedLines } from '../../base/kernel/line-diff.ts';
import type { ImportEnding } from './import-ending.ts';
import { importEndingOf, withImportEnding } from './import-ending.ts';
import { findTemplateDrift } from './template-drift.ts';
import type { Template } from './template-manifest.ts';
import {
  readKitVersion,
  readManifest,
  readTemplateFile,
  resolveTemplate,
} from './template-manifest.ts';
import { checksumOf, readStamp, withStamp } from './template-stamp.ts';

/**
 * What adding does to a file. `new`: written · `same`: there already · `update`: there, untouched, of
 * another version · `edited`: there, and yours by now · `foreign`: there, and never a template.
 */
export type FileFate = 'new' | 'same' | 'update' | 'edited' | 'foreign';

export interface PlannedFile {
  /** Relative to the project. */
  readonly path: string;
  readonly fate: FileFate;
  /** What is written, with its mark. */
  readonly content: string;
  /** From what is there to what would be written; empty for a new file. */
  readonly diff: readonly string[];
}

export interface AddPlan {
  readonly templates: readonly Template[];
  readonly files: readonly PlannedFile[];
  /** All packages to install, with their ranges. */
  readonly packages: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  readonly next: readonly string[];
  /** How the project wants imports of its own files written. */
  readonly ending: ImportEnding;
  /** Whether its package.json says that its files are CommonJS: Node then runs none with `import`. */
  readonly isCommonJs: boolean;
}

export interface AddTarget {
  /** The project. */
  readonly root: string;
  /**
   * Folder for templates, relative to the project. @default `forestall`; a file that is not there and
   * whose only copy carries its mark elsewhere is that copy, moved
   */
  readonly folder?: string;
}

/** Where templates go by default. */
const DEFAULT_FOLDER = 'forestall';

/**
 * Looks at what adding the template would do. Changes nothing.
 *
 * @throws {ConfigError} when there is no template of this name
 */
export async function planAdd(wanted: string, { root, folder }: AddTarget): Promise<AddPlan> {
  const templates = resolveTemplate(readManifest(), wanted);
  const version = readKitVersion();
  const names = [...new Set(templates.flatMap(({ files }) => files))];
  const inPlace = names.map((name) => ({ name, path: join(folder ?? DEFAULT_FOLDER, name) }));
  const isFollowing = folder === undefined && inPlace.some(({ path }) => !isThere(root, path));
  const moved = isFollowing ? await findMoved(root) : new Map<string, string>();
  const ending = importEndingOf(root);
  const files = await Promise.all(
    inPlace.map(async ({ name, path: usual }): Promise<PlannedFile> => {
      const path = isThere(root, usual) ? usual : (moved.get(name) ?? usual);
      const shipped = { name, text: readTemplateFile(name) };
      const content = withStamp(withImportEnding(shipped.text, name, ending), name, version);
      if (!isThere(root, path)) return { path, fate: 'new', content, diff: [] };
      const there = await readFile(join(root, path), 'utf8');
      return { path, fate: fateOf(there, shipped), content, diff: differenceOf(there, shipped) };
    }),
  );
  return {
    templates,
    files,
    packages: Object.assign({}, ...templates.map(({ packages }) => packages)),
    settings: Object.assign({}, ...templates.map(({ settings }) => settings)),
    next: templates.flatMap(({ next }) => next),
    ending,
    isCommonJs: await isCommonJs(root),
  };
}

async function isCommonJs(root: string): Promise<boolean> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    return isRecord(manifest) && manifest['type'] === 'commonjs';
  } catch {
    // What is not there, or npm cannot read either, says nothing.
    return false;
  }
}

interface ShippedFile {
  readonly name: string;
  readonly text: string;
}

function fateOf(there: string, { name, text }: ShippedFile): FileFate {
  const marked = readStamp(there);
  const own = checksumOf(marked?.text ?? there, name);
  if (own === checksumOf(text, name)) return 'same';
  if (marked === undefined) return 'foreign';
  return own === marked.stamp.checksum ? 'update' : 'edited';
}

function isThere(root: string, path: string): boolean {
  return existsSync(join(root, path));
}

function differenceOf(there: string, { name, text }: ShippedFile): readonly string[] {
  return changedLines(withImportEnding(readStamp(there)?.text ?? there, name, '.ts'), text);
}

/** Template file → its only copy in the project. Of several, none is known to be the one. */
async function findMoved(root: string): Promise<ReadonlyMap<string, string>> {
  const copies = Map.groupBy(await findTemplateDrift(root), ({ file }) => file);
  const only = [...copies].flatMap(([file, found]) => {
    const [first, second] = found;
    return first === undefined || second !== undefined ? [] : [[file, first.path] as const];
  });
  return new Map(only);
}

/** A copied file compared with what this version ships. */
export interface ComparedFile {
  readonly path: string;
  /** `gone`: this version ships no such file any more. */
  readonly fate: FileFate | 'gone';
  readonly diff: readonly string[];
}

/** Every copied file of the project that is behind this version. Changes nothing. */
export async function compareCopies(root: string): Promise<readonly ComparedFile[]> {
  const behind = (await findTemplateDrift(root)).filter(({ upstream }) => upstream !== 'same');
  return await Promise.all(
    behind.map(async ({ path, file, upstream, edited }): Promise<ComparedFile> => {
      if (upstream === 'gone') return { path, fate: 'gone', diff: [] };
      const there = await readFile(join(root, path), 'utf8');
      const diff = differenceOf(there, { name: file, text: readTemplateFile(file) });
      return { path, fate: edited ? 'edited' : 'update', diff };
    }),
  );
}

/** Files that keep a plan from being carried out. */
export function conflictsOf(plan: AddPlan): readonly PlannedFile[] {
  return plan.files.filter(({ fate }) => fate === 'edited' || fate === 'foreign');
}

/** Writes what the plan says: new files and updates, and what was edited too when `overwrite` is set. */
export async function carryOut(
  plan: AddPlan,
  { root, overwrite }: { readonly root: string; readonly overwrite: boolean },
): Promise<readonly PlannedFile[]> {
  if (conflictsOf(plan).length > 0 && !overwrite) return [];
  const written = plan.files.filter(({ fate }) => fate !== 'same');
  for (const { path, content, fate } of written) {
    const full = join(root, path);
    await mkdir(dirname(full), { recursive: true });
    // A file that appeared since the plan was made is not replaced unseen.
    await writeFile(full, content, { flag: fate === 'new' ? 'wx' : 'w' });
  }
  return written;
}
