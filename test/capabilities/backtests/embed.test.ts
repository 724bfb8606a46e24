/** Guarantee: a program that Forestall is embedded in can try another policy on what happened, with figures that add up by hand. */
import { expect, it } from 'vitest';
import { ConfigError, loadPolicy } from '../../../src/index.ts';
import { POLICY, withRefundedAlert } from '../../integration/embed/refunded-alert.ts';

it('holds', async () => {
  await withRefundedAlert({}, async ({ policies }, clock) => {
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
  });
});
