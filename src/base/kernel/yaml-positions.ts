/** Where the parts of a YAML text are: line and column of a value or of a key, by its path. */
import type { Document, LineCounter } from 'yaml';
import { isMap, isNode, isScalar, isSeq } from 'yaml';
import { isRecord } from './is-record.ts';

/** Where something is in a file, both from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The steps from the top of a document: keys of maps, positions in lists. */
export type Path = readonly PropertyKey[];

/** Gives the place at a path; of what is missing, the place of what it is missing in. */
export type PositionOf = (path: Path, part?: 'key' | 'value') => TextPosition;

/** The places of a document that was parsed with this counter of lines. */
export function positionsOf(document: Document, lines: LineCounter): PositionOf {
  // A file can hold thousands of keys, each of them wrong.
  const keys = new WeakMap<object, ReadonlyMap<unknown, Inner>>();
  const innerAt = (node: unknown, step: PropertyKey): Inner | undefined => {
    if (isMap(node)) {
      const known = keys.get(node) ?? new Map(node.items.map((pair) => [keyOf(pair), pair]));
      keys.set(node, known);
      return known.get(step);
    }
    const item: unknown = isSeq(node) && typeof step === 'number' ? node.items[step] : undefined;
    return item === undefined ? undefined : { key: item, value: item };
  };
  return (path, part = 'value') => {
    let value: unknown = document.contents;
    let offset = offsetOf(value) ?? 0;
    for (const [index, step] of path.entries()) {
      const inner = innerAt(value, step);
      if (inner === undefined) break;
      value = inner.value;
      const wanted = part === 'key' && index === path.length - 1 ? inner.key : value;
      offset = offsetOf(wanted) ?? offsetOf(inner.key) ?? offset;
    }
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
}

/** What a step leads to; an item of a list is its own key. */
interface Inner {
  readonly key: unknown;
  readonly value: unknown;
}

function keyOf({ key }: Inner): unknown {
  return isScalar(key) ? key.value : undefined;
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** The value at a path; undefined where there is none. */
export function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return typeof step === 'number' ? value[step] : undefined;
    return isRecord(value) && typeof step === 'string' && Object.hasOwn(value, step)
      ? value[step]
      : undefined;
  }, data);
}
