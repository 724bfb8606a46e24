/** Counts of causes, put together by cause: what each came to. Pure. */
import type { Money } from '../../base/kernel/money.ts';
import type { CauseName } from './cause.ts';
import type { CauseCount } from './lookup-cause.store.ts';

export interface CauseSum {
  readonly cause: CauseName;
  readonly lookups: number;
  /** Payments that were disputed afterwards; given back; or have an alert that is open. */
  readonly disputed: number;
  readonly refunded: number;
  readonly open: number;
  /** Amounts of those disputed or given back: what the cause cost. */
  readonly money: readonly Money[];
}

/** Sums, the most frequent cause first. */
export function sumCauses(counts: readonly CauseCount[]): CauseSum[] {
  return [...Map.groupBy(counts, ({ cause }) => cause)]
    .map(([cause, same]) => sumOf(cause, same))
    .sort((a, b) => b.lookups - a.lookups);
}

function sumOf(cause: CauseName, counts: readonly CauseCount[]): CauseSum {
  const count = (cost?: CauseCount['cost']): number =>
    counts.reduce(
      (sum, row) => (cost === undefined || row.cost === cost ? sum + row.count : sum),
      0,
    );
  const money = new Map<string, number>();
  for (const { cost, currency, amountMinor } of counts) {
    if ((cost !== 'disputed' && cost !== 'refunded') || currency === null) continue;
    money.set(currency, (money.get(currency) ?? 0) + (amountMinor ?? 0));
  }
  return {
    cause,
    lookups: count(),
    disputed: count('disputed'),
    refunded: count('refunded'),
    open: count('alert_open'),
    money: [...money].map(([currency, amountMinor]) => ({ currency, amountMinor })),
  };
}
