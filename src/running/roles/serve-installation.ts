/**
 * The public role of several organisations: one listener and one pool, and for each of them a reception with
 * bounds of its own. Organisations come and go while it listens.
 */
import type { Server } from 'node:http';
import { REFUSAL_ANSWERS } from '../../alerts/receive/answers.ts';
import { createBodyBudget, createBodyRoom } from '../../alerts/receive/body-budget.ts';
import type { ReceiveCounters } from '../../alerts/receive/counters.ts';
import { createHttpServer } from '../../alerts/receive/http-server.ts';
import { tellingTogether } from '../../alerts/receive/inbox-wake.ts';
import type { Door } from '../../alerts/receive/organisation-receptions.ts';
import { createOrganisationReceptions } from '../../alerts/receive/organisation-receptions.ts';
import { createReceiverApp } from '../../alerts/receive/receiver.ts';
import { createRefusalLog } from '../../alerts/receive/reception.ts';
import { ALL_ORGANISATIONS, forAllOrganisations } from '../../base/db/for-organisation.ts';
import { followTls, readTls } from '../../base/http/tls-files.ts';
import type { Elsewhere } from '../../surface/residence.ts';
import type { ListenerSigns, ListenerSignsOptions } from './listener-signs.ts';
import { createListenerSigns } from './listener-signs.ts';
import type { DoorOptions } from './open-doors.ts';
import { createDoorCounters, doorsElsewhere, organisationDoorRoutes } from './open-doors.ts';
import type { OrganisationParts, Shared } from './parts.ts';
import type { OpenReception, ServeOptions } from './serve.ts';
import { followSecrets, openIngest, openReception } from './serve.ts';
import type { AskHealth } from './shared-health.ts';

/** The counts of requests that name no organisation, and have no secret. */
export const UNKNOWN_ORGANISATION = 'unknown';

/** The role, ready to listen. */
export interface InstallationServeRole {
  readonly server: Server;
  /** By organisation; what belongs to none under {@link UNKNOWN_ORGANISATION}. */
  counters(): ReadonlyMap<string, ReceiveCounters>;
  /** Takes deliveries in for one more organisation. */
  add(parts: OrganisationParts, options: Served): void;
  /** The same for one that does not live here. */
  addAway(away: ServedAway): void;
  /** Takes no more, and waits for those under way. */
  remove(organisationId: string): Promise<void>;
  /** Waits for deliveries under way. Close the server first. */
  close(): Promise<void>;
}

export interface Served extends Pick<ServeOptions, 'webhookSecrets' | keyof DoorOptions> {
  /** The name in its path. */
  readonly path: string;
  /** Its place in the list: the shared path tries the first ones. */
  readonly place: number;
}

export interface ServedAway extends Omit<Served, 'events'> {
  readonly organisationId: string;
  readonly elsewhere: Elsewhere;
}

export interface InstallationServeOptions extends Pick<ServeOptions, 'tls'> {
  readonly health: AskHealth;
  /** Whether the installation has an organisation of that name: its path, or its id. */
  readonly isListed: (name: string) => boolean;
}

type OwnParts = Pick<OpenReception, 'doors' | 'counters' | 'close'>;

interface Opened extends Door, OwnParts {
  readonly place: number;
}

export function createInstallationServeRole(
  shared: Shared,
  { tls, health, isListed }: InstallationServeOptions,
): InstallationServeRole {
  const log = shared.log.child({ part: 'receive' });
  const ingest = openIngest(shared.source, log);
  const tellWorkers = tellingTogether(ingest.db, log);
  const bodies = createBodyRoom();
  const byId = new Map<string, Opened>();
  let sorted: readonly Opened[] | undefined;
  const opened = (): readonly Opened[] => {
    sorted ??= [...byId.values()].sort((one, other) => one.place - other.place);
    return sorted;
  };
  const unknownCounters = createDoorCounters();
  const logRefusal = createRefusalLog(log, shared.clock);
  const reception = createOrganisationReceptions({
    doors: opened,
    isListed,
    bodies: createBodyBudget(createBodyRoom(bodies)),
    refuseUnknown(reason) {
      unknownCounters.countRefused(reason);
      logRefusal(reason, { organisation: UNKNOWN_ORGANISATION });
      return REFUSAL_ANSWERS[reason];
    },
  });
  const routes = organisationDoorRoutes(
    (name) => opened().find((each) => each.path === name || each.organisationId === name)?.doors,
  );
  const app = createReceiverApp({ reception, routes, log, readyz: health });
  const server = createHttpServer(app, tls === undefined ? {} : { tls: readTls(tls) });
  followTls(server, { paths: tls, log });
  const signs = signsOf(server, shared, { log, tls });
  const remove = async (organisationId: string): Promise<void> => {
    const gone = byId.get(organisationId);
    byId.delete(organisationId);
    sorted = undefined;
    await gone?.close();
  };
  return {
    server,
    remove,
    counters: () =>
      new Map([
        [UNKNOWN_ORGANISATION, unknownCounters],
        ...opened().map(({ organisationId, counters }) => [organisationId, counters] as const),
      ]),
    add(parts, options): void {
      const { organisationId } = parts;
      const { path, place } = options;
      const own = openReception(parts, options, { ingest, bodies, tellWorkers });
      byId.set(organisationId, { ...own, organisationId, path, place });
      sorted = undefined;
    },
    addAway(away): void {
      const { organisationId, path, place, elsewhere } = away;
      const counters = createDoorCounters();
      const verifier = followSecrets(away, shared.clock);
      const reception = elsewhere.reception({
        organisationId,
        verifier,
        counters,
        bodies: createBodyBudget(createBodyRoom(bodies)),
        log: log.child({ organisation: organisationId }),
      });
      byId.set(organisationId, {
        organisationId,
        path,
        place,
        reception,
        verifier,
        counters,
        doors: doorsElsewhere(elsewhere),
        close: () => Promise.resolve(),
      });
      sorted = undefined;
    },
    async close(): Promise<void> {
      await signs.stop();
      await Promise.all([...byId.keys()].map(remove));
      await ingest.close();
    },
  };
}

/** One row of the process, which lives for every organisation. */
function signsOf(
  server: Server,
  { database, clock, workerId }: Shared,
  { log, tls }: Pick<ListenerSignsOptions, 'log' | 'tls'>,
): ListenerSigns {
  const { db } = forAllOrganisations(database, 'heartbeat');
  // Facts are read by their organisation, so the certificate's end is not among them.
  const ofAll = { organisationId: ALL_ORGANISATIONS, notesCertificate: false };
  const signs = createListenerSigns({ ...ofAll, db, clock, log, workerId, tls });
  server.once('listening', signs.start);
  return signs;
}
