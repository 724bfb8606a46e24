/** What a worker of one organisation is told, out of its settings. */
import { openMatchSettings } from '../../alerts/match/settings-file.ts';
import { openSettings, tryAll } from '../../base/kernel/setting.ts';
import { CAPABILITY_SETTINGS } from '../../capabilities/settings.ts';
import type { Settings } from '../config.ts';
import { readVariables } from '../config.ts';
import { otherLayers } from '../installation/layered-guards.ts';
import { openMerchants } from './open-merchants.ts';
import { openOwnProcessor } from './open-processor.ts';
import type { OrganisationParts } from './parts.ts';
import { refuseForeignKey } from './pinned-organisation.ts';
import { openPolicies } from './policies.ts';
import type { ServiceAccess } from './service-access.ts';
import type { WorkOptions } from './work-options.ts';

/** The sandbox is asked at least this often, in seconds: people look on. */
const DEMONSTRATION_POLL_SECONDS = 20;

export interface WorkSettings {
  readonly settings: Settings;
  readonly processor: ServiceAccess['processor'];
  /** Against the sandbox. */
  readonly demonstration: boolean;
  /** All organisations of the installation. @default this one alone */
  readonly organisationIds?: () => readonly string[];
}

/**
 * Opens what the settings name, and makes sure that key, organisation and processor belong together.
 *
 * @throws {ConfigError} when something cannot be used, or belongs to another organisation
 * @throws {PolicyError} naming every problem of the policy file
 */
export async function openWork(
  parts: OrganisationParts,
  { settings, processor, demonstration, organisationIds }: WorkSettings,
): Promise<WorkOptions> {
  await refuseForeignKey(parts.client.alerts, parts.organisationId);
  const { reconcileSeconds } = settings;
  const { layers } = settings;
  const opened = openSettings(settings.given);
  tryAll(CAPABILITY_SETTINGS, opened);
  const own = await openOwnProcessor(processor, parts);
  return {
    processor: own,
    merchants: await openMerchants(parts, { layers, own, endpoint: processor }),
    layers: otherLayers(
      layers,
      organisationIds ?? ((): readonly string[] => [parts.organisationId]),
    ),
    policyLayer: layers?.policy,
    ...(await openPolicies(parts, settings, demonstration)),
    mode: settings.mode,
    matching: openMatchSettings(settings.matchingPath, parts.brandTokens.map),
    settings: opened,
    reconcileSeconds: demonstration
      ? Math.min(reconcileSeconds, DEMONSTRATION_POLL_SECONDS)
      : reconcileSeconds,
    variables: readVariables(),
    notify: settings.notify,
    guard: settings.guard,
  };
}
