/**
 * Guarantee: people are notified before evidence is due, by the moment that the service tells and no other: once for
 * each alarm, until something is noted as sent.
 */
import { beforeEach, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createRepresentments } from '../../../src/capabilities/representments/representments.job.ts';
import { ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const DUE = '2026-04-10T12:00:00Z';
const HOUR_MS = 3_600_000;

const test = useTestDatabase();

beforeEach(async () => {
  for (const table of ['representment', 'representment_pack', 'notification'] as const) {
    await test.db.deleteFrom(table).execute();
  }
});

async function dispute(status: string | null, due: string | null = DUE): Promise<void> {
  await test.db
    .insertInto('representment')
    .values({
      organisation_id: ORG,
      id: 'rep_1',
      dispute_status: status,
      dispute_due_by: due,
      updated_at: DUE,
      snapshot: '{}',
      snapshot_hash: Buffer.from('00', 'hex'),
      source: 'webhook',
      first_seen_at: DUE,
      changed_at: DUE,
    })
    .execute();
}

/** What people are notified when the worker looks at these hours from the due moment. */
async function toldAt(...hours: readonly number[]): Promise<string[]> {
  for (const each of hours) {
    const clock = createFixedClock(new Date(Date.parse(DUE) + each * HOUR_MS).toISOString());
    await createRepresentments({ db: test.db, clock, organisationId: ORG }).runOnce();
  }
  const rows = await test.db
    .selectFrom('notification')
    .select(['severity', 'text', 'dedupe_key'])
    .where('kind', '=', 'evidence_due')
    .orderBy('id')
    .execute();
  return rows.map(({ severity, dedupe_key: key }) => `${severity} ${key.split(':').at(-1)}`);
}

it('at 7 days, 3 days, 24 hours, and when it has passed, once each', async () => {
  await dispute('OPEN');
  expect(await toldAt(-169)).toEqual([]);
  const all = ['info 7d', 'warning 3d', 'error 24h', 'error over'];
  for (const [count, moment, later] of [
    [1, -168, [-100, -72.01]],
    [2, -72, [-30, -24.01]],
    [3, -24, [-1, -0.01]],
    [4, 0, [1, 100]],
  ] as const) {
    expect(await toldAt(moment)).toEqual(all.slice(0, count));
    expect(await toldAt(...later)).toEqual(all.slice(0, count));
  }
});

it('at once, and by the nearest alarm alone, where it is learnt late', async () => {
  await dispute('OPEN');
  expect(await toldAt(-5)).toEqual(['error 24h']);
});

it('again when the service tells another moment', async () => {
  await dispute('OPEN');
  expect(await toldAt(-20)).toEqual(['error 24h']);
  await test.db
    .updateTable('representment')
    .set({ dispute_due_by: '2026-04-12T12:00:00Z' })
    .execute();
  expect(await toldAt(-19)).toEqual(['error 24h', 'warning 3d']);
});

it.each([
  ['NEEDS_RESPONSE', 1],
  [null, 1],
  ['LOST', 0],
  ['WON', 0],
])('where the status is %s: %i message', async (status, count) => {
  await dispute(status);
  expect(await toldAt(-5)).toHaveLength(count);
});

it('never where no moment was told: none is computed', async () => {
  await dispute('OPEN', null);
  expect(await toldAt(-200, 0, 200)).toEqual([]);
});

it('no more once something is noted as sent', async () => {
  await dispute('OPEN');
  await test.db
    .insertInto('representment_pack')
    .values({
      organisation_id: ORG,
      representment_id: 'rep_1',
      version: 1,
      reason_code: '13.1',
      pack_rule: '13.1',
      content_hash: 'h',
      cited: '[]',
      missing: '[]',
      sent_at: DUE,
      sent_by: 'ada',
    })
    .execute();
  expect(await toldAt(-70, -5, 1)).toEqual([]);
});
