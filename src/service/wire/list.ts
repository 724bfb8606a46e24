/**
 * Reads the answer of a list endpoint.
 *
 * The specification shows `{items, count}` for most lists and nothing for alerts, orders and
 * lookups, so a bare array is read as well. Any other shape is a failure, never an empty list: "no
 * alerts" is a statement about money.
 */
import type { z } from 'zod';

/** Why an answer is no list. */
export type ListFault = 'not_a_list' | 'items_missing' | 'count_invalid';

/** An entry that is not what the list should hold. The others are still good. */
export interface InvalidItem {
  readonly index: number;
  /** Where in the entry, and what was expected; never the value. */
  readonly problem: string;
}

/** A list as read. `items` and `invalid` together are everything the page held. */
export interface ReadList<Item> {
  readonly ok: true;
  readonly items: readonly Item[];
  readonly invalid: readonly InvalidItem[];
  /** How many there are in all, or `undefined` when the answer did not say. */
  readonly count: number | undefined;
}

export type ListOutcome<Item> = ReadList<Item> | { readonly ok: false; readonly reason: ListFault };

/** Reads `{items, count}` or a bare array. */
export function readList<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): ListOutcome<z.infer<Schema>> {
  if (Array.isArray(body)) return readItems(schema, body, undefined);
  if (typeof body !== 'object' || body === null) return { ok: false, reason: 'not_a_list' };
  const { items, count } = body as { items?: unknown; count?: unknown };
  if (!Array.isArray(items)) return { ok: false, reason: 'items_missing' };
  if (count === undefined || count === null) return readItems(schema, items, undefined);
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    return { ok: false, reason: 'count_invalid' };
  }
  return readItems(schema, items, count);
}

function readItems<Schema extends z.ZodType>(
  schema: Schema,
  entries: readonly unknown[],
  count: number | undefined,
): ReadList<z.infer<Schema>> {
  const items: z.infer<Schema>[] = [];
  const invalid: InvalidItem[] = [];
  for (const [index, entry] of entries.entries()) {
    const parsed = schema.safeParse(entry);
    if (parsed.success) items.push(parsed.data);
    else invalid.push({ index, problem: describeIssues(parsed.error.issues) });
  }
  return { ok: true, items, invalid, count };
}

/** The first issues of a failed parse as one line: paths and expectations, no values. */
export function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  return issues
    .slice(0, 3)
    .map((issue) => `${issue.path.map(String).join('.') || '(root)'}: ${issue.message}`)
    .join('; ');
}
