/** F67–F69, API10: a service that answers anything but what it promised. It is never taken for "no alerts". */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { FaultCase } from '../case.ts';
import { asideDatabase } from '../rig/aside.ts';
import type { Scene } from '../rig/scene.ts';
import { until } from '../rig/until.ts';

const MB = 1024 * 1024;

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const json =
  (value: unknown): Answer =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));

/** A body that ends only when the other side does. */
const endless: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const block = Buffer.alloc(MB, ' ');
  const more = (): void => {
    while (!response.destroyed && response.write(block));
  };
  response.on('drain', more);
  response.write('[');
  more();
};

const BOMB = gzipSync(Buffer.alloc(200 * MB, ' '));

/** Lists that must not be believed. None of them is a round that was read whole. */
const ODD: Readonly<Record<string, Answer>> = {
  'an object without a list': json({}),
  'a count above its items': json({ items: [], count: 500 }),
  'wrong types': json([{ id: 5, status: true, amount_in_cents: 'much' }]),
  HTML: (response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>'),
  'a gzip bomb': (response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .end(BOMB),
  'an endless body': endless,
};

const GOOD: Readonly<Record<string, Answer>> = {
  'an array': json([]),
  'items and count': json({ items: [], count: 0 }),
};

async function open(answer: Answer): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => answer(response, request));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { server, port: (server.address() as AddressInfo).port };
}

function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return 0;
  }
}

/** Memory that one cut-off answer may take: 5 MB in a few copies, and what the heap keeps. */
const GROWN_MB_MAX = 100;

async function oddAnswers(scene: Scene): Promise<string> {
  const stolen: string[] = [];
  const elsewhere = await open((response, request) => {
    stolen.push(String(request.headers.authorization));
    response.writeHead(200).end('[]');
  });
  let answer: Answer = json([]);
  let asked = 0;
  const service = await open((response, request) => {
    if (request.url?.startsWith('/v1/alerts')) asked += 1;
    answer(response, request);
  });
  const { DATABASE_URL, sql } = await asideDatabase(scene);
  const fact = async (name: string): Promise<unknown> =>
    (await sql('select value from fact where name = $1', [name]))[0]?.['value'] ?? null;
  const worker = await scene.rig.startAside('work', {
    DATABASE_URL,
    FORESTALL_SERVICE_URL: `http://127.0.0.1:${service.port}`,
  });
  const redirect: Answer = (response) =>
    void response
      .writeHead(302, { location: `http://127.0.0.1:${elsewhere.port}/v1/alerts` })
      .end();
  try {
    await until('the first list is read', () => fact('last_poll_at').then((at) => at !== null));
    const before = residentMb(worker.pid);
    const rounds = async (): Promise<number> =>
      Number((((await fact('poll_failure')) ?? {}) as { rounds?: number }).rounds ?? 0);
    for (const [what, odd] of Object.entries({ ...ODD, 'a redirect': redirect })) {
      const [failed, readAt, askedBefore] = [await rounds(), await fact('last_poll_at'), asked];
      answer = odd;
      await until(`a round with ${what} has failed`, async () => (await rounds()) > failed);
      equal(await fact('last_poll_at'), readAt, `${what} is not taken for the whole list`);
      ok(asked > askedBefore, `${what} was asked for`);
    }
    deepEqual(stolen, [], 'the redirect is not followed');
    const told = await sql(`select 1 from notification where severity = 'error'`);
    ok(told.length > 0, 'somebody is told');
    const grown = residentMb(worker.pid) - before;
    ok(grown < GROWN_MB_MAX, `memory grew by ${grown.toFixed(0)} MB`);
    for (const [what, good] of Object.entries(GOOD)) {
      const readAt = await fact('last_poll_at');
      answer = good;
      await until(`${what} is read`, async () => (await fact('last_poll_at')) !== readAt);
      equal(await fact('poll_failure'), null, 'the failure is over');
    }
    return `${Object.keys(ODD).length + 1} odd answers, each a failed round; two shapes read; memory +${Math.max(0, grown).toFixed(0)} MB`;
  } finally {
    await worker.end('SIGTERM');
    for (const { server } of [service, elsewhere]) {
      server.closeAllConnections();
      server.close();
    }
  }
}

export const ODD_SERVICE_CASES: readonly FaultCase[] = [
  { id: 'F68', place: 'shared', run: oddAnswers },
];
