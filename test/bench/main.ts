/**
 * `npm run bench`: how much receiving and applying cost, as ratios within one run, so that they mean
 * the same on every machine.
 *
 * Options: `--quick` (one short round), `--full` (5,000,000 stored events), `--json`.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ensureInboxPartitions } from '../../src/alerts/receive/inbox.store.ts';
import type { Inbox } from '../../src/alerts/receive/inbox.ts';
import {
  createInbox,
  INBOX_CONNECTIONS,
  INBOX_STATEMENT_TIMEOUT_MS,
} from '../../src/alerts/receive/inbox.ts';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { systemClock } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { keepAwake } from './awake.ts';
import type { CostBook } from './costs.ts';
import { openCostBook } from './costs.ts';
import { BENCH_ORGANISATION } from './events.ts';
import { fillInbox } from './fill.ts';
import { describeMachine, postmasterOf, readCpu } from './machine.ts';
import type { Bench } from './measure.ts';
import {
  drainAll,
  measureBoth,
  measureCeiling,
  measureDoor,
  measureDrain,
  measureFew,
  measureFresh,
  measureInserting,
  measureLoneWaits,
  measureStored,
} from './measure.ts';
import type { MeasuredRound } from './report.ts';
import { printOutcome, quietRounds } from './report.ts';
import { startLoad } from './servers.ts';
import type { Round } from './targets.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const USUAL = { rounds: 5, durationMs: 2_000, stored: 500_000, settleMs: 5_000 };
const QUICK = { rounds: 1, durationMs: 1_000, stored: 50_000, settleMs: 1_000 };
const FULL = { ...USUAL, stored: 5_000_000, settleMs: 20_000 };
const plan = { ...USUAL, ...(values.full && FULL), ...(values.quick && QUICK) };
const STORED_SMALL = 10_000;
const WARM_UP_ROUND_MS = 1_000;
/** A round that did not have the machine for itself is taken again, up to so many times as many in all. */
const ROUNDS_FACTOR_MAX = 3;

const log = createLog({ level: 'error' });

/** Shows where it is, on a terminal. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

interface Side {
  readonly url: string;
  readonly database: OpenDatabase;
  readonly plainPool: pg.Pool;
  readonly inbox: Inbox;
  close(): Promise<void>;
}

/** A migrated database of its own on the server, with its inbox. */
async function openSide(serverUrl: string, name: string): Promise<Side> {
  const server = openDatabase({ connectionString: serverUrl, log, maxConnections: 1 });
  await server.pool.query(`create database ${name}`);
  await server.close();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  // 10 connections, the driver's default; one INSERT per request gains nothing from more.
  const plainPool = new pg.Pool({ connectionString: url.href, max: 10 });
  const database = openDatabase({
    connectionString: url.href,
    log,
    // As an installation of one organisation opens its connections.
    organisation: BENCH_ORGANISATION,
    maxConnections: 10,
  });
  await migrateToLatest(database.db);
  await ensureInboxPartitions(database.db, new Date(systemClock.nowMs()));
  const ingest = openDatabase({
    connectionString: url.href,
    log,
    organisation: BENCH_ORGANISATION,
    maxConnections: INBOX_CONNECTIONS,
    statementTimeoutMs: INBOX_STATEMENT_TIMEOUT_MS,
  });
  const inbox = createInbox({
    database: ingest,
    clock: systemClock,
    log,
    organisationId: BENCH_ORGANISATION,
  });
  return {
    url: url.href,
    database,
    plainPool,
    inbox,
    async close(): Promise<void> {
      await inbox.close();
      await ingest.close();
      await plainPool.end();
      await database.close();
    },
  };
}

/**
 * As PostgreSQL's manual advises for much writing: with its defaults a checkpoint would begin every few
 * seconds, and every page would be logged whole again.
 */
async function spaceCheckpoints(serverUrl: string): Promise<void> {
  const server = openDatabase({ connectionString: serverUrl, log, maxConnections: 1 });
  await server.pool.query("alter system set max_wal_size = '8GB'");
  await server.pool.query("alter system set checkpoint_timeout = '30min'");
  await server.pool.query('select pg_reload_conf()');
  await server.close();
}

interface Benches {
  readonly main: Bench;
  readonly small: Bench;
  readonly large: Bench;
}

async function measureRound(benches: Benches): Promise<Round> {
  const say = (what: string): void => progress(`round ${benches.main.round}: ${what}`);
  say('ceiling');
  const ceiling = await measureCeiling(benches.main);
  const paced = (bench: Bench): Bench => ({ ...bench, eventsPerSecond: ceiling });
  const [main, small, large] = [benches.main, benches.small, benches.large].map(paced) as [
    Bench,
    Bench,
    Bench,
  ];
  say('ours without storing');
  const door = await measureDoor(main);
  say('ingest');
  const ingest = await measureFresh(main);
  say('drain');
  const drain = await measureDrain(main);
  say('one INSERT per request');
  const inserting = await measureInserting(main);
  say('received and applied');
  const both = await measureBoth(main);
  say('one connection');
  const { inserting: waitInserting, own: waitOwn } = await measureLoneWaits(main);
  say('few connections');
  const few = await measureFew(main);
  say('few and many stored');
  const { small: ingestSmall, large: ingestLarge } = await measureStored(small, large);
  await drainAll(main);
  return {
    ceiling,
    door,
    inserting,
    ingest,
    both,
    drain,
    waitInserting,
    waitOwn,
    insertingFew: few.inserting,
    ingestFew: few.own,
    committingFew: few.committing,
    ingestSmall,
    ingestLarge,
  };
}

const server = await startEmbeddedPostgres({ temporary: true });
const load = startLoad();
const keepers = await keepAwake();
try {
  await spaceCheckpoints(server.connectionString);
  const sides: Side[] = [];
  for (const name of ['bench_main', 'bench_small', 'bench_large']) {
    sides.push(await openSide(server.connectionString, name));
  }
  const [main, small, large] = sides as [Side, Side, Side];
  await fillInbox(small.url, STORED_SMALL, () => undefined);
  await fillInbox(large.url, plan.stored, (done) =>
    progress(`storing events: ${Math.round((done / plan.stored) * 100)} %`),
  );
  const machine = await describeMachine(main.database);
  const postmaster = await postmasterOf(server.folder);
  const read = (): ReturnType<typeof readCpu> =>
    readCpu({ postmaster, load: load.pid, keepers: keepers.pids });
  const benchesOf = (number: number, durationMs: number): Benches & { costs: CostBook } => {
    const costs = openCostBook(read, machine.cores);
    const bench = ({ database, plainPool, inbox }: Side): Bench => ({
      load,
      database,
      plainPool,
      inbox,
      durationMs,
      eventsPerSecond: 20_000,
      round: `${number}x`,
      costs,
    });
    return { costs, main: bench(main), small: bench(small), large: bench(large) };
  };
  const runRound = async (number: number, durationMs: number): Promise<MeasuredRound> => {
    const benches = benchesOf(number, durationMs);
    return { round: await measureRound(benches), costs: benches.costs.costs };
  };
  // What is measured is the time between two checkpoints, not the first moment after one.
  progress('between checkpoints');
  const settling = benchesOf(-1, plan.settleMs);
  await measureStored(settling.small, settling.large);
  // Compilers need a round to get warm; what it measures is nobody's business.
  await runRound(0, WARM_UP_ROUND_MS);
  const measured: MeasuredRound[] = [];
  const roundsMax = plan.rounds * ROUNDS_FACTOR_MAX;
  while (quietRounds(measured).length < plan.rounds && measured.length < roundsMax) {
    measured.push(await runRound(measured.length + 1, plan.durationMs));
  }
  progress('');
  const { durationMs, stored: storedLarge } = plan;
  const keptAwake = keepers.pids.length > 0;
  const outcome = { machine, measured, storedLarge, durationMs, keptAwake };
  printOutcome(outcome, values.json);
  for (const side of sides) await side.close();
} finally {
  keepers.stop();
  load.stop();
  await server.stop();
}
