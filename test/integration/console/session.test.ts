/** Guarantee: a session ends when it should, and the database holds nothing that lets anybody in. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addOperator, findByToken } from '../../../src/surface/access/operator.store.ts';
import {
  endSession,
  findSession,
  SESSIONS_MAX,
  startSession,
} from '../../../src/surface/access/session.store.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { ORG } from '../reconcile/rows.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TOKEN = 'console-token-for-tests';
let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.db.deleteFrom('console_session').execute();
});

async function start(atMs = START): Promise<string> {
  const holder = { operatorId: null, consoleToken: TOKEN };
  return await startSession(test.db, ORG, { holder, now: new Date(atMs) });
}

async function lives(id: string, atMs: number, more: object = {}): Promise<boolean> {
  const query = { homes: [ORG], id, consoleToken: TOKEN, now: new Date(atMs), ...more };
  return (await findSession(test.db, query)) !== undefined;
}

describe('a session', () => {
  it('that is used lives for 12 hours in all', async () => {
    const id = await start();
    for (let minutes = 29; minutes < 12 * 60; minutes += 29) {
      expect(await lives(id, START + minutes * MINUTE)).toBe(true);
    }
    expect(await lives(id, START + 12 * HOUR - 1)).toBe(true);
    expect(await lives(id, START + 12 * HOUR)).toBe(false);
  });

  it.each([
    [30 * MINUTE - 1, true],
    [30 * MINUTE, false],
  ])('after %i ms without a request lives: %s', async (idleMs, expected) => {
    expect(await lives(await start(), START + idleMs)).toBe(expected);
  });

  it('is not kept alive by a page that refreshes itself', async () => {
    const id = await start();
    expect(await lives(id, START + 29 * MINUTE, { touch: false })).toBe(true);
    expect(await lives(id, START + 31 * MINUTE)).toBe(false);
  });

  it('ends when told, and there are no others', async () => {
    const first = await start();
    const second = await start();
    expect(first).not.toBe(second);
    await endSession(test.db, ORG, first);
    expect(await lives(first, START)).toBe(false);
    expect(await lives('', START)).toBe(false);
    expect(await lives(second, START)).toBe(true);
  });

  it('of the console token ends with that token, and is of its organisation only', async () => {
    const id = await start();
    expect(await lives(id, START, { consoleToken: 'another-console-token' })).toBe(false);
    expect(await lives(id, START, { homes: ['org_other'] })).toBe(false);
  });

  it('is one of a bounded number: the oldest gives way', async () => {
    const first = await start();
    const row = await test.db.selectFrom('console_session').selectAll().executeTakeFirstOrThrow();
    const others = Array.from({ length: SESSIONS_MAX - 2 }, (_, index) => ({
      ...row,
      id_hash: Buffer.from(`other ${index}`),
      started_at: new Date(START + 1_000 + index),
    }));
    await test.db.insertInto('console_session').values(others).execute();
    const next = await start(START + 2_000_000 - 1_000_000);
    expect(await lives(first, START + 1_000_000)).toBe(true);
    await start(START + 1_000_001);
    expect(await lives(first, START + 1_000_001)).toBe(false);
    expect(await lives(next, START + 1_000_001)).toBe(true);
  });

  it('and a token are stored as hashes only', async () => {
    const id = await start();
    const change = { organisationId: ORG, name: 'Ada', by: 'console', now: new Date(START) };
    const added = await addOperator(test.db, { ...change, role: 'viewer', token: { as: 'shown' } });
    const token = added.ok ? (added.token ?? '') : '';
    expect(token).toMatch(/^[\w-]{43}$/);
    const stored = JSON.stringify([
      await test.db.selectFrom('console_session').selectAll().execute(),
      await test.db.selectFrom('console_operator').selectAll().execute(),
      await test.db.selectFrom('audit').selectAll().execute(),
    ]);
    for (const secret of [id, token, TOKEN]) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(JSON.stringify([...Buffer.from(secret)]).slice(1, -1));
    }
    const given = { token, now: new Date(START) };
    expect(await findByToken(test.db, [ORG], given)).toMatchObject({ row: { name: 'Ada' } });
    const unknown = { ok: false, reason: 'unknown' };
    expect(await findByToken(test.db, ['org_other'], given)).toEqual(unknown);
  });
});
