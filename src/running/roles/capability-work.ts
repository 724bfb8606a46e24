/** What the loops and the nights of capabilities are given. */
import { openSettings } from '../../base/kernel/setting.ts';
import { EVENT_KINDS } from '../../capabilities/event-kinds.ts';
import type { CapabilityWork } from '../../surface/capability.ts';
import type { OrganisationParts } from './parts.ts';
import { installationOf } from './parts.ts';
import type { WorkOptions } from './work-options.ts';

/** @param name the capability's, for its log */
export function capabilityWork(
  parts: OrganisationParts,
  { settings = openSettings({}), notify, processor, mode, eventHandlers }: WorkOptions,
  name: string,
): CapabilityWork {
  return {
    ...installationOf(parts, name),
    settings,
    brands: parts.endpoints.brandTokens,
    eventKinds: EVENT_KINDS,
    allowLoopback: notify?.allowLoopback ?? false,
    eventHandlers,
    processor,
    isShadow: mode === 'shadow',
  };
}
