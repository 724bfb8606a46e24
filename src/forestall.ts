/**
 * The whole of Forestall inside another program: its process, its pool, its logger.
 *
 * Nothing here reads the environment, opens a port or handles a signal: the program mounts the
 * receiver, starts and stops the worker, and hands orders over.
 *
 * @module
 * @example
 * const forestall = await createForestall({ database: pool, service, organisationId, webhookSecrets });
 * await forestall.migrate();
 * app.use(forestall.receiver); // before any body parser
 * await forestall.start();
 */
import type { Server } from 'node:http';
import { warnOfLossyDatabase } from './base/db/durability.ts';
import type { EmbeddedOrganisation } from './embedded-organisation.ts';
import {
  assembleOrganisation,
  consoleSettings,
  endpointsOf,
  sourceOf,
} from './embedded-organisation.ts';
import { createWorker } from './embedded-worker.ts';
import { createConsoleRole } from './people/console/console-role.ts';
import { logThrough } from './running/embed/logger.ts';
import { migrate, refuseUnmigrated } from './running/embed/migrate.ts';
import type { ConsoleOptions, ForestallOptions } from './running/embed/options.ts';
import { refuseForeignMode } from './running/roles/open-processor.ts';
import type { OrganisationParts } from './running/roles/parts.ts';
import { openParts } from './running/roles/parts.ts';
import type { Work } from './running/roles/work.ts';
import { createWork } from './running/roles/work.ts';
import type { WorkRole } from './running/roles/workers.ts';
import { startWorkRole } from './running/roles/workers.ts';

/** Forestall, embedded. */
export interface Forestall extends EmbeddedOrganisation {
  /** Pages for people and the JSON API, on a server that you listen with and close. */
  createConsole(options: ConsoleOptions): Server;
  /** Brings the database up to date; any number of processes may call it at once. Names what it applied. */
  migrate(): Promise<string[]>;
  /**
   * Starts the worker in this process. Other processes may run one too.
   *
   * @throws {ConfigError} before `migrate`, and when a test organisation meets a processor that states it is live, or the reverse
   */
  start(): Promise<void>;
  /**
   * One round of everything the worker does, for tests and for programs that run on a schedule.
   * Returns how much was done; 0 means that nothing is left at this moment.
   *
   * @throws {ConfigError} while the worker is started
   */
  runOnce(): Promise<number>;
  /** Lets work under way end, gives back what this process holds, and closes. Your pool stays open. */
  stop(): Promise<void>;
}

/**
 * Opens Forestall. The database must be reachable, because its time is the clock.
 *
 * @throws {ConfigError} when a secret, a path or the pool cannot be used
 * @throws {PolicyError} naming every problem of the policy file with its line and column
 */
export async function createForestall(options: ForestallOptions): Promise<Forestall> {
  const parts = await openEmbeddedParts(options);
  try {
    await warnOfLossyDatabase(parts.database.db, parts.log);
    return assemble(parts, options);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** The parts of an embedded Forestall. */
async function openEmbeddedParts(options: ForestallOptions): Promise<OrganisationParts> {
  const endpoints = endpointsOf(options, sourceOf(options, options.organisationId));
  return await openParts(endpoints, logThrough(options.logger), { clock: options.clock });
}

function assemble(parts: OrganisationParts, options: ForestallOptions): Forestall {
  const assembled = assembleOrganisation(parts, options);
  const { organisation, health, workOptions, consoleOptions, close } = assembled;
  const refuse = async (): Promise<void> => {
    await refuseUnmigrated(parts);
    await refuseForeignMode(workOptions.processor, parts);
  };
  const worker = createWorker({
    async start(): Promise<WorkRole> {
      await refuse();
      return await startWorkRole(parts, workOptions);
    },
    async byHand(): Promise<readonly Work[]> {
      await refuse();
      return [createWork(parts, workOptions)];
    },
  });
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    await worker.stop();
    await close();
    await parts.close();
  };
  return {
    ...organisation,
    createConsole: ({ token, ...entry }) =>
      createConsoleRole(parts, {
        ...consoleOptions,
        token,
        health,
        settings: consoleSettings(entry),
      }),
    migrate: () => migrate(parts),
    start: () => worker.start(),
    runOnce: () => worker.runOnce(),
    stop: (): Promise<void> => {
      closing ??= closeAll();
      return closing;
    },
  };
}
