/**
 * The second half of `npm run bench`: the deadline sweep, the order feed's drain, answers at the limit, the
 * receiver's memory beside slow senders, and the sandbox's speed.
 *
 * Options: `--quick` (fewer rows and orders), `--json`; `--full` is the first half's.
 */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import express from 'express';
import { sql } from 'kysely';
import { claimDueCases } from '../../src/alerts/cases/case-claim.store.ts';
import { createDeadlineSweep } from '../../src/alerts/cases/deadline-sweep.ts';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { createFixedClock } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { benchFeed, LIMIT_SHARE_MIN } from './feed.ts';
import { benchPatches, OUT_OF_ORDER_MAX, PATCH_SHARE_MIN } from './patches.ts';
import type { Row } from './rows.ts';
import { printRows } from './rows.ts';
import { benchSlowSenders, SLOW_CONNECTIONS, SLOW_MEMORY_MAX } from './slow.ts';
import { median } from './targets.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const log = createLog({ level: 'silent' });
const ORGANISATION = 'org_bench';
const NOW = '2026-11-20T00:00:00Z';

/** Adds open cases, none of them due. */
async function addCases(database: OpenDatabase, from: number, to: number): Promise<void> {
  await sql`
    insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, next_action_at, next_alarm_at, changed_at)
    select ${ORGANISATION}, 'netalrt_' || n, 'HUMAN', ${NOW}::timestamptz,
           ${NOW}::timestamptz + interval '1 hour' + n * interval '100 milliseconds',
           ${NOW}::timestamptz + interval '1 hour' + n * interval '50 milliseconds',
           ${NOW}::timestamptz + interval '1 hour' + n * interval '50 milliseconds', ${NOW}::timestamptz
    from generate_series(${from}::int, ${to}::int) n`.execute(database.db);
  await sql`vacuum analyze alert_case`.execute(database.db);
}

/** Median time of one sweep with nothing due, in milliseconds. */
async function timeSweep(database: OpenDatabase): Promise<number> {
  const clock = createFixedClock(NOW);
  const sweep = createDeadlineSweep({ db: database.db, clock, log, organisationId: ORGANISATION });
  const times: number[] = [];
  for (let run = 0; run < 60; run++) {
    const started = performance.now();
    await claimDueCases(database.db, {
      organisationId: ORGANISATION,
      now: new Date(NOW),
      owner: 'bench',
      limit: 500,
      leaseMs: 30_000,
      isShut: sql`false`,
    });
    await sweep.runOnce();
    times.push(performance.now() - started);
  }
  return median(times.slice(10));
}

async function benchSweep(): Promise<Row[]> {
  const many = values.quick ? 100_000 : 1_000_000;
  const server = await startEmbeddedPostgres({ temporary: true });
  const database = openDatabase({
    connectionString: server.connectionString,
    log,
    statementTimeoutMs: 300_000,
  });
  try {
    await migrateToLatest(database.db);
    await addCases(database, 1, 10_000);
    const fewMs = await timeSweep(database);
    await addCases(database, 10_001, many);
    const manyMs = await timeSweep(database);
    return [
      {
        name: `claim and sweep, ${many.toLocaleString('en')} open cases`,
        measured: `${manyMs.toFixed(2)} ms`,
        target: '≤ 5 ms',
        met: manyMs <= 5,
      },
      {
        name: 'the same / with 10,000 open',
        measured: (manyMs / fewMs).toFixed(2),
        target: '≤ 2.00',
        met: manyMs / fewMs <= 2,
      },
    ];
  } finally {
    await database.close();
    await server.stop();
  }
}

async function benchOrders(): Promise<Row[]> {
  const orders = values.quick ? 12_000 : 50_000;
  const report = await benchFeed({ orders });
  const share = report.limitShare ?? 0;
  return [
    {
      name: `order feed, ${orders.toLocaleString('en')} orders: share of the limit`,
      measured: share.toFixed(3),
      target: `≥ ${LIMIT_SHARE_MIN}`,
      met: share >= LIMIT_SHARE_MIN && report.rateLimited === 0,
    },
    {
      name: 'requests / least possible',
      measured: `${report.requests} / ${report.requestsLeast}`,
      target: 'equal',
      met: report.requests === report.requestsLeast,
    },
    {
      name: '429 answers; orders held',
      measured: `${report.rateLimited}; ${report.ordersHeld.toLocaleString('en')}`,
      target: `0; ${orders.toLocaleString('en')}`,
      met: report.rateLimited === 0 && report.ordersHeld === orders,
    },
  ];
}

async function benchAnswers(): Promise<Row[]> {
  const alerts = values.quick ? 120 : 320;
  const report = await benchPatches({ alerts });
  const share = report.limitShare ?? 0;
  return [
    {
      name: `answers, ${alerts} alerts at once: share of the limit`,
      measured: share.toFixed(3),
      target: `≥ ${PATCH_SHARE_MIN}`,
      met: share >= PATCH_SHARE_MIN,
    },
    {
      name: '429 answers; missed; answered in time',
      measured: `${report.rateLimited}; ${report.missed}; ${report.answered}`,
      target: `0; 0; ${alerts}`,
      met: report.rateLimited === 0 && report.missed === 0 && report.answered === alerts,
    },
    {
      name: 'answered before a more urgent one',
      measured: String(report.outOfOrder),
      target: `≤ ${OUT_OF_ORDER_MAX}`,
      met: report.outOfOrder <= OUT_OF_ORDER_MAX,
    },
  ];
}

async function benchMemory(): Promise<Row[]> {
  const { idleMb, slowMb, ratio } = await benchSlowSenders(values.quick ? 1 : 3);
  const many = SLOW_CONNECTIONS.toLocaleString('en');
  return [
    {
      name: `receiver's memory: ${many} slow bodies / ${many} idle`,
      measured: `${ratio.toFixed(2)} (${slowMb.toFixed(0)}/${idleMb.toFixed(0)} MB)`,
      target: `≤ ${SLOW_MEMORY_MAX.toFixed(2)}`,
      met: ratio <= SLOW_MEMORY_MAX,
    },
  ];
}

/** Requests per second over 16 connections that each send the next when the last is answered. */
async function rateOf(url: string, headers: Record<string, string>): Promise<number> {
  const until = performance.now() + (values.quick ? 1_000 : 3_000);
  let done = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (performance.now() < until) {
        const response = await fetch(url, { headers });
        await response.arrayBuffer();
        done += 1;
      }
    }),
  );
  return done / ((performance.now() - started) / 1_000);
}

async function benchSandbox(): Promise<Row[]> {
  const app = express();
  app.get('/', (_request, response) => {
    response.json({ id: 'netalrt_1' });
  });
  const empty = createServer(app);
  await new Promise<void>((done) => {
    empty.listen(0, '127.0.0.1', done);
  });
  const address = empty.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const sandbox = await createSandbox({ requestsPerMinute: 1_000_000_000 });
  const alert = sandbox.createAlert();
  const authorization = `Bearer ${sandbox.accounts.organisationKey}`;
  const ratios: number[] = [];
  for (let round = 0; round < 3; round++) {
    const ceiling = await rateOf(`http://127.0.0.1:${port}/`, {});
    const ours = await rateOf(`${sandbox.url}/v1/alerts/${alert.id}`, { authorization });
    ratios.push(ours / ceiling);
  }
  await sandbox.close();
  empty.close();
  empty.closeAllConnections();
  const ratio = median(ratios);
  return [
    {
      name: 'sandbox, GET of an alert / empty Express app',
      measured: ratio.toFixed(2),
      target: '≥ 0.40',
      met: ratio >= 0.4,
    },
  ];
}

const rows = [
  ...(await benchSweep()),
  ...(await benchOrders()),
  ...(await benchAnswers()),
  ...(await benchMemory()),
  ...(await benchSandbox()),
];
if (values.json) console.log(JSON.stringify(rows));
else printRows(rows);
