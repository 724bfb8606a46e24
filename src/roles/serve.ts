/**
 * The public role: takes in signed webhooks and answers health checks. Nothing else listens here.
 *
 * It has a database pool of its own, so that nothing the workers do can hold up a delivery.
 */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { pendingMigrations } from '../db/migrate.ts';
import { isReadOnlyError, READ_ONLY_STEP } from '../db/writable.ts';
import { readUndelivered } from '../insights/operations.store.ts';
import { countAlive } from '../jobs/heartbeat.store.ts';
import { nowDate } from '../kernel/clock.ts';
import { messageOf } from '../kernel/errors.ts';
import type { ReceiveCounters } from '../receive/counters.ts';
import { createReceiveCounters } from '../receive/counters.ts';
import { createHttpServer } from '../receive/http-server.ts';
import { createInbox } from '../receive/inbox.ts';
import { createReceiver } from '../receive/receiver.ts';
import type { Health } from '../receive/receiver-app.ts';
import { createReceiverApp } from '../receive/receiver-app.ts';
import type { Reception } from '../receive/reception.ts';
import { createReception } from '../receive/reception.ts';
import { createVerifier } from '../receive/signature.ts';
import { readLook, readWithheld } from '../resume/resume.store.ts';
import { RESUME_REASONS } from '../resume/resume-rule.ts';
import type { Parts } from './parts.ts';

/** Options of {@link createServeRole}. */
export interface ServeOptions {
  /** Signing secrets, newest first. */
  readonly webhookSecrets: readonly string[];
  readonly tls: { readonly certPath: string; readonly keyPath: string } | undefined;
}

/** The role, ready to listen. */
export interface ServeRole {
  readonly server: Server;
  readonly counters: ReceiveCounters;
  /** Waits for deliveries under way. Close the server first. */
  close(): Promise<void>;
}

/** One connection for each of four flushes and one for the rest. */
const INGEST_CONNECTIONS = 5;
/** Below the five seconds within which a delivery must be answered, in milliseconds. */
const INGEST_TIMEOUT_MS = 4_000;

/** Makes the role. */
export function createServeRole(parts: Parts, options: ServeOptions): ServeRole {
  const log = parts.log.child({ part: 'receive' });
  const { reception, counters, close } = openReception(parts, options.webhookSecrets);
  const receiver = createReceiver(reception);
  const app = createReceiverApp({ receiver, log, readyz: () => readiness(parts) });
  const server = createHttpServer(
    app,
    options.tls === undefined ? {} : { tls: readTls(options.tls) },
  );
  return { server, counters, close };
}

/** What takes deliveries in, with a pool of its own where the database is an address. */
export interface OpenReception {
  readonly reception: Reception;
  readonly counters: ReceiveCounters;
  /** Waits for deliveries under way. */
  close(): Promise<void>;
}

/** Opens it for one organisation's only subscription. */
export function openReception(parts: Parts, webhookSecrets: readonly string[]): OpenReception {
  const { clock, organisationId } = parts;
  const log = parts.log.child({ part: 'receive' });
  const ingest = parts.place.database.open({
    log,
    maxConnections: INGEST_CONNECTIONS,
    statementTimeoutMs: INGEST_TIMEOUT_MS,
    connectTimeoutMs: INGEST_TIMEOUT_MS,
    applicationName: 'forestall-receive',
  });
  const inbox = createInbox({ database: ingest, clock, log, organisationId });
  const counters = createReceiveCounters();
  const verifiers = new Map([['', createVerifier({ secrets: webhookSecrets, clock })]]);
  const reception = createReception({ inbox, verifiers, clock, log, counters });
  return {
    reception,
    counters,
    async close(): Promise<void> {
      await inbox.close();
      await ingest.close();
    },
  };
}

/** Reads a certificate and its key. */
export function readTls(paths: { certPath: string; keyPath: string }): {
  cert: string;
  key: string;
} {
  return { cert: readFileSync(paths.certPath, 'utf8'), key: readFileSync(paths.keyPath, 'utf8') };
}

/** How long a message may wait before readiness speaks of it, in seconds: a few attempts. */
const WAITING_SECONDS = 300;

async function showUndelivered({ database, organisationId, clock }: Parts): Promise<string> {
  const scope = { organisationId, now: nowDate(clock) };
  const { waiting, oldestSeconds, givenUp } = await readUndelivered(database.db, scope);
  if (givenUp === 0 && oldestSeconds < WAITING_SECONDS) return 'ok';
  return `${waiting} waiting, the oldest for ${oldestSeconds} s; ${givenUp} given up`;
}

async function showLook({ database, organisationId }: Parts): Promise<string> {
  const look = await readLook(database.db, organisationId);
  if (look === undefined) {
    const { size } = await readWithheld(database.db, organisationId);
    return size === 0
      ? 'ok'
      : `${size} charges held back after a restore: the processor cannot be asked about them`;
  }
  return `reconciling first since ${look.since}: ${RESUME_REASONS[look.reason]}; waits for ${look.waitsFor}`;
}

/** Ready: the database answers, its schema is ours, and some worker is alive. */
export async function readiness(parts: Parts): Promise<Health> {
  const { database, organisationId, clock } = parts;
  try {
    const pending = await pendingMigrations(database.db);
    const alive = await countAlive(database.db, {
      organisationId,
      role: 'work',
      now: nowDate(clock),
    });
    return {
      ok: pending.length === 0 && alive > 0,
      checks: {
        database: 'ok',
        migrations: pending.length === 0 ? 'ok' : 'pending',
        worker: alive > 0 ? 'ok' : 'none alive',
        // Told, not judged: a receiver that cannot reach Slack still takes in webhooks (F77).
        notifications: await showUndelivered(parts),
        // Told as well: deliveries are taken in meanwhile.
        refunds: await showLook(parts),
      },
    };
  } catch (error) {
    parts.log.warn({ err: messageOf(error) }, 'not ready');
    const database = isReadOnlyError(error) ? `read-only: ${READ_ONLY_STEP}` : 'unreachable';
    return { ok: false, checks: { database } };
  }
}
