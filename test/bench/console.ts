/**
 * `node test/bench/console.ts`: the server's time for every page of the console among 1,000,000 alerts.
 *
 * The rows are filled in directly, the hours are added up as the worker does it, and every page is asked
 * for over HTTP on this machine, again and again. Exit status 1 when the median of any page reaches the
 * limit. `--alerts 100000` takes fewer; `--json` prints JSON.
 */
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { createConsoleApp } from '../../src/console/console-app.ts';
import { openDatabase } from '../../src/db/connect.ts';
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { readBacklog } from '../../src/feed/feed-status.store.ts';
import { rollUpActivity } from '../../src/insights/activity.store.ts';
import { createFixedClock, nowDate } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/log.ts';
import { createHttpServer } from '../../src/receive/http-server.ts';
import { BENCH_NOW, BENCH_ORG, fillConsole } from './console-fill.ts';
import { describeMachine } from './machine.ts';

/** Median of a page, in milliseconds. */
const LIMIT_MS = 50;
const TOKEN = 'console-token-for-the-bench';
const FILL_TIMEOUT_MS = 15 * 60_000;

const { values } = parseArgs({
  options: {
    alerts: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '15' },
    json: { type: 'boolean', default: false },
  },
});

/** Every page, with queries that meet much, little and nothing. */
const PAGES = [
  '/',
  '/?window=7d',
  '/?window=90d',
  '/reviews',
  '/alerts',
  '/alerts?state=all',
  '/alerts?state=closed&currency=JPY',
  '/alerts?state=all&programme=NETA_ALERT&min=100&max=120',
  '/alerts?state=all&issuer=nobody',
  '/alerts?state=all&q=4242',
  '/alerts?state=all&q=netalrt_500000',
  '/alerts?state=all&q=ch_77777',
  '/alerts/netalrt_500000',
  '/alerts/netalrt_3',
  '/charges/ch_77777',
  '/lookups?window=90d',
  '/enrolments',
  '/representments',
  '/scheme-notices',
  '/orders',
  '/orders/order_500',
  '/findings',
  '/events',
  '/policies',
  '/system',
  '/operators',
] as const;

const log = createLog({ level: 'error' });
const server = await startEmbeddedPostgres({ temporary: true, volatile: true });
// Filling in takes longer than any page may.
const database = openDatabase({
  connectionString: server.connectionString,
  log,
  statementTimeoutMs: FILL_TIMEOUT_MS,
});
const clock = createFixedClock(BENCH_NOW);
try {
  await migrateToLatest(database.db);
  const startedMs = performance.now();
  await fillConsole(database, Number(values.alerts), (text) => process.stderr.write(`${text}\n`));
  process.stderr.write(`filled in ${Math.round((performance.now() - startedMs) / 1_000)} s\n`);
  await rollUpActivity(database.db, { organisationId: BENCH_ORG, now: nowDate(clock) });
  const rows = await measure();
  await report(rows);
} finally {
  await database.close();
  await server.stop();
}

interface PageTime {
  readonly path: string;
  readonly status: number;
  readonly medianMs: number;
  readonly worstMs: number;
  readonly kilobytes: number;
}

async function measure(): Promise<PageTime[]> {
  const app = createConsoleApp({
    db: database.db,
    clock,
    log,
    organisationId: BENCH_ORG,
    token: TOKEN,
    decide: async () => ({ ok: true }),
    replayEvent: async () => ({ ok: true }),
    health: async () => ({ ok: true }),
    feedBacklog: () => readBacklog(database.db, BENCH_ORG),
  });
  const listener = createHttpServer(app);
  await new Promise<void>((done) => {
    listener.listen(0, '127.0.0.1', done);
  });
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  try {
    const answer = await fetch(`${url}/login`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ token: TOKEN }),
    });
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    const times: PageTime[] = [];
    for (const path of PAGES) times.push(await timePage(url, path, cookie));
    return times;
  } finally {
    listener.closeAllConnections();
    listener.close();
  }
}

async function timePage(url: string, path: string, cookie: string): Promise<PageTime> {
  const times: number[] = [];
  let status = 0;
  let bytes = 0;
  // The first two fill caches and compile; they are not counted.
  for (let round = -2; round < Number(values.rounds); round++) {
    const startedMs = performance.now();
    const answer = await fetch(url + path, { headers: { cookie }, redirect: 'manual' });
    bytes = (await answer.arrayBuffer()).byteLength;
    status = answer.status;
    if (round >= 0) times.push(performance.now() - startedMs);
  }
  times.sort((a, b) => a - b);
  const medianMs = times[Math.floor(times.length / 2)] ?? 0;
  return { path, status, medianMs, worstMs: times.at(-1) ?? 0, kilobytes: bytes / 1_024 };
}

async function report(rows: readonly PageTime[]): Promise<void> {
  const slow = rows.filter(({ medianMs, status }) => medianMs >= LIMIT_MS || status !== 200);
  if (slow.length > 0) process.exitCode = 1;
  if (values.json) {
    const machine = await describeMachine(database);
    console.log(JSON.stringify({ machine, limitMs: LIMIT_MS, pages: rows }));
    return;
  }
  console.log(
    `Server time per page among ${values.alerts} alerts, limit ${LIMIT_MS} ms (median)\n`,
  );
  for (const { path, status, medianMs, worstMs, kilobytes } of rows) {
    const mark = medianMs >= LIMIT_MS || status !== 200 ? ' <<<' : '';
    console.log(
      `${path.padEnd(58)} ${status} ${medianMs.toFixed(1).padStart(7)} ms  worst ${worstMs.toFixed(1).padStart(7)}  ${kilobytes.toFixed(0).padStart(4)} KB${mark}`,
    );
  }
  console.log(
    slow.length === 0 ? '\nAll pages are within the limit.' : `\n${slow.length} are not.`,
  );
}
