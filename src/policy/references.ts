/** What one part of a policy says about another, or about a file beside it: lists, rates, and names. */
import { isRecord } from '../base/kernel/is-record.ts';
import { readOnce } from '../base/kernel/setting-file.ts';
import type { Path } from '../base/kernel/yaml-positions.ts';
import { valueAt } from '../base/kernel/yaml-positions.ts';
import { OTHERWISE } from './examples.ts';
import { LIST_ENTRIES_MAX, linesOf, readRates, tooLong } from './head.ts';
import { problemAt } from './problems.ts';
import type { WrittenPolicy } from './schema.ts';
import type { PolicyProblem, Source } from './source.ts';
import { PolicyError, readSource } from './source.ts';
import { suggestion } from './suggestion.ts';

/** What is wrong with it, also where the policy itself could not be read. */
export function referenceProblems(
  source: Source,
  files: Readonly<Record<string, string>>,
): PolicyProblem[] {
  return [...fileProblems(source, files), ...repeatedNames(source), ...unknownLists(source)];
}

/** The files a policy names, as it names them. Empty for a text that is no policy. */
export function referencedFiles(text: string): readonly string[] {
  return filesOf(text, '');
}

/** Policies are looked at every few seconds, and hardly ever change. */
const filesOf = readOnce((text, file): readonly string[] => {
  try {
    const { data } = readSource(text, file);
    return filesNamed(data).map(({ file: named }) => named);
  } catch (error) {
    if (error instanceof PolicyError) return [];
    throw error;
  }
});

function filesNamed(data: unknown): { readonly path: Path; readonly file: string }[] {
  const lists = namedLists(data).map((name) => ['lists', name]);
  return [...lists, ['rates']].flatMap((path) => {
    const file = valueAt(data, path);
    return typeof file === 'string' && file !== '' ? [{ path, file }] : [];
  });
}

function namedLists(data: unknown): readonly string[] {
  const lists = valueAt(data, ['lists']);
  return isRecord(lists) ? Object.keys(lists) : [];
}

function fileProblems(source: Source, files: Readonly<Record<string, string>>): PolicyProblem[] {
  return filesNamed(source.data).flatMap(({ path, file }) => {
    const [part, name] = path;
    const content = files[file];
    if (content === undefined) {
      const what = part === 'rates' ? '"rates"' : `the list "${String(name)}"`;
      const message = `${what} names the file ${file}, which cannot be read.`;
      return [problemAt(source, { path, message })];
    }
    if (name === undefined) return problemsOfRates(content, file);
    const entries = linesOf(content).length;
    return entries > LIST_ENTRIES_MAX
      ? [problemAt(source, { path, message: tooLong(String(name), entries), part: 'key' })]
      : [];
  });
}

function problemsOfRates(content: string, file: string): readonly PolicyProblem[] {
  try {
    readRates(content, file);
    return [];
  } catch (error) {
    if (error instanceof PolicyError) return error.problems;
    throw error;
  }
}

/** Decisions name their rule, so two rules of one name could not be distinguished. */
function repeatedNames(source: Source): PolicyProblem[] {
  const rules = valueAt(source.data, ['rules']);
  const names = Array.isArray(rules) ? rules.map((rule) => valueAt(rule, ['name'])) : [];
  const firsts = new Map<unknown, number>();
  return names.flatMap((name, index) => {
    const first = firsts.get(name) ?? index;
    firsts.set(name, first);
    if (typeof name !== 'string' || first === index) return [];
    const { line } = source.positionOf(['rules', first, 'name']);
    const message = `the name "${name}" is used in line ${line} already. Choose another.`;
    return [problemAt(source, { path: ['rules', index, 'name'], message })];
  });
}

/** Examples that expect a rule which is not there. */
export function unknownRules(
  { examples = [], rules }: WrittenPolicy,
  source: Source,
): PolicyProblem[] {
  const names = [...rules.map(({ name }) => name), OTHERWISE];
  return examples.flatMap(({ rule }, index) => {
    if (rule === undefined || names.includes(rule)) return [];
    const message = `there is no rule "${rule}". ${suggestion(rule, names)}`;
    return [problemAt(source, { path: ['examples', index, 'rule'], message })];
  });
}

/** Conditions that ask about a list that is not there. */
function unknownLists(source: Source): PolicyProblem[] {
  const known = namedLists(source.data);
  return listUses(valueAt(source.data, ['rules']), ['rules'])
    .filter(({ list }) => !known.includes(list))
    .map(({ path, list }) => {
      const hint = known.length === 0 ? 'Name it under "lists".' : suggestion(list, known);
      return problemAt(source, { path, message: `unknown list "${list}". ${hint}` });
    });
}

function listUses(value: unknown, path: Path): { readonly path: Path; readonly list: string }[] {
  if (path.at(-1) === 'in_list') {
    const lists: unknown[] = Array.isArray(value) ? value : [value];
    return lists.flatMap((list) =>
      typeof list === 'string' && list !== '' ? [{ path, list }] : [],
    );
  }
  if (Array.isArray(value)) return value.flatMap((each, index) => listUses(each, [...path, index]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => listUses(each, [...path, key]));
}
