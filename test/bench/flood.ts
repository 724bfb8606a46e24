/**
 * What a flood of alerts into one organisation costs the others of its installation: from their webhooks to their
 * decisions, alone and beside it, in the same run. `node test/bench/flood.ts [alerts] [seconds] [per second]`
 *
 * `serve`, `work`, each sender, and the service with the processor are processes of their own, so that none waits for
 * another's event loop. All figures come from minutes that follow each other, so that a busy machine weighs on each of
 * them. In one of them the same flood goes to a program that has nothing to do with the installation: what that costs
 * the others is the machine's part.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import type { Child } from '../faults/rig/child.ts';
import { forestall } from '../faults/rig/rig.ts';
import { OTHERS, organisationOf, secretOf } from './flood-alert.ts';
import type { Started } from './flood-child.ts';
import { startProgram } from './flood-child.ts';
import type { Lateness } from './flood-late.ts';
import type { AlertMoments } from './flood-moments.ts';
import { momentsOf, percentilesOf, STEPS } from './flood-moments.ts';
import type { SendOrder, SendReport } from './flood-sender.ts';
import type { Row } from './rows.ts';
import { printRows } from './rows.ts';

/** Most that the flood may add to the 99th percentile of the others. */
const RATIO_MAX = 1.1;
/** Of all others together. */
const PER_SECOND = 10;
/** Connections that the flood comes over. */
const FLOOD_CONNECTIONS = 8;
const WARM_UP_SECONDS = 15;
/** Alerts of one sender at most: the next one has numbers of its own. */
const NUMBERS = 200_000;
const POLICY = new URL('../faults/rig/policy.yaml', import.meta.url).pathname;
const SECRET = 'processor-secret-of-the-flood-bench';
const LATE = fileURLToPath(new URL('flood-late.ts', import.meta.url));

export async function writeInstallation(folder: string, url: string): Promise<string> {
  const entries: string[] = [];
  for (let place = 0; place <= OTHERS; place++) {
    await writeFile(join(folder, `${place}.key`), `key-of-organisation-${place}`);
    await writeFile(join(folder, `${place}.secret`), secretOf(place));
    entries.push(
      `  - {id: ${organisationOf(place)}, name: Brand ${place}, path: brand-${place}, api_key: {file: ${place}.key}, webhook_secrets: [{file: ${place}.secret}]}`,
    );
  }
  const file = join(folder, 'installation.yaml');
  const defaults = `defaults: {service_url: '${url}', processor: '${url}/processor/', processor_secret: {env: FLOOD_SECRET}, policy: ${POLICY}}`;
  await writeFile(file, ['version: 1', defaults, 'organisations:', ...entries, ''].join('\n'));
  return file;
}

/** What it takes to measure a while. */
interface Bench {
  readonly pool: pg.Pool;
  readonly port: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly roles: readonly Child[];
}

let senders = 0;

async function send(order: Omit<SendOrder, 'from'>): Promise<SendReport> {
  const whole: SendOrder = { ...order, from: senders++ * NUMBERS };
  const { message } = await startProgram<SendReport>('flood-sender.ts', [JSON.stringify(whole)]);
  return message;
}

async function sendOthers({ port, seconds, perSecond }: Bench): Promise<SendReport> {
  return await send({ port, perSecond, alerts: seconds * perSecond });
}

/** A while, and what the others noticed. */
interface Measured {
  readonly all: readonly AlertMoments[];
  readonly others: SendReport;
  /** The flood, where there was one. */
  readonly flood?: SendReport;
}

async function measure(bench: Bench, floodOrder?: Omit<SendOrder, 'from'>): Promise<Measured> {
  const [others, flood] = await Promise.all([
    sendOthers(bench),
    floodOrder === undefined ? undefined : send(floodOrder),
  ]);
  const all = await momentsOf(bench.pool, others.sent);
  return flood === undefined ? { all, others } : { all, others, flood };
}

const show = (alerts: readonly AlertMoments[]): string =>
  percentilesOf(alerts)
    .map(([p50, p99]) => `${p50}/${p99}`)
    .join(' → ');

const p99Of = (alerts: readonly AlertMoments[]): number =>
  percentilesOf(alerts).at(-1)?.[1] ?? Number.NaN;

/** When a flood began to arrive, and when it was answered. */
function arrivalOf({ sent }: SendReport): readonly [number, number] {
  return [
    Math.min(...sent.map(({ sentMs }) => sentMs)),
    Math.max(...sent.map(({ answeredMs }) => answeredMs)),
  ];
}

/** How late the roles' event loops were between two moments, and which part of a processor each took. */
function lateness(roles: readonly Child[], [fromMs, untilMs]: readonly [number, number]): string {
  return roles
    .map((role) => {
      const seen = [...role.text().matchAll(/^late (\{.*\})$/gm)]
        .map(([, json = '{}']) => JSON.parse(json) as Lateness)
        .filter(({ atMs }) => atMs > fromMs && atMs < untilMs + 500);
      const cpuMs = seen.reduce((sum, each) => sum + each.cpuMs, 0);
      const lateMs = Math.max(...seen.map((each) => each.lateMs));
      return `${role.name} ${lateMs} ms late, ${Math.round(cpuMs / seen.length / 5)} % busy`;
    })
    .join('; ');
}

function rowsOf(name: string, { roles }: Bench, { all, others, flood }: Measured): Row[] {
  const rows = [row(name, show(all))];
  if (flood !== undefined) {
    const arrival = arrivalOf(flood);
    const [fromMs, untilMs] = arrival;
    const meanwhile = all.filter(({ sentMs }) => sentMs >= fromMs && sentMs <= untilMs);
    rows.push(
      row(`  the ${meanwhile.length} sent while it arrived`, show(meanwhile)),
      row('  it arrived within', `${untilMs - fromMs} ms; ${flood.refused} came again`),
      row('  meanwhile', lateness(roles, arrival)),
    );
  }
  return [...rows, row("  the others' sender was late at most", `${others.lateMs} ms`)];
}

function ratioRow(name: string, measured: Measured, alone: Measured): Row {
  return row(name, (p99Of(measured.all) / p99Of(alone.all)).toFixed(2));
}

async function measureAll(
  bench: Bench,
  { alerts, barePort }: { alerts: number; barePort: number },
): Promise<Row[]> {
  const count = alerts.toLocaleString('en');
  const flood = { alerts, connections: FLOOD_CONNECTIONS };
  await measure({ ...bench, seconds: WARM_UP_SECONDS });
  const alone = await measure(bench);
  const besideBare = await measure(bench, { ...flood, port: barePort });
  const beside = await measure(bench, { ...flood, port: bench.port });
  const after = await measure(bench);
  const { rows } = await bench.pool.query<{ count: number }>(
    'select count(*)::int as count from decision where organisation_id = $1',
    [organisationOf(0)],
  );
  const ratio = p99Of(beside.all) / p99Of(alone.all);
  return [
    row('p50/p99 in ms until', STEPS.join(' → ')),
    ...rowsOf(`${OTHERS} others alone, ${bench.perSecond}/s`, bench, alone),
    ...rowsOf(`the same beside ${count} into a bare program`, bench, besideBare),
    ...rowsOf(`the same beside ${count} into one of them`, bench, beside),
    ...rowsOf('the same right after', bench, after),
    row('of the flood decided by then', String(rows[0]?.count ?? 0)),
    ratioRow('p99 of the others beside the bare program / alone', besideBare, alone),
    {
      name: 'p99 of the others beside / alone',
      measured: ratio.toFixed(2),
      target: `≤ ${RATIO_MAX.toFixed(2)}`,
      met: ratio <= RATIO_MAX,
    },
  ];
}

/** Measures the others alone, beside the machine's part of the flood, beside the flood, and after it. */
export async function benchFlood(
  alerts: number,
  seconds: number,
  perSecond = PER_SECOND,
): Promise<readonly Row[]> {
  const server = await startEmbeddedPostgres({ temporary: true, volatile: true });
  const folder = await mkdtemp(join(tmpdir(), 'forestall-flood-'));
  const pool = new pg.Pool({ connectionString: server.connectionString, max: 2 });
  // An idle connection that the server's end reaches first.
  pool.on('error', () => undefined);
  const programs: Started<unknown>[] = [];
  const children: Child[] = [];
  const startBeside = async <Message>(file: string, args: readonly string[]): Promise<Message> => {
    const started = await startProgram<Message>(file, args);
    programs.push(started);
    return started.message;
  };
  try {
    const url = await startBeside<string>('flood-world.ts', []);
    await pool.query('create database bare');
    const bareUrl = new URL(server.connectionString);
    bareUrl.pathname = '/bare';
    const barePort = await startBeside<number>('flood-bare.ts', [bareUrl.href]);
    const env = {
      DATABASE_URL: server.connectionString,
      FORESTALL_INSTALLATION: await writeInstallation(folder, url),
      FLOOD_SECRET: SECRET,
      FORESTALL_LOG_LEVEL: 'info',
      PORT: '0',
      FORESTALL_METRICS_PORT: '0',
    };
    const start = (role: string, node: readonly string[] = []): Child => {
      const child = forestall(folder, { name: role, args: [role], env, node });
      children.push(child);
      return child;
    };
    await start('migrate').ended;
    const serve = start('serve', ['--import', LATE]);
    const work = start('work', ['--import', LATE]);
    await work.printed(/"msg":"organisations started"/);
    const [, port] = await serve.printed(/"port":(\d+).*"msg":"listening"/);
    const bench = { pool, port: Number(port), seconds, perSecond, roles: [serve, work] };
    return await measureAll(bench, { alerts, barePort });
  } finally {
    for (const child of children) if (child.isRunning()) await child.end('SIGKILL');
    for (const { child } of programs) child.kill();
    await pool.end();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

function row(name: string, measured: string): Row {
  return { name, measured, target: '', met: true };
}

if (import.meta.main) {
  const [alerts = '10000', seconds = '60', perSecond = PER_SECOND] = process.argv.slice(2);
  const rows = await benchFlood(Number(alerts), Number(seconds), Number(perSecond));
  printRows(rows);
  if (rows.some(({ met }) => !met)) process.exitCode = 1;
}
