/** What refunding and accepting cost, measured: for the merchant's decision, and beside its policy. */
import type { Capability } from '../../surface/capability.ts';
import { priceOfBacktest } from './of-backtest.ts';

export const measuredCost: Capability = { name: 'measured-cost', ofBacktest: priceOfBacktest };
