/** Integrations: list. */

import type { Integration } from '../../wire/integration.ts';
import { integrationSchema } from '../../wire/integration.ts';
import type { IntegrationFilter, ReadList } from '../../wire/list.ts';
import type { Endpoint } from '../call.ts';
import type { PageQuery } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type { Sender } from '../sender.ts';

/** Operations on integrations. */
export interface IntegrationsResource {
  list(filter?: IntegrationFilter, options?: CallOptions): AsyncIterable<Integration>;
  page(
    query?: IntegrationFilter & PageQuery,
    options?: CallOptions,
  ): Promise<ReadList<Integration>>;
}

const LIST: Endpoint = { method: 'GET', template: '/v1/integrations/', key: 'organisation' };

export function createIntegrations(sender: Sender): IntegrationsResource {
  return {
    list: (query, options) => sender.all(LIST, { query, options }, integrationSchema),
    page: (query, options) => sender.page(LIST, { query, options }, integrationSchema),
  };
}
