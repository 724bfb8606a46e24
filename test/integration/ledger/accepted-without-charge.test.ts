/**
 * Guarantee: an alert that was accepted because no charge was found stands on the charge's account once the charge is
 * known and its alert names it: the same complaint through another network is not refunded beside it (L5).
 */
import type { Updateable } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { AlertTable } from '../../../src/alerts/apply/entity.table.ts';
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
const CODE = 'AB12CD';

/** Accepted at its fallback, no charge being known; then the order comes. */
async function acceptedBeforeItsOrder(alert: Updateable<AlertTable>): Promise<void> {
  await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE', chargeReference: null });
  await world.pass([worker], 1);
  expect(await world.state(A)).toBe('DECLARED_ACCEPT');
  await world.db
    .updateTable('alert')
    .set(alert)
    .where('organisation_id', '=', world.organisationId)
    .where('id', '=', A)
    .execute();
  const record = chargeRecord({
    reference: 'ch_1',
    amountMinor: 5000,
    currency: 'EUR',
    acquirerReferenceNumber: ARN,
    authorisationCode: CODE,
    authorisedAt: '2026-03-02T08:00:00Z',
    cardLast4: '1111',
  });
  await world.db
    .transaction()
    .execute((trx) =>
      recordCharges(trx, world.organisationId, { charges: [record], now: nowDate(world.clock) }),
    );
}

it('is not refunded when the same complaint comes through another network', async () => {
  await acceptedBeforeItsOrder({ acquirer_reference_number: ARN });
  await world.open({ alertId: B, enrolmentType: 'NETB_ALERT' });
  await world.pass([worker], 12);
  expect(world.processor.ours('ch_1')).toBe(0);
  expect(await world.caseOf(A)).toMatchObject({ charge_reference: 'ch_1' });
  expect(world.service.effective(B).map(({ action }) => action)).not.toContain('REFUND');
});

it('stands in no way of a charge that its alert does not name', async () => {
  await acceptedBeforeItsOrder({ acquirer_reference_number: '74537604221222132710999' });
  await world.open({ alertId: B, enrolmentType: 'NETB_ALERT' });
  await world.pass([worker], 12);
  expect(world.processor.ours('ch_1')).toBe(5000);
  expect(await world.caseOf(A)).toMatchObject({ charge_reference: null });
});

describe('numbers that are used again', () => {
  const number = { acquirer_reference_number: ARN };
  const code = { authorisation_code: CODE, card_last4: '1111' };

  it.each<[string, Updateable<AlertTable>, boolean | 'perhaps']>([
    ['its number, of the same card', { ...number, card_last4: '1111' }, true],
    ['its number, of another card', { ...number, card_last4: '2222' }, false],
    ['its number, 30 days apart', { ...number, authorised_at: '2026-04-01T08:00:00Z' }, true],
    ['its number, further apart', { ...number, authorised_at: '2026-04-01T08:00:01Z' }, false],
    ['its code and card', { ...code, authorisation_code: ' ab12cd' }, true],
    ['its code, of another card', { ...code, card_last4: '2222' }, false],
    ['its code, of a card that is not said', { ...code, card_last4: null }, 'perhaps'],
    ['its code and card, and a greater amount', { ...code, amount_minor: 5001 }, 'perhaps'],
    [
      'its code and card, and a greater number of another currency',
      { ...code, amount_minor: 850_000, currency: 'JPY' },
      true,
    ],
  ])('%s', async (_name, alert, isTheCharge) => {
    await acceptedBeforeItsOrder(alert);
    await world.open({ alertId: B, enrolmentType: 'NETB_ALERT' });
    await world.settle([worker]);
    const reference = isTheCharge === true ? 'ch_1' : null;
    expect(await world.caseOf(A)).toMatchObject({ charge_reference: reference });
    // What points at the charge, and does not name it, is a doubt: nothing is refunded beside it by itself.
    expect(world.processor.ours('ch_1')).toBe(isTheCharge === false ? 5000 : 0);
  });
});

it('nor where its alert names another payment, whatever numbers agree', async () => {
  await acceptedBeforeItsOrder({
    acquirer_reference_number: ARN,
    integration_transaction_id: 'ch_another',
  });
  await world.open({ alertId: B, enrolmentType: 'NETB_ALERT' });
  await world.pass([worker], 12);
  expect(world.processor.ours('ch_1')).toBe(5000);
  expect(await world.caseOf(A)).toMatchObject({ charge_reference: null });
});

it('but is taken over where number, card and amount are the charge’s, although the service named another payment', async () => {
  await acceptedBeforeItsOrder({
    acquirer_reference_number: ARN,
    integration_transaction_id: 'ch_another',
  });
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
