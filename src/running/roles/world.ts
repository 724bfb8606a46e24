/**
 * From settings to places: fills in what the sandbox and the embedded database bring.
 */
import type { DatabaseSource } from '../../base/db/source.ts';
import { sourceOfUrl } from '../../base/db/source.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { Settings } from '../config.ts';
import type { LiveSettings } from './live-settings.ts';
import type { ProcessorPlace } from './open-processor.ts';
import type { Place } from './parts.ts';

/** Everything the roles need to find each other and the world. */
export interface World {
  readonly place: Place;
  readonly processor: ProcessorPlace;
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

/** The world of a real service. Without one, a role on its own has nothing to talk to. */
export function remoteWorld(live: NowSettings, database: DatabaseSource): World {
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
    place: {
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
    processor: processorPlace(live),
    get webhookSecrets(): readonly string[] {
      return live.current().webhookSecrets;
    },
  };
}

/** The world of a sandbox in this process. */
export function sandboxWorld(
  live: NowSettings,
  database: DatabaseSource,
  { sandbox, processorSecret }: { readonly sandbox: Sandbox; readonly processorSecret: string },
): World {
  const { accounts } = sandbox;
  const settings = live.current();
  return {
    place: {
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
        : processorPlace(live),
    webhookSecrets: [accounts.webhookSecret],
  };
}

function processorPlace(live: NowSettings): ProcessorPlace {
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

/** Whether the sandbox's processor is the one in use, and nothing else is said of its webhooks. */
export function tellsItself({ service, processor, processorEvents }: Settings): boolean {
  return (
    service.kind === 'sandbox' && processor.kind === 'sandbox' && processorEvents.kind === 'none'
  );
}
