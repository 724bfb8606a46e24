/**
 * How much memory one receiver and one worker take while events come in without end.
 * `node test/bench/memory.ts [events] [connections] [points] [minutes]`; ten million events are what the promise is about: many
 * hours. With minutes it ends after them, and says how many events there were.
 *
 * After each part of the events it waits until all are applied, and notes the most that each process took meanwhile, and the least
 * of JavaScript's heap, which is what a collection left. The curve is printed as it grows. Memory is flat where the last quarter took
 * no more than the quarter after the first tenth, and a twentieth.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import type { Child } from '../faults/rig/child.ts';
import { forestall } from '../faults/rig/rig.ts';
import { writeInstallation } from './flood.ts';
import type { Started } from './flood-child.ts';
import { startProgram } from './flood-child.ts';
import type { MemoryLook } from './memory-watch.ts';
import type { Row } from './rows.ts';
import { printRows } from './rows.ts';
import { median } from './targets.ts';

/** Most that memory may be of what it was after the warm-up. */
const FLAT_MAX = 1.05;
const MB = 1_048_576;
const WATCH = fileURLToPath(new URL('memory-watch.ts', import.meta.url));

/** The most that each process took while a part of the events came in, in MB. */
interface Point {
  readonly events: number;
  readonly perSecond: number;
  readonly serveMb: number;
  readonly workMb: number;
  readonly serveHeapMb: number;
  readonly workHeapMb: number;
}

interface Bench {
  readonly pool: pg.Pool;
  readonly sender: Started<string>;
  readonly serve: Child;
  readonly work: Child;
}

function looksOf(child: Child, fromMs: number): readonly MemoryLook[] {
  return [...child.text().matchAll(/^memory (\{.*\})$/gm)]
    .map(([, json = '{}']) => JSON.parse(json) as MemoryLook)
    .filter(({ atMs }) => atMs >= fromMs);
}

const mostMb = (child: Child, fromMs: number): number =>
  Math.round(Math.max(...looksOf(child, fromMs).map(({ rss }) => rss)) / MB);

const leastHeapMb = (child: Child, fromMs: number): number =>
  Math.min(...looksOf(child, fromMs).map(({ heapUsed }) => heapUsed)) / MB;

/** How many bytes the heap grows by with each event, as a line through the points after the first tenth says. */
function growth(points: readonly Point[], of: (point: Point) => number): number {
  const warm = points.slice(Math.ceil(points.length / 10));
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanEvents = mean(warm.map(({ events }) => events));
  const meanMb = mean(warm.map(of));
  const shared = mean(warm.map((point) => (point.events - meanEvents) * (of(point) - meanMb)));
  return (shared * MB) / mean(warm.map(({ events }) => (events - meanEvents) ** 2));
}

async function untilApplied({ pool }: Bench): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ count: string }>(
      'select count(*) as count from forestall.inbox_work',
    );
    if (Number(rows[0]?.count) === 0) return;
    await sleep(500);
  }
}

async function part(bench: Bench, count: number, before: number): Promise<Point> {
  const fromMs = Date.now();
  const done = once(bench.sender.child, 'message');
  bench.sender.child.send(count);
  await done;
  await untilApplied(bench);
  // One more look of each process.
  await sleep(1_500);
  const seconds = (Date.now() - fromMs) / 1_000;
  return {
    events: before + count,
    perSecond: Math.round(count / seconds),
    serveMb: mostMb(bench.serve, fromMs),
    workMb: mostMb(bench.work, fromMs),
    serveHeapMb: leastHeapMb(bench.serve, fromMs),
    workHeapMb: leastHeapMb(bench.work, fromMs),
  };
}

function flatness(points: readonly Point[], of: (point: Point) => number): number {
  const warm = Math.ceil(points.length / 10);
  const quarter = Math.max(1, Math.floor(points.length / 4));
  const early = median(points.slice(warm, warm + quarter).map(of));
  return median(points.slice(-quarter).map(of)) / early;
}

interface Run {
  readonly events: number;
  readonly connections: number;
  readonly parts: number;
  readonly minutes: number;
}

async function measure(bench: Bench, { events, parts, minutes }: Run): Promise<readonly Row[]> {
  const points: Point[] = [];
  const count = Math.ceil(events / parts);
  const untilMs = Date.now() + minutes * 60_000;
  console.log('     events   per s   serve MB   heap MB   work MB   heap MB');
  for (let done = 0; done < events && Date.now() < untilMs; done += count) {
    const point = await part(bench, count, done);
    points.push(point);
    const { serveMb, serveHeapMb, workMb, workHeapMb } = point;
    const heaps = [serveHeapMb, workHeapMb].map(Math.round);
    const cells = [point.events, point.perSecond, serveMb, heaps[0], workMb, heaps[1]];
    console.log(
      cells.map((cell, place) => String(cell).padStart([11, 8, 11][place] ?? 10)).join(''),
    );
  }
  const { rows } = await bench.pool.query<{ count: string }>(
    'select count(*) as count from forestall.alert',
  );
  const flat = (name: string, of: (point: Point) => number): Row => {
    const ratio = flatness(points, of);
    const target = `≤ ${FLAT_MAX.toFixed(2)}`;
    return { name, measured: ratio.toFixed(3), target, met: ratio <= FLAT_MAX };
  };
  const grows = (name: string, of: (point: Point) => number): Row => {
    const measured = growth(points, of).toFixed(1);
    return { name, measured, target: '', met: true };
  };
  return [
    { name: 'alerts stored', measured: String(rows[0]?.count), target: '', met: true },
    flat('memory of serve, last quarter / after the first tenth', ({ serveMb }) => serveMb),
    flat('memory of work, last quarter / after the first tenth', ({ workMb }) => workMb),
    grows('heap of serve, bytes more for each event', ({ serveHeapMb }) => serveHeapMb),
    grows('heap of work, bytes more for each event', ({ workHeapMb }) => workHeapMb),
    flat('heap of serve, the same', ({ serveHeapMb }) => serveHeapMb),
    flat('heap of work, the same', ({ workHeapMb }) => workHeapMb),
  ];
}

/** Sends so many events through one receiver and one worker, in so many parts, for so many minutes at most. */
export async function benchMemory(run: Run): Promise<readonly Row[]> {
  const server = await startEmbeddedPostgres({ temporary: true, volatile: true });
  const folder = await mkdtemp(join(tmpdir(), 'forestall-memory-'));
  const pool = new pg.Pool({ connectionString: server.connectionString, max: 1 });
  pool.on('error', () => undefined);
  const world = await startProgram<string>('flood-world.ts', []);
  const children: Child[] = [];
  const programs: Started<unknown>[] = [world];
  try {
    const env = {
      DATABASE_URL: server.connectionString,
      FORESTALL_INSTALLATION: await writeInstallation(folder, world.message),
      FLOOD_SECRET: 'processor-secret-of-the-memory-bench',
      FORESTALL_LOG_LEVEL: 'info',
      PORT: '0',
      FORESTALL_METRICS_PORT: '0',
    };
    const spawn = (name: string, node: readonly string[] = []): Child => {
      const child = forestall(folder, { name, args: [name], env, node });
      children.push(child);
      return child;
    };
    await spawn('migrate').ended;
    const serve = spawn('serve', ['--import', WATCH]);
    const work = spawn('work', ['--import', WATCH]);
    await work.printed(/"msg":"organisations started"/);
    const [, port = ''] = await serve.printed(/"port":(\d+).*"msg":"listening"/);
    const sender = await startProgram<string>('memory-sender.ts', [port, String(run.connections)]);
    programs.push(sender);
    return await measure({ pool, sender, serve, work }, run);
  } finally {
    for (const child of children) if (child.isRunning()) await child.end('SIGKILL');
    for (const { child } of programs) child.kill();
    await pool.end();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const [events = '10000000', connections = '16', parts = '40', minutes = 'Infinity'] =
    process.argv.slice(2);
  const rows = await benchMemory({
    events: Number(events),
    connections: Number(connections),
    parts: Number(parts),
    minutes: Number(minutes),
  });
  printRows(rows);
  if (rows.some(({ met }) => !met)) process.exitCode = 1;
}
