/**
 * What a `forestall start` leaves for other commands in the same folder: where its database is and
 * whom it serves. The file holds the embedded database's password, so only its owner may read it.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { openDatabase } from '../../base/db/connect.ts';
import type { Db } from '../../base/db/database.ts';
import { forOrganisation } from '../../base/db/for-organisation.ts';
import { refuseUnusableSchema } from '../../base/db/migrate.ts';
import { requireReachable } from '../../base/db/reachable.ts';
import { systemClock } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { createLog } from '../../base/kernel/log.ts';
import { openSettings } from '../../base/kernel/setting.ts';
import { createKeyAdmission } from '../../base/seal/key-admission.ts';
import { readCommandSettings } from '../../running/config.ts';
import type { ServiceAccess } from '../../running/roles/service-access.ts';
import type { CommandContext } from '../../surface/terminal/command.ts';
import type { OrdersContext } from './orders.ts';

const FILE = '.forestall/running.json';

const runningSchema = z.object({
  connectionString: z.string(),
  organisationId: z.string(),
  integrationId: z.string().optional(),
  /** The sandbox of a demonstration, which has keys of its own; absent with a real service. */
  sandbox: z
    .object({
      serviceUrl: z.string(),
      apiKey: z.string(),
      partnerApiKey: z.string(),
      webhookSecret: z.string(),
      webhookUrl: z.string(),
      processorUrl: z.string(),
      processorSecret: z.string(),
    })
    .optional(),
});

/** Where a running Forestall is. */
export type RunningInstallation = z.infer<typeof runningSchema>;

/** What the note says of an installation that has just been started. */
export function runningOf(
  { endpoints, processor, webhookSecrets }: ServiceAccess,
  started: {
    readonly connectionString: string;
    readonly webhookUrl: string;
    readonly sandbox: unknown;
  },
): RunningInstallation {
  const { connectionString, webhookUrl, sandbox } = started;
  const { organisationId, integrationId, serviceUrl, apiKey, partnerApiKey } = endpoints;
  const note = { connectionString, organisationId, integrationId };
  const [webhookSecret] = webhookSecrets;
  // A real service's keys are in the settings, and stay there.
  if (sandbox === undefined || webhookSecret === undefined || partnerApiKey === undefined) {
    return note;
  }
  const money = processor.kind === 'http' ? processor : { url: '', secret: '' };
  return {
    ...note,
    sandbox: {
      serviceUrl,
      apiKey,
      partnerApiKey,
      webhookSecret,
      webhookUrl,
      processorUrl: money.url,
      processorSecret: money.secret,
    },
  };
}

/** Leaves the note. Returns the function that takes it away. */
export async function leaveRunning(running: RunningInstallation): Promise<() => Promise<void>> {
  await mkdir('.forestall', { recursive: true });
  await rm(FILE, { force: true });
  await writeFile(FILE, JSON.stringify(running), { mode: 0o600 });
  return async () => await rm(FILE, { force: true });
}

/** Where Forestall runs: by the settings, or by the note of a `forestall start` in this folder. */
export async function findRunning(): Promise<RunningInstallation> {
  const settings = readCommandSettings();
  const { databaseUrl, organisationId, integrationId } = settings;
  if (databaseUrl !== undefined && organisationId !== undefined) {
    return { connectionString: databaseUrl, organisationId, integrationId };
  }
  const note = await readNote();
  if (note !== undefined && (databaseUrl ?? note.connectionString) === note.connectionString) {
    return note;
  }
  throw new ConfigError(
    databaseUrl === undefined
      ? 'No database is named and no "forestall start" runs in this folder. Set DATABASE_URL and FORESTALL_ORGANISATION_ID, or start it here.'
      : 'FORESTALL_ORGANISATION_ID is missing: it names whose rows in DATABASE_URL are meant. Set it to the id of the organisation, org_…',
  );
}

/** The note in this folder; undefined where nothing runs that left one. */
async function readNote(): Promise<RunningInstallation | undefined> {
  try {
    return runningSchema.parse(JSON.parse(await readFile(FILE, 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Opens the database that the settings name, or the one of a `forestall start` in this folder.
 *
 * @throws {ConfigError} when there is neither, or its schema is another version's
 * @throws {DatabaseError} when the one that the settings name cannot be used
 */
export async function openRunning(): Promise<OpenedCommand> {
  return await openAdmitted(async (db, keyAdmission) => {
    await refuseUnusableSchema(db);
    await keyAdmission.admit();
  });
}

/** The same whichever version's schema it has: refunds can be stopped in the middle of an upgrade too. */
export async function openToPause(): Promise<OrdersContext> {
  return await openAdmitted(async (db) => {
    await sql`select 1`.execute(db);
  });
}

interface OpenedCommand extends OrdersContext, Pick<CommandContext, 'settings' | 'brands'> {}

type Admission = (db: Db, keyAdmission: ReturnType<typeof createKeyAdmission>) => Promise<void>;

async function openAdmitted(admit: Admission): Promise<OpenedCommand> {
  const {
    databaseUrl,
    programmes,
    given,
    brandTokens: brands,
    dataKeys,
    database: { schema },
  } = readCommandSettings();
  const { connectionString, organisationId, integrationId } = await findRunning();
  const log = createLog({ level: 'silent' });
  const opened = openDatabase({
    connectionString,
    schema,
    log,
    maxConnections: 4,
    dataKeys,
    organisation: organisationId,
  });
  const database = forOrganisation(opened, organisationId);
  const keyAdmission = createKeyAdmission({ db: database.db, organisationId, log });
  if (databaseUrl !== undefined) await requireReachable(opened);
  try {
    await admit(database.db, keyAdmission);
  } catch (error) {
    await opened.close();
    if (error instanceof ConfigError || databaseUrl !== undefined) throw error;
    throw new ConfigError('The database cannot be reached. Is "forestall start" still running?', {
      cause: error,
    });
  }
  return {
    db: database.db,
    clock: systemClock,
    organisationId,
    integrationId,
    programmes,
    settings: openSettings(given),
    brands,
    async close(): Promise<void> {
      keyAdmission.stop();
      await opened.close();
    },
  };
}
