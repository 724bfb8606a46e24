/**
 * What a matcher made of alerts with known truth: right, wrong, left to a person; by situation and by
 * tier.
 */
import type { MatchResult } from '../../../src/alerts/match/matcher.ts';
import type { LabelledAlert } from './labelled-alerts.ts';

/** An alert, what was said about it, and the tier that its charge alone would have cleared. */
export interface JudgedAlert {
  readonly labelled: LabelledAlert;
  readonly result: MatchResult;
  /** Null: the true charge is not known, or clears no tier with what this alert tells. */
  readonly attainable: string | null;
}

export interface Tally {
  readonly name: string;
  count: number;
  /** Matched to the true charge. */
  right: number;
  /** Matched to another charge: each would be a false automatic refund. */
  wrong: number;
  /** Left to a person with the true charge among the candidates, or as the first of them. */
  shown: number;
  shownFirst: number;
  /** The true charge is known, so that it could have been shown. */
  showable: number;
}

function tallies(
  judged: readonly JudgedAlert[],
  nameOf: (entry: JudgedAlert) => string | null,
): Tally[] {
  const byName = new Map<string, Tally>();
  for (const entry of judged) {
    const name = nameOf(entry);
    if (name === null) continue;
    const tally = byName.get(name) ?? {
      ...{ name, count: 0, right: 0, wrong: 0, shown: 0, shownFirst: 0, showable: 0 },
    };
    byName.set(name, tally);
    add(tally, entry);
  }
  return [...byName.values()];
}

function add(tally: Tally, { labelled, result }: JudgedAlert): void {
  const { truth } = labelled;
  tally.count += 1;
  if (result.chargeReference === truth) tally.right += 1;
  else if (result.chargeReference !== null) tally.wrong += 1;
  else if (labelled.known.some(({ reference }) => reference === truth)) {
    tally.showable += 1;
    const place = result.candidates.findIndex(({ reference }) => reference === truth);
    if (place !== -1) tally.shown += 1;
    if (place === 0) tally.shownFirst += 1;
  }
}

/** By what made the alert hard. */
export function bySituation(judged: readonly JudgedAlert[]): Tally[] {
  return tallies(judged, ({ labelled }) => labelled.situation);
}

/** By the tier in which a charge was named: precision. */
export function byTier(judged: readonly JudgedAlert[]): Tally[] {
  return tallies(judged, ({ result }) => result.tier);
}

/** By the tier that the true charge clears when nothing else is around: recall. */
export function byAttainableTier(judged: readonly JudgedAlert[]): Tally[] {
  return tallies(judged, ({ attainable }) => attainable);
}

/** Of those counted, how many were matched to the true charge. */
export function shareRight({ right, count }: Tally): number {
  return count === 0 ? 1 : right / count;
}
