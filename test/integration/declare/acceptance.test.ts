/**
 * Guarantee: a dispute is accepted only after the processor was asked and while no money stands against it (L5);
 * what stands against it is named, and the policy's plan stays only where that can end by itself.
 */
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { findDeclaration } from '../../../src/alerts/declare/declaration.store.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

const A = 'netalrt_a';
const B = 'netalrt_b';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const acceptance = { alertId: A, decision: 'ACCEPT_DISPUTE' } as const;

const said = (): unknown[] => world.service.patches.map(({ action, note }) => [action, note]);

/** The newest row of the audit log about the case that says `what`. */
async function detailOf(what: string): Promise<unknown> {
  const row = await world.db
    .selectFrom('audit')
    .select('detail')
    .where('organisation_id', '=', world.organisationId)
    .where('alert_id', '=', A)
    .where('what', '=', what)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return row?.detail;
}

/** The policy's decision about the case says this too. */
async function decisionSays(set: Record<string, unknown>): Promise<void> {
  const { numUpdatedRows } = await world.db
    .updateTable('decision')
    .set(set)
    .where('organisation_id', '=', world.organisationId)
    .where('alert_id', '=', A)
    .executeTakeFirstOrThrow();
  expect(numUpdatedRows).toBe(1n);
}

describe('shadow mode', () => {
  it.each(['of the process', 'of the decision'])(
    '%s: nothing is said, a person decides',
    async (whose) => {
      world.shadow = whose === 'of the process';
      worker = world.worker('w2');
      await world.open({ ...acceptance, fallback: 'ACCEPT_DISPUTE' });
      if (!world.shadow) await decisionSays({ shadow: true });
      await world.settle([worker]);
      expect(await world.caseOf(A)).toMatchObject({
        state: 'HUMAN',
        hold_reason: 'shadow_mode',
        fallback_action: null,
      });
      expect(said()).toEqual([]);
    },
  );
});

describe('nothing stands against it', () => {
  it.each<[string, { chargeReference?: string | null }, string]>([
    ['as the charge shows it', {}, 'dispute open already'],
    ['although no charge is known', { chargeReference: null }, 'not refunded'],
    ['although the processor knows none', { chargeReference: 'ch_9' }, 'not refunded'],
  ])('accepted, with a note %s', async (_name, over, note) => {
    world.processor.charge('ch_1').disputed = true;
    await world.open({ ...acceptance, fallback: 'ACCEPT_DISPUTE', ...over });
    await world.settle([worker]);
    const { state, hold_reason, fallback_action, fallback_at } = await world.caseOf(A);
    expect([state, hold_reason, fallback_action, fallback_at]).toEqual([
      'DECLARED_ACCEPT',
      null,
      null,
      null,
    ]);
    expect(await detailOf('no money moved; the answer is owed')).toBeDefined();
    expect(said()).toEqual([['ACCEPT_DISPUTE', note]]);
    expect(await findDeclaration(world.db, world.organisationId, A)).toMatchObject({
      despite_minor: 0,
      movement_id: null,
    });
  });

  it('although nobody knows any more who decided it: as at the last chance before the deadline', async () => {
    await world.open(acceptance);
    await sql`update alert_case set decision_id = null
      where organisation_id = ${world.organisationId}`.execute(world.db);
    await world.settle([worker]);
    expect(said()).toEqual([['ACCEPT_DISPUTE', 'not refunded']]);
  });

  it('but all of it is on its way back, at a processor whose pending refunds count: that is said instead', async () => {
    world.processor.caps = { ...FULL_CAPABILITIES, pendingCounts: true };
    world.processor.supportRefund('ch_1', 5000, 'pending');
    await world.open(acceptance);
    await world.settle([worker]);
    expect(said()).toEqual([['REFUND', 'already refunded su_1']]);
  });

  it('but all of it went back: that is said instead', async () => {
    world.processor.supportRefund('ch_1', 5000);
    await world.open(acceptance);
    await world.settle([worker]);
    expect(said()).toEqual([['REFUND', 'already refunded su_1']]);
    const [movement] = await world.movements();
    expect(await findDeclaration(world.db, world.organisationId, A)).toMatchObject({
      movement_id: movement?.id,
    });
  });
});

it('a refund of a charge that the bank took back becomes one', async () => {
  const { readCharge } = world.processor;
  world.processor.charge('ch_1').disputed = true;
  world.processor.readCharge = async (reference, signal) => {
    const answer = await readCharge(reference, signal);
    return answer.kind === 'found'
      ? { ...answer, value: { ...answer.value, refundableMinor: 0 } }
      : answer;
  };
  await world.open({ alertId: A });
  // What it would have said when it was held before.
  await sql`update alert_case set answer_note = 'payment was declined'
    where organisation_id = ${world.organisationId}`.execute(world.db);
  await world.settle([world.worker('w2')]);
  expect(await detailOf('charged back already')).toBeDefined();
  expect(said()).toEqual([['ACCEPT_DISPUTE', 'already charged back']]);
  expect(world.processor.calls).toEqual([]);
});

describe('money that stands against it (L5)', () => {
  async function ourRefundIsPending(): Promise<void> {
    world.processor.faults.push('pending');
    await world.open({ alertId: B });
    await world.settle([worker]);
  }

  it.each<[string, () => unknown, string, number, boolean]>([
    ['our refund, for its twin', ourRefundIsPending, 'refund_under_way', 5000, true],
    [
      'somebody else’s refund that is pending',
      () => world.processor.supportRefund('ch_1', 5000, 'pending'),
      'refund_pending_elsewhere',
      5000,
      true,
    ],
    [
      'a part that went back, which can only be accepted by a person',
      () => world.processor.supportRefund('ch_1', 1000),
      'part_went_back',
      1000,
      false,
    ],
  ])('%s', async (_name, happens, reason, amountMinor, isPlanKept) => {
    await happens();
    await world.open({ ...acceptance, enrolmentType: 'NETB_ALERT' });
    const fallbackAt = new Date(world.clock.nowMs() + 40 * HOUR_MS);
    await decisionSays({ fallback_action: 'ACCEPT_DISPUTE', fallback_at: fallbackAt });
    await worker.round();
    expect(await world.caseOf(A)).toMatchObject({
      state: 'HUMAN',
      hold_reason: reason,
      fallback_action: isPlanKept ? 'ACCEPT_DISPUTE' : null,
      fallback_at: isPlanKept ? fallbackAt : null,
    });
    const [movement] = await world.movements();
    expect(await detailOf('held for a person')).toEqual({
      reason,
      movement: movement?.id,
      amount_minor: amountMinor,
    });
    expect(world.service.effective(A)).toEqual([]);
  });
});

it('waits for a request without an answer of an organisation that shares the processor account', async () => {
  const other = createSagaWorld(world.db, world);
  Object.assign(worker.deps, { sharesAccountWith: () => [other.organisationId] });
  world.processor.caps = {
    ...FULL_CAPABILITIES,
    canLookupByReference: false,
    idempotencyTtlHours: 0,
  };
  world.processor.faults.push('lost_before');
  await other.open({ alertId: B });
  await other.settle([other.worker('w1')]);
  await world.open(acceptance);
  await worker.round();
  const { state, last_error, next_action_at } = await world.caseOf(A);
  expect(state).toBe('DECIDED_ACCEPT');
  expect(last_error).toContain(other.organisationId);
  expect(next_action_at?.getTime()).toBeGreaterThan(world.clock.nowMs());
  expect(said()).toEqual([]);
});

describe('a person who was told that 10.00 EUR went back', () => {
  async function told(): Promise<void> {
    world.processor.supportRefund('ch_1', 1000);
    await world.open({ alertId: A });
    await world.settle([worker]);
    const answer = await world.say({ action: 'ACCEPT_DISPUTE', despiteMinor: 1000 });
    expect(answer).toMatchObject({ ok: true });
  }

  it('accepts, and a finding names the sum', async () => {
    await told();
    await worker.round();
    expect(await world.state(A)).toBe('DECLARED_ACCEPT');
    expect(await detailOf('accepted although a part went back')).toBeDefined();
    const found = await world.db
      .selectFrom('finding')
      .select(['severity', 'subject', 'subject_id', 'evidence', 'next_step'])
      .where('organisation_id', '=', world.organisationId)
      .where('kind', '=', 'accepted_after_part')
      .executeTakeFirstOrThrow();
    const [movement] = await world.movements();
    expect(found).toMatchObject({
      severity: 'warning',
      subject: 'case',
      subject_id: A,
      evidence: { returned_in_cents: 1000, movement_id: movement?.id },
    });
    expect(found.next_step).toContain('accepted although 10.00 EUR had gone back');
  });

  it('does not where one more went back, or is on its way', async () => {
    await told();
    world.processor.supportRefund('ch_1', 1);
    await worker.round();
    expect(await world.caseOf(A)).toMatchObject({ state: 'HUMAN', hold_reason: 'part_went_back' });
  });

  it('does not where that money failed and less is on its way', async () => {
    await told();
    world.processor.ledger[0]!.status = 'failed';
    world.processor.supportRefund('ch_1', 999, 'pending');
    await worker.round();
    expect(await world.caseOf(A)).toMatchObject({ hold_reason: 'refund_pending_elsewhere' });
  });

  it('accepts without that sum where the money failed meanwhile: nothing is paid twice', async () => {
    await told();
    world.processor.ledger[0]!.status = 'failed';
    await worker.round();
    expect(await world.state(A)).toBe('DECLARED_ACCEPT');
    expect(await findDeclaration(world.db, world.organisationId, A)).toMatchObject({
      action: 'ACCEPT_DISPUTE',
      despite_minor: 0,
    });
    expect(await detailOf('no money moved; the answer is owed')).toBeDefined();
    expect(await world.openFindings()).toEqual([]);
  });

  it('is the only one who can: a policy is not told', async () => {
    world.processor.supportRefund('ch_1', 1000);
    await world.open(acceptance);
    await decisionSays({ despite_minor: 1000 });
    await worker.round();
    expect(await world.caseOf(A)).toMatchObject({ state: 'HUMAN', hold_reason: 'part_went_back' });
  });
});

describe('a process may end', () => {
  /** The moments of one round at which the tests of crashes end it. */
  async function moments(): Promise<string[]> {
    const points: string[] = [];
    setCrashHook((point) => void (point.startsWith('acceptance.') && points.push(point)));
    await world.open(acceptance);
    await worker.round();
    setCrashHook(undefined);
    return points;
  }

  it('once everything was asked, and once the answer is stored', async () => {
    expect(await moments()).toEqual(['acceptance.examined', 'acceptance.stored']);
  });

  it('and not as if it were stored, where it has to wait', async () => {
    world.processor.down = true;
    expect(await moments()).not.toContain('acceptance.stored');
  });
});

describe('while the processor does not answer', () => {
  it('it is asked after at most 4, 8, 16, 32, 64 and then 120 s, and the fifth time a person is told', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(1 - Number.EPSILON);
    try {
      world.processor.down = true;
      await world.open(acceptance);
      const waits: number[] = [];
      const told: number[] = [];
      for (let tries = 0; tries < 7; tries++) {
        await worker.round();
        const next = (await world.caseOf(A)).next_action_at!.getTime();
        waits.push((next - world.clock.nowMs()) / 1_000);
        told.push(await world.notifications('accept_waits'));
        world.clock.setMs(next);
      }
      expect(waits).toEqual([4, 8, 16, 32, 64, 120, 120]);
      expect(told).toEqual([0, 0, 0, 0, 1, 1, 1]);
    } finally {
      random.mockRestore();
    }
    expect((await world.caseOf(A)).last_error).not.toBeNull();
    const notice = await world.db
      .selectFrom('notification')
      .select(['severity', 'alert_id', 'text'])
      .where('organisation_id', '=', world.organisationId)
      .where('kind', '=', 'accept_waits')
      .executeTakeFirstOrThrow();
    expect(notice).toMatchObject({ severity: 'warning', alert_id: A });
    expect(notice.text).toContain(`Alert ${A}, due 2026-03-04 08:00 UTC, is to be accepted`);
  });

  it('a person is told of each alert that waits', async () => {
    world.processor.down = true;
    await world.open(acceptance);
    await world.open({ ...acceptance, alertId: B });
    await world.pass([worker], 0.1);
    expect(await world.notifications('accept_waits')).toBe(2);
  });

  it('at the deadline a person has it, and nothing is planned', async () => {
    world.processor.down = true;
    await world.open(acceptance);
    world.clock.setMs((await world.caseOf(A)).deadline_at.getTime());
    await worker.round();
    expect(await world.caseOf(A)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'processor_unavailable',
      fallback_action: null,
    });
  });
});

describe('a ledger that changed while the processor was asked voids the look (L9)', () => {
  /** The ledger of the charge changes behind so many readings. Answers how many were taken. */
  function changing(times: number): () => number {
    const { readCharge } = world.processor;
    let reads = 0;
    world.processor.readCharge = async (reference, signal) => {
      const answer = await readCharge(reference, signal);
      reads += 1;
      if (reads <= times) {
        await sql`insert into charge_account (organisation_id, charge_reference, version) values (${world.organisationId}, 'ch_1', 7)
          on conflict (organisation_id, charge_reference) do update set version = charge_account.version + 7`.execute(
          world.db,
        );
      }
      return answer;
    };
    return () => reads;
  }

  it('it is asked again at once', async () => {
    const reads = changing(2);
    await world.open(acceptance);
    await world.settle([worker]);
    expect(reads()).toBe(3);
    expect(said()).toEqual([['ACCEPT_DISPUTE', 'not refunded']]);
  });

  it('and behind three in a row: later', async () => {
    const reads = changing(3);
    await world.open(acceptance);
    await worker.round();
    expect(reads()).toBe(3);
    const { state, next_action_at, last_error } = await world.caseOf(A);
    expect(state).toBe('DECIDED_ACCEPT');
    expect(next_action_at?.getTime()).toBeGreaterThan(world.clock.nowMs());
    expect(last_error).not.toBeNull();
    expect(said()).toEqual([]);
    world.clock.advanceMs(5_000);
    await world.settle([worker]);
    expect(said()).toEqual([['ACCEPT_DISPUTE', 'not refunded']]);
  });
});
