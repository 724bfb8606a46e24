/**
 * `npm run simulate -- --seed N --alerts M`: our real code against a world full of faults, on a moved
 * clock. The same seed gives the same run.
 *
 * Exit status 0: every promise held. 1: one was broken; the seed, the step and the alert's trail are
 * printed. 2: the options are wrong.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded.ts';
import { messageOf } from '../../src/kernel/errors.ts';
import type { Find } from './planted.ts';
import { findPlant } from './planted.ts';
import type { PlantName } from './plants.ts';
import { isPlantName, PLANTS } from './plants.ts';
import { BrokenRun } from './run.ts';
import type { Share, Totals } from './simulate.ts';
import { addTotals, createTotals, openSimulationDatabase, simulateShare } from './simulate.ts';

const USAGE = `npm run simulate -- [options]
  --seed N       of the first run (1)
  --alerts M     stories in all; some raise two alerts (1000)
  --replicas R   workers, and as many receivers (2)
  --per-run K    stories of one run (100)
  --processes P  runs at the same time (as many as there are cores)
  --planted NAME look for a planted bug, or for "all" of them
  --seeds S      seeds to look for a planted bug in (30)
  --database URL an empty database instead of an embedded server
  --json         machine-readable`;

interface Options {
  readonly seed: number;
  readonly alerts: number;
  readonly replicas: number;
  readonly perRun: number;
  readonly processes: number;
  readonly seeds: number;
  readonly json: boolean;
  readonly planted: string | undefined;
  readonly database: string | undefined;
  readonly share: Share | undefined;
}

function readOptions(): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      seed: text,
      alerts: text,
      replicas: text,
      'per-run': text,
      processes: text,
      planted: text,
      seeds: text,
      database: text,
      share: text,
      json: { type: 'boolean' },
    },
  });
  const count = (name: string, given: string | undefined, otherwise: number): number => {
    const value = given === undefined ? otherwise : Number(given);
    if (Number.isSafeInteger(value) && value >= 1) return value;
    throw new RangeError(`--${name} must be a whole number from 1 on.`);
  };
  return {
    seed: count('seed', values.seed, 1),
    alerts: count('alerts', values.alerts, 1_000),
    replicas: count('replicas', values.replicas, 2),
    perRun: count('per-run', values['per-run'], 100),
    processes: count('processes', values.processes, availableParallelism()),
    seeds: count('seeds', values.seeds, 30),
    json: values.json === true,
    planted: values.planted,
    database: values.database,
    share: values.share === undefined ? undefined : (JSON.parse(values.share) as Share),
  };
}

async function withDatabase(
  { database }: Options,
  work: (connectionString: string) => Promise<number>,
): Promise<number> {
  if (database !== undefined) return await work(database);
  const server = await startEmbeddedPostgres({ temporary: true, volatile: true });
  try {
    return await work(server.connectionString);
  } finally {
    await server.stop();
  }
}

/** A process of its own: one share of the runs, reported to the parent. */
async function runShare(connectionString: string, share: Share): Promise<number> {
  const database = await openSimulationDatabase(connectionString);
  try {
    process.send?.({ totals: await simulateShare(database.raw, share) });
    return 0;
  } catch (error) {
    process.send?.({ failure: describe(error) });
    return 1;
  }
}

function describe(error: unknown): string {
  if (!(error instanceof BrokenRun))
    return error instanceof Error ? (error.stack ?? '') : messageOf(error);
  return [error.message, ...error.trail.map((line) => `    ${line}`)].join('\n');
}

interface ChildMessage {
  readonly totals?: Totals;
  readonly failure?: string;
}

async function runChild(connectionString: string, share: Share): Promise<ChildMessage> {
  const args = ['--share', JSON.stringify(share), '--database', connectionString];
  const child = fork(new URL(import.meta.url).pathname, args);
  return await new Promise((resolve) => {
    let said: ChildMessage = { failure: 'A process of the simulation ended without a word.' };
    child.on('message', (message) => {
      said = message as ChildMessage;
    });
    child.on('exit', () => resolve(said));
  });
}

async function simulate(options: Options, connectionString: string): Promise<number> {
  const { seed, alerts, perRun, replicas } = options;
  const of = Math.min(options.processes, Math.ceil(alerts / perRun));
  // Migrated once, before anybody else looks at it.
  await (await openSimulationDatabase(connectionString)).close();
  const startedMs = performance.now();
  const ends = await Promise.all(
    Array.from({ length: of }, (_, index) =>
      runChild(connectionString, { seed, alerts, perRun, replicas, index, of }),
    ),
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  const totals = createTotals();
  const failures: string[] = [];
  for (const { totals: part, failure } of ends) {
    if (part !== undefined) addTotals(totals, part);
    if (failure !== undefined) failures.push(failure);
  }
  print(options, { seed, ...totals, seconds: Math.round(seconds), failures });
  return failures.length === 0 ? 0 : 1;
}

async function lookForPlants(options: Options, connectionString: string): Promise<number> {
  const names = Object.keys(PLANTS).filter(isPlantName);
  const wanted =
    options.planted === 'all' ? names : names.filter((name) => name === options.planted);
  if (wanted.length === 0)
    throw new RangeError(`--planted takes "all" or one of: ${names.join(', ')}.`);
  const database = await openSimulationDatabase(connectionString);
  const finds: Find[] = [];
  for (const plant of wanted) {
    finds.push(await findPlant(database.raw, plant, searchOf(options, plant)));
  }
  await database.close();
  print(options, { finds });
  return finds.every(({ found }) => found) ? 0 : 1;
}

function searchOf({ seed, seeds }: Options, plant: PlantName): Parameters<typeof findPlant>[2] {
  return { seed: seed * PLANTS[plant].seedFactor, seedsMax: seeds, alerts: PLANTS[plant].alerts };
}

function print({ json }: Options, result: Record<string, unknown>): void {
  const lines = Object.entries(result).map(([name, value]) =>
    typeof value === 'object' ? `${name}: ${JSON.stringify(value, null, 2)}` : `${name}: ${value}`,
  );
  process.stdout.write(`${json ? JSON.stringify(result) : lines.join('\n')}\n`);
}

async function main(): Promise<number> {
  const options = readOptions();
  const { share } = options;
  return await withDatabase(options, async (connectionString) => {
    if (share !== undefined) return await runShare(connectionString, share);
    return options.planted === undefined
      ? await simulate(options, connectionString)
      : await lookForPlants(options, connectionString);
  });
}

try {
  // Killed processes of ours leave timers behind: nothing waits for them.
  const status = await main();
  process.exit(status);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n\n${USAGE}\n`);
  process.exit(2);
}
