/**
 * Guarantee: the model of the charge ledger keeps its invariants in its smaller worlds, and some of
 * its rules, each removed, break what they must. `npm run model` searches all of it.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CASE_STATES } from '../../src/alerts/cases/case-state.ts';
import { decode, encode } from './codec.ts';
import { allMoves } from './moves/all.ts';
import { lineOf, traceLines } from './report.ts';
import { ruleTable } from './rule-table.ts';
import type { RuleName } from './rules.ts';
import { design, RULE_NAMES, RULES } from './rules.ts';
import { planRuns, runOne } from './runs.ts';
import type { ScenarioName } from './scenarios.ts';
import { SCENARIOS } from './scenarios.ts';
import { firstWorld } from './start.ts';
import type { World } from './world.ts';
import { clone } from './world.ts';

describe('the demanded design', () => {
  const small: readonly ScenarioName[] = [
    'captured in part',
    'authorised only',
    'late order',
    'captured once more',
  ];

  it.each(small)('holds in the world "%s"', (scenario) => {
    const done = runOne({ scenario });
    expect(done.breach).toBe('');
    expect(done.asItMust).toBe(true);
    expect(done.states).toBeGreaterThan(10_000);
  });
});

describe('a design without a rule', () => {
  const quick: readonly RuleName[] = [
    'waitForFallback',
    'notSentIsNoRefusal',
    'lockedSend',
    'oneInFlight',
    'deadlineSweep',
    'rdrWaits',
    'currencyCompared',
    'releaseIsNoRefund',
    'captureIsCharge',
    'samePartIsNotParted',
    'withdrawnStops',
    'breakerPaged',
    'waitingRdrFound',
    'olderNeedsWord',
    'olderAsksPerson',
    'acceptLooksAtCandidates',
    'personToldFirst',
    'acceptanceAdopted',
    'resumedAcceptLooks',
    'networkDoubtStops',
    'unsaidMayBeAll',
    'unsaidIsNoCover',
    'foreignNetworkStops',
    'approvalNamesWord',
    'referenceOnce',
    'comparedBeforeSending',
    'resendCompares',
    'disputeTold',
    'captureShrinkPaged',
  ];

  it.each(quick)('breaks what it must: %s', (without) => {
    const { scenario, breaks } = RULES[without];
    const done = runOne({ scenario, without });
    expect(done.breach.startsWith(breaks)).toBe(true);
    expect(done.asItMust).toBe(true);
  });

  it('is found by the shortest way', () => {
    const done = runOne({ scenario: 'parts 1, 2', without: 'oneInFlight' });
    expect(done.trace).toEqual([
      'look before sending for alert 1, answered',
      'alert 1: reserved under the lock, INTENT',
      'alert 2 arrives',
      'look before sending for alert 2, answered',
      'alert 2: reserved under the lock, INTENT',
    ]);
  });
});

describe('the search', () => {
  it('reads back each state as it was written', () => {
    let worlds: World[] = [firstWorld(SCENARIOS['part went back'], design())];
    let compared = 0;
    for (let depth = 0; depth < 5; depth += 1) {
      const following: World[] = [];
      for (const world of worlds) {
        allMoves(world, (_, apply) => {
          const next = clone(world);
          apply(next);
          const text = encode(next);
          const back = decode(text, world);
          expect(encode(back)).toBe(text);
          // Workers are alike: one alone stands where it stood.
          expect(back).toEqual({ ...next, breach: '' });
          compared += 1;
          following.push(next);
        });
      }
      worlds = following.slice(0, 100);
    }
    expect(compared).toBeGreaterThan(500);
  });

  it('knows the words of the product for a case', () => {
    const world = firstWorld(SCENARIOS.twins, design());
    expect(CASE_STATES).toContain(world.alerts[0]?.case);
  });
});

describe('the report', () => {
  it('fits into 80 columns, and has a run for each rule', () => {
    const runs = planRuns('');
    expect(runs.filter(({ without }) => without !== undefined)).toHaveLength(RULE_NAMES.length);
    for (const run of runs) {
      const done = {
        states: 9_999_999,
        seconds: 999.9,
        breach: 'L1',
        trace: [],
        unreached: [],
        asItMust: true,
      };
      expect(lineOf(run, done).length).toBeLessThanOrEqual(80);
    }
    const long = {
      states: 1,
      seconds: 1,
      breach: 'L1',
      trace: ['x'.repeat(200)],
      unreached: [],
      asItMust: false,
    };
    for (const line of traceLines(long)) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("has the README's table of rules", () => {
    const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    expect(readme).toContain(ruleTable());
  });
});
