/** The settings of all capabilities. `forestall health` reads them: nothing here loads a capability. */

import type { CostOptions } from '../alerts/costs/setting.ts';
import { costs } from '../alerts/costs/setting.ts';
import type { EvidenceOptions } from '../alerts/evidence/setting.ts';
import { evidenceRules } from '../alerts/evidence/setting.ts';
import type { Given, Setting, Variable } from '../base/kernel/setting.ts';
import { valueAtPlace } from '../base/kernel/setting.ts';
import type { CreditOptions } from './credits/settings.ts';
import { creditWindows } from './credits/settings.ts';
import type { EstateOptions } from './estate/settings.ts';
import { estateFile } from './estate/settings.ts';
import type { EventOptions } from './events/settings.ts';
import { endpoints } from './events/settings.ts';
import type { RatioOptions } from './ratios/settings.ts';
import { monitoring } from './ratios/settings.ts';
import type { RepresentmentOptions } from './representments/settings.ts';
import { evidencePacks, filing } from './representments/settings.ts';
import { processorEvents } from './signals/settings.ts';

export const CAPABILITY_SETTINGS: readonly Setting[] = [
  costs,
  evidenceRules,
  creditWindows,
  monitoring,
  evidencePacks,
  filing,
  endpoints,
  estateFile,
  processorEvents,
];

export const CAPABILITY_VARIABLES: readonly Variable[] = CAPABILITY_SETTINGS.flatMap(
  ({ variables }) => variables,
);

/** Secrets that are given, by the name of the variable. */
export function secretsGiven(given: Given): Record<string, readonly string[] | undefined> {
  const ofSecrets = CAPABILITY_VARIABLES.filter(({ kind }) => kind === 'secrets');
  return Object.fromEntries(ofSecrets.map(({ name }) => [name, given[name]?.split(',')]));
}

/** The same as options of `createForestall`. */
export type CapabilityOptions = object &
  CostOptions &
  EvidenceOptions &
  CreditOptions &
  RatioOptions &
  RepresentmentOptions &
  EventOptions &
  EstateOptions;

/** What options say, by the name of the variable. */
export function givenInOptions(options: CapabilityOptions): Given {
  return Object.fromEntries(
    CAPABILITY_VARIABLES.map(({ name, option }) => {
      const value = option === undefined ? undefined : valueAtPlace(options, option);
      return [name, typeof value === 'string' ? value : undefined];
    }),
  );
}
