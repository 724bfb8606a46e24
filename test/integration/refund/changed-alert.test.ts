/**
 * Guarantee: what a match and its decision rested on is compared with the alert as the service shows it right before money
 * goes: another amount, currency, card, type or reference, and it is matched and decided again (A7). A processor that ends
 * its requests soon may be sent a refund with less time left than the full guard time.
 */
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { refundGuardMs } from '../../../src/alerts/guard/refund-guard.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { MINUTE_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';

/** Decided by the policy, with what the alert said then. */
async function decidedOn(told: Record<string, unknown>): Promise<void> {
  await world.open({ alertId: A, decidedMinor: 5000 });
  await sql`update decision set inputs = ${JSON.stringify({ facts: { alert: told } })}::jsonb
    where organisation_id = ${world.organisationId}`.execute(world.db);
}

const TOLD = { amountMinor: 5000, currency: 'EUR', cardLast4: null, enrolmentType: 'NETA_ALERT' };

describe('an alert that the service shows otherwise than it was decided on', () => {
  it.each([
    ['another amount', { transaction_amount_in_cents: 99_999 }],
    ['another currency', { transaction_currency_code: 'USD' }],
    ['another card', { transaction_card_last4: '2222' }],
    ['another number', { transaction_acquirer_reference_number: '74537604221222132710572' }],
  ])('%s: no money goes; it is matched again', async (_name, change) => {
    await decidedOn({ ...TOLD, acquirerReferenceNumber: null });
    const alert = world.service.alerts.get(A)!;
    world.clock.advanceMs(1_000);
    world.service.alerts.set(A, {
      ...alert,
      ...change,
      updated_at: new Date(world.clock.nowMs()).toISOString(),
    });
    await worker.round();
    expect(world.processor.calls).toEqual([]);
    expect(await world.caseOf(A)).toMatchObject({ hold_reason: 'alert_changed' });
  });

  it('the same: it is refunded', async () => {
    await decidedOn(TOLD);
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(5000);
  });

  it('a person’s decision rests on what the alert said to them', async () => {
    world.processor.refuses = { code: 'insufficient_balance', failureClass: 'retry' };
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.processor.refuses = undefined;
    expect(await world.say({ action: 'REFUND' })).toMatchObject({ ok: true });
    const alert = world.service.alerts.get(A)!;
    world.clock.advanceMs(1_000);
    world.service.alerts.set(A, {
      ...alert,
      transaction_amount_in_cents: 4_000,
      updated_at: new Date(world.clock.nowMs()).toISOString(),
    });
    await worker.round();
    expect(world.processor.ours('ch_1')).toBe(0);
    expect(await world.caseOf(A)).toMatchObject({ hold_reason: 'alert_changed' });
  });
});

describe('a request that was lost, whose alert says otherwise by now', () => {
  it('is not sent again: the alert is matched again', async () => {
    await decidedOn(TOLD);
    world.processor.faults.push('lost_before');
    await worker.round();
    expect(await world.refundState('ch_1')).toBe('UNKNOWN');
    const alert = world.service.alerts.get(A)!;
    world.clock.advanceMs(1_000);
    world.service.alerts.set(A, {
      ...alert,
      transaction_amount_in_cents: 99_999,
      updated_at: new Date(world.clock.nowMs()).toISOString(),
    });
    for (let halfHour = 0; halfHour < 6; halfHour++) {
      world.clock.advanceMs(30 * MINUTE_MS);
      await worker.round();
    }
    expect(world.processor.ours('ch_1')).toBe(0);
    expect(world.processor.calls).toHaveLength(1);
    expect(await world.caseOf(A)).toMatchObject({ state: 'HUMAN', hold_reason: 'alert_changed' });
  });
});

describe('the time that a refund takes to be safe', () => {
  beforeEach(() => {
    world.processor.caps = {
      ...FULL_CAPABILITIES,
      requestLifetimeSeconds: 600,
      lookupLagSeconds: 60,
    };
  });

  it.each([
    [14, 5000],
    [11, 0],
  ])('%i minutes before the deadline %i is refunded', async (minutes, refunded) => {
    await world.open({ alertId: A, windowHours: minutes / 60 });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(refunded);
  });

  it('is never more than what is configured, nor less than the request lives', () => {
    const lifetime = { requestLifetimeSeconds: 600, lookupLagSeconds: 0 };
    expect(refundGuardMs(900_000, lifetime)).toBe(660_000);
    expect(refundGuardMs(300_000, lifetime)).toBe(300_000);
    expect(refundGuardMs(900_000, undefined)).toBe(900_000);
  });
});
