/**
 * For your own tests: alerts and events, signed deliveries, a clock you move, and the whole of
 * Forestall against its sandbox, drained by hand.
 *
 * @module
 * @example
 * const database = await startTestDatabase();
 * const world = await createTestWorld({ database: database.url, policy: './policy.yaml' });
 * const sale = await world.sell(PRODUCTS.font);
 * const alert = world.sandbox.createAlertFor(sale.charge.reference);
 * await world.drain();
 * expect(await world.stateOf(alert.id)).toBe('DECLARED_REFUND');
 */

export type { GuardEnvironment } from '../../alerts/guard/guard-env.ts';
export type {
  AmountLimits,
  BreakerSettings,
  CancelChoice,
  Caps,
  GuardSettings,
  WindowCap,
} from '../../alerts/guard/guard-settings.ts';
export { createFixedClock, type FixedClock } from '../../base/kernel/clock.ts';
export type { DataKey, DataKeys } from '../../base/kernel/data-keys.ts';
export type { DemoCharge, Product, Sale } from '../../sandbox/demo-shop.ts';
export { PRODUCTS } from '../../sandbox/demo-shop.ts';
export type { Alert } from '../../service/wire/alert.ts';
export type { EventWishes, Factories, TestEvent } from './factories.ts';
export { createFactories } from './factories.ts';
export type { FaultyFetch, FaultyFetchOptions } from './faulty-fetch.ts';
export { createFaultyFetch } from './faulty-fetch.ts';
export type { DeliveryWishes, SignedDelivery } from './signed-delivery.ts';
export { requestOf, signedDelivery } from './signed-delivery.ts';
export type { TestDatabase } from './test-database.ts';
export { startTestDatabase } from './test-database.ts';

import type { TestWorld } from './test-world.ts';
import { createTestWorld as openTestWorld } from './test-world.ts';
import type { TestWorldOptions } from './world-wiring.ts';

export type { TestWorld } from './test-world.ts';
export type { TestWorldOptions } from './world-wiring.ts';

/** Starts a world. */
export async function createTestWorld(options: TestWorldOptions): Promise<TestWorld> {
  return await openTestWorld(options);
}
