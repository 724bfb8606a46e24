/**
 * Guarantee: what is read of a charge after its alert was answered is told in the transaction that reads it: the bank
 * disputes what was refunded, more is captured, a refund fails late (A8). Another processor never repeats a request (A9).
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { askAboutCharge, chargeReadingOf } from '../../../src/alerts/ledger/charge-reading.ts';
import { openLedger } from '../../../src/alerts/ledger/with-ledger.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const DAY = 24;

/** The charge is read for a reason of its own: the processor's own notice, or a check of the books. */
async function chargeIsRead(): Promise<void> {
  const charge = { organisationId: world.organisationId, chargeReference: 'ch_1' };
  const answer = await askAboutCharge(worker.deps, charge, AbortSignal.timeout(5_000));
  await world.db.transaction().execute((trx) =>
    openLedger(trx, {
      charge,
      reading: chargeReadingOf(answer),
      capabilities: FULL_CAPABILITIES,
      samePart: 'REVIEW',
      alertId: null,
      now: nowDate(world.clock),
    }),
  );
}

describe('a charge that was refunded and declared', () => {
  beforeEach(async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    await world.pass([worker], 20 * DAY);
  });

  it('is disputed by the bank: told at once, with the proof, and once', async () => {
    world.processor.charge('ch_1').disputed = true;
    await chargeIsRead();
    await chargeIsRead();
    expect(await world.openFindings()).toEqual(['disputed_after_refund']);
    expect(await world.notifications('disputed_after_refund')).toBe(1);
    const [found] = await world.db
      .selectFrom('finding')
      .select(['next_step', 'severity'])
      .where('organisation_id', '=', world.organisationId)
      .execute();
    expect(found).toMatchObject({ severity: 'error', next_step: expect.stringContaining('re_1') });
    world.processor.charge('ch_1').disputed = false;
    await chargeIsRead();
    expect(await world.openFindings()).toEqual([]);
  });

  it('is captured once more: what was declared is no longer covered', async () => {
    world.processor.charge('ch_1').amountMinor = 9000;
    await world.db
      .updateTable('alert')
      .set({ amount_minor: 9000 })
      .where('organisation_id', '=', world.organisationId)
      .execute();
    await chargeIsRead();
    expect(await world.openFindings()).toEqual(['declared_without_cover']);
    expect(await world.notifications('refund_reversed')).toBe(1);
  });
});

it('a dispute that nothing was refunded for is told to nobody here', async () => {
  world.processor.refuses = { code: 'insufficient_balance', failureClass: 'retry' };
  await world.open({ alertId: A });
  await world.settle([worker]);
  world.processor.charge('ch_1').disputed = true;
  await chargeIsRead();
  expect(await world.openFindings()).toEqual([]);
});

it('a refund that fails after months is seen', async () => {
  world.processor.caps = { ...FULL_CAPABILITIES, asyncRefunds: true };
  await world.open({ alertId: A });
  await world.settle([worker]);
  await world.pass([worker], 100 * DAY);
  world.processor.ledger[0]!.status = 'failed';
  await world.pass([worker], 20 * DAY);
  expect(await world.refundState('ch_1')).toBe('REVERSED');
  expect(await world.openFindings()).toEqual(['declared_without_cover']);
});

describe('a request in doubt, and another processor', () => {
  beforeEach(async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await worker.round();
    expect(await world.refundState('ch_1')).toBe('UNKNOWN');
    expect(await world.movements()).toMatchObject([{ processor: 'fake' }]);
    Object.assign(world.processor, { name: 'another' });
  });

  it('is never sent again there: a person looks at the one before', async () => {
    await world.pass([worker], 3);
    expect(world.processor.calls).toHaveLength(1);
    expect(await world.refundState('ch_1')).toBe('HUMAN');
    expect(await world.notifications('refund_unresolved')).toBe(1);
    expect(world.service.effective(A)).toEqual([]);
  });

  it('is asked for again once its own processor is set', async () => {
    await world.pass([worker], 3);
    Object.assign(world.processor, { name: 'fake' });
    await world.pass([worker], 26);
    // Proven never to have executed, there.
    expect(await world.refundState('ch_1')).toBe('REJECTED');
  });
});

it.each([
  ['another', 1, 'another_processor'],
  ['the same', 2, null],
] as const)(
  'a second complaint of the charge, through %s processor: %i refunds',
  async (name, refunds, reason) => {
    await world.open({ alertId: A, amountMinor: 2000, decidedMinor: 2000 });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(2000);
    if (name === 'another') Object.assign(world.processor, { name });
    await world.open({ alertId: 'netalrt_b', amountMinor: 1000, decidedMinor: 1000 });
    await world.settle([worker]);
    expect(world.processor.calls).toHaveLength(refunds);
    const { hold_reason: held } = await world.caseOf('netalrt_b');
    expect(held).toBe(reason);
  },
);
