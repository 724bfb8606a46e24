/**
 * Reads lists: one page, or all of it by async iteration.
 *
 * The specification leaves page sizes and even some answer shapes open, so nothing is assumed: the
 * first request names no limit unless the caller does, the next offset is what was received so far,
 * and the walk ends when a page brings nothing new, which also ends it at a server that ignores
 * `offset`. A list that holds less than its `count` says is an error, never a shorter list.
 */
import type { z } from 'zod';
import type { ListFault, ReadList } from '../wire/list.ts';
import { readList } from '../wire/list.ts';
import type { ServiceCall } from './call.ts';
import { unreadable } from './classify.ts';
import type { ClientSettings } from './options.ts';
import { request } from './request.ts';

/** Which part of a list a page shows. */
export interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Pages walked before a list is taken for endless. */
const PAGES_MAX = 1_000;

/** Why a list was no list, in words. */
const FAULTS: Record<ListFault, string> = {
  not_a_list: 'no list',
  items_missing: 'a list without items',
  count_invalid: 'a list whose count is no whole number',
};

/** Reads one page. @throws {ServiceError} UNREADABLE for a shape that is no list */
export async function readPage<Schema extends z.ZodType>(
  settings: ClientSettings,
  call: ServiceCall,
  schema: Schema,
): Promise<ReadList<z.infer<Schema>>> {
  const { json, httpStatus } = await request(settings, call);
  const list = readList(schema, json);
  if (!list.ok) throw unreadable(call, FAULTS[list.reason], { httpStatus });
  return list;
}

/**
 * Reads the whole list, page by page, each item once.
 *
 * @throws {ServiceError} LIST_INCOMPLETE when `count` says more than could be read, UNREADABLE when an
 *   item is malformed; in both cases after every readable item was handed out
 */
export async function* readAll<Schema extends z.ZodType<{ id: string }>>(
  settings: ClientSettings,
  call: ServiceCall,
  schema: Schema,
): AsyncGenerator<z.infer<Schema>, void, undefined> {
  const knownIds = new Set<string>();
  const walk: Walk = { received: 0, invalid: [], count: undefined };
  for (let pages = 0; ; pages++) {
    if (pages >= PAGES_MAX) throw unreadable(call, `a list of more than ${PAGES_MAX} pages`);
    const page = await readPage(settings, atOffset(call, walk.received), schema);
    const fresh = page.items.filter((item) => !knownIds.has(item.id));
    for (const item of fresh) {
      if (knownIds.has(item.id)) continue;
      knownIds.add(item.id);
      yield item;
    }
    advance(walk, page, fresh.length > 0);
    if (fresh.length === 0 || (walk.count !== undefined && walk.received >= walk.count)) break;
  }
  checkWhole(call, walk, knownIds.size);
}

interface Walk {
  received: number;
  count: number | undefined;
  readonly invalid: string[];
}

function atOffset(call: ServiceCall, offset: number): ServiceCall {
  return offset === 0 ? call : { ...call, query: { ...call.query, offset } };
}

function advance(walk: Walk, page: ReadList<unknown>, isNew: boolean): void {
  // What arrives during the walk need not be in it, so the smallest count is the one to reach.
  if (page.count !== undefined) walk.count = Math.min(page.count, walk.count ?? page.count);
  // A page that brought nothing new may be the first one again: its faults are counted already.
  if (!isNew && walk.received > 0) return;
  for (const item of page.invalid)
    walk.invalid.push(`item ${walk.received + item.index}: ${item.problem}`);
  walk.received += page.items.length + page.invalid.length;
}

function checkWhole(call: ServiceCall, walk: Walk, distinct: number): void {
  const [firstInvalid] = walk.invalid;
  if (firstInvalid !== undefined) {
    throw unreadable(call, `${walk.invalid.length} malformed in the list; ${firstInvalid}`);
  }
  if (walk.count !== undefined && distinct < walk.count) {
    throw unreadable(call, `${distinct} of ${walk.count} items could be read`, {
      code: 'LIST_INCOMPLETE',
    });
  }
}
