/**
 * Guarantee: events of one second about an entity that cannot be polled end in what was told last,
 * whatever order they arrive in: by the envelope's time, then an update over what it updates.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bench } from './harness.ts';
import { event, ORGANISATION, openBench } from './harness.ts';

let bench: Bench;

beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const SECOND = '2026-11-20T11:00:00Z';
const COUNT = 40;

function about(id: string, more: Record<string, unknown>): Record<string, unknown> {
  return { id, organisation_id: ORGANISATION, created_at: SECOND, updated_at: SECOND, ...more };
}

/** Half of the lives arrive in their order, half the other way round; each event in a batch of its own. */
async function live(
  prefix: string,
  steps: readonly ((id: string) => Record<string, unknown>)[],
): Promise<void> {
  const ids = Array.from({ length: COUNT }, (_, index) => `${prefix}${index}`);
  const orders = ids.map((_, index) => (index % 2 === 0 ? steps : [...steps].reverse()));
  for (const step of steps.keys()) {
    await bench.store(...ids.map((id, index) => orders[index]?.[step]?.(id)));
    await bench.drain();
  }
}

async function valuesOf(table: string, column: string, prefix: string): Promise<unknown[]> {
  const { rows } = await sql<{ value: unknown; count: number }>`
    select ${sql.ref(column)} as value, count(*) as count from ${sql.table(table)}
    where id like ${`${prefix}%`} group by 1`.execute(bench.database.db);
  return rows;
}

describe('created and updated within one second', () => {
  it('a representment is not open again', async () => {
    await live('rep_a', [
      (id) => event('representment.created', about(id, { dispute_status: 'OPEN' })),
      (id) => event('representment.updated', about(id, { dispute_status: 'LOST' })),
    ]);
    expect(await valuesOf('representment', 'dispute_status', 'rep_a')).toEqual([
      { value: 'LOST', count: COUNT },
    ]);
  });

  it('a revoked notice stays revoked', async () => {
    await live('schntc_a', [
      (id) => event('scheme_notice.created', about(id, { is_revoked: false })),
      (id) => event('scheme_notice.updated', about(id, { is_revoked: true })),
    ]);
    expect(await valuesOf('scheme_notice', 'is_revoked', 'schntc_a')).toEqual([
      { value: true, count: COUNT },
    ]);
  });
});

it('of two updates the one whose envelope is later stays, to the microsecond', async () => {
  const at = (micros: number) => ({ created_at: `2026-11-20T11:00:00.00000${micros}Z` });
  await live('rep_b', [
    (id) => event('representment.created', about(id, { dispute_status: 'OPEN' }), at(1)),
    (id) => event('representment.updated', about(id, { dispute_status: 'LOST' }), at(2)),
    (id) => event('representment.updated', about(id, { dispute_status: 'OPEN' }), at(3)),
  ]);
  expect(await valuesOf('representment', 'dispute_status', 'rep_b')).toEqual([
    { value: 'OPEN', count: COUNT },
  ]);
});

it("the object's own moment counts more than the envelope's", async () => {
  const newer = { updated_at: '2026-11-20T11:00:01Z' };
  const late = { created_at: '2026-11-20T11:59:00Z' };
  await live('rep_c', [
    (id) => event('representment.updated', about(id, { dispute_status: 'OPEN' }), late),
    (id) => event('representment.created', about(id, { dispute_status: 'LOST', ...newer })),
  ]);
  expect(await valuesOf('representment', 'dispute_status', 'rep_c')).toEqual([
    { value: 'LOST', count: COUNT },
  ]);
});

it('what an older version stored gives way to the next event of its second', async () => {
  await live('rep_d', [
    (id) => event('representment.created', about(id, { dispute_status: 'OPEN' })),
  ]);
  await sql`update representment set told_at = null where id like 'rep_d%'`.execute(
    bench.database.db,
  );
  await live('rep_d', [
    (id) => event('representment.created', about(id, { dispute_status: 'LOST' })),
  ]);
  expect(await valuesOf('representment', 'dispute_status', 'rep_d')).toEqual([
    { value: 'LOST', count: COUNT },
  ]);
});
