/** Breaks text between words, for terminals. Pure. */

/** A quoted command is one word: it is copied. */
const WORD = /"forestall [^"]*"\S*|\S+/g;

/** Lines of at most `widthChars`; a word that is longer than that has its own line. */
export function wrapWords(text: string, widthChars: number): string[] {
  const lines: string[] = [];
  for (const [word] of text.matchAll(WORD)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= widthChars) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}
