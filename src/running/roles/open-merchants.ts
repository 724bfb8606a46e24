/** Opens what the merchants of an organisation have of their own, out of its settings. */
import { openMatchSettings } from '../../alerts/match/settings-file.ts';
import { HOLD_EVERYTHING_POLICY } from '../../policy/built-in.ts';
import type { Processor } from '../../service/wire/processor.ts';
import type { LayerSettings, MerchantSettings } from '../installation/layer-words.ts';
import type { ProcessorEndpoint } from './open-processor.ts';
import { openOwnProcessor } from './open-processor.ts';
import type { OrganisationParts } from './parts.ts';
import { openPolicy } from './policy-source.ts';
import type { MerchantWork } from './work-options.ts';

interface MerchantContext {
  readonly layers: LayerSettings | undefined;
  readonly own: Processor;
  readonly endpoint: ProcessorEndpoint;
}

/**
 * Opens them. A policy that cannot be used holds everything of its merchant, and a person is told: the organisation's
 * other alerts go on.
 *
 * @throws {ConfigError} when a processor cannot be opened, or belongs to the other kind of organisation
 */
export async function openMerchants(
  parts: OrganisationParts,
  { layers, own, endpoint }: MerchantContext,
): Promise<readonly MerchantWork[]> {
  const opened = new Map([[nameOf(endpoint), own]]);
  const merchants: MerchantWork[] = [];
  for (const merchant of layers?.merchants ?? []) {
    merchants.push({
      id: merchant.id,
      processor: await openOnce(parts, merchant, opened),
      policy: policyOf(parts, merchant),
      matching:
        merchant.matchingPath === undefined
          ? undefined
          : openMatchSettings(merchant.matchingPath, parts.brandTokens.map),
      fallbackBeforeMs: merchant.guards?.fallbackBeforeMs,
    });
  }
  return merchants;
}

/** Merchants that name the same processor with the same secret share it. */
async function openOnce(
  parts: OrganisationParts,
  { processor: endpoint }: MerchantSettings,
  opened: Map<string, Processor>,
): Promise<Processor | undefined> {
  if (endpoint === undefined) return undefined;
  const processor = opened.get(nameOf(endpoint)) ?? (await openOwnProcessor(endpoint, parts));
  opened.set(nameOf(endpoint), processor);
  return processor;
}

function nameOf(endpoint: ProcessorEndpoint): string {
  if (endpoint.kind === 'http') return `${endpoint.url} ${endpoint.secret}`;
  return endpoint.kind === 'module' ? endpoint.path : endpoint.kind;
}

function policyOf(
  { log, endpoints: { brandTokens: brands } }: OrganisationParts,
  { id, policyPath: path }: MerchantSettings,
): MerchantWork['policy'] {
  if (path === undefined) return undefined;
  const setting = `policy of merchant ${id}`;
  return openPolicy({
    ...{ path, brands, log, setting },
    demonstration: false,
    lastGood: HOLD_EVERYTHING_POLICY,
  });
}
