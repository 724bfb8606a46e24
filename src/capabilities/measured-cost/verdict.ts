/**
 * Refund, accept, or not known: for one segment, from what each share may be. Pure. Console, command, JSON and the
 * figures of a month read this one function.
 *
 * Both answers pay for the alert. A refund costs the amount, and a dispute as often as one comes anyway. Accepting
 * costs a dispute as often as one comes, and a second alert or RDR, its price and the amount, as often as one follows.
 * A dispute costs its fee, a person's time, the price of the ratio, and what of the amount is not won back.
 */
import { casesToTell, FLAT } from '../../base/kernel/confidence-sequence.ts';
import type { Share } from './share.ts';

/** What a dispute and an alert cost, in minor units of the model's currency. */
export interface Terms {
  readonly disputeFeeMinor: number;
  readonly handlingMinor: number;
  /** What one dispute more costs by bringing a line of a programme nearer. */
  readonly ratioMinor: number;
  readonly alertFeeMinor: number;
  /** The part of a won amount that comes back. */
  readonly collectRate: number;
}

export interface Shares {
  /** Accepted: a dispute came. */
  readonly dispute: Share;
  /** Refunded: a dispute came anyway. */
  readonly leak: Share;
  /** Accepted: a second alert or RDR came. */
  readonly second: Share;
  /** Disputes that are contested. */
  readonly contested: Share;
  /** Contested ones that are won. */
  readonly won: Share;
}

/** One point of what the shares may be. */
export type Point = Readonly<Record<keyof Shares, number>>;

export type Verdict =
  /** Refunding is cheaper up to this amount; null: whatever the amount. */
  | { readonly kind: 'refund'; readonly upToMinor: number | null }
  /** Accepting is cheaper above it. */
  | { readonly kind: 'accept'; readonly aboveMinor: number }
  | {
      readonly kind: 'unknown';
      readonly fromMinor: number;
      /** Null: without an end. */
      readonly toMinor: number | null;
      /** Accepted cases with their whole time that would tell; null: the two cost about the same. */
      readonly moreCases: number | null;
      /** Months until then at the present rate; null: none is accepted, or nothing would tell. */
      readonly months: number | null;
    };

export interface Judged {
  readonly verdict: Verdict;
  /** Where both cost the same, by the shares as they are shown; null: refunding is cheaper at any amount. */
  readonly breakEvenMinor: number | null;
  readonly costMinor: { readonly refund: number; readonly accept: number };
  /** Part of both costs: what the ratio adds. */
  readonly ratioMinor: number;
  /** Nothing of it was counted: every share is assumed. */
  readonly isAssumed: boolean;
}

export interface Judgement {
  readonly terms: Terms;
  readonly shares: Shares;
  /** Of the segment, on average. */
  readonly amountMinor: number;
  /** Accepted cases a month. */
  readonly acceptedPerMonth: number;
}

export function judge({ terms, shares, amountMinor, acceptedPerMonth }: Judgement): Judged {
  const shown = pointOf(shares, ({ value }) => value);
  const breakEven = breakEvenOf(terms, shown);
  const cost = costsOf(terms, shown, amountMinor);
  const counted = Object.values(shares).some(({ interval }) => interval !== null);
  const base = {
    breakEvenMinor: breakEven,
    costMinor: { refund: Math.round(cost.refund), accept: Math.round(cost.accept) },
    ratioMinor: Math.round(shown.dispute * terms.ratioMinor),
    isAssumed: !counted,
  };
  if (!counted) {
    const verdict: Verdict =
      breakEven === null || amountMinor <= breakEven
        ? { kind: 'refund', upToMinor: breakEven }
        : { kind: 'accept', aboveMinor: breakEven };
    return { ...base, verdict };
  }
  const least = breakEvenOf(terms, mostFor(shares, 'accept'));
  const most = breakEvenOf(terms, mostFor(shares, 'refund'));
  if (least === null || amountMinor <= least) {
    return { ...base, verdict: { kind: 'refund', upToMinor: least } };
  }
  if (most !== null && amountMinor > most) {
    return { ...base, verdict: { kind: 'accept', aboveMinor: most } };
  }
  const more = moreCases(terms, { shares, shown, amountMinor });
  return {
    ...base,
    verdict: {
      kind: 'unknown',
      fromMinor: least,
      toMinor: most,
      moreCases: more,
      months: more === null || acceptedPerMonth <= 0 ? null : more / acceptedPerMonth,
    },
  };
}

export function pointOf(shares: Shares, pick: (share: Share, name: keyof Shares) => number): Point {
  return {
    dispute: pick(shares.dispute, 'dispute'),
    leak: pick(shares.leak, 'leak'),
    second: pick(shares.second, 'second'),
    contested: pick(shares.contested, 'contested'),
    won: pick(shares.won, 'won'),
  };
}

/** Which end of a share speaks for accepting. */
const FOR_ACCEPT: Readonly<Record<keyof Shares, 'low' | 'high'>> = {
  dispute: 'low',
  leak: 'high',
  second: 'low',
  contested: 'high',
  won: 'high',
};

/** The end of every interval that speaks most for one answer. */
export function mostFor(shares: Shares, answer: 'accept' | 'refund'): Point {
  return pointOf(shares, ({ value, interval }, name) => {
    const isLow = (FOR_ACCEPT[name] === 'low') === (answer === 'accept');
    return isLow ? (interval?.low ?? value) : (interval?.high ?? value);
  });
}

/** What of a disputed amount is lost, on average. */
export function lostOf({ collectRate }: Terms, { contested, won }: Point): number {
  return 1 - contested * won * collectRate;
}

export function fixedOf({ disputeFeeMinor, handlingMinor, ratioMinor }: Terms): number {
  return disputeFeeMinor + handlingMinor + ratioMinor;
}

/** Of one alert, its price included. */
export function costsOf(
  terms: Terms,
  point: Point,
  amountMinor: number,
): { readonly refund: number; readonly accept: number } {
  const dispute = fixedOf(terms) + amountMinor * lostOf(terms, point);
  const { alertFeeMinor } = terms;
  return {
    refund: alertFeeMinor + amountMinor + point.leak * dispute,
    accept: alertFeeMinor + point.dispute * dispute + point.second * (alertFeeMinor + amountMinor),
  };
}

/** Where both cost the same: `amount + leak·D = dispute·D + second·(fee + amount)` with `D = fixed + amount·lost`. */
function breakEvenOf(terms: Terms, point: Point): number | null {
  const more = point.dispute - point.leak;
  const slope = 1 - more * lostOf(terms, point) - point.second;
  if (slope <= 0) return null;
  const fixed = more * fixedOf(terms) + point.second * terms.alertFeeMinor;
  return Math.max(0, Math.round(fixed / slope));
}

/** How many accepted cases more would take the amount out of what is not known, at the share observed. */
function moreCases(
  terms: Terms,
  {
    shares,
    shown,
    amountMinor,
  }: { readonly shares: Shares; readonly shown: Point; readonly amountMinor: number },
): number | null {
  const dispute = fixedOf(terms) + amountMinor * lostOf(terms, shown);
  const second = shown.second * (terms.alertFeeMinor + amountMinor);
  const threshold = shown.leak + (amountMinor - second) / dispute;
  const { value, prior, worth } = shares.dispute;
  const needed = casesToTell(value, threshold, prior ?? FLAT);
  return needed === undefined ? null : Math.max(1, Math.ceil(needed - worth));
}
