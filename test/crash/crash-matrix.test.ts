/**
 * Guarantee: a worker that dies at any named point loses no refund and no answer, and repeats none.
 *
 * Every point x {refund, accept, already refunded} x {one, two workers} x {killed, threw, lost its
 * database connections}. The oracle is the processor's ledger and the service's log of PATCHes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setCrashHook } from '../../src/base/kernel/crash-point.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';
import { MANNERS, planDeath, pointsSeen, reconnect, runUntilDeath } from './support/crash.ts';
import type { SagaWorld } from './support/saga-world.ts';
import { createSagaWorld } from './support/saga-world.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => setCrashHook(undefined));
afterAll(() => database.drop());

const A = 'netalrt_a';

const SCENARIOS = {
  refund: {
    points: ['K5', 'K6', 'K7', 'K8', 'K9', 'K10', 'K11', 'K12', 'K13', 'K14', 'K15'],
    prepare: (world: SagaWorld) => world.open({ alertId: A }),
    calls: 1,
    action: 'REFUND',
    state: 'DECLARED_REFUND',
  },
  accept: {
    points: ['K5', 'K12', 'K13', 'K14', 'K15'],
    prepare: (world: SagaWorld) => world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' }),
    calls: 0,
    action: 'ACCEPT_DISPUTE',
    state: 'DECLARED_ACCEPT',
  },
  external: {
    points: ['K5', 'K12', 'K13', 'K14', 'K15'],
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
const CALLED_BY = new Set(['K9', 'K10', 'K11', 'K12', 'K13', 'K14']);
const ANSWERED_BY = new Set(['K13', 'K14']);

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

  it.each([2, 3, 4, 5, 6])(
    'after its commit number %i, before it hears of it (K15)',
    async (nth) => {
      const world = createSagaWorld(database.db);
      await world.open({ alertId: A });
      const death = planDeath(world, { point: 'K15', manner: 'kill', nth });
      await runUntilDeath([world.worker('w1')], death);
      await world.pass([world.worker('w2')], 1);
      await expectTheBooks(world, 'refund');
    },
  );

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
  /** Every name in the sources, with the folder it stands in. */
  function pointsInSources(): Map<string, Set<string>> {
    const root = new URL('../../src/', import.meta.url);
    const found = new Map<string, Set<string>>();
    for (const entry of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!entry.endsWith('.ts') || entry.startsWith('base/kernel')) continue;
      const text = readFileSync(new URL(entry, root), 'utf8');
      for (const [, name] of text.matchAll(/crashPoint\('([^']+)'\)/g)) {
        const folder = dirname(entry);
        found.set(name!, (found.get(name!) ?? new Set()).add(folder));
      }
    }
    return found;
  }

  it('of refund and declare were all passed by this suite', () => {
    const saga = [...pointsInSources()]
      .filter(([, folders]) =>
        ['refund', 'declare', 'cases'].some((name) => folders.has(`alerts/${name}`)),
      )
      .map(([name]) => name);
    expect(saga.sort()).toEqual([...SCENARIOS.refund.points].sort());
    expect(saga.filter((name) => !pointsSeen.has(name))).toEqual([]);
  });

  it('of the other stages are each used by some test', () => {
    const tests = new URL('../', import.meta.url);
    const text = readdirSync(tests, { recursive: true, encoding: 'utf8' })
      .filter((entry) => entry.endsWith('.ts'))
      .map((entry) => readFileSync(new URL(entry, tests), 'utf8'))
      .filter((source) => source.includes('setCrashHook'))
      .join('\n');
    const others = [...pointsInSources().keys()];
    expect(others.filter((name) => !text.includes(`'${name}'`))).toEqual([]);
  });
});
