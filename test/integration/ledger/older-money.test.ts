/**
 * Guarantee: money of weeks ago for something else answers no complaint about a part of the charge, unless a person says
 * that it was for it; all of the charge having gone back answers every one (A1).
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const B = 'netalrt_b';
const TWENTY_DAYS = 480;

const answersTo = (alertId: string) => world.service.effective(alertId);
const away = () => world.processor.ours('ch_1');

beforeEach(() => {
  world.processor.addCharge('ch_1', { amountMinor: 8400 });
});

/** Support refunds a part; weeks later an alert about another part comes. */
async function afterWeeks(supportMinor: number, amountMinor: number): Promise<void> {
  world.processor.supportRefund('ch_1', supportMinor);
  await world.pass([worker], TWENTY_DAYS);
  await world.open({ alertId: A, amountMinor, decidedMinor: amountMinor });
  await world.settle([worker]);
}

describe('a part of the charge that went back before the complaint', () => {
  it('is not declared for it, and nothing is refunded on top by itself', async () => {
    await afterWeeks(2500, 2000);
    expect(answersTo(A)).toEqual([]);
    expect(await world.caseOf(A)).toMatchObject({ state: 'HUMAN', hold_reason: 'partly_refunded' });
    expect(away()).toBe(0);
  });

  it('is refunded by a person beside it: nothing was paid too often', async () => {
    await afterWeeks(2500, 2000);
    expect(await world.say({ action: 'REFUND' })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(answersTo(A)).toMatchObject([
      { action: 'REFUND', note: expect.stringContaining('re_2') },
    ]);
    expect(away()).toBe(2000);
    expect(await world.openFindings()).toEqual([]);
  });

  it('answers it once a person names it', async () => {
    await afterWeeks(2500, 2000);
    const outside = { action: 'REFUNDED_OUTSIDE', reference: ' su_1 ' } as const;
    expect(await world.say(outside)).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(await world.say({ action: 'REFUND' })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(answersTo(A)).toMatchObject([{ action: 'REFUND', note: 'already refunded su_1' }]);
    expect(away()).toBe(0);
    // Once: another complaint is not answered by it.
    await world.open({ alertId: B, amountMinor: 1500, decidedMinor: 1500 });
    world.processor.refuses = { code: 'insufficient_balance', failureClass: 'retry' };
    await world.settle([worker]);
    expect(await world.say({ ...outside, reference: 'su_1', alertId: B })).toMatchObject({
      ok: false,
      reason: 'reference_counted',
    });
    expect(answersTo(B)).toEqual([]);
  });

  it('above the limit takes two persons to name', async () => {
    await afterWeeks(2500, 2000);
    const outside = {
      action: 'REFUNDED_OUTSIDE',
      reference: 'su_1',
      approvalAboveMinor: { EUR: 2400 },
    } as const;
    expect(await world.say(outside)).toEqual({ ok: false, reason: 'second_person' });
    expect(await world.say({ ...outside, operator: 'noor' })).toMatchObject({ ok: true });
  });

  it('covers no part of a complaint that another network makes about all of it', async () => {
    await afterWeeks(2500, 8400);
    expect(answersTo(A)).toEqual([]);
    await world.open({ alertId: B, amountMinor: 2000, enrolmentType: 'NETB_ALERT' });
    await world.settle([worker]);
    expect(answersTo(B)).toEqual([]);
  });
});

it('all of the charge having gone back answers a complaint about a part, whenever it went', async () => {
  await afterWeeks(8400, 2000);
  expect(answersTo(A)).toMatchObject([{ action: 'REFUND', note: 'already refunded su_1' }]);
});

it('what went back after the complaint answers it as before', async () => {
  world.processor.refuses = { code: 'insufficient_balance', failureClass: 'retry' };
  await world.open({ alertId: A, amountMinor: 2000, decidedMinor: 2000 });
  await world.settle([worker]);
  world.clock.advanceMs(1);
  world.processor.supportRefund('ch_1', 2000);
  await world.pass([worker], 2);
  expect(answersTo(A)).toMatchObject([{ action: 'REFUND', note: 'already refunded su_1' }]);
});
