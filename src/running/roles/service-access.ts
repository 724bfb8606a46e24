/** From settings to addresses: fills in what the sandbox and the embedded database bring. */
import type { DatabaseSource } from '../../base/db/source.ts';
import { sourceOfUrl } from '../../base/db/source.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { LiveSettings } from '../live-settings.ts';
import type { ProcessorEndpoint } from './open-processor.ts';
import type { Endpoints } from './parts.ts';

/** What a role needs of the outside: addresses and keys of the service, the processor, the secrets of webhooks. */
export interface ServiceAccess {
  readonly endpoints: Endpoints;
  readonly processor: ProcessorEndpoint;
  readonly webhookSecrets: readonly string[];
}

/** Settings that may change while a process runs. */
export type NowSettings = Pick<LiveSettings, 'current'>;

/** The database at an address, used as the settings say, for an organisation or for changes of the schema. */
export function databaseAt(
  connectionString: string,
  live: NowSettings,
  organisation?: string,
): DatabaseSource {
  const { dataKeys, database } = live.current();
  return sourceOfUrl(connectionString, {
    dataKeys: dataKeys === undefined ? undefined : () => live.current().dataKeys ?? dataKeys,
    settings: database,
    organisation,
  });
}

/** Access to the service of the settings. A role on its own cannot run without one. */
export function accessToService(live: NowSettings, database: DatabaseSource): ServiceAccess {
  const settings = live.current();
  const { service, organisationId } = settings;
  if (service.kind === 'sandbox' || organisationId === undefined) {
    throw new ConfigError(
      'This command needs a service. Set FORESTALL_SERVICE_URL (and DATABASE_URL), or run "forestall start" for the sandbox.',
    );
  }
  const keys = (): typeof service => {
    const { service: now } = live.current();
    return now.kind === 'remote' ? now : service;
  };
  return {
    endpoints: {
      database,
      organisationId,
      integrationId: settings.integrationId,
      serviceUrl: service.url,
      get apiKey(): string {
        return keys().apiKey;
      },
      get partnerApiKey(): string | undefined {
        return keys().partnerApiKey;
      },
      brandTokens: settings.brandTokens,
    },
    processor: processorEndpoint(live),
    get webhookSecrets(): readonly string[] {
      return live.current().webhookSecrets;
    },
  };
}

/** Access to a sandbox in this process. */
export function accessToSandbox(
  live: NowSettings,
  database: DatabaseSource,
  { sandbox, processorSecret }: { readonly sandbox: Sandbox; readonly processorSecret: string },
): ServiceAccess {
  const { accounts } = sandbox;
  const settings = live.current();
  return {
    endpoints: {
      database,
      organisationId: accounts.organisationId,
      integrationId: accounts.integrationId,
      serviceUrl: sandbox.url,
      apiKey: accounts.organisationKey,
      partnerApiKey: accounts.partnerKey,
      brandTokens: settings.brandTokens,
    },
    processor:
      settings.processor.kind === 'sandbox'
        ? { kind: 'http', url: sandbox.processorUrl, secret: processorSecret }
        : processorEndpoint(live),
    webhookSecrets: [accounts.webhookSecret],
  };
}

function processorEndpoint(live: NowSettings): ProcessorEndpoint {
  const { processor } = live.current();
  if (processor.kind === 'sandbox') {
    throw new ConfigError('FORESTALL_PROCESSOR names the sandbox, and no sandbox runs here.');
  }
  if (processor.kind !== 'http') return processor;
  return {
    ...processor,
    get secret(): string {
      const { processor: now } = live.current();
      return now.kind === 'http' ? now.secret : processor.secret;
    },
  };
}
