/** Draws from a seed (mulberry32): the same seed gives the same world. */
export interface Draws {
  /** A whole number from 0, below `limit`. */
  below(limit: number): number;
  one<Item>(items: readonly Item[]): Item;
}

export function openDraws(seed: number): Draws {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    one: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError('there is nothing to draw from');
      return item;
    },
  };
}
