/**
 * The public role: takes in signed webhooks and answers health checks. Nothing else listens here.
 *
 * It has a database pool of its own, so that nothing the workers do can hold up a delivery.
 */
import type { Server } from 'node:http';
import { createSecureContext } from 'node:tls';
import { ConfigError, codeOf } from '../kernel/errors.ts';
import type { ReceiveCounters } from '../receive/counters.ts';
import { createReceiveCounters } from '../receive/counters.ts';
import { createHttpServer } from '../receive/http-server.ts';
import { createInbox } from '../receive/inbox.ts';
import { createReceiver } from '../receive/receiver.ts';
import { createReceiverApp } from '../receive/receiver-app.ts';
import type { Reception } from '../receive/reception.ts';
import { createReception } from '../receive/reception.ts';
import { createVerifier } from '../receive/signature.ts';
import { readSettingFile } from '../setting-file.ts';
import type { Parts } from './parts.ts';
import { sharedReadiness } from './readiness.ts';
import type { AskHealth } from './shared-health.ts';

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
  /** What its `/readyz` judges by, with the details that it does not tell. */
  readonly health: AskHealth;
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
  const health = sharedReadiness(parts);
  const app = createReceiverApp({ receiver, log, readyz: health });
  const server = createHttpServer(
    app,
    options.tls === undefined ? {} : { tls: readTls(options.tls) },
  );
  return { server, counters, health, close };
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

/** Reads a certificate and its key. @throws {ConfigError} when they cannot be used */
export function readTls(paths: { certPath: string; keyPath: string }): {
  cert: string;
  key: string;
} {
  const cert = readSettingFile(paths.certPath, 'FORESTALL_TLS_CERT');
  const key = readSettingFile(paths.keyPath, 'FORESTALL_TLS_KEY');
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new ConfigError(
      `FORESTALL_TLS_CERT and FORESTALL_TLS_KEY name no certificate with its key (${codeOf(cause) ?? 'unreadable'}).`,
      { cause },
    );
  }
  return { cert, key };
}
