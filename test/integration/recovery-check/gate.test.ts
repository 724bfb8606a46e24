/**
 * Guarantee: nothing that moves money or answers is claimed from the statement on in which another database
 * answers than the one last written to, or while a check is under way, however often it was allowed before.
 */
import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClaimGate } from '../../../src/alerts/guard/claim-gate.store.ts';
import type { IdentityKind } from '../../../src/alerts/guard/database-identity.store.ts';
import { readIdentity } from '../../../src/alerts/guard/database-identity.store.ts';
import {
  endRecoveryCheck,
  writeAlive,
  writeRecoveryCheck,
} from '../../../src/alerts/guard/recovery-check.store.ts';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import type { Database } from '../../../src/base/db/database.ts';
import { ALL_ORGANISATIONS } from '../../../src/base/db/for-organisation.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
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
  await sql`grant usage on schema forestall to ${sql.id(role)}`.execute(database.db);
  await sql`grant select on fact, alert_case to ${sql.id(role)}`.execute(database.db);
  const url = new URL(database.connectionString);
  url.searchParams.set('options', `-c role=${role}`);
  limited = openDatabase({
    connectionString: url.href,
    log: createLog({ level: 'silent' }),
    organisation: ALL_ORGANISATIONS,
  });
});

afterAll(async () => {
  await limited.close();
  await sql`drop owned by ${sql.id(role)}`.execute(database.db);
  await sql`drop role ${sql.id(role)}`.execute(database.db);
  await database.drop();
});

/** A claim behind the gate: whether it may take anything. */
function createClaim(db: Kysely<Database>, organisationId: string): () => Promise<boolean> {
  const gate = createClaimGate({ db, organisationId });
  const isOpen = async (isShut: RawBuilder<boolean>): Promise<boolean> => {
    const { rows } = await sql<{ open: boolean }>`select not ${isShut} as open`.execute(db);
    return rows[0]?.open === true;
  };
  return () => gate.claim(isOpen);
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
  'another database is noticed in any claim: %s',
  async (kind) => {
    const organisationId = `org_${kind}`;
    const claim = createClaim(database.db, organisationId);
    expect(await claim()).toBe(true);
    const present = await readIdentity(database.db, kind);
    await writtenTo(organisationId, kind, present);
    expect([await claim(), await claim(), await claim()]).toEqual([true, true, true]);
    await writtenTo(organisationId, kind, 'another one');
    expect([await claim(), await claim()]).toEqual([false, false]);
    await writtenTo(organisationId, kind, present);
    expect([await claim(), await claim()]).toEqual([true, true]);
  },
);

test('a check under way shuts it, and opens it when it ends; those of others do not matter', async () => {
  const organisationId = 'org_look';
  const claim = createClaim(database.db, organisationId);
  const other = createClaim(database.db, 'org_other');
  const now = new Date(clock.nowMs());
  const check = { since: now.toISOString(), alive: null, reason: 'asked', waitsFor: 'x' } as const;
  await writeRecoveryCheck(database.db, organisationId, { check, now });
  expect([await claim(), await other()]).toEqual([false, true]);
  await inTransaction(database.db, (trx) => endRecoveryCheck(trx, organisationId, check));
  expect([await claim(), await other()]).toEqual([true, true]);
});

test('a server that tells less than the one before is asked for less', async () => {
  const organisationId = 'org_less';
  const claim = createClaim(limited.db, organisationId);
  await writtenTo(organisationId, 'full', await readIdentity(database.db, 'full'));
  expect([await claim(), await claim()]).toEqual([true, true]);
  await sql`revoke execute on function pg_control_system() from public`.execute(database.db);
  await expect(claim()).rejects.toMatchObject({ code: '42501' });
  // What was written in full cannot be compared any more: nothing is claimed.
  expect(await claim()).toBe(false);
  await writtenTo(organisationId, 'objects', await readIdentity(database.db, 'objects'));
  expect([await claim(), await claim()]).toEqual([true, true]);
  await writtenTo(organisationId, 'objects', 'another one');
  expect(await claim()).toBe(false);
});

test('the loops of a connection find out once how much the server tells about itself', async () => {
  const db = database.db.withoutPlugins();
  const claims = ['org_one', 'org_one', 'org_two'].map((id) => createClaim(db, id));
  let asked = 0;
  const count = (): void => {
    asked += 1;
  };
  database.pool.on('acquire', count);
  for (const claim of claims) expect(await claim()).toBe(true);
  database.pool.off('acquire', count);
  // One statement of each claim, and one before the first.
  expect(asked).toBe(claims.length + 1);
});
