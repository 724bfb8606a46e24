/** Guarantee: over thousands of alerts with known truth no match is false, and recall stays where it is. */
import { describe, expect, test } from 'vitest';
import type { MatchSettings } from '../../../src/alerts/match/match-settings.ts';
import { DEFAULT_MATCH_SETTINGS, MATCH_TIERS } from '../../../src/alerts/match/match-settings.ts';
import { matchAlert } from '../../../src/alerts/match/matcher.ts';
import { mergeCandidates } from '../../../src/alerts/match/merge-candidates.ts';
import type { LabelledAlert, Situation } from './labelled-alerts.ts';
import { labelledAlerts, SITUATIONS, UNDECIDABLE } from './labelled-alerts.ts';
import type { JudgedAlert } from './labelled-report.ts';
import { byAttainableTier, bySituation, byTier, shareRight } from './labelled-report.ts';
import { RATES } from './labelled-world.ts';

const SETTINGS: MatchSettings = { ...DEFAULT_MATCH_SETTINGS, rates: RATES };
const PER_SITUATION = 400;
const COUNT = SITUATIONS.length * PER_SITUATION;
const SEEDS = [1, 20_260_310, 987_654_321];

function judge(labelled: LabelledAlert): JudgedAlert {
  const candidates = mergeCandidates(labelled.known);
  const truth = candidates.filter(({ charge }) => charge.reference === labelled.truth);
  return {
    labelled,
    result: matchAlert(labelled.alert, candidates, SETTINGS),
    attainable: matchAlert(labelled.alert, truth, SETTINGS).tier,
  };
}

describe.each(SEEDS)('seed %i', (seed) => {
  const judged = labelledAlerts(seed, COUNT).map(judge);
  const situations = new Map(bySituation(judged).map((tally) => [tally.name, tally]));

  test('no match is false', () => {
    const wrong = judged.filter(
      ({ labelled, result }) =>
        result.chargeReference !== null && result.chargeReference !== labelled.truth,
    );
    expect(wrong.map(({ labelled, result }) => ({ labelled, sentence: result.sentence }))).toEqual(
      [],
    );
  });

  test.each<Situation>([
    'recycled_arn_truth_unknown',
    'unknown_charge',
    'unknown_charge_with_twin',
    'foreign_currency_lookalike',
    'wallet_token_lookalike',
    'purchase_next_day',
    'reference_elsewhere',
    'no_card_digits',
  ])('%s names no charge', (situation) => {
    expect(situations.get(situation)).toMatchObject({ count: PER_SITUATION, right: 0, wrong: 0 });
  });

  test('other card digits alone, or another currency alone, name no charge', () => {
    const matched = judged.filter(
      ({ labelled: { situation }, result }) =>
        (situation === 'wallet_token' ||
          situation === 'renewed_card' ||
          situation === 'foreign_currency') &&
        result.chargeReference !== null,
    );
    // Without digits on the alert the token hides nothing: then ARN and BIN, or a code, may still agree.
    expect(matched.filter(({ labelled }) => labelled.alert.cardLast4 !== null)).toEqual([]);
    expect(matched.filter(({ labelled }) => labelled.situation === 'foreign_currency')).toEqual([]);
  });

  test('what is left to a person shows the true charge', () => {
    const shown = (situation: Situation): number => {
      const tally = situations.get(situation);
      return tally === undefined || tally.showable === 0 ? 0 : tally.shown / tally.showable;
    };
    expect(shown('duplicate_purchase')).toBe(1);
    expect(shown('purchase_next_day')).toBe(1);
    expect(shown('partial_amount')).toBe(1);
    expect(shown('wallet_token')).toBe(1);
  });

  test('every tier is right, and finds its share', () => {
    const precision = new Map(byTier(judged).map((tally) => [tally.name, shareRight(tally)]));
    const recall = new Map(
      byAttainableTier(judged).map((tally) => [tally.name, shareRight(tally)]),
    );
    const found = MATCH_TIERS.filter((tier) => tier !== 'operator_choice');
    expect([...precision].sort()).toEqual(found.map((tier) => [tier, 1]).sort());
    expect(recall.get('transaction_reference')).toBe(1);
    expect(recall.get('arn')).toBeGreaterThan(0.9);
    expect(recall.get('authorisation_code')).toBeGreaterThan(0.9);
    expect(recall.get('card_and_amount')).toBeGreaterThan(0.6);
  });

  test('ordinary alerts are mostly matched', () => {
    const share = (situation: Situation): number => {
      const tally = situations.get(situation);
      return tally === undefined ? 0 : shareRight(tally);
    };
    expect(share('plain')).toBeGreaterThan(0.8);
    expect(share('both_sources')).toBeGreaterThan(0.8);
    expect(share('renewal')).toBeGreaterThan(0.7);
    expect(share('recycled_arn')).toBeGreaterThan(0.7);
    expect(share('time_zone')).toBeGreaterThan(0.7);
  });
});

test('what no matcher can tell is kept apart, and is what the tier of card and amount may cost', () => {
  const alerts = labelledAlerts(1, 500, { situations: [UNDECIDABLE] });
  const careful = { ...SETTINGS, automaticTiers: new Set(MATCH_TIERS.slice(0, -1)) };
  const wrong = (settings: MatchSettings): number =>
    alerts.filter(
      ({ alert, known }) =>
        matchAlert(alert, mergeCandidates(known), settings).outcome === 'single',
    ).length;
  expect(wrong(SETTINGS)).toBeGreaterThan(0);
  // A merchant whose feed has gaps takes that tier from the automatic ones.
  expect(wrong(careful)).toBe(0);
});
