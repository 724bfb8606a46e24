/**
 * Guarantee: what a person says amiss about money has no effect on it: a charge that is not the alert's, a reference
 * that counts already, a sum that nobody agreed to, an amount in another currency.
 */
import { describe, expect, it } from 'vitest';
import { findDeclaration } from '../../../src/alerts/declare/declaration.store.ts';
import type { OperatorDecision } from '../../../src/alerts/review/operator-decision.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const B = 'netalrt_b';

const refused = (reason: string) => ({ ok: false, reason });

/** Two complaints about parts of one charge, 20.00 and 15.00 of 50.00, both held. */
async function twoHeld(): Promise<void> {
  await world.open({ alertId: A, amountMinor: 2000 });
  await world.settle([worker]);
  world.clock.advanceMs(1);
  await world.open({ alertId: B, amountMinor: 1500 });
  await world.settle([worker]);
}

/** A request of ours for 50.00 that nobody can tell about: neither keys nor look-ups. */
async function requestInDoubt(): Promise<void> {
  world.processor.caps = {
    ...FULL_CAPABILITIES,
    canLookupByReference: false,
    idempotencyTtlHours: 0,
  };
  world.processor.faults.push('lost_before');
  await world.open({ alertId: A });
  await world.settle([worker]);
  expect(await world.refundState('ch_1')).toBe('UNKNOWN');
}

async function sumOf(reference: string): Promise<number> {
  const rows = (await world.movements()).filter((row) => row.processor_reference === reference);
  return rows
    .filter(({ state }) => state !== 'REJECTED' && state !== 'REVERSED')
    .reduce((sum, { amount_minor }) => sum + amount_minor, 0);
}

describe('another charge', () => {
  it.each<[Partial<OperatorDecision>]>([
    [{ action: 'ACCEPT_DISPUTE', despiteMinor: 1000 }],
    [{ action: 'RETRY' }],
    [{ action: 'REFUNDED_OUTSIDE', reference: 'CHQ-1' }],
    [{ action: 'DID_EXECUTE', reference: 'CHQ-1' }],
    [{ action: 'DID_NOT_EXECUTE' }],
    [{ action: 'SEPARATE_DISPUTE' }],
    [{ action: 'NOT_OURS' }],
  ])('is named by a refund only: %j', async (said) => {
    world.processor.supportRefund('ch_1', 1000);
    world.processor.addCharge('ch_2');
    await world.open({ alertId: A });
    await world.settle([worker]);
    const before = await world.caseOf(A);
    expect(await world.say({ ...said, chargeReference: 'ch_2' })).toEqual(refused('other_charge'));
    expect(await world.caseOf(A)).toEqual(before);
  });

  it('has disputes that an alert of this one cannot join', async () => {
    world.processor.addCharge('ch_2');
    await world.open({ alertId: A, amountMinor: 2000 });
    await world.open({ alertId: B, amountMinor: 2000, chargeReference: 'ch_2' });
    await world.settle([worker]);
    const disputeId = (await world.caseOf(B)).dispute_id ?? '';
    const join = { action: 'JOIN_DISPUTE', disputeId } as const;
    expect(await world.say({ ...join, chargeReference: 'ch_2' })).toEqual(refused('other_charge'));
    expect(await world.say(join)).toEqual(refused('no_such_dispute'));
    // The alert's own charge may be named.
    expect(await world.say({ ...join, chargeReference: 'ch_1' })).toEqual(
      refused('no_such_dispute'),
    );
  });
});

describe('a sum that is accepted although it went back', () => {
  it('is what the person was shown, not what they name: more needs a second person', async () => {
    await world.open({ alertId: A, amountMinor: 2000 });
    await world.settle([worker]);
    const accept = { action: 'ACCEPT_DISPUTE', despiteMinor: 2000 } as const;
    const limit = { approvalAboveMinor: { EUR: 999 } };
    expect(await world.say({ ...accept, ...limit })).toMatchObject({ ok: true });
    // Seen by the step that would say it.
    world.processor.supportRefund('ch_1', 1500);
    await world.settle([worker]);
    expect(world.service.patches).toEqual([]);
    expect((await world.caseOf(A)).hold_reason).toBe('part_went_back');
    expect(await world.say({ ...accept, ...limit })).toEqual(refused('second_person'));
    expect(await world.say({ ...accept, ...limit, operator: 'noor' })).toMatchObject({ ok: true });
    await world.settle([worker]);
    const declaration = await findDeclaration(world.db, world.organisationId, A);
    expect(declaration).toMatchObject({ action: 'ACCEPT_DISPUTE', despite_minor: 1500 });
  });

  it('is accepted as a payment of ours, once a person who had said that it is not knows better', async () => {
    await world.open({ alertId: A, amountMinor: 2000 });
    await world.settle([worker]);
    await world.say({ action: 'NOT_OURS' });
    world.processor.supportRefund('ch_1', 1500);
    await world.settle([worker]);
    expect((await world.caseOf(A)).hold_reason).toBe('part_went_back');
    await world.say({ action: 'ACCEPT_DISPUTE', despiteMinor: 1500 });
    await world.settle([worker]);
    expect(world.service.effective(A)).toMatchObject([{ note: 'not refunded' }]);
  });

  it('is none where it is no number', async () => {
    world.processor.supportRefund('ch_1', 1000);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.say({ action: 'ACCEPT_DISPUTE', despiteMinor: Number.NaN })).toEqual(
      refused('part_went_back'),
    );
  });
});

describe('a reference that counts already', () => {
  it('of what support refunded for one complaint is no money for another', async () => {
    await twoHeld();
    world.processor.supportRefund('ch_1', 2000);
    await world.say({ action: 'REFUND' });
    await world.settle([worker]);
    expect(world.service.effective(A)).toMatchObject([{ note: 'already refunded su_1' }]);
    const outside = { alertId: B, action: 'REFUNDED_OUTSIDE', reference: 'su_1' } as const;
    expect(await world.say(outside)).toEqual(refused('reference_counted'));
    expect(await sumOf('su_1')).toBe(2000);
  });

  it('of what a person said before, or of our own refund, neither', async () => {
    await twoHeld();
    await world.say({ action: 'REFUNDED_OUTSIDE', reference: 'CHQ-1', amountMinor: 500 });
    await world.say({ action: 'REFUND', amountMinor: 500 });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(500);
    for (const reference of ['CHQ-1', 're_1']) {
      const outside = { alertId: B, action: 'REFUNDED_OUTSIDE', reference } as const;
      expect(await world.say(outside)).toEqual(refused('reference_counted'));
      expect(await sumOf(reference)).toBe(500);
    }
  });

  it('is not counted again where our request was carried out with that amount', async () => {
    await requestInDoubt();
    // The processor shows what it did without our key.
    world.processor.supportRefund('ch_1', 3000);
    await world.pass([worker], 1);
    expect((await world.caseOf(A)).hold_reason).toBe('refund_unresolved');
    const said = { action: 'DID_EXECUTE', reference: 'su_1', amountMinor: 3000 } as const;
    expect(await world.say(said)).toMatchObject({ ok: true });
    expect(await sumOf('su_1')).toBe(3000);
    await world.pass([worker], 2);
    // 30.00 of 50.00 went back.
    expect(world.service.patches).toEqual([]);
  });
});

describe('a statement above the limit for one person', () => {
  it('of another amount than was asked for needs another person too', async () => {
    await requestInDoubt();
    const said = { action: 'DID_EXECUTE', reference: 'X-1', amountMinor: 4000 } as const;
    const limit = { approvalAboveMinor: { EUR: 3999 } };
    expect(await world.say({ ...said, ...limit })).toEqual(refused('second_person'));
    expect(await world.say({ ...said, ...limit })).toEqual(refused('second_person'));
    expect(await sumOf('X-1')).toBe(0);
    expect(await world.say({ ...said, ...limit, operator: 'noor' })).toMatchObject({ ok: true });
    expect(await sumOf('X-1')).toBe(4000);
  });

  it('takes effect after the deadline as before it', async () => {
    await requestInDoubt();
    await world.pass([worker], 48);
    const said = { action: 'DID_EXECUTE', reference: 'X-1', amountMinor: 4000 } as const;
    const limit = { approvalAboveMinor: { EUR: 3999 } };
    expect(await world.say({ ...said, ...limit })).toEqual(refused('second_person'));
    expect(await world.say({ ...said, ...limit, operator: 'noor' })).toMatchObject({ ok: true });
  });
});

describe('an amount in another currency', () => {
  it('of a charge that is named and not known: nothing moves before the person has seen its currency', async () => {
    world.processor.addCharge('ch_yen', { currency: 'JPY', amountMinor: 9000 });
    await world.open({ alertId: A, amountMinor: 5000, currency: 'USD', chargeReference: null });
    await world.settle([worker]);
    // 50.00 USD, as the alert is.
    const refund = { action: 'REFUND', amountMinor: 5000, chargeReference: 'ch_yen' } as const;
    expect(await world.say(refund)).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(world.processor.calls).toEqual([]);
    expect((await world.caseOf(A)).hold_reason).toBe('currency_differs');
    // 7500 JPY, as the charge is known to be by now.
    await world.say({ action: 'REFUND', amountMinor: 7500 });
    await world.settle([worker]);
    expect(world.processor.ours('ch_yen')).toBe(7500);
  });
});
