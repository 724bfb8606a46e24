/** Lines about what works, as a terminal shows them. Pure, but for the width. */
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { wrapWords } from './wrap-words.ts';

/** Text wider than this is hard to read. */
const WIDTH_MAX = 100;

/** What is taken where nobody knows: the width of a plain terminal. */
const WIDTH_DEFAULT = 80;

/** Characters that a line of a text may have on this terminal. */
export function terminalWidth(output: { readonly columns?: number } = process.stdout): number {
  return Math.min(output.columns ?? WIDTH_DEFAULT, WIDTH_MAX);
}

const MARKS = { ok: 'ok', warning: 'warning', failed: 'FAILED' } as const;

/** Where the text begins. */
const MARK_WIDTH = 9;
const INDENT = ' '.repeat(MARK_WIDTH);

/** Each line with its mark, its words and the next step, broken at the width. */
export function showLines(lines: readonly StatusLine[], widthChars = terminalWidth()): string {
  return lines.map((line) => showLine(line, widthChars)).join('\n');
}

function showLine({ name, status, detail, nextStep }: StatusLine, widthChars: number): string {
  const width = widthChars - MARK_WIDTH;
  const onOneLine = detail.replaceAll(/\s*\n\s*/g, '; ').replace(/\.$/, '');
  const texts = [
    ...wrapWords(`${name}: ${onOneLine}`, width),
    ...(nextStep === null ? [] : wrapWords(`→ ${nextStep}`, width)),
  ];
  return texts
    .map((text, index) => (index === 0 ? MARKS[status].padEnd(MARK_WIDTH) : INDENT) + text)
    .join('\n');
}
