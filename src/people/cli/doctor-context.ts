/** What the doctor is given, whichever organisation it looks at. */
import { statfs } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { OpenDatabase } from '../../base/db/connect.ts';
import { systemClock } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import type { Settings } from '../../running/config.ts';
import type { ProcessorSettings } from '../../running/remote-settings.ts';
import type { ProcessorEndpoint } from '../../running/roles/open-processor.ts';
import { openProcessor } from '../../running/roles/open-processor.ts';
import type { ServedOrganisation } from '../../running/roles/running-organisations.ts';
import { unknownSettings } from '../../running/unknown-settings.ts';
import { createBrandTokens } from '../../service/wire/brand-tokens.ts';
import type { Processor } from '../../service/wire/processor.ts';
import type { DoctorContext, DoctorMerchant, Opened } from '../doctor/context.ts';
import { reachDatabase } from '../doctor/reach-database.ts';

/** Each question is waited for by 3 s: on a machine that takes seconds to load the program there are no ten. */
export const CHECKS_MS_MIN = 4_500;

/** How long the database is waited for at the end, in milliseconds. */
const CLOSE_MS_MAX = 500;

/** Closes it; what it still waits for ends by itself. */
export async function closeSoon(database: OpenDatabase): Promise<void> {
  const closing = database.close().catch(() => undefined);
  await Promise.race([closing, wait(CLOSE_MS_MAX, undefined, { ref: false })]);
}

type Surroundings = Pick<
  DoctorContext,
  | 'settings'
  | 'database'
  | 'databaseUrls'
  | 'clock'
  | 'projectRoot'
  | 'unknownSettings'
  | 'freeBytes'
>;

export async function surroundings(
  settings: Settings,
  database: OpenDatabase,
  connectionString: string,
): Promise<Surroundings> {
  return {
    settings,
    database: await reachDatabase(database),
    databaseUrls: { main: connectionString, direct: settings.database.directUrl },
    clock: systemClock,
    projectRoot: process.cwd(),
    unknownSettings: unknownSettings(),
    freeBytes,
  };
}

/** One of several organisations, with the places that its entry names. */
export async function contextOfOrganisation(
  { current, path, access }: ServedOrganisation,
  database: OpenDatabase,
  connectionString: string,
): Promise<DoctorContext> {
  const settings = current();
  const { endpoints, processor, webhookSecrets } = access;
  const { organisationId, integrationId, serviceUrl: url, apiKey, partnerApiKey } = endpoints;
  const base = settings.webhookUrl?.replace(/\/+$/, '');
  return {
    ...(await surroundings(settings, database, connectionString)),
    isSandbox: settings.service.kind === 'sandbox',
    service: {
      organisationId,
      integrationId,
      brandTokens: createBrandTokens(endpoints.brandTokens),
      url,
      apiKey,
      partnerApiKey,
    },
    webhookSecrets,
    webhookUrl: base === undefined ? undefined : `${base}/${path}`,
    processor: await openQuietly(processor),
    merchants: await Promise.all(
      (settings.layers?.merchants ?? []).flatMap(({ id, processor: own }) =>
        own === undefined ? [] : [openOwn(id, own)],
      ),
    ),
  };
}

async function openOwn(id: string, own: ProcessorSettings): Promise<DoctorMerchant> {
  return { id, processor: await openQuietly(own) };
}

/** Room in this folder, for the user who runs this. */
async function freeBytes(): Promise<number> {
  const { bavail, bsize } = await statfs(process.cwd());
  return bavail * bsize;
}

export async function openQuietly(endpoint: ProcessorSettings): Promise<Opened<Processor>> {
  if (!isEndpoint(endpoint)) return { problem: 'the sandbox is named, and none runs here' };
  try {
    return { value: await openProcessor(endpoint, systemClock) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function isEndpoint(settings: ProcessorSettings): settings is ProcessorEndpoint {
  return settings.kind !== 'sandbox';
}
