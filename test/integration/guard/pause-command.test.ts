/** Guarantee: refunds can be stopped at any moment, also in the middle of an upgrade. */
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { readPause } from '../../../src/alerts/guard/pause.store.ts';
import { childEnv } from '../../support/child-env.ts';
import { execFile } from '../../support/child-process.ts';
import { useTestDatabase } from '../../support/database.ts';

const MAIN = fileURLToPath(new URL('../../../src/people/cli/main.ts', import.meta.url));
const database = useTestDatabase();

it('forestall pause stops refunds on a database that lacks a migration of this version', async () => {
  await sql`delete from forestall_migration
    where name = (select max(name) from forestall_migration)`.execute(database.db);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [MAIN, 'pause', '--reason', 'upgrade'],
    {
      env: {
        ...childEnv(),
        DATABASE_URL: database.connectionString,
        FORESTALL_ORGANISATION_ID: 'org_upgraded',
      },
    },
  );
  expect(stdout).toMatch(/^Paused: no refund is sent any more\./);
  expect(await readPause(database.db, 'org_upgraded')).toMatchObject({ reason: 'upgrade' });
});
