/** The list of integrations. Section Endpoints, Integrations and lookups. */

import { CUSTOM_ORDERS_TYPE } from '../../service/wire/integration.ts';
import { integrationFilter } from '../../service/wire/list.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { ok } from '../http/route.ts';
import type { ListRule } from '../listing.ts';
import { list } from '../listing.ts';
import type { IntegrationRecord } from '../state/resources.ts';

export const integrationRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/integrations/',
    ability: 'integrations:read',
    handle: listIntegrations,
  },
];

const LIST: ListRule<IntegrationRecord> = { filter: integrationFilter, sortDefault: 'created_at' };

function listIntegrations(call: Call): Answer {
  const { integrations } = call.context.state;
  const { items, count } = list(call, integrations.values(), LIST);
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
