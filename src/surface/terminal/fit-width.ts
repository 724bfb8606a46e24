/** Breaks lines that are wider than the terminal, so that columns stay columns. Pure. */
import { wrapWords } from './wrap-words.ts';

/** A last column narrower than this is not worth keeping apart. */
const LAST_COLUMN_MIN = 12;

/** The text with every line broken at the width: the last column continues below itself. */
export function fitWidth(text: string, widthChars: number): string {
  return text
    .split('\n')
    .flatMap((line) => (line.length <= widthChars ? [line] : breakLine(line, widthChars)))
    .join('\n');
}

function breakLine(line: string, widthChars: number): string[] {
  const start = lastColumnOf(line, widthChars);
  const indent = ' '.repeat(start);
  const [first = '', ...others] = wrapWords(line.slice(start), widthChars - start);
  return [line.slice(0, start) + first, ...others.map((part) => indent + part)];
}

/** Where the last column begins that leaves room to continue below itself; else a little within the line. */
function lastColumnOf(line: string, widthChars: number): number {
  const starts = [...line.matchAll(/ {2,}(?=\S)/g)].map(({ index, 0: gap }) => index + gap.length);
  const fitting = starts.filter((start) => start <= widthChars - LAST_COLUMN_MIN);
  return fitting.at(-1) ?? 0;
}
