/**
 * Tests of your policy and your set-up against the sandbox: no network, no real money.
 *
 * Run it with `node --test forestall/tests/`. The database is temporary and its time is moved by hand,
 * so two days pass in a second.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TestDatabase, TestWorld } from 'forestall/testing';
import { createTestWorld, PRODUCTS, startTestDatabase } from 'forestall/testing';

const HOUR_MS = 3_600_000;

describe('my policy', () => {
  let database: TestDatabase;
  let world: TestWorld;

  before(async () => {
    database = await startTestDatabase();
    // Add `policy: './policy.yaml'` to try yours; without it the demonstration policy decides.
    world = await createTestWorld({ database: database.url });
  });
  after(async () => {
    await world.close();
    await database.stop();
  });

  it('refunds a small digital sale, once, and says so in time', async () => {
    const sale = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(sale.charge.reference);
    await world.drain();
    assert.equal(await world.stateOf(alert.id), 'DECLARED_REFUND');
    assert.deepEqual(world.sandbox.moneyOut(sale.charge.reference), { count: 1, sumMinor: 2_900 });
  });

  it('fights for an expensive delivered sale', async () => {
    const sale = await world.sell(PRODUCTS.bicycle);
    const alert = world.sandbox.createAlertFor(sale.charge.reference);
    await world.drain();
    assert.equal(await world.stateOf(alert.id), 'DECLARED_ACCEPT');
    assert.equal(world.sandbox.moneyOut(sale.charge.reference).count, 0);
  });

  it('misses nothing when webhooks are lost', async () => {
    world.sandbox.addFault({ on: 'webhook', kind: 'lose', times: 1 });
    const sale = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(sale.charge.reference);
    await world.live(HOUR_MS);
    assert.equal(await world.stateOf(alert.id), 'DECLARED_REFUND');
  });
});
