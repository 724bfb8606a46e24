/** Guarantee: what the network refunded is booked, blocks any refund of ours, and is never answered (I4). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applySnapshots } from '../../../src/apply/apply-snapshots.ts';
import { findCase } from '../../../src/cases/case.store.ts';
import { nowDate, nowIso } from '../../../src/kernel/clock.ts';
import { setCrashHook } from '../../../src/kernel/crash-point.ts';
import { reconcileRdr } from '../../../src/refund/reconcile-rdr.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { createSagaWorld } from '../../crash/support/saga-world.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

let world: SagaWorld;
let worker: Worker;
beforeEach(() => {
  world = createSagaWorld(database.db);
  worker = world.worker('w1');
});

const A = 'netalrt_neta';
const RDR = 'netalrt_rdr';

/** An RDR alert arrives and is reconciled, as the match stage does it. */
async function rdrArrives(
  options: { chargeReference?: string | null; amountMinor?: number; outcome?: string } = {},
): Promise<void> {
  const { db, organisationId, clock } = world;
  const { chargeReference = 'ch_1', amountMinor = 5000, outcome = 'REFUNDED' } = options;
  await db.transaction().execute(async (trx) => {
    const object = {
      id: RDR,
      organisation_id: organisationId,
      enrolment_type: 'NETB_RDR',
      status: 'RESOLVED',
      transaction_refund_outcome: outcome,
      transaction_amount_in_cents: amountMinor,
      transaction_currency_code: 'EUR',
      created_at: nowIso(clock),
      updated_at: nowIso(clock),
    };
    await applySnapshots(trx, {
      organisationId,
      source: 'webhook',
      snapshots: [{ entity: 'alert', object, eventId: 'evt_1' }],
      now: nowDate(clock),
    });
    const claim = await findCase(trx, organisationId, RDR);
    await reconcileRdr(trx, claim!, {
      alert: {
        id: RDR,
        status: 'RESOLVED',
        refund_outcome: outcome,
        amount_minor: amountMinor,
        currency: 'EUR',
      },
      chargeReference,
      now: nowDate(clock),
    });
  });
}

describe('an RDR alert', () => {
  it('is booked on its charge without a call', async () => {
    await rdrArrives();
    await world.pass([worker], 72);
    expect(await world.state(RDR)).toBe('RECONCILED_RDR');
    expect(await world.refundState('ch_1')).toBe('EXTERNAL');
    expect(world.processor.calls).toEqual([]);
    expect(world.service.patches).toEqual([]);
  });

  it('without a charge ends all the same', async () => {
    await rdrArrives({ chargeReference: null });
    expect(await world.state(RDR)).toBe('RECONCILED_RDR');
    expect(await world.refundState('ch_1')).toBeUndefined();
  });

  it('before the other network’s alert: that one is answered with it, and nothing is refunded (F73)', async () => {
    await rdrArrives();
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.calls).toEqual([]);
    expect(world.service.effective(A)).toMatchObject([{ note: `already refunded ${RDR}` }]);
  });

  it('that shows no refund blocks ours, and leaves the other alert to a person', async () => {
    await rdrArrives({ outcome: 'NOT_REFUNDED' });
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.calls).toEqual([]);
    expect(await world.state(A)).toBe('HUMAN');
    expect(world.service.patches).toEqual([]);
  });

  it('cancels a refund that was only intended', async () => {
    await world.open({ alertId: A });

    setCrashHook((point) => {
      if (point === 'K6') throw new Error('died before sending');
    });
    await worker.round();
    setCrashHook(undefined);
    expect(await world.refundState('ch_1')).toBe('INTENT');
    await rdrArrives();
    expect(await world.refundState('ch_1')).toBe('EXTERNAL');
    await world.pass([worker], 1);
    expect(world.processor.calls).toEqual([]);
    expect(world.service.effective(A)).toMatchObject([{ note: `already refunded ${RDR}` }]);
    expect(await world.notifications('double_payment')).toBe(0);
  });

  it('after our refund pages a person about the double payment, and the answer stands', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    await rdrArrives();
    expect(await world.notifications('double_payment')).toBe(1);
    expect(await world.refundState('ch_1')).toBe('CONFIRMED');
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('while our refund is unanswered: it is never sent again', async () => {
    world.processor.caps = FULL_CAPABILITIES;
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    await rdrArrives();
    await world.pass([worker], 4);
    expect(world.processor.calls).toHaveLength(1);
    expect(await world.notifications('double_payment')).toBe(1);
    expect(await world.state(A)).toBe('HUMAN');
    expect((await world.caseOf(A)).hold_reason).toBe('network_refunded');
  });

  it('while our refund is unanswered, and nobody can tell whether it was executed: a person hears why', async () => {
    world.processor.caps = { ...FULL_CAPABILITIES, canLookupByReference: false };
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    await rdrArrives();
    await world.pass([worker], 4);
    expect(world.processor.calls).toHaveLength(1);
    expect(await world.refundState('ch_1')).toBe('HUMAN');
    expect((await world.caseOf(A)).hold_reason).toBe('network_refunded');
    const pages = await world.db
      .selectFrom('notification')
      .select(['severity', 'text'])
      .where('organisation_id', '=', world.organisationId)
      .where('kind', '=', 'refund_unresolved')
      .execute();
    expect(pages).toHaveLength(1);
    expect(pages[0]?.severity).toBe('error');
    expect(pages[0]?.text).toContain(
      `the network refunded the payment meanwhile (RDR alert ${RDR})`,
    );
    expect(pages[0]?.text).toContain('may be paid twice');
  });
});
