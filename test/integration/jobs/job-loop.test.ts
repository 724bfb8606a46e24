/**
 * Guarantee: what is asked for is done though the process that does it dies, and once however many take it; it is
 * asked for with the transaction that does, or not at all; what fails for good comes to a person; and nobody
 * does what another organisation asked for.
 */
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { afterEach, expect, it, vi } from 'vitest';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { readDue } from '../../../src/base/jobs/due.store.ts';
import { enqueue, hasDueJob, takeJob, withBoss } from '../../../src/base/jobs/job.store.ts';
import type { JobResult, JobWork } from '../../../src/base/jobs/job-loop.ts';
import { createJobLoop } from '../../../src/base/jobs/job-loop.ts';
import type { LoopSpec } from '../../../src/base/jobs/loop.ts';
import { BACKTEST_QUEUE } from '../../../src/base/jobs/queues.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { notify } from '../../../src/base/notify/notification.store.ts';
import { useTestDatabase } from '../../support/database.ts';

const QUEUE = BACKTEST_QUEUE;
const clock = createFixedClock('2026-03-12T12:00:00Z');
const test = useTestDatabase();

afterEach(async () => {
  await test.pool.query('delete from forestall_jobs.job; delete from notification');
});

async function ask(id: string, organisationId = 'org_1'): Promise<void> {
  await inTransaction(test.db, (trx) => enqueue(trx, QUEUE, { organisationId, id }));
}

/** A message stands for what a job writes. */
function write(id: string, organisationId = 'org_1'): JobResult {
  return async (trx) => {
    const message = { kind: 'done', severity: 'info', text: id, at: nowDate(clock) } as const;
    await notify(trx, { organisationId, dedupeKey: id, ...message });
  };
}

async function written(): Promise<string[]> {
  const rows = await test.db.selectFrom('notification').select('text').orderBy('text').execute();
  return rows.map(({ text }) => text);
}

function loopOf(work: Partial<JobWork> = {}, organisationId = 'org_1'): LoopSpec {
  const log = createLog({ level: 'silent' });
  return createJobLoop({ db: test.db, clock, log, organisationId }, 'test', {
    queue: QUEUE,
    run: async (id) => write(id, organisationId),
    giveUp: (trx, id, why) => write(`${id}: ${why}`)(trx),
    ...work,
  });
}

/** pg-boss's care, after the worker of each job under way was silent for a minute. */
async function workersDie(): Promise<void> {
  await test.pool.query(`
    update forestall_jobs.job set heartbeat_on = now() - interval '61 s' where state = 'active';
    update forestall_jobs.queue set monitor_claim_on = null, monitor_on = null`);
  const { connectionString } = test;
  const boss = new PgBoss({
    connectionString,
    schema: 'forestall_jobs',
    migrate: false,
    supervise: false,
    schedule: false,
  });
  await boss.start();
  await boss.supervise(QUEUE.name);
  await boss.stop({ graceful: false });
}

async function drain(loop: LoopSpec): Promise<number> {
  let done = 0;
  while ((await loop.runOnce()) > 0) done += 1;
  return done;
}

it('is asked for with its transaction, once while it waits', async () => {
  const undone = inTransaction(test.db, async (trx) => {
    await enqueue(trx, QUEUE, { organisationId: 'org_1', id: 'never' });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  const isDue = [hasDueJob(QUEUE)];
  const scope = () => ({ organisationId: 'org_1', now: nowDate(clock) });
  expect(await readDue(test.db, scope(), isDue)).toEqual([false]);
  await ask('a');
  await ask('a');
  expect(await readDue(test.db, scope(), isDue)).toEqual([true]);
  expect(await drain(loopOf())).toBe(1);
  expect(await written()).toEqual(['a']);
});

it('is done by one of several workers', async () => {
  for (const id of ['a', 'b', 'c']) await ask(id);
  const counts = await Promise.all([loopOf(), loopOf(), loopOf()].map(drain));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
  expect(await written()).toEqual(['a', 'b', 'c']);
});

it('is left to a worker of its organisation, however early it was asked for', async () => {
  await ask('theirs', 'org_2');
  await ask('ours');
  expect(await drain(loopOf())).toBe(1);
  expect(await written()).toEqual(['ours']);
  expect(await drain(loopOf({}, 'org_2'))).toBe(1);
  expect(await written()).toEqual(['ours', 'theirs']);
});

it('whose worker dies is begun again, and nothing of a late worker is written', async () => {
  await ask('a');
  const taken = Promise.withResolvers<void>();
  const dead = Promise.withResolvers<void>();
  const late = loopOf({
    run: async () => {
      taken.resolve();
      await dead.promise;
      return write('late');
    },
  });
  const running = late.runOnce();
  await taken.promise;
  await workersDie();
  expect(await drain(loopOf())).toBe(1);
  dead.resolve();
  await running;
  expect(await written()).toEqual(['a']);
  expect(await drain(loopOf())).toBe(0);
});

it('comes to a person after its last attempt, whether it fails or ends its workers', async () => {
  await ask('fails');
  const failing = loopOf({
    run: async () => {
      throw new Error('no luck');
    },
  });
  // Three attempts, and the dead letter.
  expect(await drain(failing)).toBe(4);
  expect(await written()).toEqual(['fails: no luck']);
  const left = `select name from forestall_jobs.job where state not in ('completed', 'failed')`;
  expect((await test.pool.query(left)).rows).toEqual([]);
  await ask('kills');
  for (let attempt = 0; attempt < 3; attempt++) {
    const where = { queue: QUEUE.name, organisationId: 'org_1' };
    const taken = await withBoss(test.db, (opened) => takeJob(test.db, opened, where));
    expect(taken).toMatchObject({ retryCount: attempt });
    await workersDie();
  }
  expect(await drain(loopOf())).toBe(1);
  expect(await written()).toEqual([
    'fails: no luck',
    'kills: The processes that did it ended each time.',
  ]);
});

it('opens pg-boss once for a job, from taking it to its end, and not at all where there is none', async () => {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const openings = (): number =>
    query.mock.calls.filter(([asked]) =>
      JSON.stringify(asked).includes('from forestall_jobs.version'),
    ).length;
  const loop = loopOf();
  expect([await loop.runOnce(), openings()]).toEqual([0, 0]);
  await ask('a');
  query.mockClear();
  expect([await loop.runOnce(), openings()]).toEqual([1, 1]);
  expect(await written()).toEqual(['a']);
  query.mockRestore();
});

it('under way when the process stops continues elsewhere, with nothing written of it here', async () => {
  await ask('a');
  const taken = Promise.withResolvers<void>();
  const stopping = loopOf({
    run: async (_id, signal) => {
      taken.resolve();
      await new Promise((done) => signal.addEventListener('abort', done));
      return write('half');
    },
  });
  const running = stopping.runOnce();
  await taken.promise;
  await stopping.finish?.();
  await running;
  expect(await stopping.runOnce()).toBe(0);
  expect(await drain(loopOf())).toBe(1);
  expect(await written()).toEqual(['a']);
});

it('is done where its row has no job: asked for by an earlier version, or the jobs were deleted', async () => {
  await ask('b');
  const loop = loopOf({ unfinished: async () => ['a', 'b'] });
  expect(await drain(loop)).toBe(2);
  expect(await written()).toEqual(['a', 'b']);
});

it('lives on when the queue of a job that takes long cannot be looked at meanwhile', async () => {
  // What pg-boss says each minute while it is open and the database is away; without a listener it is thrown.
  await withBoss(test.db, async ({ boss }) => {
    expect(() => boss.emit('error', new Error('server login has been failing'))).not.toThrow();
  });
});
