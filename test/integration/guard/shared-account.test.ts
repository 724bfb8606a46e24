/**
 * Guarantee: two organisations of an installation that share one processor account, each with keys of its own, never
 * both refund one complaint about a charge, whichever of their steps come between each other's, and neither concedes
 * what the other refunds. Shown behind the wall between them.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pauseMoney, resumeMoney } from '../../../src/alerts/guard/pause.store.ts';
import { othersOnCharge } from '../../../src/alerts/guard/shared-account.store.ts';
import { applyOperatorDecision } from '../../../src/alerts/review/apply-operator-decision.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { OpenTestWorld } from '../../../src/running/testing/test-world.ts';
import { createTestWorld } from '../../../src/running/testing/test-world.ts';
import { makeSale, PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const A = 'org_a0000000000000000000000000';
const B = 'org_b0000000000000000000000000';
const POLICY = new URL('../../flow/support/policies/alert-amount.yaml', import.meta.url).pathname;
const MINUTE_MS = 60_000;
/** 9.00 of a charge of 29.00: the processor would refund it twice. */
const PART = { amount_in_cents: 900 };
const ONCE = { count: 1, sumMinor: 900 };

let database: TestDatabase;
let a: OpenTestWorld;
let b: OpenTestWorld;

beforeAll(async () => {
  database = await createTestDatabase();
  const url = new URL(database.connectionString);
  url.searchParams.set('options', '-c role=forestall_app');
  const shared = {
    database: url.href,
    policy: POLICY,
    log: createLog({ level: process.env['FORESTALL_TEST_LOG'] ?? 'silent' }),
  };
  a = await createTestWorld({
    ...shared,
    sandbox: { organisationId: A },
    layers: { sharesAccountWith: () => [B] },
  });
  b = await createTestWorld({
    ...shared,
    sandbox: { organisationId: B },
    // The account of A's sandbox, under the same secret.
    processor: createHttpProcessor({
      baseUrl: a.sandbox.processorUrl,
      secret: 'processor-secret-for-tests',
      clock: a.clock,
    }),
    layers: { sharesAccountWith: () => [A] },
  });
});
afterEach(() => {
  setCrashHook(undefined);
  a.sandbox.faults.clear();
});
afterAll(async () => {
  await a.close();
  await b.close();
  await database.drop();
});

interface Complaint {
  readonly reference: string;
  readonly inA: string;
  readonly inB: string;
}

/** A charge that both sold, and an alert about the same part of it at each. */
async function complain(): Promise<Complaint> {
  const sale = makeSale({ product: PRODUCTS.font }, a.clock.nowMs());
  const { reference } = sale.charge;
  for (const world of [a, b]) {
    world.sandbox.createCharge(sale.charge);
    await world.recordOrder(sale.order);
  }
  const [inA = '', inB = ''] = [a, b].map(
    (world) => world.sandbox.createAlertFor(reference, PART).id,
  );
  return { reference, inA, inB };
}

const outOf = ({ reference }: Complaint) => a.sandbox.moneyOut(reference);
const stateOf = async ({ inA, inB }: Complaint) => [await a.stateOf(inA), await b.stateOf(inB)];

/** Both clocks, and both at work. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await a.advance(MINUTE_MS);
    await b.advance(MINUTE_MS);
  }
}

const bySomebody = (world: OpenTestWorld, operator: string) => ({
  organisationId: world.parts.organisationId,
  operator,
  now: new Date(world.clock.nowMs()),
});

/** Whoever comes to that point first waits there for the other. */
function meetAt(point: string): void {
  let waiting = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  setCrashHook(async (reached) => {
    if (reached !== point) return;
    waiting += 1;
    if (waiting === 2) resolve();
    await promise;
  });
}

describe('two organisations that share a processor account', () => {
  it('wait for the request of the other that has no answer, and take what it moved for theirs', async () => {
    a.sandbox.addFault({ on: 'POST /processor/refunds', kind: 'drop_before', times: 1 });
    const complaint = await complain();
    await a.drain();
    expect(await a.stateOf(complaint.inA)).toBe('REFUNDING');
    await b.drain();
    expect(outOf(complaint).count).toBe(0);
    await pass(8);
    expect(outOf(complaint)).toEqual(ONCE);
    expect(await stateOf(complaint)).toEqual(['DECLARED_REFUND', 'DECLARED_REFUND']);
  });

  it('of two that have both seen nothing refunded, one refunds', async () => {
    const complaint = await complain();
    meetAt('refund.examined');
    await Promise.all([a.drain(), b.drain()]);
    expect(outOf(complaint)).toEqual(ONCE);
    setCrashHook(undefined);
    await pass(8);
    expect(outOf(complaint)).toEqual(ONCE);
    expect(await stateOf(complaint)).toEqual(['DECLARED_REFUND', 'DECLARED_REFUND']);
  });

  it('one whose reading is older than the other’s refund reads again, once it must be shown', async () => {
    const complaint = await complain();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { promise: examined, resolve: told } = Promise.withResolvers<void>();
    setCrashHook(async (point) => {
      if (point !== 'refund.examined') return;
      setCrashHook(undefined);
      told();
      await gate;
    });
    const slow = b.drain();
    await examined;
    await a.drain();
    expect(await a.stateOf(complaint.inA)).toBe('DECLARED_REFUND');
    open();
    await slow;
    expect(outOf(complaint)).toEqual(ONCE);
    await pass(3);
    expect(outOf(complaint)).toEqual(ONCE);
    expect(await b.stateOf(complaint.inB)).toBe('DECLARED_REFUND');
  });

  it('do not concede what the other may be refunding', async () => {
    a.sandbox.addFault({ on: 'POST /processor/refunds', kind: 'drop_before', times: 1 });
    await pauseMoney(b.parts.database.db, { ...bySomebody(b, 'ada'), reason: '' });
    const complaint = await complain();
    await b.drain();
    await a.drain();
    const accepted = await applyOperatorDecision(b.parts.database.db, {
      ...bySomebody(b, 'ada'),
      alertId: complaint.inB,
      action: 'ACCEPT_DISPUTE',
      note: '',
    });
    expect(accepted).toEqual({ ok: true, state: 'DECIDED_ACCEPT' });
    await b.drain();
    expect(await b.stateOf(complaint.inB)).toBe('DECIDED_ACCEPT');
    await pass(8);
    await resumeMoney(b.parts.database.db, bySomebody(b, 'ada'));
    expect(outOf(complaint)).toEqual(ONCE);
    expect(await stateOf(complaint)).toEqual(['DECLARED_REFUND', 'DECLARED_REFUND']);
  });

  it('refund nothing beside what the other has conceded: a person looks', async () => {
    await pauseMoney(a.parts.database.db, { ...bySomebody(a, 'ada'), reason: '' });
    const complaint = await complain();
    await a.drain();
    const decision = { alertId: complaint.inA, action: 'ACCEPT_DISPUTE', note: '' } as const;
    await applyOperatorDecision(a.parts.database.db, { ...bySomebody(a, 'ada'), ...decision });
    await a.drain();
    await resumeMoney(a.parts.database.db, bySomebody(a, 'ada'));
    await b.drain();
    expect(outOf(complaint).count).toBe(0);
    const { rows } = await database.pool.query(
      'select state, hold_reason from alert_case where organisation_id = $1 and alert_id = $2',
      [B, complaint.inB],
    );
    expect(rows).toEqual([{ state: 'HUMAN', hold_reason: 'another_alert_accepted' }]);
  });

  it('of three, what one has refunded long ago does not hide what another has conceded', async () => {
    const [mover, conceder] = [`org_c${'0'.repeat(25)}`, `org_d${'0'.repeat(25)}`];
    const reference = 'ch_of_three';
    await database.pool.query(
      `insert into movement (organisation_id, id, charge_reference, kind, state, alert_id, idempotency_key, amount_minor,
        currency, first_sent_at, sent_at, confirmed_at, created_at, changed_at)
       values ($1, 'mv_of_three', $2, 'refund', 'CONFIRMED', 'netalrt_c', 'key_c', 900, 'EUR', $3, $3, $3, $3, $3)`,
      [mover, reference, '2026-01-01T00:00:00Z'],
    );
    await database.pool.query(
      `with k as (
        insert into alert_case (organisation_id, alert_id, state, charge_reference, opened_at, deadline_at, changed_at)
        values ($1, 'netalrt_d', 'DECLARED_ACCEPT', $2, $3, $3, $3))
       insert into declaration (organisation_id, alert_id, action, note, state, created_at, changed_at)
       values ($1, 'netalrt_d', 'ACCEPT_DISPUTE', '', 'DONE', $3, $3)`,
      [conceder, reference, '2026-01-01T00:00:00Z'],
    );
    const asked = {
      charge: { organisationId: A, chargeReference: reference },
      others: () => [mover, conceder],
      readAtMs: a.clock.nowMs(),
      lookupLagSeconds: 0,
    };
    const found = inTransaction(a.parts.database.db, (trx) => othersOnCharge(trx, asked));
    expect(await found).toEqual({ kind: 'accepted' });
  });

  it('look at a charge one after another, until their transaction ends', async () => {
    const asked = (world: OpenTestWorld, other: string) => ({
      charge: { organisationId: world.parts.organisationId, chargeReference: 'ch_any' },
      others: () => [other],
      readAtMs: undefined,
      lookupLagSeconds: 0,
    });
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { promise: locked, resolve: told } = Promise.withResolvers<void>();
    const first = inTransaction(a.parts.database.db, async (trx) => {
      await othersOnCharge(trx, asked(a, B));
      told();
      await gate;
    });
    await locked;
    let isSecondDone = false;
    const second = inTransaction(b.parts.database.db, async (trx) => {
      await othersOnCharge(trx, asked(b, A));
      isSecondDone = true;
    });
    const standing = async () => {
      const { rows } = await database.pool.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return [isSecondDone, rows[0]?.waiting];
    };
    await expect.poll(standing).toEqual([false, 1]);
    open();
    await Promise.all([first, second]);
    expect(isSecondDone).toBe(true);
  });
});
