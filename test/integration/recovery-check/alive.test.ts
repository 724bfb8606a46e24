/**
 * Guarantee: a sign of life is written in one statement only where nothing speaks for lost time: the same
 * database, as far as it tells about itself, and nothing forgotten of what this process wrote last.
 */
import { beforeEach, expect, test } from 'vitest';
import { readIdentity } from '../../../src/alerts/guard/database-identity.store.ts';
import {
  extendAlive,
  readAlive,
  writeAlive,
} from '../../../src/alerts/guard/recovery-check.store.ts';
import { beginRecoveryCheck } from '../../../src/alerts/recovery-check/begin-recovery-check.ts';
import { createRecoveryCheck } from '../../../src/alerts/recovery-check/recovery-check.job.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { withLocalLoops } from '../../../src/base/jobs/wake.store.ts';
import { createSagaWorld } from '../../crash/support/saga-world.ts';
import { useTestDatabase } from '../../support/database.ts';

const NOON_MS = Date.parse('2026-11-20T12:00:00Z');
const ORGANISATION = 'org_alive';
const database = useTestDatabase();

/** What stands in the row before: written at noon to this database. */
async function written(change: { identity?: string; kind?: 'full' | 'objects' } = {}) {
  const kind = change.kind ?? 'full';
  const identity = change.identity ?? (await readIdentity(database.db, kind));
  const sign = { kind, identity, atMs: NOON_MS };
  await inTransaction(database.db, (trx) => writeAlive(trx, ORGANISATION, sign));
}
beforeEach(() => written());

const extend = (sign: { wroteMs: number; nowMs: number; kind?: 'full' | 'objects' }) =>
  extendAlive(database.db, ORGANISATION, { kind: 'full', ...sign });

const aliveAtMs = async () => (await readAlive(database.db, ORGANISATION))?.atMs;

test('the next sign follows the last', async () => {
  expect(await extend({ wroteMs: NOON_MS, nowMs: NOON_MS + 10_000 })).toBe(true);
  expect(await readAlive(database.db, ORGANISATION)).toEqual({
    kind: 'full',
    identity: await readIdentity(database.db, 'full'),
    atMs: NOON_MS + 10_000,
  });
});

test('a clock that is a little behind another worker’s takes nothing back', async () => {
  expect(await extend({ wroteMs: NOON_MS - 10_000, nowMs: NOON_MS - 1 })).toBe(true);
  expect(await aliveAtMs()).toBe(NOON_MS);
});

test.each([
  ['what this process wrote last is forgotten', () => Promise.resolve(), NOON_MS + 1],
  ['another database answers', () => written({ identity: 'another one' }), NOON_MS],
  [
    'a worker to which the server tells less wrote last',
    () => written({ kind: 'objects' }),
    NOON_MS,
  ],
  ['there is no sign', async () => void (await database.db.deleteFrom('fact').execute()), NOON_MS],
])('nothing is written when %s', async (_name, arrange, wroteMs) => {
  await arrange();
  const before = await aliveAtMs();
  expect(await extend({ wroteMs, nowMs: NOON_MS + 10_000 })).toBe(false);
  expect(await aliveAtMs()).toBe(before);
});

test('each process wakes its own poll for a check: only the holder of the lease can poll', async () => {
  const world = createSagaWorld(database.db);
  const { clock, organisationId } = world;
  const processOf = (name: string) => {
    const told: string[] = [];
    const loops = { isServed: () => true, emit: (topic: string) => void told.push(topic) };
    const { db } = withLocalLoops(database, loops);
    const { deps } = world.worker(name);
    return { told, db, round: createRecoveryCheck({ ...deps, db }).spec.runOnce };
  };
  const [first, holder] = [processOf('w1'), processOf('w2')];
  const begin = (): Promise<void> =>
    inTransaction(first.db, (trx) =>
      beginRecoveryCheck(trx, organisationId, {
        reason: 'other_database',
        aliveMs: clock.nowMs() - 1_000,
        nowMs: clock.nowMs(),
      }),
    );
  await begin();
  // It continues with the check, and the poll is another one's.
  await first.round();
  expect(holder.told).toEqual([]);
  await holder.round();
  expect(holder.told).toEqual(['reconcile']);
  clock.advanceMs(2_000);
  await holder.round();
  expect(holder.told).toEqual(['reconcile']);
  // The holder of the lease has died: its lease ends, and whoever is left takes it.
  clock.advanceMs(30_000);
  await holder.round();
  expect(holder.told).toEqual(['reconcile', 'reconcile']);
  // A check that begins again needs a poll of its own.
  await begin();
  await holder.round();
  expect(holder.told).toEqual(['reconcile', 'reconcile', 'reconcile']);
});
