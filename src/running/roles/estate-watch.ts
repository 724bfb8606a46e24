/** The estate that stands in a file, where the settings name one: how it is looked at. */
import type { EstateWatch } from '../../books/estate/look-at-estate.ts';
import { createServiceClient } from '../../service/client/index.ts';
import type { Parts } from './parts.ts';

/** The file of an estate, and the values that stand in it as `${NAME}`. */
export type ManagedEstate = Pick<EstateWatch, 'path' | 'variables'>;

/** Undefined: the estate is not managed. */
export function openEstateWatch(
  parts: Parts,
  estate: ManagedEstate | undefined,
): EstateWatch | undefined {
  if (estate === undefined) return undefined;
  const { database, clock, organisationId, place, brandTokens, budget } = parts;
  const client = createServiceClient({
    baseUrl: place.serviceUrl,
    // The partner key alone: what an organisation key may not see must not look empty.
    get partnerApiKey(): string | undefined {
      return place.partnerApiKey;
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
      return place.partnerApiKey === undefined ? undefined : client;
    },
  };
}
