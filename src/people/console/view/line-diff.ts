/** The difference of two texts, line by line: the fewest lines taken out and put in. */

/** One line of the difference. */
export interface DiffLine {
  readonly kind: 'same' | 'out' | 'in';
  readonly text: string;
}

/** Lines of each text that are compared; longer texts are shown as replaced. */
const LINES_MAX = 2_000;

/** Compares two texts by their longest common subsequence of lines. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const old = before.split('\n');
  const now = after.split('\n');
  if (old.length > LINES_MAX || now.length > LINES_MAX) {
    return [
      ...old.map((text): DiffLine => ({ kind: 'out', text })),
      ...now.map((text): DiffLine => ({ kind: 'in', text })),
    ];
  }
  return walk(old, now, commonLengths(old, now));
}

/** `lengths[i][j]`: lines that what follows line i of the one and line j of the other have in common. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row === undefined) continue;
      row[j] =
        old[i] === now[j]
          ? at(lengths, i + 1, j + 1) + 1
          : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  }
  return lengths;
}

function at(lengths: readonly Uint16Array[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}

function walk(
  old: readonly string[],
  now: readonly string[],
  lengths: readonly Uint16Array[],
): DiffLine[] {
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    const [out, into] = [old[i], now[j]];
    if (out !== undefined && out === into) {
      lines.push({ kind: 'same', text: out });
      i += 1;
      j += 1;
    } else if (out !== undefined && at(lengths, i + 1, j) >= at(lengths, i, j + 1)) {
      lines.push({ kind: 'out', text: out });
      i += 1;
    } else if (into !== undefined) {
      lines.push({ kind: 'in', text: into });
      j += 1;
    } else {
      lines.push({ kind: 'out', text: out ?? '' });
      i += 1;
    }
  }
  return lines;
}
