/**
 * Guarantee: an alert that was accepted because no charge was found stands on the charge's account once the charge is
 * known and its alert names it: the same complaint through another network is not refunded beside it (L5).
 */
import { expect, it } from 'vitest';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { recordCharges } from '../../../src/orders/charge.store.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';
import { chargeRecord } from '../../unit/match/fixtures.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const B = 'netalrt_b';
const ARN = '74537604221222132710572';

/** Accepted at its fallback, no charge being known; then the order comes. */
async function acceptedBeforeItsOrder(arn: string, transaction?: string): Promise<void> {
  await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE', chargeReference: null });
  await world.pass([worker], 1);
  expect(await world.state(A)).toBe('DECLARED_ACCEPT');
  await world.db
    .updateTable('alert')
    .set({ acquirer_reference_number: arn, integration_transaction_id: transaction ?? null })
    .where('organisation_id', '=', world.organisationId)
    .where('id', '=', A)
    .execute();
  const record = chargeRecord({
    reference: 'ch_1',
    amountMinor: 5000,
    currency: 'EUR',
    acquirerReferenceNumber: ARN,
  });
  await world.db
    .transaction()
    .execute((trx) =>
      recordCharges(trx, world.organisationId, { charges: [record], now: nowDate(world.clock) }),
    );
}

it('is not refunded when the same complaint comes through another network', async () => {
  await acceptedBeforeItsOrder(ARN);
  await world.open({ alertId: B, enrolmentType: 'NETB_ALERT' });
  await world.pass([worker], 12);
  expect(world.processor.ours('ch_1')).toBe(0);
  expect(await world.caseOf(A)).toMatchObject({ charge_reference: 'ch_1' });
  expect(world.service.effective(B).map(({ action }) => action)).not.toContain('REFUND');
});

it('stands in no way of a charge that its alert does not name', async () => {
  await acceptedBeforeItsOrder('74537604221222132710999');
  await world.open({ alertId: B, enrolmentType: 'NETB_ALERT' });
  await world.pass([worker], 12);
  expect(world.processor.ours('ch_1')).toBe(5000);
  expect(await world.caseOf(A)).toMatchObject({ charge_reference: null });
});

it('nor where its alert names another payment, whatever numbers agree', async () => {
  await acceptedBeforeItsOrder(ARN, 'ch_another');
  await world.open({ alertId: B, enrolmentType: 'NETB_ALERT' });
  await world.pass([worker], 12);
  expect(world.processor.ours('ch_1')).toBe(5000);
  expect(await world.caseOf(A)).toMatchObject({ charge_reference: null });
});

it('but is taken over where number, card and amount are the charge’s, although the service named another payment', async () => {
  await acceptedBeforeItsOrder(ARN, 'ch_another');
  await world.db
    .updateTable('alert')
    .set({ card_last4: '1111', integration_id: 'int_1' })
    .where('organisation_id', '=', world.organisationId)
    .where('id', '=', A)
    .execute();
  await world.open({ alertId: B, enrolmentType: 'NETB_ALERT' });
  await world.pass([worker], 12);
  expect(world.processor.ours('ch_1')).toBe(0);
  expect(await world.caseOf(A)).toMatchObject({ charge_reference: 'ch_1' });
  expect(world.service.effective(B).map(({ action }) => action)).not.toContain('REFUND');
});
