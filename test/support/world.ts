/**
 * The world of `src/running/testing` on a database of the test file's own, with every request that arrives at
 * the sandbox noted. See there for what `drain`, `advance` and `live` do.
 */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createLog } from '../../src/base/kernel/log.ts';
import type { OpenTestWorld } from '../../src/running/testing/test-world.ts';
import { createTestWorld } from '../../src/running/testing/test-world.ts';
import type { LayeredWorldOptions } from '../../src/running/testing/world-wiring.ts';
import type { Arrivals } from './arrivals.ts';
import { watchArrivals } from './arrivals.ts';
import type { TestDatabase } from './database.ts';
import { createTestDatabase } from './database.ts';

/** Options of {@link createWorld}. */
export interface WorldOptions extends Omit<LayeredWorldOptions, 'database' | 'policy' | 'log'> {
  /** Path of a policy file. @default the demonstration policy */
  readonly policyPath?: string;
}

/** Seconds between two polls, which are most of what passing time costs: tests about polls say how many they need. */
const POLL_SECONDS = 900;

/** A running world. */
export interface World extends OpenTestWorld {
  readonly database: TestDatabase;
  /** Every request that reached the service or the processor. */
  readonly arrivals: Arrivals;
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { policyPath, ...rest } = { reconcileSeconds: POLL_SECONDS, ...options };
  const database = await createTestDatabase();
  const world = await createTestWorld({
    ...rest,
    database: database.connectionString,
    ...(policyPath === undefined ? {} : { policy: policyPath }),
    log: createLog({ level: process.env['FORESTALL_TEST_LOG'] ?? 'silent' }),
  });
  return {
    ...world,
    database,
    arrivals: watchArrivals(world.sandbox),
    async close(): Promise<void> {
      await world.close();
      await database.drop();
    },
  };
}

/**
 * A world for the tests of this file or `describe`: opened before them, its faults cleared after each, closed at the
 * end. `onOpen` is given the world; what it does to it is done before the first test.
 */
export function useWorld(onOpen: (world: World) => unknown, options: WorldOptions = {}): void {
  let world: World | undefined;
  beforeAll(async () => {
    world = await createWorld(options);
    await onOpen(world);
  });
  afterEach(() => {
    world?.sandbox.faults.clear();
  });
  afterAll(async () => {
    await world?.close();
  });
}
