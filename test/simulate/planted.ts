/** Looks for a planted bug: seed after seed, until the simulation finds it or gives up. */
import type { SimulationDatabase } from './cell-database.ts';
import type { PlantName } from './plants.ts';
import { loadPlanted, PLANTS } from './plants.ts';
import { simulatedPolicy } from './simulate.ts';

/** Whether the bug was found, and how. */
export interface Find {
  readonly plant: PlantName;
  readonly found: boolean;
  /** Seeds tried. */
  readonly seeds: number;
  /** The rule that broke. */
  readonly rule?: string;
  readonly message?: string;
}

/** How long to look. */
export interface Search {
  readonly seed: number;
  readonly seedsMax: number;
  /** Stories of one run. */
  readonly alerts: number;
}

/** Looks for one bug. */
export async function findPlant(
  database: SimulationDatabase,
  plant: PlantName,
  search: Search,
): Promise<Find> {
  const { simulateRun } = await loadPlanted(plant);
  const { wishes } = PLANTS[plant];
  const policy = simulatedPolicy();
  for (let tried = 1; tried <= search.seedsMax; tried++) {
    const seed = search.seed + tried - 1;
    try {
      await simulateRun({ seed, alerts: search.alerts, database, policy, wishes });
    } catch (error) {
      // Its class is the planted graph's own, so it is known by its name.
      if (!(error instanceof Error) || error.name !== 'BrokenRun') throw error;
      const { violation } = error as Error & { violation: { rule: string } };
      return { plant, found: true, seeds: tried, rule: violation.rule, message: error.message };
    }
  }
  return { plant, found: false, seeds: search.seedsMax };
}
