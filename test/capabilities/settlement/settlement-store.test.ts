/**
 * Guarantee: a debit of the network is held against what we paid back for the same complaint, and not
 * against a refund of another item of the charge, or one that is not ours or moved nothing.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { alertsOfSettlement } from '../../../src/capabilities/settlement/settlement.store.ts';
import type { MovementFields } from '../../integration/reconcile/rows.ts';
import {
  alertObject,
  insertAlert,
  insertCase,
  insertDispute,
  insertMovement,
  ORG,
} from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const ARN = '74537606065123456789012';

const test = useTestDatabase();

beforeEach(async () => {
  for (const table of ['cover', 'movement', 'dispute', 'alert_case', 'alert'] as const) {
    await test.db.deleteFrom(table).execute();
  }
  const rdr = { enrolment_type: 'NETB_RDR', status: 'RESOLVED' } as const;
  await insertAlert(test.db, alertObject('rdr_1', rdr));
  await test.db.updateTable('alert').set({ acquirer_reference_number: ARN }).execute();
  for (const each of ['a', 'b']) await insertDispute(test.db, `dsp_${each}`, { charge: 'ch_1' });
  const refund = { chargeReference: 'ch_1', disputeId: 'dsp_a' } as const;
  await insertCase(test.db, 'rdr_1', { ...refund, state: 'RECONCILED_RDR' });
});

async function ownRefund(): Promise<unknown> {
  const row = {
    line: 1,
    acquirerReferenceNumber: ARN,
    date: null,
    amountMinor: 1,
    currency: 'USD',
  };
  const [alert, ...others] = await alertsOfSettlement(test.db, ORG, [row]);
  expect(others).toEqual([]);
  return alert?.ownRefund;
}

const own: MovementFields = {
  state: 'CONFIRMED',
  charge: 'ch_1',
  alertId: 'netalrt_1',
  disputeId: 'dsp_a',
};

describe('our own refund beside the network’s', () => {
  it('is what went back for the same dispute, in all', async () => {
    await insertMovement(test.db, 'r1', { ...own, amountMinor: 2_500 });
    await insertMovement(test.db, 'r2', { ...own, state: 'PENDING', amountMinor: 500 });
    await insertMovement(test.db, 'r3', { ...own, disputeId: 'dsp_b' });
    expect(await ownRefund()).toEqual({ id: 'r1', amountMinor: 3_000, currency: 'USD' });
  });

  it.each<[string, MovementFields]>([
    ['another dispute’s', { ...own, disputeId: 'dsp_b' }],
    ['refused', { ...own, state: 'REJECTED' }],
    ['reversed', { ...own, state: 'REVERSED' }],
    ['not ours', { ...own, kind: 'external' }],
    ['the network’s', { ...own, kind: 'network', alertId: 'rdr_1' }],
  ])('is none where it is %s', async (_name, movement) => {
    await insertMovement(test.db, 'r1', movement);
    expect(await ownRefund()).toBeNull();
  });

  it('is any of the charge where nobody knows to which dispute the debit belongs', async () => {
    await test.db.updateTable('alert_case').set({ dispute_id: null }).execute();
    await insertMovement(test.db, 'r1', { ...own, disputeId: 'dsp_b' });
    expect(await ownRefund()).toMatchObject({ id: 'r1' });
  });
});

it('alerts of the last day of a file are looked at, as those of its other days', async () => {
  // Created at 10:00 on the first of March.
  const read = async (date: string): Promise<string[]> => {
    const row = { line: 1, acquirerReferenceNumber: 'other', amountMinor: 1, currency: 'USD' };
    const alerts = await alertsOfSettlement(test.db, ORG, [{ ...row, date }]);
    return alerts.map(({ alertId }) => alertId);
  };
  expect(await read('2026-03-01')).toEqual(['rdr_1']);
  expect(await read('2026-02-28')).toEqual([]);
  expect(await read('2026-03-02')).toEqual([]);
});
