/**
 * What hostile orders cost the webhooks of a process that takes both in: `forestall start`, alone and beside two senders
 * of such orders, in the same run. `node test/bench/hostile-orders.ts [seconds] [webhooks per second]`
 *
 * Measured is how long each webhook waits for its answer, by a sender in a process of its own, and how much processor time the
 * receiving process took at a stretch. Rounds alternate: alone, beside the same bodies sent into a program that looks at none, which is
 * the machine's part, and beside them as orders.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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

/** Most that p99 beside hostile orders may be of p99 alone. */
const RATIO_MAX = 2;
/** Most that one order may hold a webhook up, in milliseconds of processor time. */
const WORK_MS_MAX = 100;
const ROUNDS = 3;
const SENDERS = 2;
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

/** The same beside hostile orders into the console of a process, or a bare program; and what became of those. */
async function sendBeside(
  bench: Bench,
  port: number,
): Promise<While & { readonly answers: readonly HostileReport[] }> {
  const order: HostileOrder = {
    port,
    path: '/organisations/brand-0/api/orders',
    token: TOKEN,
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

const show = (waits: readonly number[]): string =>
  [0.5, 0.99, 1].map((part) => percentile(waits, part)).join(' / ');

async function measure(bench: Bench): Promise<readonly Row[]> {
  await sendWebhooks({ ...bench, seconds: WARM_UP_SECONDS });
  const alone: While[] = [];
  const bare: While[] = [];
  const beside: Awaited<ReturnType<typeof sendBeside>>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await sendWebhooks(bench));
    bare.push(await sendBeside(bench, bench.barePort));
    beside.push(await sendBeside(bench, bench.consolePort));
  }
  const waitsOf = (whiles: readonly While[]): number[] => whiles.flatMap(({ waitsMs }) => waitsMs);
  const p99Of = (whiles: readonly While[]): number => percentile(waitsOf(whiles), 0.99);
  const ratio = p99Of(beside) / p99Of(alone);
  const work = workMs(bench, beside);
  const reports = beside.flatMap(({ answers }) => answers);
  const kinds = [...new Set(reports.flatMap((report) => Object.keys(report)))];
  return [
    info('webhooks alone, ms p50 / p99 / most', show(waitsOf(alone))),
    info('beside the same bodies into a bare program', show(waitsOf(bare))),
    info('beside hostile orders', show(waitsOf(beside))),
    ...kinds.map((kind) => {
      const all = reports.flatMap((report) => report[kind] ?? []);
      const count = all.reduce((sum, each) => sum + each.count, 0);
      const statuses = [...new Set(all.flatMap((each) => each.statuses))];
      return info(`  ${kind}`, `${count} × ${statuses.join(', ')}`);
    }),
    info('work at a stretch alone, at most', `${workMs(bench, alone)} ms`),
    {
      name: 'work at a stretch beside hostile orders, at most',
      measured: `${work} ms`,
      target: `≤ ${WORK_MS_MAX} ms`,
      met: work <= WORK_MS_MAX,
    },
    info('p99 beside the bare program / alone', (p99Of(bare) / p99Of(alone)).toFixed(2)),
    info(
      'p99 beside hostile orders / beside the bare program',
      (p99Of(beside) / p99Of(bare)).toFixed(2),
    ),
    {
      name: 'p99 beside hostile orders / alone',
      measured: ratio.toFixed(2),
      target: `≤ ${RATIO_MAX.toFixed(2)}`,
      met: ratio <= RATIO_MAX,
    },
  ];
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
