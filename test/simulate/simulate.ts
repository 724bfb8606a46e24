/**
 * Many runs one after the other, and what they add up to.
 */
import type pg from 'pg';
import { openDatabase } from '../../src/db/connect.ts';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { createLog } from '../../src/kernel/log.ts';
import type { PolicySource } from '../../src/roles/policy-source.ts';
import { openPolicy } from '../../src/roles/policy-source.ts';
import { IDENTITY_BRAND_TOKENS } from '../../src/wire/brand-tokens.ts';
import type { RunReport } from './run.ts';
import { simulateRun } from './run.ts';
import { seedOf } from './simulated-time.ts';

/** What many runs added up to. */
export interface Totals {
  runs: number;
  alerts: number;
  steps: number;
  kills: number;
  stops: number;
  faults: number;
  refunds: number;
  refundedMinor: number;
  /** Alerts whose books differ, each of them told to a person. */
  listed: number;
  /** Alerts that were closed before we heard of them. */
  unheard: number;
  simulatedHours: number;
  /** Cases by their last state. */
  cases: Record<string, number>;
}

export function createTotals(): Totals {
  return {
    runs: 0,
    alerts: 0,
    steps: 0,
    kills: 0,
    stops: 0,
    faults: 0,
    refunds: 0,
    refundedMinor: 0,
    listed: 0,
    unheard: 0,
    simulatedHours: 0,
    cases: {},
  };
}

/** Adds a run's report. */
export function addRun(totals: Totals, report: RunReport): void {
  const { balance } = report;
  totals.runs += 1;
  totals.alerts += report.alerts;
  totals.steps += report.steps;
  totals.kills += report.kills;
  totals.stops += report.stops;
  totals.faults += Object.values(report.faults).reduce((sum, count) => sum + count, 0);
  totals.refunds += balance.refunds;
  totals.refundedMinor += balance.refundedMinor;
  totals.listed += balance.listed;
  totals.unheard += balance.unheard;
  totals.simulatedHours += report.simulatedHours;
  for (const [state, count] of Object.entries(balance.cases)) {
    totals.cases[state] = (totals.cases[state] ?? 0) + count;
  }
}

/** Adds another process' totals. */
export function addTotals(totals: Totals, other: Totals): void {
  const { cases, ...counts } = other;
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) totals[name] += counts[name];
  for (const [state, count] of Object.entries(cases)) {
    totals.cases[state] = (totals.cases[state] ?? 0) + count;
  }
}

/** The demonstration policy: it refunds, accepts, asks a person, and has fallbacks. */
export function simulatedPolicy(): PolicySource {
  const log = createLog({ level: 'silent' });
  return openPolicy({ path: undefined, demonstration: true, brands: IDENTITY_BRAND_TOKENS, log });
}

/** A connection for simulations. */
export interface SimulationDatabase {
  readonly raw: pg.PoolClient;
  close(): Promise<void>;
}

/** Opens it, and migrates the database if need be. */
export async function openSimulationDatabase(
  connectionString: string,
): Promise<SimulationDatabase> {
  const log = createLog({ level: 'silent' });
  const { db, pool, close } = openDatabase({ connectionString, log, maxConnections: 2 });
  await migrateToLatest(db);
  const raw = await pool.connect();
  return {
    raw,
    async close(): Promise<void> {
      raw.release();
      await close();
    },
  };
}

/** Which runs of a seed one process does. */
export interface Share {
  readonly seed: number;
  readonly alerts: number;
  /** Stories of one run. */
  readonly perRun: number;
  readonly replicas: number;
  /** This process does every `of`-th run, from `index` on. */
  readonly index: number;
  readonly of: number;
}

/** The seed of the given run: the first is the seed itself, so that a failing run can be repeated alone. */
export function runSeed(seed: number, index: number): number {
  return index === 0 ? seed : seedOf(seed, `run ${index}`);
}

/** Does a share. @throws BrokenRun at the first violation */
export async function simulateShare(
  raw: pg.PoolClient,
  share: Share,
  onRun: (report: RunReport) => void = () => undefined,
): Promise<Totals> {
  const totals = createTotals();
  const policy = simulatedPolicy();
  const runs = Math.ceil(share.alerts / share.perRun);
  for (let index = share.index; index < runs; index += share.of) {
    const alerts = Math.min(share.perRun, share.alerts - index * share.perRun);
    const { replicas } = share;
    const seed = runSeed(share.seed, index);
    const report = await simulateRun({ seed, alerts, replicas, policy, raw });
    addRun(totals, report);
    onRun(report);
  }
  return totals;
}
