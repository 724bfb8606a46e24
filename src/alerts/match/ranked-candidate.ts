/**
 * A candidate as it is stored and laid beside the others: what the charge is, what speaks for it and
 * what against, and how far that goes.
 */
import type { Comparison } from './compare.ts';
import type { MatchTier, WeakSign } from './match-settings.ts';
import type { Candidate } from './merge-candidates.ts';

/** A candidate with what speaks for and against it. */
export interface RankedCandidate {
  readonly reference: string;
  readonly orderReference: string | null;
  readonly sources: readonly string[];
  /** The strongest tier it clears; null when it clears none. */
  readonly tier: MatchTier | null;
  /** The strongest weaker sign, where it clears no tier. */
  readonly sign: WeakSign | null;
  readonly score: number;
  readonly for: readonly string[];
  readonly against: readonly string[];
  /** A fact that cannot differ within one payment differs: it is another payment. */
  readonly contradicted: boolean;
  /** What a person compares with the alert. */
  readonly amountMinor: number;
  readonly currency: string;
  /** ISO 8601 UTC. */
  readonly authorisedAt: string | null;
  readonly cardLast4: string | null;
  readonly cardBrand: string | null;
  readonly descriptor: string | null;
}

/** The candidate as stored with the match. Pure. */
export function describeCandidate(judged: {
  readonly candidate: Candidate;
  readonly comparison: Comparison;
  readonly tier: MatchTier | null;
  readonly sign: WeakSign | null;
  readonly free: boolean;
}): RankedCandidate {
  const { candidate, comparison } = judged;
  const { charge } = candidate;
  const texts = (wanted: 'agrees' | 'differs'): string[] =>
    comparison.evidence.filter(({ verdict }) => verdict === wanted).map(({ text }) => text);
  return {
    reference: charge.reference,
    orderReference: charge.orderReference,
    sources: candidate.sources,
    tier: judged.tier,
    sign: judged.sign,
    score: comparison.score,
    for: texts('agrees'),
    against: texts('differs'),
    contradicted: !judged.free,
    amountMinor: charge.amountMinor,
    currency: charge.currency,
    authorisedAt: charge.authorisedAt,
    cardLast4: charge.cardLast4,
    cardBrand: charge.cardBrand,
    descriptor: charge.descriptor,
  };
}
