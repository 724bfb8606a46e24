/**
 * Guarantee: the figures of a month show what the rows say, in the reader's own way of writing, and lead to the alerts that
 * they count; today's page says the same of the last hours.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { startConsole } from '../../integration/console/support.ts';
import {
  alertObject,
  insertAlert,
  insertCase,
  insertMovement,
  NOW,
  ORG,
} from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
let site: TestConsole;
let cookie: string;

beforeAll(async () => {
  site = await startConsole(test.db, createFixedClock(NOW));
  await insertAlert(test.db, alertObject('netalrt_1', { transaction_amount_in_cents: 123_456 }));
  await insertAlert(test.db, alertObject('netalrt_2'));
  await insertAlert(test.db, alertObject('netalrt_3'));
  await insertCase(test.db, 'netalrt_1', { state: 'DECLARED_REFUND', chargeReference: 'ch_1' });
  await insertCase(test.db, 'netalrt_2', { state: 'DECLARED_ACCEPT', chargeReference: 'ch_2' });
  await insertCase(test.db, 'netalrt_3', { state: 'HUMAN', deadlineAt: '2026-03-01T15:00:00Z' });
  await insertMovement(test.db, 'mv_1', {
    state: 'CONFIRMED',
    charge: 'ch_1',
    alertId: 'netalrt_1',
    amountMinor: 123_456,
    reference: 're_1',
    confirmedAt: '2026-02-28T23:30:00Z',
  });
  ({ cookie } = await site.signIn());
});
afterAll(async () => {
  await site.close();
});

async function textOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await site.get(path, { cookie, ...headers });
  expect(answer.status, path).toBe(200);
  return await answer.text();
}

describe('the figures', () => {
  it('are those of the month, written as the reader writes', async () => {
    const page = await textOf('/figures?month=2026-03', { 'accept-language': 'de-DE' });
    expect(page).toContain('<h1>Figures: März 2026</h1>');
    expect(page).toMatch(/refunded by us <strong>1<\/strong>/);
    expect(page).toMatch(/accepted <strong>1<\/strong>/);
    expect(page.replaceAll(/\s/g, ' ')).toContain('1.234,56 $');
    // 11:00 on the first until the third at 10:00.
    expect(page).toMatch(/24 h and more<\/th><td class="number"[^>]*>2</);
  });

  it('say that money went back in the month before, in its currency', async () => {
    const page = await textOf('/figures?month=2026-02', { 'accept-language': 'en-US' });
    expect(page).toContain('Money refunded by us, by day</strong> <span class="quiet">USD</span>');
    expect(page).toContain('<title>Feb 28, 2026: refunded $1,234.56</title>');
  });

  it('lead from a bar to the alerts that it counts', async () => {
    const page = await textOf('/figures?month=2026-03');
    const hrefs = [...page.matchAll(/<a href="(\/alerts\?state=DECLARED_REFUND[^"]+)"/g)];
    expect(hrefs.map(([, href]) => href)).toEqual([
      '/alerts?state=DECLARED_REFUND&amp;ended=2026-03-01',
    ]);
    const idsOf = async (path: string): Promise<string[]> =>
      [...(await textOf(path)).matchAll(/href="\/alerts\/(netalrt_\d)"/g)].map(([, id = '']) => id);
    const refunded = await idsOf('/alerts?state=DECLARED_REFUND&ended=2026-03-01');
    expect([...new Set(refunded)]).toEqual(['netalrt_1']);
    const all = await idsOf('/alerts?state=all&ended=2026-03-01');
    expect([...new Set(all)].toSorted()).toEqual(['netalrt_1', 'netalrt_2']);
    expect(await idsOf('/alerts?state=all&ended=2026-02-28')).toEqual([]);
    // The same day, and a text that names one of them.
    expect([...new Set(await idsOf('/alerts?state=all&ended=2026-03-01&q=netalrt_2'))]).toEqual([
      'netalrt_2',
    ]);
  });

  it('stand beside the month before: of a month under way the same days', async () => {
    await sql`insert into outcome_day (organisation_id, day, dimension, label, outcome, currency, count, amount_minor)
      values (${ORG}, '2026-02-01', 'all', '', 'accepted', 'USD', 4, 100), (${ORG}, '2026-02-20', 'all', '', 'accepted', 'USD', 5, 100)`.execute(
      test.db,
    );
    const page = await textOf('/figures?month=2026-03', { 'accept-language': 'en-US' });
    // 4 on 1 February; what came later in February is not compared with 1 March.
    expect(page).toMatch(
      /Accepted<\/dt><dd>1<\/dd><dd class="note">4 in the same days of February 2026/,
    );
    expect(page).toContain('February 2026 <strong>9</strong>');
    // The axis ends at 6: four alerts of the first day stand two thirds up.
    expect(page).toContain('<line class="before" x1="0.4" x2="9.6" y1="33.33" y2="33.33">');
    await sql`delete from outcome_day where organisation_id = ${ORG}`.execute(test.db);
  });

  it('take no month that is none', async () => {
    const answer = await site.get('/figures?month=2026-13', { cookie });
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(text).toContain('That list does not exist');
    expect(text).toContain('month');
    expect(text).toContain('href="/figures"');
  });
});

it('today says what came of alerts, then of lookups', async () => {
  const page = await textOf('/?window=24h');
  const recent = page.slice(page.indexOf('What came of it: 24 hours'));
  expect([...recent.matchAll(/<dt>([^<]+)<\/dt>/g)].map(([, label]) => label).slice(0, 9)).toEqual([
    'Received',
    'Refunded',
    'Accepted',
    'Ended otherwise',
    'Missed',
    'Money refunded by us',
    'Sales protected',
    'Lookups',
    'Deflection rate',
  ]);
  // One refunded, one accepted.
  expect(recent).toMatch(/<dt>Refunded<\/dt><dd>1<\/dd>/);
  expect(recent).toMatch(/<dt>Accepted<\/dt><dd>1<\/dd>/);
  expect([...recent.matchAll(/<figcaption><strong>(\w+)/g)].map(([, title]) => title)).toEqual([
    'Alerts',
    'Lookups',
  ]);
});
