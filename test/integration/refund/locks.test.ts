/** Guarantee: who decides about a charge's money waits for whoever is deciding about it already. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { findCase, moveCase, StaleClaimError } from '../../../src/alerts/cases/case.store.ts';
import { oweDeclaration } from '../../../src/alerts/declare/declaration.store.ts';
import { askAboutCharge } from '../../../src/alerts/ledger/charge-reading.ts';
import { lockCharge, readLedgerMark } from '../../../src/alerts/ledger/ledger.store.ts';
import { findMovement, moveMovement } from '../../../src/alerts/ledger/movement.store.ts';
import {
  claimDueMovements,
  releaseMovement,
} from '../../../src/alerts/ledger/movement-lease.store.ts';
import { insertObserved } from '../../../src/alerts/ledger/observe.store.ts';
import type { OpenContext } from '../../../src/alerts/ledger/with-ledger.ts';
import { openLedger, StaleReadingError } from '../../../src/alerts/ledger/with-ledger.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { createSagaWorld } from '../../crash/support/saga-world.ts';
import { createTestDatabase, useTestDatabase } from '../../support/database.ts';

const database = useTestDatabase();

it('a refund does not pass an ACCEPT_DISPUTE that is being committed on the same charge (I3)', async () => {
  const world = createSagaWorld(database.db);
  const { db, organisationId, clock, processor } = world;
  await world.open({ alertId: 'netalrt_b', decision: 'ACCEPT_DISPUTE' });
  const now = nowDate(clock);
  let working: Promise<number> | undefined;
  await db.transaction().execute(async (trx) => {
    await lockCharge(trx, { organisationId, chargeReference: 'ch_1' });
    await world.open({ alertId: 'netalrt_a' });
    const claim = await findCase(trx, organisationId, 'netalrt_b');
    await moveCase(trx, claim!, {
      to: 'DECLARE_ACCEPT',
      now,
      nextActionAt: new Date(now.getTime() + 60_000),
      what: 'by the test',
    });
    await oweDeclaration(trx, {
      organisationId,
      alertId: 'netalrt_b',
      action: 'ACCEPT_DISPUTE',
      note: 'not refunded',
      movementId: null,
      despiteMinor: 0,
      now,
    });
    working = world.worker('w1').round();
    // Enough round trips for an unhindered worker to refund several times.
    for (let trips = 0; trips < 100; trips++) await world.caseOf('netalrt_a');
    expect(processor.calls).toEqual([]);
  });
  await working;
  await world.pass([world.worker('w1')], 0.1);
  expect(processor.calls).toEqual([]);
  expect((await world.caseOf('netalrt_a')).hold_reason).toBe('another_alert_accepted');
  expect(world.service.effective('netalrt_b')).toHaveLength(1);
});

it('what the processor showed before the ledger changed is written over nothing (L9)', async () => {
  const world = createSagaWorld(database.db);
  const { db, organisationId, clock } = world;
  const charge = { organisationId, chargeReference: 'ch_1' };
  const { deps } = world.worker('w1');
  const read = async (): Promise<Omit<OpenContext, 'charge' | 'samePart' | 'alertId' | 'now'>> => {
    const answer = await askAboutCharge(deps, charge, AbortSignal.timeout(10_000));
    if (answer.kind !== 'read') throw new Error(answer.kind);
    return answer;
  };
  const use = async (reading: Awaited<ReturnType<typeof read>>): Promise<unknown> =>
    await db.transaction().execute((trx) =>
      openLedger(trx, {
        ...reading,
        charge,
        samePart: 'REVIEW',
        alertId: null,
        now: nowDate(clock),
      }),
    );
  const older = await read();
  await use(await read());
  const { version } = await readLedgerMark(db, charge);
  await expect(use(older)).rejects.toThrow(StaleReadingError);
  expect((await readLedgerMark(db, charge)).version).toBe(version);
  await use(await read());
  expect((await readLedgerMark(db, charge)).version).toBe(version + 1);
});

it('who waits for a charge reads what its holder has committed, also where the processor was not asked', async () => {
  const { db, organisationId, clock } = createSagaWorld(database.db);
  const charge = { organisationId, chargeReference: 'ch_waited_for' };
  const now = nowDate(clock);
  const holding = await db.startTransaction().execute();
  await lockCharge(holding, charge);
  const opening = db.transaction().execute((trx) =>
    openLedger(trx, {
      charge,
      reading: undefined,
      capabilities: { asyncRefunds: false, pendingCounts: false },
      samePart: 'REVIEW',
      alertId: null,
      now,
    }),
  );
  for (let waits = false; !waits; ) {
    const { rows } = await sql<{ waits: boolean }>`
      select exists (select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock') as waits`.execute(db);
    waits = rows[0]?.waits === true;
  }
  await insertObserved(holding, {
    charge,
    now,
    kind: 'external',
    state: 'CONFIRMED',
    amountMinor: 500,
    currency: 'USD',
    reference: 're_1',
    from: 'processor',
  });
  await holding.commit().execute();
  expect((await opening).movements).toMatchObject([{ kind: 'external', amountMinor: 500 }]);
});

it('an order feed that fails does not stop the books about money', async () => {
  const own = await createTestDatabase();
  try {
    const world = createSagaWorld(own.db);
    await world.open({ alertId: 'netalrt_a' });
    await own.pool.query('alter table order_nested_reference rename to away');
    await world.settle([world.worker('w1')]);
    expect(await world.refundState('ch_1')).toBe('CONFIRMED');
    expect(await world.state('netalrt_a')).toBe('DECLARED_REFUND');
    expect(await world.notifications('feed_report_failed')).toBe(1);
  } finally {
    await own.drop();
  }
});

it('a refund that moved on since it was read is not moved again (CAS)', async () => {
  const world = createSagaWorld(database.db);
  const { db, organisationId, clock } = world;
  world.processor.faults.push('lost_before');
  await world.open({ alertId: 'netalrt_a' });
  await world.settle([world.worker('w1')]);
  const [stored] = await world.movements();
  const read = await findMovement(db, organisationId, stored!.id);
  const now = nowDate(clock);
  const nextActionAt = new Date(now.getTime() + 60_000);
  const move = { to: 'HUMAN', now, nextActionAt, what: 'by the test' } as const;
  const once = () => db.transaction().execute((trx) => moveMovement(trx, read!, move));
  const replan = () =>
    db.transaction().execute((trx) => moveMovement(trx, read!, { ...move, to: 'UNKNOWN' }));
  const release = () => releaseMovement(db, read!, { attempts: 1, nextActionAt, now });
  expect((await replan()).version).toBe(read!.version + 1);
  await expect(once()).rejects.toThrow(StaleClaimError);
  await expect(release()).rejects.toThrow(StaleClaimError);
  await expect(replan()).rejects.toThrow(StaleClaimError);
  expect(await world.refundState('ch_1')).toBe('UNKNOWN');
});

it('a refund that somebody works on is nobody else’s until the lease is over', async () => {
  const world = createSagaWorld(database.db);
  const { db, organisationId, clock } = world;
  world.processor.faults.push('lost_before');
  await world.open({ alertId: 'netalrt_a' });
  await world.settle([world.worker('w1')]);
  clock.advanceMs(2_000);
  const claim = async (owner: string, isShut = sql<boolean>`false`): Promise<number> => {
    const now = nowDate(clock);
    const lease = { owner, until: new Date(now.getTime() + 30_000) };
    return (await claimDueMovements(db, { organisationId, now, lease, limit: 8, isShut })).length;
  };
  expect(await claim('w1', sql<boolean>`true`)).toBe(0);
  expect(await claim('w1')).toBe(1);
  expect(await claim('w2')).toBe(0);
  clock.advanceMs(29_999);
  expect(await claim('w2')).toBe(0);
  clock.advanceMs(1);
  expect(await claim('w2')).toBe(1);
});
