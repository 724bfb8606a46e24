/** Guarantee: a program that Forestall is embedded in is told the same, with the costs of its file. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { createFixedClock, createForestall, createHttpProcessor } from '../../../src/index.ts';
import { makeSale, PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { createTestDatabase } from '../../support/database.ts';

const SECRET = 'processor-secret-for-tests';
const POLICY = new URL('../../../templates/policies/demonstration.yaml', import.meta.url).pathname;

it('holds', async () => {
  const clock = createFixedClock('2026-11-20T00:00:00Z');
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.connectionString, max: 12 });
  const sandbox = await createSandbox({ clock, processorSecret: SECRET });
  const costs = join(mkdtempSync(join(tmpdir(), 'forestall-')), 'costs.yaml');
  writeFileSync(costs, 'alert_fee: { NETA: 31.00, NETB: 31.00 }\n');
  const { accounts } = sandbox;
  const forestall = await createForestall({
    database: pool,
    service: { url: sandbox.url, apiKey: accounts.organisationKey },
    organisationId: accounts.organisationId,
    integrationId: accounts.integrationId,
    webhookSecrets: [accounts.webhookSecret],
    processor: createHttpProcessor({ baseUrl: sandbox.processorUrl, secret: SECRET, clock }),
    policy: POLICY,
    costs,
    clock,
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

  const { policies } = forestall;
  const to = new Date(clock.nowMs() + 1);
  const { currency, whole, leftOut } = await policies.economics({ to });
  expect({ currency, leftOut }).toEqual({ currency: 'USD', leftOut: [] });
  // 29.00 and the alert's 31.00, as the file of costs says.
  expect(whole).toMatchObject({ averageMinor: 2_900, costMinor: { refund: 6_000 } });
  expect((await policies.economics({ from: to })).whole).toBeNull();

  await forestall.stop();
  await pool.end();
  await sandbox.close();
  await database.drop();
});
