/**
 * Guarantee: money that a person names by its reference counts once, whichever statement names it, on whichever charge, and
 * however the reference is written.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { askAboutCharge } from '../../../src/alerts/ledger/charge-reading.ts';
import { findNamedMoney } from '../../../src/alerts/ledger/counted.store.ts';
import { insertObserved } from '../../../src/alerts/ledger/observe.store.ts';
import { openLedger } from '../../../src/alerts/ledger/with-ledger.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';
import { SAME_AS_CHQ_1 } from '../../unit/ledger/same-references.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const B = 'netalrt_b';

const refused = (reason: string) => ({ ok: false, reason });

const outside = (reference: string, alertId = A) =>
  world.say({ alertId, action: 'REFUNDED_OUTSIDE', reference });
const executed = (reference: string, said: { alertId?: string; amountMinor?: number } = {}) =>
  world.say({ action: 'DID_EXECUTE', reference, ...said });

/** Held alerts about 50.00 of a charge of their own each. */
async function twoCharges(): Promise<void> {
  world.processor.addCharge('ch_2');
  for (const [alertId, chargeReference] of [
    [A, 'ch_1'],
    [B, 'ch_2'],
  ] as const) {
    await world.open({ alertId, chargeReference, amountMinor: 3000 });
    await world.settle([worker]);
    expect((await world.caseOf(alertId)).hold_reason).toBe('amount_differs');
  }
}

/** A request for B, on a charge of its own, that nobody can tell about. */
async function requestInDoubt(): Promise<void> {
  world.processor.addCharge('ch_2');
  world.processor.caps = {
    ...FULL_CAPABILITIES,
    canLookupByReference: false,
    idempotencyTtlHours: 0,
  };
  world.processor.faults.push('lost_before');
  await world.open({ alertId: B, chargeReference: 'ch_2' });
  await world.settle([worker]);
  expect(await world.refundState('ch_2')).toBe('UNKNOWN');
}

describe('a cheque', () => {
  it.each(SAME_AS_CHQ_1.map((text) => [JSON.stringify(text), text]))(
    'answers one charge: written as %s it is refused for another',
    async (_shown, text) => {
      await twoCharges();
      expect(await outside('CHQ-1')).toMatchObject({ ok: true });
      expect(await outside(text, B)).toEqual(refused('reference_counted'));
      expect(await world.movements('ch_2')).toEqual([]);
    },
  );

  it('is stored without what nobody sees, and compared with what was stored with it', async () => {
    await twoCharges();
    expect(await outside('\u00a0 CHQ-7\u200b ')).toMatchObject({ ok: true });
    expect(await world.movements()).toMatchObject([{ processor_reference: 'CHQ-7' }]);
    // As a version before stored it.
    await world.db
      .updateTable('movement')
      .set({ processor_reference: ' ｃhq-7\u00a0' })
      .where('organisation_id', '=', world.organisationId)
      .execute();
    expect(await outside('CHQ-7', B)).toEqual(refused('reference_counted'));
  });

  it.each(['', ' ', '\u00a0\u200b', '\u2060'])(
    'of which nothing can be seen (%j) is none',
    async (text) => {
      await twoCharges();
      expect(await outside(text)).toEqual(refused('reference_needed'));
    },
  );

  it('that two people name for two charges at once counts for one', async () => {
    await twoCharges();
    const answers = await Promise.all([outside('CHQ-1'), outside('chq-1 ', B)]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(answers).toContainEqual(refused('reference_counted'));
  });

  it('that somebody named is known again when the processor shows it', async () => {
    await twoCharges();
    expect(await outside('SU_1 ')).toMatchObject({ ok: true });
    world.processor.supportRefund('ch_1', 3000);
    const charge = { organisationId: world.organisationId, chargeReference: 'ch_1' };
    const reading = await askAboutCharge(worker.deps, charge, new AbortController().signal);
    if (reading.kind !== 'read') throw new Error('the charge was not read');
    const now = new Date(world.clock.nowMs());
    const shared = { capabilities: reading.capabilities, samePart: 'REVIEW', alertId: A } as const;
    await world.db
      .transaction()
      .execute((trx) => openLedger(trx, { charge, reading: reading.reading, ...shared, now }));
    const standing = (await world.movements()).filter(({ state }) => state === 'CONFIRMED');
    expect(standing.map((row) => row.amount_minor)).toEqual([3000]);
  });
});

describe('a refund of ours', () => {
  beforeEach(async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(5000);
    expect((await world.movements())[0]).toMatchObject({ processor_reference: 're_1' });
  });

  it.each(['re_1', 're_1 ', ' re_1', 'RE_1', 're_\u200b1'])(
    'that answers one alert is no outcome of another one’s request (%j)',
    async (text) => {
      await requestInDoubt();
      expect(await executed(text, { alertId: B })).toEqual(refused('reference_counted'));
      expect(await executed(text, { alertId: B, amountMinor: 4000 })).toEqual(
        refused('reference_counted'),
      );
      expect(await world.refundState('ch_2')).toBe('UNKNOWN');
      expect(world.service.effective(B)).toEqual([]);
    },
  );

  it.each(['re_1 ', ' re_1'])('is no money outside of another charge (%j)', async (text) => {
    world.processor.addCharge('ch_2');
    await world.open({ alertId: B, chargeReference: 'ch_2', amountMinor: 3000 });
    await world.settle([worker]);
    expect(await outside(text, B)).toEqual(refused('reference_counted'));
  });
});

describe('the outcome of a request', () => {
  const shows = (
    amountMinor: number,
    reference: string,
    state: 'CONFIRMED' | 'REVERSED',
    chargeReference = 'ch_2',
  ) =>
    world.db.transaction().execute((trx) =>
      insertObserved(trx, {
        charge: { organisationId: world.organisationId, chargeReference },
        kind: 'external',
        state,
        amountMinor,
        currency: 'EUR',
        reference,
        from: 'processor',
        now: new Date(world.clock.nowMs()),
      }),
    );

  it('may be what the processor shows on its charge, with the amount that it shows', async () => {
    await requestInDoubt();
    await shows(3000, 'su_9', 'CONFIRMED');
    expect(await executed('su_9', { alertId: B })).toEqual(refused('reference_other_amount'));
    expect(await executed('su_9', { alertId: B, amountMinor: 2000 })).toEqual(
      refused('reference_other_amount'),
    );
    expect(await executed('SU_9 ', { alertId: B, amountMinor: 3000 })).toMatchObject({ ok: true });
    const standing = (await world.movements('ch_2')).filter(({ state }) => state === 'CONFIRMED');
    expect(standing.map((row) => row.amount_minor)).toEqual([3000]);
  });

  it('is nothing that the processor shows for another complaint, or on another charge', async () => {
    await requestInDoubt();
    await shows(5000, 'su_7', 'CONFIRMED', 'ch_1');
    expect(await executed('su_7', { alertId: B })).toEqual(refused('reference_counted'));
    const { id } = await shows(5000, 'su_6', 'CONFIRMED');
    const { organisationId } = world;
    await world.db
      .insertInto('dispute')
      .values({
        organisation_id: organisationId,
        id: 'dsp_other',
        charge_reference: 'ch_2',
        amount_minor: 5000,
        currency: 'EUR',
        opened_at: new Date(world.clock.nowMs()),
      })
      .execute();
    await world.db
      .insertInto('cover')
      .values({
        organisation_id: organisationId,
        movement_id: id,
        dispute_id: 'dsp_other',
        amount_minor: 5000,
      })
      .execute();
    expect(await executed('su_6', { alertId: B })).toEqual(refused('reference_counted'));
  });

  it('is no refund that failed', async () => {
    await requestInDoubt();
    await shows(0, 'su_8', 'REVERSED');
    expect(await executed('su_8', { alertId: B })).toEqual(refused('reference_failed'));
    world.processor.addCharge('ch_3');
    await world.open({ alertId: A, chargeReference: 'ch_3', amountMinor: 3000 });
    await world.settle([worker]);
    expect(await outside('su_8')).toEqual(refused('reference_failed'));
  });

  it('is what was said, and money of another organisation is nobody’s here', async () => {
    await requestInDoubt();
    const named = await world.db
      .transaction()
      .execute((trx) => findNamedMoney(trx, 'org_other', 're_1'));
    expect(named).toEqual([]);
    expect(await executed(' re_5 ', { alertId: B })).toMatchObject({ ok: true });
    expect(await world.movements('ch_2')).toMatchObject([
      { state: 'CONFIRMED', processor_reference: 're_5' },
    ]);
  });
});
