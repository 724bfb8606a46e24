/** Guarantee: a refund whose answer is missing is found or proven absent, and never sent twice. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { lockCharge } from '../../../src/alerts/ledger/ledger.store.ts';
import { findMovement } from '../../../src/alerts/ledger/movement.store.ts';
import { settleIn } from '../../../src/alerts/ledger/settle-movement.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import type { ProcessorRefund } from '../../../src/service/wire/processor.ts';
import type { RefundFault } from '../../crash/support/fake-processor.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const JOINS = 'netalrt_joins';

describe('the reply is missing', () => {
  it.each<[RefundFault]>([['lost_after'], ['throws_after']])(
    '%s: found within seconds, declared, sent once',
    async (fault) => {
      world.processor.faults.push(fault);
      await world.open({ alertId: A });
      await world.settle([worker]);
      expect(await world.refundState('ch_1')).toBe('UNKNOWN');
      expect(world.service.patches).toEqual([]);
      world.clock.advanceMs(2_000);
      await world.settle([worker]);
      expect(await world.state(A)).toBe('DECLARED_REFUND');
      expect(world.processor.calls).toHaveLength(1);
      expect(world.processor.count('ch_1')).toBe(1);
    },
  );

  it('never arrived: sent again with the same key, but not before it is proven absent', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    // 30 s lease, 60 s request life, no lag: proven after 90 s.
    world.clock.advanceMs(90_000);
    await world.settle([worker]);
    expect(world.processor.calls).toHaveLength(1);
    await world.pass([worker], 0.1);
    expect(world.processor.calls).toHaveLength(2);
    expect(world.processor.calls[0]?.idempotencyKey).toBe(world.processor.calls[1]?.idempotencyKey);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('executes late, within its life: found, not repeated (F56)', async () => {
    world.processor.faults.push('late');
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.clock.advanceMs(59_000);
    await world.settle([worker]);
    world.processor.executeLate();
    await world.pass([worker], 1);
    expect(world.processor.calls).toHaveLength(1);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('look-ups lag ten minutes: nothing is sent before that (F50)', async () => {
    world.processor.caps = {
      ...FULL_CAPABILITIES,
      idempotencyTtlHours: 0,
      lookupLagSeconds: 600,
    };
    world.processor.faults.push('lost_after');
    await world.open({ alertId: A });
    await world.pass([worker], 2);
    expect(world.processor.calls).toHaveLength(1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it.each([['with'], ['without']])(
    '%s look-ups: a processor that does not know the charge is another one, and proves nothing',
    async (lookUps) => {
      world.processor.caps = { ...FULL_CAPABILITIES, canLookupByReference: lookUps === 'with' };
      world.processor.faults.push('lost_after');
      await world.open({ alertId: A, fallback: 'ACCEPT_DISPUTE', windowHours: 3 });
      await world.settle([worker]);
      expect(world.processor.count('ch_1')).toBe(1);
      // The settings name another processor from now on.
      const absent = (): Promise<{ kind: 'absent' }> => Promise.resolve({ kind: 'absent' });
      Object.assign(world.processor, { readCharge: absent, findRefund: absent });
      await world.pass([worker], 2.9);
      // Nothing is sent there, and the money that went back is not conceded on top.
      expect(world.processor.calls).toHaveLength(1);
      expect(await world.refundState('ch_1')).toBe('HUMAN');
      expect(await world.notifications('refund_unresolved')).toBe(1);
      expect(world.service.patches).toEqual([]);
    },
  );

  it('look-ups are down beyond the life of the key: a person, before it ends, and no second call (F51)', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.processor.down = true;
    await world.pass([worker], 23.9);
    expect(await world.refundState('ch_1')).toBe('UNKNOWN');
    await world.pass([worker], 0.1);
    expect(await world.refundState('ch_1')).toBe('HUMAN');
    expect(await world.notifications('refund_unresolved')).toBe(1);
    world.processor.down = false;
    await world.pass([worker], 20);
    expect(world.processor.calls).toHaveLength(1);
    expect(await world.state(A)).toBe('HUMAN');
    // Asked again by itself: the request's life was long over, and it is not there.
    expect(await world.movements()).toMatchObject([
      { state: 'REJECTED', failure_code: 'never_executed', failure_class: 'retry' },
    ]);
  });

  it('shown once in another currency: a person, also where it is not found later', async () => {
    const { findRefund, readCharge } = world.processor;
    const inDollars = (refund: ProcessorRefund) => ({ ...refund, currency: 'USD' });
    world.processor.findRefund = async (...asked) => {
      const answer = await findRefund(...asked);
      return answer.kind === 'found' ? { ...answer, value: inDollars(answer.value) } : answer;
    };
    world.processor.readCharge = async (...asked) => {
      const answer = await readCharge(...asked);
      if (answer.kind !== 'found') return answer;
      const refunds = answer.value.refunds.map(inDollars);
      return { ...answer, value: { ...answer.value, refunds } };
    };
    world.processor.faults.push('lost_after');
    await world.open({ alertId: A });
    await world.pass([worker], 1);
    expect(await world.refundState('ch_1')).toBe('HUMAN');
    world.processor.findRefund = () => Promise.resolve({ kind: 'absent' });
    world.processor.ledger.length = 0;
    await world.pass([worker], 24);
    expect(await world.refundState('ch_1')).toBe('HUMAN');
    expect(world.processor.calls).toHaveLength(1);
  });

  it('a held refund of a version without a moment of proof is proven absent all the same', async () => {
    world.processor.faults.push('lost_before');
    world.processor.caps = { ...FULL_CAPABILITIES, idempotencyTtlHours: 1 };
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.processor.down = true;
    await world.pass([worker], 2);
    expect(await world.refundState('ch_1')).toBe('HUMAN');
    await world.db
      .updateTable('movement')
      .set({ proven_at: null })
      .where('organisation_id', '=', world.organisationId)
      .execute();
    world.processor.down = false;
    await world.pass([worker], 1.1);
    expect(await world.refundState('ch_1')).toBe('REJECTED');
  });

  it('a held refund that turns up later is declared after all', async () => {
    world.processor.faults.push('lost_after');
    world.processor.caps = { ...FULL_CAPABILITIES, lookupLagSeconds: 30 * 3_600 };
    await world.open({ alertId: A });
    await world.pass([worker], 25);
    expect(await world.state(A)).toBe('HUMAN');
    await world.pass([worker], 6);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(world.processor.calls).toHaveLength(1);
  });

  it('keys only, no look-up: repeated under the same key while it lives', async () => {
    world.processor.caps = { ...FULL_CAPABILITIES, canLookupByReference: false };
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.pass([worker], 1);
    expect(world.processor.calls).toHaveLength(2);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('neither keys nor look-ups: a person, never a second call', async () => {
    world.processor.caps = {
      ...FULL_CAPABILITIES,
      canLookupByReference: false,
      idempotencyTtlHours: 0,
    };
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.pass([worker], 40);
    expect(world.processor.calls).toHaveLength(1);
    expect(await world.refundState('ch_1')).toBe('HUMAN');
    expect(await world.state(A)).toBe('HUMAN');
  });

  it('the alert is closed meanwhile: not sent again, closed', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.service.dashboard(A, 'NOT_REFUNDED');
    await world.pass([worker], 2);
    expect(world.processor.calls).toHaveLength(1);
    expect(await world.state(A)).toBe('CLOSED_REMOTE');
    expect(await world.refundState('ch_1')).toBe('REJECTED');
  });

  it('support refunds meanwhile: not sent again, declared as already refunded (F57)', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.processor.supportRefund('ch_1', 5000);
    await world.pass([worker], 1);
    expect(world.processor.calls).toHaveLength(1);
    expect(world.service.effective(A)).toMatchObject([{ note: 'already refunded su_1' }]);
    // Until it was proven that ours never executed, the customer might have been paid twice.
    expect(await world.notifications('double_payment')).toBe(1);
    expect(await openFindings()).toEqual([]);
  });

  it('is never answered with ACCEPT_DISPUTE while it is open (I3)', async () => {
    world.processor.caps = { ...FULL_CAPABILITIES, lookupLagSeconds: 60 };
    world.processor.faults.push('lost_after');
    await world.open({ alertId: A });
    await world.settle([worker]);
    await world.open({ alertId: 'netalrt_b', decision: 'ACCEPT_DISPUTE' });
    await world.settle([worker]);
    expect(world.service.patches).toEqual([]);
    expect(await world.caseOf('netalrt_b')).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'refund_under_way',
    });
    await world.pass([worker], 1);
    expect(world.service.effective('netalrt_b')).toMatchObject([{ action: 'REFUND' }]);
  });
});

describe('a pending refund', () => {
  it('is not declared before it settles', async () => {
    world.processor.faults.push('pending');
    await world.open({ alertId: A });
    await world.pass([worker], 1);
    expect(await world.refundState('ch_1')).toBe('PENDING');
    expect(world.service.patches).toEqual([]);
    world.processor.ledger[0]!.status = 'succeeded';
    await world.pass([worker], 1.1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('is told to a person at the guard time, and declared within 30 s of settling until the deadline', async () => {
    world.processor.faults.push('pending');
    await world.open({ alertId: A });
    await world.pass([worker], 47.74);
    expect(await world.notifications('refund_pending_late')).toBe(0);
    await world.pass([worker], 0.02);
    expect(await world.notifications('refund_pending_late')).toBe(1);
    expect(await world.refundState('ch_1')).toBe('PENDING');
    expect(world.service.patches).toEqual([]);
    // Five minutes before the deadline.
    await world.pass([worker], 47 + 55 / 60 - 47.76);
    world.processor.ledger[0]!.status = 'succeeded';
    await world.pass([worker], 30.5 / 3600);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(await world.notifications('refund_pending_late')).toBe(1);
  });

  it('waits beside nothing: another part of the charge is refunded meanwhile (L2)', async () => {
    world.processor.faults.push('pending');
    await world.open({ alertId: A, amountMinor: 2500, decidedMinor: 2500 });
    await world.settle([worker]);
    await world.open({ alertId: 'netalrt_b', amountMinor: 2000, decidedMinor: 2000 });
    await world.settle([worker]);
    expect(await world.state('netalrt_b')).toBe('DECLARED_REFUND');
    expect(world.processor.calls.map((call) => call.amountMinor)).toEqual([2500, 2000]);
    expect(await world.state(A)).toBe('REFUNDING');
  });

  it('is declared at once where the processor says that pending counts', async () => {
    world.processor.caps = { ...FULL_CAPABILITIES, pendingCounts: true };
    world.processor.faults.push('pending');
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    world.processor.ledger[0]!.status = 'failed';
    await world.pass([worker], 2);
    expect(await world.refundState('ch_1')).toBe('REJECTED');
    // One page about the refund, one about the answer that depends on it (L6).
    expect(await world.notifications('refund_reversed')).toBe(2);
    expect(await openFindings()).toEqual([['declared_without_cover', A]]);
  });

  it('of ten days is for a person, once, also where the processor no longer finds it: it was accepted', async () => {
    world.processor.faults.push('pending');
    await world.open({ alertId: A });
    await world.settle([worker]);
    // Ten days ago.
    await world.db
      .updateTable('movement')
      .set({ first_sent_at: sql`first_sent_at - interval '10 days'` })
      .where('organisation_id', '=', world.organisationId)
      .execute();
    await world.pass([worker], 3);
    expect(await world.refundState('ch_1')).toBe('HUMAN');
    const moves = await world.db
      .selectFrom('audit')
      .select('what')
      .where('organisation_id', '=', world.organisationId)
      .where('what', '=', 'refund needs a person')
      .execute();
    expect(moves).toHaveLength(1);
    world.processor.findRefund = () => Promise.resolve({ kind: 'absent' });
    await world.pass([worker], 3);
    expect(await world.refundState('ch_1')).toBe('HUMAN');
    expect(world.processor.calls).toHaveLength(1);
  });

  it('fails: refused like one that was never accepted, and tried again under a new key', async () => {
    world.processor.faults.push('pending');
    await world.open({ alertId: A, fallback: 'ACCEPT_DISPUTE' });
    await world.settle([worker]);
    world.processor.ledger[0]!.status = 'failed';
    await world.pass([worker], 1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    const keys = world.processor.calls.map((call) => call.idempotencyKey);
    expect([keys.length, new Set(keys).size]).toEqual([2, 2]);
    expect(world.processor.ours('ch_1')).toBe(5000);
    expect(await world.notifications('refund_reversed')).toBe(1);
  });
});

describe('a confirmed refund that fails later', () => {
  it('pages a person, finds the answer that depends on it, and is never sent again by itself (F54, L6)', async () => {
    world.processor.caps = { ...FULL_CAPABILITIES, asyncRefunds: true };
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.processor.ledger[0]!.status = 'failed';
    await world.pass([worker], 49);
    expect(await world.refundState('ch_1')).toBe('REVERSED');
    expect(await world.notifications('refund_reversed')).toBe(2);
    expect(await openFindings()).toEqual([['declared_without_cover', A]]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(world.processor.calls).toHaveLength(1);
  });

  it('is made good by a refund that somebody decides for the same dispute: the finding closes', async () => {
    world.processor.caps = { ...FULL_CAPABILITIES, asyncRefunds: true };
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.processor.ledger[0]!.status = 'failed';
    await world.pass([worker], 25);
    expect(await openFindings()).toEqual([['declared_without_cover', A]]);
    await world.open({ alertId: 'netalrt_b', decidedBy: 'operator:ada' });
    await world.pass([worker], 0.5);
    expect(await world.state('netalrt_b')).toBe('DECLARED_REFUND');
    expect(await world.movements()).toMatchObject([{ state: 'REVERSED' }, { state: 'CONFIRMED' }]);
    expect(await openFindings()).toEqual([]);
  });

  it('is noticed a month later, the longest that a bank takes to send it back', async () => {
    world.processor.caps = { ...FULL_CAPABILITIES, asyncRefunds: true };
    await world.open({ alertId: A });
    await world.pass([worker], 24 * 29);
    world.processor.ledger[0]!.status = 'failed';
    await world.pass([worker], 24 * 5);
    expect(await world.refundState('ch_1')).toBe('REVERSED');
    expect(await openFindings()).toEqual([['declared_without_cover', A]]);
  });

  it('is watched daily for ten days, every five for 35, every fifteen for 180, then no more', async () => {
    world.processor.caps = { ...FULL_CAPABILITIES, asyncRefunds: true };
    await world.open({ alertId: A });
    await world.settle([worker]);
    let looks = 0;
    const { findRefund } = world.processor;
    world.processor.findRefund = async (request) => {
      looks += 1;
      return await findRefund(request);
    };
    await world.pass([worker], 24 * 10);
    expect(looks).toBe(10);
    await world.pass([worker], 24 * 25);
    expect(looks).toBe(15);
    await world.pass([worker], 24 * 160);
    expect(looks).toBe(25);
    expect(await world.movements()).toMatchObject([{ state: 'CONFIRMED', next_action_at: null }]);
  });
});

describe('a worker that slept through its lease (SIGSTOP)', () => {
  it.each(['refund.marked_sent', 'refund.cleared'] as const)(
    'woken at %s it sends nothing (F39)',
    async (point) => {
      setCrashHook((name) => {
        if (name === point) world.clock.advanceMs(31_000);
      });
      await world.open({ alertId: A });
      await worker.round();
      setCrashHook(undefined);
      expect(world.processor.calls).toEqual([]);
      expect(await world.refundState('ch_1')).toBe('SENT');
      await world.pass([world.worker('w2')], 1);
      expect(world.processor.count('ch_1')).toBe(1);
      expect(await world.state(A)).toBe('DECLARED_REFUND');
    },
  );

  it('woken after another worker went on, it sends nothing', async () => {
    const gate = createGate();
    setCrashHook((name) => (name === 'refund.marked_sent' ? gate.pass() : undefined));
    await world.open({ alertId: A });
    const asleep = worker.round();
    await gate.reached;
    expect(await world.refundState('ch_1')).toBe('SENT');
    setCrashHook(undefined);
    world.clock.advanceMs(31_000);
    await world.pass([world.worker('w2')], 1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    gate.open();
    await asleep;
    expect(world.processor.calls).toHaveLength(1);
  });

  it('woken while another worker is sending, it sends nothing: one of them has the row', async () => {
    // Neither keys nor refusals help here: only the compare-and-set does.
    world.processor.caps = {
      ...FULL_CAPABILITIES,
      idempotencyTtlHours: 0,
      refusesOverRefund: false,
    };
    const first = createGate();
    let isFirst = true;
    setCrashHook((name) => {
      if (name !== 'refund.marked_sent' || !isFirst) return undefined;
      isFirst = false;
      return first.pass();
    });
    await world.open({ alertId: A });
    const asleep = worker.round();
    await first.reached;
    world.clock.advanceMs(31_000);
    const sending = createGate();
    let isSending = false;
    world.processor.beforeRefund = () => {
      isSending = true;
      return sending.pass();
    };
    const second = world.worker('w2');
    // The missing answer is asked for, and once it is proven absent the request goes out again.
    const rounds = (async () => {
      while (!isSending) {
        await second.round();
        if (!isSending) world.clock.advanceMs(5_000);
      }
    })();
    await sending.reached;
    expect(await world.refundState('ch_1')).toBe('SENT');
    first.open();
    await asleep;
    sending.open();
    await rounds;
    setCrashHook(undefined);
    await world.pass([world.worker('w3')], 1);
    expect(world.processor.calls).toHaveLength(1);
    expect(world.processor.count('ch_1')).toBe(1);
  });

  it('one that joins its charge’s refund in the moment it moves looks again at once', async () => {
    const gate = createGate();
    setCrashHook((name) => (name === 'refund.marked_sent' ? gate.pass() : undefined));
    await world.open({ alertId: A });
    const first = worker.round();
    await gate.reached;
    await world.open({ alertId: JOINS });
    const { organisationId, db } = world;
    const [sent] = await world.movements();
    // Somebody is settling the movement while the other alert has read the charge, and waits for it.
    const moving = await db.startTransaction().execute();
    await lockCharge(moving, { organisationId, chargeReference: 'ch_1' });
    const joining = world.worker('w2').round();
    await somebodyWaits();
    await settleIn(moving, (await findMovement(moving, organisationId, sent!.id))!, {
      settlement: { to: 'UNKNOWN', reason: 'moved' },
      now: nowDate(world.clock),
      asyncRefunds: false,
    });
    await moving.commit().execute();
    await joining;
    // What it had read was older than the move (L9): it read again, and waits for the movement.
    const joined = await world.caseOf(JOINS);
    expect(joined).toMatchObject({ state: 'REFUNDING', movement_id: sent!.id });
    setCrashHook(undefined);
    gate.open();
    await first;
  });

  it('woken before its PATCH it sends none', async () => {
    setCrashHook((name) => {
      if (name === 'declaration.marked_sent') world.clock.advanceMs(31_000);
    });
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    await world.settle([worker]).catch(() => undefined);
    setCrashHook(undefined);
    expect(world.service.patches).toEqual([]);
    await world.pass([world.worker('w2')], 1);
    expect(world.service.effective(A)).toHaveLength(1);
  });
});

/** Findings that are open, and what each is about. */
async function openFindings(): Promise<string[][]> {
  const rows = await world.db
    .selectFrom('finding')
    .select(['kind', 'subject_id'])
    .where('organisation_id', '=', world.organisationId)
    .where('closed_at', 'is', null)
    .execute();
  return rows.map((row) => [row.kind, row.subject_id]);
}

/** Resolves once a statement in this database waits for a lock. */
async function somebodyWaits(): Promise<void> {
  for (let waits = false; !waits; ) {
    const { rows } = await sql<{ waits: boolean }>`
      select exists (select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock') as waits`.execute(
      world.db,
    );
    waits = rows[0]?.waits === true;
  }
}

/** A place where a worker stops until the test lets it continue. Once open it lets everything pass. */
function createGate(): { pass(): Promise<void>; reached: Promise<void>; open(): void } {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    pass() {
      reached.resolve();
      return opened.promise;
    },
    reached: reached.promise,
    open: opened.resolve,
  };
}

/** Few in every run of the suite; `npm run faults` runs the thousand of F40. */
const RACES = Number(process.env['FORESTALL_TEST_RACES'] ?? 60);

describe('races', () => {
  it(`two workers on one alert, ${RACES} times: one refund, one effective answer each (F40)`, async () => {
    const workers = [worker, world.worker('w2')];
    for (let n = 0; n < RACES; n++) {
      world.processor.addCharge(`ch_r${n}`);
      await world.open({ alertId: `netalrt_r${n}`, chargeReference: `ch_r${n}` });
    }
    await world.settle(workers);
    const counts = Array.from({ length: RACES }, (_, n) => world.processor.count(`ch_r${n}`));
    expect(new Set(counts)).toEqual(new Set([1]));
    expect(world.processor.calls).toHaveLength(RACES);
    expect(world.service.patches).toHaveLength(RACES);
    expect(world.service.patches.every((patch) => patch.effective)).toBe(true);
  });

  it('two alerts on each of 50 charges, two workers: one refund each, all declared (F74)', async () => {
    const workers = [worker, world.worker('w2')];
    for (let n = 0; n < 50; n++) {
      world.processor.addCharge(`ch_t${n}`);
      await world.open({ alertId: `netalrt_t${n}a`, chargeReference: `ch_t${n}` });
      await world.open({ alertId: `netalrt_t${n}b`, chargeReference: `ch_t${n}` });
    }
    await world.settle(workers);
    expect(world.processor.calls).toHaveLength(50);
    expect(new Set(world.processor.calls.map((call) => call.chargeReference)).size).toBe(50);
    expect(world.service.patches.filter((patch) => patch.effective)).toHaveLength(100);
  });
});

describe('bounds', () => {
  /** The moments of refund calls, in milliseconds after the world's start. */
  function callMoments(): number[] {
    const moments: number[] = [];
    const startMs = world.clock.nowMs();
    world.processor.beforeRefund = () => void moments.push(world.clock.nowMs() - startMs);
    return moments;
  }

  it('a processor with keys and no look-up that never answers: growing waits, then a person in time', async () => {
    world.processor.caps = {
      ...FULL_CAPABILITIES,
      canLookupByReference: false,
      idempotencyTtlHours: 31 * 24,
    };
    world.processor.faults.push(...Array<RefundFault>(5_000).fill('lost_before'));
    const moments = callMoments();
    await world.open({ alertId: A, windowHours: 12 });
    await world.pass([worker], 1);
    // By hand: at 91 s the request's life is over; then at least 5 minutes, then at least 15 each.
    const waits = moments.slice(1).map((moment, at) => moment - moments[at]!);
    expect(waits[0]).toBeGreaterThan(90_000);
    expect(waits[0]).toBeLessThan(2 * MINUTE_MS);
    expect(waits[1]).toBeGreaterThan(5 * MINUTE_MS);
    for (const wait of waits.slice(2)) expect(wait).toBeGreaterThan(15 * MINUTE_MS);
    await world.pass([worker], 10.7);
    expect(await world.refundState('ch_1')).toBe('UNKNOWN');
    // 12 hours in steps of 15 to 60 minutes, and the first few.
    expect(moments.length).toBeGreaterThan(11);
    expect(moments.length).toBeLessThan(12 * 4 + 4);
    // The guard time is a quarter of an hour before the deadline.
    await world.pass([worker], 0.06);
    expect(await world.refundState('ch_1')).toBe('HUMAN');
    expect(await world.state(A)).toBe('HUMAN');
    expect(await world.notifications('refund_unresolved')).toBe(1);
    expect(world.processor.count('ch_1')).toBe(0);
  });

  it('a decided refund in a processor’s outage: asked a few times in five minutes, sent within 5 minutes after it', async () => {
    world.processor.down = true;
    await world.open({ alertId: A });
    let questions = 0;
    const read = world.processor.readCharge.bind(world.processor);
    world.processor.readCharge = async (reference, signal) => {
      questions += 1;
      return await read(reference, signal);
    };
    await world.pass([worker], 2);
    // 2 hours in rounds of at most five questions within half a minute, every five minutes.
    expect(questions).toBeGreaterThan(24);
    expect(questions).toBeLessThanOrEqual(24 * 5 + 5);
    expect(await world.movements()).toEqual([]);
    world.processor.down = false;
    await world.pass([worker], 0.084);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(world.processor.calls).toHaveLength(1);
  });

  it('a step that fails always is tried with growing waits, and the case stays open', async () => {
    world.processor.capabilities = async () => {
      throw new Error('adapter bug');
    };
    await world.open({ alertId: A, windowHours: 48 });
    await world.settle([worker]);
    const first = await world.caseOf(A);
    expect(first.last_error).toBe('adapter bug');
    expect(first.state).toBe('DECIDED_REFUND');
    await world.pass([worker], 1);
    const later = await world.caseOf(A);
    expect(later.attempts).toBeLessThan(HOUR_MS / (5 * MINUTE_MS) + 40);
    expect(world.processor.calls).toEqual([]);
  });
});
