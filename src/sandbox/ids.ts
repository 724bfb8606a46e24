/**
 * Identifiers and secrets of the sandbox: they follow from the seed and a counter, so that two runs
 * with one seed name everything alike.
 */
import { createHash } from 'node:crypto';
import type { IdConcept } from '../service/wire/id-prefixes.ts';
import { ID_PREFIXES } from '../service/wire/id-prefixes.ts';

export interface Ids {
  /** The next identifier of a concept of the specification, for example `netalrt_…`. */
  next(concept: IdConcept): string;
  /** The next value with a prefix of the sandbox's own, for example a key or a secret. */
  nextWith(prefix: string, length?: number): string;
  /** How many were handed out, to continue from in a snapshot. */
  count(): number;
  goOnFrom(count: number): void;
}

/** Characters after the prefix. */
const ID_LENGTH = 26;

export function createIds(seed: number): Ids {
  let counter = 0;
  const nextWith = (prefix: string, length = ID_LENGTH): string => {
    counter += 1;
    const digest = createHash('sha256').update(`${seed}/${prefix}/${counter}`).digest('hex');
    return prefix + digest.slice(0, length);
  };
  return {
    next: (concept) => nextWith(ID_PREFIXES[concept]),
    nextWith,
    count: () => counter,
    goOnFrom: (count): void => {
      counter = count;
    },
  };
}

/** A stream of numbers from 0 up to, not including, 1: every number follows from the seed. */
export type Random = () => number;

/** Creates a stream (mulberry32): the same seed gives the same numbers. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
