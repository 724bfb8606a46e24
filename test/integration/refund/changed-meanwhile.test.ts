/**
 * Guarantee: what changes between our look and our act counts: a dispute that was opened, a chargeback, a payment
 * captured all the same, a deadline that came nearer, an authorisation of which a part only is meant.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { applySnapshots } from '../../../src/alerts/apply/apply-snapshots.ts';
import { nowDate, nowIso } from '../../../src/base/kernel/clock.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { createSagaWorld, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { useTestDatabase } from '../../support/database.ts';

const database = useTestDatabase();

const A = 'netalrt_a';
let world: SagaWorld;
let worker: Worker;

beforeEach(() => {
  world = createSagaWorld(database.db);
  worker = world.worker('w1');
});

/** The bank takes all that was not refunded. */
function takeBack(): void {
  const { readCharge } = world.processor;
  const taken: typeof readCharge = async (reference) => {
    const answer = await readCharge(reference);
    if (answer.kind !== 'found') return answer;
    return { kind: 'found', value: { ...answer.value, disputed: true, refundableMinor: 0 } };
  };
  Object.assign(world.processor, { readCharge: taken });
}

/** The service moves the alert's deadline; it reaches us as any snapshot does. */
async function moveDeadline(leftMs: number): Promise<void> {
  const { db, organisationId, clock, service } = world;
  clock.advanceMs(1);
  const object = {
    ...service.alerts.get(A)!,
    action_required_deadline: new Date(clock.nowMs() + leftMs).toISOString(),
    updated_at: nowIso(clock),
  };
  service.alerts.set(A, object);
  await db.transaction().execute((trx) =>
    applySnapshots(trx, {
      organisationId,
      source: 'webhook',
      snapshots: [{ entity: 'alert', object, eventId: null }],
      now: nowDate(clock),
    }),
  );
}

/** How long the charge's movement waits for its next look, in milliseconds. */
async function movementWaitMs(): Promise<number> {
  const [movement] = await world.movements();
  return movement!.next_action_at!.getTime() - world.clock.nowMs();
}

describe('a chargeback', () => {
  it('of the whole charge is no refund: the dispute is accepted', async () => {
    takeBack();
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.service.effective(A)).toMatchObject([
      { action: 'ACCEPT_DISPUTE', note: 'already charged back' },
    ]);
  });

  it('of the rest, after support refunded a part, is left to a person', async () => {
    world.processor.supportRefund('ch_1', 2000);
    takeBack();
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.service.patches).toEqual([]);
    expect((await world.caseOf(A)).state).toBe('HUMAN');
  });
});

describe('a refund whose answer is missing', () => {
  it('is not sent again when a dispute was opened meanwhile', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.processor.charge('ch_1').disputed = true;
    await world.pass([worker], 1);
    expect(world.processor.calls).toHaveLength(1);
    expect(await world.refundState('ch_1')).toBe('REJECTED');
    expect((await world.caseOf(A)).hold_reason).toBe('disputed');
  });

  it('is looked at again at once, and every 30 s, when the deadline comes near', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.processor.down = true;
    await world.pass([worker], 0.1);
    await world.db
      .updateTable('movement')
      .set({ next_action_at: new Date(world.clock.nowMs() + 50 * MINUTE_MS) })
      .where('organisation_id', '=', world.organisationId)
      .execute();
    await moveDeadline(58 * MINUTE_MS);
    expect(await movementWaitMs()).toBe(0);
    await world.settle([worker]);
    expect(await movementWaitMs()).toBeLessThanOrEqual(30_000);
  });

  it('is looked at in time where the deadline came near while it was looked at', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    const { findRefund } = world.processor;
    Object.assign(world.processor, {
      findRefund: async () => {
        Object.assign(world.processor, { findRefund });
        await moveDeadline(58 * MINUTE_MS);
        return { kind: 'unavailable', reason: 'slow' };
      },
    });
    world.clock.advanceMs(2_000);
    await worker.round();
    expect(await movementWaitMs()).toBeLessThanOrEqual(0);
  });
});

describe('a void', () => {
  beforeEach(() => {
    world.processor.charge('ch_1').status = 'authorised';
  });

  it.each([
    ['a person has chosen a part', { decidedBy: 'operator:ada', decidedMinor: 1000 }],
    ['the alert is about a part', { amountMinor: 1000 }],
    [
      'the alert is about a part, and a person decided',
      { amountMinor: 1000, decidedBy: 'operator:ada' },
    ],
    ['more was authorised since it was decided', { decidedMinor: 4000 }],
  ])('of all is not made where %s', async (_name, decided) => {
    await world.open({ alertId: A, ...decided });
    await world.settle([worker]);
    expect(world.processor.voids).toEqual([]);
    expect((await world.caseOf(A)).hold_reason).toBe('amount_differs');
  });

  it('is made where a person decides about an alert in another currency', async () => {
    await world.open({ alertId: A, amountMinor: 6000, currency: 'USD', decidedBy: 'operator:ada' });
    await world.settle([worker]);
    expect(world.processor.voids).toEqual(['ch_1']);
  });

  it('of a payment that was captured all the same is undone: REFUND is not true of it (L6)', async () => {
    for (let times = 0; times < 6; times += 1) world.service.actFaults.push('server_error');
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.refundState('ch_1')).toBe('CONFIRMED');
    world.processor.charge('ch_1').status = 'captured';
    await world.pass([worker], 1);
    expect(await world.refundState('ch_1')).toBe('REVERSED');
    expect(world.service.effective(A)).toEqual([]);
    expect(await world.notifications('refund_reversed')).toBeGreaterThan(0);
    expect((await world.caseOf(A)).hold_reason).toBe('refund_reversed');
  });
});
