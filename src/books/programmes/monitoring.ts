/** What the ratio cockpit works by: the programmes' files, the acquirer's region, and rates to US dollars. */
import { z } from 'zod';
import { openCostModel } from '../insights/economics-model.ts';
import type { Rates } from './figures.ts';
import type { Programme } from './programme.ts';
import { openProgrammes } from './programmes.ts';

/** The settings as the environment names them; part of the one shape in `config.ts`. */
export const monitoringShape = {
  FORESTALL_MONITORING: z.string().min(1).optional(),
  FORESTALL_MONITORING_REGION: z
    .string()
    .regex(/^[A-Z]{2,5}$/, { error: 'must be a region as the files name it, for example EU' })
    .optional(),
};

/** The settings, read. */
export interface MonitoringSettings {
  /** A folder with files of the merchant's own. */
  readonly folder?: string | undefined;
  readonly region?: string | undefined;
}

/** Everything that these settings give. */
export interface Monitoring {
  readonly programmes: readonly Programme[];
  readonly region: string | undefined;
  readonly rates: Rates;
}

/**
 * Reads the files.
 *
 * @param costsPath of the cost model, whose rates are used
 * @throws {ConfigError} when a file cannot be used
 */
export function openMonitoring(
  { folder, region }: MonitoringSettings = {},
  costsPath?: string,
): Monitoring {
  const { currency, rates } = openCostModel(costsPath);
  return { programmes: openProgrammes(folder), region, rates: { currency, rates } };
}
