/** What the loops and the nights of capabilities are given. */
import { openSettings } from '../../base/kernel/setting.ts';
import { EVENT_KINDS } from '../../capabilities/event-kinds.ts';
import { replayReaders } from '../../capabilities/index.ts';
import type { ServiceClient } from '../../service/client/index.ts';
import { createServiceClient } from '../../service/client/index.ts';
import type { CapabilityWork } from '../../surface/capability.ts';
import type { OrganisationParts } from './parts.ts';
import { installationOf } from './parts.ts';
import type { WorkOptions } from './work-options.ts';

/** @param name the capability's, for its log */
export function capabilityWork(
  parts: OrganisationParts,
  options: WorkOptions,
  name: string,
): CapabilityWork {
  const { settings = openSettings({}), notify, processor, mode, eventHandlers, policy } = options;
  const own = installationOf(parts, name);
  const { db, clock, organisationId } = own;
  return {
    ...own,
    settings,
    brands: parts.endpoints.brandTokens,
    eventKinds: EVENT_KINDS,
    partner: partnerOf(parts),
    variables: options.variables ?? {},
    digestAt: notify?.digest,
    allowLoopback: notify?.allowLoopback ?? false,
    eventHandlers,
    processor,
    currentPolicy: () => policy.current(),
    readers: () => replayReaders({ db, clock, organisationId, settings }),
    isShadow: mode === 'shadow',
  };
}

function partnerOf(parts: OrganisationParts): CapabilityWork['partner'] {
  const { endpoints, brandTokens, clock, budget } = parts;
  let client: ServiceClient | undefined;
  return () => {
    if (endpoints.partnerApiKey === undefined) return undefined;
    client ??= createServiceClient({
      baseUrl: endpoints.serviceUrl,
      // A key that is exchanged meanwhile holds from the next call on.
      get partnerApiKey(): string | undefined {
        return endpoints.partnerApiKey;
      },
      brandTokens,
      clock,
      budget,
    });
    return client;
  };
}
