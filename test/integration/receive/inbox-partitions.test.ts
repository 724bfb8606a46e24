/**
 * Guarantee: partitions of the inbox are made ahead and dropped in time, by the week, while nobody waits
 * for it: a dump that reads the inbox for an hour holds up neither deliveries nor the night's report.
 */
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureInboxPartitions } from '../../../src/alerts/receive/inbox.store.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { enqueue } from '../../../src/base/jobs/job.store.ts';
import type { LoopSpec } from '../../../src/base/jobs/loop.ts';
import { NIGHT_QUEUE } from '../../../src/base/jobs/queues.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { dropOldBodies } from '../../../src/running/privacy/retention.store.ts';
import { createNightLoop } from '../../../src/running/roles/nightly.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const DAY_MS = 86_400_000;
/** The owner's functions go by the database's clock, so rows are made old instead of the clock new. */
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

let database: TestDatabase;
/** Somebody who reads the whole inbox in one transaction, as a dump does. */
let reader: pg.Client;
/** What a capability does before retention: one step of each night, tried with it. */
let reportsMade = 0;

beforeEach(async () => {
  reportsMade = 0;
  database = await createTestDatabase();
  reader = new pg.Client({ connectionString: database.connectionString });
  await reader.connect();
});
afterEach(async () => {
  await reader.end();
  await database.drop();
});

async function partitions(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from inbox_partitions() order by starts_at`.execute(database.db);
  return rows.map(({ name }) => name);
}

async function store(seq: number, at: Date): Promise<void> {
  await database.pool.query(
    `insert into inbox_event (seq, received_at, organisation_id, event_id, secret_id, signed_at, body)
     values ($1::bigint, $2, 'o', 'e' || $1::bigint, 's', $2, 'b')`,
    [seq, at],
  );
}

async function stored(): Promise<number[]> {
  const { rows } = await sql<{ seq: number }>`select seq from inbox_event order by seq`.execute(
    database.db,
  );
  return rows.map(({ seq }) => seq);
}

/** Acts while the reader's transaction is open. */
async function whileRead<Result>(act: () => Promise<Result>): Promise<Result> {
  await reader.query('begin isolation level repeatable read');
  await reader.query('select count(*) from inbox_event');
  await reader.query('select count(*) from inbox_event_rest');
  const result = await act();
  await reader.query('rollback');
  return result;
}

describe('made', () => {
  it('by the week, a quarter ahead, each once', async () => {
    const now = new Date('2031-12-17T10:00:00Z');
    expect(await ensureInboxPartitions(database.db, now)).toBe(0);
    await ensureInboxPartitions(database.db, now);
    const names = await partitions();
    // 2031-12-15 is a Monday; thirteen weeks later it is the 15th of March.
    expect(names).toHaveLength(14);
    expect([names[0], names[1], names.at(-1)]).toEqual([
      'inbox_event_2031_12_15',
      'inbox_event_2031_12_22',
      'inbox_event_2032_03_15',
    ]);
    await store(1, new Date('2031-12-21T23:59:59.999Z'));
    await store(2, new Date('2031-12-22T00:00:00Z'));
    const { rows } = await sql<{ name: string }>`
      select tableoid::regclass::text as name from inbox_event order by seq`.execute(database.db);
    expect(rows.map(({ name }) => name)).toEqual([
      'inbox_event_2031_12_15',
      'inbox_event_2031_12_22',
    ]);
  });

  it('around the months of an older version', async () => {
    await sql`create table inbox_event_2031_12 partition of inbox_event
      for values from ('2031-12-01T00:00:00Z') to ('2032-01-01T00:00:00Z')`.execute(database.db);
    await ensureInboxPartitions(database.db, new Date('2031-12-31T10:00:00Z'));
    const { rows } = await sql`
      select name, starts_at, ends_at from inbox_partitions() order by starts_at limit 3`.execute(
      database.db,
    );
    expect(rows).toMatchObject([
      { name: 'inbox_event_2031_12' },
      // The rest of the week that had begun in December.
      {
        name: 'inbox_event_2032_01_01',
        starts_at: new Date('2032-01-01T00:00:00Z'),
        ends_at: new Date('2032-01-05T00:00:00Z'),
      },
      { name: 'inbox_event_2032_01_05' },
    ]);
  });

  it('never where rows lie already', async () => {
    await store(1, new Date('2031-12-17T10:00:00Z'));
    expect(await ensureInboxPartitions(database.db, new Date('2031-12-17T11:00:00Z'))).toBe(0);
    expect(await partitions()).not.toContain('inbox_event_2031_12_15');
    expect(await stored()).toEqual([1]);
  });
});

describe('while somebody reads the inbox', () => {
  it('none is made or dropped, nothing fails, and afterwards it is made up for', async () => {
    await sql`select ensure_inbox_partition(${daysAgo(60)}::timestamptz)`.execute(database.db);
    await store(1, daysAgo(60));
    await whileRead(async () => {
      expect(await ensureInboxPartitions(database.db)).toBe(14);
      expect(await dropOldBodies(database.db, new Date())).toEqual({
        partitionsDropped: 0,
        partitionsLeft: 1,
      });
    });
    expect(await stored()).toEqual([1]);
    expect(await ensureInboxPartitions(database.db)).toBe(0);
    expect(await dropOldBodies(database.db, new Date())).toEqual({
      partitionsDropped: 1,
      partitionsLeft: 0,
    });
    expect(await stored()).toEqual([]);
  });

  it('a delivery waits for less than a second', async () => {
    await sql`select ensure_inbox_partition(${daysAgo(60)}::timestamptz)`.execute(database.db);
    await sql`select ensure_inbox_partition(now())`.execute(database.db);
    // Under such a limit a delivery that waited longer would be refused.
    const receiver = new pg.Client({
      connectionString: database.connectionString,
      statement_timeout: 1_000,
    });
    await receiver.connect();
    await whileRead(async () => {
      let isOver = false;
      const upkeep = Promise.all([
        ensureInboxPartitions(database.db),
        dropOldBodies(database.db, new Date()),
      ]).finally(() => {
        isOver = true;
      });
      let seq = 1;
      do {
        await receiver.query(
          `insert into inbox_event (seq, received_at, organisation_id, event_id, secret_id, signed_at, body)
           values ($1, now(), 'o', 'e', 's', now(), 'b')`,
          [seq++],
        );
      } while (!isOver);
      await upkeep;
    });
    await receiver.end();
  });

  /** The loop of the night's work, with its job due. */
  async function night(onLine: (line: string) => void = () => undefined): Promise<LoopSpec> {
    await sql`select ensure_inbox_partition(${daysAgo(60)}::timestamptz)`.execute(database.db);
    const data = { organisationId: 'org_1', id: 'night' };
    await inTransaction(database.db, (trx) => enqueue(trx, NIGHT_QUEUE, data));
    const log = createLog({ destination: { write: onLine } });
    const clock = createFixedClock(Date.now());
    const report = {
      name: 'report',
      run: async () => {
        reportsMade += 1;
        return {};
      },
    };
    return createNightLoop(
      { db: database.db, organisationId: 'org_1', clock, log },
      { ofCapabilities: { beforeRetention: [report], nightly: [] } },
    );
  }

  async function job(): Promise<Record<string, unknown> | undefined> {
    const { rows } = await database.pool.query(
      `select state, retry_count, extract(epoch from start_after - now()) > 30 as later
       from forestall_jobs.job where name = $1`,
      [NIGHT_QUEUE.name],
    );
    return rows[0];
  }

  async function makeDue(): Promise<void> {
    await database.pool.query('update forestall_jobs.job set start_after = now()');
  }

  it('the report is made all the same, and what stays locked is told of in the end', async () => {
    const loop = await night();
    await database.pool.query('alter function drop_old_inbox(timestamptz) rename to gone');
    await database.pool.query('update forestall_jobs.job set retry_limit = 1');
    await whileRead(async () => {
      expect(await loop.runOnce()).toBe(1);
      expect(await database.db.selectFrom('notification').selectAll().execute()).toEqual([]);
      await makeDue();
      expect(await loop.runOnce()).toBe(1);
    });
    // The dead letter.
    expect(await loop.runOnce()).toBe(1);
    expect(await loop.runOnce()).toBe(0);
    const told = await database.db.selectFrom('notification').select(['kind', 'text']).execute();
    expect(told).toEqual([
      {
        kind: 'nightly_failed',
        text: expect.stringContaining('again and again: retention, partitions in use.'),
      },
    ]);
    expect(reportsMade).toBe(2);
  });

  it('ends when told to, continues later, and nobody hears of it', async () => {
    const waiting = Promise.withResolvers<void>();
    const loop = await night((line) => {
      if (line.includes('"step":"retention"')) waiting.resolve();
    });
    const running = loop.runOnce();
    await waiting.promise;
    await loop.finish?.();
    await running;
    expect(await job()).toMatchObject({ state: 'retry' });
    expect(await database.db.selectFrom('notification').select('text').execute()).toEqual([]);
  });

  it('is tried again, a minute later at first, until it is over', async () => {
    const loop = await night();
    await whileRead(async () => {
      expect(await loop.runOnce()).toBe(1);
    });
    expect(await job()).toMatchObject({ state: 'retry', retry_count: 0, later: true });
    expect(await loop.runOnce()).toBe(0);
    await makeDue();
    expect(await loop.runOnce()).toBe(1);
    expect(await job()).toMatchObject({ state: 'completed', retry_count: 1 });
    expect(await partitions()).toHaveLength(14);
  });
});

describe('raw bodies live for at most 30 days', () => {
  it('a week goes before its first row is older, and not while its last one is needed', async () => {
    for (let day = 0; day <= 45; day++) {
      await sql`select ensure_inbox_partition(${daysAgo(day)}::timestamptz)`.execute(database.db);
      await store(day, daysAgo(day));
    }
    await dropOldBodies(database.db, new Date());
    const left = await stored();
    expect(Math.max(...left)).toBeLessThan(30);
    // A week is dropped as a whole: 30 days less the week and the night until then.
    expect(Math.max(...left)).toBeGreaterThanOrEqual(22);
    expect(left).toEqual(Array.from({ length: left.length }, (_, day) => day));
  });

  it('work that was never done keeps its week', async () => {
    await sql`select ensure_inbox_partition(${daysAgo(60)}::timestamptz)`.execute(database.db);
    await store(1, daysAgo(60));
    await sql`insert into inbox_work (seq, received_at, organisation_id, event_id)
      values (1, ${daysAgo(60)}, 'o', 'e1')`.execute(database.db);
    await dropOldBodies(database.db, new Date());
    expect(await stored()).toEqual([1]);
  });
});
