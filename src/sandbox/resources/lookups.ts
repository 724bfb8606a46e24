/**
 * The list of lookups. Section Endpoints, Integrations and lookups.
 */
import { DEFLECTION_STATUSES, LOOKUP_STATUSES, LOOKUP_TYPES } from '../../service/wire/lookup.ts';
import { reaches, reachOrganisation } from '../access.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { ok } from '../http/route.ts';
import type { SortRule } from '../listing.ts';
import { page, readChoice, sorted } from '../listing.ts';
import type { LookupRecord } from '../state/resources.ts';

export const lookupRoutes: readonly Route[] = [
  { method: 'GET', path: '/v1/lookups/', ability: 'lookups:read', handle: listLookups },
];

const SORT: SortRule<LookupRecord> = {
  allowed: ['-created_at', 'created_at'],
  valueOf: (lookup) => lookup.created_at,
};

function listLookups(call: Call): Answer {
  const { world, key, query } = call;
  const organisationId = query['organisation_id'];
  if (organisationId !== undefined) reachOrganisation(world, key, organisationId);
  const wanted: readonly (readonly [keyof LookupRecord, string | undefined])[] = [
    ['organisation_id', organisationId],
    ['enrollment_id', query['enrollment_id']],
    ['parent_lookup_id', query['parent_lookup_id']],
    ['type', readChoice(query, 'type', LOOKUP_TYPES)],
    ['lookup_status', readChoice(query, 'lookup_status', LOOKUP_STATUSES)],
    ['deflection_status', readChoice(query, 'deflection_status', DEFLECTION_STATUSES)],
  ];
  const found = [...world.state.lookups.values()].filter(
    (lookup) =>
      reaches(world, key, lookup.organisation_id) &&
      wanted.every(([field, value]) => value === undefined || lookup[field] === value),
  );
  return ok(page(sorted(found, query, SORT), query));
}
