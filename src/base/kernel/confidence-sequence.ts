/**
 * An interval for a share that holds however often one looks: the beta-binomial confidence sequence (Robbins' mixture;
 * Howard, Ramdas, McAuliffe, Sekhon 2021). Pure.
 *
 * After `events` of `cases`, a share p is left out once the mixture of likelihoods, weighted by a beta distribution chosen
 * beforehand, is 1/alpha times the likelihood of p. By Ville's inequality the true share is ever left out, at any of
 * infinitely many looks, with probability alpha at most. Any beta distribution keeps that; one that is near the truth
 * makes the interval narrow.
 */

/** What is known of a share from elsewhere, as a beta distribution: as if `yes` of `yes + no` cases had been counted. */
export interface BetaPrior {
  readonly yes: number;
  readonly no: number;
}

/** Nothing is known beforehand. */
export const FLAT: BetaPrior = { yes: 1, no: 1 };

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The chance of ever being wrong. */
export const ALPHA = 0.05;

/** Halvings of [0, 1]: far below what anybody prints. */
const STEPS = 48;

/** @param events may be a fraction, where cases that have had part of their time count in part; from 0 to `cases` */
export function confidenceSequence(
  events: number,
  cases: number,
  prior: BetaPrior = FLAT,
  alpha = ALPHA,
): Interval {
  if (cases <= 0) return { low: 0, high: 1 };
  const yes = Math.min(Math.max(events, 0), cases);
  const no = cases - yes;
  const mixture = logBeta(prior.yes + yes, prior.no + no) - logBeta(prior.yes, prior.no);
  const bound = mixture + Math.log(alpha);
  const isIn = (p: number): boolean => times(yes, Math.log(p)) + times(no, Math.log1p(-p)) > bound;
  const peak = yes / cases;
  return {
    low: isIn(0) || yes === 0 ? 0 : edge(0, peak, isIn),
    high: isIn(1) || no === 0 ? 1 : edge(1, peak, isIn),
  };
}

/** 0 × −∞ is 0 here: what did not happen says nothing. */
function times(count: number, log: number): number {
  return count === 0 ? 0 : count * log;
}

/** Where, on the way from `outside` to `inside`, the interval begins; the point given lies outside it or on its edge. */
function edge(outside: number, inside: number, isIn: (p: number) => boolean): number {
  let [out, within] = [outside, inside];
  for (let step = 0; step < STEPS; step++) {
    const middle = (out + within) / 2;
    if (isIn(middle)) within = middle;
    else out = middle;
  }
  return out;
}

export function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/** Below this the series of Stirling is not exact enough; the recurrence leads above it. */
const STIRLING_FROM = 10;

/** The logarithm of the gamma function for x > 0, by Stirling's series; exact to about 12 digits. */
export function logGamma(x: number): number {
  let [argument, shift] = [x, 0];
  while (argument < STIRLING_FROM) {
    shift += Math.log(argument);
    argument += 1;
  }
  const inverse = 1 / argument;
  const square = inverse * inverse;
  const series =
    inverse *
    (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))));
  const half = 0.5 * Math.log(2 * Math.PI);
  return (argument - 0.5) * Math.log(argument) - argument + half + series - shift;
}

/** For how many cases an interval of a mean is narrowest. */
const TUNED_FOR = 200;

/**
 * Half the width of an interval for a mean that holds however often one looks, from some dozens of cases on: the
 * asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas 2021).
 *
 * @param spread the standard deviation of one case
 */
export function meanHalfWidth(spread: number, cases: number, alpha = ALPHA): number {
  if (cases <= 0) return Infinity;
  const aim = -2 * Math.log(alpha);
  const rate = (aim + Math.log(aim) + 1) / TUNED_FOR;
  const grown = cases * rate + 1;
  return (
    spread * Math.sqrt(((2 * grown) / (cases * cases * rate)) * Math.log(Math.sqrt(grown) / alpha))
  );
}

/** Cases at most for which it is worked out when an interval would tell. */
const CASES_MAX = 1_000_000;

/**
 * How many cases in all it takes, at the share observed, until the interval leaves `threshold` out; undefined: more
 * than {@link CASES_MAX}, because the two lie too near each other.
 */
export function casesToTell(
  share: number,
  threshold: number,
  prior: BetaPrior = FLAT,
): number | undefined {
  const tells = (cases: number): boolean => {
    const { low, high } = confidenceSequence(share * cases, cases, prior);
    return threshold < low || threshold > high;
  };
  let most = 1;
  while (!tells(most)) {
    most *= 2;
    if (most > CASES_MAX) return undefined;
  }
  let least = most / 2;
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2);
    if (tells(middle)) most = middle;
    else least = middle;
  }
  return most;
}
