/**
 * Guarantee: the webhook log and the exports show what the rows say, in the
 * reader's own way of writing; no cell of an export is a formula, and each export is written down.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDeliveryMinutes } from '../../../src/alerts/receive/delivery-minute.store.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  alertObject,
  insertAlert,
  insertCase,
  insertMovement,
  NOW,
  ORG,
} from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { formOf, startConsole } from './support.ts';

const test = useTestDatabase();
let clock: FixedClock;
let site: TestConsole;
let cookie: string;

beforeAll(async () => {
  clock = createFixedClock(NOW);
  site = await startConsole(test.db, clock);
  await insertAlert(
    test.db,
    alertObject('netalrt_1', {
      transaction_amount_in_cents: 123_456,
      transaction_statement_descriptor: '=HYPERLINK("http://evil")',
    }),
  );
  await insertAlert(test.db, alertObject('netalrt_2'));
  await insertAlert(test.db, alertObject('netalrt_3'));
  await insertCase(test.db, 'netalrt_1', { state: 'DECLARED_REFUND', chargeReference: 'ch_1' });
  await insertCase(test.db, 'netalrt_2', { state: 'DECLARED_ACCEPT', chargeReference: 'ch_2' });
  await insertCase(test.db, 'netalrt_3', { state: 'HUMAN', deadlineAt: '2026-03-01T15:00:00Z' });
  const decision = await test.db
    .insertInto('decision')
    .values({
      organisation_id: ORG,
      alert_id: 'netalrt_1',
      action: 'REFUND',
      decided_by: 'operator:anna',
      sentence: 'Because.',
      inputs: '{}',
      decided_at: '2026-02-28T22:00:00Z',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await test.db
    .updateTable('alert_case')
    .set({ decision_id: decision.id })
    .where('alert_id', '=', 'netalrt_1')
    .execute();
  // 00:30 on the first of March in Berlin.
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

/** The lines of a CSV file that holds no quoted line ends. */
async function linesOf(path: string): Promise<string[]> {
  return (await textOf(path)).trimEnd().split('\r\n');
}

describe('the webhook log', () => {
  beforeAll(async () => {
    const at = Date.parse('2026-03-01T11:58:00Z');
    const example = { at: '2026-03-01T11:58:10.000Z', facts: { bodyBytes: 77 } };
    await addDeliveryMinutes(test.db, ORG, [
      { minuteMs: at, verdict: 'no_match', count: 4_000, lastMs: at + 50_000, examples: [example] },
      { minuteMs: at, verdict: 'repeat', count: 2, lastMs: at, examples: [] },
      { minuteMs: at, verdict: 'accepted', count: 9, lastMs: at, examples: [] },
    ]);
  });

  it('shows refusals by reason with what to do, an example, and their number', async () => {
    const page = await textOf('/events?state=refused');
    expect(page).toContain('refused: wrong signature');
    expect(page).toContain('Compare FORESTALL_WEBHOOK_SECRETS with the dashboard.');
    expect(page).toMatch(/<td class="number"[^>]*>4,000<\/td>/);
    expect(page).toMatch(/bytes <code>77<\/code>/);
    expect(page).not.toContain('>repeat<');
  });

  it('shows everything together, and repeats alone', async () => {
    const all = await textOf('/events');
    expect(all).toContain('refused: wrong signature');
    expect(all).toContain('>repeat<');
    expect(all).toMatch(/Accepted, 24 h<\/dt><dd>9</);
    expect(await textOf('/events?state=repeats')).not.toContain('refused: wrong');
  });

  it('shows the alerts that polling found first, and which of them no delivery told of', async () => {
    const change = {
      organisation_id: ORG,
      entity: 'alert' as const,
      entity_id: 'netalrt_1',
      changed_at: '2026-03-01T11:57:00Z',
      accepted: true,
      before: null,
      after: '{}',
    };
    const polled = { ...change, source: 'poll' as const, event_id: null };
    const noted = { ...change, source: 'webhook' as const, event_id: 'evt_1' };
    await test.db
      .insertInto('entity_change')
      .values([
        // Lost; what changed later came, and brings the lost one not back.
        { ...polled, entity_id: 'netalrt_1' },
        { ...noted, entity_id: 'netalrt_1', before: '{}', event_id: 'evt_0' },
        // Late.
        { ...polled, entity_id: 'netalrt_2' },
        { ...noted, entity_id: 'netalrt_2', accepted: false, changed_at: '2026-03-01T11:59:00Z' },
        // First, and read later.
        { ...noted, entity_id: 'netalrt_3', event_id: 'evt_3' },
        { ...polled, entity_id: 'netalrt_3', before: '{}' },
        // None of the service's.
        { ...polled, entity_id: 'netalrt_claim_1' },
      ])
      .execute();
    const page = await textOf('/events?state=polled');
    expect(rowsAbout(page)).toEqual([
      ['netalrt_2', 'came late', 'evt_1'],
      ['netalrt_1', 'no delivery', undefined],
    ]);
    expect(page).toContain(
      '<dt>By polling, 24 h</dt><dd>2</dd><dd class="note">1 without a delivery</dd>',
    );
    expect(rowsAbout(await textOf('/events'))).toEqual(rowsAbout(page));
    const next = /href="(\/events\?state=polled&amp;cursor=[^"]+)"/;
    const first = await textOf('/events?state=polled&limit=1');
    expect(rowsAbout(first)).toEqual([['netalrt_2', 'came late', 'evt_1']]);
    const place = next.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? 'no next page';
    expect(rowsAbout(await textOf(`${place}&limit=1`))).toEqual([
      ['netalrt_1', 'no delivery', undefined],
    ]);
    expect(await textOf('/alerts/netalrt_1')).toContain('its webhook was not delivered');
    expect(await textOf('/alerts/netalrt_2')).toContain('polling; its webhook came late');
    expect(await textOf('/alerts/netalrt_3')).toMatch(/a webhook, <a href="\/events\/evt_3">/);
  });

  /** The alert, the badge and the event of each row about one that polling found. */
  function rowsAbout(page: string): (string | undefined)[][] {
    return [...page.matchAll(/<tr>.*?<\/tr>/gs)]
      .map(([row]) => row)
      .filter((row) => /no delivery|came late/.test(row))
      .map((row) => [
        /\/alerts\/(netalrt_\w+)/.exec(row)?.[1],
        /<span class="state[^"]*">([^<]+)</.exec(row)?.[1],
        /\/events\/(evt_\w+)/.exec(row)?.[1],
      ]);
  }
});

describe('the exports', () => {
  it('put a refund on its day in the time zone, with reference, decision and decider', async () => {
    const query = 'from=2026-03-01&to=2026-03-01&zone=Europe/Berlin';
    const [head = '', line = '', ...others] = await linesOf(`/exports/refunds.csv?${query}`);
    expect(others).toEqual([]);
    expect(head.split(',').slice(0, 7)).toEqual([
      'refund_date',
      'time_zone',
      'refunded_at',
      'kind',
      'amount',
      'currency',
      'refund_reference',
    ]);
    expect(line).toMatch(
      /^2026-03-01,Europe\/Berlin,2026-02-28T23:30:00\.000Z,refund,1234\.56,USD,re_1,ch_1,/,
    );
    expect(line).toContain(',REFUND,operator:anna,');
    // In UTC it was the day before.
    const utc = await linesOf('/exports/refunds.csv?from=2026-03-01&to=2026-03-01&zone=UTC');
    expect(utc).toHaveLength(1);
  });

  it('hold no formula', async () => {
    const page = await textOf('/exports/refunds.csv?from=2026-02-28&to=2026-03-01&zone=UTC');
    expect(page).toContain(`"'=HYPERLINK(""http://evil"")"`);
    expect(page).not.toMatch(/(^|,)"?=HYPERLINK/m);
  });

  it('show a refund that failed later below zero, on the day on which it failed', async () => {
    await sql`update movement set state = 'REVERSED', changed_at = '2026-03-01T09:00:00Z' where alert_id = 'netalrt_1'`.execute(
      test.db,
    );
    const lines = await linesOf('/exports/refunds.csv?from=2026-02-28&to=2026-03-01&zone=UTC');
    expect(lines.slice(1).map((line) => line.split(',').slice(0, 5))).toEqual([
      ['2026-02-28', 'UTC', '2026-02-28T23:30:00.000Z', 'refund', '1234.56'],
      ['2026-03-01', 'UTC', '2026-03-01T09:00:00.000Z', 'reversal', '-1234.56'],
    ]);
    const page = await textOf('/exports?month=2026-03');
    expect(page).toContain('refunds that failed later');
    expect(page).toContain('-$1,234.56');
  });

  it('are written down, and are in the audit export themselves', async () => {
    await textOf('/exports/refunds.csv?from=2026-03-01&to=2026-03-02&zone=Asia/Tokyo');
    const lines = await linesOf('/exports/audit.csv?from=2026-03-01&to=2026-03-01');
    const line = lines.find((each) => each.includes('Asia/Tokyo')) ?? '';
    expect(line).toContain(',operator,console,,operator:console,exported refunds,');
  });

  it.each([
    ['from=2026-03-02&to=2026-03-01', 'ends before it begins'],
    ['from=2026-03-01&to=2028-03-01', 'is longer than 400 days'],
    ['from=2026-03-01&to=2026-03-01&zone=Mars', 'must be a time zone like Europe/Berlin'],
    ['from=x&to=2026-03-01', 'from'],
  ])('refuse %s', async (query, message) => {
    const answer = await site.get(`/exports/refunds.csv?${query}`, { cookie });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(message);
  });

  it('are not for viewers', async () => {
    const change = { organisationId: ORG, by: 'test', now: nowDate(clock) };
    const added = await addOperator(test.db, {
      ...change,
      name: 'looker',
      role: 'viewer',
      token: { as: 'shown' },
    });
    const answer = await site.post('/login', formOf({ token: (added.ok && added.token) || '' }));
    const own = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    for (const file of ['refunds', 'audit']) {
      const path = `/exports/${file}.csv?from=2026-03-01&to=2026-03-01`;
      expect((await site.get(path, { cookie: own })).status, file).toBe(403);
    }
    expect((await site.get('/exports', { cookie: own })).status).toBe(200);
  });
});
