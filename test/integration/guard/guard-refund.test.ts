/**
 * Guarantee: no refund leaves against the guard rails, whoever decided it and however many workers race
 * for the last place; and money stops the moment the kill switch is on.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lockCase } from '../../../src/alerts/cases/case.store.ts';
import { closeRemote } from '../../../src/alerts/cases/hold-case.ts';
import { closeBreaker, readBreaker } from '../../../src/alerts/guard/breaker.store.ts';
import { customerIdentities } from '../../../src/alerts/guard/customer-identity.ts';
import type { GuardSettings } from '../../../src/alerts/guard/guard-settings.ts';
import { DEFAULT_GUARDS } from '../../../src/alerts/guard/guard-settings.ts';
import { readApprovals } from '../../../src/alerts/guard/guard-status.store.ts';
import { pauseMoney, resumeMoney } from '../../../src/alerts/guard/pause.store.ts';
import { DEFAULT_REFUND_SETTINGS } from '../../../src/alerts/guard/refund-settings.ts';
import { applyOperatorDecision } from '../../../src/alerts/review/apply-operator-decision.ts';
import type { OperatorResult } from '../../../src/alerts/review/operator-decision.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import type { RefundFault } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { answerShown } from '../../support/approvals.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

let test: TestDatabase;
let world: SagaWorld;

beforeAll(async () => {
  test = await createTestDatabase({ maxConnections: 20 });
});
afterAll(async () => {
  await test.drop();
});
beforeEach(() => {
  world = createSagaWorld(test.db);
});

function guard(guards: Partial<GuardSettings>): void {
  world.settings = { ...DEFAULT_REFUND_SETTINGS, guards: { ...DEFAULT_GUARDS, ...guards } };
}

const now = () => new Date(world.clock.nowMs());
const by = (operator: string) => ({
  organisationId: world.organisationId,
  operator,
  now: now(),
});

/** A charge of a customer, and an alert on it decided as a refund. */
async function openFor(
  n: number,
  customer?: { account?: string; email?: string },
): Promise<string> {
  const chargeReference = `ch_${n}`;
  const alertId = `netalrt_${n}`;
  world.processor.addCharge(chargeReference);
  if (customer !== undefined) await recordOrder(chargeReference, customer);
  await world.open({ alertId, chargeReference });
  return alertId;
}

async function recordOrder(
  chargeReference: string,
  customer: { account?: string; email?: string },
): Promise<void> {
  const { organisationId } = world;
  const body = {
    ...(customer.account === undefined ? {} : { customer_account_id: customer.account }),
    ...(customer.email === undefined ? {} : { customer_email: customer.email }),
  };
  await test.db
    .insertInto('order_record')
    .values({
      organisation_id: organisationId,
      integration_id: 'int_1',
      reference_id: `order_${chargeReference}`,
      type: 'COMPLETE',
      state: 'HELD',
      reason: 'for the test',
      submitted: '{}',
      submitted_hash: Buffer.alloc(32),
      body: JSON.stringify(body),
      accepted_at: now(),
      changed_at: now(),
    } as never)
    .execute();
  await test.db
    .insertInto('charge')
    .values({
      organisation_id: organisationId,
      reference: chargeReference,
      order_reference: `order_${chargeReference}`,
      source: 'order',
      amount_minor: 5_000,
      currency: 'EUR',
      known_at: now(),
    })
    .execute();
}

async function holdOf(alertId: string): Promise<string | null> {
  const { state, hold_reason } = await world.caseOf(alertId);
  return state === 'HUMAN' ? hold_reason : state;
}

describe('caps', () => {
  it.each<[string, GuardSettings['caps'], string]>([
    ['charge', { charge: { amountMinor: { EUR: 4_999 } } }, 'charge_limit'],
    ['hour', { hour: { count: 0 } }, 'hourly_limit'],
    ['day', { day: { amountMinor: { EUR: 4_999 } } }, 'daily_limit'],
    ['a currency nobody named', { day: { amountMinor: { USD: 1 } } }, 'currency_unlimited'],
    ['a customer nobody knows', { customer: { count: 9, days: 30 } }, 'customer_unknown'],
  ])('per %s: nothing is sent, and a person is notified why', async (_name, caps, reason) => {
    guard({ caps });
    const alertId = await openFor(2);
    await world.settle([world.worker('w1')]);
    expect(await holdOf(alertId)).toBe(reason);
    expect(world.processor.calls).toEqual([]);
    expect(await world.notifications('case_held')).toBe(1);
  });

  it('hold a person’s decision too', async () => {
    guard({ caps: { charge: { amountMinor: { EUR: 4_999 } } } });
    world.processor.addCharge('ch_2');
    await world.open({ alertId: 'netalrt_2', chargeReference: 'ch_2', decidedBy: 'operator:ada' });
    await world.settle([world.worker('w1')]);
    expect(await holdOf('netalrt_2')).toBe('charge_limit');
    expect(world.processor.calls).toEqual([]);
  });

  it('per customer: by account or by e-mail, and again once the days are over', async () => {
    guard({ caps: { customer: { count: 3, days: 2 } } });
    const worker = world.worker('w1');
    await openFor(1, { account: 'a-1', email: 'Ada@Example.com' });
    await openFor(2, { email: ' ada@example.com' });
    await openFor(3, { account: 'a-2' });
    await world.settle([worker]);
    expect(world.processor.ledger).toHaveLength(3);
    // Three so far that are this customer's by one name or the other; two by either alone.
    await openFor(4, { account: 'a-1' });
    await world.settle([worker]);
    expect(world.processor.count('ch_4')).toBe(1);
    const fourth = await openFor(5, { account: 'a-1', email: 'ada@example.com' });
    await world.settle([worker]);
    expect(await holdOf(fourth)).toBe('customer_limit');
    world.clock.advanceMs(48 * HOUR_MS);
    await openFor(6, { account: 'a-1' });
    await world.settle([worker]);
    expect(world.processor.count('ch_6')).toBe(1);
  });

  it('keep no account id and no address', () => {
    const known = customerIdentities({
      customerAccountId: 'a-1',
      customerEmail: 'ada@example.com',
    });
    expect(known).toHaveLength(2);
    expect(known.join()).not.toMatch(/a-1|ada/);
    expect(customerIdentities({ customerAccountId: ' ', customerEmail: null })).toEqual([]);
  });

  it('are never exceeded, under any interleaving of workers and whatever the processor answers', async () => {
    const faults = fc.constantFrom<RefundFault>(
      'lost_before',
      'lost_after',
      'rejects',
      'pending',
      'throws_after',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 3, maxLength: 8 }),
        fc.array(faults, { maxLength: 4 }),
        fc.record({
          count: fc.integer({ min: 1, max: 5 }),
          eur: fc.integer({ min: 1, max: 12_000 }),
        }),
        async (amounts, planted, most) => {
          world = createSagaWorld(test.db);
          guard({ caps: { hour: { count: most.count, amountMinor: { EUR: most.eur } } } });
          const workers: Worker[] = ['w1', 'w2', 'w3'].map((name) => world.worker(name));
          for (const [n, amountMinor] of amounts.entries()) {
            world.processor.addCharge(`ch_p${n}`, { amountMinor });
            await world.open({
              alertId: `netalrt_p${n}`,
              chargeReference: `ch_p${n}`,
              amountMinor,
            });
          }
          world.processor.faults.push(...planted);
          // Half an hour: lost answers are found and repeated within the same window.
          await world.pass(workers, 0.5);
          const moved = world.processor.ledger.filter(({ status }) => status !== 'failed');
          expect(moved.length).toBeLessThanOrEqual(most.count);
          const sum = moved.reduce((total, { amountMinor }) => total + amountMinor, 0);
          expect(sum).toBeLessThanOrEqual(most.eur);
        },
      ),
      { numRuns: 8, seed: 20_261_121 },
    );
  });
});

describe('the kill switch', () => {
  it('holds what is due for people, and lets it continue when it is off', async () => {
    const worker = world.worker('w1');
    await pauseMoney(test.db, { ...by('ada'), reason: 'odd refunds' });
    await world.open({ alertId: 'netalrt_1' });
    await world.settle([worker]);
    expect(await holdOf('netalrt_1')).toBe('paused');
    expect(world.processor.calls).toEqual([]);
    expect(await world.notifications('paused')).toBe(1);

    expect(await resumeMoney(test.db, by('noor'))).toEqual({ resumed: true, released: 1 });
    expect(await world.state('netalrt_1')).toBe('MATCHED');
    expect(await resumeMoney(test.db, by('noor'))).toEqual({ resumed: false, released: 0 });
  });

  it('keeps the first reason, and a person’s decision', async () => {
    expect(await pauseMoney(test.db, { ...by('ada'), reason: 'first' })).toBe(true);
    expect(await pauseMoney(test.db, { ...by('noor'), reason: 'second' })).toBe(false);
    await world.open({ alertId: 'netalrt_1', decidedBy: 'operator:ada' });
    const worker = world.worker('w1');
    await world.settle([worker]);
    expect(await holdOf('netalrt_1')).toBe('paused');
    await resumeMoney(test.db, by('noor'));
    await world.settle([worker]);
    expect(await world.state('netalrt_1')).toBe('DECLARED_REFUND');
    expect(world.processor.count('ch_1')).toBe(1);
  });

  it.each([
    ['refund.examined', 0],
    // Committed as sent, and stopped right before the call.
    ['refund.marked_sent', 1],
  ] as const)(
    'switched on at %s, between the decision and the call: no call is made',
    async (point, timesSent) => {
      setCrashHook(async (at) => {
        if (at === point) await pauseMoney(test.db, { ...by('ada'), reason: '' });
      });
      await world.open({ alertId: 'netalrt_1' });
      const worker = world.worker('w1');
      await world.settle([worker]);
      setCrashHook(undefined);
      expect(world.processor.calls).toEqual([]);
      expect(await holdOf('netalrt_1')).toBe('paused');
      const sent = await test.db
        .selectFrom('audit')
        .select('id')
        .where('organisation_id', '=', world.organisationId)
        .where('what', '=', 'refund sent')
        .execute();
      expect(sent).toHaveLength(timesSent);
      await resumeMoney(test.db, by('ada'));
      expect(await world.state('netalrt_1')).toBe('MATCHED');
    },
  );

  it('asks for a lost answer, but repeats nothing until it is off', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: 'netalrt_1' });
    const worker = world.worker('w1');
    await world.settle([worker]);
    expect(await world.refundState('ch_1')).toBe('UNKNOWN');
    await pauseMoney(test.db, { ...by('ada'), reason: '' });
    await world.pass([worker], 1);
    expect(world.processor.calls).toHaveLength(1);
    expect(await world.refundState('ch_1')).toBe('UNKNOWN');
    await resumeMoney(test.db, by('ada'));
    await world.pass([worker], 1);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await world.state('netalrt_1')).toBe('DECLARED_REFUND');
  });

  it('leaves a refund that stands to be declared, and an acceptance to be made', async () => {
    world.processor.faults.push('pending');
    await world.open({ alertId: 'netalrt_1' });
    world.processor.addCharge('ch_2');
    const worker = world.worker('w1');
    await world.settle([worker]);
    await pauseMoney(test.db, { ...by('ada'), reason: '' });
    await world.open({ alertId: 'netalrt_2', chargeReference: 'ch_2', decision: 'ACCEPT_DISPUTE' });
    const [entry] = world.processor.ledger;
    Object.assign(entry!, { status: 'succeeded' });
    await world.pass([worker], 1);
    expect(await world.state('netalrt_1')).toBe('DECLARED_REFUND');
    expect(await world.state('netalrt_2')).toBe('DECLARED_ACCEPT');
  });
});

describe('two people', () => {
  beforeEach(() => {
    guard({ approvalAboveMinor: { EUR: 4_999 } });
  });

  async function agree(operator: string, approve = true) {
    return await answerShown(test.db, { ...by(operator), alertId: 'netalrt_1', approve });
  }

  it('are needed for what a policy decided, and must differ', async () => {
    const worker = world.worker('w1');
    await world.open({ alertId: 'netalrt_1' });
    await world.settle([worker]);
    expect(await holdOf('netalrt_1')).toBe('approval_needed');
    expect(await agree('ada')).toEqual({ ok: true, state: 'PENDING', approvers: ['ada'] });
    expect(await agree('Ada ')).toEqual({ ok: false, reason: 'same_person' });
    await world.settle([worker]);
    expect(world.processor.calls).toEqual([]);
    expect(await agree('noor')).toEqual({
      ok: true,
      state: 'APPROVED',
      approvers: ['ada', 'noor'],
    });
    await world.settle([worker]);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await world.state('netalrt_1')).toBe('DECLARED_REFUND');
    expect(await readApprovals(test.db, world.organisationId, 'netalrt_1')).toMatchObject([
      { kind: 'REFUND', state: 'APPROVED', settledBecause: null },
    ]);
    expect(await agree('kofi')).toEqual({ ok: false, reason: 'answered' });
  });

  it('one more is needed for what a person decided, not that person again', async () => {
    const worker = world.worker('w1');
    await world.open({ alertId: 'netalrt_1', decidedBy: 'operator:ada' });
    await world.settle([worker]);
    expect(await agree('ada')).toEqual({ ok: false, reason: 'same_person' });
    expect(await readApprovals(test.db, world.organisationId, 'netalrt_1')).toMatchObject([
      { state: 'PENDING', amountMinor: 5_000, currency: 'EUR', approvers: ['ada'] },
    ]);
    expect(await agree('noor')).toMatchObject({ state: 'APPROVED' });
    await world.settle([worker]);
    expect(world.processor.count('ch_1')).toBe(1);
  });

  it('who share the console’s token are one', async () => {
    await world.open({ alertId: 'netalrt_1', decidedBy: 'operator:console' });
    await world.settle([world.worker('w1')]);
    expect(await agree('api')).toEqual({ ok: false, reason: 'same_person' });
  });

  it('of whom two agree at once count as two, and one who clicks twice as one', async () => {
    await world.open({ alertId: 'netalrt_1' });
    await world.settle([world.worker('w1')]);
    const answers = await Promise.all([agree('ada'), agree('ada'), agree('noor')]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(2);
    expect(answers.filter((answer) => answer.ok && answer.state === 'APPROVED')).toHaveLength(1);
  });

  it('agreed to one amount: another is asked for again', async () => {
    const worker = world.worker('w1');
    await world.open({ alertId: 'netalrt_1' });
    await world.settle([worker]);
    await agree('ada');
    await agree('noor');
    // As if they had agreed to less than what is about to be sent.
    await test.db
      .updateTable('refund_approval')
      .set({ amount_minor: 4_000 })
      .where('alert_id', '=', 'netalrt_1')
      .where('organisation_id', '=', world.organisationId)
      .execute();
    await world.settle([worker]);
    expect(world.processor.count('ch_1')).toBe(0);
    expect(await holdOf('netalrt_1')).toBe('approval_needed');
  });

  const answerOtherwise = async (): Promise<void> =>
    void (await applyOperatorDecision(test.db, {
      ...by('noor'),
      alertId: 'netalrt_1',
      action: 'ACCEPT_DISPUTE',
      note: '',
    }));
  const closeAtService = (): Promise<void> =>
    inTransaction(test.db, async (trx) => {
      const held = await lockCase(trx, world.organisationId, 'netalrt_1');
      await closeRemote(trx, held!, { status: 'INVALID', refundOutcome: null, now: now() });
    });

  it.each([
    ['got another answer', answerOtherwise, 'decided ACCEPT_DISPUTE'],
    ['was withdrawn', closeAtService, 'withdrawn at the service'],
  ])('are asked no longer once the alert %s', async (_how, end, because) => {
    await world.open({ alertId: 'netalrt_1' });
    await world.settle([world.worker('w1')]);
    expect(await world.refundState('ch_1')).toBe('NOT_SENT');
    await end();
    const { organisationId } = world;
    // In the transaction of that very move, before any worker has done anything.
    expect(await readApprovals(test.db, organisationId, 'netalrt_1')).toMatchObject([
      { state: 'OVERTAKEN', settledAt: now(), settledBecause: because },
    ]);
    expect(await agree('ada')).toEqual({ ok: false, reason: 'overtaken' });
    const told = await test.db
      .selectFrom('audit')
      .select(['detail'])
      .where('organisation_id', '=', organisationId)
      .where('what', '=', 'nobody is asked to agree to the refund any more')
      .execute();
    expect(told).toMatchObject([{ detail: { because } }]);
  });

  it('may decline: nothing is sent, and people decide otherwise', async () => {
    const worker = world.worker('w1');
    await world.open({ alertId: 'netalrt_1' });
    await world.settle([worker]);
    expect(await agree('ada', false)).toMatchObject({ ok: true, state: 'DECLINED' });
    expect(await holdOf('netalrt_1')).toBe('approval_declined');
    expect(await agree('noor')).toEqual({ ok: false, reason: 'answered' });
    const accepted: OperatorResult = await applyOperatorDecision(test.db, {
      ...by('noor'),
      alertId: 'netalrt_1',
      action: 'ACCEPT_DISPUTE',
      note: '',
    });
    expect(accepted.ok).toBe(true);
    await world.settle([worker]);
    expect(await world.state('netalrt_1')).toBe('DECLARED_ACCEPT');
    expect(world.processor.calls).toEqual([]);
  });

  it('are not needed up to the amount', async () => {
    guard({ approvalAboveMinor: { EUR: 5_000 } });
    await world.open({ alertId: 'netalrt_1' });
    await world.settle([world.worker('w1')]);
    expect(world.processor.count('ch_1')).toBe(1);
  });

  it('are refused after the deadline', async () => {
    await world.open({ alertId: 'netalrt_1' });
    await world.settle([world.worker('w1')]);
    world.clock.advanceMs(48 * HOUR_MS);
    expect(await agree('ada')).toEqual({ ok: false, reason: 'too_late' });
  });
});

describe('the breaker', () => {
  const breaker = { windowMs: HOUR_MS, usualOverMs: 24 * HOUR_MS, times: 5, atLeast: 50, above: 3 };

  it('turns automatic refunds into reviews, lets people refund, and closes by itself', async () => {
    guard({ breaker });
    const worker = world.worker('w1');
    for (const n of [1, 2, 3]) await openFor(n);
    await world.settle([worker]);
    expect(world.processor.ledger).toHaveLength(3);
    const fourth = await openFor(4);
    await world.settle([worker]);
    expect(await holdOf(fourth)).toBe('breaker_open');
    expect(await world.notifications('breaker_open')).toBe(1);

    await applyOperatorDecision(test.db, {
      ...by('ada'),
      alertId: fourth,
      action: 'REFUND',
      note: '',
    });
    await world.settle([worker]);
    expect(world.processor.count('ch_4')).toBe(1);

    world.clock.advanceMs(HOUR_MS + MINUTE_MS);
    await openFor(5);
    await world.settle([worker]);
    expect(world.processor.count('ch_5')).toBe(1);
    expect((await readBreaker(test.db, world.organisationId))?.opened_at).toBeNull();
  });

  it('closed by a person stays closed for one window', async () => {
    guard({ breaker });
    const worker = world.worker('w1');
    for (const n of [1, 2, 3, 4]) await openFor(n);
    await world.settle([worker]);
    expect(world.processor.ledger).toHaveLength(0);
    const scope = { organisationId: world.organisationId, settings: breaker, now: now() };
    const closed = await test.db.transaction().execute((trx) => closeBreaker(trx, scope, 'ada'));
    expect(closed).toBe(true);
    await openFor(5);
    await world.settle([worker]);
    expect(world.processor.count('ch_5')).toBe(1);
  });

  it('is off when the file says so', async () => {
    guard({ breaker: null });
    for (const n of [1, 2, 3, 4]) await openFor(n);
    await world.settle([world.worker('w1')]);
    expect(world.processor.ledger).toHaveLength(4);
  });
});
