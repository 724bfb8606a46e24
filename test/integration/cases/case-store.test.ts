/** Guarantee: of all who hold a copy of a case, one can move it, and the earliest deadline goes first. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { applySnapshots } from '../../../src/alerts/apply/apply-snapshots.ts';
import type { CaseRow } from '../../../src/alerts/cases/case.store.ts';
import { moveCase, replanCase, StaleClaimError } from '../../../src/alerts/cases/case.store.ts';
import { claimDueCases } from '../../../src/alerts/cases/case-claim.store.ts';
import { postponeCase } from '../../../src/alerts/cases/case-plan.store.ts';
import { wakeCasesOfCharge } from '../../../src/alerts/cases/wake-cases.store.ts';
import { nowDate, nowIso } from '../../../src/base/kernel/clock.ts';
import type { SagaWorld } from '../../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS, STARTS_AT } from '../../crash/support/saga-world.ts';
import { useTestDatabase } from '../../support/database.ts';

const database = useTestDatabase();

let world: SagaWorld;
beforeEach(() => {
  world = createSagaWorld(database.db);
});

async function claim(owner: string, limit = 10): Promise<CaseRow[]> {
  return await claimDueCases(world.db, {
    organisationId: world.organisationId,
    now: nowDate(world.clock),
    owner,
    limit,
    leaseMs: 30_000,
    isShut: sql`false`,
  });
}

async function hold(from: CaseRow): Promise<CaseRow> {
  return await world.db.transaction().execute((trx) =>
    moveCase(trx, from, {
      to: 'HUMAN',
      now: nowDate(world.clock),
      nextActionAt: new Date(world.clock.nowMs() + HOUR_MS),
      what: 'by the test',
    }),
  );
}

describe('a claim', () => {
  it('is of one worker until its lease is over', async () => {
    await world.open({ alertId: 'netalrt_a' });
    expect(await claim('w1')).toHaveLength(1);
    expect(await claim('w2')).toHaveLength(0);
    world.clock.advanceMs(29_999);
    expect(await claim('w2')).toHaveLength(0);
    world.clock.advanceMs(1);
    expect(await claim('w2')).toHaveLength(1);
  });

  it('takes the earliest deadline first, and no more than it may', async () => {
    await world.open({ alertId: 'netalrt_late', windowHours: 48 });
    await world.open({ alertId: 'netalrt_soon', windowHours: 2 });
    await world.open({ alertId: 'netalrt_next', windowHours: 20 });
    const ids = (rows: CaseRow[]) => rows.map(({ alert_id }) => alert_id);
    expect(ids(await claim('w1', 2))).toEqual(['netalrt_soon', 'netalrt_next']);
    expect(ids(await claim('w2', 2))).toEqual(['netalrt_late']);
  });

  it('takes what has expired last, so that it keeps nothing with time left waiting', async () => {
    await world.open({ alertId: 'netalrt_expired', windowHours: 1 });
    await world.open({ alertId: 'netalrt_late', windowHours: 48 });
    await world.open({ alertId: 'netalrt_soon', windowHours: 20 });
    world.clock.advanceMs(HOUR_MS);
    const ids = (rows: CaseRow[]) => rows.map(({ alert_id }) => alert_id);
    expect(ids(await claim('w1', 2))).toEqual(['netalrt_soon', 'netalrt_late']);
    expect(ids(await claim('w2', 2))).toEqual(['netalrt_expired']);
  });

  it('of many workers at once never gives a case to two', async () => {
    for (let n = 0; n < 30; n++) await world.open({ alertId: `netalrt_${n}` });
    const taken = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => claim(owner, 8)));
    const ids = taken.flat().map(({ alert_id }) => alert_id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a stale copy', () => {
  it('can move nothing, replan nothing, postpone nothing, and holds no lease', async () => {
    await world.open({ alertId: 'netalrt_a' });
    const [stale] = await claim('w1');
    world.clock.advanceMs(31_000);
    const [fresh] = await claim('w2');
    const now = nowDate(world.clock);
    await expect(hold(stale!)).rejects.toThrow(StaleClaimError);
    await expect(
      world.db.transaction().execute((trx) => replanCase(trx, stale!, { now, nextActionAt: now })),
    ).rejects.toThrow(StaleClaimError);
    await postponeCase(world.db, stale!, { now, retryAt: new Date(0), error: 'stale' });
    expect(await world.caseOf('netalrt_a')).toMatchObject({
      state: 'DECIDED_REFUND',
      version: fresh!.version,
      last_error: null,
    });
    expect((await hold(fresh!)).state).toBe('HUMAN');
  });

  it('of the same moment: one of two moves wins', async () => {
    await world.open({ alertId: 'netalrt_a' });
    const [row] = await claim('w1');
    const ends = await Promise.allSettled([hold(row!), hold(row!)]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('what comes in while a step runs', () => {
  const ALERT = 'netalrt_a';
  /** The service moves the deadline from 48 h to `hours` after the start, a minute after the claim. */
  async function deadlineMovesTo(hours: number): Promise<void> {
    const alert = world.service.alerts.get(ALERT)!;
    const deadlineMs = Date.parse(STARTS_AT) + hours * HOUR_MS;
    world.clock.advanceMs(1_000);
    await world.db.transaction().execute((trx) =>
      applySnapshots(trx, {
        organisationId: world.organisationId,
        source: 'poll',
        now: nowDate(world.clock),
        snapshots: [
          {
            entity: 'alert',
            eventId: null,
            object: {
              ...alert,
              action_required_deadline: new Date(deadlineMs).toISOString(),
              updated_at: nowIso(world.clock),
            },
          },
        ],
      }),
    );
  }
  const iso = (value: Date | null) => value?.toISOString();

  it('moves a fallback along with its deadline, and is looked at when the step ends', async () => {
    await world.open({ alertId: ALERT });
    const [row] = await claim('w1');
    await deadlineMovesTo(10);
    const held = await world.db.transaction().execute((trx) =>
      moveCase(trx, row!, {
        to: 'HUMAN',
        now: nowDate(world.clock),
        nextActionAt: new Date('2026-03-04T04:00:00.000Z'),
        what: 'by the test',
        // 4 h before the deadline as the step knew it: 2026-03-04T08:00.
        set: { fallback_action: 'ACCEPT_DISPUTE', fallback_at: '2026-03-04T04:00:00.000Z' },
      }),
    );
    // 10 h after 08:00 is 18:00; 4 h before that is 14:00.
    expect(iso(held.deadline_at)).toBe('2026-03-02T18:00:00.000Z');
    expect(iso(held.fallback_at)).toBe('2026-03-02T14:00:00.000Z');
    expect(await claim('w2')).toHaveLength(1);
  });

  it('is a refund of its charge that moved: a held case is looked at again', async () => {
    await world.open({ alertId: ALERT });
    const [row] = await claim('w1');
    await hold(row!);
    world.clock.advanceMs(HOUR_MS);
    const [held] = await claim('w1');
    const now = nowDate(world.clock);
    await world.db
      .transaction()
      .execute((trx) => wakeCasesOfCharge(trx, world.organisationId, { reference: 'ch_1', now }));
    const later = new Date(now.getTime() + HOUR_MS);
    await world.db
      .transaction()
      .execute((trx) => replanCase(trx, held!, { now, nextActionAt: later }));
    expect(await claim('w2')).toHaveLength(1);
  });

  it('is not missed by a look that begins before the refund that moved is stored', async () => {
    await world.open({ alertId: ALERT });
    const now = nowDate(world.clock);
    const charge = { reference: 'ch_1', now };
    const claimed = await world.db.transaction().execute(async (trx) => {
      await wakeCasesOfCharge(trx, world.organisationId, charge);
      // Due, and free: but who claimed it now would read the money as it was before this transaction.
      return await claim('w1');
    });
    expect(claimed).toEqual([]);
    expect(await claim('w1')).toHaveLength(1);
  });

  it('is not lost where the step first stores what it found, and plans afterwards', async () => {
    await world.open({ alertId: ALERT });
    const [row] = await claim('w1');
    await hold(row!);
    world.clock.advanceMs(HOUR_MS);
    const [held] = await claim('w1');
    const now = nowDate(world.clock);
    const charge = { reference: 'ch_1', now };
    await world.db
      .transaction()
      .execute((trx) => wakeCasesOfCharge(trx, world.organisationId, charge));
    const move = { to: 'HUMAN', now, nextActionAt: now, keepLease: true, what: 'stored' } as const;
    const kept = await moveCase(world.db, held!, move);
    await replanCase(world.db, kept, { now, nextActionAt: new Date(now.getTime() + HOUR_MS) });
    expect(await claim('w2')).toHaveLength(1);
  });

  it('is not lost when the step only plans again, or fails', async () => {
    for (const end of ['replan', 'postpone'] as const) {
      await world.open({ alertId: ALERT });
      const [row] = await claim('w1');
      await deadlineMovesTo(end === 'replan' ? 20 : 10);
      const now = nowDate(world.clock);
      const later = new Date(now.getTime() + HOUR_MS);
      if (end === 'postpone') {
        await postponeCase(world.db, row!, { now, retryAt: later, error: 'by the test' });
      } else {
        await world.db
          .transaction()
          .execute((trx) => replanCase(trx, row!, { now, nextActionAt: later }));
      }
      expect(await claim('w2'), end).toHaveLength(1);
      world = createSagaWorld(database.db);
    }
  });

  it('and when nothing came in, the plan stands', async () => {
    await world.open({ alertId: ALERT });
    const [row] = await claim('w1');
    await hold(row!);
    expect(await claim('w2')).toHaveLength(0);
  });
});

describe('a move', () => {
  it('that the table forbids, or that leaves an open case without a plan, is a defect', async () => {
    await world.open({ alertId: 'netalrt_a' });
    const [row] = await claim('w1');
    const now = nowDate(world.clock);
    const move = (to: 'DECLARED_REFUND' | 'HUMAN') =>
      world.db.transaction().execute((trx) => moveCase(trx, row!, { to, now, what: 'x' }));
    await expect(move('DECLARED_REFUND')).rejects.toThrow('cannot go from');
    await expect(move('HUMAN')).rejects.toThrow('without a plan');
  });
});
