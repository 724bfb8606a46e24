/**
 * Guarantee: none of the situations in which a declaration was false, money blocked a charge, or people
 * had no way out, is possible any more. One test for each, titled by what was seen; those about RDR
 * that changes are in `refund/reconcile-rdr.test.ts`, those about matching in `match` and `decide`.
 */
import { describe, expect, it } from 'vitest';
import { DEFAULT_GUARDS } from '../../../src/alerts/guard/guard-settings.ts';
import { pauseMoney, resumeMoney } from '../../../src/alerts/guard/pause.store.ts';
import { readProcessorBreaker } from '../../../src/alerts/guard/processor-breaker.store.ts';
import { DEFAULT_REFUND_SETTINGS } from '../../../src/alerts/guard/refund-settings.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';
import { answerShown } from '../../support/approvals.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const B = 'netalrt_b';

const holdOf = async (alertId: string) => (await world.caseOf(alertId)).hold_reason;
const answers = (alertId: string) => world.service.effective(alertId).map(({ action }) => action);

/** The policy's fallback falls due so many hours from now, as the decision says too. */
async function fallbackIn(alertId: string, hours: number): Promise<void> {
  const at = new Date(world.clock.nowMs() + hours * HOUR_MS);
  for (const table of ['alert_case', 'decision'] as const) {
    await world.db
      .updateTable(table)
      .set({ fallback_action: 'ACCEPT_DISPUTE', fallback_at: at })
      .where('organisation_id', '=', world.organisationId)
      .where('alert_id', '=', alertId)
      .execute();
  }
}

describe('1: a refusal of the processor was conceded at once', () => {
  it.each([
    ['insufficient_balance', 'retry'],
    ['invalid_request', 'ours'],
    ['charge_too_old', 'final'],
  ] as const)(
    '%s (%s): nothing is conceded before the fallback, 46 h ahead',
    async (code, failureClass) => {
      world.processor.refuses = { code, failureClass };
      await world.open({ alertId: A });
      await fallbackIn(A, 46);
      await world.pass([worker], 45.9);
      expect(world.service.patches).toEqual([]);
      expect(await world.notifications('case_held')).toBeGreaterThan(0);
      await world.pass([worker], 0.2);
      expect(answers(A)).toEqual(['ACCEPT_DISPUTE']);
      expect(world.processor.ours('ch_1')).toBe(0);
    },
  );

  it('not enough balance for an hour: refunded once there is, each time under a new key', async () => {
    world.processor.refuses = { code: 'insufficient_balance', failureClass: 'retry' };
    await world.open({ alertId: A });
    await fallbackIn(A, 46);
    await world.pass([worker], 1);
    const before = world.processor.calls.length;
    expect(before).toBeGreaterThan(2);
    world.processor.refuses = undefined;
    await world.pass([worker], 1.01);
    expect(answers(A)).toEqual(['REFUND']);
    expect(world.processor.ours('ch_1')).toBe(5000);
    const keys = world.processor.calls.map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(before + 1);
    // One movement, tried again; not one for each try.
    expect(await world.movements()).toHaveLength(1);
  });

  // More than the first three refusals, and the eight that are sent side by side.
  it('an adapter that answers 400: 15 of 15 alerts are held, sending stops, and people are notified', async () => {
    world.processor.refuses = { code: 'http_400', failureClass: 'ours' };
    for (let n = 0; n < 15; n++) {
      world.processor.addCharge(`ch_b${n}`);
      await world.open({ alertId: `netalrt_b${n}`, chargeReference: `ch_b${n}` });
      await fallbackIn(`netalrt_b${n}`, 46);
    }
    await world.settle([worker]);
    expect(world.service.patches).toEqual([]);
    // Those that were under way when the third was refused may still have been sent.
    expect(world.processor.calls.length).toBeLessThan(15);
    expect(await world.notifications('processor_refuses_us')).toBe(1);
    const before = world.processor.calls.length;
    await world.pass([worker], 1);
    // One request tries again every quarter of an hour.
    expect(world.processor.calls.length - before).toBeGreaterThanOrEqual(3);
    expect(world.processor.calls.length - before).toBeLessThanOrEqual(5);
    world.processor.refuses = undefined;
    await world.pass([worker], 1);
    expect(world.service.patches.filter(({ action }) => action === 'REFUND')).toHaveLength(15);
    expect(await readProcessorBreaker(world.db, world.organisationId)).toBeUndefined();
  });
});

it('4: a second partial alert was declared with the first one’s money', async () => {
  world.processor.addCharge('ch_84', { amountMinor: 8400 });
  await world.open({ alertId: A, chargeReference: 'ch_84', amountMinor: 2500, decidedMinor: 2500 });
  await world.settle([worker]);
  await world.pass([worker], 24);
  await world.open({ alertId: B, chargeReference: 'ch_84', amountMinor: 2000, decidedMinor: 2000 });
  await world.settle([worker]);
  expect(world.processor.calls.map(({ amountMinor }) => amountMinor)).toEqual([2500, 2000]);
  expect([answers(A), answers(B)]).toEqual([['REFUND'], ['REFUND']]);
  expect(world.service.effective(B)).toMatchObject([{ note: 'refund re_2' }]);
  // And a third, which does not fit beside them, is nobody's guess.
  await world.open({
    alertId: 'netalrt_c',
    chargeReference: 'ch_84',
    amountMinor: 4000,
    decidedMinor: 4000,
  });
  await world.settle([worker]);
  expect(await holdOf('netalrt_c')).toBe('dispute_unclear');
  expect(world.processor.ours('ch_84')).toBe(4500);
});

describe('6: refunds in doubt had no way out', () => {
  it('a restart during an outage takes "unavailable" for nothing: no person is needed', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    const capabilities = world.processor.capabilities;
    world.processor.capabilities = async () => undefined;
    world.processor.down = true;
    await world.pass([world.worker('restarted')], 3);
    expect(await world.refundState('ch_1')).toBe('UNKNOWN');
    world.processor.capabilities = capabilities;
    world.processor.down = false;
    await world.pass([worker], 1.1);
    expect(answers(A)).toEqual(['REFUND']);
    expect(world.processor.ours('ch_1')).toBe(5000);
  });

  it('the processor proves that nothing executed: the hold ends by itself', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.processor.down = true;
    await world.pass([worker], 24.1);
    expect(await world.refundState('ch_1')).toBe('HUMAN');
    world.processor.down = false;
    await world.pass([worker], 1.1);
    expect(await world.refundState('ch_1')).toBe('REJECTED');
    expect(await world.say({ action: 'REFUND' })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(answers(A)).toEqual(['REFUND']);
  });

  it('nobody can prove it: a person says so, and continues either way', async () => {
    world.processor.caps = {
      ...FULL_CAPABILITIES,
      canLookupByReference: false,
      idempotencyTtlHours: 0,
    };
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.pass([worker], 1);
    expect(await world.say({ action: 'ACCEPT_DISPUTE' })).toMatchObject({ ok: false });
    expect(await world.say({ action: 'DID_NOT_EXECUTE' })).toMatchObject({ ok: true });
    expect(await world.say({ action: 'ACCEPT_DISPUTE' })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(answers(A)).toEqual(['ACCEPT_DISPUTE']);
  });
});

it('8: a refund that was never sent counted as "the processor refused"', async () => {
  world.settings = {
    ...DEFAULT_REFUND_SETTINGS,
    guards: { ...DEFAULT_GUARDS, caps: { hour: { count: 0 } } },
  };
  const capped = world.worker('capped');
  await world.open({ alertId: A, whenRefused: 'ACCEPT_DISPUTE' });
  await world.pass([capped], 2);
  // A rule that accepts what is refused for good says nothing of this.
  expect(world.service.patches).toEqual([]);
  expect(await world.movements()).toMatchObject([{ state: 'NOT_SENT', failure_class: null }]);
  world.settings = DEFAULT_REFUND_SETTINGS;
  await world.pass([world.worker('uncapped')], 0.1);
  expect(answers(A)).toEqual(['REFUND']);
});

it('8: and so did another attempt that was not sent, where an earlier one was refused', async () => {
  world.processor.refuses = { code: 'charge_too_old', failureClass: 'final' };
  await world.open({ alertId: A });
  await world.settle([worker]);
  expect(await holdOf(A)).toBe('refund_rejected');
  // A rule that accepts what is refused for good; but this attempt meets the switch, not the processor.
  await world.db.updateTable('alert_case').set({ when_refused: 'ACCEPT_DISPUTE' }).execute();
  const by = { organisationId: world.organisationId, operator: 'ada', now: nowDate(world.clock) };
  await pauseMoney(world.db, { ...by, reason: '' });
  await world.say({});
  await world.settle([world.worker('w2')]);
  expect(await holdOf(A)).toBe('paused');
  expect(world.service.patches).toEqual([]);
  world.processor.refuses = undefined;
  await resumeMoney(world.db, by);
  await world.settle([world.worker('w2')]);
  expect(answers(A)).toEqual(['REFUND']);
});

it('9: a person’s ACCEPT_DISPUTE went out while support’s refund was pending', async () => {
  world.processor.supportRefund('ch_1', 5000, 'pending');
  await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE', decidedBy: 'operator:ada' });
  await world.settle([worker]);
  expect(world.service.patches).toEqual([]);
  expect(await holdOf(A)).toBe('refund_pending_elsewhere');
  expect(await world.say({ action: 'ACCEPT_DISPUTE' })).toEqual({
    ok: false,
    reason: 'refund_under_way',
  });
  world.processor.ledger[0]!.status = 'succeeded';
  expect(await world.say({ action: 'REFUND' })).toMatchObject({ ok: true });
  await world.settle([worker]);
  expect(answers(A)).toEqual(['REFUND']);
  expect(world.processor.calls).toEqual([]);
});

it('10: USD 67 covered a GBP 66 alert', async () => {
  world.processor.addCharge('ch_usd', { amountMinor: 10_000, currency: 'USD' });
  world.processor.supportRefund('ch_usd', 6700);
  await world.open({
    alertId: A,
    chargeReference: 'ch_usd',
    amountMinor: 6600,
    currency: 'GBP',
  });
  await world.settle([worker]);
  expect(world.service.patches).toEqual([]);
  expect(world.processor.calls).toEqual([]);
  expect(await world.state(A)).toBe('HUMAN');
});

describe('11: one cent above the charge, or in another currency, could never be declared', () => {
  it.each([
    ['one cent above', { amountMinor: 5001 }, 'amount_differs'],
    ['another currency', { amountMinor: 4300, currency: 'GBP' }, 'currency_differs'],
  ] as const)(
    '%s: a person refunds the whole charge, and it is declared',
    async (_name, alert, reason) => {
      await world.open({ alertId: A, ...alert });
      await world.settle([worker]);
      expect(await holdOf(A)).toBe(reason);
      expect(await world.say({})).toMatchObject({ ok: true });
      await world.settle([worker]);
      expect(world.processor.ours('ch_1')).toBe(5000);
      expect(world.processor.calls[0]?.currency).toBe('EUR');
      expect(answers(A)).toEqual(['REFUND']);
    },
  );
});

it('12: a person’s refund that fails lost the policy’s fallback', async () => {
  await world.open({ alertId: A, amountMinor: 3000 });
  await fallbackIn(A, 46);
  await world.settle([worker]);
  expect(await holdOf(A)).toBe('amount_differs');
  world.processor.refuses = { code: 'charge_too_old', failureClass: 'final' };
  await world.say({});
  await world.settle([worker]);
  expect(await world.caseOf(A)).toMatchObject({
    hold_reason: 'refund_rejected',
    fallback_action: 'ACCEPT_DISPUTE',
  });
  await world.pass([worker], 46.1);
  expect(answers(A)).toEqual(['ACCEPT_DISPUTE']);
});

describe('14: one approval served a second attempt', () => {
  const agree = async (operator: string) =>
    await answerShown(world.db, {
      organisationId: world.organisationId,
      alertId: A,
      operator,
      now: nowDate(world.clock),
    });

  /** Refunds above 49.99 need two people. */
  function guarded(): Worker {
    world.settings = {
      ...DEFAULT_REFUND_SETTINGS,
      guards: { ...DEFAULT_GUARDS, approvalAboveMinor: { EUR: 4999 } },
    };
    return world.worker('guarded');
  }

  const bothAgree = async (): Promise<void> => {
    for (const operator of ['ada', 'noor']) await agree(operator);
  };

  const keys = () => new Set(world.processor.calls.map(({ idempotencyKey }) => idempotencyKey));

  it('an approval is for one movement: another of the same amount is asked for again', async () => {
    world.processor.caps = { ...FULL_CAPABILITIES, asyncRefunds: true };
    const careful = guarded();
    // The answer cannot be given yet, so the alert stays open.
    world.service.actFaults.push(...Array<'lost_before'>(50).fill('lost_before'));
    await world.open({ alertId: A });
    await world.settle([careful]);
    await bothAgree();
    await world.settle([careful]);
    expect(world.processor.count('ch_1')).toBe(1);
    // It fails after it was confirmed; what a person decides now is another movement.
    world.processor.ledger[0]!.status = 'failed';
    await world.pass([careful], 25);
    expect(await holdOf(A)).toBe('refund_reversed');
    await world.say({ operator: 'kofi' });
    await world.settle([careful]);
    expect(await holdOf(A)).toBe('approval_needed');
    expect(world.processor.calls).toHaveLength(1);
  });

  it('what the processor refuses for now is tried again under new keys by the same two people’s word', async () => {
    world.processor.refuses = { code: 'insufficient_balance', failureClass: 'retry' };
    const careful = guarded();
    await world.open({ alertId: A });
    await world.settle([careful]);
    await bothAgree();
    await world.pass([careful], 0.5);
    expect(keys().size).toBeGreaterThan(1);
    world.processor.refuses = undefined;
    await world.pass([careful], 1);
    expect(answers(A)).toEqual(['REFUND']);
    expect(world.processor.count('ch_1')).toBe(1);
  });

  it('what was refused and a person decides again needs two people again, before its new key', async () => {
    world.processor.refuses = { code: 'charge_too_old', failureClass: 'final' };
    const careful = guarded();
    await world.open({ alertId: A });
    await world.settle([careful]);
    await bothAgree();
    await world.settle([careful]);
    expect(await holdOf(A)).toBe('refund_rejected');
    world.processor.refuses = undefined;
    await world.say({ operator: 'kofi' });
    await world.pass([careful], 1);
    expect(await holdOf(A)).toBe('approval_needed');
    expect(world.processor.calls).toHaveLength(1);
    expect(await agree('kofi')).toEqual({ ok: false, reason: 'same_person' });
    await agree('ada');
    await world.settle([careful]);
    expect(keys().size).toBe(2);
    expect(answers(A)).toEqual(['REFUND']);
    expect(world.processor.count('ch_1')).toBe(1);
  });

  it('what one person says did not execute is sent under a new key only after two people agreed to it', async () => {
    world.processor.faults.push('lost_before');
    const careful = guarded();
    await world.open({ alertId: A });
    await world.settle([careful]);
    await bothAgree();
    await world.settle([careful]);
    world.processor.down = true;
    await world.pass([careful], 1);
    expect(await world.refundState('ch_1')).toBe('UNKNOWN');
    expect(await world.say({ action: 'DID_NOT_EXECUTE' })).toMatchObject({ ok: true });
    world.processor.down = false;
    await world.pass([careful], 1);
    expect(await holdOf(A)).toBe('approval_needed');
    expect(world.processor.count('ch_1')).toBe(0);
    await bothAgree();
    await world.settle([careful]);
    expect(keys().size).toBe(2);
    expect(answers(A)).toEqual(['REFUND']);
    expect(world.processor.count('ch_1')).toBe(1);
  });

  it('an approval ends with the alert’s deadline', async () => {
    const careful = guarded();
    await world.open({ alertId: A });
    await world.settle([careful]);
    world.clock.advanceMs(48 * HOUR_MS);
    expect(await agree('ada')).toEqual({ ok: false, reason: 'too_late' });
  });
});

it('16: a processor that did not answer counted as "nothing found": ACCEPT_DISPUTE within 2 s', async () => {
  await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
  world.processor.supportRefund('ch_1', 5000);
  world.processor.down = true;
  await world.pass([worker], 0.1);
  expect(world.service.patches).toEqual([]);
  world.processor.down = false;
  // Asked again within two minutes.
  await world.pass([worker], 2.1 / 60);
  expect(answers(A)).toEqual(['REFUND']);
  expect(world.service.effective(A)).toMatchObject([{ note: 'already refunded su_1' }]);
});
