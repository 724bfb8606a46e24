/**
 * Guarantee: every representment is on the page of its state, once, in the order that is asked for; counts and sums are those
 * of the rows, and what was won and lost is said.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { findRepresentments } from '../../../src/capabilities/representments/representment-list.store.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { startConsole } from '../../integration/console/support.ts';
import { NOW, ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
let site: TestConsole;
let cookie: string;

/** Status, minor units, currency, day of March on which evidence is due. */
const ROWS = [
  ['rep_a', 'OPEN', 2_900, 'USD', 9],
  ['rep_b', 'OPEN', 100_000, 'USD', 5],
  ['rep_c', 'WON', 8_400, 'USD', 2],
  ['rep_d', 'LOST', 1_000, 'EUR', 3],
  ['rep_e', 'WON', 500, 'USD', null],
  ['rep_f', 'ACCEPTED', 700, 'USD', 1],
  ['rep_g', null, 600, 'JPY', null],
] as const;

beforeAll(async () => {
  for (const [id, status, minor, currency, day] of ROWS) {
    await test.db
      .insertInto('representment')
      .values({
        ...{ organisation_id: ORG, id, dispute_status: status, amount_minor: minor, currency },
        dispute_due_by: day === null ? null : `2026-03-0${day}T10:00:00Z`,
        updated_at: NOW,
        snapshot: JSON.stringify({ dispute_reason_code: '13.1' }),
        ...{ snapshot_hash: Buffer.from('00', 'hex'), source: 'webhook' as const },
        ...{ first_seen_at: NOW, changed_at: NOW },
      })
      .execute();
  }
  site = await startConsole(test.db, createFixedClock(NOW));
  ({ cookie } = await site.signIn());
});
afterAll(async () => {
  await site.close();
});

async function page(query = ''): Promise<string> {
  const answer = await site.get(`/representments${query}`, { cookie });
  expect(answer.status).toBe(200);
  return await answer.text();
}

async function ids(query: string): Promise<string[]> {
  return [...(await page(query)).matchAll(/href="\/representments\/(rep_\w+)"/g)].map(
    ([, id]) => id ?? '',
  );
}

describe('the list of representments', () => {
  it.each([
    // One whose status nobody knows counts as open, and has no due date.
    ['', ['rep_b', 'rep_a', 'rep_g']],
    ['?state=open&sort=-due', ['rep_g', 'rep_a', 'rep_b']],
    ['?state=won&sort=amount', ['rep_e', 'rep_c']],
    ['?state=lost', ['rep_d']],
    ['?state=over&sort=due', ['rep_f', 'rep_c', 'rep_d', 'rep_e']],
    // By currency, then by size: 1,000 dollars after 84.
    ['?state=all&sort=amount', ['rep_d', 'rep_g', 'rep_e', 'rep_f', 'rep_a', 'rep_c', 'rep_b']],
  ])('of %s stands in that order', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  it('says how many there are of each, how much that is, and what was won', async () => {
    const text = (await page('?state=won')).replaceAll(/<[^>]+>/g, '');
    expect(text).toMatch(/Open 3\s*Won 2\s*Lost 1\s*Over 4\s*All 7/);
    expect(text).toContain('$89.00 · 2 of 3 decided were won');
    expect((await page('?state=open')).replaceAll(/<[^>]+>/g, '')).toContain('¥600 + $1,029.00');
  });

  it('says of very many that there are more, and adds up none of them', async () => {
    const rows = sql`
      insert into representment (organisation_id, id, dispute_status, amount_minor, currency, updated_at, snapshot, snapshot_hash,
        source, first_seen_at, changed_at)
      select ${ORG}, 'rep_many_' || n, 'WON', 100, 'USD', ${NOW}, '{}', '\\x00', 'webhook', ${NOW}, ${NOW}
      from generate_series(1, 9999) as n`;
    await rows.execute(test.db);
    const text = (await page('?state=won')).replaceAll(/<[^>]+>/g, '');
    // Two were there before: 10,001.
    expect(text).toMatch(/Open 3\s*Won 10,000\+\s*Lost 1\s*Over 10,002\+\s*All 10,005\+/);
    expect(text).toContain('Too many to be added up.');
    expect(text).not.toContain('decided were won');
    const open = (await page('?state=open')).replaceAll(/<[^>]+>/g, '');
    expect(open).toContain('¥600 + $1,029.00');
    expect(open).not.toContain('decided were won');
    await sql`delete from representment where id like 'rep\\_many\\_%'`.execute(test.db);
  });

  it('is walked to its end, each row once', async () => {
    for (const sort of ['due', '-due', 'amount', '-amount', 'status', '-changed'] as const) {
      const ids: string[] = [];
      let after: readonly [string, string] | undefined;
      for (;;) {
        const wanted = { organisationId: ORG, state: 'all', sort, limit: 2 } as const;
        const rows = await findRepresentments(test.db, { ...wanted, after });
        ids.push(...rows.map(({ id }) => id));
        const last = rows.at(-1);
        if (last === undefined) break;
        after = [last.key, last.id];
      }
      expect(ids.toSorted(), sort).toEqual(ROWS.map(([id]) => id));
    }
  });

  it('refuses an order or a state that it does not have', async () => {
    for (const query of ['?state=gone', '?sort=customer', '?cursor=x']) {
      expect((await site.get(`/representments${query}`, { cookie })).status).toBe(400);
    }
  });
});
