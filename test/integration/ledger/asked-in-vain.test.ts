/**
 * Guarantee: what a person decides and what cannot be carried out is refused at once with the reason, or the alert gets back
 * the fallback that the policy had planned: no act of a person leaves an alert with fewer ways to an answer.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { askAboutCharge } from '../../../src/alerts/ledger/charge-reading.ts';
import { readLedger } from '../../../src/alerts/ledger/ledger.store.ts';
import { openLedger } from '../../../src/alerts/ledger/with-ledger.ts';
import { offeredActions } from '../../../src/alerts/review/offered-actions.ts';
import { isTimeToRefund } from '../../../src/alerts/review/persons-verdict.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';

const refused = (reason: string) => ({ ok: false, reason });

let fallbackAt: Date;

/** An alert about 30.00 of 50.00, held; the policy accepts it five minutes before its deadline. */
beforeEach(async () => {
  await world.open({ alertId: A, amountMinor: 3000, fallback: 'ACCEPT_DISPUTE' });
  fallbackAt = new Date(world.clock.nowMs() + 48 * HOUR_MS - 5 * MINUTE_MS);
  const fallback = { fallback_action: 'ACCEPT_DISPUTE', fallback_at: fallbackAt } as const;
  for (const table of ['decision', 'alert_case'] as const) {
    await world.db
      .updateTable(table)
      .set(fallback)
      .where('organisation_id', '=', world.organisationId)
      .execute();
  }
  await world.settle([worker]);
  expect(await planned()).toEqual(['amount_differs', 'ACCEPT_DISPUTE', fallbackAt]);
});

async function planned(): Promise<unknown[]> {
  const { hold_reason, fallback_action, fallback_at } = await world.caseOf(A);
  return [hold_reason, fallback_action, fallback_at];
}

/** The charge is read once more, as a look at the held alert does. */
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
      alertId: A,
      now: nowDate(world.clock),
    }),
  );
}

async function offered(): Promise<readonly string[]> {
  const charge = { organisationId: world.organisationId, chargeReference: 'ch_1' };
  const row = await world.caseOf(A);
  return offeredActions({
    state: row.state,
    alertId: A,
    isBeforeDeadline: world.clock.nowMs() < row.deadline_at.getTime(),
    isTimeLeft: isTimeToRefund(row, nowDate(world.clock)),
    ledger: await readLedger(world.db, charge),
  });
}

describe('a refund of a charge that is disputed at the processor', () => {
  it('is neither offered nor taken where the dispute is known, and the fallback stays', async () => {
    world.processor.charge('ch_1').disputed = true;
    await seeCharge();
    expect(await offered()).not.toContain('REFUND');
    expect(await offered()).toContain('ACCEPT_DISPUTE');
    expect(await world.say({})).toEqual(refused('disputed'));
    expect(await planned()).toEqual(['amount_differs', 'ACCEPT_DISPUTE', fallbackAt]);
    // It ended in the merchant's favour.
    world.processor.charge('ch_1').disputed = false;
    await seeCharge();
    expect(await world.say({})).toMatchObject({ ok: true });
  });

  it('gives the fallback back where only the step sees the dispute', async () => {
    world.processor.charge('ch_1').disputed = true;
    expect(await world.say({})).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(await planned()).toEqual(['disputed', 'ACCEPT_DISPUTE', fallbackAt]);
    await world.pass([worker], 48);
    expect(world.processor.calls).toEqual([]);
    expect(await world.state(A)).toBe('DECLARED_ACCEPT');
  });
});

describe('a refund in the last quarter of an hour', () => {
  it('is neither offered nor taken, and the fallback stays', async () => {
    world.clock.advanceMs(48 * HOUR_MS - 15 * MINUTE_MS - 1);
    expect(await offered()).toContain('REFUND');
    world.clock.advanceMs(1);
    expect(await offered()).not.toContain('REFUND');
    expect(await world.say({})).toEqual(refused('too_little_time'));
    expect(await planned()).toEqual(['amount_differs', 'ACCEPT_DISPUTE', fallbackAt]);
  });

  it('that was taken a moment before gives the fallback back', async () => {
    // A request of this processor may live so long that the whole quarter is needed to know what became of it.
    world.processor.caps = { ...world.processor.caps, requestLifetimeSeconds: 900 };
    world.clock.advanceMs(48 * HOUR_MS - 15 * MINUTE_MS - 1);
    expect(await world.say({})).toMatchObject({ ok: true });
    world.clock.advanceMs(1);
    await world.settle([worker]);
    expect(await planned()).toEqual(['too_late', 'ACCEPT_DISPUTE', fallbackAt]);
    await world.pass([worker], 0.25);
    expect(await world.state(A)).toBe('DECLARED_ACCEPT');
  });

  it('is offered and declared where the money has gone back', async () => {
    world.processor.supportRefund('ch_1', 3000);
    await seeCharge();
    world.clock.advanceMs(48 * HOUR_MS - 10 * MINUTE_MS);
    expect(await offered()).toContain('REFUND');
    expect(await world.say({})).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });
});

describe('a refund of what cannot be refunded', () => {
  it('gives the fallback back while the processor is away', async () => {
    world.processor.down = true;
    expect(await world.say({})).toMatchObject({ ok: true });
    await world.pass([worker], 1);
    expect(await planned()).toEqual(['processor_unavailable', 'ACCEPT_DISPUTE', fallbackAt]);
  });

  it('because it was declined is neither offered nor taken', async () => {
    world.processor.charge('ch_1').status = 'declined';
    await seeCharge();
    expect(await offered()).not.toContain('REFUND');
    expect(await world.say({})).toEqual(refused('nothing_to_refund'));
    expect(await planned()).toEqual(['amount_differs', 'ACCEPT_DISPUTE', fallbackAt]);
  });
});

describe('accepting beside a refund of support', () => {
  it.each(['ACCEPT_DISPUTE', 'NOT_OURS'] as const)(
    'that failed since it was seen: %s reads the processor anew, and is said',
    async (action) => {
      world.processor.supportRefund('ch_1', 3000, 'pending');
      await seeCharge();
      expect(await world.say({ action })).toEqual(refused('refund_under_way'));
      world.processor.ledger.at(-1)!.status = 'failed';
      world.clock.advanceMs(2 * MINUTE_MS);
      expect(await world.say({ action })).toMatchObject({ ok: true });
      await world.settle([worker]);
      expect(await world.state(A)).toBe('DECLARED_ACCEPT');
    },
  );

  it('that is still pending says nothing, and gives the fallback back', async () => {
    world.processor.supportRefund('ch_1', 3000, 'pending');
    await seeCharge();
    world.clock.advanceMs(2 * MINUTE_MS);
    expect(await world.say({ action: 'ACCEPT_DISPUTE' })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(world.service.patches).toEqual([]);
    expect(await planned()).toEqual(['refund_pending_elsewhere', 'ACCEPT_DISPUTE', fallbackAt]);
  });
});
