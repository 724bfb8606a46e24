/**
 * What refunding and accepting cost, for all complaints and for each segment of them. Pure.
 *
 * The shares come from complaints that have had their time, and from younger ones by the curve of delays. A segment
 * borrows from its siblings; merchants, networks, reasons and the like are one segment each, below the whole.
 */

import type { CostModel, CostTerms, TermName } from '../../alerts/costs/cost-model.ts';
import { minorUnitDigits } from '../../base/kernel/money.ts';
import type { Curve, TimedCase } from './delay-curve.ts';
import { curveOf } from './delay-curve.ts';
import type { FallbackShare, Share } from './share.ts';
import { lentBy, shareOf } from './share.ts';
import type { Unit } from './unit.ts';
import { DAY_MS, daysUntil } from './unit.ts';
import type { Judged, Shares, Terms } from './verdict.ts';
import { judge } from './verdict.ts';

/** By what complaints are told apart. */
export const DIMENSIONS = [
  'amount',
  'network',
  'programme',
  'scheme',
  'reason',
  'merchant',
  'descriptor',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Contested disputes by the version of the pack that was sent. */
export interface PackVersion {
  readonly version: number;
  readonly won: number;
  readonly lost: number;
  readonly open: number;
}

/** All complaints, or those of one value. */
export interface Segment extends Judged, Shares {
  /** Null: all of them. */
  readonly dimension: Dimension | null;
  /** For example `25 to 100`, `NETA`, `10.4`; `unknown` where the service did not say. */
  readonly value: string;
  readonly units: number;
  readonly refunded: readonly string[];
  readonly accepted: readonly string[];
  readonly reviewed: readonly string[];
  readonly unanswered: readonly string[];
  /** Minor units of the model's currency. */
  readonly averageMinor: number;
  readonly packs: readonly PackVersion[];
  /** Reviews that end in a refund. */
  readonly reviewRefund: FallbackShare | { readonly value: number; readonly source: 'observed' };
  /** Expected cost of one review, the answer it ends in included. */
  readonly reviewMinor: number;
  /** What these figures rest on that was not set or counted: the term's word, and the value assumed. */
  readonly assumed: Readonly<Record<string, string>>;
}

export interface Economics {
  readonly currency: string;
  readonly whole: Segment | null;
  /** Each dimension's, those with most complaints first. */
  readonly segments: readonly Segment[];
  /** Alerts left out, because their currency has no rate or their amount is unknown. */
  readonly leftOut: readonly string[];
}

export interface EconomicsInputs {
  readonly model: CostModel;
  readonly units: readonly Unit[];
  readonly now: Date;
  /** What one dispute more costs by a scheme's nearest line; undefined: none was counted, and the model's fine is taken. */
  readonly ratioMinor?: (unit: {
    readonly scheme: string | null;
    readonly merchantId: string | null;
  }) => number | undefined;
  /** Disputes of the last 30 days by merchant, `''` without one: what the model's headroom is compared with. */
  readonly recentDisputes?: Readonly<Record<string, number>>;
}

/** Fewer reviews than this say nothing about what people decide. */
const REVIEWS_MIN = 20;

/** Segments of one dimension that are shown. */
const VALUES_MAX = 12;

/** Until when a second alert or RDR is counted, in days: it is reported to come after about a week. */
export const SECOND_DAYS = 60;

/** Upper ends of the bands, in whole units of the model's currency. */
const BANDS = [25, 100, 500];

interface Priced {
  readonly unit: Unit;
  readonly priceMinor: number;
}

export function computeEconomics(inputs: EconomicsInputs): Economics {
  const { model, units } = inputs;
  const priced: Priced[] = [];
  const leftOut: string[] = [];
  for (const unit of units) {
    const priceMinor = unit.money === null ? undefined : priceOf(model, unit.money);
    if (priceMinor === undefined) leftOut.push(...unit.alertIds);
    else priced.push({ unit, priceMinor });
  }
  const whole =
    priced.length === 0 ? null : segmentOf(inputs, priced, { dimension: null, value: 'all' });
  const segments = DIMENSIONS.flatMap((dimension) => segmentsBy(inputs, priced, dimension));
  return { currency: model.currency, whole, segments, leftOut };
}

function segmentsBy(
  inputs: EconomicsInputs,
  priced: readonly Priced[],
  dimension: Dimension,
): Segment[] {
  const groups = Map.groupBy(priced, (each) => valueIn(inputs.model, each, dimension));
  const shown = [...groups]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .slice(0, VALUES_MAX);
  const curves = new Map(shown.map(([value, group]) => [value, curvesOf(inputs, unitsIn(group))]));
  return shown.map(([value, group]) => {
    const others = [...curves].flatMap(([each, other]) => (each === value ? [] : [other]));
    return segmentOf(inputs, group, { dimension, value, others });
  });
}

function unitsIn(group: readonly Priced[]): Unit[] {
  return group.map(({ unit }) => unit);
}

function valueIn(model: CostModel, { unit, priceMinor }: Priced, dimension: Dimension): string {
  const values: Record<Dimension, string | null> = {
    amount: bandOf(model, priceMinor),
    network: unit.network,
    programme: unit.programme,
    scheme: unit.scheme,
    reason: unit.reasonCode,
    merchant: unit.merchantId,
    descriptor: unit.descriptor,
  };
  return values[dimension] ?? 'unknown';
}

export function priceOf(
  model: CostModel,
  { amountMinor, currency }: { readonly amountMinor: number; readonly currency: string },
): number | undefined {
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

/** The curves behind the shares. */
export type Curves = Readonly<Record<keyof Shares, Curve>>;

export function curvesOf(
  { model, now }: Pick<EconomicsInputs, 'model' | 'now'>,
  units: readonly Unit[],
): Curves {
  const timed = (group: readonly Unit[], second: boolean): TimedCase[] =>
    group.map((unit) => ({
      ageDays: (now.getTime() - unit.answeredAt.getTime()) / DAY_MS,
      windowDays: second ? SECOND_DAYS : windowOf(model, unit.reasonCode),
      eventDays: daysUntil(unit, second ? ['rdr', 'further_alert'] : ['dispute']),
    }));
  const accepted = units.filter(({ answer }) => answer === 'accepted');
  const refunded = units.filter(({ answer }) => answer === 'refunded');
  const disputed = units.filter(({ outcomes }) => outcomes.some(({ kind }) => kind === 'dispute'));
  const ended = disputed.filter(({ contest }) => contest !== null && contest.end !== 'open');
  // Where no packs are kept, nothing is known of who was contested: the model's word holds.
  const keepsPacks = disputed.some(({ contest }) => contest !== null);
  return {
    dispute: curveOf(timed(accepted, false)),
    leak: curveOf(timed(refunded, false)),
    second: curveOf(timed(accepted, true)),
    contested: plain(keepsPacks ? disputed : [], ({ contest }) => contest !== null),
    won: plain(ended, ({ contest }) => contest?.end === 'won'),
  };
}

/** Cases that have all had their time. */
function plain(units: readonly Unit[], counts: (unit: Unit) => boolean): Curve {
  const cases = units.length;
  const events = units.filter(counts).length;
  const share = cases === 0 ? 0 : events / cases;
  return {
    cases,
    matured: cases,
    elapsed: cases,
    events,
    share,
    worth: cases,
    isOpen: cases === 0,
  };
}

/** Until when a dispute is counted, in days from the answer. */
export function windowOf({ disputeWindow }: CostModel, reasonCode: string | null): number {
  return disputeWindow.reasons[reasonCode ?? ''] ?? disputeWindow.days;
}

interface Place {
  readonly dimension: Dimension | null;
  readonly value: string;
  readonly others?: readonly Curves[];
}

function segmentOf(
  inputs: EconomicsInputs,
  group: readonly Priced[],
  { dimension, value, others = [] }: Place,
): Segment {
  const { model, now } = inputs;
  const units = unitsIn(group);
  const own = model.merchants.get(units[0]?.merchantId ?? '');
  const costs = dimension === 'merchant' && own !== undefined ? own : model.terms;
  const shares = sharesOf(costs, curvesOf(inputs, units), others);
  const averageMinor = Math.round(
    group.reduce((sum, { priceMinor }) => sum + priceMinor, 0) / group.length,
  );
  const { terms, isRatioAssumed } = termsOf(inputs, costs, units);
  const answered = (answer: Unit['answer']): Unit[] =>
    units.filter((unit) => unit.answer === answer);
  const judged = judge({
    terms,
    shares,
    amountMinor: averageMinor,
    acceptedPerMonth: perMonth(answered('accepted'), now),
  });
  const reviewRefund = reviewsOf(costs, units);
  const { refund, accept } = judged.costMinor;
  const toRefund = reviewRefund.value;
  return {
    dimension,
    value,
    units: units.length,
    refunded: idsOf(answered('refunded')),
    accepted: idsOf(answered('accepted')),
    reviewed: idsOf(units.filter(({ reviewed }) => reviewed)),
    unanswered: idsOf(answered('unanswered')),
    averageMinor,
    ...shares,
    packs: packsOf(units),
    reviewRefund,
    reviewMinor: Math.round(costs.handlingMinor + toRefund * refund + (1 - toRefund) * accept),
    ...judged,
    assumed: assumedOf(costs, { ...shares, reviewRefund }, isRatioAssumed),
  };
}

export function sharesOf(costs: CostTerms, curves: Curves, others: readonly Curves[]): Shares {
  const share = (name: keyof Shares, fallback: FallbackShare): Share =>
    shareOf(curves[name], fallback, lentBy(others.map((each) => each[name])));
  const set = (name: TermName, value: number): FallbackShare => ({
    value,
    source: sourceOf(costs, name),
  });
  return {
    dispute: share('dispute', set('dispute_rate', costs.disputeRate)),
    leak: share('leak', { value: 0, source: 'assumed' }),
    second: share('second', { value: 0, source: 'assumed' }),
    contested: share('contested', set('contest_rate', costs.contestRate)),
    won: share('won', set('win_rate', costs.winRate)),
  };
}

function sourceOf({ assumed }: CostTerms, name: TermName): 'model' | 'assumed' {
  return assumed[name] === undefined ? 'model' : 'assumed';
}

/** The terms of the segment: fees by the networks of its complaints, the ratio by their schemes. */
export function termsOf(
  { ratioMinor, recentDisputes = {} }: EconomicsInputs,
  costs: CostTerms,
  units: readonly Pick<Unit, 'merchantId' | 'network' | 'scheme'>[],
): { readonly terms: Terms; readonly isRatioAssumed: boolean } {
  const mean = (figure: (unit: (typeof units)[number]) => number): number =>
    units.reduce((sum, unit) => sum + figure(unit), 0) / Math.max(1, units.length);
  const { headroom, fineMinor } = costs.ratio;
  const byModel = ({ merchantId }: Pick<Unit, 'merchantId'>): number =>
    (recentDisputes[merchantId ?? ''] ?? 0) >= headroom ? fineMinor : 0;
  const known = units.map((unit) => ratioMinor?.(unit));
  return {
    isRatioAssumed: known.some((each) => each === undefined),
    terms: {
      disputeFeeMinor: costs.chargebackFeeMinor,
      handlingMinor: costs.handlingMinor,
      ratioMinor: mean((unit) => ratioMinor?.(unit) ?? byModel(unit)),
      alertFeeMinor: mean(({ network }) => costs.alertFeeMinor[network ?? ''] ?? 0),
      collectRate: costs.collectRate,
    },
  };
}

/** Complaints accepted a month, of the last 90 days. */
function perMonth(accepted: readonly Unit[], now: Date): number {
  const since = now.getTime() - 90 * DAY_MS;
  return accepted.filter(({ answeredAt }) => answeredAt.getTime() > since).length / 3;
}

export function reviewsOf(costs: CostTerms, units: readonly Unit[]): Segment['reviewRefund'] {
  const reviewed = units.filter(({ reviewed: by, answer }) => by && answer !== 'unanswered');
  if (reviewed.length < REVIEWS_MIN) {
    return { value: costs.reviewRefundRate, source: sourceOf(costs, 'review_refund_rate') };
  }
  const refunded = reviewed.filter(({ answer }) => answer === 'refunded');
  return { value: refunded.length / reviewed.length, source: 'observed' };
}

function packsOf(units: readonly Unit[]): PackVersion[] {
  const versions = new Map<number, { won: number; lost: number; open: number }>();
  for (const { contest } of units) {
    if (contest === null) continue;
    const counts = versions.get(contest.version) ?? { won: 0, lost: 0, open: 0 };
    versions.set(contest.version, { ...counts, [contest.end]: counts[contest.end] + 1 });
  }
  return [...versions]
    .map(([version, ends]) => ({ version, ...ends }))
    .toSorted((one, other) => one.version - other.version);
}

/** The model's own gaps, but for what was counted. */
function assumedOf(
  { assumed }: CostTerms,
  { leak, second, ...counted }: Shares & Pick<Segment, 'reviewRefund'>,
  isRatioAssumed: boolean,
): Segment['assumed'] {
  const by: Readonly<Record<string, { readonly source: string }>> = {
    win_rate: counted.won,
    dispute_rate: counted.dispute,
    contest_rate: counted.contested,
    review_refund_rate: counted.reviewRefund,
    ratio: { source: isRatioAssumed ? 'assumed' : 'observed' },
  };
  const left = Object.entries(assumed).filter(([name]) => by[name]?.source !== 'observed');
  return {
    ...Object.fromEntries(left),
    ...(leak.source === 'observed' ? {} : { dispute_after_refund: '0 %' }),
    ...(second.source === 'observed' ? {} : { second_alert: '0 %' }),
  };
}

function idsOf(units: readonly Unit[]): string[] {
  return units.flatMap(({ alertIds }) => alertIds);
}
