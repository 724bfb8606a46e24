/**
 * Guarantee: the shift report says what the last hours brought, who did what, and what is due next; the digest goes out once a day,
 * at its time.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { byOperator, lineOf } from '../../../src/base/audit/audit.store.ts';
import { insertLines } from '../../../src/base/db/commit-writes.store.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createDigest } from '../../../src/capabilities/shift-report/digest.job.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { startConsole } from '../../integration/console/support.ts';
import {
  alertObject,
  insertAlert,
  insertCase,
  NOW,
  ORG,
} from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
let clock: FixedClock;
let site: TestConsole;
let cookie: string;

beforeAll(async () => {
  clock = createFixedClock(NOW);
  site = await startConsole(test.db, clock);
  for (const id of ['netalrt_1', 'netalrt_2', 'netalrt_3'])
    await insertAlert(test.db, alertObject(id));
  await insertCase(test.db, 'netalrt_1', { state: 'DECLARED_REFUND', chargeReference: 'ch_1' });
  await insertCase(test.db, 'netalrt_2', { state: 'DECLARED_ACCEPT', chargeReference: 'ch_2' });
  await insertCase(test.db, 'netalrt_3', { state: 'HUMAN', deadlineAt: '2026-03-01T15:00:00Z' });
  const exported = { organisationId: ORG, at: new Date(NOW), what: 'exported refunds' };
  await insertLines([lineOf({ ...exported, ...byOperator('anna') })]).execute(test.db);
  ({ cookie } = await site.signIn());
});
afterAll(async () => {
  await site.close();
});

it('the page says what was done, by whom, and what is due next', async () => {
  const answer = await site.get('/shift?hours=8', { cookie });
  expect(answer.status).toBe(200);
  const page = await answer.text();
  expect(page).toContain('<a href="/alerts/netalrt_3">netalrt_3</a>');
  expect(page).toContain('3 h 0 min left');
  expect(page).toContain('exported refunds');
  expect(page).toMatch(/Refunded<\/dt><dd>1</);
});

it('the digest goes into the outbox once a day, at its time', async () => {
  const at = { hour: 14, minute: 30, zone: 'Europe/Berlin' };
  const digest = createDigest({ db: test.db, clock, organisationId: ORG, at });
  const other = createDigest({ db: test.db, clock, organisationId: ORG, at });
  // 14:29 in Berlin.
  clock.setMs(Date.parse('2026-03-01T13:29:59Z'));
  expect(await digest()).toBe(0);
  clock.setMs(Date.parse('2026-03-01T13:30:00Z'));
  expect([await digest(), await digest(), await other()]).toEqual([1, 0, 0]);
  clock.setMs(Date.parse('2026-03-02T13:30:00Z'));
  expect(await other()).toBe(1);
  const messages = await test.db
    .selectFrom('notification')
    .select(['kind', 'severity', 'text'])
    .where('kind', '=', 'daily_digest')
    .orderBy('id')
    .execute();
  expect(messages).toHaveLength(2);
  expect(messages[0]?.severity).toBe('info');
  expect(messages[0]?.text).toContain('3 alerts received, 1 refunded by us');
  expect(messages[0]?.text).toContain('1 wait for a person');
});
