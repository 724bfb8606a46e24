/**
 * A simulation in cells: how many runs of a few hundred stories one seed names, and what they add up to.
 *
 * Cells know nothing of each other: each has its own seed, drawn from the simulation's, its own database
 * and its own clock. So any number of processes may share them out, and any cell can be run again alone.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadPolicy } from '../../src/policy/load.ts';
import type { PolicySource } from '../../src/policy/policy-watcher.ts';
import { IDENTITY_BRAND_TOKENS } from '../../src/service/wire/brand-tokens.ts';
import type { RunReport } from './run.ts';
import { seedOf } from './simulated-time.ts';

/** One run of a simulation. */
export interface Cell {
  readonly index: number;
  readonly seed: number;
  /** Stories of each organisation; some raise two alerts. */
  readonly alerts: number;
  /** Workers, and as many receivers. */
  readonly replicas: number;
  readonly organisations: number;
}

/** What is to be simulated. */
export interface SimulationPlan {
  readonly seed: number;
  /** Stories in all. */
  readonly alerts: number;
  /** Stories of one cell. */
  readonly perRun: number;
  readonly replicas: number;
  /** In each cell. @default 1 */
  readonly organisations?: number;
}

/**
 * The cells of a simulation. The first has its seed, so that a cell run alone is the same cell. The organisations of a
 * cell have its stories among them, in equal parts.
 */
export function planCells(plan: SimulationPlan): readonly Cell[] {
  const { seed, alerts, perRun, replicas, organisations = 1 } = plan;
  return Array.from({ length: Math.ceil(alerts / perRun) }, (_, index) => ({
    index,
    seed: index === 0 ? seed : seedOf(seed, `run ${index}`),
    alerts: Math.ceil(Math.min(perRun, alerts - index * perRun) / organisations),
    replicas,
    organisations,
  }));
}

/** The command that runs this cell and nothing else. */
export function rerunCommand({ seed, alerts, replicas, organisations }: Cell): string {
  const stories = alerts * organisations;
  return `npm run simulate -- --seed ${seed} --alerts ${stories} --per-run ${stories} --replicas ${replicas} --organisations ${organisations}`;
}

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
  /** Names that organisations of a cell had in common, nothing of which crossed. */
  inCommon: Record<string, number>;
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
    inCommon: {},
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
  addCounts(totals.inCommon, report.inCommon ?? {});
  addCounts(totals.cases, balance.cases);
}

function addCounts(totals: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) totals[name] = (totals[name] ?? 0) + count;
}

/** One digest of a whole simulation, from its cells' in their order: the same seed gives the same. */
export function trailHash(digests: readonly string[]): string {
  return createHash('sha256').update(digests.join('\n')).digest('hex').slice(0, 16);
}

const DEMONSTRATION = new URL('../../templates/policies/demonstration.yaml', import.meta.url);

/**
 * The demonstration policy: it refunds, accepts, asks a person, and has fallbacks. It refunds what the
 * alert is about, so that complaints about parts of a charge move money side by side.
 */
export function simulatedPolicy(): PolicySource {
  const text = readFileSync(DEMONSTRATION, 'utf8').replaceAll(
    'then: REFUND\n',
    'then:\n      REFUND: alert_amount\n',
  );
  const policy = loadPolicy(text, { file: 'simulated.yaml', brands: IDENTITY_BRAND_TOKENS });
  return { current: () => policy, refresh: () => false };
}
