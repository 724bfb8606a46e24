/**
 * The public role: takes in signed webhooks and answers health checks. Nothing else listens here.
 *
 * It has a database pool of its own, so that nothing the workers do can hold up a delivery.
 */
import type { Server } from 'node:http';
import type { BodyRoom } from '../../alerts/receive/body-budget.ts';
import { createBodyBudget, createBodyRoom } from '../../alerts/receive/body-budget.ts';
import type { ReceiveCounters } from '../../alerts/receive/counters.ts';
import { createDeliveryLog, WRITE_EVERY_MS } from '../../alerts/receive/delivery-log.ts';
import { createHttpServer } from '../../alerts/receive/http-server.ts';
import {
  createInbox,
  INBOX_CONNECTIONS,
  INBOX_STATEMENT_TIMEOUT_MS,
} from '../../alerts/receive/inbox.ts';
import type { TellWorkers } from '../../alerts/receive/inbox-wake.ts';
import { createReceiverApp } from '../../alerts/receive/receiver.ts';
import type { Reception } from '../../alerts/receive/reception.ts';
import { createReception } from '../../alerts/receive/reception.ts';
import type { Verifier } from '../../alerts/receive/signature.ts';
import { createVerifier } from '../../alerts/receive/signature.ts';
import type { OpenDatabase } from '../../base/db/connect.ts';
import { forOrganisation } from '../../base/db/for-organisation.ts';
import type { DatabaseSource } from '../../base/db/source.ts';
import type { TlsPaths } from '../../base/http/tls-files.ts';
import { followTls, readTls } from '../../base/http/tls-files.ts';
import { withLocalLoops } from '../../base/jobs/wake.store.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import type { Log } from '../../base/kernel/log.ts';
import { CAPABILITY_DOORS } from '../../capabilities/doors.ts';
import type { Absence } from '../../surface/residence.ts';
import { createListenerSigns } from './listener-signs.ts';
import type { DoorOptions, OpenDoors } from './open-doors.ts';
import { createDoorCounters, doorRoutes, openDoors } from './open-doors.ts';
import type { OrganisationParts } from './parts.ts';
import { sharedReadiness } from './readiness.ts';
import { whileHere } from './residence.ts';
import type { AskHealth } from './shared-health.ts';

export interface ServeOptions extends DoorOptions {
  /** Signing secrets, newest first. Asked for at each delivery: another list is another set. */
  readonly webhookSecrets: readonly string[];
  readonly tls: TlsPaths | undefined;
  /** Whether it writes signs of life, by a timer: not where time is moved by hand. @default true */
  readonly givesSigns?: boolean;
}

export interface ServeRole {
  readonly server: Server;
  readonly counters: ReceiveCounters;
  /** What its `/readyz` judges by, with the details that it does not tell. */
  readonly health: AskHealth;
  /** Waits for deliveries under way. Close the server first. */
  close(): Promise<void>;
}

export function createServeRole(parts: OrganisationParts, options: ServeOptions): ServeRole {
  const log = parts.log.child({ part: 'receive' });
  const { reception, doors, counters, close } = openReception(parts, options);
  const routes = doorRoutes(doors);
  const health = sharedReadiness(parts);
  const app = createReceiverApp({ reception, routes, log, readyz: health });
  const server = createHttpServer(
    app,
    options.tls === undefined ? {} : { tls: readTls(options.tls) },
  );
  followTls(server, { paths: options.tls, log });
  const { database, clock, workerId, organisationId } = parts;
  const signs = createListenerSigns({
    db: database.db,
    clock,
    log,
    workerId,
    organisationId,
    tls: options.tls,
  });
  if (options.givesSigns !== false) server.once('listening', signs.start);
  return {
    server,
    counters,
    health,
    async close(): Promise<void> {
      await signs.stop();
      await close();
    },
  };
}

/** What takes deliveries in, with a pool of its own where the database is an address. */
export interface OpenReception {
  readonly reception: Reception;
  readonly doors: OpenDoors;
  readonly counters: ReceiveCounters;
  /** Asked at each delivery: its secrets may be exchanged. */
  readonly verifier: () => Verifier;
  /** Waits for deliveries under way. */
  close(): Promise<void>;
}

export function openIngest(source: DatabaseSource, log: Log): OpenDatabase {
  return source.open({
    log,
    maxConnections: source.receiveConnections ?? INBOX_CONNECTIONS,
    statementTimeoutMs: INBOX_STATEMENT_TIMEOUT_MS,
    connectTimeoutMs: INBOX_STATEMENT_TIMEOUT_MS,
    applicationName: 'forestall-receive',
  });
}

/** Opens it for one organisation; without a host it has everything for itself. */
export function openReception(
  parts: OrganisationParts,
  options: Pick<ServeOptions, 'webhookSecrets' | keyof DoorOptions>,
  host?: {
    readonly ingest: OpenDatabase;
    readonly bodies: BodyRoom;
    readonly tellWorkers: TellWorkers;
  },
): OpenReception {
  const { clock, organisationId, residence, pace } = parts;
  const log = parts.log.child({ part: 'receive' });
  const opened = host?.ingest ?? openIngest(parts.endpoints.database, log);
  const ingest = withLocalLoops(forOrganisation(opened, organisationId), parts.wakeBus);
  const isShared = host !== undefined;
  const inbox = createInbox({
    ...{ database: ingest, clock, log, organisationId, isShared, pace },
    tellWorkers: host?.tellWorkers,
  });
  const counters = createDoorCounters();
  const verifier = followSecrets(options, clock);
  const deliveryLog = { db: ingest.db, clock, log, organisationId };
  const deliveries = createDeliveryLog(deliveryLog);
  const atDoors = new Map(
    CAPABILITY_DOORS.map(({ verdicts: prefix }) => [
      prefix,
      createDeliveryLog({ ...deliveryLog, prefix }),
    ]),
  );
  const writeDeliveries = async (): Promise<void> => {
    for (const each of [deliveries, ...atDoors.values()]) await each.write();
  };
  const writing = setInterval(() => void writeDeliveries(), WRITE_EVERY_MS);
  writing.unref();
  const bodies = createBodyBudget(createBodyRoom(host?.bodies));
  const verifiers = (subscription: string): Verifier | undefined =>
    subscription === '' ? verifier() : undefined;
  const scope = { clock, log, bodies, counters };
  const away = (): Absence | undefined => residence.away(organisationId);
  const here = createReception({ ...scope, inbox, verifiers, deliveries });
  return {
    reception: whileHere(here, away, { ...scope, organisationId, verifier }),
    doors: openDoors(
      {
        ...{ clock, log, bodies, counters, organisationId },
        db: ingest.db,
        deliveriesOf: ({ verdicts }) => atDoors.get(verdicts) ?? deliveries,
        away,
      },
      options,
    ),
    counters,
    verifier,
    async close(): Promise<void> {
      clearInterval(writing);
      await inbox.close();
      await writeDeliveries();
      if (host === undefined) await opened.close();
    },
  };
}

/** The verifier of an organisation, made again when its secrets are exchanged. */
export function followSecrets(
  options: Pick<ServeOptions, 'webhookSecrets'>,
  clock: Clock,
): () => Verifier {
  let secrets = options.webhookSecrets;
  let verifier = createVerifier({ secrets, clock });
  return () => {
    if (options.webhookSecrets !== secrets) {
      secrets = options.webhookSecrets;
      verifier = createVerifier({ secrets, clock });
    }
    return verifier;
  };
}
