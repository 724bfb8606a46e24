/** Guarantee: a decided alert ends with the money moved once, or not at all, and the truth declared. */
import { beforeEach, describe, expect, it } from 'vitest';
import { findDeclaration } from '../../../src/alerts/declare/declaration.store.ts';
import { readGuardStatus } from '../../../src/alerts/guard/guard-status.store.ts';
import { resumeProcessor } from '../../../src/alerts/guard/processor-breaker.store.ts';
import { DEFAULT_REFUND_SETTINGS } from '../../../src/alerts/guard/refund-settings.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const B = 'netalrt_b';

async function holdReason(alertId: string): Promise<string | null> {
  return (await world.caseOf(alertId)).hold_reason;
}

/** Nothing was sent to the processor and nothing to the service. */
function expectNoEffect(): void {
  expect(world.processor.calls).toEqual([]);
  expect(world.processor.voids).toEqual([]);
  expect(world.service.patches).toEqual([]);
}

describe('the way without trouble', () => {
  it('refunds once, then declares with our reference', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(world.processor.ledger).toHaveLength(1);
    expect(world.processor.ledger[0]).toMatchObject({ amountMinor: 5000, chargeReference: 'ch_1' });
    expect(world.service.patches).toEqual([
      { alertId: A, action: 'REFUND', note: 'refund re_1', effective: true },
    ]);
  });

  it('accepts a dispute without touching the processor', async () => {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_ACCEPT');
    expect(world.processor.calls).toEqual([]);
    expect(world.service.effective(A)).toEqual([
      { alertId: A, action: 'ACCEPT_DISPUTE', note: 'not refunded', effective: true },
    ]);
  });

  it('accepts a dispute whose charge nobody knows', async () => {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE', chargeReference: null });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_ACCEPT');
  });

  it('writes every step of case, refund and declaration to the audit log', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    const rows = await world.db
      .selectFrom('audit')
      .select(['subject', 'to_state'])
      .where('organisation_id', '=', world.organisationId)
      .where('alert_id', '=', A)
      .orderBy('id')
      .execute();
    const of = (subject: string) =>
      rows.filter((row) => row.subject === subject).map((row) => row.to_state);
    expect(of('movement')).toEqual(['SENT', 'CONFIRMED']);
    expect(of('dispute')).toHaveLength(1);
    expect(of('case').slice(-4)).toEqual([
      'DECIDED_REFUND',
      'REFUNDING',
      'DECLARE_REFUND',
      'DECLARED_REFUND',
    ]);
    expect(of('declaration')).toEqual(['DUE', 'DONE']);
  });
});

describe('what is found before the refund', () => {
  it('somebody refunded in full: no call, declared as already refunded', async () => {
    world.processor.supportRefund('ch_1', 5000);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.calls).toEqual([]);
    expect(await world.movements()).toMatchObject([
      { kind: 'external', state: 'CONFIRMED', amount_minor: 5000, processor_reference: 'su_1' },
    ]);
    expect(world.service.effective(A)).toEqual([
      { alertId: A, action: 'REFUND', note: 'already refunded su_1', effective: true },
    ]);
  });

  it('decided ACCEPT_DISPUTE, yet refunded in full: the truth is declared', async () => {
    world.processor.supportRefund('ch_1', 5000);
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(world.service.effective(A)).toMatchObject([
      { action: 'REFUND', note: 'already refunded su_1' },
    ]);
  });

  it('somebody refunded a part: a person, unless the policy decided on the rest', async () => {
    world.processor.supportRefund('ch_1', 2000);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('HUMAN');
    expect(await holdReason(A)).toBe('partly_refunded');
    expectNoEffect();
  });

  it('refunds the rest where the policy decided so, and declares the sum', async () => {
    world.processor.supportRefund('ch_1', 2000);
    await world.open({ alertId: A, decidedMinor: 3000 });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(3000);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it.each([
    ['amount above the charge', { amountMinor: 5001 }, 'amount_differs'],
    ['amount below the charge', { amountMinor: 4999 }, 'amount_differs'],
    ['another currency', { currency: 'USD' }, 'currency_differs'],
    ['no charge known', { chargeReference: null }, 'no_charge'],
    ['a charge the processor does not know', { chargeReference: 'ch_nowhere' }, 'charge_absent'],
    [
      '2 minutes left, as long as a request lives and a minute',
      { windowHours: 2 / 60 },
      'too_late',
    ],
    ['deadline past', { windowHours: -1 }, 'too_late'],
  ])('%s: held, nothing done', async (_name, options, reason) => {
    await world.open({ alertId: A, ...options });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('HUMAN');
    expect(await holdReason(A)).toBe(reason);
    expectNoEffect();
  });

  it('16 minutes left are enough', async () => {
    await world.open({ alertId: A, windowHours: 16 / 60 });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('a dispute is open: held', async () => {
    world.processor.charge('ch_1').disputed = true;
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await holdReason(A)).toBe('disputed');
    expectNoEffect();
  });

  it('declined: held, falling back to ACCEPT_DISPUTE', async () => {
    world.processor.charge('ch_1').status = 'declined';
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.caseOf(A)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'declined',
      fallback_action: 'ACCEPT_DISPUTE',
      answer_note: 'payment was declined',
    });
    expectNoEffect();
  });

  it('authorised, not captured: voided, and declared so', async () => {
    world.processor.charge('ch_1').status = 'authorised';
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.voids).toEqual(['ch_1']);
    expect(world.processor.calls).toEqual([]);
    expect(world.service.effective(A)).toMatchObject([
      { action: 'REFUND', note: 'authorisation voided' },
    ]);
  });

  it('a void whose reply is lost is found by its charge', async () => {
    world.processor.charge('ch_1').status = 'authorised';
    world.processor.faults.push('lost_after');
    await world.open({ alertId: A });
    await world.pass([worker], 1);
    expect(world.processor.voids).toEqual(['ch_1']);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('the alert is closed already: no call', async () => {
    await world.open({ alertId: A });
    world.service.dashboard(A, 'NOT_REFUNDED');
    await world.open({ alertId: B });
    world.service.dashboard(B, 'INVALID');
    await world.settle([worker]);
    expect(await world.state(A)).toBe('CLOSED_REMOTE');
    expect(await world.state(B)).toBe('CLOSED_INVALID');
    expectNoEffect();
  });

  it('its twin was accepted in the dashboard, and no event has told us: no call (L5)', async () => {
    await world.open({ alertId: A });
    await world.open({ alertId: B, enrolmentType: 'NETB_ALERT', windowHours: 47 });
    world.service.dashboard(A, 'NOT_REFUNDED');
    await world.pass([worker], 0.01);
    expect(await world.state(B)).toBe('HUMAN');
    expect(await holdReason(B)).toBe('another_alert_accepted');
    expect(await world.state(A)).toBe('CLOSED_REMOTE');
    expectNoEffect();
  });

  it('its twin cannot be read: nothing moves until it can', async () => {
    await world.open({ alertId: A });
    await world.open({ alertId: B, enrolmentType: 'NETB_ALERT', windowHours: 47 });
    world.service.unreadable.add(A);
    await world.settle([worker]);
    expect(world.processor.calls).toEqual([]);
    world.service.unreadable.delete(A);
    await world.pass([worker], 0.2);
    expect(await world.state(B)).toBe('DECLARED_REFUND');
    expect(world.processor.calls).toHaveLength(1);
  });

  it('an alert in an unknown status, or unknown to the service: held', async () => {
    await world.open({ alertId: A });
    world.service.alerts.set(A, { ...world.service.alerts.get(A)!, status: 'ESCALATED' });
    await world.open({ alertId: B });
    world.service.alerts.delete(B);
    await world.settle([worker]);
    expect(await holdReason(A)).toBe('alert_status_unknown');
    expect(await holdReason(B)).toBe('alert_missing');
    expectNoEffect();
  });

  it('an RDR alert that was decided by mistake: no call of any kind (I4)', async () => {
    await world.open({ alertId: A, enrolmentType: 'NETB_RDR' });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('CONFLICT');
    expect(await world.notifications('conflict')).toBe(1);
    expectNoEffect();
  });

  it('the processor cannot be asked: waits, then refunds; or is held when time runs out', async () => {
    world.processor.down = true;
    await world.open({ alertId: A });
    await world.pass([worker], 2);
    expect(await world.caseOf(A)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'processor_unavailable',
    });
    world.processor.down = false;
    await world.pass([worker], 1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');

    world.processor.addCharge('ch_2');
    world.processor.down = true;
    await world.open({ alertId: B, chargeReference: 'ch_2', windowHours: 3 });
    await world.pass([worker], 3);
    expect(await world.state(B)).toBe('HUMAN');
    expect(await holdReason(B)).toBe('too_late');
    expect(world.processor.count('ch_2')).toBe(0);
  });

  it('our refund stands at the processor although no row knows it (restored backup): not repeated', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    const { organisationId } = world;
    await world.db
      .deleteFrom('declaration')
      .where('organisation_id', '=', organisationId)
      .execute();
    await world.db.deleteFrom('cover').where('organisation_id', '=', organisationId).execute();
    await world.db.deleteFrom('movement').where('organisation_id', '=', organisationId).execute();
    await world.open({ alertId: B });
    await world.settle([worker]);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(world.service.effective(B)).toMatchObject([{ note: 'refund re_1' }]);
  });

  it('shadow mode does nothing, whatever was decided', async () => {
    world.shadow = true;
    const shadow = world.worker('w2');
    await world.open({ alertId: A });
    await world.open({ alertId: B, decision: 'ACCEPT_DISPUTE' });
    await world.settle([shadow]);
    expect(await holdReason(A)).toBe('shadow_mode');
    expect(await holdReason(B)).toBe('shadow_mode');
    expectNoEffect();
  });

  it('a partial refund at a processor that refuses nothing needs a person', async () => {
    world.processor.caps = { ...world.processor.caps, refusesOverRefund: false };
    await world.open({ alertId: A, amountMinor: 3000, decidedMinor: 3000 });
    await world.settle([worker]);
    expect(await holdReason(A)).toBe('partial_needs_person');
    expectNoEffect();
    world.processor.addCharge('ch_2');
    const charge = { chargeReference: 'ch_2', amountMinor: 3000 };
    await world.open({ alertId: B, ...charge, decidedBy: 'operator:ada' });
    await world.settle([worker]);
    expect(world.processor.ours('ch_2')).toBe(3000);
    expect(await world.state(B)).toBe('DECLARED_REFUND');
  });
});

describe('two alerts on one charge', () => {
  it('one refund, two declarations', async () => {
    await world.open({ alertId: A });
    await world.open({ alertId: B });
    await world.settle([worker, world.worker('w2')]);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(await world.state(B)).toBe('DECLARED_REFUND');
    expect(world.service.effective(A)).toHaveLength(1);
    expect(world.service.effective(B)).toHaveLength(1);
  });

  it('the second comes a day later: nothing is sent, and it is declared with the same refund', async () => {
    await world.open({ alertId: A });
    await world.pass([worker], 24);
    await world.open({ alertId: B });
    await world.settle([worker]);
    expect(world.processor.calls).toHaveLength(1);
    expect(world.service.effective(B)).toMatchObject([{ note: 'refund re_1' }]);
  });

  it('one to accept, one to refund: never both said', async () => {
    await world.open({ alertId: A });
    await world.open({ alertId: B, decision: 'ACCEPT_DISPUTE' });
    await world.pass([worker, world.worker('w2')], 40);
    const said = world.service.patches.filter((patch) => patch.effective);
    const accepted = said.some((patch) => patch.action === 'ACCEPT_DISPUTE');
    expect(accepted && world.processor.count('ch_1') > 0).toBe(false);
    expect(said.length).toBeGreaterThan(0);
  });

  it('accepted first: the other is held, and nothing is refunded', async () => {
    await world.open({ alertId: B, decision: 'ACCEPT_DISPUTE' });
    await world.settle([worker]);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await holdReason(A)).toBe('another_alert_accepted');
    expect(world.processor.calls).toEqual([]);
  });

  it('refunded first: the other is answered with the refund, not with ACCEPT_DISPUTE', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    await world.open({ alertId: B, decision: 'ACCEPT_DISPUTE' });
    await world.settle([worker]);
    expect(world.service.effective(B)).toMatchObject([{ action: 'REFUND', note: 'refund re_1' }]);
  });

  it('the second is about the whole charge, the first about a part: a person says which', async () => {
    await world.open({ alertId: A, amountMinor: 3000, decidedMinor: 3000 });
    await world.settle([worker]);
    await world.open({ alertId: B });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(3000);
    expect(await world.state(B)).toBe('HUMAN');
    expect(await holdReason(B)).toBe('dispute_unclear');
    expect(world.service.effective(B)).toEqual([]);
    expect(await findDeclaration(world.db, world.organisationId, B)).toBeUndefined();
  });
});

describe('daily limits', () => {
  beforeEach(() => {
    for (const n of [2, 3, 4]) world.processor.addCharge(`ch_${n}`);
  });

  it.each([
    ['count', { count: 2 }],
    ['amount', { amountMinor: { EUR: 14_999 } }],
  ])('by %s: two refunds pass, the third is held and can be made later', async (_name, day) => {
    world.settings = {
      ...DEFAULT_REFUND_SETTINGS,
      guards: { ...DEFAULT_REFUND_SETTINGS.guards, caps: { day } },
    };
    const workers = [world.worker('w1'), world.worker('w2')];
    for (const n of [1, 2, 3]) {
      await world.open({ alertId: `netalrt_${n}`, chargeReference: `ch_${n}` });
    }
    await world.settle(workers);
    expect(world.processor.ledger).toHaveLength(2);
    const states = await Promise.all([1, 2, 3].map((n) => world.state(`netalrt_${n}`)));
    expect(states.filter((state) => state === 'HUMAN')).toHaveLength(1);
    world.clock.advanceMs(24 * HOUR_MS + 1);
    await world.open({ alertId: 'netalrt_4', chargeReference: 'ch_4' });
    await world.settle(workers);
    expect(world.processor.count('ch_4')).toBe(1);
  });
});

describe('the service refuses our key', () => {
  it('on reading: nothing is refunded, a person is paged, and work resumes by itself', async () => {
    world.service.getFault = { kind: 'unauthorised', code: 'UNAUTHORISED' };
    await world.open({ alertId: A });
    await world.pass([worker], 0.5);
    expectNoEffect();
    expect(await world.notifications('key_refused')).toBe(1);
    world.service.getFault = undefined;
    await world.pass([worker], 0.5);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('on answering: further refunds stop until answers are taken again', async () => {
    world.service.actFaults.push(...Array.from({ length: 5 }, () => 'unauthorised' as const));
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARE_REFUND');
    world.processor.addCharge('ch_2');
    await world.open({ alertId: B, chargeReference: 'ch_2' });
    await world.settle([worker]);
    expect(world.processor.count('ch_2')).toBe(0);
    await world.pass([worker], 1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(await world.state(B)).toBe('DECLARED_REFUND');
    expect(world.processor.count('ch_1') + world.processor.count('ch_2')).toBe(2);
  });
});

describe('a key that may read but not answer', () => {
  const REFUSED = { kind: 'unauthorised', code: 'FORBIDDEN' } as const;

  async function refusedOnce(): Promise<void> {
    world.service.actFaults.push('unauthorised');
    world.service.standing = REFUSED;
    await world.open({ alertId: A });
    await world.settle([worker]);
    // Nothing is owed any more, so no answer of ours renews what is known of the key.
    world.service.dashboard(A, 'REFUNDED');
    await world.pass([worker], 1);
    world.processor.addCharge('ch_2');
    await world.open({ alertId: B, chargeReference: 'ch_2' });
  }

  it('stops refunds for as long as it is refused, however long', async () => {
    await refusedOnce();
    await world.pass([worker], 5);
    expect(world.processor.count('ch_2')).toBe(0);
    world.service.standing = { kind: 'yes' };
    await world.pass([worker], 1);
    expect(world.processor.count('ch_2')).toBe(1);
    expect(await world.state(B)).toBe('DECLARED_REFUND');
  });

  it('is not believed better because the service could not be asked', async () => {
    await refusedOnce();
    world.service.standing = { kind: 'unavailable', reason: '503' };
    await world.pass([worker], 3);
    expect(world.processor.count('ch_2')).toBe(0);
  });
});

describe('the refused refund', () => {
  const refusals = async (): Promise<(string | null)[]> =>
    (await world.movements()).map((row) => row.failure_class);

  it('for a reason that may pass: tried again under a new key, nothing conceded', async () => {
    world.processor.faults.push('rejects');
    await world.open({ alertId: A, fallback: 'ACCEPT_DISPUTE' });
    await world.settle([worker]);
    expect(await world.caseOf(A)).toMatchObject({ state: 'HUMAN', hold_reason: 'refund_refused' });
    expect(await world.refundState('ch_1')).toBe('REJECTED');
    expect(world.service.patches).toEqual([]);
    await world.pass([worker], 1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(world.processor.calls).toHaveLength(2);
    const [first, second] = world.processor.calls.map((call) => call.idempotencyKey);
    expect(second).not.toBe(first);
    expect(await world.movements()).toHaveLength(1);
  });

  it('again and again: conceded at the fallback’s own moment, never before', async () => {
    world.processor.faults.push(...Array.from({ length: 100 }, () => 'rejects' as const));
    await world.open({ alertId: A, fallback: 'ACCEPT_DISPUTE' });
    // No moment was planned, so it lies at a quarter of the 48 hours before the deadline.
    await world.pass([worker], 35.9);
    expect(world.service.patches).toEqual([]);
    await world.pass([worker], 0.5);
    expect(await world.state(A)).toBe('DECLARED_ACCEPT');
    expect(world.processor.count('ch_1')).toBe(0);
    expect(world.processor.calls.length).toBeGreaterThan(5);
  });

  it('for good: conceded at once only where the rule says so', async () => {
    world.processor.refuses = { code: 'too_old', failureClass: 'final' };
    await world.open({ alertId: A, fallback: 'ACCEPT_DISPUTE' });
    await world.settle([worker]);
    expect(await world.caseOf(A)).toMatchObject({ state: 'HUMAN', hold_reason: 'refund_rejected' });
    expect(await refusals()).toEqual(['final']);
    expect(world.service.patches).toEqual([]);
    world.processor.addCharge('ch_2');
    const conceded = { chargeReference: 'ch_2', whenRefused: 'ACCEPT_DISPUTE' } as const;
    await world.open({ alertId: B, ...conceded });
    await world.settle([worker]);
    expect(await world.state(B)).toBe('DECLARED_ACCEPT');
  });

  it('our own fault, three times in a row: everything stops, and a person is paged', async () => {
    world.processor.refuses = { code: 'bad_credentials', failureClass: 'ours' };
    for (const place of [1, 2, 3, 4]) {
      world.processor.addCharge(`ch_${place}`);
      await world.open({ alertId: `netalrt_${place}`, chargeReference: `ch_${place}` });
      await world.settle([worker]);
    }
    expect(world.processor.calls).toHaveLength(3);
    expect(await holdReason('netalrt_4')).toBe('processor_refuses_us');
    expect(await world.notifications('processor_refuses_us')).toBe(1);
    world.processor.refuses = undefined;
    await world.pass([worker], 2);
    expect(await world.state('netalrt_4')).toBe('DECLARED_REFUND');
    expect(await world.state('netalrt_1')).toBe('DECLARED_REFUND');
    expect(world.processor.count('ch_1')).toBe(1);
    // The first that the processor takes closes it.
    const at = new Date(world.clock.nowMs());
    expect((await readGuardStatus(world.db, world.organisationId, at)).processor).toBeNull();
  });

  it('our own fault, corrected: refunds that a cap stops do not take the turn of one that would be sent', async () => {
    world.processor.refuses = { code: 'bad_credentials', failureClass: 'ours' };
    for (const place of [1, 2, 3]) {
      world.processor.addCharge(`ch_${place}`);
      await world.open({ alertId: `netalrt_${place}`, chargeReference: `ch_${place}` });
      await world.settle([worker]);
    }
    world.processor.refuses = undefined;
    const caps = { hour: { amountMinor: { EUR: 4000 } } };
    const { guards } = DEFAULT_REFUND_SETTINGS;
    world.settings = { ...DEFAULT_REFUND_SETTINGS, guards: { ...guards, caps } };
    const capped = world.worker('capped');
    await world.pass([capped], 0.4);
    expect(await holdReason('netalrt_1')).toBe('hourly_limit');
    world.processor.addCharge('ch_4', { amountMinor: 3000 });
    await world.open({ alertId: 'netalrt_4', chargeReference: 'ch_4', amountMinor: 3000 });
    await world.pass([capped], 1);
    expect(await world.state('netalrt_4')).toBe('DECLARED_REFUND');
  });

  it('our own fault, corrected: what it held continues when a person says so', async () => {
    world.processor.refuses = { code: 'bad_credentials', failureClass: 'ours' };
    for (const place of [1, 2, 3, 4]) {
      world.processor.addCharge(`ch_${place}`);
      await world.open({ alertId: `netalrt_${place}`, chargeReference: `ch_${place}` });
      await world.settle([worker]);
    }
    const { organisationId } = world;
    const now = () => new Date(world.clock.nowMs());
    const status = await readGuardStatus(world.db, organisationId, now());
    expect(status.processor).toMatchObject({ code: 'bad_credentials' });
    world.processor.refuses = undefined;
    const request = { organisationId, operator: 'jane', now: now() };
    expect(await resumeProcessor(world.db, request)).toEqual({ resumed: true, released: 1 });
    expect(await world.state('netalrt_4')).toBe('MATCHED');
    expect((await readGuardStatus(world.db, organisationId, now())).processor).toBeNull();
    expect(await resumeProcessor(world.db, request)).toEqual({ resumed: false, released: 0 });
  });

  it('"already refunded" by somebody else in that very moment: found and declared', async () => {
    world.processor.beforeRefund = () => world.processor.supportRefund('ch_1', 5000);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.count('ch_1')).toBe(0);
    const byKind = (await world.movements()).sort((a, b) => (a.kind < b.kind ? -1 : 1));
    expect(byKind).toMatchObject([
      { kind: 'external', state: 'CONFIRMED', amount_minor: 5000 },
      { kind: 'refund', state: 'REJECTED', failure_class: 'done' },
    ]);
    expect(world.service.effective(A)).toMatchObject([{ note: 'already refunded su_1' }]);
  });

  it('"already refunded" in part only: a person, never ACCEPT_DISPUTE', async () => {
    world.processor.beforeRefund = () => world.processor.supportRefund('ch_1', 1000);
    await world.open({ alertId: A, fallback: 'ACCEPT_DISPUTE' });
    await world.pass([worker], 47);
    expect(await world.state(A)).toBe('HUMAN');
    expect(world.service.patches).toEqual([]);
  });
});

describe('guard time', () => {
  it('an unanswered refund is not sent again when the deadline is too near', async () => {
    world.processor.faults.push('lost_before');
    // 16 minutes: the guard time comes 60 s after the sending, the proof of absence only after 90 s.
    await world.open({ alertId: A, windowHours: 16 / 60 });
    await world.pass([worker], 2);
    expect(world.processor.calls).toHaveLength(1);
    expect(world.processor.count('ch_1')).toBe(0);
    expect(await world.state(A)).toBe('HUMAN');
    expect(await holdReason(A)).toBe('refund_unresolved');
    expect(await world.notifications('refund_unresolved')).toBe(1);
  });
});
