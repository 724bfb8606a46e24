/** A receiver on a real socket, with a real database behind it. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { ReceiveCounters } from '../../../src/alerts/receive/counters.ts';
import { createReceiveCounters } from '../../../src/alerts/receive/counters.ts';
import type { ServerLimits } from '../../../src/alerts/receive/http-server.ts';
import { createHttpServer } from '../../../src/alerts/receive/http-server.ts';
import type { Inbox } from '../../../src/alerts/receive/inbox.ts';
import {
  createInbox,
  INBOX_CONNECTIONS,
  INBOX_STATEMENT_TIMEOUT_MS,
} from '../../../src/alerts/receive/inbox.ts';
import { createReceiverApp } from '../../../src/alerts/receive/receiver.ts';
import { createReception } from '../../../src/alerts/receive/reception.ts';
import { createVerifier, signDelivery } from '../../../src/alerts/receive/signature.ts';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { SECRET, SIGNED_AT_SECONDS } from '../../vectors/signature-vectors.ts';

export const ORGANISATION = 'org_test';

/** An answer, parsed. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly clock: FixedClock;
  readonly counters: ReceiveCounters;
  readonly inbox: Inbox;
  /** Every log line so far. */
  readonly logLines: string[];
  readonly server: Server;
  /** Posts a body signed now, unless headers say otherwise. */
  post(body: Buffer | string, headers?: Record<string, string>, path?: string): Promise<Answer>;
  /** Writes bytes to a socket and reads until it closes, or the first answer is complete. */
  raw(bytes: Buffer | string, options?: { readonly end?: boolean }): Promise<string>;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  readonly connectionString: string;
  /** Subscription → secrets. @default the one secret of the vectors */
  readonly secrets?: Readonly<Record<string, readonly string[]>>;
  /** In the place of the verifiers of those secrets. */
  readonly findVerifier?: (subscription: string) => never;
  readonly limits?: ServerLimits;
  /** @default {@link ORGANISATION} */
  readonly organisationId?: string;
  readonly wrapInbox?: (inbox: Inbox) => Inbox;
}

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const clock = createFixedClock(SIGNED_AT_SECONDS * 1_000);
  const logLines: string[] = [];
  const log = createLog({ level: 'debug', destination: { write: (line) => logLines.push(line) } });
  const database: OpenDatabase = openDatabase({
    connectionString: options.connectionString,
    log,
    maxConnections: INBOX_CONNECTIONS,
    applicationName: 'receiver',
    statementTimeoutMs: INBOX_STATEMENT_TIMEOUT_MS,
  });
  const { organisationId = ORGANISATION } = options;
  const own = createInbox({ database, clock, log, organisationId });
  const inbox = options.wrapInbox?.(own) ?? own;
  const counters = createReceiveCounters();
  const verifiers = new Map(
    Object.entries(options.secrets ?? { '': [SECRET] }).map(([name, secrets]) => [
      name,
      createVerifier({ secrets, clock }),
    ]),
  );
  const app = createReceiverApp({
    reception: createReception({
      ...{ inbox, clock, log, counters },
      verifiers: options.findVerifier ?? verifiers,
    }),
    log,
    readyz: () => ({ ok: false, checks: { database: 'away' } }),
  });
  const server = createHttpServer(
    app,
    options.limits === undefined ? {} : { limits: options.limits },
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    clock,
    counters,
    inbox,
    logLines,
    server,
    async post(body, headers = {}, path = '/webhooks'): Promise<Answer> {
      const bytes = Buffer.from(body);
      const signature = signDelivery(SECRET, bytes, Math.floor(clock.nowMs() / 1_000));
      const response = await fetch(url + path, {
        method: 'POST',
        body: bytes,
        headers: { 'x-signature': signature, 'content-type': 'application/json', ...headers },
      });
      return { status: response.status, headers: response.headers, json: await response.json() };
    },
    raw: (bytes, { end = false } = {}) => exchange(port, bytes, end),
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
      await own.close();
      await database.close();
    },
  };
}

/** One exchange on a bare socket. */
function exchange(port: number, bytes: Buffer | string, end: boolean): Promise<string> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const finish = (): void => {
      socket.destroy();
      done(text);
    };
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (isComplete(text)) finish();
    });
    socket.on('close', finish);
    socket.on('error', finish);
    socket.write(bytes);
    if (end) socket.end();
  });
}

function isComplete(text: string): boolean {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return rest.length > 0 && length !== undefined && rest.join('\r\n\r\n').length >= Number(length);
}

/** Signs bytes at the vectors' moment. */
export function sign(body: Buffer | string, secret = SECRET): string {
  return signDelivery(secret, Buffer.from(body), SIGNED_AT_SECONDS);
}

/** A signed request as bytes, for {@link Receiver.raw}. */
export function rawRequest(
  body: Buffer | string,
  headers: readonly string[],
  line = 'POST /webhooks HTTP/1.1',
): Buffer {
  const head = [line, 'Host: localhost', `X-Signature: ${sign(body)}`, ...headers, '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n')), Buffer.from(body)]);
}

let events = 0;

/** An event body with a fresh id, unless given. */
export function eventBody(overrides: Record<string, unknown> = {}): string {
  events += 1;
  return JSON.stringify({
    id: `evt_${process.pid}_${events}`,
    type: 'alert.created',
    created_at: '2026-11-20T00:00:00Z',
    data: { object: { id: 'netalrt_01', status: 'ACTION_REQUIRED' } },
    api_version: 'v1',
    ...overrides,
  });
}
