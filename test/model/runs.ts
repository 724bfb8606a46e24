/** What is run: the demanded design in every scenario, and without each rule in its own. */
import type { RuleName } from './rules.ts';
import { design, RULE_NAMES, RULES } from './rules.ts';
import type { ScenarioName } from './scenarios.ts';
import { SCENARIOS } from './scenarios.ts';
import { search } from './search.ts';
import type { WitnessName } from './witnesses.ts';

export interface Run {
  readonly scenario: ScenarioName;
  /** Absent: the demanded design. */
  readonly without?: RuleName;
}

export interface Done {
  readonly states: number;
  readonly seconds: number;
  readonly breach: string;
  readonly trace: readonly string[];
  readonly unreached: readonly WitnessName[];
  readonly asItMust: boolean;
}

export function planRuns(only: string): Run[] {
  const scenarios = Object.keys(SCENARIOS).filter(isScenarioName);
  const demanded: Run[] = scenarios.map((scenario) => ({ scenario }));
  const removals: Run[] = RULE_NAMES.map((rule) => ({
    scenario: RULES[rule].scenario,
    without: rule,
  }));
  return [...demanded, ...removals].filter(
    ({ without, scenario }) => scenario.includes(only) || without?.includes(only) === true,
  );
}

function isScenarioName(name: string): name is ScenarioName {
  return Object.hasOwn(SCENARIOS, name);
}

export function runOne({ scenario, without }: Run): Done {
  const startedMs = performance.now();
  const rules = design(without);
  const world = SCENARIOS[scenario];
  const breaks = without === undefined ? '' : RULES[without].breaks;
  const result = search({ rules, scenario: world, breaks });
  const seconds = (performance.now() - startedMs) / 1000;
  const isBroken = result.breach !== '';
  const asItMust = without === undefined ? !isBroken && result.unreached.length === 0 : isBroken;
  return { ...result, seconds, asItMust };
}
