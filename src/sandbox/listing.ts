/**
 * Lists: filters, order, `limit` and `offset`, and the `{items, count}` around them.
 *
 * The specification shows no default or maximum of `limit`: 100 is both here, more is cut to it.
 */
import type { z } from 'zod';
import { reaches, reachOrganisation, reachResource } from './access.ts';
import { invalid, readInput } from './refusal.ts';
import type { SandboxContext } from './sandbox-context.ts';
import type { ApiKey } from './state/accounts.ts';

/** Query parameters, each once. */
export type Query = Readonly<Record<string, string>>;

/** What a list answers. `count` is how many there are in all, not on this page. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly count: number;
}

/** Default and largest `limit`. */
export const LIMIT_MAX = 100;

export interface ListRule<Item> {
  /** Its filters and sorts. What is not in it is ignored. */
  readonly filter: z.ZodObject;
  /** Filters that are more than the equality of the field of the same name. */
  readonly matches?: Readonly<Record<string, (item: Item, wanted: string) => boolean>>;
  /** The value of a sortable field other than `created_at`. */
  readonly sortBy?: (item: Item, field: string) => string;
  /** @default '-created_at' */
  readonly sortDefault?: string;
}

interface ListCall {
  readonly context: SandboxContext;
  readonly key: ApiKey;
  readonly query: Query;
}

const NEWEST_FIRST = '-created_at';

/** The page that a call asks for, of what its key reaches. @throws Refusal 404 or 422 */
export function list<Item extends { readonly organisation_id: string }>(
  call: ListCall,
  all: Iterable<Item>,
  rule: ListRule<Item>,
): Listing<Item> {
  const asked = readInput(rule.filter, call.query);
  refuseForeign(call, asked);
  const { sort, ...filters } = asked;
  const wanted = Object.entries(filters).filter(([, value]) => value !== undefined);
  const found: Item[] = [];
  for (const item of all) {
    const isWanted = wanted.every(([name, value]) => {
      const matches = rule.matches?.[name];
      return matches === undefined
        ? Reflect.get(item, name) === value
        : matches(item, String(value));
    });
    if (isWanted && reaches(call.context, call.key, item.organisation_id)) found.push(item);
  }
  return page(sorted(found, String(sort ?? rule.sortDefault ?? NEWEST_FIRST), rule), call.query);
}

/** Filters that name what is missing or out of reach are answered like any such reference. */
function refuseForeign(call: ListCall, asked: Readonly<Record<string, unknown>>): void {
  const { organisation_id: organisationId, merchant_id: merchantId } = asked;
  if (typeof organisationId === 'string') reachOrganisation(call.context, call.key, organisationId);
  if (typeof merchantId === 'string') {
    reachResource(call, call.context.state.merchants.get(merchantId), 'The merchant');
  }
}

/** Cuts the page that `limit` and `offset` ask for. @throws Refusal 422 when they are no numbers */
function page<Item>(all: readonly Item[], query: Query): Listing<Item> {
  const limit = Math.min(LIMIT_MAX, readCount(query, 'limit', LIMIT_MAX));
  const offset = readCount(query, 'offset', 0);
  return { items: all.slice(offset, offset + limit), count: all.length };
}

function readCount(query: Query, name: string, otherwise: number): number {
  const given = query[name];
  if (given === undefined) return otherwise;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  const message = `${name} must be a whole number, zero or more. Leave it out for ${otherwise}.`;
  throw invalid([{ code: 'VALIDATION_INVALID_VALUE', message, field: name }]);
}

/** Orders a list. Equal values keep the order of creation. */
function sorted<Item>(items: Item[], sort: string, rule: ListRule<Item>): readonly Item[] {
  const descending = sort.startsWith('-');
  const field = descending ? sort.slice(1) : sort;
  // Later ones first also among equals, so that newest-first holds within one millisecond.
  if (descending) items.reverse();
  const { sortBy } = rule;
  // Maps keep the order of creation.
  if (sortBy === undefined || field === 'created_at') return items;
  return items.sort((a, b) => {
    const order = compareText(sortBy(a, field), sortBy(b, field));
    return descending ? -order : order;
  });
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
