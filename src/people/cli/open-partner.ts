/** What commands work on that ask the service with the partner key: the client, whose organisation, the rates. */
import { systemClock } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { openSettings } from '../../base/kernel/setting.ts';
import { readPolicyText } from '../../policy/files.ts';
import { readRates } from '../../policy/head.ts';
import { loadPolicy } from '../../policy/load.ts';
import type { PartnerSettings } from '../../running/config.ts';
import { readCommandSettings, readPartnerSettings, readVariables } from '../../running/config.ts';
import type { ServiceClient } from '../../service/client/index.ts';
import { createServiceClient } from '../../service/client/index.ts';
import { NO_PARTNER_KEY } from '../../service/client/options.ts';
import { createBrandTokens } from '../../service/wire/brand-tokens.ts';
import type { OwnRates, PartnerContext } from '../../surface/terminal/command.ts';
import { readNamed } from '../../surface/terminal/named-file.ts';
import { findRunning } from './running.ts';

/** @throws {ConfigError} when a setting is wrong */
export function openPartner(): Omit<PartnerContext, 'eventKinds' | 'onRows'> {
  const own = readPartnerSettings();
  return {
    clock: systemClock,
    settings: openSettings(own.given),
    variables: readVariables(),
    openClient: () => openClient(own),
    ownOrganisation: () => ownOrganisation(own),
    rates: ratesOf,
  };
}

async function ownOrganisation({ organisationId, serviceUrl }: PartnerSettings): Promise<string> {
  if (organisationId !== undefined) return organisationId;
  if (serviceUrl === undefined) return (await findRunning()).organisationId;
  throw new ConfigError(
    'Which organisation is meant? Name it with --organisation, or set FORESTALL_ORGANISATION_ID.',
  );
}

async function openClient(own: PartnerSettings): Promise<ServiceClient> {
  const { serviceUrl, partnerApiKey, brandTokens } = own;
  const endpoint =
    serviceUrl === undefined ? await sandboxEndpoint() : { serviceUrl, partnerApiKey };
  if (endpoint.partnerApiKey === undefined) {
    throw new ConfigError(NO_PARTNER_KEY);
  }
  return createServiceClient({
    baseUrl: endpoint.serviceUrl,
    // The partner key alone: what an organisation key may not see must not look empty.
    partnerApiKey: endpoint.partnerApiKey,
    brandTokens: createBrandTokens(brandTokens),
  });
}

async function sandboxEndpoint(): Promise<{
  readonly serviceUrl: string;
  readonly partnerApiKey: string;
}> {
  const { sandbox } = await findRunning();
  if (sandbox === undefined) {
    throw new ConfigError(
      'No service is named and no sandbox runs in this folder. Set FORESTALL_SERVICE_URL, or run "forestall start" here.',
    );
  }
  return sandbox;
}

function ratesOf(path: string | undefined): OwnRates {
  if (path !== undefined) return { table: readRates(readNamed(path), path), from: path };
  const { policyPath, brandTokens: brands } = readCommandSettings();
  if (policyPath === undefined || !/\.ya?ml$/.test(policyPath)) return { table: null, from: null };
  const { text, files } = readPolicyText(policyPath);
  const { rates } = loadPolicy(text, { file: policyPath, files, brands });
  return { table: rates, from: rates === null ? null : policyPath };
}
