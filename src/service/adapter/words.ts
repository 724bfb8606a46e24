/**
 * Looks a provider's word up in an adapter's `words.ts`, which holds every word that the provider documents
 * and what it is to Forestall. The same table with its sources is in the adapter's README.
 */

/** The provider's words, by the field they are in, and what they are to Forestall. */
export type WordTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What the word is to Forestall; undefined for one that the table does not hold. */
export function oursOf<Ours extends string>(
  words: Readonly<Record<string, Ours>>,
  word: string | null,
): Ours | undefined {
  return word !== null && Object.hasOwn(words, word) ? words[word] : undefined;
}

/** One table of words. Of lists each word is known to the types too. */
export type WordsBy<Listed extends Readonly<Record<string, string | readonly string[]>>> = {
  readonly [Word in Listed[keyof Listed] extends readonly (infer Each extends string)[]
    ? Each
    : string]: keyof Listed & string;
};

/**
 * A table of the provider's words, listed by what they are to Forestall: as a text with blanks between them, or as a list
 * where a word holds a blank itself.
 */
export function wordsOf<const Listed extends Readonly<Record<string, string | readonly string[]>>>(
  listed: Listed,
): WordsBy<Listed> {
  const entries = Object.entries(listed).flatMap(([ours, words]) =>
    (typeof words === 'string' ? words.trim().split(/\s+/) : words).map((word) => [word, ours]),
  );
  return Object.fromEntries(entries);
}
