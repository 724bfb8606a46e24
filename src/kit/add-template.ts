/**
 * Copies a template into a project. Looks at everything first, and then writes all of it or nothing:
 * a file that is there and is not the template's own, untouched, is never replaced unasked.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diffLines } from './line-diff.ts';
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

/** One file of the plan. */
export interface PlannedFile {
  /** Relative to the project. */
  readonly path: string;
  readonly fate: FileFate;
  /** What is written, with its mark. */
  readonly content: string;
  /** From what is there to what would be written; empty for a new file. */
  readonly diff: readonly string[];
}

/** What adding would do. */
export interface AddPlan {
  readonly templates: readonly Template[];
  readonly files: readonly PlannedFile[];
  /** All packages to install, with their ranges. */
  readonly packages: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  readonly next: readonly string[];
}

/** Where to. */
export interface AddTarget {
  /** The project. */
  readonly root: string;
  /** Folder for templates, relative to the project. */
  readonly folder: string;
}

/**
 * Looks at what adding the template would do. Changes nothing.
 *
 * @throws {ConfigError} when there is no template of this name
 */
export async function planAdd(wanted: string, { root, folder }: AddTarget): Promise<AddPlan> {
  const templates = resolveTemplate(readManifest(), wanted);
  const version = readKitVersion();
  const names = [...new Set(templates.flatMap(({ files }) => files))];
  const files = await Promise.all(
    names.map(async (name): Promise<PlannedFile> => {
      const text = readTemplateFile(name);
      const content = withStamp(text, name, version);
      const path = join(folder, name);
      const there = await readIfThere(join(root, path));
      if (there === undefined) return { path, fate: 'new', content, diff: [] };
      const fate = fateOf(there, text);
      const diff = fate === 'same' ? [] : diffLines(readStamp(there)?.text ?? there, text);
      return { path, fate, content, diff };
    }),
  );
  return {
    templates,
    files,
    packages: Object.assign({}, ...templates.map(({ packages }) => packages)),
    settings: Object.assign({}, ...templates.map(({ settings }) => settings)),
    next: templates.flatMap(({ next }) => next),
  };
}

function fateOf(there: string, shipped: string): FileFate {
  const marked = readStamp(there);
  const own = checksumOf(marked?.text ?? there);
  if (own === checksumOf(shipped)) return 'same';
  if (marked === undefined) return 'foreign';
  return own === marked.stamp.checksum ? 'update' : 'edited';
}

async function readIfThere(path: string): Promise<string | undefined> {
  return existsSync(path) ? await readFile(path, 'utf8') : undefined;
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
