/**
 * Guarantee: an acceptance that waits for a processor which does not answer is told to a person, who can
 * decide otherwise until it is said; it is never said unasked, and the asking ends with the deadline.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

afterEach(() => setCrashHook(undefined));

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const MINUTE = MINUTE_MS / HOUR_MS;

const answers = () => world.service.effective(A).map(({ action }) => action);

/** Accepted by the policy, while the processor is away. */
async function waiting(minutes: number, windowHours = 48): Promise<void> {
  world.processor.down = true;
  await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE', windowHours });
  await world.pass([worker], minutes * MINUTE);
  expect(await world.state(A)).toBe('DECIDED_ACCEPT');
}

describe('while the processor does not answer', () => {
  it('it is asked again and nothing is said; a person is notified once, after about a minute', async () => {
    await waiting(0);
    expect(await world.notifications('accept_waits')).toBe(0);
    await world.pass([worker], 3 * MINUTE);
    expect(await world.notifications('accept_waits')).toBe(1);
    await world.pass([worker], 5);
    expect(await world.notifications('accept_waits')).toBe(1);
    expect(world.service.patches).toEqual([]);
    world.processor.down = false;
    await world.pass([worker], 2 * MINUTE);
    expect(answers()).toEqual(['ACCEPT_DISPUTE']);
  });

  it('a person refunds instead', async () => {
    await waiting(10);
    expect(await world.say({})).toEqual({ ok: true, state: 'DECIDED_REFUND' });
    world.processor.down = false;
    await world.pass([worker], 10 * MINUTE);
    expect(answers()).toEqual(['REFUND']);
    expect(world.processor.ours('ch_1')).toBe(5000);
  });

  it('a person says that it is not ours: accepted with their words', async () => {
    await waiting(10);
    expect(await world.say({ action: 'NOT_OURS' })).toEqual({ ok: true, state: 'DECIDED_ACCEPT' });
    world.processor.down = false;
    await world.pass([worker], 3 * MINUTE);
    expect(answers()).toEqual(['ACCEPT_DISPUTE']);
    expect(await world.caseOf(A)).toMatchObject({ answer_note: 'not our transaction' });
  });

  it('a person says that it was refunded outside: declared with it, and not accepted', async () => {
    world.processor.refuses = { code: 'insufficient_balance', failureClass: 'retry' };
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.say({ action: 'ACCEPT_DISPUTE' })).toMatchObject({ ok: true });
    world.processor.down = true;
    await world.pass([worker], 10 * MINUTE);
    expect(await world.state(A)).toBe('DECIDED_ACCEPT');
    const cheque = { action: 'REFUNDED_OUTSIDE', reference: 'cheque 7' } as const;
    expect(await world.say(cheque)).toEqual({ ok: true, state: 'MATCHED' });
    world.processor.down = false;
    await world.settle([worker]);
    // Decided again; in this world that is a person's.
    expect(await world.say({})).toEqual({ ok: true, state: 'DECIDED_REFUND' });
    await world.settle([worker]);
    expect(answers()).toEqual(['REFUND']);
    expect(world.processor.count('ch_1')).toBe(0);
  });

  it('a step under way when the person speaks says nothing', async () => {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    let said: Awaited<ReturnType<SagaWorld['say']>> | undefined;
    setCrashHook(async (point) => {
      if (point === 'acceptance.examined' && said === undefined) said = await world.say({});
    });
    await worker.round();
    setCrashHook(undefined);
    expect(said).toEqual({ ok: true, state: 'DECIDED_REFUND' });
    await world.settle([worker]);
    expect(answers()).toEqual(['REFUND']);
    expect(world.service.patches).toHaveLength(1);
  });

  it('after the deadline nothing is asked any more, and nothing is accepted', async () => {
    await waiting(10, 4);
    await world.pass([worker], 4);
    expect(await world.caseOf(A)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'processor_unavailable',
      fallback_action: null,
    });
    const asking = vi.spyOn(world.processor, 'readCharge');
    world.processor.down = false;
    await world.pass([worker], 23);
    expect(asking).not.toHaveBeenCalled();
    expect(world.service.patches).toEqual([]);
  });
});

/** The policy planned to accept, a minute ago. */
async function fallbackIsDue(): Promise<void> {
  await world.db
    .updateTable('decision')
    .set({
      fallback_action: 'ACCEPT_DISPUTE',
      fallback_at: new Date(world.clock.nowMs() - MINUTE_MS),
    })
    .where('alert_id', '=', A)
    .execute();
}

it('an alert that the service does not know comes back to a fallback that was due in a while, and not at once', async () => {
  await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
  await fallbackIsDue();
  world.service.alerts.delete(A);
  for (let round = 0; round < 3; round++) await worker.round();
  const held = await world.caseOf(A);
  expect(held).toMatchObject({ state: 'HUMAN', hold_reason: 'alert_missing' });
  expect(held.fallback_at?.getTime()).toBe(world.clock.nowMs() + 5 * MINUTE_MS);
});

it('an answer on its way is not changed by a person', async () => {
  world.service.actFaults.push('lost_before');
  await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
  await worker.round();
  await worker.round();
  expect(await world.state(A)).toBe('DECLARE_ACCEPT');
  expect(await world.say({})).toEqual({ ok: false, reason: 'already_decided' });
});

describe('an alert of which nobody knows whether it is another one’s complaint', () => {
  const B = 'netalrt_b';
  const part = { amountMinor: 2000, decidedMinor: 2000 };

  beforeEach(async () => {
    // Refused for now, so it is tried again.
    world.processor.refuses = { code: 'insufficient_balance', failureClass: 'retry' };
    await world.open({ alertId: B, ...part });
    await world.settle([worker]);
    expect(await world.caseOf(B)).toMatchObject({ hold_reason: 'refund_refused' });
  });

  it('is not accepted by policy or fallback while the other one is to be refunded', async () => {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE', ...part });
    await worker.round();
    expect(await world.caseOf(A)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'another_refund_ahead',
    });
    world.processor.refuses = undefined;
    await world.pass([worker], 2);
    expect(world.processor.ours('ch_1')).toBe(2000);
    expect(world.service.effective(B).map(({ action }) => action)).toEqual(['REFUND']);
    expect(world.service.effective(A)).toEqual([]);
  });

  it('comes back to its fallback in a while where that was due: not again and again at one moment', async () => {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE', ...part });
    await fallbackIsDue();
    const asked = vi.spyOn(world.processor, 'readCharge');
    await worker.round();
    const held = await world.caseOf(A);
    expect(held).toMatchObject({ state: 'HUMAN', hold_reason: 'another_refund_ahead' });
    expect(held.fallback_action).toBe('ACCEPT_DISPUTE');
    expect(held.fallback_at?.getTime()).toBe(world.clock.nowMs() + 5 * MINUTE_MS);
    expect(held.next_action_at?.getTime()).toBeGreaterThan(world.clock.nowMs());
    const before = asked.mock.calls.length;
    for (let round = 0; round < 5; round++) await worker.round();
    expect(asked.mock.calls.length).toBe(before);
  });

  it('is accepted by a person, and nothing is refunded any more', async () => {
    await world.open({
      alertId: A,
      decision: 'ACCEPT_DISPUTE',
      decidedBy: 'operator:ada',
      ...part,
    });
    await world.settle([worker]);
    expect(answers()).toEqual(['ACCEPT_DISPUTE']);
    world.processor.refuses = undefined;
    await world.pass([worker], 2);
    expect(world.processor.ours('ch_1')).toBe(0);
  });
});
