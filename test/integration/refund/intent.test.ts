/**
 * Guarantee: a refund that was intended and not sent is examined anew before it is sent, because the
 * world went on while its worker was dead.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setCrashHook } from '../../../src/kernel/crash-point.ts';
import { findRefundOfCharge } from '../../../src/refund/refund.store.ts';
import { planDeath, runUntilDeath } from '../../crash/support/crash.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS } from '../../crash/support/saga-world.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const A = 'netalrt_a';
const B = 'netalrt_b';
let world: SagaWorld;
let worker: Worker;

/** The first worker dies after the charge was reserved and before anything was sent. */
async function diesAtIntent(): Promise<void> {
  const death = planDeath(world, { point: 'K6', manner: 'kill' });
  await runUntilDeath([world.worker('dead')], death);
  setCrashHook(undefined);
  expect(await world.refundState('ch_1')).toBe('INTENT');
  expect(world.processor.calls).toEqual([]);
}

beforeEach(() => {
  world = createSagaWorld(database.db);
  worker = world.worker('w1');
});

describe('an intent that is found', () => {
  it('is not touched before its lease is over', async () => {
    await world.open({ alertId: A });
    await diesAtIntent();
    world.clock.advanceMs(29_999);
    await world.settle([worker]);
    expect(world.processor.calls).toEqual([]);
    world.clock.advanceMs(1);
    await world.settle([worker]);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('is dropped when the alert was closed meanwhile', async () => {
    await world.open({ alertId: A });
    await diesAtIntent();
    world.service.dashboard(A, 'NOT_REFUNDED');
    await world.pass([worker], 1);
    expect(world.processor.calls).toEqual([]);
    expect(await world.refundState('ch_1')).toBe('REJECTED');
    expect(await world.state(A)).toBe('CLOSED_REMOTE');
  });

  it('is booked as external when somebody refunded meanwhile', async () => {
    await world.open({ alertId: A });
    await diesAtIntent();
    world.processor.supportRefund('ch_1', 5000);
    await world.pass([worker], 1);
    expect(world.processor.calls).toEqual([]);
    expect(world.service.effective(A)).toMatchObject([{ note: 'already refunded su_1' }]);
  });

  it('is confirmed when it stands at the processor after all (restored backup, F88)', async () => {
    await world.open({ alertId: A });
    await diesAtIntent();
    const row = await findRefundOfCharge(world.db, {
      organisationId: world.organisationId,
      chargeReference: 'ch_1',
    });
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
    expect(await world.refundState('ch_1')).toBe('CONFIRMED');
    expect(world.service.effective(A)).toMatchObject([{ note: 'refund re_before' }]);
  });

  it.each([
    ['a dispute was opened', 'disputed', () => (world.processor.charge('ch_1').disputed = true)],
    ['a part was refunded', 'partly_refunded', () => world.processor.supportRefund('ch_1', 1000)],
    ['the deadline came near', 'too_late', () => world.clock.advanceMs(47.8 * HOUR_MS)],
  ])('is dropped, and the case held, when %s', async (_name, reason, change) => {
    await world.open({ alertId: A });
    await diesAtIntent();
    change();
    await world.pass([worker], 0.05);
    expect(world.processor.calls).toEqual([]);
    expect((await world.caseOf(A)).hold_reason).toBe(reason);
  });

  it('waits while the processor or the service cannot be asked', async () => {
    await world.open({ alertId: A });
    await diesAtIntent();
    world.processor.down = true;
    await world.pass([worker], 1);
    expect(await world.refundState('ch_1')).toBe('INTENT');
    world.processor.down = false;
    world.service.getFault = { kind: 'unavailable', reason: 'timeout' };
    await world.pass([worker], 1);
    expect(world.processor.calls).toEqual([]);
    world.service.getFault = undefined;
    await world.pass([worker], 0.1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('is sent for the other alert on the charge when the first is closed', async () => {
    await world.open({ alertId: A });
    await diesAtIntent();
    await world.open({ alertId: B });
    world.service.dashboard(A, 'INVALID');
    await world.pass([worker], 1);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await world.state(B)).toBe('DECLARED_REFUND');
    expect(await world.state(A)).toBe('CLOSED_INVALID');
  });

  it('that was dropped may be intended again by a later alert, under the same key', async () => {
    await world.open({ alertId: A });
    await diesAtIntent();
    world.service.dashboard(A, 'INVALID');
    await world.pass([worker], 1);
    await world.open({ alertId: B });
    await world.settle([worker]);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await world.state(B)).toBe('DECLARED_REFUND');
  });

  it('is not sent in shadow mode', async () => {
    await world.open({ alertId: A });
    await diesAtIntent();
    world.shadow = true;
    await world.pass([world.worker('shadow')], 2);
    expect(world.processor.calls).toEqual([]);
    expect(world.service.patches).toEqual([]);
  });
});

describe('a void', () => {
  beforeEach(() => {
    world.processor.charge('ch_1').status = 'authorised';
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
    expect((await world.caseOf(A)).hold_reason).toBe('void_failed');
    expect(world.processor.calls).toEqual([]);
    expect(world.service.patches).toEqual([]);
  });

  it('that is not offered goes to a person', async () => {
    world.processor.voidCharge = async () => 'not_offered';
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect((await world.caseOf(A)).hold_reason).toBe('void_not_offered');
  });

  it('made by somebody else before is declared as such', async () => {
    world.processor.charge('ch_1').status = 'voided';
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.voids).toEqual([]);
    expect(world.service.effective(A)).toMatchObject([{ note: 'authorisation voided' }]);
  });
});
