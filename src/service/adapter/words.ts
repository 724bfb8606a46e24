/**
 * Looks a provider's word up in an adapter's `words.ts`, which holds every word that the provider documents
 * and what it is to Forestall. The same table with its sources is in the adapter's README.
 */

/** The provider's words, by the field they stand in, and what they are to Forestall. */
export type WordTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What the word is to Forestall; undefined for one that the table does not hold. */
export function oursOf<Ours extends string>(
  words: Readonly<Record<string, Ours>>,
  word: string | null,
): Ours | undefined {
  return word !== null && Object.hasOwn(words, word) ? words[word] : undefined;
}
