/** What the text of a statement says: whether it changes rows, and whom it tells that something is due. */

interface Traits {
  /** `counted`: the rows that it counts, and no others; `unseen`: rows that it does not count, too. */
  readonly changes: 'none' | 'counted' | 'unseen';
  /** The value with the topics that it tells, counted from 1. */
  readonly topicsAt: number | undefined;
}

const ENDS_IN_CHANGE = /^\s*(?:with\b.*\)\s*)?(?:insert|update|delete)\b/is;
const CHANGES_ON_THE_WAY = /\bas (?:(?:not )?materialized )?\(\s*(?:insert|update|delete)\b/i;
/** As `notifyAll` of `src/base/db/closing.store.ts` writes it. */
const TELLS = /pg_notify\(\$\d+, topic\)\) from unnest\(\$(\d+)::text\[\]\)/;

const known = new Map<string, Traits>();

function traitsOf(text: string): Traits {
  const found = known.get(text) ?? readTraits(text);
  known.set(text, found);
  return found;
}

function readTraits(text: string): Traits {
  const at = TELLS.exec(text)?.[1];
  const atEnd = ENDS_IN_CHANGE.test(text) ? 'counted' : 'none';
  return {
    changes: CHANGES_ON_THE_WAY.test(text) ? 'unseen' : atEnd,
    topicsAt: at === undefined ? undefined : Number(at),
  };
}

/** Whether a statement that counted so many rows may have changed any. */
export function hasChanged(text: string, rowCount: number): boolean {
  const { changes } = traitsOf(text);
  return changes === 'unseen' || (changes === 'counted' && rowCount > 0);
}

/** The topics that it tells. */
export function topicsOf(text: string, values: readonly unknown[] = []): readonly string[] {
  const { topicsAt } = traitsOf(text);
  const topics = topicsAt === undefined ? undefined : values[topicsAt - 1];
  return Array.isArray(topics) ? topics.map(String) : [];
}
