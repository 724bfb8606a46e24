/** Guarantee: a program that Forestall is embedded in can try another policy on what happened, with figures that add up by hand. */
import pg from 'pg';
import { expect, it } from 'vitest';
import {
  ConfigError,
  createFixedClock,
  createForestall,
  createHttpProcessor,
  loadPolicy,
} from '../../../src/index.ts';
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
  const accept = loadPolicy('rules: []\notherwise: ACCEPT_DISPUTE\n', { file: 'p.yaml' });
  // One alert so far, 29.00 USD, refunded.
  expect(await policies.backtest()).toMatchObject({ alerts: 1, is: { refunds: 1 }, changed: [] });
  expect(await policies.backtest({ policy: accept })).toMatchObject({
    was: { refunds: 1, refunded: { USD: 2_900 }, fees: { USD: 2_900 } },
    // The alert's price and the chargeback's, as they are assumed.
    is: { accepted: 1, acceptedMoney: { USD: 2_900 }, fees: { USD: 2_900 + 2_000 } },
    changed: [{ was: { action: 'REFUND' }, is: { action: 'ACCEPT_DISPUTE' } }],
  });
  const fees = {
    alertFee: { amountMinor: 100, currency: 'USD' },
    chargebackFee: { amountMinor: 10, currency: 'USD' },
  };
  const against = { policy: POLICY, against: accept, fees };
  expect(await policies.backtest(against)).toMatchObject({
    was: { accepted: 1, fees: { USD: 110 } },
    is: { refunds: 1, fees: { USD: 100 } },
  });
  const before = new Date(clock.nowMs() - 1);
  expect(await policies.backtest({ to: before })).toMatchObject({ alerts: 0 });
  await expect(policies.backtest({ policy: '/nowhere.yaml' })).rejects.toThrow(ConfigError);
  await expect(policies.backtest({ policy: 'rules: [] # 4111 1111 1111 1111' })).rejects.toThrow(
    /holds a full card number/,
  );

  await forestall.stop();
  await pool.end();
  await sandbox.close();
  await database.drop();
});
