/** The list of lookups. Section Endpoints, Integrations and lookups. */
import { lookupFilter } from '../../service/wire/list.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { ok } from '../http/route.ts';
import { list } from '../listing.ts';

export const lookupRoutes: readonly Route[] = [
  { method: 'GET', path: '/v1/lookups/', ability: 'lookups:read', handle: listLookups },
];

function listLookups(call: Call): Answer {
  return ok(list(call, call.context.state.lookups.values(), { filter: lookupFilter }));
}
