/** Finds the word somebody meant. */

/** How many slips a word may hold and still be recognised, by its length. */
const slipsAllowed = (length: number): number => (length <= 4 ? 1 : Math.floor(length / 3));

/** The nearest of `words`, or undefined when none is near. Upper and lower case are the same. */
export function nearestWord(written: string, words: readonly string[]): string | undefined {
  const ranked = words
    .map((word) => ({ word, slips: slipsBetween(written.toLowerCase(), word.toLowerCase()) }))
    .sort((a, b) => a.slips - b.slips || (a.word < b.word ? -1 : 1));
  const [best] = ranked;
  return best !== undefined && best.slips <= slipsAllowed(best.word.length) ? best.word : undefined;
}

/** Letters to add, remove, replace or swap with their neighbour to get from one word to the other. */
function slipsBetween(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      const replaced = (row[j - 1] ?? 0) + (same ? 0 : 1);
      const added = Math.min(row[j] ?? 0, next[j - 1] ?? 0) + 1;
      const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1] && i > 1 && j > 1;
      next[j] = Math.min(replaced, added, swapped ? (before[j - 2] ?? 0) + 1 : added);
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}
