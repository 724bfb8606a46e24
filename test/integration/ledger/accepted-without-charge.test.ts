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
const OTHER_ARN = '74537604221222132710999';
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
    cardBin: '545454',
    cardLast4: '1111',
    integrationId: 'int_1',
  });
  await world.db
    .transaction()
    .execute((trx) =>
      recordCharges(trx, world.organisationId, { charges: [record], now: nowDate(world.clock) }),
    );
}

it('is not refunded when the same complaint comes through another network', async () => {
  await acceptedBeforeItsOrder({ acquirer_reference_number: ARN, card_last4: '1111' });
  await world.open({ alertId: B, enrolmentType: 'NETB_ALERT' });
  await world.pass([worker], 12);
  expect(world.processor.ours('ch_1')).toBe(0);
  expect(await world.caseOf(A)).toMatchObject({ charge_reference: 'ch_1' });
  expect(world.service.effective(B).map(({ action }) => action)).not.toContain('REFUND');
});

it('stands in no way of a charge that its alert does not name', async () => {
  await acceptedBeforeItsOrder({ acquirer_reference_number: OTHER_ARN });
  await world.open({ alertId: B, enrolmentType: 'NETB_ALERT' });
  await world.pass([worker], 12);
  expect(world.processor.ours('ch_1')).toBe(5000);
  expect(await world.caseOf(A)).toMatchObject({ charge_reference: null });
});

describe('numbers that are used again', () => {
  const day = { authorised_at: '2026-03-02T08:00:00Z' };
  const number = { acquirer_reference_number: ARN, card_last4: '1111', ...day };
  const code = { authorisation_code: CODE, card_last4: '1111', ...day };
  const bin = { card_bin: '411111', ...day };

  it.each<[string, Updateable<AlertTable>, boolean | 'perhaps']>([
    ['its number and card', number, true],
    ['its number, of a card that is not said', { ...number, card_last4: null }, 'perhaps'],
    ['its number, of another card', { ...number, card_last4: '2222' }, false],
    [
      'its number and card, 30 days apart',
      { ...number, authorised_at: '2026-04-01T23:59:59Z' },
      true,
    ],
    [
      'its number and card, further apart',
      { ...number, authorised_at: '2026-04-02T00:00:00Z' },
      false,
    ],
    ['its number and card, of another issuer', { ...number, ...bin }, 'perhaps'],
    ['its code and card', { ...code, authorisation_code: ' ab12cd' }, true],
    ['its code and card, no day being said', { ...code, authorised_at: null }, 'perhaps'],
    ['its code, of another card', { ...code, card_last4: '2222' }, false],
    ['its code, of a card that is not said', { ...code, card_last4: null }, 'perhaps'],
    ['its code and card, and a greater amount', { ...code, amount_minor: 5001 }, true],
    [
      'its code and card, and another currency',
      { ...code, amount_minor: 850_000, currency: 'JPY' },
      'perhaps',
    ],
    [
      'its code and card, and another number',
      { ...code, acquirer_reference_number: OTHER_ARN },
      'perhaps',
    ],
    ['its reference', { integration_transaction_id: 'ch_1', ...day }, true],
    [
      'its reference, of another card',
      { integration_transaction_id: 'ch_1', card_last4: '2222' },
      'perhaps',
    ],
    [
      'its reference, at another processor',
      { integration_transaction_id: 'ch_1', integration_id: 'int_other', amount_minor: 4900 },
      false,
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

it('but is in doubt where number, card and amount are the charge’s, although the service named another payment', async () => {
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
  expect(await world.caseOf(A)).toMatchObject({ charge_reference: null });
  expect(await world.caseOf(B)).toMatchObject({ hold_reason: 'acceptance_unclear' });
  expect(world.service.effective(B).map(({ action }) => action)).not.toContain('REFUND');
});
