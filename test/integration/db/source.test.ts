/**
 * Guarantee: how many connections a process opens, how long it waits and where it listens is what the
 * settings say; a migration waits as long as it takes.
 */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { forOrganisation } from '../../../src/base/db/for-organisation.ts';
import { sourceOfUrl } from '../../../src/base/db/source.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { readSettings } from '../../../src/running/config.ts';
import { createTestDatabase, overTcp } from '../../support/database.ts';

const log = createLog({ level: 'silent' });

async function limitsOf({ db }: OpenDatabase): Promise<unknown> {
  const { rows } = await sql`select current_setting('statement_timeout') as statement,
    current_setting('lock_timeout') as lock,
    current_setting('idle_in_transaction_session_timeout') as idle`.execute(db);
  return rows[0];
}

it('opens pools as the settings say', async () => {
  const test = await createTestDatabase();
  const connectionString = overTcp(test.connectionString).href;
  const direct = `${connectionString}?application_name=direct`;
  const { database: settings } = readSettings({
    DATABASE_URL: connectionString,
    FORESTALL_DATABASE_DIRECT_URL: direct,
    FORESTALL_DATABASE_CONNECTIONS: '4',
    FORESTALL_DATABASE_RECEIVE_CONNECTIONS: '2',
    FORESTALL_DATABASE_STATEMENT_SECONDS: '20',
    FORESTALL_DATABASE_LOCK_SECONDS: '6',
    FORESTALL_DATABASE_CONNECT_SECONDS: '3',
  });
  const source = sourceOfUrl(connectionString, { settings });
  const work = source.open({ log });
  expect(work.pool.options).toMatchObject({ max: 4, connectionTimeoutMillis: 3_000 });
  expect(await limitsOf(work)).toEqual({ statement: '20s', lock: '6s', idle: '30s' });
  const own = source.open({ log, maxConnections: 1, statementTimeoutMs: 4_000 });
  expect(own.pool.options.max).toBe(1);
  expect(await limitsOf(own)).toEqual({ statement: '4s', lock: '6s', idle: '30s' });
  expect(source.receiveConnections).toBe(2);
  expect(source.connection).toEqual({ connectionString: direct });
  expect(source.jobs).toEqual({ connectionString, schema: 'forestall_jobs' });
  const migrating = source.migration.open(log);
  expect(migrating.pool.options).toMatchObject({ connectionString: direct });
  expect(migrating.pool.options).not.toHaveProperty('query_timeout');
  expect(await limitsOf(migrating)).toEqual({ statement: '0', lock: '0', idle: '30s' });
  expect(source.migration.jobs).toEqual({ connectionString: direct, schema: 'forestall_jobs' });
  for (const each of [work, own, migrating]) await each.close();
  await test.drop();
});

it('a pool that only others borrowed from is ended with its database: a process that stops does not wait for it', async () => {
  const test = await createTestDatabase();
  const opened = openDatabase({ connectionString: test.connectionString, log });
  await sql`select 1`.execute(forOrganisation(opened, 'org_1').db);
  expect(opened.pool.totalCount).toBe(1);
  await opened.close();
  expect(opened.pool).toMatchObject({ ended: true, totalCount: 0 });
  await test.drop();
});
