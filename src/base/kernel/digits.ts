/** Digits of every script. Pure. */

const BEYOND_ASCII = 0x80;
const DECIMAL = /\p{Nd}/u;

/** The digit that a character is, of any script, in ASCII; undefined for what is none. */
export function digitOf(character: string): string | undefined {
  const code = character.codePointAt(0) ?? 0;
  if (code < BEYOND_ASCII) return code >= 0x30 && code <= 0x39 ? character : undefined;
  if (DECIMAL.test(character)) {
    // Scripts have their ten digits in a row; several rows may follow one another.
    let zero = code;
    while (DECIMAL.test(String.fromCodePoint(zero - 1))) zero -= 1;
    return String((code - zero) % 10);
  }
  const plain = character.normalize('NFKC');
  return /^\d$/.test(plain) ? plain : undefined;
}
