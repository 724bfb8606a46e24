/** What a message says about a word that the policy language does not know. */
import { nearestWord } from '../base/kernel/nearest-word.ts';

/** More words than this are not listed in a message. */
const LISTED_MAX = 30;

/** The end of a message about an unknown word: the nearest one, or all of them. */
export function suggestion(written: string, words: readonly string[]): string {
  const near = nearestWord(written, words);
  if (near !== undefined) return `Did you mean "${near}"?`;
  return words.length > LISTED_MAX
    ? '"forestall policy words" lists them all.'
    : `Known: ${words.join(', ')}.`;
}
