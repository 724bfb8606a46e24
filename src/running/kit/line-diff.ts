/**
 * Two texts line by line, as a person reads a change: ` ` kept, `-` only before, `+` only after.
 */

/** Lines of a text that are compared; a longer one is shown as replaced whole. */
const LINES_MAX = 2_000;

/** Unchanged lines shown around a change. */
const CONTEXT = 3;

interface DiffLine {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** The changed parts with a little around them; empty when nothing differs. */
export function diffLines(before: string, after: string): readonly string[] {
  const lines = align(linesOf(before), linesOf(after));
  const changed = lines.flatMap(({ mark }, index) => (mark === ' ' ? [] : [index]));
  const shown: string[] = [];
  let last = -1;
  for (const [index, { mark, text }] of lines.entries()) {
    if (!changed.some((place) => Math.abs(place - index) <= CONTEXT)) continue;
    if (index > last + 1) shown.push('…');
    shown.push(`${mark}${text}`);
    last = index;
  }
  return shown;
}

function linesOf(text: string): string[] {
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n');
}

/** By the longest common subsequence. */
function align(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length > LINES_MAX || after.length > LINES_MAX) {
    return [...marked('-', before), ...marked('+', after)];
  }
  const common = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length && j < after.length) {
    const left = before[i] ?? '';
    if (left === after[j]) {
      lines.push({ mark: ' ', text: left });
      i += 1;
      j += 1;
    } else if ((common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) {
      lines.push({ mark: '-', text: left });
      i += 1;
    } else {
      lines.push({ mark: '+', text: after[j] ?? '' });
      j += 1;
    }
  }
  return [...lines, ...marked('-', before.slice(i)), ...marked('+', after.slice(j))];
}

function marked(mark: '-' | '+', lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ mark, text }));
}

/** `[i][j]`: how many lines the rests from `i` and `j` have in common. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const table: number[][] = [];
  for (let i = before.length; i >= 0; i--) {
    const row: number[] = [];
    for (let j = after.length; j >= 0; j--) {
      if (i === before.length || j === after.length) row[j] = 0;
      else if (before[i] === after[j]) row[j] = 1 + (table[i + 1]?.[j + 1] ?? 0);
      else row[j] = Math.max(table[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
    table[i] = row;
  }
  return table;
}
