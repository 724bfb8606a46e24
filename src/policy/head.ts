/**
 * Reads the head of a policy: author, time zone, named lists, rates, and what the same part again means.
 */
import type { SamePartRule } from '../alerts/ledger/same-dispute.ts';
import type { NamedList } from './compile-context.ts';
import type { RateTable } from './rates.ts';
import { readRates } from './rates.ts';
import { NAME_LENGTH_MAX } from './rules.ts';
import type { MapNode, SourceNode } from './source.ts';
import { PolicyError, Problems, readSource } from './source.ts';
import { suggestion } from './suggestion.ts';
import { isTimeZone } from './zone.ts';

/** Most entries of one list. */
export const LIST_ENTRIES_MAX = 100_000;

/** What the head is read with. */
interface HeadReading {
  readonly problems: Problems;
  readonly files: Readonly<Record<string, string>>;
}

/** Who wrote the policy; null when it does not say. */
export function readAuthor(node: SourceNode | undefined, problems: Problems): string | null {
  if (node === undefined) return null;
  if (node.kind === 'text' && node.text !== '' && node.text.length <= NAME_LENGTH_MAX) {
    return node.text;
  }
  problems.add(node.at, `an author is a text of 1 to ${NAME_LENGTH_MAX} characters.`);
  return null;
}

/** The zone of `weekday` and `hour`; UTC when the policy names none. */
export function readTimeZone(node: SourceNode | undefined, problems: Problems): string {
  if (node === undefined) return 'UTC';
  const text = node.kind === 'text' ? node.text : '';
  if (text !== '' && isTimeZone(text)) return text;
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];
  const near = suggestion(text, zones);
  problems.add(
    node.at,
    `"${text}" is no time zone. ${near.startsWith('Did') ? near : 'Write it like Europe/Berlin.'}`,
  );
  return 'UTC';
}

/** The words of `same_part:`. */
export const SAME_PART_WORDS = {
  review: 'REVIEW',
  again: 'AGAIN',
  another: 'ANOTHER',
} as const satisfies Record<string, SamePartRule>;

function isSamePartWord(text: string): text is keyof typeof SAME_PART_WORDS {
  return Object.hasOwn(SAME_PART_WORDS, text);
}

/** What the same part of a charge means that one network reports twice; a person says where nothing stands. */
export function readSamePart(node: SourceNode | undefined, problems: Problems): SamePartRule {
  if (node === undefined) return 'REVIEW';
  const text = node.kind === 'text' ? node.text : '';
  if (isSamePartWord(text)) return SAME_PART_WORDS[text];
  problems.add(
    node.at,
    '"same_part" takes review, again (the same complaint) or another (another one).',
  );
  return 'REVIEW';
}

/** Reads `lists:`: by name a file, or the entries themselves. */
export function readLists(
  node: SourceNode | undefined,
  { problems, files }: HeadReading,
): ReadonlyMap<string, NamedList> {
  const lists = new Map<string, NamedList>();
  if (node === undefined) return lists;
  if (node.kind !== 'map') {
    problems.add(node.at, 'lists are written as "name: file" or "name: [entry, …]".');
    return lists;
  }
  for (const { key, at, value } of node.entries) {
    const texts = value.kind === 'text' ? linesOf(files[value.text]) : entriesOf(value, problems);
    if (texts === undefined) {
      if (value.kind === 'text') {
        problems.add(value.at, `the list "${key}" names ${fileWord(value.text)}.`);
      }
    } else if (texts.length > LIST_ENTRIES_MAX) {
      problems.add(
        at,
        `the list "${key}" has ${texts.length} entries; at most ${LIST_ENTRIES_MAX}.`,
      );
    }
    // Kept even when it could not be read: its use would be one problem more for the same slip.
    lists.set(key, { name: key, texts: texts ?? [] });
  }
  return lists;
}

/** The entries of a list file: one per line; empty lines and what follows a `#` do not count. */
function linesOf(text: string | undefined): string[] | undefined {
  return text
    ?.replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line): string => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}

function entriesOf(node: SourceNode, problems: Problems): string[] | undefined {
  if (node.kind !== 'list') {
    return problems.add(node.at, 'a list is a file, or entries in brackets.');
  }
  const texts: string[] = [];
  for (const item of node.items) {
    if (item.kind !== 'text' || item.text === '') {
      return problems.add(item.at, 'an entry of a list is a text.');
    }
    texts.push(item.text);
  }
  return texts;
}

/** Reads `rates:`, in the policy or in a file that holds the same lines. Null: there are none. */
export function readPolicyRates(
  node: SourceNode | undefined,
  { problems, files }: HeadReading,
): RateTable | null {
  if (node === undefined) return null;
  if (node.kind !== 'text' || node.text === '') return readRates(node, problems) ?? null;
  const text = files[node.text];
  if (text === undefined) {
    problems.add(node.at, `"rates" names ${fileWord(node.text)}.`);
    return null;
  }
  const inFile = new Problems(node.text);
  try {
    const table = readRates(readSource(text, inFile), inFile);
    problems.list.push(...inFile.list);
    return table ?? null;
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    problems.list.push(...error.problems);
    return null;
  }
}

function fileWord(path: string): string {
  return path === '' ? 'no file' : `the file ${path}, which cannot be read`;
}

/** The files a policy names, as it names them. Empty for a text that is no policy. */
export function referencedFiles(text: string): readonly string[] {
  let root: SourceNode;
  try {
    root = readSource(text, new Problems(''));
  } catch (error) {
    if (error instanceof PolicyError) return [];
    throw error;
  }
  if (root.kind !== 'map') return [];
  const lists = partNamed(root, 'lists');
  const named = lists?.kind === 'map' ? lists.entries.map(({ value }) => value) : [];
  return [...named, partNamed(root, 'rates')]
    .map((node) => (node?.kind === 'text' ? node.text : ''))
    .filter((path) => path !== '');
}

function partNamed(node: MapNode, word: string): SourceNode | undefined {
  return node.entries.find(({ key }) => key === word)?.value;
}
