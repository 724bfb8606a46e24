/**
 * Several organisations of Forestall inside another program: one pool, one connection that listens, one worker and one
 * console for all of them, and for each what `createForestall` gives.
 *
 * @module
 * @example
 * const installation = await createInstallation({ database: pool, organisations: [brandOne, brandTwo] });
 * await installation.migrate();
 * app.use('/brand-one', installation.of(brandOne.organisationId).receiver); // before any body parser
 * await installation.start();
 */
import type { Server } from 'node:http';
import { warnOfLossyDatabase } from './base/db/durability.ts';
import type { OrganisationName } from './base/http/organisation-path.ts';
import { ConfigError } from './base/kernel/errors.ts';
import type { AssembledOrganisation, EmbeddedOrganisation } from './embedded-organisation.ts';
import {
  assembleOrganisation,
  consoleSettings,
  endpointsOf,
  sourceOf,
} from './embedded-organisation.ts';
import { createWorker } from './embedded-worker.ts';
import type { Forestall } from './forestall.ts';
import { createInstallationRole } from './people/console/installation/installation-role.ts';
import { logThrough } from './running/embed/logger.ts';
import { migrate, refuseUnmigrated } from './running/embed/migrate.ts';
import type {
  ConsoleOptions,
  InstallationOptions,
  OrganisationOptions,
} from './running/embed/options.ts';
import { pathOf } from './running/installation/installation-file.ts';
import { refuseForeignMode } from './running/roles/open-processor.ts';
import type { OrganisationParts, Shared } from './running/roles/parts.ts';
import { openShared, partsOf, sharedByOrganisations } from './running/roles/parts.ts';
import type { Work } from './running/roles/work.ts';
import { createWork } from './running/roles/work.ts';
import type { WorkRole } from './running/roles/workers.ts';
import { startWorkers } from './running/roles/workers.ts';
import type { ListedOrganisation } from './surface/web/ports.ts';

/** Several organisations, embedded. */
export interface ForestallInstallation
  extends Pick<
    Forestall,
    'createConsole' | 'readiness' | 'migrate' | 'start' | 'runOnce' | 'stop'
  > {
  /**
   * One of them: its receivers, orders, alerts, guards, books and policies.
   *
   * @throws {ConfigError} when there is none of this id
   */
  of(organisationId: string): EmbeddedOrganisation;
}

interface Member extends ListedOrganisation {
  readonly parts: OrganisationParts;
  readonly assembled: AssembledOrganisation;
}

/**
 * Opens them. The database must be reachable, because its time is the clock.
 *
 * @throws {ConfigError} when a secret, a path or the pool cannot be used, or two organisations have one id or path
 * @throws {PolicyError} naming every problem of a policy file with its line and column
 */
export async function createInstallation(
  options: InstallationOptions,
): Promise<ForestallInstallation> {
  refuseTwins(options.organisations);
  const source = sourceOf(options, undefined);
  const shared = await openShared(source, logThrough(options.logger), { clock: options.clock });
  const members: Member[] = [];
  const close = async (): Promise<void> => {
    for (const { assembled, parts } of members) {
      await assembled.close();
      await parts.close();
    }
    await shared.close();
  };
  try {
    await warnOfLossyDatabase(shared.database.db, shared.log);
    const fair = sharedByOrganisations(shared);
    for (const own of options.organisations) members.push(await openMember(fair, own));
    const [first] = members;
    if (first === undefined)
      throw new ConfigError('An installation has at least one organisation.');
    return assemble(shared, { members, first, close });
  } catch (error) {
    await close();
    throw error;
  }
}

function placeOf({ organisationId: id, name, path }: OrganisationOptions): string {
  return pathOf({ id, name, path });
}

function refuseTwins(organisations: readonly OrganisationOptions[]): void {
  const names = organisations.flatMap((each) => [each.organisationId, placeOf(each)]);
  const twin = names.find((name, at) => names.indexOf(name) !== at);
  if (twin !== undefined) {
    throw new ConfigError(
      `Two organisations are called ${twin}. Give each an id and a path of its own.`,
    );
  }
}

async function openMember(shared: Shared, own: OrganisationOptions): Promise<Member> {
  const { organisationId: id, name, mode = 'live' } = own;
  const path = placeOf(own);
  const log = shared.log.child({ organisation: id });
  const parts = await partsOf({ ...shared, log }, endpointsOf(own, shared.source));
  const organisation = (): OrganisationName => ({ name, path });
  const notify = { ...own.notify, organisation };
  return {
    id,
    name,
    path,
    mode,
    parts,
    assembled: assembleOrganisation(parts, { ...own, notify }),
  };
}

interface Members {
  readonly members: readonly Member[];
  readonly first: Member;
  close(): Promise<void>;
}

function assemble(shared: Shared, { members, first, close }: Members): ForestallInstallation {
  const worker = createWorker({
    async start(): Promise<WorkRole> {
      await refuseUnready(shared, members);
      return await startAll(shared, members);
    },
    async byHand(): Promise<readonly Work[]> {
      await refuseUnready(shared, members);
      // Each reports itself alive for its own organisation, as a process of one organisation does.
      return members.map(({ id, parts, assembled: { workOptions } }) =>
        createWork({ ...parts, workerId: `${parts.workerId}:${id}` }, workOptions),
      );
    },
  });
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    await worker.stop();
    await close();
  };
  return {
    of(organisationId): EmbeddedOrganisation {
      const member = members.find(({ id }) => id === organisationId);
      if (member !== undefined) return member.assembled.organisation;
      throw new ConfigError(`The installation has no organisation ${organisationId}.`);
    },
    createConsole: (options) => consoleOf(shared, { members, first, options }),
    readiness: first.assembled.health,
    async migrate(): Promise<string[]> {
      const applied = await migrate(first.parts);
      for (const { parts } of members) await parts.keyAdmission.admit();
      return applied;
    },
    start: () => worker.start(),
    runOnce: () => worker.runOnce(),
    stop: (): Promise<void> => {
      closing ??= closeAll();
      return closing;
    },
  };
}

async function refuseUnready(shared: Shared, members: readonly Member[]): Promise<void> {
  await refuseUnmigrated(shared);
  for (const { parts, assembled } of members) {
    await refuseForeignMode(assembled.workOptions.processor, parts);
  }
}

async function startAll(shared: Shared, members: readonly Member[]): Promise<WorkRole> {
  const { jobs } = shared.source;
  const workers = await startWorkers({ ...shared, jobs, count: () => members.length });
  try {
    for (const { parts, assembled } of members) await workers.add(parts, assembled.workOptions);
  } catch (error) {
    await workers.stop();
    throw error;
  }
  return workers;
}

function consoleOf(
  shared: Shared,
  {
    members,
    first,
    options: { token, ...entry },
  }: Omit<Members, 'close'> & { readonly options: ConsoleOptions },
): Server {
  const { health, consoleOptions } = first.assembled;
  const role = createInstallationRole({
    shared,
    organisations: () => members.map(({ id, name, path, mode }) => ({ id, name, path, mode })),
    health,
    own: { token, settings: consoleSettings(entry), opened: consoleOptions.opened },
    receiveCounts: () =>
      new Map(
        members.flatMap(({ id, assembled }) => {
          const { counters } = assembled.consoleOptions;
          return counters === undefined ? [] : [[id, counters.snapshot()] as const];
        }),
      ),
    async open({ id }) {
      const member = members.find((each) => each.id === id);
      if (member === undefined) throw new Error(`${id} is not open`);
      const { parts, assembled } = member;
      return { parts, options: assembled.consoleOptions, close: () => Promise.resolve() };
    },
  });
  return role.server;
}
