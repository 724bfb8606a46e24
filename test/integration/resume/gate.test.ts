/**
 * Guarantee: a loop that acts rests from the round on in which another database answers than the one last
 * written to, however often it has found the right one before.
 */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { IdentityKind } from '../../../src/alerts/guard/database-identity.store.ts';
import { readIdentity } from '../../../src/alerts/guard/database-identity.store.ts';
import { writeAlive } from '../../../src/alerts/guard/resume.store.ts';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import type { Database } from '../../../src/base/db/database.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { createGate } from '../../../src/books/resume/gate.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const clock = createFixedClock('2026-11-20T00:00:00Z');
let database: TestDatabase;
/** Sees `fact`, and of the cluster what everybody may. */
let limited: OpenDatabase;
let role: string;

beforeAll(async () => {
  database = await createTestDatabase();
  role = `${database.name}_limited`;
  await sql`create role ${sql.id(role)}`.execute(database.db);
  await sql`grant select on fact to ${sql.id(role)}`.execute(database.db);
  const url = new URL(database.connectionString);
  url.searchParams.set('options', `-c role=${role}`);
  limited = openDatabase({ connectionString: url.href, log: createLog({ level: 'silent' }) });
});

afterAll(async () => {
  await limited.close();
  await sql`drop owned by ${sql.id(role)}`.execute(database.db);
  await sql`drop role ${sql.id(role)}`.execute(database.db);
  await database.drop();
});

/** A round of a loop behind the gate: whether its work was begun. */
function createRound(db: Kysely<Database>, organisationId: string): () => Promise<boolean> {
  const spec = {
    name: 'acting',
    idleMs: 1_000,
    runOnce: (): Promise<number> => Promise.resolve(1),
  };
  const loop = createGate({ db, clock, organisationId }).rest(spec);
  return async () => (await loop.runOnce()) > 0;
}

async function writtenTo(
  organisationId: string,
  kind: IdentityKind,
  identity: string,
): Promise<void> {
  await inTransaction(database.db, (trx) =>
    writeAlive(trx, organisationId, { kind, identity, atMs: clock.nowMs() }),
  );
}

test.each(['full', 'objects'] as const)(
  'another database is noticed in any round: %s',
  async (kind) => {
    const organisationId = `org_${kind}`;
    const round = createRound(database.db, organisationId);
    expect(await round()).toBe(true);
    const present = await readIdentity(database.db, kind);
    await writtenTo(organisationId, kind, present);
    expect([await round(), await round(), await round()]).toEqual([true, true, true]);
    await writtenTo(organisationId, kind, 'another one');
    expect([await round(), await round()]).toEqual([false, false]);
    await writtenTo(organisationId, kind, present);
    expect([await round(), await round()]).toEqual([true, true]);
  },
);

test('a server that tells less than the one before is asked for less', async () => {
  const organisationId = 'org_less';
  const round = createRound(limited.db, organisationId);
  await writtenTo(organisationId, 'full', await readIdentity(database.db, 'full'));
  expect([await round(), await round()]).toEqual([true, true]);
  await sql`revoke execute on function pg_control_system() from public`.execute(database.db);
  await expect(round()).rejects.toMatchObject({ code: '42501' });
  await writtenTo(organisationId, 'objects', await readIdentity(database.db, 'objects'));
  expect([await round(), await round()]).toEqual([true, true]);
  await writtenTo(organisationId, 'objects', 'another one');
  expect(await round()).toBe(false);
});
