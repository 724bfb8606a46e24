/**
 * What an installation of many organisations costs at rest: how long it takes to start, what it asks of the
 * database, and how much memory it takes. `node test/bench/organisations.ts 1000`
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import pg from 'pg';
import type { Database } from '../../src/base/db/database.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { sourceOfUrl } from '../../src/base/db/source.ts';
import { migrateBoss } from '../../src/base/jobs/boss.ts';
import { optionsOf, withBoss } from '../../src/base/jobs/job.store.ts';
import { NIGHT_QUEUE } from '../../src/base/jobs/queues.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { openInstallation } from '../../src/running/installation/installation-watcher.ts';
import {
  eachStart,
  openRunningOrganisations,
  serveOrganisation,
  workForOrganisation,
} from '../../src/running/roles/installation-roles.ts';
import { openShared } from '../../src/running/roles/parts.ts';
import { createInstallationServeRole } from '../../src/running/roles/serve-installation.ts';
import { startWorkers } from '../../src/running/roles/workers.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';

/** What is promised for 1,000 organisations on two cores. */
export const PROMISED = { startMs: 10_000, statementsPerSecond: 10, memoryMb: 1_024 };

/** Nights of which the cost of one is taken, and the time in which those of all begin. */
const NIGHTS = 40;
const NIGHT_SECONDS = 6 * 3_600;

/** What was measured. */
export interface Measured {
  readonly organisations: number;
  readonly startMs: number;
  /** Processor time of this process for that: on a busy machine it says more. */
  readonly startCpuMs: number;
  /** Until every organisation had been asked about, and nothing was left of the start. */
  readonly statementsPerSecond: number;
  readonly memoryMb: number;
  readonly statementsPerNight: number;
  /** At rest, and while the nights of all of them come within six hours. */
  readonly statementsPerSecondAtNight: number;
  /** How often each text was asked in the nights that were done. */
  readonly byTextAtNight: ReadonlyMap<string, number>;
  /** How often each text was asked while it rested. */
  readonly byText: ReadonlyMap<string, number>;
}

/** How long it is looked at, in milliseconds. */
export interface Windows {
  readonly settleMs: number;
  readonly restMs: number;
}

/** Starts an installation on an empty, migrated database, and looks at it while nothing happens. */
export async function measureOrganisations(
  connectionString: string,
  count: number,
  { settleMs, restMs }: Windows,
): Promise<Measured> {
  const sandbox = await createSandbox();
  const folder = await mkdtemp(join(tmpdir(), 'forestall-many-'));
  const file = await writeInstallation(folder, sandbox, count);
  const log = createLog({ level: 'silent' });
  const source = sourceOfUrl(connectionString);
  await migrateBoss(source.jobs, log);
  const startedMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const keeper = openInstallation(file, { env: { SECRET: 'processor-secret-of-all' }, log });
  const shared = await openShared(source, log);
  const health = (): Promise<never> => Promise.reject(new Error('nobody asks'));
  const serve = createInstallationServeRole(shared, {
    tls: undefined,
    health,
    isListed: keeper.isListed,
  });
  const workers = await startWorkers({ ...shared, jobs: source.jobs, count: () => count });
  const runningOrganisations = await openRunningOrganisations(
    { shared, keeper, database: source },
    eachStart([
      serveOrganisation(serve),
      workForOrganisation(workers, { organisations: () => [] }),
    ]),
  );
  const startMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  try {
    const [problem] = runningOrganisations.problems().values();
    if (runningOrganisations.running() !== count) throw new Error(`not all started: ${problem}`);
    await sleep(settleMs);
    const byText = await countStatements(() => sleep(restMs));
    const statementsPerSecond = sumOf(byText) / (restMs / 1_000);
    const memoryMb = process.memoryUsage.rss() / 1024 / 1024;
    const nights = Math.min(count, NIGHTS);
    const beganMs = performance.now();
    const byTextAtNight = await countStatements(() => doNights(shared.database.db, nights));
    const besides = (statementsPerSecond * (performance.now() - beganMs)) / 1_000;
    const statementsPerNight = Math.max(0, sumOf(byTextAtNight) - besides) / nights;
    return {
      organisations: count,
      startMs,
      startCpuMs: (user + system) / 1_000,
      statementsPerSecond,
      memoryMb,
      statementsPerNight,
      statementsPerSecondAtNight:
        statementsPerSecond + (statementsPerNight * count) / NIGHT_SECONDS,
      byText,
      byTextAtNight,
    };
  } finally {
    await runningOrganisations.stop();
    await workers.stop();
    await serve.close();
    await shared.close();
    await sandbox.close();
    await rm(folder, { recursive: true });
  }
}

function sumOf(byText: ReadonlyMap<string, number>): number {
  return [...byText.values()].reduce((sum, times) => sum + times, 0);
}

/** Has the nights of the first organisations done now, and waits for their end. */
async function doNights(db: Kysely<Database>, nights: number): Promise<void> {
  await withBoss(db, async ({ boss }) => {
    for (let number = 1; number <= nights; number++) {
      const data = { organisationId: idOf(number), id: 'night' };
      await boss.send(NIGHT_QUEUE.name, data, optionsOf(data));
    }
  });
  for (let left = nights; left > 0; await sleep(500)) {
    const { rows } = await sql<{ left: number }>`
      select count(*)::int as left from forestall_jobs.job where name = ${NIGHT_QUEUE.name} and state < 'completed'`.execute(
      db,
    );
    left = rows[0]?.left ?? 0;
  }
}

const idOf = (number: number): string => `org_${String(number).padStart(26, '0')}`;

/** As many organisations of one sandbox, each with its own key. */
async function writeInstallation(folder: string, sandbox: Sandbox, count: number): Promise<string> {
  const entries: string[] = [];
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(sandbox.url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  for (let number = 1; number <= count; number++) {
    const id = idOf(number);
    const token = `key-of-organisation-${number}`;
    await post('/sandbox/organisations', { id, name: `Brand ${number}` });
    await post('/sandbox/keys', { organisation_id: id, token });
    await writeFile(join(folder, `${number}.key`), token);
    await writeFile(join(folder, `${number}.secret`), `whsec_of-organisation-${number}`);
    entries.push(
      `  - {id: ${id}, name: Brand ${number}, api_key: {file: ${number}.key}, webhook_secrets: [{file: ${number}.secret}]}`,
    );
  }
  const head = [
    'version: 1',
    `defaults: {service_url: '${sandbox.url}', processor: '${sandbox.processorUrl}/', processor_secret: {env: SECRET}}`,
    'organisations:',
  ];
  const file = join(folder, 'installation.yaml');
  await writeFile(file, [...head, ...entries, ''].join('\n'));
  return file;
}

/** What this process asks meanwhile, over whichever connection. */
async function countStatements(work: () => Promise<void>): Promise<Map<string, number>> {
  const byText = new Map<string, number>();
  const prototype: { query: (...args: unknown[]) => unknown } = Object.create(null);
  const query = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown;
  prototype.query = function (this: unknown, ...args: unknown[]): unknown {
    const [first] = args;
    const text =
      typeof first === 'object' && first !== null && 'text' in first ? first.text : first;
    const short = String(text).replaceAll(/\s+/g, ' ').trim();
    byText.set(short, (byText.get(short) ?? 0) + 1);
    return query.apply(this, args);
  };
  Reflect.set(pg.Client.prototype, 'query', prototype.query);
  try {
    await work();
  } finally {
    Reflect.set(pg.Client.prototype, 'query', query);
  }
  return byText;
}

async function main(count: number): Promise<void> {
  const server = await startEmbeddedPostgres({ temporary: true, volatile: true });
  try {
    const migration = sourceOfUrl(server.connectionString).migration.open(
      createLog({ level: 'silent' }),
    );
    await migrateToLatest(migration.db);
    await migration.close();
    const windows = { settleMs: 20_000, restMs: 60_000 };
    const { byText, byTextAtNight, ...measured } = await measureOrganisations(
      server.connectionString,
      count,
      windows,
    );
    console.log(JSON.stringify({ ...measured, promised: PROMISED }, null, 2));
    for (const texts of [byText, byTextAtNight]) {
      const most = [...texts].sort((a, b) => b[1] - a[1]).slice(0, 60);
      for (const [text, times] of most) console.log(String(times).padStart(6), text.slice(0, 150));
      console.log();
    }
    const isKept =
      measured.startMs <= PROMISED.startMs &&
      measured.statementsPerSecondAtNight <= PROMISED.statementsPerSecond &&
      measured.memoryMb <= PROMISED.memoryMb;
    if (!isKept) process.exitCode = 1;
  } finally {
    await server.stop();
  }
}

if (import.meta.main) await main(Number(process.argv[2] ?? 1_000));
