/**
 * What hostile orders cost the webhooks of a process that takes both in: `forestall start`, alone and beside two senders
 * of such orders, in the same run. `node test/bench/hostile-orders.ts [seconds] [webhooks per second]`
 *
 * Measured is how long each webhook waits for its answer, by a sender in a process of its own, and how much processor time the
 * receiving process took at a stretch. Rounds alternate: alone, beside the same bodies sent into a program that looks at none, which is
 * the machine's part, and beside them as orders. Each of the two once at a fixed pace, at which the senders leave the machine its
 * processors, and once as fast as the answers come, where what the senders themselves take is the larger part. Compared are the medians
 * of the rounds. On a machine that has other work, or fewer free processors than two, the figures are that machine's: its load is printed.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import type { Child } from '../faults/rig/child.ts';
import { forestall } from '../faults/rig/rig.ts';
import { writeInstallation } from './flood.ts';
import { OTHERS } from './flood-alert.ts';
import type { Started } from './flood-child.ts';
import { startProgram } from './flood-child.ts';
import type { SendOrder, SendReport } from './flood-sender.ts';
import type { HostileOrder, HostileReport } from './hostile-sender.ts';
import type { LoopWork } from './loop-work.ts';
import type { Row } from './rows.ts';
import { printRows } from './rows.ts';
import { median } from './targets.ts';

/** Most that p99 beside hostile orders may be of p99 alone; as fast as they come, of p99 beside the bare program. */
const RATIO_MAX = 2;
/** Most that one order may hold a webhook up, in milliseconds of processor time. */
const WORK_MS_MAX = 100;
const ROUNDS = 5;
const SENDERS = 2;
/** Bodies that each sender begins in a second, at the fixed pace. */
const PACE = 5;
const WARM_UP_SECONDS = 5;
const TOKEN = 'console-token-of-the-hostile-bench';
const WORK = fileURLToPath(new URL('loop-work.ts', import.meta.url));

interface Bench {
  readonly start: Child;
  readonly port: number;
  readonly consolePort: number;
  readonly barePort: number;
  readonly seconds: number;
  readonly perSecond: number;
}

let sent = 0;

/** Waits of the webhooks of one while, in milliseconds, and between which moments they came. */
interface While {
  readonly waitsMs: readonly number[];
  readonly fromMs: number;
  readonly untilMs: number;
}

async function sendWebhooks({ port, seconds, perSecond }: Bench): Promise<While> {
  const order: SendOrder = { port, perSecond, alerts: seconds * perSecond, from: sent };
  sent += order.alerts;
  const fromMs = Date.now();
  const { message } = await startProgram<SendReport>('flood-sender.ts', [JSON.stringify(order)]);
  const waitsMs = message.sent.map(({ sentMs, answeredMs }) => answeredMs - sentMs);
  return { waitsMs, fromMs, untilMs: Date.now() };
}

interface Beside extends While {
  readonly answers: readonly HostileReport[];
}

/** The same beside hostile orders into the console of a process, or a bare program; and what became of those. */
async function sendBeside(bench: Bench, port: number, perSecond?: number): Promise<Beside> {
  const order: HostileOrder = {
    port,
    path: '/organisations/brand-0/api/orders',
    token: TOKEN,
    ...(perSecond === undefined ? {} : { perSecond }),
  };
  const args = [JSON.stringify(order)];
  const senders = await Promise.all(
    Array.from({ length: SENDERS }, () => startProgram<string>('hostile-sender.ts', args)),
  );
  const measured = await sendWebhooks(bench);
  const answers = senders.map(async ({ child }: Started<string>): Promise<HostileReport> => {
    const answered = once(child, 'message');
    child.send('stop');
    const [report] = (await answered) as [HostileReport];
    child.disconnect();
    return report;
  });
  return { ...measured, answers: await Promise.all(answers) };
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Processor time that the event loop took at a stretch, in milliseconds. */
function workMs({ start }: Bench, whiles: readonly While[]): number {
  const seen = [...start.text().matchAll(/^work (\{.*\})$/gm)]
    .map(([, json = '{}']) => JSON.parse(json) as LoopWork)
    .filter(({ atMs }) => whiles.some(({ fromMs, untilMs }) => atMs > fromMs && atMs < untilMs));
  return Math.max(...seen.map((each) => each.mostMs));
}

const show = (whiles: readonly While[]): string => {
  const whole = [0.5, 0.99, 1].map((part) => percentile(waitsOf(whiles), part)).join(' / ');
  return `${whole} (${p99s(whiles).join(', ')})`;
};

async function measure(bench: Bench): Promise<readonly Row[]> {
  const { barePort, consolePort } = bench;
  const [load = 0] = loadavg();
  // What is compiled at first is not what an order costs.
  await sendBeside({ ...bench, seconds: WARM_UP_SECONDS }, consolePort, PACE);
  const alone: While[] = [];
  const paced = { bare: [] as Beside[], beside: [] as Beside[] };
  const unpaced = { bare: [] as Beside[], beside: [] as Beside[] };
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await sendWebhooks(bench));
    paced.bare.push(await sendBeside(bench, barePort, PACE));
    paced.beside.push(await sendBeside(bench, consolePort, PACE));
    unpaced.bare.push(await sendBeside(bench, barePort));
    unpaced.beside.push(await sendBeside(bench, consolePort));
  }
  const pace = `${SENDERS * PACE} bodies a second`;
  const fast = 'as fast as they are answered';
  return [
    info('load before, and processors', `${load.toFixed(1)}, ${availableParallelism()}`),
    info('webhooks alone, ms p50 / p99 / most (p99 by round)', show(alone)),
    info(`beside ${pace} into a bare program`, show(paced.bare)),
    info(`beside ${pace} as orders`, show(paced.beside)),
    ...answerRows(paced.beside),
    info(`beside bodies ${fast} into a bare program`, show(unpaced.bare)),
    info(`beside bodies ${fast} as orders`, show(unpaced.beside)),
    ...answerRows(unpaced.beside),
    info('work at a stretch alone, at most', `${workMs(bench, alone)} ms`),
    ...[paced, unpaced].map(({ beside }, place): Row => {
      const work = workMs(bench, beside);
      const name = `work at a stretch beside ${[pace, fast][place]}, at most`;
      return {
        name,
        measured: `${work} ms`,
        target: `≤ ${WORK_MS_MAX} ms`,
        met: work <= WORK_MS_MAX,
      };
    }),
    info(`p99 beside ${pace}, bare program / alone`, ratio(paced.bare, alone).toFixed(2)),
    bounded(`p99 beside ${pace} / alone`, ratio(paced.beside, alone)),
    info(`p99 ${fast}, bare program / alone`, ratio(unpaced.bare, alone).toFixed(2)),
    info(`p99 ${fast} / alone`, ratio(unpaced.beside, alone).toFixed(2)),
    bounded(`p99 ${fast} / the same into a bare program`, ratio(unpaced.beside, unpaced.bare)),
  ];
}

const waitsOf = (whiles: readonly While[]): number[] => whiles.flatMap(({ waitsMs }) => waitsMs);

/** The 99th percentile of each round: what else a machine does falls into some of them. */
const p99s = (whiles: readonly While[]): number[] =>
  whiles.map(({ waitsMs }) => percentile(waitsMs, 0.99));

const ratio = (some: readonly While[], others: readonly While[]): number =>
  median(p99s(some)) / median(p99s(others));

function bounded(name: string, measured: number): Row {
  const target = `≤ ${RATIO_MAX.toFixed(2)}`;
  return { name, measured: measured.toFixed(2), target, met: measured <= RATIO_MAX };
}

/** How many of each kind were answered, and how. */
function answerRows(beside: readonly Beside[]): readonly Row[] {
  const reports = beside.flatMap(({ answers }) => answers);
  const kinds = [...new Set(reports.flatMap((report) => Object.keys(report)))];
  return kinds.map((kind) => {
    const all = reports.flatMap((report) => report[kind] ?? []);
    const count = all.reduce((sum, each) => sum + each.count, 0);
    const statuses = [...new Set(all.flatMap((each) => each.statuses))];
    return info(`  ${kind}`, `${count} × ${statuses.join(', ')}`);
  });
}

/** Starts the process that takes both in, and measures. */
export async function benchHostileOrders(
  seconds: number,
  perSecond: number,
): Promise<readonly Row[]> {
  const server = await startEmbeddedPostgres({ temporary: true, volatile: true });
  const folder = await mkdtemp(join(tmpdir(), 'forestall-hostile-'));
  const world = await startProgram<string>('flood-world.ts', []);
  const bare = await startProgram<number>('hostile-bare.ts', []);
  const children: Child[] = [];
  try {
    const env = {
      DATABASE_URL: server.connectionString,
      FORESTALL_INSTALLATION: await writeInstallation(folder, world.message),
      FLOOD_SECRET: 'processor-secret-of-the-hostile-bench',
      FORESTALL_CONSOLE_TOKEN: TOKEN,
      FORESTALL_LOG_LEVEL: 'info',
      PORT: '0',
      FORESTALL_CONSOLE_PORT: '0',
      FORESTALL_METRICS_PORT: '0',
    };
    const run = (name: string, node: readonly string[] = []): Child => {
      const child = forestall(folder, { name, args: [name], env, node });
      children.push(child);
      return child;
    };
    await run('migrate').ended;
    const start = run('start', ['--import', WORK]);
    const [, port, consolePort] = await start.printed(/"webhooks":(\d+),"console":(\d+)/);
    const ports = { port: Number(port), consolePort: Number(consolePort), barePort: bare.message };
    return await measure({ start, ...ports, seconds, perSecond });
  } finally {
    for (const child of children) if (child.isRunning()) await child.end('SIGKILL');
    world.child.kill();
    bare.child.kill();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

function info(name: string, measured: string): Row {
  return { name, measured, target: '', met: true };
}

if (import.meta.main) {
  const [seconds = '20', perSecond = String(OTHERS)] = process.argv.slice(2);
  const rows = await benchHostileOrders(Number(seconds), Number(perSecond));
  printRows(rows);
  if (rows.some(({ met }) => !met)) process.exitCode = 1;
}
