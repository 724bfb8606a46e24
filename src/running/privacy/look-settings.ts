/**
 * Looks for a person in the settings: in the files that the environment names, and in those that such a file names (the
 * policy of `installation.yaml`, the list of a policy). An erasure changes none of them, so it says where they are named.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Person } from '../../base/seal/person.ts';
import type { Environment } from '../environment.ts';

/** A line that names the person. */
export interface NamedLine {
  /** A path; or the name of a setting that is in the environment itself. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** Bounds of the walk: settings are small and few. A module may be next to anything. */
const FILES_MAX = 2_000;
const FILE_BYTES_MAX = 8 * 1024 * 1024;

/** Folders in the folder that a setting names. */
const DEPTH_MAX = 3;

/** Longest text that is taken for a path, in characters. */
const PATH_LENGTH_MAX = 500;

/** What other programs keep, in the folder of a module. */
const PASSED_OVER: ReadonlySet<string> = new Set(['node_modules', '.git']);

const OUR_OWN = /^FORESTALL_|^PORT$/;

export interface NamedInSettings {
  readonly lines: readonly NamedLine[];
  /** Files that could not be read, or are larger than 8 MB. */
  readonly unread: readonly string[];
}

/** `texts`: what settings say that are given as files, by name. */
export function lookInSettings(
  env: Environment,
  texts: ReadonlyMap<string, string>,
  person: Person,
): NamedInSettings {
  const own = Object.entries(env).filter(([name]) => OUR_OWN.test(name));
  const values = [...own, ...texts].flatMap(([, text]) => text ?? []);
  const lines = own.flatMap(([name, text = '']) => linesNaming(name, text, person));
  const unread: string[] = [];
  for (const [file, text] of filesBehind(values)) {
    if (text === undefined) unread.push(file);
    else lines.push(...linesNaming(file, text, person));
  }
  return { lines, unread };
}

/** Every file that these settings lead to, with its text. */
function filesBehind(values: readonly string[]): ReadonlyMap<string, string | undefined> {
  const read = new Map<string, string | undefined>();
  const found = new Set(values.flatMap((value) => filesAt(resolve(value), 0)));
  // A set is walked with what it gains meanwhile.
  for (const file of found) {
    const text = textOf(file);
    read.set(file, text);
    if (text === undefined || found.size >= FILES_MAX) continue;
    for (const named of namedBy(file, text)) found.add(named);
  }
  return read;
}

/** The file, or those of the folder; none where the text is no path. */
function filesAt(path: string, depth: number): readonly string[] {
  const kind = kindOf(path);
  if (kind === 'file') return [path];
  if (kind !== 'folder' || depth >= DEPTH_MAX) return [];
  const names = readdirSync(path).filter((name) => !PASSED_OVER.has(name));
  return names.slice(0, FILES_MAX).flatMap((name) => filesAt(join(path, name), depth + 1));
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  if (path.length > PATH_LENGTH_MAX || path.includes('\0')) return undefined;
  try {
    const stat = statSync(path);
    if (stat.isFile()) return 'file';
    return stat.isDirectory() ? 'folder' : undefined;
  } catch {
    return undefined;
  }
}

/** Files that a document names, beginning at its own folder. */
function namedBy(file: string, text: string): readonly string[] {
  if (!/\.(?:ya?ml|json)$/i.test(file)) return [];
  return [...new Set(textsIn(documentIn(text)))]
    .map((each) => resolve(dirname(file), each))
    .filter((path) => kindOf(path) === 'file');
}

/** What cannot be read as a document is text, and names no file. */
function documentIn(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function textOf(file: string): string | undefined {
  try {
    return statSync(file).size > FILE_BYTES_MAX ? undefined : readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function linesNaming(file: string, text: string, person: Person): NamedLine[] {
  if (!person.names(text)) return [];
  const lines = text.split('\n');
  const named = lines.flatMap((each, place) => (person.names(each) ? [place + 1] : []));
  return (named.length > 0 ? named : [lineWhereNamed(lines, person)]).map((line) => ({
    file,
    line,
  }));
}

/** A name that goes over lines: the one in which it ends. */
function lineWhereNamed(lines: readonly string[], person: Person): number {
  let [from, to] = [1, lines.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (person.names(lines.slice(0, middle).join('\n'))) to = middle;
    else from = middle + 1;
  }
  return from;
}
