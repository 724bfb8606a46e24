/**
 * Runs every money scenario against one merchant's configuration on the sandbox, and reports whether
 * the promises about money held: each complaint refunded at most once, declared only what is true, nothing missed.
 *
 * All scenarios share one world: each alert has its own charge, so they do not disturb each other, and
 * the two days until every deadline pass once for all of them.
 */
import type { Policy } from '../../../alerts/decide/policy.ts';
import type { GuardEnvironment } from '../../../alerts/guard/guard-env.ts';
import { messageOf } from '../../../base/kernel/errors.ts';
import type { ProgrammePolicy } from '../../../orders/programme.ts';
import type { ProcessorSettings } from '../../../sandbox/options.ts';
import type { BrandTokenMap } from '../../../service/wire/brand-tokens.ts';
import type { OpenTestWorld } from '../../testing/test-world.ts';
import { createTestWorld } from '../../testing/test-world.ts';
import { ANSWER_SCENARIOS } from './answer-scenarios.ts';
import { DELIVERY_SCENARIOS, ROTATED_SECRET } from './delivery-scenarios.ts';
import { LEDGER_SCENARIOS } from './ledger-scenarios.ts';
import type { AuditResult } from './money-audit.ts';
import { audit } from './money-audit.ts';
import type { MoneyScenario, Scene } from './money-scenario.ts';
import { createScene } from './money-scenario.ts';
import { REFUND_SCENARIOS } from './refund-scenarios.ts';

/** Every scenario, in the order in which they run. */
export const MONEY_SCENARIOS: readonly MoneyScenario[] = [
  ...DELIVERY_SCENARIOS,
  ...REFUND_SCENARIOS,
  ...LEDGER_SCENARIOS,
  ...ANSWER_SCENARIOS,
];

/** The merchant's configuration, and where to run. */
export interface MoneyRunOptions {
  /** Address of a migrated database that holds nothing else. */
  readonly database: string;
  /** A policy, or the path of its file. @default the demonstration policy */
  readonly policy?: Policy | string;
  /** Path of a file with windows and tolerances of matching. @default the published ones */
  readonly matching?: string;
  readonly brandTokens?: BrandTokenMap;
  readonly programmes?: ProgrammePolicy;
  readonly guard?: GuardEnvironment;
  /** What the merchant's processor can do; the sandbox's is made the same. @default the sandbox's */
  readonly abilities?: Partial<ProcessorSettings>;
  /** @default all of {@link MONEY_SCENARIOS} */
  readonly scenarios?: readonly MoneyScenario[];
  /** Called after each scenario, for a progress display. */
  readonly onScenario?: (name: string) => void;
}

export interface MoneyResult extends AuditResult {
  readonly name: string;
  readonly story: string;
  readonly kept: boolean;
}

export interface MoneyReport {
  readonly kept: boolean;
  readonly refundsMade: number;
  readonly answered: number;
  readonly leftToPeople: number;
  readonly results: readonly MoneyResult[];
}

/** The default deadline of an alert and a little more, in milliseconds. */
const ALL_DEADLINES_MS = 50 * 3_600_000;

/** Longer than any look-up, repeat or backoff takes, in milliseconds. */
const FINDING_OUT_MS = 3_600_000;

/** At most this much time passes unseen while the deadlines come, in milliseconds. */
const STEP_MS = 6 * 3_600_000;

/** Runs them. Never throws for a broken promise: that is a result. */
export async function runMoneyScenarios(options: MoneyRunOptions): Promise<MoneyReport> {
  const { scenarios = MONEY_SCENARIOS, abilities, onScenario, ...configuration } = options;
  const world = await createTestWorld({
    ...configuration,
    furtherSecrets: [ROTATED_SECRET],
    ...(abilities === undefined ? {} : { sandbox: { processor: abilities } }),
  });
  try {
    const played = await playAll(world, scenarios, onScenario);
    // What was lost or unclear is found out; then people see what is left, and time runs out.
    await world.live(FINDING_OUT_MS);
    for (const { scene } of played) await scene.work();
    await world.live(ALL_DEADLINES_MS, STEP_MS);
    const results: MoneyResult[] = [];
    for (const each of played) results.push(await judge(world, each));
    return summarise(results);
  } finally {
    await world.close();
  }
}

interface Played {
  readonly scenario: MoneyScenario;
  readonly scene: Scene;
  /** What it threw, if it did. */
  readonly failure: string | undefined;
}

async function playAll(
  world: OpenTestWorld,
  scenarios: readonly MoneyScenario[],
  onScenario: MoneyRunOptions['onScenario'],
): Promise<Played[]> {
  const played: Played[] = [];
  for (const scenario of scenarios) {
    const scene = createScene(world);
    let failure: string | undefined;
    try {
      await scenario.run(scene);
    } catch (error) {
      failure = messageOf(error);
    }
    forgetWebhookFaults(world);
    played.push({ scenario, scene, failure });
    onScenario?.(scenario.name);
  }
  return played;
}

/** One that met nothing must not meet the next scenario. Those of calls name their alert or charge. */
function forgetWebhookFaults({ sandbox }: OpenTestWorld): void {
  for (const { id, on } of sandbox.faults.list()) {
    if (on === 'webhook') sandbox.faults.remove(id);
  }
}

async function judge(
  world: OpenTestWorld,
  { scenario, scene, failure }: Played,
): Promise<MoneyResult> {
  const { name, story } = scenario;
  const found = await audit(world, scene);
  const problems =
    failure === undefined
      ? found.problems
      : [`it could not be played: ${failure}`, ...found.problems];
  return { ...found, name, story, problems, kept: problems.length === 0 };
}

function summarise(results: readonly MoneyResult[]): MoneyReport {
  const sum = (field: 'refundsMade' | 'answered' | 'leftToPeople'): number =>
    results.reduce((total, result) => total + result[field], 0);
  return {
    kept: results.every(({ kept }) => kept),
    refundsMade: sum('refundsMade'),
    answered: sum('answered'),
    leftToPeople: sum('leftToPeople'),
    results,
  };
}
