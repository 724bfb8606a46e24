/** The difference of two texts, line by line. */
import { diffArrays } from 'diff';

/** One line of the difference. */
export interface DiffLine {
  readonly kind: 'same' | 'out' | 'in';
  readonly text: string;
}

/** Texts that differ in more lines are shown as one replaced by the other: comparing them takes seconds. */
const CHANGES_MAX = 2_000;

/** Unchanged lines shown around a change. */
const CONTEXT = 3;

/** Every line of both texts. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const changes = diffArrays(old, now, { maxEditLength: CHANGES_MAX }) ?? [
    { removed: true, added: false, value: old },
    { removed: false, added: true, value: now },
  ];
  return changes.flatMap(({ removed, added, value }) =>
    value.map((text) => ({ kind: kindOf(removed, added), text })),
  );
}

function kindOf(removed: boolean, added: boolean): DiffLine['kind'] {
  if (removed) return 'out';
  return added ? 'in' : 'same';
}

const MARKS = { same: ' ', out: '-', in: '+' } as const;

/** The changed parts with a little around them, as a person reads them; empty when nothing differs. */
export function changedLines(before: string, after: string): readonly string[] {
  const lines = lineDiff(tidy(before), tidy(after));
  const changed = lines.flatMap(({ kind }, index) => (kind === 'same' ? [] : [index]));
  const shown: string[] = [];
  let last = -1;
  for (const [index, { kind, text }] of lines.entries()) {
    if (!changed.some((place) => Math.abs(place - index) <= CONTEXT)) continue;
    if (index > last + 1) shown.push('…');
    shown.push(`${MARKS[kind]}${text}`);
    last = index;
  }
  return shown;
}

/** Line ends of another platform, and one at the end, are no difference. */
function tidy(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}
