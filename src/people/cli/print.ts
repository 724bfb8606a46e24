/** What a command prints. Pure but for the printing. */

/** Prints the data as JSON when that is asked for, otherwise the text. */
export function print(flags: { readonly json?: boolean }, data: unknown, text: string): void {
  console.log(flags.json === true ? JSON.stringify(data, null, 2) : text);
}

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
