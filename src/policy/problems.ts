/**
 * What zod objects to in a policy, as problems with their places.
 *
 * The descriptions of the language carry the words; a message can leave a place for the condition
 * it is about ({@link FIELD}) or for the key that its value is under ({@link KEY}).
 */
import type { z } from 'zod';
import type { Path } from '../base/kernel/yaml-positions.ts';
import { valueAt } from '../base/kernel/yaml-positions.ts';
import { POLICY_FIELDS } from './fields.ts';
import type { PolicyProblem, Source } from './source.ts';

/** The place in a message for the word of the condition. */
export const FIELD = '\u0001';

/** The place in a message for the last key. */
export const KEY = '\u0002';

/** Between the messages about several unknown keys of one map. */
export const SEPARATOR = '\u0003';

/** Said of a key, not of the value under it. */
export const OF_KEY = { part: 'key' } as const;

/** Everything that is wrong, each at its place. */
export function problemsOf(error: z.ZodError, source: Source): PolicyProblem[] {
  const found = error.issues.flatMap((issue) => flatten(issue, [], source.data));
  const misspelt = new Set(
    found.flatMap((each) => (each.isUnknownKey ? [nameOf(each.path, -1)] : [])),
  );
  return found
    .filter(({ path, isUnknownKey }) => {
      if (isUnknownKey) return true;
      // In a map with an unknown key no key is reported as missing: the unknown one is probably a spelling mistake.
      const holder = valueAt(source.data, path) === undefined ? nameOf(path, -1) : nameOf(path);
      return !misspelt.has(holder);
    })
    .map((each) => problemAt(source, each))
    .filter(isFirst());
}

/** Whether it was not said before: a value of the wrong type can fail several checks in the same words. */
function isFirst(): (problem: PolicyProblem) => boolean {
  const said = new Set<string>();
  return ({ line, column, message }) => {
    const { size } = said;
    return said.add(`${line}:${column}:${message}`).size > size;
  };
}

/** A problem at a path. */
export function problemAt(
  { file, positionOf }: Source,
  said: { readonly path: Path; readonly message: string; readonly part?: 'key' | 'value' },
): PolicyProblem {
  const { path, message, part } = said;
  const words = path.filter((step) => typeof step === 'string');
  const field = words.findLast((word) => POLICY_FIELDS.has(word)) ?? '';
  const text = message.replaceAll(FIELD, field).replaceAll(KEY, words.at(-1) ?? '');
  return { file, ...positionOf(path, part), message: text };
}

interface Found {
  readonly path: Path;
  readonly message: string;
  readonly part: 'key' | 'value';
  readonly isUnknownKey: boolean;
}

/** Takes unions apart: what is said is what the branch says that was meant. */
function flatten(issue: z.core.$ZodIssue, above: Path, data: unknown): Found[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    const meant = branchMeant(issue.errors, valueAt(data, path));
    if (meant !== undefined) return meant.flatMap((each) => flatten(each, path, data));
  }
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split(SEPARATOR);
    return issue.keys.map((key, index) => ({
      path: [...path, key],
      message: messages[index] ?? '',
      part: 'key',
      isUnknownKey: true,
    }));
  }
  const part = issue.code === 'custom' && issue.params?.['part'] === 'key' ? 'key' : 'value';
  return [{ path, message: issue.message, part, isUnknownKey: false }];
}

type Branch = readonly z.core.$ZodIssue[];

/** The branch whose shape is that of the value; of several the one with known keys and words. */
function branchMeant(branches: readonly Branch[], value: unknown): Branch | undefined {
  const [best] = branches
    .map((branch) => ({ branch, near: nearness(branch, value) }))
    .sort((a, b) => b.near - a.near);
  return best === undefined || best.near === 0 ? undefined : best.branch;
}

/** 0: of another type; 1: of this type, with a word or key that it does not know; 2: wrong further in. */
function nearness(branch: Branch, value: unknown): number {
  return branch.reduce((least, issue) => Math.min(least, nearnessOf(issue, value)), 2);
}

function nearnessOf(issue: z.core.$ZodIssue, value: unknown): number {
  if (issue.path.length > 0) return 2;
  switch (issue.code) {
    case 'invalid_type':
      return 0;
    case 'invalid_value':
      return typeof value === 'string' ? 1 : 0;
    case 'invalid_union':
      return Math.max(0, ...issue.errors.map((inner) => nearness(inner, value)));
    case 'unrecognized_keys':
      return 1;
    default:
      return 2;
  }
}

function nameOf(path: Path, end?: number): string {
  return path.slice(0, end).join('\0');
}
