/** Counts by period and brand, put together into what a programme asks for. Pure. */

import type { CostModel } from '../../alerts/costs/cost-model.ts';
import { minorUnitDigits } from '../../base/kernel/money.ts';
import type { Figures } from './assess.ts';
import type { CardScheme, SchemeOf } from './card-scheme.ts';
import type { Counted, Dating, Programme } from './programme.ts';
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
  /** The same by the day on which the issuer reported a notice, instead of that on which it was received. */
  readonly byReport: Pick<Figures, 'counts' | 'amountsUsdMinor'>;
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
  counting: {
    readonly scheme: Programme['scheme'];
    readonly schemeOf: SchemeOf;
    readonly rates: Rates;
  },
): PeriodFigures {
  const { scheme, schemeOf, rates } = counting;
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
  const amount = (name: Counted, dating: Dating): number | null => {
    const measures = measuresOf(name, dating);
    return usdMinor(
      own.filter(({ measure }) => measures.includes(measure)),
      rates,
    );
  };
  // An RDR that was followed by a dispute is counted as that dispute.
  const rdr = count('rdr_out', 'rdr_fraud');
  const counted = (dating: Dating): PeriodFigures['byReport'] => ({
    counts: {
      fraud: count(...measuresOf('fraud', dating)),
      dispute: count(...measuresOf('dispute', dating)),
      dispute_of_fraud: count(...measuresOf('dispute_of_fraud', dating)),
      rdr,
    },
    amountsUsdMinor: {
      fraud: amount('fraud', dating),
      dispute: amount('dispute', dating),
      dispute_of_fraud: amount('dispute_of_fraud', dating),
      rdr: amount('rdr', dating),
    },
  });
  return {
    period,
    payments: count('payment'),
    ...counted('received'),
    byReport: counted('reported'),
    effects: { rdr: fates('rdr'), alert: fates('alert'), evidence: fates('evidence') },
    revoked: { fraud: count('revoked_fraud'), dispute: count('revoked_dispute') },
  };
}

function measuresOf(name: Counted, dating: Dating): readonly Measure[] {
  if (name === 'rdr') return FATES.map((fate) => `rdr_${fate}` as const);
  return dating === 'received' ? [name] : [name, `${name}_moved`];
}

/** Which rows a reading counts. An RDR that was followed by a dispute is counted as that dispute. */
export function countedMeasures(
  counts: readonly Counted[],
  dating: Dating = 'received',
): readonly Measure[] {
  return counts
    .flatMap((name) => measuresOf(name, dating))
    .filter((measure) => measure !== 'rdr_counted');
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
export function estimated(
  month: PeriodFigures,
  baseMonth: PeriodFigures,
  dating: Dating = 'received',
): Figures {
  const counted = dating === 'received' ? month : { ...month, ...month.byReport };
  return { ...sumOf([counted]), base: baseMonth.payments === 0 ? null : baseMonth.payments };
}

interface ReportedOf {
  /** YYYY-MM. */
  readonly month: string;
  readonly baseMonth: string;
  readonly scheme: CardScheme;
}

/**
 * The same by what was reported, and which numbers are. Nothing of it is ours: the reporter's count over our payments, or
 * with our disputes in it, is a ratio of neither. What was not reported is not known.
 */
export function reportedFigures(
  reported: readonly Reported[],
  { month, baseMonth, scheme }: ReportedOf,
): { readonly figures: Figures; readonly given: readonly ReportedMeasure[] } {
  const given: ReportedMeasure[] = [];
  const value = (measure: ReportedMeasure, month: string): number | undefined => {
    const found = reported.find(
      (row) => row.month === month && row.scheme === scheme && row.measure === measure,
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
  const figures: Figures = {
    base: payments ?? null,
    counts: { fraud: fraud ?? 0, dispute: dispute ?? 0, dispute_of_fraud: ofFraud ?? 0, rdr: 0 },
    amountsUsdMinor: {
      fraud: null,
      dispute: null,
      dispute_of_fraud: usd === undefined ? null : usd * 100,
      rdr: null,
    },
    threeDSecure: threeDSecure ?? null,
    isKnown: (name, reading) => {
      const known = { fraud, dispute, dispute_of_fraud: ofFraud, rdr: undefined }[name];
      // Where all disputes are in one number, those about fraud are in it.
      const isWithin = name === 'dispute_of_fraud' && reading.counts.includes('dispute');
      return known !== undefined || (isWithin && dispute !== undefined);
    },
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
  const toBase = (currency: string): number | undefined =>
    currency === base ? 1 : rates[currency];
  const own = toBase(currency);
  const dollar = toBase('USD');
  return own === undefined || dollar === undefined ? undefined : own / dollar;
}

/** Nothing of a period. */
export function isEmpty({ payments, counts }: PeriodFigures): boolean {
  return payments === 0 && COUNTED.every((name) => counts[name] === 0);
}
