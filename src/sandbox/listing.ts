/**
 * Lists: filters, order, `limit` and `offset`, and the `{items, count}` around them.
 *
 * The specification shows no default or maximum of `limit`: 100 is both here, more is cut to it.
 */
import { invalid } from './refusal.ts';

/** Query parameters, each once. */
export type Query = Readonly<Record<string, string>>;

/** What a list answers. `count` is how many there are in all, not on this page. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly count: number;
}

/** Default and largest `limit`. */
export const LIMIT_MAX = 100;

/** Cuts the page that `limit` and `offset` ask for. @throws Refusal 422 when they are no numbers */
export function page<Item>(all: readonly Item[], query: Query): Listing<Item> {
  const limit = Math.min(LIMIT_MAX, readCount(query, 'limit', LIMIT_MAX));
  const offset = readCount(query, 'offset', 0);
  return { items: all.slice(offset, offset + limit), count: all.length };
}

function readCount(query: Query, name: string, otherwise: number): number {
  const given = query[name];
  if (given === undefined) return otherwise;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw invalid([
    { code: 'VALIDATION_INVALID_VALUE', message: 'must be a whole number', field: name },
  ]);
}

/** What `sort` may name in one list. */
export interface SortRule<Item> {
  /** The first is the default; a leading `-` means descending. */
  readonly allowed: readonly [string, ...string[]];
  readonly valueOf: (item: Item, field: string) => string;
}

/** Orders a list as `sort` asks. Equal values keep the order of creation. @throws Refusal 422 */
export function sorted<Item>(
  items: Iterable<Item>,
  query: Query,
  rule: SortRule<Item>,
): readonly Item[] {
  const sort = query['sort'] ?? rule.allowed[0];
  if (!rule.allowed.includes(sort)) {
    const message = `must be one of ${rule.allowed.join(', ')}`;
    throw invalid([{ code: 'VALIDATION_INVALID_VALUE', message, field: 'sort' }]);
  }
  const descending = sort.startsWith('-');
  const field = descending ? sort.slice(1) : sort;
  const ordered = [...items];
  // Later ones first also among equals, so that newest-first holds within one millisecond.
  if (descending) ordered.reverse();
  return ordered.sort((a, b) => {
    const order = compareText(rule.valueOf(a, field), rule.valueOf(b, field));
    return descending ? -order : order;
  });
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Reads a query parameter that must be one of some values. @throws Refusal 422 */
export function readChoice<const Values extends readonly string[]>(
  query: Query,
  name: string,
  values: Values,
): Values[number] | undefined {
  const given = query[name];
  if (given === undefined) return undefined;
  const known = values.find((value) => value === given);
  if (known !== undefined) return known;
  const message = `must be one of ${values.join(', ')}`;
  throw invalid([{ code: 'VALIDATION_INVALID_VALUE', message, field: name }]);
}
