/**
 * Guarantee: an authorisation is released instead of refunded, once; and what was never sent (a cap, the
 * kill switch, a second person, a worker that died before) is tried again when its cause ends, and not
 * before.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { GuardSettings } from '../../../src/alerts/guard/guard-settings.ts';
import { DEFAULT_GUARDS } from '../../../src/alerts/guard/guard-settings.ts';
import { pauseMoney, resumeMoney } from '../../../src/alerts/guard/pause.store.ts';
import { DEFAULT_REFUND_SETTINGS } from '../../../src/alerts/guard/refund-settings.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import { planDeath, runUntilDeath } from '../../crash/support/crash.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';
import { answerShown } from '../../support/approvals.ts';

const A = 'netalrt_a';
const B = 'netalrt_b';
let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

function guard(guards: Partial<GuardSettings>): Worker {
  world.settings = { ...DEFAULT_REFUND_SETTINGS, guards: { ...DEFAULT_GUARDS, ...guards } };
  return world.worker('guarded');
}

describe('a void', () => {
  beforeEach(() => {
    world.processor.charge('ch_1').status = 'authorised';
  });

  it('releases the authorisation, moves no money, and answers REFUND', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.voids).toEqual(['ch_1']);
    expect(world.processor.calls).toEqual([]);
    expect(await world.movements()).toMatchObject([
      { kind: 'void', state: 'CONFIRMED', amount_minor: 0, processor_reference: 'ch_1' },
    ]);
    expect(world.service.effective(A)).toMatchObject([
      { action: 'REFUND', note: 'authorisation voided' },
    ]);
  });

  it('answers the twin too, without a second release', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    await world.open({ alertId: B, enrolmentType: 'NETB_ALERT' });
    await world.settle([worker]);
    expect(world.processor.voids).toEqual(['ch_1']);
    expect(await world.state(B)).toBe('DECLARED_REFUND');
  });

  it('whose answer is lost is found through the charge, and not repeated', async () => {
    world.processor.faults.push('lost_after');
    await world.open({ alertId: A });
    await world.pass([worker], 0.01);
    expect(world.processor.voids).toEqual(['ch_1']);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('under way forbids ACCEPT_DISPUTE of its dispute (L5)', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    await world.open({ alertId: B, enrolmentType: 'NETB_ALERT', decision: 'ACCEPT_DISPUTE' });
    await world.settle([worker]);
    expect(world.service.patches).toEqual([]);
    expect((await world.caseOf(B)).hold_reason).toBe('refund_under_way');
  });

  it('whose request was lost is made again when it is proven absent', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.pass([worker], 1);
    expect(world.processor.voids).toEqual(['ch_1', 'ch_1']);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('that comes too late, because the payment was captured, goes to a person', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.processor.charge('ch_1').status = 'captured';
    await world.pass([worker], 1);
    expect((await world.caseOf(A)).hold_reason).toBe('refund_rejected');
    expect(await world.movements()).toMatchObject([
      { kind: 'void', state: 'REJECTED', failure_code: 'void_failed', failure_class: 'final' },
    ]);
    expect(world.processor.calls).toEqual([]);
    expect(world.service.patches).toEqual([]);
  });

  it('that is not offered goes to a person', async () => {
    world.processor.voidCharge = async () => 'not_offered';
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect((await world.caseOf(A)).hold_reason).toBe('refund_rejected');
    expect(await world.movements()).toMatchObject([
      { state: 'REJECTED', failure_code: 'void_not_offered', failure_class: 'final' },
    ]);
  });

  it('made by somebody else before is declared as such', async () => {
    world.processor.charge('ch_1').status = 'voided';
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.voids).toEqual([]);
    expect(world.service.effective(A)).toMatchObject([{ note: 'authorisation voided' }]);
  });
});

describe('a refund that was never sent', () => {
  it('because of a cap is tried again when its window is over, under the first key', async () => {
    const guarded = guard({ caps: { hour: { count: 1 } } });
    world.processor.addCharge('ch_2');
    await world.open({ alertId: A });
    await world.settle([guarded]);
    await world.open({ alertId: B, chargeReference: 'ch_2' });
    await world.settle([guarded]);
    expect(await world.movements('ch_2')).toMatchObject([
      { state: 'NOT_SENT', failure_code: 'hourly_limit', first_sent_at: null, round: 1 },
    ]);
    expect((await world.caseOf(B)).hold_reason).toBe('hourly_limit');
    await world.pass([guarded], 0.99);
    expect(world.processor.count('ch_2')).toBe(0);
    await world.pass([guarded], 0.1);
    expect(world.processor.count('ch_2')).toBe(1);
    // Nothing had left under its key, so it is the same one.
    expect(await world.movements('ch_2')).toMatchObject([{ state: 'CONFIRMED', round: 1 }]);
    expect(await world.state(B)).toBe('DECLARED_REFUND');
  });

  it('until the fallback is due: then the fallback applies, at its own moment', async () => {
    const guarded = guard({ caps: { hour: { count: 0 } } });
    await world.open({ alertId: A, fallback: 'ACCEPT_DISPUTE', windowHours: 8 });
    await setFallbackAt(6);
    await world.pass([guarded], 5.9);
    expect(world.service.patches).toEqual([]);
    expect(await world.state(A)).toBe('HUMAN');
    await world.pass([guarded], 0.2);
    expect(await world.state(A)).toBe('DECLARED_ACCEPT');
    expect(world.processor.calls).toEqual([]);
  });

  it('because of the kill switch waits for people, and continues when it is off', async () => {
    const by = { organisationId: world.organisationId, operator: 'ada' };
    await pauseMoney(world.db, { ...by, reason: 'odd', now: nowDate(world.clock) });
    await world.open({ alertId: A, decidedBy: 'operator:ada' });
    await world.pass([worker], 3);
    expect(await world.movements()).toMatchObject([{ state: 'NOT_SENT', failure_code: 'paused' }]);
    expect((await world.caseOf(A)).retry_at).toBeNull();
    await resumeMoney(world.db, { ...by, now: nowDate(world.clock) });
    await world.settle([worker]);
    expect(await world.movements()).toMatchObject([{ state: 'CONFIRMED', failure_code: null }]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('because the alert was withdrawn while a second person was asked stands in nobody’s way', async () => {
    const guarded = guard({ approvalAboveMinor: { EUR: 4_999 } });
    await world.open({ alertId: A });
    await world.settle([guarded]);
    expect(await world.movements()).toMatchObject([
      { state: 'NOT_SENT', failure_code: 'approval_needed' },
    ]);
    world.service.dashboard(A, 'INVALID');
    const word = { organisationId: world.organisationId, alertId: A };
    await answerShown(world.db, { ...word, operator: 'ada', now: nowDate(world.clock) });
    await answerShown(world.db, { ...word, operator: 'noor', now: nowDate(world.clock) });
    await world.settle([guarded]);
    expect(await world.state(A)).toBe('CLOSED_INVALID');
    expect(world.processor.calls).toEqual([]);
    // A later alert is not told that the processor had refused.
    await world.open({ alertId: B, decision: 'ACCEPT_DISPUTE' });
    await world.settle([guarded]);
    expect(await world.state(B)).toBe('DECLARED_ACCEPT');
  });
});

describe('a worker that dies before its request leaves', () => {
  async function diesBeforeSending(): Promise<void> {
    const death = planDeath(world, { point: 'refund.marked_sent', manner: 'kill' });
    await runUntilDeath([world.worker('dead')], death);
    setCrashHook(undefined);
    expect(await world.refundState('ch_1')).toBe('SENT');
    expect(world.processor.calls).toEqual([]);
  }

  it('is not overtaken before its lease is over', async () => {
    await world.open({ alertId: A });
    await diesBeforeSending();
    world.clock.advanceMs(29_999);
    await world.settle([worker]);
    expect(await world.refundState('ch_1')).toBe('SENT');
    world.clock.advanceMs(1);
    await world.settle([worker]);
    expect(await world.refundState('ch_1')).toBe('UNKNOWN');
    await world.pass([worker], 0.1);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('and whose refund stands at the processor after all is confirmed (restored backup, F88)', async () => {
    await world.open({ alertId: A });
    await diesBeforeSending();
    const [row] = await world.movements();
    world.processor.ledger.push({
      reference: 're_before',
      chargeReference: 'ch_1',
      amountMinor: 5000,
      key: row!.idempotency_key,
      atMs: world.clock.nowMs(),
      status: 'succeeded',
    });
    await world.pass([worker], 1);
    expect(world.processor.calls).toEqual([]);
    expect(world.service.effective(A)).toMatchObject([{ note: 'refund re_before' }]);
  });

  it.each([
    ['the alert was closed', 'CLOSED_REMOTE', () => world.service.dashboard(A, 'NOT_REFUNDED')],
    ['the deadline came near', 'HUMAN', () => world.clock.advanceMs(47.8 * HOUR_MS)],
  ])('sends nothing when %s meanwhile, and nothing is in doubt', async (_name, state, change) => {
    await world.open({ alertId: A });
    await diesBeforeSending();
    change();
    await world.pass([worker], 0.15);
    expect(world.processor.calls).toEqual([]);
    expect(await world.refundState('ch_1')).toBe('REJECTED');
    await world.pass([worker], 0.2);
    expect(await world.state(A)).toBe(state);
  });

  it('sends nothing in shadow mode', async () => {
    await world.open({ alertId: A });
    await diesBeforeSending();
    world.shadow = true;
    await world.pass([world.worker('shadow')], 2);
    expect(world.processor.calls).toEqual([]);
    expect(world.service.patches).toEqual([]);
  });

  it('leaves the other alert of the dispute a refund to wait for, when its own is withdrawn', async () => {
    await world.open({ alertId: A });
    await diesBeforeSending();
    await world.open({ alertId: B });
    world.service.dashboard(A, 'INVALID');
    await world.pass([worker], 1);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await world.state(B)).toBe('DECLARED_REFUND');
    expect(await world.state(A)).toBe('CLOSED_INVALID');
  });
});

/** The fallback falls due so many hours after the world's start. */
async function setFallbackAt(hours: number): Promise<void> {
  await world.db
    .updateTable('alert_case')
    .set({ fallback_at: new Date(world.clock.nowMs() + hours * HOUR_MS) })
    .where('organisation_id', '=', world.organisationId)
    .execute();
}
