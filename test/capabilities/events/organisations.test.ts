/** Guarantee: a handler of one organisation of an installation is told of that one's events, once, and of no other's. */
import pg from 'pg';
import { expect, it } from 'vitest';
import { createFixedClock, createHttpProcessor, createInstallation } from '../../../src/index.ts';
import { makeSale, PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { createTestDatabase } from '../../support/database.ts';

const SECRET = 'processor-secret-for-tests';
const POLICY = new URL('../../../templates/policies/demonstration.yaml', import.meta.url).pathname;

it('holds for two with handlers of the same name', async () => {
  const clock = createFixedClock('2026-11-20T00:00:00Z');
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.connectionString, max: 12 });
  const sandboxes = await Promise.all(
    [1, 2].map((seed) => createSandbox({ clock, processorSecret: SECRET, seed })),
  );
  const installation = await createInstallation({
    database: pool,
    clock,
    organisations: sandboxes.map(({ url, accounts, processorUrl }, index) => ({
      name: `Brand ${index + 1}`,
      service: { url, apiKey: accounts.organisationKey },
      organisationId: accounts.organisationId,
      integrationId: accounts.integrationId,
      webhookSecrets: [accounts.webhookSecret],
      processor: createHttpProcessor({ baseUrl: processorUrl, secret: SECRET, clock }),
      policy: POLICY,
    })),
  });
  const received: [string, string | null][] = [];
  for (const { accounts } of sandboxes)
    installation
      .of(accounts.organisationId)
      .on(
        'refund.confirmed',
        ({ alert_id }) => void received.push([accounts.organisationId, alert_id]),
        { name: 'shop', from: 'beginning' },
      );
  const sale = makeSale({ product: PRODUCTS.font }, clock.nowMs());
  const [, second] = sandboxes;
  const owner = second?.accounts.organisationId ?? '';
  second?.createCharge(sale.charge);
  await installation.of(owner).orders.accept([sale.order]);
  const alert = second?.createAlertFor(sale.charge.reference);
  // No webhook reaches this program: polling finds the alert.
  for (let rounds = 0; rounds < 50 && (await installation.runOnce()) > 0; rounds += 1)
    for (const sandbox of sandboxes) await sandbox.settle();
  expect(received).toEqual([[owner, alert?.id]]);
  await installation.stop();
  await pool.end();
  for (const sandbox of sandboxes) await sandbox.close();
  await database.drop();
});
