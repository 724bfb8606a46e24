/**
 * Guarantee: whoever asks the public listener whether it is ready learns a status and nothing else, costs
 * the workers no connections however often it asks, and has an answer in time whatever the database does.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { beat } from '../../../src/base/jobs/heartbeat.store.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { sharedReadiness } from '../../../src/running/roles/readiness.ts';
import type { OpenTestWorld } from '../../../src/running/testing/test-world.ts';
import { createTestWorld } from '../../../src/running/testing/test-world.ts';
import { useTestDatabase } from '../../support/database.ts';

const database = useTestDatabase();
let world: OpenTestWorld;
let readyz: string;

beforeAll(async () => {
  world = await createTestWorld({ database: database.connectionString });
  readyz = new URL('/readyz', world.webhookUrl).href;
});
afterAll(async () => {
  await world.close();
});

it('200 questions at once take one connection in turn, and all get the same bare status', async () => {
  const { pool } = world.parts.database;
  await vi.waitFor(async () => expect(await listeners()).toBe(1), 5_000);
  // A process that begins to listen looks once for organisations that have moved away.
  await world.parts.residence.refresh();
  let taken = 0;
  let atOnce = 0;
  let most = 0;
  pool.on('acquire', () => {
    taken += 1;
    atOnce += 1;
    most = Math.max(most, atOnce);
  });
  pool.on('release', () => {
    atOnce -= 1;
  });
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const response = await fetch(readyz);
      return [response.status, await response.text()];
    }),
  );
  // No worker has beaten yet: not ready, and that is all there is to learn.
  expect(answers).toEqual(Array.from({ length: 200 }, () => [503, '{"ok":false}']));
  // On a busy machine the answer may have come, as late, before the connection.
  await vi.waitFor(() => expect(taken).toBeGreaterThan(0), 5_000);
  expect(most).toBe(1);
  expect(taken).toBeLessThanOrEqual(12);
  // The next answer is there already.
  const before = taken;
  expect((await fetch(readyz)).status).toBe(503);
  expect(taken).toBe(before);
});

it('F20 a database that does not answer is red within 3 s, and costs no more than one connection', async () => {
  const { pool, db } = world.parts.database;
  const { workerId, organisationId, clock } = world.parts;
  await beat(db, { workerId, organisationId, role: 'work', now: nowDate(clock) });
  await vi.waitFor(async () => expect((await fetch(readyz)).status).toBe(200), 5_000);
  const holder = await pool.connect();
  await holder.query('begin; lock table worker_heartbeat in access exclusive mode');
  try {
    await vi.waitFor(async () => expect((await fetch(readyz)).status).toBe(503), 5_000);
    for (let turn = 0; turn < 3; turn++) {
      const startedAt = performance.now();
      expect((await fetch(readyz)).status).toBe(503);
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    }
    // It answers other questions: nobody is told that the database is away, or its disk full.
    const { ok, parts } = await sharedReadiness(world.parts)();
    expect({ ok, parts }).toMatchObject({
      ok: false,
      parts: [
        { name: 'database', status: 'warning', detail: expect.stringMatching(/^it answers/) },
      ],
    });
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
    expect(rows[0]?.waiting).toBeLessThanOrEqual(2);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  await vi.waitFor(async () => expect((await fetch(readyz)).status).toBe(200), 5_000);
});

it('a database that gives no first answer is named as such', async () => {
  const { pool } = world.parts.database;
  // Every connection is taken: nothing is asked at all.
  const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  try {
    const { parts } = await sharedReadiness(world.parts)();
    expect(parts).toMatchObject([
      { name: 'database', status: 'failed', detail: 'does not answer' },
    ]);
  } finally {
    for (const client of taken) client.release();
  }
});

/** Connections that listen, and have said so. */
async function listeners(): Promise<number | undefined> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state = 'idle' and query ilike 'listen %'`.execute(
    database.db,
  );
  return rows[0]?.count;
}
