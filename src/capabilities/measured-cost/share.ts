/** A share as it is shown: counted with an interval, or the model's value where nothing was counted. Pure. */
import type { BetaPrior, Interval } from '../../base/kernel/confidence-sequence.ts';
import { confidenceSequence, FLAT } from '../../base/kernel/confidence-sequence.ts';
import type { Curve } from './delay-curve.ts';

export interface Share {
  /** From 0 to 1. */
  readonly value: number;
  /** Counted; or set in the cost model; or assumed, because it is neither. */
  readonly source: 'observed' | 'model' | 'assumed';
  /** Holds however often one looks; null: nothing was counted. */
  readonly interval: Interval | null;
  /** Cases in all, those that have had their time, and those in which it happened. */
  readonly cases: number;
  readonly matured: number;
  readonly events: number;
  /** As many cases with their whole time say as much. */
  readonly worth: number;
  /** What the siblings say beforehand; null: there are none. */
  readonly prior: BetaPrior | null;
}

/** The share where nothing was counted: set in the cost model, or assumed. */
export interface FallbackShare {
  readonly value: number;
  readonly source: 'model' | 'assumed';
}

/**
 * Borrowed from the siblings as far as the segment has few cases of its own. While no week of the window was lived
 * through by enough cases, the counted share is only the least that it can be, and the fallback is shown.
 */
export function shareOf(
  curve: Curve,
  fallback: FallbackShare,
  prior: BetaPrior | null = null,
): Share {
  const { cases, matured, events, share, worth, isOpen } = curve;
  const counts = { cases, matured, events, worth, prior };
  if (cases === 0) return { ...fallback, interval: null, ...counts };
  const { low, high } = confidenceSequence(share * worth, worth, prior ?? FLAT);
  if (isOpen) {
    const value = Math.max(low, fallback.value);
    return { ...fallback, value, interval: { low, high: 1 }, ...counts };
  }
  const borrowed = prior === null ? 0 : prior.yes + prior.no;
  const value = ((prior?.yes ?? 0) + share * worth) / (borrowed + worth);
  return { value, source: 'observed', interval: { low, high }, ...counts };
}

/** What siblings lend at most, in cases: a segment of its own soon outweighs them. */
const LENT_MAX = 20;
const LENT_MIN = 2;

/**
 * The beta distribution of the siblings' shares, by their moments: alike siblings lend much, unlike ones little. Null
 * where fewer than two siblings were counted.
 */
export function lentBy(siblings: readonly Curve[]): BetaPrior | null {
  const known = siblings.filter(({ isOpen, worth }) => !isOpen && worth >= 5);
  const weight = known.reduce((sum, { worth }) => sum + worth, 0);
  if (known.length < 2 || weight === 0) return null;
  const mean = known.reduce((sum, { share, worth }) => sum + share * worth, 0) / weight;
  const spread =
    known.reduce((sum, { share, worth }) => sum + worth * (share - mean) ** 2, 0) / weight;
  const byChance = (mean * (1 - mean) * known.length) / weight;
  const between = Math.max(0, spread - byChance);
  const alike = between === 0 ? LENT_MAX : (mean * (1 - mean)) / between - 1;
  const lent = Math.min(LENT_MAX, Math.max(LENT_MIN, alike));
  const inside = Math.min(0.98, Math.max(0.02, mean));
  return { yes: lent * inside, no: lent * (1 - inside) };
}
