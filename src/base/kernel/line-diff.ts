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

/** A line near a change, or how many lines are left out because nothing changed there. */
export type NearLine = DiffLine | { readonly kind: 'gap'; readonly count: number };

/** What changed, with {@link CONTEXT} lines around it; the rest is counted. Nothing when the lines are the same. */
export function nearChanges(before: string, after: string): readonly NearLine[] {
  const lines = lineDiff(tidy(before), tidy(after));
  const shown = new Set<number>();
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    for (let near = index - CONTEXT; near <= index + CONTEXT; near++) shown.add(near);
  }
  if (shown.size === 0) return [];
  const near: NearLine[] = [];
  for (const [index, line] of lines.entries()) {
    const last = near.at(-1);
    if (shown.has(index)) near.push(line);
    else if (last?.kind === 'gap') near[near.length - 1] = { kind: 'gap', count: last.count + 1 };
    else near.push({ kind: 'gap', count: 1 });
  }
  return near;
}

const MARKS = { same: ' ', out: '-', in: '+' } as const;

/** The changed parts with a little around them, as a person reads them; empty when nothing differs. */
export function changedLines(before: string, after: string): readonly string[] {
  const near = nearChanges(before, after);
  const upToTheLast = near.at(-1)?.kind === 'gap' ? near.slice(0, -1) : near;
  return upToTheLast.map((line) => (line.kind === 'gap' ? '…' : `${MARKS[line.kind]}${line.text}`));
}

/** Line ends of another platform, and one at the end, are no difference. */
function tidy(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}
