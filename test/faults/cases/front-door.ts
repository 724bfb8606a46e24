/** F91–F97: what a stranger, a slow sender, an operator's slip or one odd number may do to the front door. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { FaultCase } from '../case.ts';
import type { AsideWorld } from '../rig/aside.ts';
import { forestall, privatePortOf } from '../rig/rig.ts';
import type { Scene } from '../rig/scene.ts';
import { digits } from '../rig/scene.ts';
import { send } from '../rig/sign.ts';
import { rest, until } from '../rig/until.ts';
import { residentMb } from './bodies.ts';
import { freeze, recovers } from './database.ts';
import { busyMs } from './load.ts';
import { aside } from './odd-alerts.ts';
import { harmless, isStored } from './signatures.ts';

/** Opens connections, a few at a time: a listener takes only so many that wait. */
async function connectAll(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(100, count - sockets.length) }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      return socket;
    });
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    sockets.push(...some);
  }
  return sockets;
}

const QUESTION = 'GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n';
const QUESTION_CONNECTIONS = 1_500;
const QUESTIONS_PER_SECOND = 250;

/** Everything in one process, so that whoever asks and whoever works share its connections. */
async function readinessFlood(world: AsideWorld): Promise<string> {
  const { rig } = world.scene;
  const child = forestall(rig.folder, {
    name: `start-${digits(6)}`,
    args: ['start'],
    env: { ...rig.environment('work'), ...world.env },
  });
  try {
    const port = Number((await child.printed(/"webhooks":(\d+)/))[1]);
    const answers = new Map<string, number>();
    const sockets = await connectAll(port, QUESTION_CONNECTIONS);
    for (const socket of sockets) {
      socket.on('data', (chunk: Buffer) => {
        const text = chunk.toString('latin1');
        const shown = `${text.slice(9, 12)} ${text.slice(text.indexOf('\r\n\r\n') + 4)}`;
        answers.set(shown, (answers.get(shown) ?? 0) + 1);
      });
    }
    let asked = 0;
    const timer = setInterval(() => {
      for (let count = 0; count < QUESTIONS_PER_SECOND / 20; count++) {
        sockets[asked % sockets.length]?.write(QUESTION);
        asked += 1;
      }
    }, 50);
    try {
      await rest(3_000);
      const disputes = await Promise.all(Array.from({ length: 5 }, () => world.dispute()));
      for (const dispute of disputes) await world.scene.refundedOnce(dispute);
      await rest(3_000);
    } finally {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    }
    deepEqual([...answers.keys()], ['200 {"ok":true}'], 'a status, and nothing else');
    ok(!/timeout exceeded when trying to connect/.test(child.text()), 'nobody waits in vain');
    return `${asked} questions on ${QUESTION_CONNECTIONS} connections, ${[...answers.values()][0]} answers, 5 disputes refunded meanwhile`;
  } finally {
    await child.end('SIGTERM');
  }
}

/** The promise is 3 s; the rest is the machine's. */
const RED_MS_MAX = 3_500;

async function frozenReadiness(scene: Scene): Promise<string> {
  const port = scene.rig.port('serve');
  const ask = (): ReturnType<typeof send> => send({ port, method: 'GET', path: '/readyz' });
  equal((await ask()).status, 200);
  const thaw = await freeze(scene, 'server');
  let slowest = 0;
  try {
    // The answer from before may be shared for a moment.
    await rest(2_000);
    for (let turn = 0; turn < 4; turn++) {
      const { status, body, tookMs } = await ask();
      deepEqual([status, body], [503, '{"ok":false}']);
      slowest = Math.max(slowest, tookMs);
      await rest(500);
    }
  } finally {
    thaw();
  }
  ok(slowest <= RED_MS_MAX, `red after ${slowest} ms`);
  await recovers(scene, 30_000);
  return `red after ${(slowest / 1000).toFixed(1)} s at most`;
}

const SLOW_CONNECTIONS = 4_000;
const LARGEST = 256 * 1024;
/** What `templates/deployment` gives a receiver. */
const MEMORY_MB_MAX = 512;

/** One way to hold a connection, and memory behind it. */
interface SlowWay {
  readonly what: string;
  readonly head: string;
  /** Sent after the head, all at once. */
  readonly body: string;
}

const post = (lines: readonly string[]): string =>
  `${['POST /webhooks HTTP/1.1', 'Host: localhost', ...lines].join('\r\n')}\r\n\r\n`;
const FORGED = `X-Signature: t=1700000000,v1=${'0'.repeat(128)}`;

const SLOW_WAYS: readonly SlowWay[] = [
  {
    what: 'bodies one byte short, unsigned',
    head: post([`Content-Length: ${LARGEST}`]),
    body: 'x'.repeat(LARGEST - 1),
  },
  {
    what: 'bodies one byte short, forged',
    head: post([FORGED, `Content-Length: ${LARGEST}`]),
    body: 'x'.repeat(LARGEST - 1),
  },
  {
    what: 'bodies in pieces of one byte',
    head: post([FORGED, 'Transfer-Encoding: chunked']),
    body: '1\r\nx\r\n'.repeat(20_000),
  },
  { what: 'headers that never end', head: 'POST /webhooks HTTP/1.1\r\nX: ', body: '' },
];

async function slowSenders(scene: Scene): Promise<string> {
  const port = scene.rig.port('serve');
  const before = residentMb(scene);
  const told: string[] = [];
  for (const { what, head, body } of SLOW_WAYS) {
    const sockets = await connectAll(port, SLOW_CONNECTIONS);
    let most = 0;
    let stored = 0;
    try {
      for (const [index, socket] of sockets.entries()) {
        socket.write(head);
        if (body !== '') socket.write(body);
        // A signed event goes between them now and then.
        if (index % 400 !== 0) continue;
        const { status } = await scene.post(harmless());
        equal(status, 200, `a signed event beside ${what}`);
        stored += 1;
        most = Math.max(most, residentMb(scene));
      }
      const endMs = performance.now() + 3_000;
      while (performance.now() < endMs) {
        most = Math.max(most, residentMb(scene));
        await rest(100);
      }
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    ok(
      most < MEMORY_MB_MAX,
      `${what}: memory grew from ${before.toFixed(0)} to ${most.toFixed(0)} MB`,
    );
    told.push(`${what} ${most.toFixed(0)} MB, ${stored} signed events stored`);
    await until(
      'the connections are gone',
      async () => (await scene.post(harmless())).status === 200,
    );
  }
  return `memory ${before.toFixed(0)} MB before; beside ${SLOW_CONNECTIONS} connections at most: ${told.join('; ')}`;
}

async function forgottenRow(scene: Scene): Promise<void> {
  const body = harmless();
  const answer = async (): Promise<string> => (await scene.post(body)).body;
  equal(await answer(), '{"received":true,"duplicate":false}');
  equal(await answer(), '{"received":true,"duplicate":true}');
  // As on a server that took over without it, while the listener's connections live on.
  await scene.rig.sql('delete from inbox_id where event_id = $1', [String(JSON.parse(body).id)]);
  equal(await answer(), '{"received":true,"duplicate":false}', 'it is stored, not remembered');
  ok(await isStored(scene, body), 'the event is stored');
}

async function manyZeros(scene: Scene): Promise<string> {
  const number = `1.${'0'.repeat(250_000)}1`;
  const body = `{"id":"evt_zeros_${digits(9)}","type":"fault.test","data":{"n":${number}}}`;
  const before = busyMs(scene);
  const { status, tookMs } = await scene.post(body);
  equal(status, 200);
  const busy = busyMs(scene) - before;
  ok(busy <= 1_000, `a body kept the listener busy for ${busy} ms`);
  return `250,000 zeros keep the listener busy for ${busy} ms; answered after ${tookMs.toFixed(0)} ms`;
}

async function wrongProcessor(scene: Scene): Promise<void> {
  const { postgres, folder, environment } = scene.rig;
  const name = `untouched_${digits(8)}`;
  await postgres.createDatabase(name);
  const secret = `secret-${digits(12)}`;
  for (const processor of [`ftp://shop:${secret}@127.0.0.1/refunds`, `/nowhere/${secret}.ts`]) {
    const env = {
      ...environment('work'),
      DATABASE_URL: postgres.url(name, postgres.port),
      FORESTALL_PROCESSOR: processor,
    };
    const child = forestall(folder, { name: `wrong-${digits(6)}`, args: ['start'], env });
    deepEqual(await child.ended, { code: 2, signal: null }, child.text());
    match(child.text(), /FORESTALL_PROCESSOR/);
    ok(!child.text().includes(secret), 'the value is not shown');
  }
  const made = await postgres.query(
    name,
    `select 1 from pg_class where relname in ('forestall_migration', 'alert_case')`,
  );
  equal(made.length, 0, 'nothing is migrated');
}

const REFUSED = /refused_total\{[^}]*reason="no_match"\} (\d+)/g;

async function countersApart(scene: Scene): Promise<string> {
  const { rig } = scene;
  const [serve, work] = [rig.running('serve')[0], rig.running('work')[0]];
  ok(serve !== undefined && work !== undefined);
  const ask = async (child: typeof serve, path: string): Promise<string> => {
    const port = await privatePortOf(child);
    const { status, body } = await send({ port, method: 'GET', path });
    equal(status, 200, `${path} on a private port`);
    return body;
  };
  // Of several organisations each has a line of its own.
  const refused = async (): Promise<number> =>
    [...(await ask(serve, '/metrics')).matchAll(REFUSED)].reduce(
      (sum, [, n]) => sum + Number(n),
      0,
    );
  const before = await refused();
  const forged = { headers: { 'x-signature': `t=${scene.nowSeconds()},v1=${'0'.repeat(128)}` } };
  for (let count = 0; count < 3; count++) equal((await scene.post(harmless(), forged)).status, 401);
  ok((await refused()) >= before + 3, 'what is turned away is counted where Prometheus reads it');
  match(await ask(work, '/metrics'), /^forestall_worker_heartbeat_age_seconds\{/m);
  for (const child of [serve, work]) {
    match(await ask(child, '/readyz'), /"checks":\{"database":"ok"/);
    equal(await ask(child, '/healthz'), '{"ok":true}');
  }
  const port = rig.port('serve');
  equal((await send({ port, method: 'GET', path: '/metrics' })).status, 404);
  return 'a receiver and a worker of their own, each with metrics and health on a private port';
}

export const FRONT_DOOR_CASES: readonly FaultCase[] = [
  { id: 'F91', place: 'loud', run: aside(readinessFlood) },
  { id: 'F92', place: 'loud', run: frozenReadiness },
  { id: 'F93', place: 'loud', run: slowSenders },
  { id: 'F94', place: 'shared', quick: true, run: forgottenRow },
  { id: 'F95', place: 'loud', run: manyZeros },
  { id: 'F96', place: 'shared', run: wrongProcessor },
  { id: 'F97', place: 'shared', quick: true, run: countersApart },
];
