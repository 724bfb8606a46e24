/** Lookups: list. */
import type { LookupFilter, ReadList } from '../../wire/list.ts';
import type { Lookup } from '../../wire/lookup.ts';
import { lookupSchema } from '../../wire/lookup.ts';
import type { Endpoint } from '../call.ts';
import type { PageQuery } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type { Sender } from '../sender.ts';

/** Operations on lookups. */
export interface LookupsResource {
  list(filter?: LookupFilter, options?: CallOptions): AsyncIterable<Lookup>;
  page(query?: LookupFilter & PageQuery, options?: CallOptions): Promise<ReadList<Lookup>>;
}

const LIST: Endpoint = { method: 'GET', template: '/v1/lookups/', key: 'organisation' };

export function createLookups(sender: Sender): LookupsResource {
  return {
    list: (query, options) => sender.all(LIST, { query, options }, lookupSchema),
    page: (query, options) => sender.page(LIST, { query, options }, lookupSchema),
  };
}
