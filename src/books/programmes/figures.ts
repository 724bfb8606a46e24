/** Counts by period and brand, put together into what a programme asks for. Pure. */
import { minorUnitDigits } from '../../base/kernel/money.ts';
import type { CostModel } from '../insights/economics-model.ts';
import type { Figures } from './assess.ts';
import type { CardScheme, SchemeOf } from './card-scheme.ts';
import type { Counted, Programme } from './programme.ts';
import { COUNTED } from './programme.ts';
import type { Reported } from './reported.store.ts';
import type { PeriodCount } from './roll-up.store.ts';
import type { Fate, Measure, ReportedMeasure } from './roll-up.table.ts';

/** Everything counted in a period, of one scheme or of all. */
export interface PeriodFigures {
  /** YYYY-MM-DD: the day, or the first of the month. */
  readonly period: string;
  readonly payments: number;
  readonly counts: Readonly<Record<Counted, number>>;
  readonly amountsUsdMinor: Readonly<Record<Counted, number | null>>;
  /** What was done, and what became of the payment. */
  readonly effects: Readonly<Record<'rdr' | 'alert' | 'evidence', Readonly<Record<Fate, number>>>>;
  readonly revoked: { readonly fraud: number; readonly dispute: number };
}

/** The rates that amounts are turned into US dollars by; without any, other currencies stay unknown. */
export type Rates = Pick<CostModel, 'currency' | 'rates'>;

const FATES = ['out', 'fraud', 'counted'] as const;

export type ByPeriod = ReadonlyMap<string, readonly PeriodCount[]>;

export function figuresOf(
  period: string,
  all: ByPeriod,
  of: { readonly scheme: Programme['scheme']; readonly schemeOf: SchemeOf; readonly rates: Rates },
): PeriodFigures {
  const { scheme, schemeOf, rates } = of;
  const counts = all.get(period) ?? [];
  const own = scheme === 'ANY' ? counts : counts.filter(({ brand }) => schemeOf(brand) === scheme);
  const sums = new Map<Measure, number>();
  for (const row of own) sums.set(row.measure, (sums.get(row.measure) ?? 0) + row.count);
  const count = (...measures: readonly Measure[]): number =>
    measures.reduce((sum, measure) => sum + (sums.get(measure) ?? 0), 0);
  const fates = (kind: 'rdr' | 'alert' | 'evidence'): Record<Fate, number> => ({
    out: count(`${kind}_out`),
    fraud: count(`${kind}_fraud`),
    counted: count(`${kind}_counted`),
  });
  const measuresOf = (name: Counted): readonly Measure[] =>
    name === 'rdr' ? FATES.map((fate) => `rdr_${fate}` as const) : [name];
  const amount = (name: Counted): number | null => {
    const measures = measuresOf(name);
    return usdMinor(
      own.filter(({ measure }) => measures.includes(measure)),
      rates,
    );
  };
  return {
    period,
    payments: count('payment'),
    // An RDR that was followed by a dispute is counted as that dispute.
    counts: {
      fraud: count('fraud'),
      dispute: count('dispute'),
      dispute_of_fraud: count('dispute_of_fraud'),
      rdr: count('rdr_out', 'rdr_fraud'),
    },
    amountsUsdMinor: {
      fraud: amount('fraud'),
      dispute: amount('dispute'),
      dispute_of_fraud: amount('dispute_of_fraud'),
      rdr: amount('rdr'),
    },
    effects: { rdr: fates('rdr'), alert: fates('alert'), evidence: fates('evidence') },
    revoked: { fraud: count('revoked_fraud'), dispute: count('revoked_dispute') },
  };
}

export function sumOf(periods: readonly PeriodFigures[]): Figures {
  const total = (name: Counted): number =>
    periods.reduce((sum, each) => sum + each.counts[name], 0);
  const amount = (name: Counted): number | null =>
    periods.reduce<number | null>((sum, { amountsUsdMinor }) => {
      const more = amountsUsdMinor[name];
      return sum === null || more === null ? null : sum + more;
    }, 0);
  return {
    base: periods.reduce((sum, { payments }) => sum + payments, 0),
    counts: {
      fraud: total('fraud'),
      dispute: total('dispute'),
      dispute_of_fraud: total('dispute_of_fraud'),
      rdr: total('rdr'),
    },
    amountsUsdMinor: {
      fraud: amount('fraud'),
      dispute: amount('dispute'),
      dispute_of_fraud: amount('dispute_of_fraud'),
      rdr: amount('rdr'),
    },
    threeDSecure: null,
  };
}

/** What a month is judged by: its counts, over the payments of the month that the programme names. */
export function estimated(month: PeriodFigures, baseMonth: PeriodFigures): Figures {
  return { ...sumOf([month]), base: baseMonth.payments === 0 ? null : baseMonth.payments };
}

interface ReportedOf {
  /** YYYY-MM. */
  readonly month: string;
  readonly baseMonth: string;
  readonly scheme: CardScheme;
  /** What the programme counts. */
  readonly counted: ReadonlySet<Counted>;
}

/**
 * The same by what was reported, and which numbers are. Undefined: nothing that the programme counts was reported for
 * the month; its payments alone are the base of another one. Payments are never ours here: the reporter's count over
 * our payments is nobody's ratio.
 */
export function reportedFigures(
  ours: Figures,
  reported: readonly Reported[],
  { month, baseMonth, scheme, counted }: ReportedOf,
): { readonly figures: Figures; readonly given: readonly ReportedMeasure[] } | undefined {
  const given: ReportedMeasure[] = [];
  const value = (measure: ReportedMeasure, of: string): number | undefined => {
    const found = reported.find(
      (row) => row.month === of && row.scheme === scheme && row.measure === measure,
    );
    if (found !== undefined) given.push(measure);
    return found?.value;
  };
  const payments = value('payments', baseMonth);
  const fraud = value('fraud', month);
  const dispute = value('dispute', month);
  const ofFraud = value('dispute_of_fraud', month);
  const threeDSecure = value('three_d_secure', baseMonth);
  const usd = value('fraud_dispute_usd', month);
  const isCounted =
    (fraud !== undefined && counted.has('fraud')) ||
    (ofFraud !== undefined && counted.has('dispute_of_fraud')) ||
    (dispute !== undefined && (counted.has('dispute') || counted.has('dispute_of_fraud')));
  if (!isCounted) return undefined;
  const figures: Figures = {
    base: payments ?? null,
    counts: {
      fraud: fraud ?? ours.counts.fraud,
      dispute: dispute ?? ours.counts.dispute,
      // Where all disputes stand in one number, none of them stands in the other.
      dispute_of_fraud: ofFraud ?? (dispute === undefined ? ours.counts.dispute_of_fraud : 0),
      rdr: ours.counts.rdr,
    },
    amountsUsdMinor: {
      ...ours.amountsUsdMinor,
      dispute_of_fraud: usd === undefined ? ours.amountsUsdMinor.dispute_of_fraud : usd * 100,
    },
    threeDSecure: threeDSecure ?? null,
  };
  return { figures, given };
}

/** Sums amounts as US cents; null where a currency has no rate. */
function usdMinor(rows: readonly PeriodCount[], rates: Rates): number | null {
  let sum = 0;
  for (const { currency, amountMinor } of rows) {
    if (amountMinor === 0) continue;
    const rate = usdRate(currency, rates);
    if (rate === undefined) return null;
    sum += Math.round(amountMinor * rate * 10 ** (2 - minorUnitDigits(currency)));
  }
  return sum;
}

/** US dollars for one unit. */
function usdRate(currency: string, { currency: base, rates }: Rates): number | undefined {
  if (currency === 'USD') return 1;
  const toBase = (of: string): number | undefined => (of === base ? 1 : rates[of]);
  const own = toBase(currency);
  const dollar = toBase('USD');
  return own === undefined || dollar === undefined ? undefined : own / dollar;
}

/** Nothing of a period. */
export function isEmpty({ payments, counts }: PeriodFigures): boolean {
  return payments === 0 && COUNTED.every((name) => counts[name] === 0);
}
