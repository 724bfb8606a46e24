/** Guarantee: of a backlog each lane has a part of the list for itself, so that none waits for what another has not committed. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { APPLY_BATCH } from '../../../src/alerts/apply/apply.job.ts';
import { divideWork } from '../../../src/alerts/receive/inbox-work.store.ts';
import type { Bench } from './harness.ts';
import { event, ORGANISATION, openBench } from './harness.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(async () => bench.close());

/** The first batch is taken alone; each of three lanes then has a part of three batches. */
const PART = 3 * APPLY_BATCH;
const EVENTS = APPLY_BATCH + 3 * PART;

/** Entities of a part: each of its batches is about all of them. */
const ENTITIES = 50;

/** Stored one flush after the other: their places on the list are their order here. */
async function storeInOrder(events: readonly unknown[]): Promise<void> {
  for (let from = 0; from < events.length; from += 250) {
    const some = events.slice(from, from + 250);
    const ordered = some.map((each, place) => ({
      ...Object(each),
      id: `evt_${String(from + place).padStart(6, '0')}`,
    }));
    await bench.store(...ordered);
  }
}

const waiting = async (): Promise<number> =>
  Number(
    (await sql<{ n: number }>`select count(*) as n from inbox_work`.execute(bench.database.db))
      .rows[0]?.n,
  );

it('a lane that is held up holds up no other, although its batches are about the same entities', async () => {
  const enrolment = (name: string) =>
    event('enrolment.updated', {
      id: `enrl_${name}`,
      organisation_id: ORGANISATION,
      status: 'ENABLED',
      updated_at: '2026-11-20T11:00:00Z',
    });
  const partAt = (place: number): number => Math.ceil((place + 1 - APPLY_BATCH) / PART);
  const nameAt = (place: number): string => `${partAt(place)}_${place % ENTITIES}`;
  await storeInOrder(Array.from({ length: EVENTS }, (_, place) => enrolment(nameAt(place))));
  const { pool } = bench.database;
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query(
    `insert into enrolment (organisation_id, id, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
     values ($1, 'enrl_1_0', now(), '{}', '\\x00', 'poll', now(), now())`,
    [ORGANISATION],
  );
  const drained = bench.applier.drainOnce();
  try {
    await expect.poll(waiting, { timeout: 30_000 }).toBe(PART);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect(await drained).toBe(EVENTS);
  expect(await waiting()).toBe(0);
  const { rows } = await sql<{ known: number; told: number }>`
    select (select count(*) from enrolment) as known, (select count(*) from entity_change) as told`.execute(
    bench.database.db,
  );
  expect(rows[0]).toEqual({ known: 4 * ENTITIES, told: 4 * ENTITIES });
}, 120_000);

it('the list is divided into parts of the same length, one after the other, and into fewer where it is short', async () => {
  const { db } = bench.database;
  const division = { limit: 40, parts: 3, partMin: 5 };
  expect(await divideWork(db, ORGANISATION, division)).toEqual([]);
  await sql`insert into inbox_work (seq, received_at, organisation_id, event_id)
    select n * 512, now(), case when n % 2 = 0 then ${ORGANISATION} else 'org_other' end, 'evt_' || n
    from generate_series(1, 18) as n`.execute(db);
  // Nine are ours: of two parts one has four, the other five.
  expect(await divideWork(db, ORGANISATION, division)).toEqual([
    { after: 0, upTo: 8 * 512 },
    { after: 8 * 512, upTo: 18 * 512 },
  ]);
  expect(await divideWork(db, ORGANISATION, { ...division, limit: 3 })).toEqual([
    { after: 0, upTo: 6 * 512 },
  ]);
  expect(await divideWork(db, ORGANISATION, { ...division, partMin: 1 })).toEqual([
    { after: 0, upTo: 6 * 512 },
    { after: 6 * 512, upTo: 12 * 512 },
    { after: 12 * 512, upTo: 18 * 512 },
  ]);
});
