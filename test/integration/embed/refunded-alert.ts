/** A program that Forestall is embedded in, after one alert of 29.00 USD was refunded by the demonstration policy. */
import pg from 'pg';
import { expect } from 'vitest';
import type { Clock, Forestall, ForestallOptions } from '../../../src/index.ts';
import { createFixedClock, createForestall, createHttpProcessor } from '../../../src/index.ts';
import { makeSale, PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { createTestDatabase } from '../../support/database.ts';

const SECRET = 'processor-secret-for-tests';
export const POLICY = new URL('../../../templates/policies/demonstration.yaml', import.meta.url)
  .pathname;

export async function withRefundedAlert(
  options: Partial<ForestallOptions>,
  ask: (forestall: Forestall, clock: Clock) => Promise<void>,
): Promise<void> {
  const clock = createFixedClock('2026-11-20T00:00:00Z');
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.connectionString, max: 12 });
  const sandbox = await createSandbox({ clock, processorSecret: SECRET });
  const { accounts } = sandbox;
  const forestall = await createForestall({
    database: pool,
    service: { url: sandbox.url, apiKey: accounts.organisationKey },
    organisationId: accounts.organisationId,
    integrationId: accounts.integrationId,
    webhookSecrets: [accounts.webhookSecret],
    processor: createHttpProcessor({ baseUrl: sandbox.processorUrl, secret: SECRET, clock }),
    policy: POLICY,
    clock,
    ...options,
  });
  const sale = makeSale({ product: PRODUCTS.font }, clock.nowMs());
  sandbox.createCharge(sale.charge);
  await forestall.orders.accept([sale.order]);
  sandbox.createAlertFor(sale.charge.reference);
  // No webhook reaches this program: polling finds the alert.
  for (let rounds = 0; rounds < 50 && (await forestall.runOnce()) > 0; rounds++) {
    await sandbox.settle();
  }
  expect(sandbox.moneyOut(sale.charge.reference)).toEqual({ count: 1, sumMinor: 2_900 });
  await ask(forestall, clock);
  await forestall.stop();
  await pool.end();
  await sandbox.close();
  await database.drop();
}
