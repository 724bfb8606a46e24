/**
 * Guarantee: what a person decides or says about money is stored as they said it, in their name, with what had held the alert;
 * each limit and moment is exact, and what two people must agree on is asked for by its name (A4, L3, L5).
 */
import { describe, expect, it } from 'vitest';
import { applySnapshots } from '../../../src/alerts/apply/apply-snapshots.ts';
import type { CaseRow } from '../../../src/alerts/cases/case.store.ts';
import { findCase, moveCase } from '../../../src/alerts/cases/case.store.ts';
import { DEFAULT_GUARDS } from '../../../src/alerts/guard/guard-settings.ts';
import { pauseMoney, resumeMoney } from '../../../src/alerts/guard/pause.store.ts';
import { DEFAULT_REFUND_SETTINGS } from '../../../src/alerts/guard/refund-settings.ts';
import { askAboutCharge } from '../../../src/alerts/ledger/charge-reading.ts';
import { openLedger } from '../../../src/alerts/ledger/with-ledger.ts';
import { nowDate, nowIso } from '../../../src/base/kernel/clock.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';
import { answerShown } from '../../support/approvals.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const B = 'netalrt_b';

const now = () => nowDate(world.clock);
const refused = (reason: string) => ({ ok: false, reason });

/** An alert about 30.00 of 50.00 is held. */
async function held(): Promise<void> {
  await world.open({ alertId: A, amountMinor: 3000 });
  await world.settle([worker]);
  expect(await world.caseOf(A)).toMatchObject({ state: 'HUMAN', hold_reason: 'amount_differs' });
}

/** 25.00 of 50.00 went back for something else, weeks before a complaint about 30.00. */
async function leftOver(): Promise<void> {
  world.processor.supportRefund('ch_1', 2500);
  await world.pass([worker], 480);
  await world.open({ alertId: A, amountMinor: 3000 });
  await world.settle([worker]);
}

/** It has every plan that a held one can have, and a note. */
async function planned(): Promise<void> {
  const at = new Date(world.clock.nowMs() + HOUR_MS);
  await world.db
    .updateTable('alert_case')
    .set({
      ...{ fallback_action: 'ACCEPT_DISPUTE', fallback_at: at, retry_at: at },
      answer_note: 'payment was declined',
    })
    .where('organisation_id', '=', world.organisationId)
    .where('alert_id', '=', A)
    .execute();
}

const NO_PLAN = { hold_reason: null, fallback_action: null, fallback_at: null, retry_at: null };

/** The processor tells nobody what became of a request. */
function tellsNothing(): void {
  world.processor.caps = {
    ...FULL_CAPABILITIES,
    canLookupByReference: false,
    idempotencyTtlHours: 0,
  };
  world.processor.faults.push('lost_before');
}

/** A request of ours of which nobody can tell what became. */
async function unanswered(): Promise<void> {
  tellsNothing();
  await world.open({ alertId: A });
  await world.settle([worker]);
  expect(await world.refundState('ch_1')).toBe('UNKNOWN');
}

/** The charge is read once more. */
async function seeCharge(): Promise<void> {
  const charge = { organisationId: world.organisationId, chargeReference: 'ch_1' };
  const reading = await askAboutCharge(worker.deps, charge, new AbortController().signal);
  if (reading.kind !== 'read') throw new Error('the charge was not read');
  await world.db.transaction().execute((trx) =>
    openLedger(trx, {
      ...{ charge, reading: reading.reading, capabilities: reading.capabilities },
      ...{ samePart: 'REVIEW', alertId: A, now: now() },
    }),
  );
}

/** One person may send, or say, up to 30.00 EUR. */
function limited(): void {
  const guards = { ...DEFAULT_GUARDS, approvalAboveMinor: { EUR: 3000 } };
  world.settings = { ...DEFAULT_REFUND_SETTINGS, guards };
  worker = world.worker('w2');
}

/** The last moves of the case, as the audit log has them. */
async function moves(count: number, alertId = A): Promise<unknown[]> {
  const rows = await world.db
    .selectFrom('audit')
    .select(['what', 'actor', 'from_state', 'to_state'])
    .where('organisation_id', '=', world.organisationId)
    .where('alert_id', '=', alertId)
    .where('subject', '=', 'case')
    .orderBy('id', 'desc')
    .limit(count)
    .execute();
  return rows
    .toReversed()
    .map(({ what, actor, from_state, to_state }) => [what, actor, from_state, to_state]);
}

const ADA = 'operator:ada';

/** The decision in force. */
async function decision(): Promise<unknown> {
  const { decision_id: id } = await world.caseOf(A);
  return await world.db
    .selectFrom('decision')
    .selectAll()
    .where('organisation_id', '=', world.organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Money that is known by a person's word. */
async function saidToBe(): Promise<unknown[]> {
  const rows = await world.movements();
  return rows.filter(({ observed_from: from }) => from?.startsWith('operator:') === true);
}

/** What two people were asked to agree on, first to last. */
async function approvals(): Promise<unknown[]> {
  return await world.db
    .selectFrom('refund_approval')
    .selectAll()
    .where('organisation_id', '=', world.organisationId)
    .orderBy('id')
    .execute();
}

describe('REFUND', () => {
  it('of an amount is a decision in the person’s name; what was planned otherwise is not', async () => {
    await held();
    await planned();
    const said = { amountMinor: 3000, note: 'she called' };
    expect(await world.say(said)).toEqual({ ok: true, state: 'DECIDED_REFUND' });
    expect(await world.caseOf(A)).toMatchObject({
      ...NO_PLAN,
      ...{ state: 'DECIDED_REFUND', next_action_at: now(), answer_note: 'payment was declined' },
    });
    expect(await decision()).toMatchObject({
      ...{ action: 'REFUND', amount_minor: 3000, currency: 'EUR', despite_minor: null },
      decided_by: ADA,
      inputs: { note: 'she called', heldFor: 'amount_differs' },
    });
    expect(await moves(1)).toEqual([['decided REFUND', ADA, 'HUMAN', 'DECIDED_REFUND']]);
  });

  it('of what is missing names no amount, and begins without a movement', async () => {
    await held();
    await world.say({ amountMinor: 1000 });
    await world.settle([worker]);
    expect((await world.caseOf(A)).movement_id).not.toBeNull();
    await world.say({});
    expect(await decision()).toMatchObject({ amount_minor: null });
    expect((await world.caseOf(A)).movement_id).toBeNull();
  });

  it('beside a request without an answer is refused for that, whatever amount is named', async () => {
    await unanswered();
    await world.pass([worker], 1);
    for (const amountMinor of [0, 1, 9000]) {
      expect(await world.say({ amountMinor })).toEqual(refused('refund_under_way'));
    }
  });

  it('of more than is left of the charge is refused, and of what is left it is not', async () => {
    await leftOver();
    expect(await world.say({})).toEqual(refused('remainder_too_small'));
    expect(await world.say({ amountMinor: 3001 })).toEqual(refused('amount_needed'));
    expect(await world.say({ amountMinor: 2500 })).toMatchObject({ ok: true });
  });

  it('of what has gone back moves nothing, whatever amount is named', async () => {
    await held();
    world.processor.supportRefund('ch_1', 3000);
    await seeCharge();
    expect(await world.say({ amountMinor: 9000 })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(world.processor.calls).toEqual([]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('of a part of an authorisation is refused: all of it is released or nothing', async () => {
    world.processor.charge('ch_1').status = 'authorised';
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    world.processor.down = true;
    await world.settle([worker]);
    world.processor.down = false;
    await seeCharge();
    expect(await world.say({ amountMinor: 1000 })).toEqual(refused('whole_authorisation'));
    expect(await world.say({})).toMatchObject({ ok: true });
  });

  it('that was refused needs two people again; what they agreed to of another complaint stands', async () => {
    limited();
    world.settings = {
      ...world.settings,
      guards: { ...world.settings.guards, approvalAboveMinor: { EUR: 1000 } },
    };
    worker = world.worker('w3');
    world.processor.refuses = { code: 'insufficient_balance', failureClass: 'retry' };
    for (const [alertId, amountMinor] of [
      [A, 2500],
      [B, 2000],
    ] as const) {
      await world.open({ alertId, amountMinor, decidedMinor: amountMinor, decidedBy: ADA });
      await world.settle([worker]);
      const answer = {
        organisationId: world.organisationId,
        alertId,
        operator: 'noor',
        now: now(),
      };
      expect(await answerShown(world.db, answer)).toMatchObject({ state: 'APPROVED' });
      await world.settle([worker]);
      expect(await world.caseOf(alertId)).toMatchObject({ hold_reason: 'refund_refused' });
    }
    expect(world.processor.calls).toHaveLength(2);
    expect(await world.say({})).toMatchObject({ ok: true });
    expect(await approvals()).toMatchObject([
      {
        ...{ alert_id: A, state: 'REPLACED', settled_at: now() },
        settled_because: 'a person decided it again after it was refused',
      },
      { alert_id: B, state: 'APPROVED', settled_because: null },
    ]);
    world.processor.refuses = undefined;
    await world.settle([worker]);
    expect(await world.caseOf(A)).toMatchObject({ hold_reason: 'approval_needed' });
    expect(world.processor.calls).toHaveLength(2);
  });

  it('that never left needs nobody again: two people agreed to it', async () => {
    limited();
    await world.open({ alertId: A, decidedBy: ADA });
    await world.settle([worker]);
    const by = { organisationId: world.organisationId, operator: 'noor', now: now() };
    expect(await answerShown(world.db, { ...by, alertId: A })).toMatchObject({ state: 'APPROVED' });
    await pauseMoney(world.db, { ...by, reason: '' });
    await world.settle([worker]);
    expect(await world.caseOf(A)).toMatchObject({ hold_reason: 'paused' });
    expect(await world.say({})).toMatchObject({ ok: true });
    expect(await approvals()).toMatchObject([{ state: 'APPROVED', settled_because: null }]);
    await resumeMoney(world.db, by);
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(5000);
  });

  it('takes back an acceptance that was not said yet', async () => {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    world.processor.down = true;
    await world.settle([worker]);
    await world.say({});
    expect(await moves(2)).toEqual([
      ['the acceptance was taken back before it was said', ADA, 'DECIDED_ACCEPT', 'HUMAN'],
      ['decided REFUND', ADA, 'HUMAN', 'DECIDED_REFUND'],
    ]);
  });
});

describe('a charge that a person names', () => {
  /** An alert of which no charge is known. */
  async function without(state: 'UNMATCHED' | 'AMBIGUOUS' | 'HUMAN'): Promise<void> {
    const { db, organisationId, clock } = world;
    const object = {
      ...{ id: A, organisation_id: organisationId, enrolment_type: 'NETA_ALERT' },
      status: 'ACTION_REQUIRED',
      action_required_deadline: new Date(clock.nowMs() + 48 * HOUR_MS).toISOString(),
      ...{ transaction_amount_in_cents: 5000, transaction_currency_code: 'EUR' },
      ...{ created_at: nowIso(clock), updated_at: nowIso(clock) },
    };
    await db.transaction().execute(async (trx) => {
      const snapshots = [{ entity: 'alert', object, eventId: null }] as const;
      await applySnapshots(trx, { organisationId, source: 'poll', snapshots, now: now() });
      const received = await findCase(trx, organisationId, A);
      const plan = { now: now(), nextActionAt: now(), what: 'by the test' };
      await moveCase(trx, received!, { to: state, ...plan });
    });
  }

  it.each([
    ['UNMATCHED', 'MATCHED'],
    ['AMBIGUOUS', 'MATCHED'],
    ['HUMAN', 'HUMAN'],
  ] as const)('is the alert’s from then on: one that was %s', async (state, matched) => {
    await without(state);
    const said = { chargeReference: 'ch_1', note: 'by the invoice' };
    expect(await world.say(said)).toEqual({ ok: true, state: 'DECIDED_REFUND' });
    expect(await moves(2)).toEqual([
      ['charge named by a person', ADA, state, matched],
      ['decided REFUND', ADA, matched, 'DECIDED_REFUND'],
    ]);
    const { match_id: matchId, charge_reference: reference } = await world.caseOf(A);
    expect(reference).toBe('ch_1');
    const match = await world.db
      .selectFrom('match')
      .selectAll()
      .where('organisation_id', '=', world.organisationId)
      .where('id', '=', matchId)
      .executeTakeFirstOrThrow();
    expect(match).toMatchObject({
      ...{ alert_id: A, charge_reference: 'ch_1', tier: 'operator', matched_by: ADA },
      evidence: { note: 'by the invoice' },
    });
    const named = await world.db
      .selectFrom('audit')
      .select('detail')
      .where('organisation_id', '=', world.organisationId)
      .where('what', '=', 'charge named by a person')
      .execute();
    expect(named).toEqual([{ detail: { charge: 'ch_1' } }]);
    // The alert's currency: nobody was shown another one.
    expect(await decision()).toMatchObject({ currency: 'EUR', amount_minor: null });
  });

  it('is placed and refunded anew: what was of the charge before is not', async () => {
    await held();
    world.processor.addCharge('ch_2');
    expect(await world.say({ chargeReference: 'ch_2' })).toMatchObject({ ok: true });
    expect(await world.caseOf(A)).toMatchObject({
      ...{ charge_reference: 'ch_2', dispute_id: null, movement_id: null },
    });
  });

  it('that is the alert’s already is not written again', async () => {
    await held();
    await world.say({ chargeReference: 'ch_1' });
    expect(await moves(1)).toEqual([['decided REFUND', ADA, 'HUMAN', 'DECIDED_REFUND']]);
    expect((await world.caseOf(A)).dispute_id).not.toBeNull();
  });

  it('is refused where a refund of another one was begun for the alert', async () => {
    await unanswered();
    await world.pass([worker], 1);
    world.processor.addCharge('ch_2');
    expect(await world.say({ chargeReference: 'ch_2' })).toEqual(refused('refund_elsewhere'));
    expect(await world.caseOf(A)).toMatchObject({ charge_reference: 'ch_1', state: 'HUMAN' });
  });

  it('is refused at the deadline', async () => {
    await without('HUMAN');
    world.clock.advanceMs(48 * HOUR_MS);
    expect(await world.say({ chargeReference: 'ch_1' })).toEqual(refused('too_late'));
  });
});

describe('ACCEPT_DISPUTE', () => {
  it('is a decision in the person’s name; what was found about the charge is still said', async () => {
    await held();
    await planned();
    const said = { action: 'ACCEPT_DISPUTE', note: 'too old' } as const;
    expect(await world.say(said)).toEqual({ ok: true, state: 'DECIDED_ACCEPT' });
    expect(await world.caseOf(A)).toMatchObject({
      ...NO_PLAN,
      ...{ state: 'DECIDED_ACCEPT', next_action_at: now(), answer_note: 'payment was declined' },
    });
    expect(await decision()).toMatchObject({
      ...{ action: 'ACCEPT_DISPUTE', amount_minor: null, despite_minor: null, decided_by: ADA },
      inputs: { note: 'too old', heldFor: 'amount_differs' },
    });
    expect(await moves(1)).toEqual([['decided ACCEPT_DISPUTE', ADA, 'HUMAN', 'DECIDED_ACCEPT']]);
  });

  it('is taken without a charge too', async () => {
    await world.open({ alertId: A, chargeReference: null });
    await world.settle([worker]);
    expect(await world.say({ action: 'ACCEPT_DISPUTE' })).toMatchObject({ ok: true });
    expect(await decision()).toMatchObject({ action: 'ACCEPT_DISPUTE' });
  });

  it('although a part went back is asked of two by its complaint, and stored with what went back', async () => {
    world.processor.supportRefund('ch_1', 4000);
    await world.open({ alertId: A });
    await world.settle([worker]);
    const accept = {
      action: 'ACCEPT_DISPUTE',
      despiteMinor: 9000,
      approvalAboveMinor: { EUR: 3999 },
    } as const;
    expect(await world.say(accept)).toEqual(refused('second_person'));
    const { dispute_id: dispute, deadline_at: endsAt } = await world.caseOf(A);
    expect(await approvals()).toMatchObject([
      {
        ...{ kind: 'ACCEPT_DISPUTE', state: 'PENDING', movement_id: `despite:${dispute}` },
        ...{ charge_reference: 'ch_1', amount_minor: 4000, currency: 'EUR', ends_at: endsAt },
      },
    ]);
    expect(await world.say({ ...accept, operator: 'noor' })).toMatchObject({ ok: true });
    expect(await decision()).toMatchObject({ despite_minor: 4000, decided_by: 'operator:noor' });
  });

  it.each(['ACCEPT_DISPUTE', 'NOT_OURS'] as const)(
    'beside a refund of support that was pending a minute ago is refused, and longer ago it is not: %s',
    async (action) => {
      await held();
      world.processor.supportRefund('ch_1', 3000, 'pending');
      await seeCharge();
      world.clock.advanceMs(MINUTE_MS);
      expect(await world.say({ action })).toEqual(refused('refund_under_way'));
      world.clock.advanceMs(1);
      expect(await world.say({ action })).toEqual({ ok: true, state: 'DECIDED_ACCEPT' });
      expect(await decision()).toMatchObject({ despite_minor: null });
    },
  );

  it.each(['ACCEPT_DISPUTE', 'NOT_OURS'] as const)(
    'beside our own request is refused however old the reading is: %s',
    async (action) => {
      await unanswered();
      await world.pass([worker], 1);
      expect(await world.say({ action })).toEqual(refused('refund_under_way'));
    },
  );
});

describe('NOT_OURS', () => {
  it.each([
    ['of a charge', 'ch_1'],
    ['without one', null],
  ])('says so instead of what was found: %s', async (_what, chargeReference) => {
    await world.open({ alertId: A, amountMinor: 3000, chargeReference });
    await world.settle([worker]);
    await planned();
    expect(await world.say({ action: 'NOT_OURS' })).toEqual({ ok: true, state: 'DECIDED_ACCEPT' });
    expect(await world.caseOf(A)).toMatchObject({ ...NO_PLAN, answer_note: 'not our transaction' });
    expect(await decision()).toMatchObject({ action: 'ACCEPT_DISPUTE', decided_by: ADA });
  });

  it('is no longer said by who refunds it after all', async () => {
    await held();
    await world.say({ action: 'NOT_OURS' });
    world.processor.down = true;
    await world.settle([worker]);
    await world.say({ action: 'REFUND' });
    expect((await world.caseOf(A)).answer_note).toBeNull();
  });

  it('is refused where all of it went back', async () => {
    await held();
    world.processor.supportRefund('ch_1', 5000);
    await seeCharge();
    expect(await world.say({ action: 'NOT_OURS' })).toEqual(refused('money_went_back'));
  });
});

describe('RETRY', () => {
  const retry = async () => await world.say({ action: 'RETRY' });

  /** When the request of ours is asked about next. */
  const nextLook = async (): Promise<Date | null | undefined> =>
    (await world.movements())[0]?.next_action_at;

  it('of a held alert looks at it all again', async () => {
    await held();
    await planned();
    expect(await retry()).toEqual({ ok: true, state: 'MATCHED' });
    expect(await world.caseOf(A)).toMatchObject({ ...NO_PLAN, next_action_at: now() });
    expect(await moves(1)).toEqual([['tried again', ADA, 'HUMAN', 'MATCHED']]);
  });

  it('of one without a charge leaves it held, with its plan', async () => {
    await world.open({ alertId: A, chargeReference: null });
    await world.settle([worker]);
    await planned();
    const before = await world.caseOf(A);
    world.clock.advanceMs(MINUTE_MS);
    expect(await retry()).toEqual({ ok: true, state: 'HUMAN' });
    const { hold_reason, fallback_at, next_action_at } = await world.caseOf(A);
    expect([hold_reason, fallback_at, next_action_at]).toEqual([
      before.hold_reason,
      before.fallback_at,
      now(),
    ]);
  });

  it('beside a request without an answer asks about that, and leaves it held', async () => {
    await unanswered();
    await world.pass([worker], 1);
    const before: CaseRow = await world.caseOf(A);
    expect(before.state).toBe('HUMAN');
    expect(await nextLook()).not.toEqual(now());
    expect(await retry()).toEqual({ ok: true, state: 'HUMAN' });
    expect((await world.caseOf(A)).hold_reason).toBe(before.hold_reason);
    expect(await nextLook()).toEqual(now());
  });

  it('of a refund under way asks about it at once', async () => {
    await unanswered();
    expect(await retry()).toEqual({ ok: true, state: 'REFUNDING' });
    expect(await nextLook()).toEqual(now());
    expect(await moves(1)).toEqual([['tried again', ADA, 'REFUNDING', 'REFUNDING']]);
  });

  it('of an acceptance that waits asks the processor at once', async () => {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    world.processor.down = true;
    await world.settle([worker]);
    expect(await retry()).toEqual({ ok: true, state: 'DECIDED_ACCEPT' });
    expect((await world.caseOf(A)).next_action_at).toEqual(now());
  });

  it.each([
    ['succeeded', 'DECLARE_REFUND'],
    // It may fail yet.
    ['pending', 'MATCHED'],
  ] as const)('of what support refunded, which %s: %s', async (status, state) => {
    await held();
    world.processor.supportRefund('ch_1', 3000, status);
    await seeCharge();
    expect(await retry()).toEqual({ ok: true, state });
  });
});

describe('REFUNDED_OUTSIDE', () => {
  const outside = { action: 'REFUNDED_OUTSIDE', reference: ' CHQ-1 ' } as const;

  it('is a movement of its complaint, and the alert is decided again, its twin too', async () => {
    await held();
    await planned();
    await world.open({ alertId: B, amountMinor: 3000, enrolmentType: 'NETB_ALERT' });
    await world.settle([worker]);
    world.clock.advanceMs(MINUTE_MS);
    expect(await world.say(outside)).toEqual({ ok: true, state: 'MATCHED' });
    const { dispute_id: dispute, ...row } = await world.caseOf(A);
    expect(row).toMatchObject({ ...NO_PLAN, next_action_at: now() });
    expect(await world.movements()).toMatchObject([
      {
        ...{ kind: 'external', state: 'CONFIRMED', amount_minor: 3000, currency: 'EUR' },
        ...{ dispute_id: dispute, processor_reference: 'CHQ-1', observed_from: ADA },
      },
    ]);
    const covers = await world.db
      .selectFrom('cover')
      .select(['dispute_id', 'amount_minor'])
      .where('organisation_id', '=', world.organisationId)
      .execute();
    expect(covers).toEqual([{ dispute_id: dispute, amount_minor: 3000 }]);
    expect((await world.caseOf(B)).next_action_at).toEqual(now());
    expect(await moves(1)).toEqual([['refunded outside, says a person', ADA, 'HUMAN', 'MATCHED']]);
  });

  it('above the limit is asked of two by complaint and reference', async () => {
    await held();
    expect(await world.say({ ...outside, approvalAboveMinor: { EUR: 2999 } })).toEqual(
      refused('second_person'),
    );
    const { dispute_id: dispute } = await world.caseOf(A);
    expect(await approvals()).toMatchObject([
      {
        ...{
          kind: 'REFUNDED_OUTSIDE',
          movement_id: expect.stringContaining(`outside:${dispute}:`),
        },
        ...{ reference: 'CHQ-1', amount_minor: 3000, currency: 'EUR', charge_reference: 'ch_1' },
      },
    ]);
  });

  it('takes back an acceptance that was not said yet', async () => {
    await held();
    await world.say({ action: 'ACCEPT_DISPUTE' });
    world.processor.down = true;
    await world.settle([worker]);
    expect(await world.say(outside)).toEqual({ ok: true, state: 'MATCHED' });
    expect(await moves(2)).toEqual([
      ['the acceptance was taken back before it was said', ADA, 'DECIDED_ACCEPT', 'HUMAN'],
      ['refunded outside, says a person', ADA, 'HUMAN', 'MATCHED'],
    ]);
  });

  it('is at most what is left of the charge', async () => {
    await leftOver();
    expect(await world.say({ ...outside, amountMinor: 2501 })).toEqual(refused('amount_needed'));
    expect(await world.say(outside)).toMatchObject({ ok: true });
    expect(await saidToBe()).toMatchObject([{ amount_minor: 2500 }]);
  });

  it('of money that is shown from before the complaint is as much as it is, and answers that', async () => {
    world.processor.supportRefund('ch_1', 4000);
    await world.pass([worker], 480);
    await world.open({ alertId: A, amountMinor: 2000 });
    await world.settle([worker]);
    await world.open({ alertId: B, amountMinor: 2000, enrolmentType: 'NETB_ALERT' });
    await world.settle([worker]);
    world.clock.advanceMs(MINUTE_MS);
    const named = {
      action: 'REFUNDED_OUTSIDE',
      reference: 'SU_1',
      approvalAboveMinor: { EUR: 3999 },
    } as const;
    expect(await world.say(named)).toEqual(refused('second_person'));
    const { dispute_id: dispute } = await world.caseOf(A);
    expect(await approvals()).toMatchObject([
      {
        ...{
          kind: 'REFUNDED_OUTSIDE',
          movement_id: expect.stringContaining(`outside:${dispute}:`),
        },
        ...{ reference: 'su_1', amount_minor: 4000, currency: 'EUR' },
      },
    ]);
    expect(await world.say({ ...named, operator: 'noor' })).toEqual({ ok: true, state: 'MATCHED' });
    expect(await world.movements()).toMatchObject([{ dispute_id: dispute, amount_minor: 4000 }]);
    // Its twin is looked at again.
    expect((await world.caseOf(B)).next_action_at).toEqual(now());
    expect(await moves(1)).toEqual([
      ['refunded before, says a person', 'operator:noor', 'HUMAN', 'MATCHED'],
    ]);
  });
});

describe('DID_EXECUTE', () => {
  const executed = { action: 'DID_EXECUTE', reference: ' X-1 ' } as const;

  it('stands from now on, and is watched as one that the processor confirmed', async () => {
    await unanswered();
    expect(await world.say(executed)).toEqual({ ok: true, state: 'REFUNDING' });
    const [row] = await world.movements();
    expect(row).toMatchObject({
      ...{ state: 'CONFIRMED', processor_reference: 'X-1', confirmed_at: now() },
      next_action_at: new Date(world.clock.nowMs() + 24 * HOUR_MS),
    });
  });

  it('is said of the amount that was asked for without naming it, or naming it', async () => {
    await unanswered();
    expect(await world.say({ ...executed, amountMinor: 5000 })).toMatchObject({ ok: true });
    expect(await world.movements()).toMatchObject([{ state: 'CONFIRMED', amount_minor: 5000 }]);
  });

  it('with another amount is a movement of the same complaint, and the request ends', async () => {
    await unanswered();
    const { dispute_id: dispute } = await world.caseOf(A);
    const said = { ...executed, amountMinor: 4000, approvalAboveMinor: { EUR: 3999 } } as const;
    expect(await world.say(said)).toEqual(refused('second_person'));
    const [request] = await world.movements();
    expect(await approvals()).toMatchObject([
      {
        kind: 'DID_EXECUTE',
        movement_id: expect.stringContaining(`executed:${request?.id}:`),
        ...{ reference: 'X-1', amount_minor: 4000, currency: 'EUR', charge_reference: 'ch_1' },
      },
    ]);
    expect(await world.say({ ...said, operator: 'noor' })).toEqual({
      ok: true,
      state: 'REFUNDING',
    });
    expect((await world.movements()).find(({ id }) => id === request?.id)).toMatchObject({
      ...{ state: 'REJECTED', failure_code: 'another_amount', failure_class: 'done' },
      processor_reference: 'X-1',
    });
    expect(await saidToBe()).toMatchObject([
      {
        ...{ kind: 'external', state: 'CONFIRMED', amount_minor: 4000, currency: 'EUR' },
        ...{ dispute_id: dispute, processor_reference: 'X-1', observed_from: 'operator:noor' },
      },
    ]);
    const covers = await world.db
      .selectFrom('cover')
      .select(['dispute_id', 'amount_minor'])
      .where('organisation_id', '=', world.organisationId)
      .where('movement_id', '!=', request?.id ?? '')
      .execute();
    expect(covers).toEqual([{ dispute_id: dispute, amount_minor: 4000 }]);
    const moved = await world.db
      .selectFrom('audit')
      .select(['actor', 'to_state'])
      .where('organisation_id', '=', world.organisationId)
      .where('subject', '=', 'movement')
      .where('to_state', '=', 'REJECTED')
      .execute();
    expect(moved).toEqual([{ actor: 'operator:noor', to_state: 'REJECTED' }]);
  });

  it('counts the request that it ends no second time against the limit', async () => {
    await unanswered();
    const said = { ...executed, amountMinor: 4000, approvalAboveMinor: { EUR: 4000 } } as const;
    expect(await world.say(said)).toMatchObject({ ok: true });
  });

  it('of a release with an amount is refused: it moved none', async () => {
    world.processor.charge('ch_1').status = 'authorised';
    tellsNothing();
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.movements()).toMatchObject([{ kind: 'void', state: 'UNKNOWN' }]);
    expect(await world.say({ ...executed, amountMinor: 1000 })).toEqual(refused('amount_needed'));
    expect(await world.say(executed)).toMatchObject({ ok: true });
  });

  it.each([-1, 1.5])('with %d is refused', async (amountMinor) => {
    await unanswered();
    expect(await world.say({ ...executed, amountMinor })).toEqual(refused('amount_needed'));
  });

  it('is said at an alert of the request’s own complaint only', async () => {
    tellsNothing();
    await world.open({ alertId: A, amountMinor: 2500, decidedMinor: 2500 });
    await world.settle([worker]);
    await world.open({ alertId: B, amountMinor: 2000, decidedMinor: 2000 });
    await world.pass([worker], 0.5);
    for (const action of ['DID_EXECUTE', 'DID_NOT_EXECUTE'] as const) {
      const said = { alertId: B, action, reference: 'X-1' } as const;
      expect(await world.say(said)).toEqual(refused('no_such_movement'));
    }
    expect(await world.say(executed)).toMatchObject({ ok: true });
  });

  it.each([
    ['that waits for it, although its complaint is not known any more', { dispute_id: null }],
    ['of its complaint, although that waits for nothing any more', { movement_id: null }],
  ])('is said at the alert %s', async (_which, set) => {
    await unanswered();
    await world.db
      .updateTable('alert_case')
      .set(set)
      .where('organisation_id', '=', world.organisationId)
      .execute();
    expect(await world.say(executed)).toMatchObject({ ok: true });
  });

  it.each(['DID_EXECUTE', 'DID_NOT_EXECUTE'] as const)(
    'of no charge there is no request: %s',
    async (action) => {
      await world.open({ alertId: A, chargeReference: null });
      await world.settle([worker]);
      expect(await world.say({ action, reference: 'X-1' })).toEqual(refused('no_such_movement'));
    },
  );
});

describe('DID_NOT_EXECUTE', () => {
  const notExecuted = { action: 'DID_NOT_EXECUTE' } as const;

  it('is a refusal by that person’s word, to be tried again under a new key', async () => {
    await unanswered();
    world.clock.advanceMs(90_001);
    expect(await world.say(notExecuted)).toEqual({ ok: true, state: 'REFUNDING' });
    const moved = await world.db
      .selectFrom('audit')
      .select(['actor', 'to_state'])
      .where('organisation_id', '=', world.organisationId)
      .where('subject', '=', 'movement')
      .orderBy('id', 'desc')
      .limit(1)
      .execute();
    expect(moved).toEqual([{ actor: ADA, to_state: 'REJECTED' }]);
  });

  it.each([
    ['the sending', {}],
    ['the reservation, where no sending is known', { sent_at: null }],
  ])('of a request whose lifetime nobody noted is heard a day after %s', async (_what, set) => {
    await unanswered();
    await world.db
      .updateTable('movement')
      .set({ proven_at: null, ...set })
      .where('organisation_id', '=', world.organisationId)
      .execute();
    world.clock.advanceMs(24 * HOUR_MS);
    expect(await world.say(notExecuted)).toEqual(refused('may_still_execute'));
    world.clock.advanceMs(1);
    expect(await world.say(notExecuted)).toMatchObject({ ok: true });
  });

  it('needs two people again before the new key', async () => {
    limited();
    tellsNothing();
    await world.open({ alertId: A, decidedBy: ADA });
    await world.settle([worker]);
    const answer = { organisationId: world.organisationId, alertId: A, operator: 'noor' };
    expect(await answerShown(world.db, { ...answer, now: now() })).toMatchObject({
      state: 'APPROVED',
    });
    await world.settle([worker]);
    expect(await world.refundState('ch_1')).toBe('UNKNOWN');
    world.clock.advanceMs(90_001);
    expect(await world.say(notExecuted)).toMatchObject({ ok: true });
    expect(await approvals()).toMatchObject([
      { state: 'REPLACED', settled_because: 'a person said that it did not execute' },
    ]);
    await world.pass([worker], 0.2);
    expect(await world.caseOf(A)).toMatchObject({ hold_reason: 'approval_needed' });
    expect(world.processor.calls).toHaveLength(1);
  });
});
