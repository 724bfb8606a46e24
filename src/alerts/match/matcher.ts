/**
 * Says which charge an alert is about, or that it cannot be said.
 *
 * Exactly one candidate, or none: the matcher never chooses among several, and a charge that
 * contradicts the alert in a fact that cannot change (last 4, BIN, ARN, code) is not its charge,
 * whatever else agrees. ARNs and codes are recycled, so neither counts alone. What agrees only by a
 * weaker sign (a wallet's token, another currency, a part of the amount) is laid before a person.
 *
 * @example
 * const match = matchAlert(alertFactsOf(alertRow), mergeCandidates(charges), DEFAULT_MATCH_SETTINGS);
 * match.outcome; // 'single' | 'none' | 'several'
 */
import type { ChargeRecord } from '../../orders/charge-record.ts';
import type { AlertFacts } from './alert-facts.ts';
import type { Comparison, Evidence } from './compare.ts';
import { compare } from './compare.ts';
import type { MatchSettings, MatchTier, WeakSign } from './match-settings.ts';
import { MATCH_TIERS, WEAK_SIGNS } from './match-settings.ts';
import type { Candidate } from './merge-candidates.ts';
import { hasExactAmount, isFree, TIER_RULES, tierText, WEAK_RULES } from './tiers.ts';

export type MatchOutcome = 'single' | 'none' | 'several';

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
  /** Of the best candidate; null without one. */
  readonly score: number | null;
  readonly runnerUp: string | null;
  /** How far the best score lies above the next; null with fewer than two candidates. */
  readonly margin: number | null;
  /** The best candidate's sign where no candidate clears the bar. */
  readonly weakSign: WeakSign | null;
}

/** One candidate on its way through the matcher. */
interface Judged {
  readonly candidate: Candidate;
  readonly comparison: Comparison;
  /** The strongest tier that is cleared and may name a charge by itself. */
  readonly tier: MatchTier | null;
  readonly sign: WeakSign | null;
  /** Nothing contradicts. */
  readonly free: boolean;
  /** Place among the tiers, then the signs; smaller is stronger. */
  readonly rank: number;
}

/** Finds the one charge, or says why there is none. Pure; the order of `candidates` does not matter. */
export function matchAlert(
  alert: AlertFacts,
  candidates: readonly Candidate[],
  settings: MatchSettings,
): MatchResult {
  const judged = candidates.map((candidate) => judge(alert, candidate, settings)).sort(byStrength);
  const [first, second] = judged;
  const best = first?.tier == null ? undefined : { ...first, tier: first.tier };
  const shared = {
    candidates: judged.map(describeCandidate),
    score: first?.comparison.score ?? null,
    runnerUp: second?.candidate.charge.reference ?? null,
    margin:
      first === undefined || second === undefined
        ? null
        : first.comparison.score - second.comparison.score,
    weakSign: best === undefined ? (first?.sign ?? null) : null,
  };
  if (best === undefined) return { ...nothing('none', noneSentence(first)), ...shared };
  const rivals = rivalsOf(best, judged.slice(1), settings);
  if (rivals.length > 0) {
    const names = [best, ...rivals].map(({ candidate }) => candidate.charge.reference);
    return { ...nothing('several', severalSentence(names)), ...shared };
  }
  const { reference } = best.candidate.charge;
  return {
    ...shared,
    outcome: 'single',
    chargeReference: reference,
    tier: best.tier,
    evidence: best.comparison.evidence,
    sentence: `Charge ${reference} is the only one that agrees in ${tierText(best.tier)}.`,
  };
}

/**
 * Who else might be meant, of those that nothing contradicts. All of the same tier; all that clear a
 * tier and score nearly as much, because two strong keys that name two charges cannot both be right;
 * and those of a weaker tier too, unless the best one also agrees in amount and currency: a strong key
 * with another amount does not outweigh a weaker one with the right amount. Card and amount name no
 * single payment by themselves, so there even a charge counts of which we know too little.
 */
function rivalsOf(
  best: Judged & { readonly tier: MatchTier },
  others: readonly Judged[],
  settings: MatchSettings,
): Judged[] {
  const exact = hasExactAmount(best.comparison);
  return others.filter((other) => {
    if (other.tier !== null) {
      const lead = best.comparison.score - other.comparison.score;
      return !exact || other.tier === best.tier || lead < settings.marginMin;
    }
    return best.tier === 'card_and_amount' && other.free && couldBe(other.comparison, settings);
  });
}

/**
 * Whether amount, currency and date allow it; card digits that differ were a contradiction. Of the card
 * something must be known: alerts are about cards, and a charge without any digits hardly was one.
 */
function couldBe({ verdicts, daysApart }: Comparison, settings: MatchSettings): boolean {
  return (
    (verdicts.card_last4 === 'agrees' || verdicts.card_bin === 'agrees') &&
    verdicts.amount !== 'differs' &&
    verdicts.currency !== 'differs' &&
    (daysApart === null || daysApart <= settings.exactWindowDays)
  );
}

function judge(alert: AlertFacts, candidate: Candidate, settings: MatchSettings): Judged {
  const comparison = compare(alert, candidate, settings);
  const tier = MATCH_TIERS.find(
    (name) => settings.automaticTiers.has(name) && TIER_RULES[name].clears(comparison, settings),
  );
  const sign = WEAK_SIGNS.find((name) => WEAK_RULES[name].clears(comparison, settings));
  const free = isFree(comparison);
  return {
    candidate,
    comparison,
    tier: tier ?? null,
    sign: tier === undefined ? (sign ?? null) : null,
    free,
    rank: rankOf(tier, sign, free),
  };
}

function rankOf(tier: MatchTier | undefined, sign: WeakSign | undefined, free: boolean): number {
  if (tier !== undefined) return MATCH_TIERS.indexOf(tier);
  if (sign !== undefined) return MATCH_TIERS.length + WEAK_SIGNS.indexOf(sign);
  return MATCH_TIERS.length + WEAK_SIGNS.length + (free ? 0 : 1);
}

/** Stronger tier or sign, nothing before a contradiction, higher score; the reference settles ties. */
function byStrength(a: Judged, b: Judged): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  const byScore = b.comparison.score - a.comparison.score;
  if (byScore !== 0) return byScore;
  return a.candidate.charge.reference < b.candidate.charge.reference ? -1 : 1;
}

/**
 * What an alert says of one charge, looked at without the others that it may be about. `named`: by the service's reference, by
 * ARN or by code. `contradicted`: so too, and a fact that one payment has only once speaks against it. `possible`: card and
 * amount, which a twin shares, or a weaker sign.
 */
export type Meant = 'named' | 'contradicted' | 'possible' | 'not';

/** Tiers by an identifier: they name a charge whatever other charges there are. */
const NAMING_TIERS: ReadonlySet<MatchTier> = new Set([
  'transaction_reference',
  'arn',
  'authorisation_code',
]);

/** Judges one charge as {@link matchAlert} judges each candidate. Pure. */
export function meantBy(alert: AlertFacts, charge: ChargeRecord, settings: MatchSettings): Meant {
  const candidate = { charge, sources: [charge.source] };
  const { tier, sign, comparison } = judge(alert, candidate, settings);
  if (tier !== null) return NAMING_TIERS.has(tier) ? 'named' : 'possible';
  if (isNamedDespite(comparison, settings)) return 'contradicted';
  // Other digits of the same price on the same day are another customer's far more often than a wallet's.
  return sign === null || sign === 'wallet_token' ? 'not' : 'possible';
}

/**
 * Whether an identifier names the charge, whatever else differs. The service goes by card and amount alone where it knows no
 * number, and may then name another payment of the same card: number, card and amount say this charge all the same.
 */
function isNamedDespite(found: Comparison, { apartDays }: MatchSettings): boolean {
  const { verdicts, daysApart } = found;
  if (verdicts.transaction_reference === 'agrees') return true;
  if (isFree(found) || verdicts.card_last4 !== 'agrees' || (daysApart ?? 0) > apartDays)
    return false;
  const isNumbered = verdicts.arn === 'agrees' || verdicts.authorisation_code === 'agrees';
  return isNumbered && (verdicts.transaction_reference === 'unknown' || hasExactAmount(found));
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

function noneSentence(nearest: Judged | undefined): string {
  if (nearest === undefined) return 'No charge shares an identifier with this alert.';
  const { reference } = nearest.candidate.charge;
  if (nearest.sign !== null) {
    return `No charge is certain. ${reference} could be meant: ${tierText(nearest.sign)}.`;
  }
  const against = nearest.comparison.evidence.filter(({ verdict }) => verdict === 'differs');
  const why = against.length > 0 ? against.map(({ text }) => text).join(', ') : 'too little agrees';
  return `No charge agrees in enough; the nearest, ${reference}, fails because: ${why}.`;
}

// A candidate as it is stored and laid beside the others: what the charge is, what speaks for
// it and what against, and how far that goes.

/** A candidate with what speaks for and against it. */
interface RankedCandidate {
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
function describeCandidate(judged: {
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
