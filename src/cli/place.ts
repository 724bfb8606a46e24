/**
 * From settings to places: fills in what the sandbox and the embedded database bring.
 */
import type { Settings } from '../config.ts';
import type { DatabaseSource } from '../db/source.ts';
import { sourceOfUrl } from '../db/source.ts';
import { ConfigError } from '../kernel/errors.ts';
import type { ProcessorPlace } from '../roles/open-processor.ts';
import type { Place } from '../roles/parts.ts';
import type { ProcessorSettings } from '../roles/remote-settings.ts';
import type { Sandbox } from '../sandbox/index.ts';

/** Everything the roles need to find each other and the world. */
export interface World {
  readonly place: Place;
  readonly processor: ProcessorPlace;
  readonly webhookSecrets: readonly string[];
}

/** The database at an address, used as the settings say. */
export function databaseAt(connectionString: string, settings: Settings): DatabaseSource {
  const { dataKeys, database } = settings;
  return sourceOfUrl(connectionString, { dataKeys, settings: database });
}

/** The world of a real service. Without one, a role on its own has nothing to talk to. */
export function remoteWorld(settings: Settings, connectionString: string): World {
  const { service, organisationId } = settings;
  if (service.kind === 'sandbox' || organisationId === undefined) {
    throw new ConfigError(
      'This command needs a service. Set FORESTALL_SERVICE_URL (and DATABASE_URL), or run "forestall start" for the sandbox.',
    );
  }
  return {
    place: {
      database: databaseAt(connectionString, settings),
      organisationId,
      integrationId: settings.integrationId,
      serviceUrl: service.url,
      apiKey: service.apiKey,
      partnerApiKey: service.partnerApiKey,
      brandTokens: settings.brandTokens,
    },
    processor: processorPlace(settings.processor),
    webhookSecrets: settings.webhookSecrets,
  };
}

/** The world of a sandbox in this process. */
export function sandboxWorld(
  settings: Settings,
  connectionString: string,
  { sandbox, processorSecret }: { readonly sandbox: Sandbox; readonly processorSecret: string },
): World {
  const { accounts } = sandbox;
  return {
    place: {
      database: databaseAt(connectionString, settings),
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
        : settings.processor,
    webhookSecrets: [accounts.webhookSecret],
  };
}

function processorPlace(processor: ProcessorSettings): ProcessorPlace {
  if (processor.kind === 'sandbox') {
    throw new ConfigError('FORESTALL_PROCESSOR names the sandbox, and no sandbox runs here.');
  }
  return processor;
}
