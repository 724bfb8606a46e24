/** Guarantee: a worker continues with its case only as its holder, and what it writes once is what each step said. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CaseRow } from '../../../src/alerts/cases/case.store.ts';
import { moveCase, StaleClaimError } from '../../../src/alerts/cases/case.store.ts';
import { claimDueCases } from '../../../src/alerts/cases/case-claim.store.ts';
import type { CaseSteps } from '../../../src/alerts/cases/case-runner.ts';
import { createCaseRunner } from '../../../src/alerts/cases/case-runner.ts';
import type { CaseState } from '../../../src/alerts/cases/case-state.ts';
import { writeAudit } from '../../../src/base/audit/audit.store.ts';
import { commitWritesOf, writeLater } from '../../../src/base/db/commit-writes.store.ts';
import { inTransaction, runApart } from '../../../src/base/db/transaction.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { SagaWorld } from '../../crash/support/saga-world.ts';
import { createSagaWorld } from '../../crash/support/saga-world.ts';
import { useTestDatabase } from '../../support/database.ts';

const A = 'netalrt_a';

const database = useTestDatabase();

let world: SagaWorld;
beforeEach(() => {
  world = createSagaWorld(database.db);
});

const seen: CaseRow[] = [];

async function move(claim: CaseRow, to: CaseState): Promise<CaseRow> {
  const now = nowDate(world.clock);
  return await moveCase(world.db, claim, { to, now, nextActionAt: now, what: `to ${to}` });
}

function runner(steps: CaseSteps): ReturnType<typeof createCaseRunner> {
  const { db, clock, organisationId } = world;
  const log = createLog({ level: 'silent' });
  return createCaseRunner({ db, clock, log, organisationId, workerId: 'w1', steps });
}

/** Claims as a worker that begins now. */
async function claimAs(owner: string): Promise<CaseRow[]> {
  return await claimDueCases(world.db, {
    organisationId: world.organisationId,
    now: nowDate(world.clock),
    owner,
    limit: 1,
    leaseMs: 30_000,
    isShut: sql<boolean>`false`,
  });
}

async function auditOf(subjectId: string): Promise<string[]> {
  const rows = await world.db
    .selectFrom('audit')
    .select('what')
    .where('organisation_id', '=', world.organisationId)
    .where('subject_id', '=', subjectId)
    .orderBy('id')
    .execute();
  return rows.map(({ what }) => what);
}

describe('a case that a move leaves due at once', () => {
  it('is gone on with under a lease that begins again, and nobody else gets it in between', async () => {
    await world.open({ alertId: A });
    const others: number[] = [];
    seen.length = 0;
    const note = async (claim: CaseRow): Promise<void> => {
      seen.push(claim);
      others.push((await claimAs('w2')).length);
      world.clock.advanceMs(20_000);
    };
    const steps: CaseSteps = {
      DECIDED_REFUND: async (claim) => {
        await note(claim);
        await move(claim, 'REFUNDING');
      },
      REFUNDING: async (claim) => {
        await note(claim);
        await move(claim, 'DECLARE_REFUND');
      },
      DECLARE_REFUND: async (claim) => {
        await note(claim);
        const now = nowDate(world.clock);
        await moveCase(world.db, claim, { to: 'CLOSED_REMOTE', now, what: 'over' });
      },
    };
    expect(await runner(steps).runOnce()).toBe(1);
    expect(await world.state(A)).toBe('CLOSED_REMOTE');
    expect(others).toEqual([0, 0, 0]);
    expect(seen.map(({ version }) => version - seen[0]!.version)).toEqual([0, 1, 2]);
    const leases = seen.map((row) => row.lease_until!.getTime());
    expect(leases.map((at) => at - leases[0]!)).toEqual([0, 20_000, 40_000]);
  });

  it('is left to whoever took it when its holder slept through the lease', async () => {
    await world.open({ alertId: A });
    const taken: CaseRow[] = [];
    const steps: CaseSteps = {
      DECIDED_REFUND: async (claim) => void (await move(claim, 'REFUNDING')),
      REFUNDING: async (claim) => {
        world.clock.advanceMs(31_000);
        taken.push(...(await claimAs('w2')));
        await move(claim, 'DECLARE_REFUND');
      },
    };
    await runner(steps).runOnce();
    expect(taken).toHaveLength(1);
    expect(await world.caseOf(A)).toMatchObject({ state: 'REFUNDING', lease_owner: 'w2' });
    expect(await auditOf(A)).not.toContain('to DECLARE_REFUND');
  });

  it('is released after a failed step, and after so many steps', async () => {
    await world.open({ alertId: A });
    let steps = 0;
    await runner({
      DECIDED_REFUND: async (claim) => {
        steps += 1;
        await move(claim, 'DECIDED_REFUND');
      },
    }).runOnce();
    expect(steps).toBe(6);
    expect(await world.caseOf(A)).toMatchObject({ lease_owner: null, lease_until: null });
    await runner({
      DECIDED_REFUND: async (claim) => void (await move(claim, 'REFUNDING')),
      REFUNDING: () => Promise.reject(new Error('broken')),
    }).runOnce();
    expect(await world.caseOf(A)).toMatchObject({ state: 'REFUNDING', lease_owner: null });
    expect((await world.caseOf(A)).last_error).toBe('broken');
  });

  it('is given back when the process must stop', async () => {
    await world.open({ alertId: A });
    const reached = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const slots = runner({
      DECIDED_REFUND: async (claim, signal) => {
        reached.resolve();
        signal.addEventListener('abort', () => ended.resolve());
        await ended.promise;
        await move(claim, 'REFUNDING');
      },
      REFUNDING: () => Promise.reject(new Error('gone on with')),
    });
    await slots.runOnce(() => undefined);
    await reached.promise;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let isEnded = false;
    void ended.promise.then(() => {
      isEnded = true;
    });
    const finished = slots.finish();
    // A call to the outside may take ten seconds.
    await vi.advanceTimersByTimeAsync(10_000);
    expect(isEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    vi.useRealTimers();
    await finished;
    expect(await world.caseOf(A)).toMatchObject({
      state: 'REFUNDING',
      lease_owner: null,
      last_error: null,
    });
    expect(await claimAs('w2')).toHaveLength(1);
  });
});

describe('what a transaction writes once', () => {
  const note = async (trx: Parameters<typeof writeAudit>[0], what: string): Promise<void> =>
    await writeAudit(trx, {
      organisationId: world.organisationId,
      at: nowDate(world.clock),
      subject: 'system',
      subjectId: 'once',
      what,
    });
  const fact = (name: string): ReturnType<typeof sql> =>
    sql`insert into fact (organisation_id, name, value, changed_at)
      values (${world.organisationId}, ${name}, '1', ${nowDate(world.clock)})`;
  const facts = async (): Promise<string[]> => {
    const rows = await world.db
      .selectFrom('fact')
      .select('name')
      .where('organisation_id', '=', world.organisationId)
      .orderBy('name')
      .execute();
    return rows.map(({ name }) => name);
  };

  it('stands in the order of its steps', async () => {
    await inTransaction(world.db, async (trx) => {
      await note(trx, 'first');
      await writeLater(trx, fact('later'));
      await note(trx, 'second \ud800');
      expect(await auditOf('once')).toEqual([]);
    });
    expect(await auditOf('once')).toEqual(['first', 'second \ufffd']);
    expect(await facts()).toEqual(['later']);
  });

  it('is written with the move of a case, and not at all when that is stale', async () => {
    await world.open({ alertId: A });
    const [claim] = await claimAs('w1');
    const now = nowDate(world.clock);
    const work = (from: CaseRow) =>
      inTransaction(world.db, async (trx) => {
        await note(trx, 'before the move');
        await moveCase(trx, from, { to: 'REFUNDING', now, nextActionAt: now, what: 'moved' });
        expect(commitWritesOf(trx)?.take().lines).toEqual([]);
      });
    await work(claim!);
    await expect(work(claim!)).rejects.toThrow(StaleClaimError);
    expect(await auditOf('once')).toEqual(['before the move']);
    // Without a transaction a stale move leaves nothing either.
    const beside = {
      fact_row: sql`insert into fact (organisation_id, name, value, changed_at)
      select ${world.organisationId}, 'beside', '1'::jsonb, ${now}::timestamptz from held`,
    };
    const stale = { to: 'HUMAN', now, nextActionAt: now, what: 'stale', beside } as const;
    await expect(moveCase(world.db, claim!, stale)).rejects.toThrow(StaleClaimError);
    expect(await facts()).toEqual([]);
    expect(await auditOf(A)).not.toContain('stale');
  });

  it('leaves out what a part said that failed alone', async () => {
    let attempts = 0;
    await inTransaction(world.db, async (trx) => {
      attempts += 1;
      await note(trx, 'the whole');
      const done = await runApart(trx, async () => {
        await note(trx, 'the part');
        await writeLater(trx, fact('part'));
        await sql`select 1 / 0`.execute(trx);
      });
      expect(done).toBe(false);
      await note(trx, 'the rest');
    });
    expect(attempts).toBe(2);
    expect(await auditOf('once')).toEqual(['the whole', 'the rest']);
    expect(await facts()).toEqual([]);
  });
});
