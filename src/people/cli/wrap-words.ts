/** Breaks text between words, for terminals. Pure. */

/** Lines of at most `widthChars`; a word that is longer than that stands alone. */
export function wrapWords(text: string, widthChars: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter((part) => part !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= widthChars) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}
