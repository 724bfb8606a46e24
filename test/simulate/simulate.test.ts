/**
 * Guarantee: whatever goes wrong, in whatever order, our real code keeps every promise about money and
 * deadlines; a seed repeats its run exactly; and a bug that breaks a promise is found.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';
import type { Find } from './planted.ts';
import { PLANTS } from './plants.ts';
import type { RunReport } from './run.ts';
import { simulateRun } from './run.ts';
import { openSimulationDatabase, simulatedPolicy } from './simulate.ts';

const SEEDS = 50;
const STORIES = 2;
const policy = simulatedPolicy();

/** Runs seeds one after the other on a database of their own. */
async function runSeeds(seeds: readonly number[], alerts: number): Promise<RunReport[]> {
  const own = await createTestDatabase();
  const { raw, close } = await openSimulationDatabase(own.connectionString);
  try {
    const reports: RunReport[] = [];
    for (const seed of seeds) reports.push(await simulateRun({ seed, alerts, policy, raw }));
    return reports;
  } finally {
    await close();
    await own.drop();
  }
}

describe('the simulation', () => {
  it('keeps every promise over 50 short seeds', async () => {
    const reports = await runSeeds(
      Array.from({ length: SEEDS }, (_, index) => index + 1),
      STORIES,
    );
    const sum = (of: (report: RunReport) => number): number =>
      reports.reduce((total, report) => total + of(report), 0);
    // The seeds were not all fair weather, and money did move.
    expect(sum((report) => report.alerts)).toBeGreaterThanOrEqual(SEEDS * STORIES);
    expect(sum((report) => report.kills)).toBeGreaterThan(3);
    expect(sum((report) => report.stops)).toBeGreaterThan(10);
    expect(sum((report) => Object.keys(report.faults).length)).toBeGreaterThan(50);
    expect(sum((report) => report.balance.refunds)).toBeGreaterThan(30);
    expect(new Set(reports.map((report) => report.weather.adapter)).size).toBeGreaterThan(4);
  }, 600_000);

  it('runs a seed the same way twice, and another one another way', async () => {
    const [first] = await runSeeds([7], 4);
    const [again, other] = await runSeeds([7, 8], 4);
    expect(again?.steps).toBe(first?.steps);
    expect(again?.digest).toBe(first?.digest);
    expect(other?.digest).not.toBe(first?.digest);
  });
});

describe('a planted bug', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('is found: each of the seven removals of the model', async () => {
    const main = new URL('./main.ts', import.meta.url).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, [
      main,
      ...['--planted', 'all', '--seeds', '40', '--json'],
      ...['--database', database.connectionString],
    ]);
    const { finds } = JSON.parse(stdout) as { finds: Find[] };
    expect(finds.filter(({ found }) => !found)).toEqual([]);
    expect(finds.map(({ plant }) => plant)).toEqual(Object.keys(PLANTS));
    for (const { plant, rule } of finds) expect(PLANTS[plant].breaks).toContain(rule);
  }, 600_000);
});
