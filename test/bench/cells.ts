/**
 * Cells: what one that dies costs the others, and an organisation that moves while deliveries arrive and the moving command
 * is killed at each step; and how long many rows take. `node test/bench/cells.ts [--only killed|moved|size]`,
 * `--deliveries 100000`, `--rows 1000000`
 */
import type { ChildProcess } from 'node:child_process';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { signDelivery } from '../../src/alerts/receive/signature.ts';
import type { EmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { sourceOfUrl } from '../../src/base/db/source.ts';
import { migrateBoss } from '../../src/base/jobs/boss.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { makeSale, PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { EVENT_TYPES } from '../../src/service/wire/event.ts';
import type { CellOrder } from './cell.ts';
import { BENCH_ORGANISATION, BENCH_SECRET, benchEvent } from './events.ts';

const { values } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '100000' },
    rows: { type: 'string', default: '1000000' },
    only: { type: 'string' },
  },
});
const log = createLog({ level: 'silent' });
const PROCESSOR_SECRET = 'processor-secret-of-the-bench';

/** Alerts with a refund each, beside the deliveries: the service takes 100 answers a minute. */
const ALERTS = 120;
/** Deliveries under way at once. */
const SENDERS = 48;
/** A refused delivery comes again after this time, in milliseconds. */
const AGAIN_MS = 200;

async function startServer(): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ temporary: true, volatile: true });
  const { migration } = sourceOfUrl(server.connectionString);
  const database = migration.open(log);
  await migrateToLatest(database.db);
  await database.close();
  await migrateBoss(migration.jobs, log);
  return server;
}

async function startCell(order: CellOrder): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(new URL('cell.ts', import.meta.url), [JSON.stringify(order)]);
  const [port] = (await once(child, 'message')) as [number];
  return { child, url: `http://127.0.0.1:${port}/webhooks` };
}

/** The type's events only: each about something of its own. */
function lookupEvent(series: string, index: number): Buffer {
  const place = EVENT_TYPES.indexOf('lookup.created');
  return benchEvent(series, index * EVENT_TYPES.length + place);
}

async function post(url: string, body: Buffer): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    'x-signature': signDelivery(BENCH_SECRET, body, Math.floor(Date.now() / 1_000)),
  };
  try {
    const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN;

// ---------------------------------------------------------------- one of four is killed

const CELLS = 4;
const PER_SECOND = 50;
const WINDOW_SECONDS = 3;
const WINDOWS = 10;

async function killed(): Promise<void> {
  const servers = await Promise.all(Array.from({ length: CELLS }, startServer));
  const cells = await Promise.all(
    servers.map(({ connectionString }) =>
      startCell({
        connectionString,
        organisationId: BENCH_ORGANISATION,
        webhookSecrets: [BENCH_SECRET],
        serviceUrl: 'http://127.0.0.1:9',
        apiKey: 'key-of-the-bench',
      }),
    ),
  );
  try {
    const urls = cells.map(({ url }) => url);
    await measure(urls, 'warm', 5);
    const before = await measureOften(urls, 'before');
    // How far two measurements of the same lie apart on this machine now.
    const beforeAgain = await measureOften(urls, 'again');
    const [first] = servers;
    const pid = Number(
      (await readFile(join(first?.folder ?? '', 'data', 'postmaster.pid'), 'utf8')).split('\n')[0],
    );
    process.kill(pid, 'SIGKILL');
    const after = await measureOften(urls, 'after');
    console.log(
      JSON.stringify(
        { cells: CELLS, perSecondAndCell: PER_SECOND, before, beforeAgain, after },
        null,
        2,
      ),
    );
  } finally {
    for (const { child } of cells) child.kill();
    for (const server of servers) await server.stop().catch(() => undefined);
  }
}

interface Window {
  readonly killedAnswered200: number;
  readonly othersAnswered200: number;
  readonly othersRefused: number;
  readonly othersP50Ms: number;
  readonly othersP99Ms: number;
}

/** Medians of several windows: one burst of something else on the machine does not decide. */
async function measureOften(urls: readonly string[], series: string): Promise<Window> {
  const windows: Window[] = [];
  for (let window = 0; window < WINDOWS; window++) {
    windows.push(await measure(urls, `${series}${window}w`, WINDOW_SECONDS));
  }
  const sum = (pick: (window: Window) => number): number =>
    windows.reduce((all, window) => all + pick(window), 0);
  const middle = (pick: (window: Window) => number): number =>
    quantile(
      windows.map(pick).sort((a, b) => a - b),
      0.5,
    );
  return {
    killedAnswered200: sum((window) => window.killedAnswered200),
    othersAnswered200: sum((window) => window.othersAnswered200),
    othersRefused: sum((window) => window.othersRefused),
    othersP50Ms: middle((window) => window.othersP50Ms),
    othersP99Ms: middle((window) => window.othersP99Ms),
  };
}

/** Sends at a steady pace to all; the first one is the one that is killed. */
async function measure(urls: readonly string[], series: string, seconds: number): Promise<Window> {
  const waits: number[] = [];
  const answers = { killed: 0, others: 0, refused: 0 };
  const sent: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let index = 0; index < seconds * PER_SECOND; index++) {
    await passing(Math.max(0, startedMs + (index * 1_000) / PER_SECOND - performance.now()));
    for (const [place, url] of urls.entries()) {
      const body = lookupEvent(`${series}${place}`, index);
      const sentMs = performance.now();
      sent.push(
        post(url, body).then((status) => {
          if (place === 0) answers.killed += Number(status === 200);
          else {
            waits.push(performance.now() - sentMs);
            if (status === 200) answers.others += 1;
            else answers.refused += 1;
          }
        }),
      );
    }
  }
  await Promise.all(sent);
  waits.sort((a, b) => a - b);
  return {
    killedAnswered200: answers.killed,
    othersAnswered200: answers.others,
    othersRefused: answers.refused,
    othersP50Ms: Math.round(10 * quantile(waits, 0.5)) / 10,
    othersP99Ms: Math.round(10 * quantile(waits, 0.99)) / 10,
  };
}

// ---------------------------------------------------------------- one moves

/** Where the deliveries go now, and what became of them. */
interface Sending {
  url: string;
  done: number;
  again: number;
}

async function sendAll(sending: Sending, count: number): Promise<void> {
  let next = 0;
  const sendNext = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const body = lookupEvent('moved', index);
      while ((await post(sending.url, body)) !== 200) {
        sending.again += 1;
        await passing(AGAIN_MS);
      }
      sending.done += 1;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sendNext));
}

/** Runs the command; with a word, kills it with SIGKILL as soon as it says so. */
async function runMove(
  args: readonly string[],
  databaseUrl: string,
  killAt?: string,
): Promise<string> {
  const main = new URL('../../src/people/cli/main.ts', import.meta.url).pathname;
  const flags = [
    '--conditions=forestall-source',
    main,
    'organisations',
    'move',
    BENCH_ORGANISATION,
  ];
  const child = spawn(process.execPath, [...flags, ...args], {
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const hear = (chunk: Buffer): void => {
    said += chunk.toString();
    if (killAt !== undefined && said.includes(killAt)) child.kill('SIGKILL');
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const [code, signal] = await once(child, 'close');
  if (killAt === undefined && code !== 0) throw new Error(said);
  if (killAt !== undefined && signal !== 'SIGKILL')
    throw new Error(`not killed at ${killAt}: ${said}`);
  return said;
}

async function moved(count: number): Promise<void> {
  const [here, there] = await Promise.all([startServer(), startServer()]);
  const sandbox = await createSandbox({
    organisationId: BENCH_ORGANISATION,
    processorSecret: PROCESSOR_SECRET,
  });
  const { accounts } = sandbox;
  const order = (connectionString: string): CellOrder => ({
    connectionString,
    organisationId: BENCH_ORGANISATION,
    webhookSecrets: [BENCH_SECRET, accounts.webhookSecret],
    serviceUrl: sandbox.url,
    apiKey: accounts.organisationKey,
    processor: { baseUrl: sandbox.processorUrl, secret: PROCESSOR_SECRET },
  });
  const source = await startCell(order(here.connectionString));
  const sending: Sending = { url: source.url, done: 0, again: 0 };
  const startedMs = performance.now();
  const sent = sendAll(sending, count);
  const charges = raiseAlerts(sandbox, source.url);
  while (sending.done < count / 5) await passing(100);
  const closedFrom = performance.now();
  const to = ['--to', there.connectionString];
  for (const word of ['Copying', 'Round 1', 'Closing', 'Compared']) {
    await runMove(to, here.connectionString, word);
    console.error(`killed at "${word}" after ${sending.done} deliveries`);
  }
  const said = await runMove(to, here.connectionString);
  console.error(said);
  const target = await startCell(order(there.connectionString));
  await runMove([...to, '--forward-to', target.url], here.connectionString);
  const switchedAfter = sending.done;
  const movedSeconds = (performance.now() - closedFrom) / 1_000;
  sandbox.pointWebhooksAt(target.url);
  while (sending.done < Math.min(count, switchedAfter + count / 5)) await passing(100);
  const forwarded = sending.done - switchedAfter;
  sending.url = target.url;
  await sent;
  const seconds = (performance.now() - startedMs) / 1_000;
  const found = await judge({ there, sandbox, charges: await charges });
  await runMove([...to, '--forget'], here.connectionString);
  const left = await countLeft(here);
  console.log(
    JSON.stringify(
      {
        deliveries: count,
        seconds,
        movedSeconds,
        refusedAndSentAgain: sending.again,
        forwarded,
        ...found,
        left,
      },
      null,
      2,
    ),
  );
  source.child.kill();
  target.child.kill();
  await sandbox.close();
  await here.stop();
  await there.stop();
}

async function raiseAlerts(sandbox: Sandbox, url: string): Promise<readonly string[]> {
  sandbox.pointWebhooksAt(url);
  const charges: string[] = [];
  for (let index = 0; index < ALERTS; index++) {
    const { charge } = makeSale({ product: PRODUCTS.font }, sandbox.clock.nowMs());
    sandbox.createCharge(charge);
    sandbox.createAlertFor(charge.reference);
    charges.push(charge.reference);
    await passing(500);
  }
  return charges;
}

/** Waits until everything is done at the target, and counts. */
async function judge({
  there,
  sandbox,
  charges,
}: {
  readonly there: EmbeddedPostgres;
  readonly sandbox: Sandbox;
  readonly charges: readonly string[];
}): Promise<Record<string, unknown>> {
  const client = new pg.Client(there.connectionString);
  await client.connect();
  const counts = async (): Promise<Record<string, number>> => {
    const { rows } = await client.query(
      `select (select count(*) from inbox_work where organisation_id = $1)::int as undone,
         (select count(*) from alert_case where organisation_id = $1 and is_open)::int as open,
         (select count(*) from alert_case where organisation_id = $1)::int as cases,
         (select count(*) from inbox_id where organisation_id = $1)::int as stored,
         (select count(*) from inbox_event where organisation_id = $1)::int as bodies,
         (select count(*) from lookup where organisation_id = $1 and id like '%moved%')::int as lookups,
         (select count(*) from movement where organisation_id = $1 and state = 'CONFIRMED')::int as refunds`,
      [BENCH_ORGANISATION],
    );
    return rows[0] as Record<string, number>;
  };
  const refunds = (): number[] => charges.map((charge) => sandbox.moneyOut(charge).count);
  for (let times = 0; times < 600; times++) {
    const { undone, open } = await counts();
    if (undone === 0 && open === 0 && refunds().every((count) => count > 0)) break;
    await passing(500);
  }
  const found = await counts();
  await client.end();
  return {
    ...found,
    alerts: charges.length,
    refundedOnce: refunds().filter((count) => count === 1).length,
    refundedTwice: refunds().filter((count) => count > 1).length,
  };
}

async function countLeft(here: EmbeddedPostgres): Promise<number> {
  const client = new pg.Client(here.connectionString);
  await client.connect();
  const { rows } = await client.query<{ left: number }>(
    `select ((select count(*) from inbox_id where organisation_id = $1) + (select count(*) from alert_case where organisation_id = $1)
       + (select count(*) from movement where organisation_id = $1))::int as left`,
    [BENCH_ORGANISATION],
  );
  await client.end();
  return rows[0]?.left ?? -1;
}

// ---------------------------------------------------------------- many rows

/** A quarter each: raw events with their ids, the audit log, charges. */
async function fill(server: EmbeddedPostgres, rows: number): Promise<void> {
  const client = new pg.Client(server.connectionString);
  await client.connect();
  const quarter = Math.ceil(rows / 4);
  for (const statement of [
    `insert into inbox_id select 'evt_' || md5(n::text), $1, sha256(n::text::bytea), now() - n * interval '1 second', n
     from generate_series(1, $2::int) n`,
    `insert into inbox_event (seq, received_at, organisation_id, event_id, secret_id, signed_at, body)
     select seq, received_at, organisation_id, event_id, 'one', received_at, convert_to(repeat(md5(seq::text), 45), 'UTF8')
     from inbox_id where organisation_id = $1 and seq <= $2`,
    `insert into audit (organisation_id, at, subject, subject_id, alert_id, actor, what, detail)
     select $1, now() - n * interval '1 second', 'case', 'netalrt_' || n / 8, 'netalrt_' || n / 8, 'worker', 'decided',
       jsonb_build_object('rule', 'small amounts', 'amount', n)
     from generate_series(1, $2::int) n`,
    `insert into charge (organisation_id, reference, order_reference, source, amount_minor, currency, authorised_at, known_at,
       card_bin, card_last4, card_brand, descriptor)
     select $1, 'ch_' || md5(n::text), 'order-' || n, 'order', n, 'EUR', now(), now(), '411111', lpad((n % 10000)::text, 4, '0'), 'visa', 'SHOP'
     from generate_series(1, $2::int) n`,
  ]) {
    await client.query(statement, [BENCH_ORGANISATION, quarter]);
  }
  await client.query('analyze');
  await client.end();
}

async function size(rows: number): Promise<void> {
  const [here, there] = await Promise.all([startServer(), startServer()]);
  try {
    await fill(here, rows);
    const to = ['--to', there.connectionString, '--json'];
    const preview = JSON.parse(await runMove([...to, '--dry-run'], here.connectionString));
    const startedMs = performance.now();
    const moved = JSON.parse(await runMove(to, here.connectionString));
    const seconds = (performance.now() - startedMs) / 1_000;
    const { copySeconds, closedSeconds } = preview;
    const estimated = { copySeconds, closedSeconds };
    console.log(
      JSON.stringify({ rows, estimated, seconds, closedSeconds: moved.closedMs / 1_000 }, null, 2),
    );
  } finally {
    await here.stop();
    await there.stop();
  }
}

const RUNS = {
  killed,
  moved: () => moved(Number(values.deliveries)),
  size: () => size(Number(values.rows)),
};
for (const [name, run] of Object.entries(RUNS)) {
  if (values.only === undefined || values.only === name) await run();
}
