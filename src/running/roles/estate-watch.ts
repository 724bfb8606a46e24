/** The estate that stands in a file, where the settings name one: how it is looked at. */
import type { EstateWatch } from '../../books/estate/look-at-estate.ts';
import { createServiceClient } from '../../service/client/index.ts';
import type { OrganisationParts } from './parts.ts';

/** The file of an estate, and the values that stand in it as `${NAME}`. */
export type ManagedEstate = Pick<EstateWatch, 'path' | 'variables'>;

/** Undefined: the estate is not managed. */
export function openEstateWatch(
  parts: OrganisationParts,
  estate: ManagedEstate | undefined,
): EstateWatch | undefined {
  if (estate === undefined) return undefined;
  const { database, clock, organisationId, endpoints, brandTokens, budget } = parts;
  const client = createServiceClient({
    baseUrl: endpoints.serviceUrl,
    // The partner key alone: what an organisation key may not see must not look empty.
    get partnerApiKey(): string | undefined {
      return endpoints.partnerApiKey;
    },
    brandTokens,
    clock,
    budget,
  });
  return {
    db: database.db,
    clock,
    organisationId,
    ...estate,
    get client(): EstateWatch['client'] {
      return endpoints.partnerApiKey === undefined ? undefined : client;
    },
  };
}
