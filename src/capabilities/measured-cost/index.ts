/** What refunding and accepting cost, measured: for the merchant's decision, and beside its policy. */

import { costs } from '../../alerts/costs/setting.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Capability } from '../../surface/capability.ts';
import { storeEconomics } from './kept-economics.store.ts';
import { measuredCostTable } from './measured-cost.table.ts';
import { priceOfBacktest } from './of-backtest.ts';

export const measuredCost: Capability = {
  name: 'measured-cost',
  tables: [measuredCostTable],
  nightly: ({ db, clock, organisationId, settings }) => [
    {
      name: 'measured cost',
      run: async () => {
        const scope = { organisationId, model: settings.of(costs), now: nowDate(clock) };
        return { complaints: await storeEconomics(db, scope) };
      },
    },
  ],
  ofBacktest: priceOfBacktest,
};
