/** V12.3.2, V11.2.4: a wrong certificate gets no key and no query; the verifier's time says nothing. */
import { deepEqual, match, ok } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { FaultCase } from '../case.ts';
import type { Certificate } from '../rig/certificate.ts';
import { makeAuthority } from '../rig/certificate.ts';
import { startChild } from '../rig/child.ts';
import { forestall } from '../rig/rig.ts';
import type { Scene } from '../rig/scene.ts';
import { digits } from '../rig/scene.ts';

const PROBE = fileURLToPath(new URL('../rig/timing-probe.ts', import.meta.url));

/** What a server with one certificate saw. */
interface Seen {
  readonly port: number;
  /** Requests whose handshake succeeded, as method and path. */
  readonly requests: string[];
  /** Handshakes that the other side broke off. */
  refused: number;
  close(): void;
}

/** Speaks HTTPS and answers every request with nothing in it. */
async function secureServer(certificate: Certificate): Promise<Seen> {
  const server = createTlsServer({ ...certificate }, (request, response) => {
    seen.requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  });
  server.on('tlsClientError', () => {
    seen.refused += 1;
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const seen: Seen = {
    port: (server.address() as AddressInfo).port,
    requests: [],
    refused: 0,
    close: () => void server.close(),
  };
  return seen;
}

/** `int32 length 8, int32 80877103`: how a client asks a PostgreSQL server for TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** PostgreSQL behind a certificate: what a client says before the handshake is kept. */
async function secureDatabase(
  certificate: Certificate,
  target: number,
): Promise<{ port: number; plain: Buffer[]; close: () => void }> {
  const plain: Buffer[] = [];
  const server = createServer((socket: Socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (first: Buffer) => {
      plain.push(first);
      if (!first.equals(SSL_REQUEST)) return socket.destroy();
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, ...certificate });
      const far = connect(target, '127.0.0.1');
      secure.on('error', () => far.destroy());
      far.on('error', () => secure.destroy());
      secure.pipe(far).pipe(secure);
      return undefined;
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { port: (server.address() as AddressInfo).port, plain, close: () => void server.close() };
}

async function wrongCertificates(scene: Scene): Promise<string> {
  const { rig } = scene;
  const [ours, strangers] = [makeAuthority('Fault rig'), makeAuthority('Somebody else')];
  const trusted = join(rig.folder, `trusted-${digits(6)}.pem`);
  writeFileSync(trusted, ours.cert);
  const certificates = [
    { what: 'right', certificate: ours.issue('localhost'), isRight: true },
    { what: 'other-host', certificate: ours.issue('elsewhere.example'), isRight: false },
    { what: 'stranger', certificate: strangers.issue('localhost'), isRight: false },
  ];
  for (const { what, certificate, isRight } of certificates) {
    await Promise.all([
      remotes(scene, { what, certificate, isRight, trusted }),
      database(scene, { what, certificate, isRight, trusted }),
    ]);
  }
  return 'another host’s and a stranger’s certificate at service, processor and database: no request, no key, no query, no plain fallback; the right one passes in the same run';
}

interface Trial {
  readonly what: string;
  readonly certificate: Certificate;
  readonly isRight: boolean;
  /** File of the authority that the programs trust. */
  readonly trusted: string;
}

/** The worker asks service and processor when it starts. */
async function remotes({ rig }: Scene, trial: Trial): Promise<void> {
  const [service, processor] = await Promise.all([
    secureServer(trial.certificate),
    secureServer(trial.certificate),
  ]);
  const child = forestall(rig.folder, {
    name: `tls-${trial.what}-${digits(4)}`,
    args: ['doctor'],
    env: {
      ...rig.environment('work'),
      NODE_EXTRA_CA_CERTS: trial.trusted,
      FORESTALL_SERVICE_URL: `https://localhost:${service.port}`,
      FORESTALL_PROCESSOR: `https://localhost:${processor.port}`,
    },
  });
  await child.ended;
  for (const [name, seen] of Object.entries({ service, processor })) {
    if (trial.isRight) ok(seen.requests.length > 0, `the ${name} is asked:\n${child.text()}`);
    else {
      deepEqual(seen.requests, [], `nothing is sent to the ${name}`);
      ok(seen.refused > 0, `the handshake with the ${name} is broken off:\n${child.text()}`);
    }
    seen.close();
  }
}

async function database({ rig }: Scene, trial: Trial): Promise<void> {
  const { port, plain, close } = await secureDatabase(trial.certificate, rig.postgres.port);
  for (const mode of ['verify-full', 'require']) {
    const address = new URL(rig.postgres.url(rig.database, port));
    address.hostname = 'localhost';
    address.searchParams.set('sslmode', mode);
    const child = forestall(rig.folder, {
      name: `tls-database-${trial.what}-${mode}`,
      args: ['migrate'],
      env: {
        ...rig.environment('work'),
        NODE_EXTRA_CA_CERTS: trial.trusted,
        DATABASE_URL: address.href,
      },
    });
    deepEqual(await child.ended, { code: trial.isRight ? 0 : 1, signal: null }, child.text());
    match(child.text(), trial.isRight ? /Nothing to migrate/ : /The database cannot be used/);
    ok(!child.text().includes(address.password), 'the password is not shown');
  }
  ok(plain.length >= 2 && plain.every((first) => first.equals(SSL_REQUEST)), 'TLS or nothing');
  close();
}

/** A difference that a clock could see would show as a larger t; 4.5 is the usual bound. */
const T_MAX = 4.5;

async function timing({ rig }: Scene): Promise<string> {
  const logFile = join(rig.folder, 'timing.log');
  const folder = rig.folder;
  const child = startChild({ name: 'timing', args: [PROBE], env: {}, folder, logFile });
  deepEqual(await child.ended, { code: 0, signal: null }, child.text());
  const found = /timing (\{.*\})/.exec(child.text())?.[1] ?? '{}';
  const { ours, control } = JSON.parse(found) as { ours: number; control: number };
  ok(control > T_MAX, `the machine is too busy to see even a plain comparison (t ${control})`);
  ok(ours < T_MAX, `the place of the first wrong digit shows: t ${ours}`);
  return `t ${ours.toFixed(1)} over 50,000 verifications a round, below ${T_MAX}; a comparison that stops early shows t ${control.toFixed(0)} in the same process`;
}

export const TRUST_CASES: readonly FaultCase[] = [
  { id: 'V12.3.2', place: 'shared', run: wrongCertificates },
  { id: 'V11.2.4', place: 'loud', run: timing },
];
