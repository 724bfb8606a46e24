/**
 * Guarantee: an alert of a trial runs whole: from the event to NOT_REFUNDED at the service without money moving, and one
 * of the other arm to REFUNDED; which is which is drawn, kept, and said.
 */
import pg from 'pg';
import { expect, it } from 'vitest';
import { writeStandings } from '../../../src/alerts/decide/ratio-standing.store.ts';
import { trialKey } from '../../../src/alerts/decide/trial.store.ts';
import { armOf } from '../../../src/alerts/decide/trial.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { createFixedClock, createForestall, createHttpProcessor } from '../../../src/index.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import type { Sale } from '../../../src/sandbox/demo-shop.ts';
import { makeSale, PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { createTestDatabase } from '../../support/database.ts';

const SECRET = 'processor-secret-for-tests';
const POLICY = loadPolicy(
  `rules: [{name: small, when: {amount: {at_most: 50.00 USD}}, then: REFUND}]
otherwise: REVIEW
explore: {name: autumn, share: 10 %, largest: 40.00 USD, budget: 500.00 USD, disputes: 20, stop_when: {ratio_headroom: {below: 50}}}
`,
  { file: 'trial.yaml' },
);

it('holds', { timeout: 60_000 }, async () => {
  const clock = createFixedClock('2026-11-20T00:00:00Z');
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.connectionString, max: 12 });
  const sandbox = await createSandbox({ clock, processorSecret: SECRET });
  const { accounts } = sandbox;
  const { organisationId } = accounts;
  const forestall = await createForestall({
    database: pool,
    service: { url: sandbox.url, apiKey: accounts.organisationKey },
    organisationId,
    integrationId: accounts.integrationId,
    webhookSecrets: [accounts.webhookSecret],
    processor: createHttpProcessor({ baseUrl: sandbox.processorUrl, secret: SECRET, clock }),
    policy: POLICY,
    clock,
  });
  const now = new Date(clock.nowMs());
  const key = await inTransaction(database.db, (trx) => trialKey(trx, organisationId, now));
  const saleOf = (arm: 'accept' | 'refund'): Sale => {
    for (;;) {
      const sale = makeSale({ product: PRODUCTS.font }, clock.nowMs());
      const { explore } = POLICY;
      const unit = `account ${sale.order.customer_account_id}`;
      if (explore !== undefined && armOf(key, explore, unit).arm === arm) return sale;
    }
  };
  const standings = ['SCHEME_A', 'SCHEME_B'].map((scheme) => ({
    ...{ merchantId: '', scheme, percent: 0.1, headroom: 500, line: 'a line' },
    ...{ counted: null, ahead: null },
  }));
  // What counts ratios has had its round, and found no payments.
  await forestall.runOnce();
  await writeStandings(database.db, organisationId, { standings, now });
  const tried = saleOf('accept');
  const compared = saleOf('refund');
  for (const sale of [tried, compared]) {
    sandbox.createCharge(sale.charge);
    await forestall.orders.accept([sale.order]);
    sandbox.createAlertFor(sale.charge.reference);
  }
  // No webhook reaches this program: polling finds the alerts.
  for (let rounds = 0; rounds < 50 && (await forestall.runOnce()) > 0; rounds++) {
    await sandbox.settle();
  }
  const caseOf = async ({ charge }: Sale) =>
    await database.db
      .selectFrom('alert_case as c')
      .innerJoin('decision as d', 'd.id', 'c.decision_id')
      .innerJoin('alert as a', 'a.id', 'c.alert_id')
      .select(['c.state', 'd.action', 'd.experiment', 'd.arm', 'd.propensity', 'd.sentence'])
      .select(['a.id', 'a.refund_outcome'])
      .where('c.charge_reference', '=', charge.reference)
      .executeTakeFirstOrThrow();
  expect(await caseOf(tried)).toMatchObject({
    ...{ state: 'DECLARED_ACCEPT', action: 'ACCEPT_DISPUTE', refund_outcome: 'NOT_REFUNDED' },
    ...{ experiment: 'autumn', arm: 'accept', propensity: 0.1 },
    sentence: expect.stringContaining(
      'as part of the trial "autumn": rule "small" would refund it',
    ),
  });
  expect(sandbox.moneyOut(tried.charge.reference)).toEqual({ count: 0, sumMinor: 0 });
  expect(await caseOf(compared)).toMatchObject({
    ...{ state: 'DECLARED_REFUND', action: 'REFUND', refund_outcome: 'REFUNDED' },
    ...{ experiment: 'autumn', arm: 'refund', propensity: 0.9 },
    sentence: expect.stringContaining('It is compared in the trial "autumn"'),
  });
  expect(sandbox.moneyOut(compared.charge.reference)).toEqual({ count: 1, sumMinor: 29_00 });
  expect(
    await database.db
      .selectFrom('policy_trial_month')
      .select(['experiment', 'cases', 'amount_minor'])
      .execute(),
  ).toEqual([{ experiment: 'autumn', cases: 1, amount_minor: 29_00 }]);

  await forestall.stop();
  await pool.end();
  await sandbox.close();
  await database.drop();
});
