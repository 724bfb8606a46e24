/**
 * Guarantee: for the owner of one organisation the upgrade from 0.1.0 changes nothing: who could sign in still can, with
 * the same token, in the same role, at the same addresses, and no page speaks of organisations.
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateToLatest } from '../../../src/base/db/migrate.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { startConsole } from './support.ts';

/** As its changelog lists them. */
const OF_0_1_0 = [
  '0001_spine',
  '0002_feed',
  '0003_matching',
  '0004_reconciliation',
  '0005_policy',
  '0006_guards',
  '0007_console',
  '0008_retention',
];
const MIGRATIONS = new URL('../../../migrations/', import.meta.url);
const TOKEN_OF_ADA = 'the-token-that-ada-was-given';
const SESSION_OF_ADA = 'the-session-that-ada-has-open';
const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

let test: TestDatabase;
let folder: string;
let site: TestConsole;
let clock: FixedClock;

/** What an installation of 0.1.0 has in it. */
async function fill(): Promise<void> {
  const { db } = test;
  const at = new Date(NOW);
  await insertAlert(db, alertObject('netalrt_1'));
  await sql`insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, next_action_at, changed_at)
    values (${ORG}, 'netalrt_1', 'HUMAN', ${at}, '2026-03-03T10:00:00Z', '2026-03-03T10:00:00Z', ${at})`.execute(
    db,
  );
  await sql`insert into console_operator (organisation_id, id, name, role, token_hash, created_at, created_by, changed_at)
    values (${ORG}, 'opr_1', 'Ada', 'reviewer', ${hash(TOKEN_OF_ADA)}, ${at}, 'console', ${at})`.execute(
    db,
  );
  await sql`insert into console_session (id_hash, organisation_id, operator_id, started_at, seen_at, authenticated_at)
    values (${hash(SESSION_OF_ADA)}, ${ORG}, 'opr_1', ${at}, ${at}, ${at})`.execute(db);
  await sql`insert into saved_view (organisation_id, operator, name, query, created_at)
    values (${ORG}, 'Ada', 'Large ones', 'state=open', ${at})`.execute(db);
}

beforeAll(async () => {
  test = await createTestDatabase({ template: 'template0' });
  folder = await mkdtemp(join(tmpdir(), 'forestall-0.1.0-'));
  const before = join(folder, 'migrations');
  await mkdir(before);
  for (const name of OF_0_1_0) {
    await cp(new URL(`${name}.sql`, MIGRATIONS), join(before, `${name}.sql`));
  }
  await migrateToLatest(test.db, pathToFileURL(`${before}/`));
  await fill();
  await migrateToLatest(test.db);
  await test.pool.query(await readFile(new URL('roles.sql', MIGRATIONS), 'utf8'));
  clock = createFixedClock(NOW);
  site = await startConsole(test.db, clock);
});
afterAll(async () => {
  await site?.close();
  await test.drop();
  await rm(folder, { recursive: true, force: true });
});

it('keeps who may sign in, signed in, and as what', async () => {
  const headers = { authorization: `Bearer ${TOKEN_OF_ADA}` };
  expect((await site.get('/api/alerts', headers)).status).toBe(200);
  const cookie = `forestall_session=${SESSION_OF_ADA}`;
  expect((await site.get('/alerts.csv', { cookie })).status).toBe(200);
  expect((await site.get('/operators', { cookie })).status).toBe(403);
});

it('keeps pages and addresses, and says nothing of organisations', async () => {
  const { cookie } = await site.signIn();
  const addresses = new Set<string>();
  for (const path of [
    '/',
    '/reviews',
    '/alerts?state=all',
    '/alerts/netalrt_1',
    '/figures',
    '/system',
    '/operators',
    '/exports',
  ]) {
    const answer = await site.get(path, { cookie });
    const text = await answer.text();
    expect([path, answer.status]).toEqual([path, 200]);
    expect(text).not.toMatch(/\/organisations|class="who switch"|· Brand/);
    for (const [, address = ''] of text.matchAll(/ href="(\/[^"?#]*)/g)) addresses.add(address);
  }
  expect([...addresses]).toEqual(
    expect.arrayContaining([
      '/',
      '/reviews',
      '/alerts',
      '/alerts/netalrt_1',
      '/ratios',
      '/operators',
    ]),
  );
  expect(await (await site.get('/operators', { cookie })).text()).toMatch(/Ada[\s\S]*reviewer/);
  const exported = await site.get('/alerts.csv?state=all', { cookie });
  expect(exported.headers.get('content-disposition')).toBe('attachment; filename="alerts.csv"');
  expect((await exported.text()).startsWith('alert_id,')).toBe(true);
  // What there was before is nowhere now, and that is what is answered.
  expect((await site.get('/organisations', { cookie })).status).toBe(404);
  const metrics = await (await site.get('/metrics', { cookie })).text();
  expect(metrics).toMatch(/^forestall_cases_open 1$/m);
  expect(metrics).not.toContain('organisation=');
});
