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
import { inTransaction } from '../../../src/base/db/transaction.ts';
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
