/**
 * Guarantee: a worker that dies at any named point loses no refund and no answer, and repeats none.
 *
 * Every point x {refund, accept, already refunded} x {one, two workers} x {killed, threw, lost its
 * database connections}. The oracle is the processor's ledger and the service's log of PATCHes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { CrashPoint } from '../../src/base/kernel/crash-point.ts';
import { setCrashHook } from '../../src/base/kernel/crash-point.ts';
import { useTestDatabase } from '../support/database.ts';
import { MANNERS, planDeath, pointsSeen, reconnect, runUntilDeath } from './support/crash.ts';
import type { SagaWorld } from './support/saga-world.ts';
import { createSagaWorld } from './support/saga-world.ts';

const database = useTestDatabase();
afterEach(() => setCrashHook(undefined));

const A = 'netalrt_a';

const OF_SENDING = [
  'refund.marked_sent',
  'refund.cleared',
  'refund.answered',
  'refund.understood',
  'refund.settled',
] as const;

const OF_ANSWER = [
  'declaration.marked_sent',
  'declaration.answered',
  'declaration.understood',
  'declaration.finished',
] as const;

const SCENARIOS = {
  refund: {
    points: ['refund.examined', ...OF_SENDING, ...OF_ANSWER],
    prepare: (world: SagaWorld) => world.open({ alertId: A }),
    calls: 1,
    action: 'REFUND',
    state: 'DECLARED_REFUND',
  },
  accept: {
    points: ['acceptance.examined', 'acceptance.stored', ...OF_ANSWER],
    prepare: (world: SagaWorld) => world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' }),
    calls: 0,
    action: 'ACCEPT_DISPUTE',
    state: 'DECLARED_ACCEPT',
  },
  external: {
    points: ['refund.examined', ...OF_ANSWER],
    prepare: (world: SagaWorld) => {
      world.processor.supportRefund('ch_1', 5000);
      return world.open({ alertId: A });
    },
    calls: 0,
    action: 'REFUND',
    state: 'DECLARED_REFUND',
  },
} as const;

type ScenarioName = keyof typeof SCENARIOS;

/** Points after which a refund call, or an answer, has surely been made once already. */
const CALLED_BY: ReadonlySet<CrashPoint> = new Set([
  'refund.answered',
  'refund.understood',
  'refund.settled',
  ...OF_ANSWER,
]);
const ANSWERED_BY: ReadonlySet<CrashPoint> = new Set([
  'declaration.answered',
  'declaration.understood',
  'declaration.finished',
]);

async function expectTheBooks(world: SagaWorld, name: ScenarioName): Promise<void> {
  const { calls, action, state } = SCENARIOS[name];
  expect(world.processor.count('ch_1')).toBe(calls);
  expect(world.service.effective(A).map((patch) => patch.action)).toEqual([action]);
  expect(await world.state(A)).toBe(state);
}

const MATRIX = (Object.keys(SCENARIOS) as ScenarioName[]).flatMap((scenario) =>
  SCENARIOS[scenario].points.flatMap((point) =>
    MANNERS.flatMap((manner) =>
      [1, 2].map((workers) => ({ scenario, point, manner, workers }) as const),
    ),
  ),
);

describe('a worker dies', () => {
  it.each(MATRIX)('$scenario at $point, $manner, $workers worker(s)', async (cell) => {
    const { scenario, point, manner, workers } = cell;
    const world = createSagaWorld(database.db);
    await SCENARIOS[scenario].prepare(world);
    const death = planDeath(world, { point, manner });
    const all = [world.worker('w1'), world.worker('w2')].slice(0, workers);
    await runUntilDeath(all, death);
    expect(death.happened()).toBe(true);
    if (manner === 'disconnect') await reconnect(world);
    await world.pass([world.worker('w3'), ...all.slice(1)], 1);
    await expectTheBooks(world, scenario);
    const calls = world.processor.calls.length;
    expect(calls).toBeLessThanOrEqual(CALLED_BY.has(point) ? SCENARIOS[scenario].calls : 2);
    expect(world.service.patches.length).toBeLessThanOrEqual(ANSWERED_BY.has(point) ? 1 : 2);
  });

  it.each(SCENARIOS.refund.points)('at %s, and the reply was lost before that', async (point) => {
    const world = createSagaWorld(database.db);
    world.processor.faults.push('lost_after');
    world.service.actFaults.push('lost_after');
    await world.open({ alertId: A });
    const death = planDeath(world, { point, manner: 'kill' });
    await Promise.race([world.pass([world.worker('w1')], 1), death.reached]);
    expect(death.happened()).toBe(true);
    await world.pass([world.worker('w2'), world.worker('w3')], 2);
    await expectTheBooks(world, 'refund');
    expect(world.processor.calls.length).toBeLessThanOrEqual(2);
  });

  it('again and again, at every point in turn', async () => {
    const world = createSagaWorld(database.db);
    await world.open({ alertId: A });
    for (const point of SCENARIOS.refund.points) {
      const death = planDeath(world, { point, manner: 'kill' });
      await runUntilDeath([world.worker(`dies_at_${point}`)], death);
      world.clock.advanceMs(31_000);
    }
    setCrashHook(undefined);
    await world.pass([world.worker('last')], 3);
    await expectTheBooks(world, 'refund');
  });
});

describe('the points', () => {
  const ROOT = new URL('../../', import.meta.url);

  function sourcesUnder(folder: string): { entry: string; text: string }[] {
    const under = new URL(`${folder}/`, ROOT);
    return readdirSync(under, { recursive: true, encoding: 'utf8' })
      .filter((entry) => entry.endsWith('.ts'))
      .map((entry) => ({ entry, text: readFileSync(new URL(entry, under), 'utf8') }));
  }

  /** Every point that the files mark, each as often as it stands there. */
  const pointsOf = (files: readonly { text: string }[]): string[] =>
    files.flatMap(({ text }) =>
      [...text.matchAll(/\bcrashPoint\('([^']+)'\)/g)].map((at) => at[1]!),
    );

  const sources = sourcesUnder('src').filter(({ entry }) => entry !== 'base/kernel/crash-point.ts');

  it('are those of the table in the README, and none has two places', () => {
    const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    const table = [...readme.matchAll(/^\| `([a-z_.]+)` \| \S/gm)].map((row) => row[1]!);
    expect(table.length).toBeGreaterThan(0);
    expect(pointsOf(sources).sort()).toEqual(table.sort());
  });

  it('of refund and declare were all passed by this suite', () => {
    const saga = sources.filter(({ entry }) => /^alerts\/(refund|declare|cases)\//.test(entry));
    const deadly = Object.values(SCENARIOS).flatMap(({ points }) => points);
    expect(pointsOf(saga).sort()).toEqual([...new Set<string>(deadly)].sort());
    const seen: ReadonlySet<string> = pointsSeen;
    expect(pointsOf(saga).filter((name) => !seen.has(name))).toEqual([]);
  });

  it('of the other stages are each used by some test', () => {
    const text = sourcesUnder('test')
      .map((file) => file.text)
      .filter((source) => source.includes('setCrashHook'))
      .join('\n');
    expect(pointsOf(sources).filter((name) => !text.includes(`'${name}'`))).toEqual([]);
  });
});
