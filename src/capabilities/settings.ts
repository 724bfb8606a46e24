/** The settings of all capabilities. `forestall health` reads them: nothing here loads a capability. */
import type { Given, Setting } from '../base/kernel/setting.ts';
import type { CostOptions } from '../books/costs/setting.ts';
import { costs } from '../books/costs/setting.ts';
import type { CreditOptions } from './credits/settings.ts';
import { creditWindows } from './credits/settings.ts';

export const CAPABILITY_SETTINGS: readonly Setting[] = [costs, creditWindows];

/** The same as options of `createForestall`. */
export type CapabilityOptions = object & CostOptions & CreditOptions;

/** What options say, by the name of the setting. */
export function givenInOptions(options: CapabilityOptions): Given {
  const values = new Map<string, unknown>(Object.entries(options));
  return Object.fromEntries(
    CAPABILITY_SETTINGS.map(({ name, option }) => {
      const value = values.get(option);
      return [name, typeof value === 'string' ? value : undefined];
    }),
  );
}
