/**
 * Compares values of orders: equal content, and the paths in which two differ.
 *
 * Equal means what it means to the service: key order does not count, null counts as absent, two
 * spellings of one moment are one moment, and entries of an array are matched by their reference.
 */
import { hash } from 'node:crypto';
import { isRecord } from '../base/kernel/is-record.ts';
import type { OrderBody } from './order-body.ts';
import type { UpdatableArray } from './order-part.ts';
import { PART_ARRAYS, partName } from './order-part.ts';

/** Paths named at most in one comparison. */
const PATHS_MAX = 20;
const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/;

/** JSON with sorted keys and without nulls: equal for equal content. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((entry) => canonicalJson(entry) ?? 'null').join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  let members = '';
  for (const { name, quoted } of sortedMembers(Object.keys(value))) {
    const member = value[name];
    const text = member === null ? undefined : canonicalJson(member);
    if (text !== undefined) members += `${members === '' ? '' : ','}${quoted}:${text}`;
  }
  return `{${members}}`;
}

/** What JSON writes as it is. */
const PLAIN = /^[ !#-[\]-~]*$/;

interface Member {
  readonly name: string;
  /** As JSON writes it. */
  readonly quoted: string;
}

/** Members in their order, by the names as they came: a hundred thousand orders have the same few sequences. */
const SORTED = new Map<string, readonly Member[]>();
const SORTED_MAX = 1_000;
const NUL = '\u0000';

function sortedMembers(names: string[]): readonly Member[] {
  const key = names.join(NUL);
  const known = SORTED.get(key);
  // No name that is kept holds a NUL: a sequence of others with the same key is shorter.
  if (known?.length === names.length) return known;
  const isKept = SORTED.size < SORTED_MAX && !names.some((name) => name.includes(NUL));
  const members = sortedNames(names).map((name) => ({ name, quoted: JSON.stringify(name) }));
  if (isKept) SORTED.set(key, members);
  return members;
}

const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** Numbers first, as JavaScript has them in an object: hashes that are stored were made so. */
function sortedNames(names: readonly string[]): string[] {
  const sorted = names.toSorted();
  if (!sorted.some((name) => INDEX.test(name))) return sorted;
  return Object.keys(Object.fromEntries(sorted.map((name) => [name, null])));
}

/** SHA-256 of what {@link canonicalJson} wrote. */
export function hashOfJson(json: string): Buffer {
  return hash('sha256', json, 'buffer');
}

/** Paths in which two submissions differ, both ways. Empty when the content is the same. */
export function differingPaths(before: unknown, after: unknown): string[] {
  return collect(before, after, { path: '', bothWays: true }).slice(0, PATHS_MAX);
}

/** Paths of `ours` that `theirs` lacks or has otherwise. What only they have does not count. */
export function missingPaths(ours: unknown, theirs: unknown, path = ''): string[] {
  return collect(ours, theirs, { path, bothWays: false });
}

interface Walk {
  readonly path: string;
  readonly bothWays: boolean;
}

function collect(a: unknown, b: unknown, walk: Walk): string[] {
  if (a === undefined || a === null) {
    const absent = b === undefined || b === null;
    return absent || !walk.bothWays ? [] : [walk.path];
  }
  if (Array.isArray(a) && Array.isArray(b)) return collectEntries(a, b, walk);
  if (isRecord(a) && isRecord(b)) return collectMembers(a, b, walk);
  return sameScalar(a, b) ? [] : [walk.path];
}

function collectMembers(
  a: Record<string, unknown>,
  b: Record<string, unknown>,
  walk: Walk,
): string[] {
  const names = new Set([...Object.keys(a), ...(walk.bothWays ? Object.keys(b) : [])]);
  return [...names].sort().flatMap((name) => {
    const path = walk.path === '' ? name : `${walk.path}.${name}`;
    return collect(a[name], b[name], { ...walk, path });
  });
}

function collectEntries(a: readonly unknown[], b: readonly unknown[], walk: Walk): string[] {
  const byReference = referenceMap(b);
  if (byReference === undefined || referenceMap(a) === undefined) {
    return canonicalJson(a) === canonicalJson(b) ? [] : [walk.path];
  }
  const paths = a.flatMap((entry) => {
    const reference = referenceOf(entry);
    const path = `${walk.path}[${reference}]`;
    return collect(entry, byReference.get(reference), { ...walk, path });
  });
  if (!walk.bothWays) return paths;
  const ours = new Set(a.map(referenceOf));
  const added = b.map(referenceOf).filter((reference) => !ours.has(reference));
  return [...paths, ...added.map((reference) => `${walk.path}[${reference}]`)];
}

/** Entries by reference, or undefined when not every entry has one of its own. */
function referenceMap(entries: readonly unknown[]): Map<string, unknown> | undefined {
  const map = new Map<string, unknown>();
  for (const entry of entries) {
    const reference = referenceOf(entry);
    if (reference === '' || map.has(reference)) return undefined;
    map.set(reference, entry);
  }
  return map;
}

function referenceOf(entry: unknown): string {
  const reference = isRecord(entry) ? entry['reference_id'] : undefined;
  return typeof reference === 'string' ? reference : '';
}

function sameScalar(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  return MOMENT.test(a) && MOMENT.test(b) && Date.parse(a) === Date.parse(b);
}

/** How the service's copy of an order differs from ours. */
export interface RemoteComparison {
  /** Parts that an update can bring into line. */
  readonly parts: string[];
  /** Paths that no update can change. */
  readonly fixed: string[];
}

/** Compares our order with what the service returned for it. */
export function compareWithRemote(ours: OrderBody, theirs: unknown): RemoteComparison {
  const remote = isRecord(theirs) ? theirs : {};
  const parts: string[] = [];
  const fixed: string[] = [];
  for (const [name, value] of Object.entries(ours)) {
    const array = PART_ARRAYS.find((candidate) => candidate === name);
    if (array !== undefined) {
      compareArray(array, { ours: value, theirs: remote[name] }, { parts, fixed });
    } else if (missingPaths(value, remote[name], name).length > 0) {
      const part = partName(name);
      if (part === undefined) fixed.push(...missingPaths(value, remote[name], name));
      else if (!parts.includes(part)) parts.push(part);
    }
  }
  return { parts, fixed: fixed.slice(0, PATHS_MAX) };
}

function compareArray(
  array: UpdatableArray,
  pair: { readonly ours: unknown; readonly theirs: unknown },
  found: RemoteComparison,
): void {
  const theirs = new Map(
    (Array.isArray(pair.theirs) ? pair.theirs : []).map((entry: unknown) => [
      referenceOf(entry),
      entry,
    ]),
  );
  for (const entry of Array.isArray(pair.ours) ? pair.ours : []) {
    const reference = referenceOf(entry);
    const other = theirs.get(reference);
    const path = `${array}[${reference}]`;
    const addable = array === 'refunds' || array === 'disputes';
    if (other === undefined && !addable) {
      found.fixed.push(path);
      continue;
    }
    const paths = other === undefined ? [path] : missingPaths(entry, other, path);
    const frozen = paths.filter((name) => other !== undefined && isFrozen(array, name));
    found.fixed.push(...frozen);
    if (paths.length > frozen.length) found.parts.push(`${array}/${reference}`);
  }
}

/** Fields that cannot change on an existing entry (specification, Orders, update rules 2 and 3). */
const FROZEN: Readonly<Record<UpdatableArray, readonly string[]>> = {
  deliveries: ['type'],
  subscriptions: [],
  refunds: ['amount_in_cents', 'currency'],
  disputes: ['amount_in_cents', 'currency', 'type'],
};

function isFrozen(array: UpdatableArray, path: string): boolean {
  const field = path.slice(path.lastIndexOf('].') + 2);
  return FROZEN[array].includes(field);
}

/** The fields of {@link FROZEN} for one array. */
export function frozenFields(array: UpdatableArray): readonly string[] {
  return FROZEN[array];
}
