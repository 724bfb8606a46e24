/**
 * Guarantee: what became known between two steps is not overlooked: a dispute opened before a repeat, a deadline that
 * moved nearer, a refund by somebody else, a chargeback, an authorisation that was captured after its release, an end that the service shows.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { applySnapshots } from '../../../src/alerts/apply/apply-snapshots.ts';
import { movementKey } from '../../../src/alerts/ledger/movement-key.ts';
import { nowDate, nowIso } from '../../../src/base/kernel/clock.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

const ALERT = 'netalrt_meanwhile';
const OTHER = 'netalrt_other';
const CHARGE = 'ch_1';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

/** The alert as the service shows it now, received as a webhook. */
async function serviceShows(change: Record<string, unknown>): Promise<void> {
  const { organisationId, clock, db, service } = world;
  clock.advanceMs(1);
  const object = { ...service.alerts.get(ALERT)!, ...change, updated_at: nowIso(clock) };
  service.alerts.set(ALERT, object);
  const snapshots = [{ entity: 'alert' as const, object: { ...object }, eventId: null }];
  await db
    .transaction()
    .execute((trx) =>
      applySnapshots(trx, { organisationId, source: 'webhook', snapshots, now: nowDate(clock) }),
    );
}

/** The issuer takes all that was not refunded. */
function chargeBack(): void {
  const { readCharge } = world.processor;
  Object.assign(world.processor, {
    readCharge: async (reference: string, signal: AbortSignal) => {
      const answer = await readCharge(reference, signal);
      if (answer.kind !== 'found') return answer;
      return { kind: 'found', value: { ...answer.value, disputed: true, refundableMinor: 0 } };
    },
  });
}

describe('a chargeback', () => {
  it('of the whole charge is no refund: the dispute is accepted, nothing is declared refunded', async () => {
    chargeBack();
    await world.open({ alertId: ALERT });
    await world.settle([worker]);
    expect(world.service.effective(ALERT)).toMatchObject([{ action: 'ACCEPT_DISPUTE' }]);
  });

  it('of the rest, after support refunded a part, leaves the answer to a person', async () => {
    world.processor.supportRefund(CHARGE, 2000);
    chargeBack();
    await world.open({ alertId: ALERT });
    await world.settle([worker]);
    expect(world.service.effective(ALERT)).toEqual([]);
    expect(await world.state(ALERT)).toBe('HUMAN');
  });
});

describe('a request that has to be repeated', () => {
  it('is not sent again once a dispute is open at the processor', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: ALERT });
    await world.settle([worker]);
    world.processor.charge(CHARGE).disputed = true;
    await world.pass([worker], 1);
    expect(world.processor.ours(CHARGE)).toBe(0);
    expect(world.service.effective(ALERT)).toEqual([]);
  });

  /** 20.00 of 50.00 is asked for, and nobody hears of it. */
  async function lostPart(): Promise<void> {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: ALERT, amountMinor: 2000, decidedMinor: 2000 });
    await world.settle([worker]);
    expect(await world.refundState(CHARGE)).toBe('UNKNOWN');
  }

  it.each(['succeeded', 'pending'] as const)(
    'is not sent again where somebody else has refunded the part, %s',
    async (status) => {
      await lostPart();
      world.processor.supportRefund(CHARGE, 2000, status);
      await world.pass([worker], 1);
      expect(world.processor.ours(CHARGE)).toBe(0);
      const declared = status === 'pending' ? [] : [{ note: 'already refunded su_1' }];
      expect(world.service.effective(ALERT)).toMatchObject(declared);
    },
  );

  it('is sent again where somebody else has refunded another complaint of the charge', async () => {
    await lostPart();
    await world.open({ alertId: OTHER, amountMinor: 1000, decidedMinor: 1000 });
    await world.settle([worker]);
    world.processor.supportRefund(CHARGE, 1000);
    await world.pass([worker], 1);
    expect(world.processor.ours(CHARGE)).toBe(2000);
    expect([await world.state(ALERT), await world.state(OTHER)]).toEqual([
      'DECLARED_REFUND',
      'DECLARED_REFUND',
    ]);
  });

  it('is not sent again where a refund under the next key stands: another installation, or one before a restore', async () => {
    await lostPart();
    world.processor.supportRefund(CHARGE, 2000);
    const charge = { organisationId: world.organisationId, chargeReference: CHARGE };
    Object.assign(world.processor.ledger[0]!, { key: movementKey(charge, 2) });
    await world.pass([worker], 1);
    expect(world.processor.ours(CHARGE)).toBe(2000);
    expect(await world.state(ALERT)).toBe('DECLARED_REFUND');
  });

  it('is not sent again under a key that nothing proves absent, where it may be what was refunded: a person looks', async () => {
    world.processor.caps = { ...FULL_CAPABILITIES, canLookupByReference: false };
    await lostPart();
    world.processor.supportRefund(CHARGE, 2000);
    await world.pass([worker], 1);
    expect(world.processor.calls).toHaveLength(1);
    expect((await world.caseOf(ALERT)).hold_reason).toBe('refund_unresolved');
  });

  it('is looked at within 30 s when its deadline moves into the last hour', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: ALERT });
    await world.settle([worker]);
    world.processor.down = true;
    await world.pass([worker], 6);
    // Right after a look, whichever moment chance has chosen for it.
    await world.pass([worker], (await untilNextLookMs()) / HOUR_MS);
    expect(await untilNextLookMs()).toBeGreaterThan(MINUTE_MS);
    const deadline = new Date(world.clock.nowMs() + 50 * MINUTE_MS).toISOString();
    await serviceShows({ action_required_deadline: deadline });
    await world.settle([worker]);
    expect(await untilNextLookMs()).toBeLessThanOrEqual(30_000);
  });

  it('is looked at in time where its deadline moved while it was looked at', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: ALERT });
    await world.settle([worker]);
    const { findRefund } = world.processor;
    Object.assign(world.processor, {
      findRefund: async () => {
        Object.assign(world.processor, { findRefund });
        const deadline = new Date(world.clock.nowMs() + 50 * MINUTE_MS).toISOString();
        await serviceShows({ action_required_deadline: deadline });
        return { kind: 'unavailable', reason: 'slow' };
      },
    });
    world.clock.advanceMs(2_000);
    await worker.round();
    expect(await untilNextLookMs()).toBeLessThanOrEqual(0);
  });
});

async function untilNextLookMs(): Promise<number> {
  const [movement] = await world.movements();
  return movement!.next_action_at!.getTime() - world.clock.nowMs();
}

describe('the release of an authorisation', () => {
  beforeEach(() => {
    world.processor.charge(CHARGE).status = 'authorised';
  });

  it('gives back all, so it is not what a person means who chose a part', async () => {
    await world.open({ alertId: ALERT, decidedBy: 'operator:ada', decidedMinor: 1000 });
    await world.settle([worker]);
    expect(world.processor.voids).toEqual([]);
    expect((await world.caseOf(ALERT)).hold_reason).toBe('amount_differs');
  });

  it.each([
    ['to an alert about a part', { amountMinor: 1000 }],
    [
      'to an alert about a part, where a person decides',
      { amountMinor: 1000, decidedBy: 'operator:ada' },
    ],
    ['where more was authorised since it was decided', { decidedMinor: 4000 }],
  ])('is no answer %s', async (_name, decided) => {
    await world.open({ alertId: ALERT, ...decided });
    await world.settle([worker]);
    expect(world.processor.voids).toEqual([]);
    expect((await world.caseOf(ALERT)).hold_reason).toBe('amount_differs');
  });

  it('is an answer where a person decides about an alert in another currency', async () => {
    const decided = { amountMinor: 6000, currency: 'USD', decidedBy: 'operator:ada' };
    await world.open({ alertId: ALERT, ...decided });
    await world.settle([worker]);
    expect(world.processor.voids).toEqual([CHARGE]);
  });

  it('declares nothing when the charge turns out to be captured', async () => {
    // Long enough that the processor is asked again before the answer.
    world.service.actFaults.push(...Array.from({ length: 8 }, () => 'server_error' as const));
    await world.open({ alertId: ALERT });
    await world.settle([worker]);
    expect(world.processor.voids).toEqual([CHARGE]);
    world.processor.charge(CHARGE).status = 'captured';
    await world.pass([worker], 6);
    expect(world.service.effective(ALERT)).toEqual([]);
    expect(await world.refundState(CHARGE)).toBe('REVERSED');
  });
});
