/**
 * The list of integrations. Section Endpoints, Integrations and lookups.
 */
import { CUSTOM_ORDERS_TYPE } from '../../service/wire/integration.ts';
import { reaches, reachOrganisation } from '../access.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { ok } from '../http/route.ts';
import { page } from '../listing.ts';
import type { IntegrationRecord } from '../state/resources.ts';

export const integrationRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/integrations/',
    ability: 'integrations:read',
    handle: listIntegrations,
  },
];

function listIntegrations(call: Call): Answer {
  const { world, key, query } = call;
  const organisationId = query['organisation_id'];
  if (organisationId !== undefined) reachOrganisation(world, key, organisationId);
  const found = [...world.state.integrations.values()].filter(
    (integration) =>
      reaches(world, key, integration.organisation_id) &&
      (organisationId === undefined || integration.organisation_id === organisationId),
  );
  const { items, count } = page(found, query);
  return ok({ items: items.map(showIntegration), count });
}

/** Only processor integrations have a status. */
function showIntegration(integration: IntegrationRecord): object {
  const { id, organisation_id, type, status, merchant_ids, created_at, updated_at } = integration;
  return {
    id,
    organisation_id,
    type,
    ...(type === CUSTOM_ORDERS_TYPE ? {} : { status }),
    merchant_ids,
    created_at,
    updated_at,
  };
}
