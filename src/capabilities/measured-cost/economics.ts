/**
 * What refunding, accepting and reviewing cost, by segment, from the installation's own outcomes. Pure.
 *
 * A refund costs the amount and the alert. An accepted alert costs the alert and, when it becomes a
 * dispute, the fee, the fine once the headroom is used up, a person's time, and the amount unless the
 * dispute is won. A review costs a person's time and then one or the other. Every figure names the
 * alerts it was counted from, or says that too few were there and the model's value stands in.
 */
import { minorUnitDigits } from '../../base/kernel/money.ts';
import type { CostModel, CostTerms, TermName } from '../../books/costs/cost-model.ts';

export interface OutcomeRow {
  readonly alertId: string;
  readonly merchantId: string | null;
  /** `NETA` or `NETB`; null when the service did not say. */
  readonly network: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly outcome: 'refunded' | 'accepted' | 'unanswered';
  /** A person decided it. */
  readonly reviewed: boolean;
  /** What became of a dispute about the same payment; null when none came. */
  readonly dispute: 'open' | 'won' | 'lost' | null;
}

/** A figure, where it comes from, and the alerts behind it. */
export interface Figure {
  readonly value: number;
  /** Counted; or set in the cost model; or assumed, because it is neither. */
  readonly source: 'observed' | 'model' | 'assumed';
  /** Alerts that count for it, of those it is a share of. */
  readonly rows: readonly string[];
  readonly of: readonly string[];
}

/** One segment: a merchant's alerts of one network within one band of amounts. */
export interface Segment {
  readonly merchantId: string | null;
  readonly network: string;
  /** For example `25.00 to 100.00`. */
  readonly band: string;
  readonly alerts: readonly string[];
  readonly refunded: readonly string[];
  readonly accepted: readonly string[];
  readonly reviewed: readonly string[];
  readonly unanswered: readonly string[];
  /** Minor units of the model's currency, per alert. */
  readonly averageMinor: number;
  readonly disputeAfterAccept: Figure;
  readonly disputeAfterRefund: Figure;
  readonly winRate: Figure;
  readonly reviewRefundRate: Figure;
  /** Expected cost of one alert, in minor units of the model's currency. */
  readonly costMinor: { readonly refund: number; readonly accept: number; readonly review: number };
  readonly cheapest: 'refund' | 'accept' | 'review';
  /** Refunding is cheaper than accepting up to this amount; null: whatever the amount. */
  readonly breakEvenMinor: number | null;
  /** What these costs are based on and nobody set or observed: the term's word, and the value assumed. */
  readonly assumed: Readonly<Record<string, string>>;
}

export interface Economics {
  readonly currency: string;
  readonly segments: readonly Segment[];
  /** Alerts left out, because their currency has no rate or their amount is unknown. */
  readonly leftOut: readonly string[];
  /** Disputes of the last 30 days by merchant: what the headroom is compared with. */
  readonly recentDisputes: Readonly<Record<string, number>>;
}

/** Fewer answered alerts than this say nothing about a rate. */
export const OBSERVED_MIN = 20;

/** Upper ends of the bands, in whole units of the model's currency. */
const BANDS = [25, 100, 500];

interface Priced extends OutcomeRow {
  readonly priceMinor: number;
}

export function computeEconomics(
  model: CostModel,
  rows: readonly OutcomeRow[],
  recentDisputes: Readonly<Record<string, number>> = {},
): Economics {
  const leftOut: string[] = [];
  const groups = new Map<string, Priced[]>();
  for (const row of rows) {
    const priceMinor = priceOf(model, row);
    if (priceMinor === undefined) {
      leftOut.push(row.alertId);
      continue;
    }
    const key = JSON.stringify([row.merchantId, row.network, bandOf(model, priceMinor)]);
    const group = groups.get(key) ?? [];
    group.push({ ...row, priceMinor });
    groups.set(key, group);
  }
  const segments = [...groups.values()].map((group) => segmentOf(model, group, recentDisputes));
  segments.sort((a, b) => b.alerts.length - a.alerts.length);
  return { currency: model.currency, segments, leftOut, recentDisputes };
}

export function priceOf(
  model: CostModel,
  { amountMinor, currency }: Pick<OutcomeRow, 'amountMinor' | 'currency'>,
): number | undefined {
  if (amountMinor === null || currency === null) return undefined;
  if (currency === model.currency) return amountMinor;
  const rate = model.rates[currency];
  if (rate === undefined) return undefined;
  const digits = minorUnitDigits(model.currency) - minorUnitDigits(currency);
  return Math.round(amountMinor * rate * 10 ** digits);
}

function bandOf({ currency }: CostModel, priceMinor: number): string {
  const unit = 10 ** minorUnitDigits(currency);
  const above = BANDS.findLast((bound) => priceMinor > bound * unit);
  const upTo = BANDS.find((bound) => priceMinor <= bound * unit);
  if (above === undefined) return `up to ${upTo ?? 0}`;
  return upTo === undefined ? `above ${above}` : `${above} to ${upTo}`;
}

function segmentOf(
  model: CostModel,
  group: readonly Priced[],
  recentDisputes: Readonly<Record<string, number>>,
): Segment {
  const [first] = group;
  const merchantId = first?.merchantId ?? null;
  const terms = model.merchants.get(merchantId ?? '') ?? model.terms;
  const totalMinor = group.reduce((sum, { priceMinor }) => sum + priceMinor, 0);
  const averageMinor = Math.round(totalMinor / Math.max(1, group.length));
  const rates = ratesOf(terms, group);
  const network = first?.network ?? 'unknown';
  const isFined = (recentDisputes[merchantId ?? ''] ?? 0) >= terms.ratio.headroom;
  return {
    merchantId,
    network,
    band: bandOf(model, first?.priceMinor ?? 0),
    alerts: idsOf(group),
    refunded: idsOf(group.filter(({ outcome }) => outcome === 'refunded')),
    accepted: idsOf(group.filter(({ outcome }) => outcome === 'accepted')),
    reviewed: idsOf(group.filter(({ reviewed }) => reviewed)),
    unanswered: idsOf(group.filter(({ outcome }) => outcome === 'unanswered')),
    averageMinor,
    ...rates,
    ...compare({ terms, rates, averageMinor, network, isFined }),
    assumed: assumedOf(terms, rates),
  };
}

/** The model's own gaps, but for the rates that were counted; and refunds that come back as disputes. */
function assumedOf({ assumed }: CostTerms, rates: Rates): Segment['assumed'] {
  const counted: Readonly<Record<string, Figure>> = {
    win_rate: rates.winRate,
    dispute_rate: rates.disputeAfterAccept,
    review_refund_rate: rates.reviewRefundRate,
  };
  const left = Object.entries(assumed).filter(([name]) => counted[name]?.source !== 'observed');
  return {
    ...Object.fromEntries(left),
    ...(rates.disputeAfterRefund.source === 'observed' ? {} : { dispute_after_refund: '0 %' }),
  };
}

type Rates = Pick<
  Segment,
  'disputeAfterAccept' | 'disputeAfterRefund' | 'winRate' | 'reviewRefundRate'
>;

function ratesOf(terms: CostTerms, group: readonly Priced[]): Rates {
  const accepted = group.filter(({ outcome }) => outcome === 'accepted');
  const refunded = group.filter(({ outcome }) => outcome === 'refunded');
  const settled = group.filter(({ dispute }) => dispute === 'won' || dispute === 'lost');
  const reviewed = group.filter((row) => row.reviewed && row.outcome !== 'unanswered');
  return {
    disputeAfterAccept: share(accepted, ({ dispute }) => dispute !== null, {
      value: terms.disputeRate,
      source: sourceOf(terms, 'dispute_rate'),
    }),
    disputeAfterRefund: share(refunded, ({ dispute }) => dispute !== null, {
      value: 0,
      source: 'assumed',
    }),
    winRate: share(settled, ({ dispute }) => dispute === 'won', {
      value: terms.winRate,
      source: sourceOf(terms, 'win_rate'),
    }),
    reviewRefundRate: share(reviewed, ({ outcome }) => outcome === 'refunded', {
      value: terms.reviewRefundRate,
      source: sourceOf(terms, 'review_refund_rate'),
    }),
  };
}

function sourceOf({ assumed }: CostTerms, name: TermName): 'model' | 'assumed' {
  return assumed[name] === undefined ? 'model' : 'assumed';
}

/** The share of `all` that counts, or the model's value while there are too few. */
function share(
  all: readonly Priced[],
  counts: (row: Priced) => boolean,
  otherwise: Pick<Figure, 'value' | 'source'>,
): Figure {
  const counted = all.filter(counts);
  const isObserved = all.length >= OBSERVED_MIN;
  return {
    value: isObserved ? counted.length / all.length : otherwise.value,
    source: isObserved ? 'observed' : otherwise.source,
    rows: idsOf(counted),
    of: idsOf(all),
  };
}

function idsOf(rows: readonly OutcomeRow[]): string[] {
  return rows.map(({ alertId }) => alertId);
}

interface Comparison {
  readonly terms: CostTerms;
  readonly rates: Rates;
  readonly averageMinor: number;
  readonly network: string;
  readonly isFined: boolean;
}

function compare(of: Comparison): Pick<Segment, 'costMinor' | 'cheapest' | 'breakEvenMinor'> {
  const { terms, rates, averageMinor, network, isFined } = of;
  const alertFee = terms.alertFeeMinor[network] ?? 0;
  const fine = isFined ? terms.ratio.fineMinor : 0;
  const fixed = terms.chargebackFeeMinor + fine + terms.handlingMinor;
  // What is lost of a disputed amount, on average.
  const lost = 1 - rates.winRate.value * terms.collectRate;
  const disputeMinor = fixed + averageMinor * lost;
  const refund = averageMinor + alertFee + rates.disputeAfterRefund.value * disputeMinor;
  const accept = alertFee + rates.disputeAfterAccept.value * disputeMinor;
  const toRefund = rates.reviewRefundRate.value;
  const review = terms.handlingMinor + toRefund * refund + (1 - toRefund) * accept;
  const costMinor = {
    refund: Math.round(refund),
    accept: Math.round(accept),
    review: Math.round(review),
  };
  return {
    costMinor,
    cheapest: cheapestOf(costMinor),
    breakEvenMinor: breakEven(rates, { fixed, lost }),
  };
}

function cheapestOf(cost: Segment['costMinor']): Segment['cheapest'] {
  if (cost.refund <= cost.accept && cost.refund <= cost.review) return 'refund';
  return cost.accept <= cost.review ? 'accept' : 'review';
}

/** Where `amount + r·(fixed + amount·lost)` meets `d·(fixed + amount·lost)`. */
function breakEven(
  { disputeAfterAccept, disputeAfterRefund }: Rates,
  { fixed, lost }: { readonly fixed: number; readonly lost: number },
): number | null {
  const more = disputeAfterAccept.value - disputeAfterRefund.value;
  const slope = 1 - more * lost;
  return slope <= 0 ? null : Math.max(0, Math.round((more * fixed) / slope));
}
