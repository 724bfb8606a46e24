/** What the text of a statement says: which tables it writes, and whom it tells that something is due. */

interface Traits {
  /** `counted`: the rows that it counts, and no others; `unseen`: rows that it does not count, too. */
  readonly changes: 'none' | 'counted' | 'unseen';
  /** The tables that it writes, whatever their triggers write. */
  readonly tables: readonly string[];
  /** The value with the topics that it tells, counted from 1. */
  readonly topicsAt: number | undefined;
}

const ENDS_IN_CHANGE = /^\s*(?:with\b.*\)\s*)?(?:insert|update|delete)\b/is;
const CHANGES_ON_THE_WAY = /\bas (?:(?:not )?materialized )?\(\s*(?:insert|update|delete)\b/i;
/** After "for" and "set" it is no table: "for update of", "do update set". */
const WRITES =
  /(?<!\bfor (?:no key )?)\b(?:insert into|update|delete from)\s+(?!set\b)(?:only\s+)?"?([a-z_]+)"?/gi;
/** As `notifyAll` of `src/base/db/commit-writes.store.ts` writes it. */
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
    tables: [...new Set([...text.matchAll(WRITES)].flatMap(([, name]) => name ?? []))],
    topicsAt: at === undefined ? undefined : Number(at),
  };
}

/** The tables of which a statement that counted so many rows may have changed any. */
export function changedTables(text: string, rowCount: number): readonly string[] {
  const { changes, tables } = traitsOf(text);
  return changes === 'unseen' || (changes === 'counted' && rowCount > 0) ? tables : [];
}

/** The topics that it tells. */
export function topicsOf(text: string, values: readonly unknown[] = []): readonly string[] {
  const { topicsAt } = traitsOf(text);
  const topics = topicsAt === undefined ? undefined : values[topicsAt - 1];
  return Array.isArray(topics) ? topics.map(String) : [];
}
