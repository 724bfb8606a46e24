/**
 * Lookups: how often a network asked for order data, how often we could answer, and how many disputes
 * the answer deflected.
 *
 * A deflection that succeeded can still be taken back (`DELETE`), so figures of the last days may fall.
 */
import type { Db } from '../../base/db/database.ts';
import type { Money } from '../../base/kernel/money.ts';
import type { LookupCount, LookupPeriod } from './lookup-day.store.ts';
import { countLookups } from './lookup-day.store.ts';

export interface LookupFigures {
  readonly type: string;
  readonly lookups: number;
  /** Answered with an order of ours. */
  readonly answered: number;
  readonly deflected: number;
  readonly notDeflected: number;
  /** The network has not decided yet. */
  readonly pending: number;
}

/** Figures by type, and the money of deflected disputes. */
export interface LookupSummary {
  readonly types: readonly LookupFigures[];
  readonly all: LookupFigures;
  /** Deflected of all that were decided, from 0 to 100, one decimal. Null when none was. */
  readonly deflectionPercent: number | null;
  /** Amounts of deflected disputes: sales that remain. */
  readonly protectedMoney: readonly Money[];
}

/** Lookups of one stretch of time. */
export interface LookupStretch {
  /** When the period begins. */
  readonly at: Date;
  readonly lookups: number;
  readonly deflected: number;
}

/** Reads the figures of lookups created since `from`, in all and per stretch. */
export async function readLookupPeriod(
  db: Db,
  period: LookupPeriod,
): Promise<{ readonly summary: LookupSummary; readonly stretches: LookupStretch[] }> {
  const rows = await countLookups(db, period);
  return { summary: summarise(rows), stretches: rows.map(stretchOf) };
}

function stretchOf({ at, count, deflection_status }: LookupCount): LookupStretch {
  return { at, lookups: count, deflected: deflection_status === 'SUCCEEDED' ? count : 0 };
}

function summarise(rows: readonly LookupCount[]): LookupSummary {
  const types = [...new Set(rows.map(({ type }) => type))].sort();
  const all = figuresOf('all', rows);
  const decided = all.deflected + all.notDeflected;
  const money = new Map<string, number>();
  for (const { deflection_status, currency, amountMinor } of rows) {
    if (deflection_status !== 'SUCCEEDED' || currency === null || amountMinor === null) continue;
    money.set(currency, (money.get(currency) ?? 0) + amountMinor);
  }
  return {
    types: types.map((type) =>
      figuresOf(
        type,
        rows.filter((row) => row.type === type),
      ),
    ),
    all,
    deflectionPercent: decided === 0 ? null : Math.round((all.deflected * 1_000) / decided) / 10,
    protectedMoney: [...money]
      .map(([currency, amountMinor]) => ({ currency, amountMinor }))
      .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
  };
}

function figuresOf(type: string, rows: readonly LookupCount[]): LookupFigures {
  const count = (wanted: (row: LookupCount) => boolean): number =>
    rows.filter(wanted).reduce((sum, row) => sum + row.count, 0);
  return {
    type,
    lookups: count(() => true),
    answered: count((row) => row.lookup_status === 'SUCCEEDED'),
    deflected: count((row) => row.deflection_status === 'SUCCEEDED'),
    notDeflected: count((row) => row.deflection_status === 'FAILED'),
    pending: count((row) => row.deflection_status === 'PENDING'),
  };
}
