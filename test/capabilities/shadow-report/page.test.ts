/** Guarantee: the pages of the shadow show both sides, decision by decision and day by day, in the money of each. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { shadowReportPages } from '../../../src/capabilities/shadow-report/pages.ts';
import { writeShadowReport } from '../../../src/capabilities/shadow-report/shadow-report.store.ts';
import { compareShadow } from '../../../src/capabilities/shadow-report/shadow-report.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { startConsole } from '../../integration/console/support.ts';
import { ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
let clock: FixedClock;
let site: TestConsole;
let cookie: string;

beforeAll(async () => {
  clock = createFixedClock('2026-03-11T13:00:00Z');
  site = await startConsole(test.db, clock);
  ({ cookie } = await site.signIn());
});
afterAll(async () => {
  await site.close();
});

/** What a person reads, without tags. */
async function read(path: string): Promise<string> {
  const page = await (await site.get(path, { cookie })).text();
  return page
    .slice(page.indexOf('<main'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

/** A refund of the live policy, and what the candidate said. */
async function decide(id: string, amountMinor: number, would: 'REFUND' | 'ACCEPT_DISPUTE') {
  await test.db
    .insertInto('decision')
    .values({
      organisation_id: ORG,
      alert_id: id,
      action: 'REFUND',
      amount_minor: amountMinor,
      currency: 'USD',
      decided_by: 'policy',
      sentence: 'Because.',
      inputs: '{}',
      decided_at: '2026-03-11T12:00:00Z',
      beside_version: 'candidate1',
      beside_action: would,
      beside_currency: 'USD',
      beside_amount_minor: would === 'REFUND' ? amountMinor : null,
    })
    .execute();
}

it('stands beside the live policy, decision by decision and day by day', async () => {
  const empty = await read('/policies/shadow');
  expect(empty).toContain('No second policy was asked.');
  expect(empty).toContain('No day has a report yet.');
  await decide('netalrt_1', 1_500, 'REFUND');
  await decide('netalrt_2', 2_000, 'REFUND');
  await decide('netalrt_3', 2_001, 'ACCEPT_DISPUTE');
  const report = compareShadow('2026-03-10', [
    {
      alertId: 'netalrt_9',
      shadow: 'policy',
      would: 'ACCEPT_DISPUTE',
      wouldMinor: null,
      did: 'REFUND',
      didMinor: 4_200,
      currency: 'JPY',
      rule: 'big',
      sentence: 'Because it is <i>big</i>.',
    },
  ]);
  await inTransaction(test.db, async (trx) => {
    await writeShadowReport(trx, ORG, { report, now: nowDate(clock) });
  });
  const page = await read('/policies/shadow');
  expect(page).toContain('2 of 3 decisions would have been the same');
  expect(page).toContain('refund accept the dispute candidate1 1 $20.01 none');
  expect(page).toContain('refund refund candidate1 2 $35.00 $35.00');
  // Yen have no minor unit.
  expect(page).toContain('2026-03-10 1 0 1 0 ¥4,200 none');
  const day = await read('/policies/shadow/2026-03-10');
  expect(day).toContain(
    'netalrt_9 Was done refund ¥4,200 The shadow would accept the dispute Rule big',
  );
  expect(day).toContain('Because it is &lt;i&gt;big&lt;/i&gt;.');
  expect((await site.get('/policies/shadow/2026-03-09', { cookie })).status).toBe(404);
  // A day later nothing of the last 24 hours is left; the session has ended, too.
  clock.setMs(Date.parse('2026-03-12T12:00:00.001Z'));
  ({ cookie } = await site.signIn());
  expect(await read('/policies/shadow')).toContain('No second policy was asked.');
});

it('speaks of backtests only where there is a page of them', async () => {
  await test.db.deleteFrom('decision').execute();
  expect(await read('/policies/shadow')).toContain('To try one on the past, ask for a backtest');
  const alone = await startConsole(test.db, clock, {}, [
    shadowReportPages.register ?? expect.fail('it has pages'),
  ]);
  const signedIn = await alone.signIn();
  const page = await (await alone.get('/policies/shadow', { cookie: signedIn.cookie })).text();
  await alone.close();
  expect(page).toContain('No second policy was asked.');
  expect(page).not.toContain('backtest');
});
