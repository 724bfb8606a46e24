/** What is kept of a backtest: its figures whole, of the decisions that changed the first ones. Pure. */
import type { BacktestResult, Fees } from './backtest.ts';

/** Changed decisions that are kept: more than a person reads; the command lists them all. */
const CHANGES_KEPT = 200;

/**
 * What an alert and a chargeback are assumed to cost where nothing else is said: published prices lie
 * between 15 and 40 USD an alert and from 10 to 20 USD a chargeback.
 */
export const ASSUMED_FEES = {
  alertFee: { amountMinor: 29_00, currency: 'USD' },
  chargebackFee: { amountMinor: 20_00, currency: 'USD' },
} as const satisfies Fees;

/** A backtest as it is kept. */
export interface BacktestReport extends BacktestResult {
  /** All that changed; `changed` holds the first {@link CHANGES_KEPT}. */
  readonly changes: number;
  readonly fees: Fees;
}

export function reportOf(result: BacktestResult, fees: Fees): BacktestReport {
  const { changed } = result;
  return { ...result, changed: changed.slice(0, CHANGES_KEPT), changes: changed.length, fees };
}
