/**
 * Guarantee: senders that nobody has vouched for hold a bounded part of the memory and of the connections,
 * and honest deliveries are taken in meanwhile.
 */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import type { RequestHandler } from 'express';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createHttpServer, SERVER_LIMITS } from '../../../src/alerts/receive/http-server.ts';
import { makeAuthority } from '../../faults/rig/certificate.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { Receiver } from './harness.ts';
import { eventBody, startReceiver } from './harness.ts';

const database = useTestDatabase();
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver({ connectionString: database.connectionString });
});
afterAll(async () => {
  await receiver.close();
});

const LARGEST = 256 * 1024;
const FORGED = `t=1700000000,v1=${'0'.repeat(128)}`;

/** A connection that says what it hears. */
interface Talk {
  readonly socket: Socket;
  heard: string;
  isClosed: boolean;
}

function talk(port: number, text: string): Talk {
  const socket = connect(port, '127.0.0.1');
  const found: Talk = { socket, heard: '', isClosed: false };
  socket.on('data', (chunk) => {
    found.heard += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    found.isClosed = true;
  });
  socket.write(text);
  return found;
}

const head = (signature: string, bytes: number): string =>
  `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nX-Signature: ${signature}\r\nContent-Length: ${bytes}\r\n\r\n`;

describe('bodies', () => {
  it.each([
    ['no digest', 't=1700000000', 'malformed_header'],
    ['a short one', 't=1700000000,v1=00', 'bad_hex'],
    ['nothing', '', 'missing_header'],
  ])('are not waited for under a header with %s: 401 at once', async (_what, header, reason) => {
    const before = receiver.counters.snapshot().refused[reason] ?? 0;
    const { port } = receiver;
    const sender = talk(port, head(header, LARGEST) + 'x'.repeat(1_000));
    await vi.waitFor(() => expect(sender.isClosed).toBe(true), 2_000);
    expect(sender.heard).toMatch(/^HTTP\/1\.1 401 /);
    expect(receiver.counters.snapshot().refused[reason]).toBe(before + 1);
  });

  it('that break off are incomplete, whatever has come of them', async () => {
    const before = receiver.counters.snapshot().refused['incomplete'] ?? 0;
    const sender = talk(receiver.port, head(FORGED, 2_000) + 'x'.repeat(1_000));
    await vi.waitFor(() => expect(sender.socket.bytesWritten).toBeGreaterThan(1_000), 20_000);
    sender.socket.end();
    await vi.waitFor(
      () => expect(receiver.counters.snapshot().refused['incomplete']).toBe(before + 1),
      20_000,
    );
  });

  it('that somebody else has read before us are answered, not waited for', async () => {
    const app = express();
    app.use(express.json());
    // Something between the two takes its time: the request has told everything by then.
    app.use((request, _response, next) => {
      request.once('close', () => setImmediate(next));
    });
    app.use(receiver.server.listeners('request')[0] as RequestHandler);
    const server = createServer(app);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/webhooks`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', 'x-signature': FORGED },
      signal: AbortSignal.timeout(5_000),
    });
    expect([response.status, await response.json()]).toEqual([400, { error: 'body_incomplete' }]);
    await new Promise<void>((done) => server.close(() => done()));
  });

  it('of many crawling senders are held up to a bound: 503 beyond, small events come through', async () => {
    const body = 'x'.repeat(LARGEST - 1);
    const senders = Array.from({ length: 75 }, () =>
      talk(receiver.port, head(FORGED, LARGEST) + body),
    );
    await vi.waitFor(
      () => expect(senders.filter(({ isClosed }) => isClosed).length).toBeGreaterThanOrEqual(10),
      8_000,
    );
    const refused = senders.filter(({ isClosed }) => isClosed);
    for (const { heard } of refused) expect(heard).toMatch(/^HTTP\/1\.1 503 [\s\S]*"busy"/);
    expect(receiver.counters.snapshot().refused['busy']).toBe(refused.length);
    expect(await receiver.post(eventBody())).toMatchObject({ status: 200 });
    for (const { socket } of senders) socket.destroy();
    // What they held is given back: a large event is taken in again.
    const large = (): string => eventBody({ note: 'x'.repeat(200_000) });
    await vi.waitFor(async () => {
      expect(await receiver.post(large())).toMatchObject({ status: 200 });
    }, 5_000);
  });
});

describe('connections', () => {
  it('that never finish their TLS handshake are closed as those without headers are', async () => {
    const tls = makeAuthority('an authority of this test').issue('localhost');
    const limits = { ...SERVER_LIMITS, headersTimeoutMs: 300 };
    const secure = createHttpServer(() => undefined, { tls, limits });
    await new Promise<void>((done) => secure.listen(0, '127.0.0.1', done));
    const silent = talk((secure.address() as AddressInfo).port, '');
    await vi.waitFor(() => expect(silent.isClosed).toBe(true), 5_000);
    await new Promise<void>((done) => secure.close(() => done()));
  });

  it('beyond the limit are closed, idle ones first', async () => {
    const limits = { ...SERVER_LIMITS, connectionsMax: 3 };
    const few = await startReceiver({ connectionString: database.connectionString, limits });
    const get = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const idle = Array.from({ length: 3 }, () => talk(few.port, get));
    await vi.waitFor(
      () => expect(idle.every(({ heard }) => heard.endsWith('}'))).toBe(true),
      20_000,
    );
    // The fourth finds no room, and makes it.
    const fourth = talk(few.port, get);
    await vi.waitFor(
      () => expect([fourth, ...idle].every(({ isClosed }) => isClosed)).toBe(true),
      20_000,
    );
    const slow = Array.from({ length: 3 }, () => talk(few.port, 'POST /webhooks HTTP/1.1\r\nX: '));
    await vi.waitFor(
      () => expect(slow.every(({ socket }) => socket.readyState === 'open')).toBe(true),
      20_000,
    );
    const late = talk(few.port, get);
    await vi.waitFor(() => expect(late.isClosed).toBe(true), 20_000);
    expect(slow.map(({ isClosed }) => isClosed)).toEqual([false, false, false]);
    for (const { socket } of slow) socket.destroy();
    await vi.waitFor(async () => {
      expect((await fetch(`${few.url}/healthz`)).status).toBe(200);
    }, 20_000);
    await few.close();
  });
});
