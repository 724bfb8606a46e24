/**
 * `npm run simulate -- --seed N --alerts M`: our real code against a world full of faults, on a moved
 * clock. The same seed gives the same run.
 *
 * Exit status 0: every promise held. 1: one was broken; the seed, the step, the alert's trail and the
 * command that runs only that cell again are printed. 2: the options are wrong.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { messageOf } from '../../src/base/kernel/errors.ts';
import { postmasterOf, readCpu } from '../bench/machine.ts';
import { openSimulationDatabase } from './cell-database.ts';
import { runCells } from './cell-pool.ts';
import type { Find } from './planted.ts';
import { findPlant } from './planted.ts';
import type { PlantName } from './plants.ts';
import { isPlantName, PLANTS } from './plants.ts';
import type { Totals } from './simulate.ts';
import { planCells } from './simulate.ts';

const USAGE = `npm run simulate -- [options]
  --seed N       of the first run (1)
  --alerts M     stories in all; some raise two alerts (1000)
  --replicas R   workers, and as many receivers (2)
  --organisations O  in each cell; they share our processes, the database and every name (3)
  --per-run K    stories of one cell (500)
  --processes P  cells at the same time (as many as there are cores)
  --planted NAME look for a planted bug, or for "all" of them
  --seeds S      seeds to look for a planted bug in (30)
  --database URL a PostgreSQL to make databases on, instead of an embedded one; with --planted, an empty database
  --json         machine-readable`;

interface Options {
  readonly seed: number;
  readonly alerts: number;
  readonly replicas: number;
  readonly organisations: number;
  readonly perRun: number;
  readonly processes: number;
  readonly seeds: number;
  readonly json: boolean;
  readonly planted: string | undefined;
  readonly database: string | undefined;
}

function readOptions(): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      seed: text,
      alerts: text,
      replicas: text,
      organisations: text,
      'per-run': text,
      processes: text,
      planted: text,
      seeds: text,
      database: text,
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
    organisations: count('organisations', values.organisations, 3),
    perRun: count('per-run', values['per-run'], 500),
    processes: count('processes', values.processes, availableParallelism()),
    seeds: count('seeds', values.seeds, 30),
    json: values.json === true,
    planted: values.planted,
    database: values.database,
  };
}

async function withDatabase(
  { database }: Options,
  work: (connectionString: string, databaseCpuMs: () => Promise<number | null>) => Promise<number>,
): Promise<number> {
  if (database !== undefined) return await work(database, () => Promise.resolve(null));
  const server = await startEmbeddedPostgres({ temporary: true, volatile: true, socket: true });
  try {
    const postmaster = await postmasterOf(server.folder);
    const databaseCpuMs = async (): Promise<number | null> => {
      const used = await readCpu({ postmaster });
      return used === undefined ? null : used.postgres * 1_000;
    };
    return await work(server.connectionString, databaseCpuMs);
  } finally {
    await server.stop();
  }
}

/** A line after each cell: how far, how fast, how long still. */
function progressOf(options: Options, startedMs: number): (done: Totals) => void {
  const cells = Math.ceil(options.alerts / options.perRun);
  return ({ runs, alerts }) => {
    const seconds = (performance.now() - startedMs) / 1_000;
    const left = Math.round((seconds / runs) * (cells - runs));
    const rate = (alerts / seconds).toFixed(1);
    process.stderr.write(
      `cell ${runs} of ${cells}: ${alerts} alerts, ${rate} per second, about ${left} s left\n`,
    );
  };
}

/** Per alert: of our processes, with the sandbox and the oracle in them, and of the embedded database; null: not known. */
function cpuOf(ms: number | null, { alerts }: Totals): number | null {
  return ms === null ? null : Number((ms / Math.max(1, alerts)).toFixed(1));
}

async function simulate(
  options: Options,
  serverUrl: string,
  databaseCpuMs: () => Promise<number | null>,
): Promise<number> {
  const { seed, processes } = options;
  const databaseBeforeMs = await databaseCpuMs();
  const startedMs = performance.now();
  const { totals, trail, memoryMbMax, cpuMs, failures } = await runCells(planCells(options), {
    serverUrl,
    processes,
    onProgress: progressOf(options, startedMs),
  });
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  const perSecond = Number((totals.alerts / Math.max(1, seconds)).toFixed(1));
  const databaseMs = await databaseCpuMs();
  const usedMs = databaseMs === null ? null : databaseMs - (databaseBeforeMs ?? 0);
  const cpuMsPerAlert = { processes: cpuOf(cpuMs, totals), database: cpuOf(usedMs, totals) };
  const result = { seed, ...totals, trail, seconds, perSecond, cpuMsPerAlert, memoryMbMax };
  print(options, options.json ? { ...result, failures } : result);
  // A trail of many lines is read by a person as it stands.
  if (!options.json) for (const failure of failures) process.stdout.write(`${failure}\n`);
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
    finds.push(await findPlant(database, plant, searchOf(options, plant)));
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
  return await withDatabase(options, async (connectionString, databaseCpuMs) =>
    options.planted === undefined
      ? await simulate(options, connectionString, databaseCpuMs)
      : await lookForPlants(options, connectionString),
  );
}

try {
  // Killed processes of ours leave timers behind: nothing waits for them.
  const status = await main();
  process.exit(status);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n\n${USAGE}\n`);
  process.exit(2);
}
