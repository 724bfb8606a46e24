/**
 * Guarantee: where the database has no advisory locks, nobody is refunded twice and no cap is passed all the same.
 * (`FORESTALL_TEST_ADVISORY_LOCKS=off` runs every other suite on such a database.)
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_GUARDS } from '../../../src/alerts/guard/guard-settings.ts';
import { lockAlive } from '../../../src/alerts/guard/recovery-check.store.ts';
import { DEFAULT_REFUND_SETTINGS } from '../../../src/alerts/guard/refund-settings.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import type { SagaWorld } from '../../crash/support/saga-world.ts';
import { createSagaWorld } from '../../crash/support/saga-world.ts';
import { switchOffAdvisoryLocks } from '../../support/advisory-locks.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const WORKERS = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6'];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ maxConnections: 20 });
  await switchOffAdvisoryLocks(database.pool);
});
afterAll(async () => {
  setCrashHook(undefined);
  await database.drop();
});

/** Every worker stands at this point before any continues. */
function meetAt(point: string, count: number): void {
  const all = Promise.withResolvers<void>();
  let arrived = 0;
  setCrashHook(async (name) => {
    if (name !== point) return;
    arrived += 1;
    if (arrived === count) all.resolve();
    await all.promise;
  });
}

async function settle(world: SagaWorld): Promise<void> {
  await world.pass(
    WORKERS.map((name) => world.worker(name)),
    0.5,
  );
}

it('control: the locks lock nothing', async () => {
  const client = await database.pool.connect();
  await client.query('begin; select pg_advisory_xact_lock(7)');
  const { rows } = await database.pool.query('select pg_try_advisory_xact_lock(7) as got');
  await client.query('rollback');
  client.release();
  expect(rows).toEqual([{ got: true }]);
});

it('six workers at once do not pass the last free place of a cap', async () => {
  const world = createSagaWorld(database.db);
  const caps = { hour: { count: 2 } };
  world.settings = { ...DEFAULT_REFUND_SETTINGS, guards: { ...DEFAULT_GUARDS, caps } };
  for (const name of WORKERS) {
    world.processor.addCharge(`ch_${name}`);
    await world.open({ alertId: `netalrt_${name}`, chargeReference: `ch_${name}` });
  }
  meetAt('refund.examined', WORKERS.length);
  const rounds = WORKERS.map((name) => world.worker(name).round());
  await Promise.all(rounds);
  setCrashHook(undefined);
  await settle(world);
  expect(world.processor.ledger).toHaveLength(2);
});

it('alerts on one charge, each with a worker and a processor whose answers are lost, are one refund', async () => {
  const world = createSagaWorld(database.db);
  for (const name of WORKERS) await world.open({ alertId: `netalrt_${name}` });
  world.processor.faults.push('lost_after', 'throws_after', 'lost_before');
  await settle(world);
  expect(world.processor.ours('ch_1')).toBe(5_000);
  expect(world.processor.count('ch_1')).toBe(1);
});

it('one transaction at a time judges whether a recovery check is needed', async () => {
  const { db, organisationId } = createSagaWorld(database.db);
  // Once, so that the row is there: an insert alone would hold others up the first time only.
  await db.transaction().execute((trx) => lockAlive(trx, organisationId));
  let isSecondIn = false;
  let second: Promise<void> | undefined;
  await db.transaction().execute(async (trx) => {
    await lockAlive(trx, organisationId);
    second = db.transaction().execute(async (other) => {
      await lockAlive(other, organisationId);
      isSecondIn = true;
    });
    // Enough round trips for one that is not held up.
    for (let trips = 0; trips < 50; trips++) await db.selectFrom('fact').select('name').execute();
    expect(isSecondIn).toBe(false);
  });
  await second;
  expect(isSecondIn).toBe(true);
});
