/**
 * References under which money can be found, as processors show them and as people type them. Pure.
 *
 * What cannot be seen makes no other reference: the form of a character, blanks of any kind, what has no width. Nor does
 * upper or lower case: a cheque, and a refund that somebody copied by hand, is one and the same either way.
 */

/** Blanks and characters without width, by first and last code point. */
const UNSEEN_RANGES: readonly (readonly [number, number])[] = [
  [0x09, 0x0d],
  [0x1c, 0x20],
  [0x7f, 0x7f],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0xad, 0xad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  // What the form of other blanks becomes: U+3164 and U+FFA0 among them.
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x3000, 0x3000],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xfff0, 0xfff8],
];

/** Every one of them: for the database, which must strike out the same. */
export const UNSEEN_CHARACTERS = UNSEEN_RANGES.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, step) => String.fromCodePoint(first + step)),
).join('');

const UNSEEN: ReadonlySet<string> = new Set(UNSEEN_CHARACTERS);

/** As it is stored and shown: what a person typed, without what is not seen. Empty: it says nothing. */
export function normaliseReference(text: string): string {
  const characters = [...text.normalize('NFKC')].map((character) =>
    UNSEEN.has(character) ? ' ' : character,
  );
  return characters.join('').replaceAll(/ +/g, ' ').trim();
}

/** By which two references are compared: equal keys are one reference. */
export function referenceKey(text: string): string {
  return [...text.normalize('NFKC')]
    .filter((character) => !UNSEEN.has(character))
    .join('')
    .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
