/** Guarantee: 100,000 alerts, three workers: no budget of a trial is passed, no twin is split, and the arms are drawn again. */
import { expect, it } from 'vitest';
import { trialKey } from '../../../src/alerts/decide/trial.store.ts';
import { armOf } from '../../../src/alerts/decide/trial.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { useTestDatabase } from '../../support/database.ts';
import { runTrial, TRIAL_ORGANISATION, trialPolicy } from '../../support/trial-world.ts';

const test = useTestDatabase();
const ALERTS = 100_000;

it('hold', { timeout: 560_000 }, async () => {
  const policy = trialPolicy(
    '{share: 5 %, largest: 40.00 USD, budget: 60000.00 USD, disputes: 2500, stop_when: {ratio_headroom: {below: 50}}}',
  );
  const { explore } = policy;
  if (explore === undefined) throw new Error('no trial');
  const run = { policy, alerts: ALERTS, workers: 3, headroom: 2_450 };
  const { accepted, acceptedMinor, arms } = await runTrial(test.db, run);
  // 5 % of 100,000 are more than the 2,400 for which the ratio has room.
  expect(accepted).toBe(2_400);
  expect(acceptedMinor).toBeLessThanOrEqual(60_000_00);
  const month = await test.db.selectFrom('policy_trial_month').selectAll().execute();
  expect(month).toMatchObject([{ cases: accepted, amount_minor: acceptedMinor }]);
  const key = await inTransaction(test.db, (trx) => trialKey(trx, TRIAL_ORGANISATION, new Date()));
  for (const [customer, drawn] of arms) {
    expect([...drawn]).toEqual([armOf(key, explore, `account ${customer}`).arm]);
  }
});
