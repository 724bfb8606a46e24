/**
 * Reads the files of an estate. Every problem is reported with file, line, column and the word that was
 * probably meant.
 */

import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CARD_IN_SETTINGS, lineOfSettingsWithCard } from '../../../base/kernel/card-number.ts';
import { codeOf } from '../../../base/kernel/errors.ts';
import { issueWords } from '../../../base/kernel/issue-words.ts';
import { valueAt } from '../../../base/kernel/yaml-positions.ts';
import type {
  FilePosition,
  FileProblem,
  Variables,
  YamlText,
} from '../../../base/kernel/yaml-text.ts';
import { parseYamlText, valueProblems } from '../../../base/kernel/yaml-text.ts';
import { checkEstate } from './check-estate.ts';
import type { Estate, Written } from './estate.ts';
import { EstateFileError, estateFileSchema, includedFileSchema } from './estate.ts';

/** One file as it was written: variables are not replaced in it. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** What was read. */
export interface ReadEstate {
  readonly estate: Estate;
  /** The main file first. */
  readonly files: readonly SourceFile[];
  /** The variables that the files name, with their values of now. Values never go into a plan. */
  readonly variables: ReadonlyMap<string, string>;
}

/**
 * Reads the main file and the ones it includes.
 *
 * @throws {EstateFileError} naming everything that is wrong
 */
export async function readEstate(path: string, variables: Variables): Promise<ReadEstate> {
  const main = { path, text: await readMain(path) };
  return readSources(main, await readIncluded(main, variables), variables);
}

/** Reads files whose text is at hand. @throws {EstateFileError} */
export function readSources(
  mainFile: SourceFile,
  includedFiles: readonly SourceFile[],
  variables: Variables,
): ReadEstate {
  const problems: FileProblem[] = [];
  const used = new Map<string, string>();
  const parse = ({ path, text }: SourceFile): YamlText =>
    parseYamlText(path, text, { variables, used });
  const main = parse(mainFile);
  const included = includedFiles.map(parse);
  for (const yaml of [main, ...included]) problems.push(...yaml.problems);
  if (problems.length > 0) throw new EstateFileError(problems);
  const head = estateFileSchema.safeParse(main.value, { error: issueWords });
  const rest = included.map((yaml) => ({
    yaml,
    read: includedFileSchema.safeParse(yaml.value, { error: issueWords }),
  }));
  if (!head.success) problems.push(...valueProblems(main, head.error.issues, estateFileSchema));
  for (const { yaml, read } of rest) {
    if (!read.success) problems.push(...valueProblems(yaml, read.error.issues, includedFileSchema));
  }
  if (problems.length > 0 || !head.success) throw new EstateFileError(problems);
  const all = [
    { yaml: main, data: head.data },
    ...rest.flatMap(({ yaml, read }) => (read.success ? [{ yaml, data: read.data }] : [])),
  ];
  const gather = <Entry extends object>(
    list: 'merchants' | 'enrolments' | 'rulesets',
    pick: (data: (typeof all)[number]['data']) => readonly Entry[] | undefined,
  ): Written<Entry>[] =>
    all.flatMap(({ yaml, data }) =>
      (pick(data) ?? []).map((entry, index) => ({ ...entry, at: yaml.positionOf([list, index]) })),
    );
  const estate: Estate = {
    organisation: head.data.organisation,
    unlisted: head.data.unlisted ?? 'keep',
    merchants: gather('merchants', (data) => data.merchants),
    enrolments: gather('enrolments', (data) => data.enrolments),
    rulesets: gather('rulesets', (data) => data.rulesets),
  };
  problems.push(...checkEstate(estate));
  if (problems.length > 0) throw new EstateFileError(problems);
  return { estate, files: [mainFile, ...includedFiles], variables: used };
}

/** The files that the main one names, in its order. */
async function readIncluded(main: SourceFile, variables: Variables): Promise<SourceFile[]> {
  const yaml = parseYamlText(main.path, main.text, { variables, used: new Map() });
  const named = valueAt(yaml.value, ['include']);
  if (!Array.isArray(named)) return [];
  const read = named.map(async (name, index): Promise<SourceFile[]> => {
    // What is no text is reported by the schema.
    if (typeof name !== 'string') return [];
    const at = yaml.positionOf(['include', index]);
    const paths = await expand(join(dirname(main.path), name), at);
    return Promise.all(paths.map(async (path) => ({ path, text: await readText(path, at) })));
  });
  return (await Promise.all(read)).flat();
}

/** `folder/*.yaml` is every YAML file of the folder, by name. */
async function expand(path: string, at: FilePosition): Promise<string[]> {
  if (!path.endsWith('*.yaml')) return [path];
  const folder = dirname(path);
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => name.endsWith('.yaml'))
      .sort()
      .map((name) => join(folder, name));
  } catch (error) {
    throw unreadable(folder, at, error);
  }
}

async function readMain(path: string): Promise<string> {
  const at = { file: path, line: 1, column: 1 };
  try {
    return withoutCard(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof EstateFileError) throw error;
    throw codeOf(error) === 'ENOENT' ? noFile(at) : unreadable(path, at, error);
  }
}

async function readText(path: string, at: FilePosition): Promise<string> {
  try {
    return withoutCard(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof EstateFileError) throw error;
    throw unreadable(path, at, error);
  }
}

/** The same text. @throws {EstateFileError} at the line that holds a full card number */
function withoutCard(text: string, file: string): string {
  const line = lineOfSettingsWithCard(text);
  if (line === undefined) return text;
  throw new EstateFileError([{ file, line, column: 1, message: CARD_IN_SETTINGS }]);
}

function noFile(at: FilePosition): EstateFileError {
  const message = `there is no such file. "forestall estate import -o ${at.file}" writes one of what the service holds; --file names another.`;
  return new EstateFileError([{ ...at, message }]);
}

function unreadable(path: string, at: FilePosition, error: unknown): EstateFileError {
  const message = `${path} cannot be read (${codeOf(error) ?? 'unknown reason'}). Check the path.`;
  return new EstateFileError([{ ...at, message }]);
}
