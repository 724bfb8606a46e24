/**
 * Guarantee: a certificate that is renewed in its files is served without a restart, with no connection lost, and
 * files that cannot be used leave the old one in place and are told of once.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHttpServer } from '../../../src/alerts/receive/http-server.ts';
import { closeServer, listen } from '../../../src/base/http/listen.ts';
import { followTls, readTls } from '../../../src/base/http/tls-files.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { makeAuthority } from '../../faults/rig/certificate.ts';

const authority = makeAuthority('authority of this test');
const [first, second] = [authority.issue('first.example'), authority.issue('second.example')];

let folder: string;
let paths: { certPath: string; keyPath: string };
let server: Server;
let port: number;
let look: () => void;
let lines: Record<string, unknown>[];

function write({ cert, key }: { readonly cert: string; readonly key: string }): void {
  writeFileSync(paths.certPath, cert);
  writeFileSync(paths.keyPath, key);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forestall-tls-'));
  paths = { certPath: join(folder, 'cert.pem'), keyPath: join(folder, 'key.pem') };
  write(first);
  lines = [];
  const log = createLog({ destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  server = createHttpServer((_request, response) => response.end('here'), { tls: readTls(paths) });
  look = followTls(server, { paths, log, lookEveryMs: 10 });
  port = await listen(server, { port: 0, host: '127.0.0.1', setting: 'PORT' });
});
afterEach(async () => {
  if (server.listening) await closeServer(server, 200);
  await rm(folder, { recursive: true });
});

async function dial(): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await new Promise((done, fail) => {
    socket.once('secureConnect', done);
    socket.once('error', fail);
  });
  return socket;
}

/** Who a new connection finds. */
async function subject(): Promise<unknown> {
  const socket = await dial();
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return CN;
}

async function ask(socket: TLSSocket): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nHost: first.example\r\n\r\n');
  const [chunk] = await new Promise<Buffer[]>((done) =>
    socket.once('data', (data) => done([data])),
  );
  return String(chunk);
}

describe('certificates in files', () => {
  it('are served anew once both have changed, and open connections stay', async () => {
    const open = await dial();
    expect(await subject()).toBe('first.example');
    write(second);
    await vi.waitFor(async () => expect(await subject()).toBe('second.example'), 20_000);
    expect(await ask(open)).toMatch(/^HTTP\/1\.1 200 OK/);
    open.destroy();
    expect(lines).toMatchObject([{ level: 'info', msg: 'the certificate was read again' }]);
  });

  it('stay as they were while only one of the two has been written, or one is gone', async () => {
    writeFileSync(paths.certPath, second.cert);
    for (let round = 0; round < 3; round++) look();
    expect(await subject()).toBe('first.example');
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    rmSync(paths.keyPath);
    look();
    expect(await subject()).toBe('first.example');
    expect(JSON.stringify(lines)).not.toContain(folder);
    write(second);
    look();
    expect(await subject()).toBe('second.example');
  });

  it('are not looked at once the server is closed', async () => {
    const listeners = process.listenerCount('SIGHUP');
    expect(listeners).toBeGreaterThan(0);
    await closeServer(server, 200);
    expect(process.listenerCount('SIGHUP')).toBe(listeners - 1);
  });

  it('are nothing to a server that speaks plain HTTP', () => {
    const listeners = process.listenerCount('SIGHUP');
    followTls(
      createHttpServer(() => undefined),
      { paths: undefined, log: createLog() },
    );
    expect(process.listenerCount('SIGHUP')).toBe(listeners);
  });
});
