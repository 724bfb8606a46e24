/** Lines about what works, as a terminal shows them. Pure, but for the width. */
import { styleText } from 'node:util';
import type { LineStatus, StatusLine } from '../../base/kernel/status-line.ts';
import { wrapWords } from './wrap-words.ts';

/** Text wider than this is hard to read, and is broken where it is pasted. */
const WIDTH_MAX = 80;

/** What is taken where it is not known: the width of a plain terminal. */
const WIDTH_DEFAULT = 80;

/** Characters that a line of a text may have on this terminal. */
export function terminalWidth(output: { readonly columns?: number } = process.stdout): number {
  return Math.min(output.columns ?? WIDTH_DEFAULT, WIDTH_MAX);
}

const MARKS = { ok: 'ok', warning: 'warning', failed: 'FAILED' } as const;

/** Where the text begins. */
const MARK_WIDTH = 9;
const INDENT = ' '.repeat(MARK_WIDTH);

/** What is wrong comes last: there a terminal is read. */
const ORDER: Readonly<Record<LineStatus, number>> = { ok: 0, warning: 1, failed: 2 };

/** Each line with its mark, its words and the next step, broken at the width; what is wrong last. */
export function showLines(lines: readonly StatusLine[], widthChars = terminalWidth()): string {
  return lines
    .toSorted((one, other) => ORDER[one.status] - ORDER[other.status])
    .map((line) => showLine(line, widthChars))
    .join('\n');
}

/** The mark at the beginning of a line in its colour, where the output is a terminal that shows colours. */
export function colourMarks(text: string, stream: NodeJS.WritableStream = process.stdout): string {
  return text
    .replaceAll(/^FAILED(?= {3})/gm, (mark) => styleText(['bold', 'red'], mark, { stream }))
    .replaceAll(/^warning(?= {2})/gm, (mark) => styleText('yellow', mark, { stream }))
    .replaceAll(/^ok(?= {7})/gm, (mark) => styleText('green', mark, { stream }));
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
