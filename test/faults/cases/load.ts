/** F29–F36: hostile bodies, slow clients and load, while honest deliveries continue. */
import { equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FaultCase } from '../case.ts';
import type { Scene } from '../rig/scene.ts';
import { digits } from '../rig/scene.ts';
import { rest } from '../rig/until.ts';
import { quarantined, residentMb } from './bodies.ts';
import { freeze, recovers, refusing } from './database.ts';
import { accepted, harmless } from './signatures.ts';

const BODY_BYTES = 250 * 1024;

async function deep(scene: Scene): Promise<void> {
  const depth = BODY_BYTES / 2;
  await quarantined(scene, Buffer.from('['.repeat(depth) + ']'.repeat(depth)));
  await quarantined(scene, Buffer.from('{"a":'.repeat(BODY_BYTES / 6) + '}'.repeat(10)));
  await accepted(scene, harmless());
}

/** Processor time that the listener has used, in milliseconds. Linux tells it; elsewhere 0. */
export function busyMs(scene: Scene): number {
  try {
    const stat = readFileSync(`/proc/${scene.rig.running('serve')[0]?.pid}/stat`, 'utf8');
    // After the name in brackets: state is field 3, user and system time 14 and 15, in 1/100 s.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

/**
 * Of one thread, the processor time of a request is the longest it can keep others waiting; unlike the
 * wait itself it does not grow with what else the machine does.
 */
async function manyKeys(scene: Scene): Promise<string> {
  const large = `{"id":"evt_keys_${digits(9)}","type":"fault.test",${'"a":1,'.repeat(160_000)}"b":1}`;
  equal((await scene.post(large)).status, 413);
  const rounds = 20;
  const keys = Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join(',');
  const before = busyMs(scene);
  for (let round = 0; round < rounds; round++) {
    const body = `{"id":"evt_keys_${digits(9)}","type":"fault.test","data":{${keys}}}`;
    equal((await scene.post(body)).status, 200);
  }
  const each = (busyMs(scene) - before) / rounds;
  ok(each <= 100, `a body kept the listener busy for ${each} ms`);
  return `a body of 20,000 keys keeps the listener busy for ${each.toFixed(0)} ms`;
}

async function pollution(scene: Scene): Promise<void> {
  for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const body = `{"id":"evt_proto_${digits(9)}","type":"fault.test","${key}":{"prototype":{"x":1},"x":1},"data":{"object":{"id":"x","${key}":{"x":1}}}}`;
    equal((await scene.post(body)).status, 200);
  }
  await scene.refundedOnce(await scene.dispute());
}

async function longId(scene: Scene): Promise<void> {
  const id = `evt_${'x'.repeat(12_000)}`;
  await quarantined(scene, Buffer.from(JSON.stringify({ id, type: 'fault.test', data: {} })));
}

/** Opens sockets that send their headers a byte a second; returns what ends them. */
async function crawl(port: number, count: number): Promise<() => void> {
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST /webhooks HTTP/1.1\r\nX: ');
    sockets.push(socket);
  }
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('a');
  }, 1_000);
  await rest(500);
  return () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  };
}

async function slowloris(scene: Scene): Promise<string> {
  const before = residentMb(scene);
  const end = await crawl(scene.rig.port('serve'), 500);
  try {
    const took: number[] = [];
    for (let count = 0; count < 40; count++) {
      const { status, tookMs } = await scene.post(harmless());
      equal(status, 200);
      took.push(tookMs);
      await rest(100);
    }
    const slowest = Math.max(...took);
    ok(slowest < 1_000, `a signed event took ${slowest} ms`);
    const grown = residentMb(scene) - before;
    ok(grown < 100, `memory grew by ${grown.toFixed(0)} MB`);
    return `slowest of 40 signed events beside 500 crawling sockets ${slowest.toFixed(0)} ms, memory +${Math.max(0, grown).toFixed(0)} MB`;
  } finally {
    end();
  }
}

/** What one kind of load was answered. */
interface Tally {
  readonly statuses: Map<number, number>;
  readonly took: number[];
  readonly stored: string[];
  /** How long the sender itself was kept from its clock, at worst: no answer is known more exactly. */
  lagMs: number;
}

interface Load {
  readonly perSecond: number;
  readonly seconds: number;
  /** A wrong signature instead of ours. */
  readonly forged?: boolean;
}

/** Posts at a steady rate over kept-alive connections; does not wait for answers before the next. */
async function offer(scene: Scene, { perSecond, seconds, forged = false }: Load): Promise<Tally> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const port = scene.rig.port('serve');
  const tally: Tally = { statuses: new Map(), took: [], stored: [], lagMs: 0 };
  const lag = monitorEventLoopDelay();
  lag.enable();
  const one = async (): Promise<void> => {
    const body = harmless();
    const signature = forged
      ? `t=${scene.nowSeconds()},v1=${'0'.repeat(128)}`
      : scene.signature(body);
    let startedMs = performance.now();
    const status = await new Promise<number>((done) => {
      const call = request(
        {
          host: '127.0.0.1',
          port,
          path: '/webhooks',
          method: 'POST',
          agent,
          headers: { 'x-signature': signature },
        },
        (response) => {
          response.resume();
          response.on('end', () => done(response.statusCode ?? 0));
        },
      );
      call.on('error', () => done(0));
      // Waiting for one of the connections is not waiting for an answer.
      call.on('socket', () => {
        startedMs = performance.now();
      });
      call.end(body);
    });
    tally.took.push(performance.now() - startedMs);
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    if (status === 200) tally.stored.push(String(JSON.parse(body).id));
  };
  const calls: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let sent = 0; sent < perSecond * seconds; sent++) {
    const dueMs = startedMs + (sent * 1_000) / perSecond;
    const waitMs = dueMs - performance.now();
    if (waitMs > 1) await rest(waitMs);
    calls.push(one());
  }
  await Promise.all(calls);
  agent.destroy();
  lag.disable();
  tally.lagMs = lag.max / 1e6;
  tally.took.sort((a, b) => a - b);
  return tally;
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

async function noneLost(scene: Scene, { stored }: Tally): Promise<void> {
  const [row] = await scene.rig.sql(
    'select count(*)::int as count from inbox_id where event_id = any($1)',
    [stored],
  );
  equal(row?.['count'], stored.length, 'every 2xx is stored');
}

async function steadyLoad(scene: Scene): Promise<string> {
  const before = residentMb(scene);
  const tally = await offer(scene, { perSecond: 500, seconds: 30 });
  for (const status of tally.statuses.keys()) ok(status === 200 || status === 503, `${status}`);
  const slowest = tally.took.at(-1) ?? 0;
  ok(slowest < 5_000 + tally.lagMs, `the slowest answer took ${slowest} ms`);
  await noneLost(scene, tally);
  const grown = residentMb(scene) - before;
  ok(grown < 150, `memory grew by ${grown.toFixed(0)} MB`);
  return `15,000 deliveries at 500 a second: ${[...tally.statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}, p99 ${quantile(tally.took, 0.99).toFixed(0)} ms, memory +${Math.max(0, grown).toFixed(0)} MB`;
}

async function forgedFlood(scene: Scene): Promise<string> {
  const [flood, honest] = await Promise.all([
    offer(scene, { perSecond: 1_000, seconds: 10, forged: true }),
    offer(scene, { perSecond: 20, seconds: 10 }),
  ]);
  for (const status of flood.statuses.keys()) ok(status === 401 || status === 429, `${status}`);
  equal(honest.statuses.size, 1);
  equal(honest.statuses.get(200), 200);
  const p99 = quantile(honest.took, 0.99);
  ok(p99 < 1_000 + honest.lagMs, `p99 of signed deliveries ${p99} ms`);
  await noneLost(scene, honest);
  match(String(flood.took.length), /^10000$/);
  return `p99 of signed deliveries ${p99.toFixed(0)} ms beside 1,000 forged ones a second`;
}

/** How long each harm lasts, in milliseconds. */
const HARM_MS = 3_000;

/** Load continues while the database is restarted, frozen, full, and its connections are cut. */
async function harmedLoad(scene: Scene): Promise<string> {
  const { postgres, database } = scene.rig;
  const before = residentMb(scene);
  const loading = offer(scene, { perSecond: 100, seconds: 24 });
  await rest(2_000);
  await postgres.stop('immediate');
  await postgres.start();
  await rest(HARM_MS);
  const thaw = await freeze(scene);
  await rest(HARM_MS);
  thaw();
  await rest(HARM_MS);
  const full = { table: 'inbox_event', condition: 'true', code: '53100' };
  const clear = await refusing(scene, full);
  await rest(HARM_MS);
  await clear();
  await postgres.query(
    'postgres',
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
    [database],
  );
  const tally = await loading;
  const shown = [...tally.statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  for (const status of tally.statuses.keys()) ok(status === 200 || status === 503, shown);
  ok((tally.statuses.get(200) ?? 0) > 500 && (tally.statuses.get(503) ?? 0) > 0, shown);
  const slowest = tally.took.at(-1) ?? 0;
  ok(slowest < 5_000 + tally.lagMs, `the slowest answer took ${slowest} ms`);
  await noneLost(scene, tally);
  const grown = residentMb(scene) - before;
  ok(grown < 150, `memory grew by ${grown.toFixed(0)} MB`);
  await recovers(scene, 30_000);
  return `2,400 deliveries at 100 a second: ${shown}, slowest ${(slowest / 1000).toFixed(1)} s, memory +${Math.max(0, grown).toFixed(0)} MB`;
}

export const LOAD_CASES: readonly FaultCase[] = [
  { id: 'F29', place: 'shared', run: deep },
  { id: 'F30', place: 'loud', run: manyKeys },
  { id: 'F31', place: 'shared', run: pollution },
  { id: 'F34', place: 'shared', run: longId },
  { id: 'F35', place: 'loud', run: slowloris },
  { id: 'F36', place: 'loud', run: steadyLoad },
  { id: 'L1', place: 'loud', run: harmedLoad },
  { id: 'V2.4.1', place: 'loud', run: forgedFlood },
];
