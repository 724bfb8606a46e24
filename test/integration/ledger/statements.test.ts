/**
 * Guarantee: whatever a person says about an alert's money takes effect, or is refused with the reason,
 * and both are in the audit log; nothing a person says breaks the rules about money (L1 to L5).
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { findDeclaration } from '../../../src/alerts/declare/declaration.store.ts';
import { askAboutCharge } from '../../../src/alerts/ledger/charge-reading.ts';
import { openLedger } from '../../../src/alerts/ledger/with-ledger.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const B = 'netalrt_b';

const refused = (reason: string) => ({ ok: false, reason });

/** A case held because its amount, 30.00 of 50.00, differs from the charge's. */
async function heldCase(): Promise<void> {
  await world.open({ alertId: A, amountMinor: 3000 });
  await world.settle([worker]);
  expect(await holdOf(A)).toBe('amount_differs');
}

/** A request of ours that nobody can tell about: neither keys nor look-ups. */
async function unknownRefund(): Promise<void> {
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

async function holdOf(alertId: string): Promise<string | null> {
  return (await world.caseOf(alertId)).hold_reason;
}

async function disputeIdOf(alertId: string): Promise<string> {
  const { dispute_id } = await world.caseOf(alertId);
  expect(dispute_id).not.toBeNull();
  return dispute_id ?? '';
}

/** What people asked for, as the audit log has it. */
async function asked(): Promise<unknown[]> {
  const rows = await world.db
    .selectFrom('audit')
    .select(['actor', 'what', 'detail'])
    .where('organisation_id', '=', world.organisationId)
    .where('subject', '=', 'operator')
    .where((eb) => eb.or([eb('what', 'like', 'asked for%'), eb('what', 'like', '%refused')]))
    .orderBy('id')
    .execute();
  return rows.map(({ actor, what, detail }) => [actor, what, detail]);
}

describe('REFUND of an amount', () => {
  it('sends that much, and the rest stays the person’s to decide', async () => {
    await heldCase();
    expect(await world.say({ amountMinor: 1000 })).toEqual({ ok: true, state: 'DECIDED_REFUND' });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(1000);
    expect(world.service.patches).toEqual([]);
    expect(await holdOf(A)).toBe('not_declarable');
    expect(await world.say({ amountMinor: 2001 })).toEqual(refused('amount_needed'));
    expect(await world.say({})).toEqual({ ok: true, state: 'DECIDED_REFUND' });
    await world.settle([worker]);
    expect(world.processor.calls.map(({ amountMinor }) => amountMinor)).toEqual([1000, 2000]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(await asked()).toEqual([
      ['operator:ada', 'asked for REFUND', expect.objectContaining({ amount_minor: 1000 })],
      [
        'operator:ada',
        'REFUND refused',
        expect.objectContaining({ amount_minor: 2001, reason: 'amount_needed' }),
      ],
      ['operator:ada', 'asked for REFUND', expect.anything()],
    ]);
  });

  it.each([0, -1, 1.5, 3001])(
    'of %d is refused: above nothing, and at most what is missing',
    async (amountMinor) => {
      await heldCase();
      expect(await world.say({ amountMinor })).toEqual(refused('amount_needed'));
      expect(world.processor.calls).toEqual([]);
    },
  );

  it('after the deadline is refused', async () => {
    await heldCase();
    world.clock.advanceMs(48 * HOUR_MS);
    expect(await world.say({})).toEqual(refused('too_late'));
  });

  it('without a charge, or while the request is unanswered, or after another alert was accepted, is refused', async () => {
    await world.open({ alertId: B, chargeReference: null });
    await world.settle([worker]);
    expect(await world.say({ alertId: B })).toEqual(refused('charge_needed'));
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    await world.settle([worker]);
    await world.open({ alertId: 'netalrt_twin', enrolmentType: 'NETB_ALERT' });
    await world.settle([worker]);
    expect(await world.say({ alertId: 'netalrt_twin' })).toEqual(refused('dispute_accepted'));
    expect(world.processor.calls).toEqual([]);
  });
});

/** The charge is read once more, as the comparison does after the case is over. */
async function seeCharge(): Promise<void> {
  const charge = { organisationId: world.organisationId, chargeReference: 'ch_1' };
  const reading = await askAboutCharge(worker.deps, charge, new AbortController().signal);
  if (reading.kind !== 'read') throw new Error('the charge was not read');
  await world.db.transaction().execute((trx) =>
    openLedger(trx, {
      charge,
      reading: reading.reading,
      capabilities: reading.capabilities,
      samePart: 'REVIEW',
      alertId: null,
      now: nowDate(world.clock),
    }),
  );
}

describe('ACCEPT_DISPUTE although a part went back', () => {
  async function partBack(): Promise<void> {
    world.processor.supportRefund('ch_1', 1000);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await holdOf(A)).toBe('partly_refunded');
  }

  it('is refused until the person names the sum, and leaves a finding', async () => {
    await partBack();
    expect(await world.say({ action: 'ACCEPT_DISPUTE' })).toEqual(refused('part_went_back'));
    expect(await world.say({ action: 'ACCEPT_DISPUTE', despiteMinor: 999 })).toEqual(
      refused('part_went_back'),
    );
    expect(await world.say({ action: 'ACCEPT_DISPUTE', despiteMinor: 1000 })).toEqual({
      ok: true,
      state: 'DECIDED_ACCEPT',
    });
    await world.settle([worker]);
    expect(world.service.effective(A)).toMatchObject([{ action: 'ACCEPT_DISPUTE' }]);
    const declaration = await findDeclaration(world.db, world.organisationId, A);
    expect(declaration?.despite_minor).toBe(1000);
    const findings = await world.db
      .selectFrom('finding')
      .select(['kind', 'evidence'])
      .where('organisation_id', '=', world.organisationId)
      .where('kind', '=', 'accepted_after_part')
      .execute();
    expect(findings).toMatchObject([{ evidence: { returned_in_cents: 1000 } }]);
    // What they accepted knowingly is no double payment that somebody must still find.
    expect(await world.openFindings()).toEqual(['accepted_after_part']);
    expect(await world.notifications('double_payment')).toBe(0);
    world.processor.supportRefund('ch_1', 500);
    await seeCharge();
    expect(await world.openFindings()).toEqual(['accepted_after_part', 'paid_too_often']);
    expect(await world.notifications('double_payment')).toBe(1);
    expect((await asked()).map((row) => (row as unknown[])[2])).toEqual([
      expect.objectContaining({ reason: 'part_went_back' }),
      expect.objectContaining({ despite_minor: 999, reason: 'part_went_back' }),
      expect.objectContaining({ despite_minor: 1000 }),
    ]);
  });

  it('above the limit needs another person', async () => {
    await partBack();
    const accept = {
      action: 'ACCEPT_DISPUTE',
      despiteMinor: 1000,
      approvalAboveMinor: { EUR: 999 },
    } as const;
    expect(await world.say(accept)).toEqual(refused('second_person'));
    expect(await world.say(accept)).toEqual(refused('second_person'));
    expect(await world.say({ ...accept, operator: 'noor' })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_ACCEPT');
  });

  it('at the limit needs one', async () => {
    await partBack();
    expect(
      await world.say({
        action: 'ACCEPT_DISPUTE',
        despiteMinor: 1000,
        approvalAboveMinor: { EUR: 1000 },
      }),
    ).toMatchObject({ ok: true });
  });

  it('more went back by the time it is to be said: it is not said, and the person is asked again', async () => {
    await partBack();
    await world.say({ action: 'ACCEPT_DISPUTE', despiteMinor: 1000 });
    world.processor.supportRefund('ch_1', 500);
    await world.settle([worker]);
    expect(world.service.patches).toEqual([]);
    expect(await holdOf(A)).toBe('part_went_back');
  });

  it('is never said of a request without an answer, whatever sum is named', async () => {
    await unknownRefund();
    await world.pass([worker], 1);
    expect(await world.state(A)).toBe('HUMAN');
    expect(await world.say({ action: 'ACCEPT_DISPUTE', despiteMinor: 5000 })).toEqual(
      refused('refund_under_way'),
    );
  });

  it('is refused when all of it went back', async () => {
    await heldCase();
    world.processor.supportRefund('ch_1', 5000);
    await world.say({ action: 'REFUNDED_OUTSIDE', reference: 'CHQ-1' });
    expect(await world.say({ action: 'ACCEPT_DISPUTE', despiteMinor: 9000 })).toEqual(
      refused('money_went_back'),
    );
  });
});

describe('REFUNDED_OUTSIDE', () => {
  it('covers the dispute, is answered REFUND with the reference, and moves nothing', async () => {
    await heldCase();
    expect(await world.say({ action: 'REFUNDED_OUTSIDE', reference: 'CHQ-1' })).toEqual({
      ok: true,
      state: 'MATCHED',
    });
    await world.settle([worker]);
    expect(await world.say({ action: 'RETRY' })).toEqual({ ok: true, state: 'DECLARE_REFUND' });
    await world.settle([worker]);
    expect(await world.movements()).toMatchObject([
      {
        kind: 'external',
        state: 'CONFIRMED',
        amount_minor: 3000,
        currency: 'EUR',
        observed_from: 'operator:ada',
        processor_reference: 'CHQ-1',
      },
    ]);
    expect(world.processor.calls).toEqual([]);
    expect(world.service.effective(A)).toMatchObject([
      { action: 'REFUND', note: 'already refunded CHQ-1' },
    ]);
    expect(await asked()).toEqual([
      [
        'operator:ada',
        'asked for REFUNDED_OUTSIDE',
        expect.objectContaining({ reference: 'CHQ-1' }),
      ],
      ['operator:ada', 'asked for RETRY', expect.anything()],
    ]);
  });

  it('of a part leaves the rest missing', async () => {
    await heldCase();
    await world.say({ action: 'REFUNDED_OUTSIDE', reference: 'CHQ-1', amountMinor: 1000 });
    await world.pass([worker], 1.1);
    expect(world.service.patches).toEqual([]);
    await world.say({ action: 'REFUND' });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(2000);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it.each([
    [{}, 'reference_needed'],
    [{ reference: '  ' }, 'reference_needed'],
    [{ reference: 'CHQ-1', amountMinor: 0 }, 'amount_needed'],
    [{ reference: 'CHQ-1', amountMinor: 3001 }, 'amount_needed'],
  ])('%j is refused: %s', async (over, reason) => {
    await heldCase();
    expect(await world.say({ action: 'REFUNDED_OUTSIDE', ...over })).toEqual(refused(reason));
    expect(await world.movements()).toEqual([]);
  });

  it('above the limit needs another person who names the same amount and reference', async () => {
    await heldCase();
    const outside = {
      action: 'REFUNDED_OUTSIDE',
      reference: 'CHQ-1',
      approvalAboveMinor: { EUR: 2999 },
    } as const;
    expect(await world.say(outside)).toEqual(refused('second_person'));
    expect(await world.say(outside)).toEqual(refused('second_person'));
    expect(await world.movements()).toEqual([]);
    expect(await world.say({ ...outside, operator: 'noor', reference: 'CHQ-2' })).toEqual(
      refused('second_person'),
    );
    expect(await world.say({ ...outside, operator: 'kofi', reference: 'CHQ-2' })).toMatchObject({
      ok: true,
    });
    expect(await world.movements()).toMatchObject([{ processor_reference: 'CHQ-2' }]);
  });

  it('without a charge, of an unclear or accepted dispute, or beside a request in doubt, is refused', async () => {
    const outside = { action: 'REFUNDED_OUTSIDE', reference: 'CHQ-1' } as const;
    await world.open({ alertId: B, chargeReference: null });
    await world.settle([worker]);
    expect(await world.say({ ...outside, alertId: B })).toEqual(refused('charge_needed'));
    await unknownRefund();
    await world.pass([worker], 1);
    expect(await world.say(outside)).toEqual(refused('refund_under_way'));
    world.processor.addCharge('ch_2');
    await world.open({ alertId: 'netalrt_c', chargeReference: 'ch_2', decision: 'ACCEPT_DISPUTE' });
    await world.settle([worker]);
    await world.open({
      alertId: 'netalrt_d',
      chargeReference: 'ch_2',
      enrolmentType: 'NETB_ALERT',
    });
    await world.settle([worker]);
    expect(await world.say({ ...outside, alertId: 'netalrt_d' })).toEqual(
      refused('dispute_accepted'),
    );
  });
});

describe('what became of a request', () => {
  it('DID_EXECUTE: it stands, with its reference, and is declared', async () => {
    await unknownRefund();
    await world.pass([worker], 1);
    expect(await world.say({ action: 'DID_EXECUTE' })).toEqual(refused('reference_needed'));
    expect(await world.say({ action: 'DID_EXECUTE', reference: 're_paper' })).toEqual({
      ok: true,
      state: 'HUMAN',
    });
    await world.pass([worker], 1.1);
    expect(world.service.effective(A)).toMatchObject([{ note: 'refund re_paper' }]);
    expect(world.processor.calls).toHaveLength(1);
    const moves = await world.db
      .selectFrom('audit')
      .select(['actor', 'to_state'])
      .where('organisation_id', '=', world.organisationId)
      .where('subject', '=', 'movement')
      .orderBy('id', 'desc')
      .limit(1)
      .execute();
    expect(moves).toEqual([{ actor: 'operator:ada', to_state: 'CONFIRMED' }]);
  });

  it('DID_NOT_EXECUTE: only once its lifetime is over, to the millisecond (L3)', async () => {
    await unknownRefund();
    // 30 s lease and 60 s of life after its sending.
    world.clock.advanceMs(90_000);
    expect(await world.say({ action: 'DID_NOT_EXECUTE' })).toEqual(refused('may_still_execute'));
    world.clock.advanceMs(1);
    expect(await world.say({ action: 'DID_NOT_EXECUTE' })).toEqual({
      ok: true,
      state: 'REFUNDING',
    });
    expect(await world.movements()).toMatchObject([
      { state: 'REJECTED', failure_code: 'never_executed', failure_class: 'retry' },
    ]);
    // Tried again under a new key.
    await world.pass([worker], 0.2);
    const keys = world.processor.calls.map(({ idempotencyKey }) => idempotencyKey);
    expect([keys.length, new Set(keys).size]).toEqual([2, 2]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('is not asked where nothing is in doubt', async () => {
    await heldCase();
    for (const action of ['DID_EXECUTE', 'DID_NOT_EXECUTE'] as const) {
      expect(await world.say({ action, reference: 're_1' })).toEqual(refused('no_such_movement'));
    }
    world.processor.addCharge('ch_2');
    world.processor.faults.push('pending');
    await world.open({ alertId: B, chargeReference: 'ch_2' });
    await world.settle([worker]);
    // Our own pending money: a person can only wait (L7).
    expect(await world.say({ alertId: B, action: 'DID_NOT_EXECUTE' })).toEqual(
      refused('no_such_movement'),
    );
  });
});

describe('whether two alerts are one complaint', () => {
  /** Two alerts of one network about the same part: nobody knows. */
  async function twoAlike(): Promise<void> {
    await world.open({ alertId: A, amountMinor: 2500 });
    await world.settle([worker]);
    await world.open({ alertId: B, amountMinor: 2500 });
    await world.settle([worker]);
    expect([await holdOf(A), await holdOf(B)]).toEqual(['amount_differs', 'dispute_unclear']);
  }

  it('has to be said first: no refund before', async () => {
    await twoAlike();
    expect(await world.say({ alertId: B })).toEqual(refused('dispute_unclear'));
    expect(await world.say({ alertId: B, action: 'REFUNDED_OUTSIDE', reference: 'X' })).toEqual(
      refused('dispute_unclear'),
    );
  });

  it('JOIN_DISPUTE: both are decided again, and one refund answers both', async () => {
    await twoAlike();
    const disputeId = await disputeIdOf(A);
    expect(await world.say({ alertId: B, action: 'JOIN_DISPUTE', disputeId })).toEqual({
      ok: true,
      state: 'MATCHED',
    });
    expect([await world.state(A), await world.state(B)]).toEqual(['MATCHED', 'MATCHED']);
    expect(await disputeIdOf(B)).toBe(disputeId);
    await world.settle([worker]);
    await world.say({ alertId: A });
    await world.settle([worker]);
    await world.pass([worker], 1.1);
    expect(world.processor.ours('ch_1')).toBe(2500);
    expect([await world.state(A), await world.state(B)]).toEqual([
      'DECLARED_REFUND',
      'DECLARED_REFUND',
    ]);
  });

  it('SEPARATE_DISPUTE: each is refunded for itself', async () => {
    await twoAlike();
    expect(await world.say({ alertId: B, action: 'SEPARATE_DISPUTE' })).toEqual({
      ok: true,
      state: 'MATCHED',
    });
    expect(await disputeIdOf(B)).not.toBe(await disputeIdOf(A));
    await world.settle([worker]);
    await world.say({ alertId: A });
    await world.say({ alertId: B });
    await world.pass([worker], 0.2);
    expect(world.processor.ours('ch_1')).toBe(5000);
    expect(world.service.patches.filter(({ effective }) => effective)).toHaveLength(2);
  });

  it('an alert that was never placed may join what money depends on; a placed one stays', async () => {
    await twoAlike();
    await world.say({ alertId: A });
    await world.settle([worker]);
    const disputeId = await disputeIdOf(A);
    expect(await world.say({ alertId: B, action: 'SEPARATE_DISPUTE' })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(await world.say({ alertId: B, action: 'JOIN_DISPUTE', disputeId })).toEqual(
      refused('money_rests'),
    );
    await world.say({ alertId: B });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(5000);
  });

  it('a dispute that is not there, or the alert’s own, cannot be joined', async () => {
    await twoAlike();
    const own = await disputeIdOf(A);
    const join = { action: 'JOIN_DISPUTE' } as const;
    expect(await world.say({ ...join })).toEqual(refused('no_such_dispute'));
    expect(await world.say({ ...join, disputeId: 'dsp_none' })).toEqual(refused('no_such_dispute'));
    expect(await world.say({ ...join, disputeId: own })).toEqual(refused('no_such_dispute'));
    await world.open({ alertId: 'netalrt_c', chargeReference: null });
    await world.settle([worker]);
    for (const action of ['JOIN_DISPUTE', 'SEPARATE_DISPUTE'] as const) {
      expect(await world.say({ alertId: 'netalrt_c', action, disputeId: own })).toEqual(
        refused('charge_needed'),
      );
    }
  });
});

describe('NOT_OURS', () => {
  it('accepts, and says so', async () => {
    await heldCase();
    expect(await world.say({ action: 'NOT_OURS' })).toEqual({ ok: true, state: 'DECIDED_ACCEPT' });
    await world.settle([worker]);
    expect(world.service.effective(A)).toMatchObject([
      { action: 'ACCEPT_DISPUTE', note: 'not our transaction' },
    ]);
  });

  it('is refused once money went back, or may have', async () => {
    world.processor.supportRefund('ch_1', 1000);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.say({ action: 'NOT_OURS' })).toEqual(refused('part_went_back'));
    world.processor.addCharge('ch_2');
    world.processor.caps = {
      ...FULL_CAPABILITIES,
      canLookupByReference: false,
      idempotencyTtlHours: 0,
    };
    world.processor.faults.push('lost_before');
    await world.open({ alertId: B, chargeReference: 'ch_2' });
    await world.pass([worker], 1);
    expect(await world.say({ alertId: B, action: 'NOT_OURS' })).toEqual(
      refused('refund_under_way'),
    );
  });
});

describe('another complaint’s request in doubt', () => {
  beforeEach(async () => {
    world.processor.caps = {
      ...FULL_CAPABILITIES,
      canLookupByReference: false,
      idempotencyTtlHours: 0,
    };
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A, amountMinor: 2500, decidedMinor: 2500 });
    await world.settle([worker]);
    await world.open({ alertId: B, amountMinor: 2000, decidedMinor: 2000 });
  });

  it('keeps nobody from an answer: it is held with its choices, and tried again', async () => {
    await world.pass([worker], 0.5);
    expect(await holdOf(B)).toBe('refund_under_way');
    expect((await world.caseOf(B)).retry_at).not.toBeNull();
    expect(await world.say({ alertId: B, action: 'ACCEPT_DISPUTE' })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(await world.state(B)).toBe('DECLARED_ACCEPT');
  });

  it('is settled by a person after its alert is closed, and the other continues', async () => {
    await world.pass([worker], 0.5);
    await world.db
      .updateTable('alert_case')
      .set({ state: 'CLOSED_INVALID', next_action_at: null, closed_at: nowDate(world.clock) })
      .where('organisation_id', '=', world.organisationId)
      .where('alert_id', '=', A)
      .execute();
    world.clock.advanceMs(30 * HOUR_MS);
    expect(await world.say({ action: 'DID_NOT_EXECUTE' })).toMatchObject({ ok: true });
    await world.pass([worker], 0.5);
    expect(await world.state(B)).toBe('DECLARED_REFUND');
    expect(world.processor.calls.map(({ amountMinor }) => amountMinor)).toEqual([2500, 2000]);
  });
});
