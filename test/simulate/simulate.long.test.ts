/**
 * Guarantee: whatever goes wrong, in whatever order, our real code keeps every promise about money and
 * deadlines; a seed repeats its run exactly; and a bug that breaks a promise is found.
 */
import { promisify } from 'node:util';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { childEnv } from '../support/child-env.ts';
import { execFile } from '../support/child-process.ts';
import { createTestDatabase } from '../support/database.ts';
import { openSimulationDatabase } from './cell-database.ts';
import type { Find } from './planted.ts';
import { CALM, PLANTS } from './plants.ts';
import type { RunOptions } from './prepare-run.ts';
import type { RunReport } from './run.ts';
import { simulateRun } from './run.ts';
import { planCells, simulatedPolicy, trailHash } from './simulate.ts';

/** Short runs of the further test: `npm run simulate` is for many. Their sums are of these seeds or more. */
const RUNS = Number(process.env['FORESTALL_TEST_SIMULATIONS'] ?? 15);
const FIRST_SEED = 41;
/** Of an organisation alone, and of three that share everything, which every third run is of. */
const ALONE = { alerts: 2, organisations: 1 };
const TOGETHER = { alerts: 3, organisations: 3 };
const policy = simulatedPolicy();

/** Runs one after the other on a database of their own. */
async function runEach(
  runs: readonly Pick<RunOptions, 'seed' | 'alerts' | 'organisations' | 'wishes'>[],
): Promise<RunReport[]> {
  const own = await createTestDatabase();
  const database = await openSimulationDatabase(own.connectionString);
  try {
    const reports: RunReport[] = [];
    for (const run of runs) reports.push(await simulateRun({ ...run, policy, database }));
    return reports;
  } finally {
    await database.close();
    await own.drop();
  }
}

afterEach(() => void vi.restoreAllMocks());

const sumOf = (reports: readonly RunReport[], of: (report: RunReport) => number): number =>
  reports.reduce((total, report) => total + of(report), 0);

/** Runs the command on the suite's server. */
async function command(database: string, ...args: string[]): Promise<unknown> {
  const main = new URL('./main.ts', import.meta.url).pathname;
  const given = [main, ...args, '--json', '--database', database];
  const { stdout } = await promisify(execFile)(process.execPath, given, { env: childEnv() });
  return JSON.parse(stdout);
}

describe('the simulation', () => {
  it('in cells runs a seed the same way again, whoever runs which cell and whatever ran before it', async () => {
    const plan = { seed: 20, alerts: 6, perRun: 3, replicas: 2, organisations: 2 };
    const args = [
      ...['--seed', '20', '--alerts', '6', '--per-run', '3'],
      ...['--processes', '2', '--organisations', '2'],
    ];
    const whole = await command(inject('postgresUrl'), ...args);
    // One process, the other way round, on one database that the first has filled.
    const [second, first] = await runEach(planCells(plan).toReversed());
    const digests = [first, second].map((report) => report?.digest ?? '');
    expect(whole).toMatchObject({ runs: 2, failures: [], trail: trailHash(digests) });
    expect(new Set(digests).size).toBe(2);
  });

  it('runs a seed the same way where the machine takes a while for everything', async () => {
    const run = { seed: 20, alerts: 3, organisations: 2 };
    const [quick] = await runEach([run]);
    const real = performance.now.bind(performance);
    let leapsMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      leapsMs += 5;
      return real() + leapsMs;
    });
    const [slow] = await runEach([run]);
    expect(slow?.digest).toBe(quick?.digest);
  });

  it('brings an organisation among others to what it comes to alone, where nothing fails', async () => {
    const run = { seed: 6, alerts: 4, wishes: CALM };
    // The first of them has the same id as the one alone: each run has a database of its own.
    const [alone] = await runEach([run]);
    const [together] = await runEach([{ ...run, organisations: 3 }]);
    // Prices differ by a cent or two, so that sums do.
    const outcomes = (report: RunReport | undefined) =>
      report?.balances.map(({ refundedMinor: _sum, ...rest }) => rest);
    const [only] = outcomes(alone) ?? [];
    expect(only?.refunds).toBeGreaterThan(1);
    expect(outcomes(together)).toEqual([only, only, only]);
  });

  // These two are side by side: the second runs in processes of its own.
  it.concurrent('keeps every promise over short seeds, and organisations never meet', async () => {
    const runs = Array.from({ length: RUNS }, (_, place) => ({
      seed: FIRST_SEED + place,
      ...(place % 3 === 2 ? TOGETHER : ALONE),
    }));
    const reports = await runEach(runs);
    const sum = (of: (report: RunReport) => number): number => sumOf(reports, of);
    // The seeds were not all fair weather, and money did move.
    expect(sum((report) => report.alerts)).toBeGreaterThanOrEqual(60);
    expect(sum((report) => report.kills)).toBeGreaterThan(20);
    expect(sum((report) => report.stops)).toBeGreaterThan(10);
    expect(sum((report) => Object.keys(report.faults).length)).toBeGreaterThan(50);
    expect(sum((report) => report.balance.refunds)).toBeGreaterThan(30);
    expect(new Set(reports.map((report) => report.weather.adapter)).size).toBeGreaterThan(4);
    // Where there were three, they had the same names.
    const together = reports.filter(({ inCommon }) => inCommon !== undefined);
    expect(together).toHaveLength(Math.floor(RUNS / 3));
    for (const name of ['charges', 'orders', 'alerts', 'events'] as const) {
      expect(sumOf(together, ({ inCommon }) => inCommon?.[name] ?? 0)).toBeGreaterThan(10);
    }
  }, 600_000);

  it.concurrent('finds a planted bug, whichever it is', async ({ onTestFinished }) => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const { finds } = (await command(
      database.connectionString,
      ...['--planted', 'all', '--seeds', '40'],
    )) as { finds: Find[] };
    expect(finds.filter(({ found }) => !found)).toEqual([]);
    expect(finds.map(({ plant }) => plant)).toEqual(Object.keys(PLANTS));
    for (const { plant, rule } of finds) expect(PLANTS[plant].breaks).toContain(rule);
  }, 600_000);
});
