/** Guarantee: over thousands of alerts with known truth no match is false, and recall stays where it is. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_MATCH_SETTINGS, MATCH_TIERS } from '../../../src/match/match-settings.ts';
import { matchAlert } from '../../../src/match/matcher.ts';
import { mergeCandidates } from '../../../src/match/merge-candidates.ts';
import type { Situation } from './labelled-alerts.ts';
import { labelledAlerts, SITUATIONS } from './labelled-alerts.ts';

const COUNT = 13_000;
const SEEDS = [1, 20_260_310, 987_654_321];

describe.each(SEEDS)('seed %i', (seed) => {
  const judged = labelledAlerts(seed, COUNT).map((labelled) => ({
    ...labelled,
    result: matchAlert(labelled.alert, mergeCandidates(labelled.known), DEFAULT_MATCH_SETTINGS),
  }));

  test('no match is false', () => {
    const wrong = judged.filter(
      ({ result, truth }) => result.chargeReference !== null && result.chargeReference !== truth,
    );
    expect(wrong.map(({ situation, alert, result }) => ({ situation, alert, result }))).toEqual([]);
  });

  test('what we cannot know is never matched', () => {
    const hopeless = new Set<Situation>([
      'recycled_arn_truth_unknown',
      'unknown_charge',
      'unknown_charge_with_twin',
    ]);
    const matched = judged.filter(
      ({ situation, result }) => hopeless.has(situation) && result.outcome === 'single',
    );
    expect(matched).toEqual([]);
  });

  test('a token that hides the card is left to a person', () => {
    const tokens = judged.filter(({ situation }) => situation === 'wallet_token');
    // A token may carry the card's own last 4 by chance, once in 10,000.
    const matched = tokens.filter(({ result }) => result.outcome === 'single');
    expect(tokens.length).toBe(COUNT / SITUATIONS.length);
    expect(
      matched.every(
        ({ result }) => !result.candidates[0]?.against.includes('last 4 digits differs'),
      ),
    ).toBe(true);
  });

  test('every tier finds its share', () => {
    const found = new Map(MATCH_TIERS.map((tier) => [tier, 0]));
    for (const { result } of judged) {
      if (result.tier !== null) found.set(result.tier, (found.get(result.tier) ?? 0) + 1);
    }
    // 13 situations of 1,000 alerts. Only `reference_known` names a reference.
    expect(found.get('transaction_reference')).toBe(1_000);
    expect(found.get('arn')).toBeGreaterThan(800);
    expect(found.get('authorisation_code')).toBeGreaterThan(1_500);
    expect(found.get('card_and_amount')).toBeGreaterThan(1_000);
  });

  test('plain alerts are mostly matched', () => {
    const recall = (situation: Situation) => {
      const all = judged.filter((entry) => entry.situation === situation);
      return all.filter(({ result }) => result.outcome === 'single').length / all.length;
    };
    expect(recall('plain')).toBeGreaterThan(0.8);
    expect(recall('renewal')).toBeGreaterThan(0.7);
    expect(recall('recycled_arn')).toBeGreaterThan(0.7);
    expect(recall('duplicate_purchase')).toBeGreaterThan(0.4);
  });
});
