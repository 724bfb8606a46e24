/**
 * Says which charge an alert is about, or that it cannot be said.
 *
 * Exactly one candidate, or none: the matcher never chooses among several, and a charge that
 * contradicts the alert in a fact that cannot change (last 4, BIN, ARN, code) is not its charge,
 * whatever else agrees. ARNs and codes are recycled, so neither counts alone.
 *
 * @example
 * const match = matchAlert(alertFactsOf(alertRow), mergeCandidates(charges), DEFAULT_MATCH_SETTINGS);
 * match.outcome; // 'single' | 'none' | 'several'
 */
import type { AlertFacts } from './alert-facts.ts';
import type { Comparison, Evidence } from './compare.ts';
import { compare } from './compare.ts';
import type { MatchSettings, MatchTier } from './match-settings.ts';
import { MATCH_TIERS } from './match-settings.ts';
import type { Candidate } from './merge-candidates.ts';

export type MatchOutcome = 'single' | 'none' | 'several';

/** A candidate with what speaks for and against it. */
export interface RankedCandidate {
  readonly reference: string;
  readonly orderReference: string | null;
  readonly sources: readonly string[];
  /** The strongest tier it clears; null when it clears none. */
  readonly tier: MatchTier | null;
  readonly score: number;
  readonly for: readonly string[];
  readonly against: readonly string[];
  /** A fact that cannot differ within one payment differs: it is another payment. */
  readonly contradicted: boolean;
}

/** The result, with everything a person needs to check it. */
export interface MatchResult {
  readonly outcome: MatchOutcome;
  /** Null unless the outcome is `single`. */
  readonly chargeReference: string | null;
  readonly tier: MatchTier | null;
  /** What was found about the charge; empty unless the outcome is `single`. */
  readonly evidence: readonly Evidence[];
  /** Why this outcome, in a sentence. */
  readonly sentence: string;
  /** Every candidate, best first. */
  readonly candidates: readonly RankedCandidate[];
  readonly runnerUp: string | null;
  /** How far the best score lies above the next; null with fewer than two candidates. */
  readonly margin: number | null;
}

/** One candidate on its way through the matcher. */
interface Judged {
  readonly candidate: Candidate;
  readonly comparison: Comparison;
  readonly contradicted: boolean;
  /** Index into the tiers; `NO_TIER` when none is cleared. */
  readonly rank: number;
}

const NO_TIER = MATCH_TIERS.length;

/** What each tier asks for, and how it is said. */
const TIER_RULES: Readonly<
  Record<
    MatchTier,
    {
      readonly text: string;
      readonly clears: (found: Comparison, settings: MatchSettings) => boolean;
    }
  >
> = {
  transaction_reference: {
    text: "the service's own transaction reference",
    clears: ({ verdicts }) => verdicts.transaction_reference === 'agrees',
  },
  arn: {
    text: 'the ARN with last 4 digits or BIN',
    clears: (found, settings) =>
      found.verdicts.arn === 'agrees' &&
      found.verdicts.currency !== 'differs' &&
      (found.verdicts.card_last4 === 'agrees' || isBackedByBin(found, settings)),
  },
  authorisation_code: {
    text: 'the authorisation code with last 4 digits and date',
    clears: (found, settings) =>
      found.verdicts.authorisation_code === 'agrees' &&
      found.verdicts.card_last4 === 'agrees' &&
      found.verdicts.currency !== 'differs' &&
      isWithinWindow(found, settings),
  },
  card_and_amount: {
    text: 'BIN, last 4 digits, brand, amount, currency and date',
    clears: (found, settings) =>
      found.verdicts.card_bin === 'agrees' &&
      found.verdicts.card_last4 === 'agrees' &&
      found.verdicts.card_brand === 'agrees' &&
      hasExactAmount(found) &&
      isWithinWindow(found, settings),
  },
};

/** How a tier reads in a sentence. */
export function tierText(tier: MatchTier): string {
  return TIER_RULES[tier].text;
}

/** Finds the one charge, or says why there is none. Pure; the order of `candidates` does not matter. */
export function matchAlert(
  alert: AlertFacts,
  candidates: readonly Candidate[],
  settings: MatchSettings,
): MatchResult {
  const judged = candidates.map((candidate) => judge(alert, candidate, settings)).sort(byStrength);
  const standing = judged.filter(({ contradicted, rank }) => !contradicted && rank < NO_TIER);
  const [best] = standing;
  const ranked = judged.map(describe);
  const [, second] = ranked;
  const shared = {
    candidates: ranked,
    runnerUp: second?.reference ?? null,
    margin: second === undefined ? null : (ranked[0]?.score ?? 0) - second.score,
  };
  if (best === undefined) {
    return { ...nothing('none', noneSentence(ranked)), ...shared };
  }
  const rivals = rivalsOf(best, judged, settings);
  if (rivals.length > 0) {
    const names = [best, ...rivals].map(({ candidate }) => candidate.charge.reference);
    return { ...nothing('several', severalSentence(names)), ...shared };
  }
  const tier = MATCH_TIERS[best.rank] ?? null;
  const reference = best.candidate.charge.reference;
  return {
    outcome: 'single',
    chargeReference: reference,
    tier,
    evidence: best.comparison.evidence,
    sentence: `Charge ${reference} is the only one that agrees in ${tier === null ? 'nothing' : tierText(tier)}.`,
    ...shared,
  };
}

/**
 * Who else might be meant. All of the same tier; and those of a weaker tier too, unless the best one
 * also agrees in amount and currency: a strong key with another amount does not outweigh a weaker
 * one with the right amount. Card and amount name no single payment by themselves, so there even a
 * charge counts of which we know too little, as long as nothing known speaks against it.
 */
function rivalsOf(best: Judged, judged: readonly Judged[], settings: MatchSettings): Judged[] {
  const others = judged.filter((other) => other !== best && !other.contradicted);
  const exact = hasExactAmount(best.comparison);
  const standing = others.filter(({ rank }) => (exact ? rank === best.rank : rank < NO_TIER));
  if (MATCH_TIERS[best.rank] !== 'card_and_amount') return standing;
  const possible = others.filter(
    ({ rank, comparison }) => rank === NO_TIER && couldBe(comparison, settings),
  );
  return [...standing, ...possible];
}

/** Whether amount, currency and date allow it; card digits that differ were a contradiction. */
function couldBe({ verdicts, daysApart }: Comparison, settings: MatchSettings): boolean {
  return (
    verdicts.amount !== 'differs' &&
    verdicts.currency !== 'differs' &&
    (daysApart === null || daysApart <= settings.exactWindowDays)
  );
}

function judge(alert: AlertFacts, candidate: Candidate, settings: MatchSettings): Judged {
  const comparison = compare(alert, candidate.charge, settings);
  const rank = MATCH_TIERS.findIndex((tier) => TIER_RULES[tier].clears(comparison, settings));
  return {
    candidate,
    comparison,
    contradicted: comparison.evidence.some((entry) => entry.contradicts),
    rank: rank === -1 ? NO_TIER : rank,
  };
}

function hasExactAmount({ verdicts }: Comparison): boolean {
  return verdicts.amount === 'agrees' && verdicts.currency === 'agrees';
}

/** Millions of cards share a BIN, so without the last 4 digits the amount or the date must fit too. */
function isBackedByBin(found: Comparison, settings: MatchSettings): boolean {
  if (found.verdicts.card_bin !== 'agrees') return false;
  return hasExactAmount(found) || isWithinWindow(found, settings);
}

function isWithinWindow(found: Comparison, settings: MatchSettings): boolean {
  const windowDays = hasExactAmount(found) ? settings.exactWindowDays : settings.windowDays;
  return found.daysApart !== null && found.daysApart <= windowDays;
}

/** Standing before contradicted, stronger tier, higher score; the reference settles what is equal. */
function byStrength(a: Judged, b: Judged): number {
  if (a.contradicted !== b.contradicted) return a.contradicted ? 1 : -1;
  if (a.rank !== b.rank) return a.rank - b.rank;
  const byScore = b.comparison.score - a.comparison.score;
  if (byScore !== 0) return byScore;
  return a.candidate.charge.reference < b.candidate.charge.reference ? -1 : 1;
}

function describe({ candidate, comparison, contradicted, rank }: Judged): RankedCandidate {
  const texts = (wanted: 'agrees' | 'differs'): string[] =>
    comparison.evidence.filter(({ verdict }) => verdict === wanted).map(({ text }) => text);
  return {
    reference: candidate.charge.reference,
    orderReference: candidate.charge.orderReference,
    sources: candidate.sources,
    tier: MATCH_TIERS[rank] ?? null,
    score: comparison.score,
    for: texts('agrees'),
    against: texts('differs'),
    contradicted,
  };
}

function nothing(
  outcome: 'none' | 'several',
  sentence: string,
): Pick<MatchResult, 'outcome' | 'chargeReference' | 'tier' | 'evidence' | 'sentence'> {
  return { outcome, chargeReference: null, tier: null, evidence: [], sentence };
}

function severalSentence(references: readonly string[]): string {
  return `${references.length} charges could be meant (${references.slice(0, 5).join(', ')}); none is chosen.`;
}

function noneSentence(ranked: readonly RankedCandidate[]): string {
  const [nearest] = ranked;
  if (nearest === undefined) return 'No charge shares an identifier with this alert.';
  const why = nearest.against.length > 0 ? nearest.against.join(', ') : 'too little agrees';
  return `No charge agrees in enough; the nearest, ${nearest.reference}, fails because: ${why}.`;
}
