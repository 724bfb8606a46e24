/**
 * Guarantee: the table of alerts shows every alert of the list once, in the order that a heading asks for, page by page; it
 * says what the list adds up to; and the columns that a person chose are theirs.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listOrderedAlerts, sumAlerts } from '../../../src/alerts/list/alert-order.store.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { formOf, startConsole } from './support.ts';

let test: TestDatabase;
let site: TestConsole;
let cookie: string;
let csrf: string;
const clock = createFixedClock(NOW);

/** Amount, currency, card, decided by, state; two of each amount, so that ids must tell them apart. */
const KINDS = [
  [719_300, 'JPY', '0007', 'policy', 'HUMAN'],
  [67_500, 'USD', '4242', 'operator:Noor', 'DECLARED_REFUND'],
  [8_400, 'USD', '9505', 'operator:Bo', 'DECLARED_ACCEPT'],
  [100_000, 'EUR', null, 'fallback', 'HUMAN'],
  [null, null, '1111', null, 'HUMAN'],
] as const;

interface Known {
  readonly id: string;
  readonly kind: (typeof KINDS)[number];
  readonly openedAt: string;
}
const known: Known[] = [];

beforeAll(async () => {
  test = await createTestDatabase();
  site = await startConsole(test.db, clock);
  for (let index = 0; index < 20; index++) {
    const kind = KINDS[index % KINDS.length]!;
    const [amountMinor, currency, last4, decidedBy, state] = kind;
    const id = `netalrt_${String(index).padStart(2, '0')}`;
    // Several share a moment.
    const openedAt = `2026-02-${String(10 + (index % 6)).padStart(2, '0')}T08:00:00.000Z`;
    known.push({ id, kind, openedAt });
    await insertAlert(test.db, alertObject(id));
    await test.db
      .updateTable('alert')
      .set({ amount_minor: amountMinor, currency, card_last4: last4 })
      .where('id', '=', id)
      .execute();
    await insertCase(test.db, id, { state });
    let decisionId: number | null = null;
    if (decidedBy !== null) {
      const decision = await test.db
        .insertInto('decision')
        .values({
          ...{ organisation_id: ORG, alert_id: id, action: 'REVIEW', decided_by: decidedBy },
          ...{ sentence: 'Because.', inputs: '{}', decided_at: NOW },
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      decisionId = Number(decision.id);
    }
    await test.db
      .updateTable('alert_case')
      .set({ opened_at: openedAt, decision_id: decisionId })
      .where('alert_id', '=', id)
      .execute();
  }
  ({ cookie, csrf } = await site.signIn());
});
afterAll(async () => {
  await site.close();
  await test.drop();
});

async function pageOf(path: string): Promise<string> {
  const answer = await site.get(path, { cookie });
  expect([path, answer.status]).toEqual([path, 200]);
  return await answer.text();
}

const rowsOf = (text: string): string[] =>
  [...text.matchAll(/<tr data-alert="([^"]+)"/g)].map(([, id]) => id ?? '');

/** All pages of three rows, one after the other, as a person clicks through them. */
async function walk(query: string): Promise<string[]> {
  const ids: string[] = [];
  let path: string | undefined = `/alerts?${query}&limit=3`;
  for (let pages = 0; path !== undefined && pages < 20; pages++) {
    const text = await pageOf(path);
    ids.push(...rowsOf(text));
    path = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  return ids;
}

const KEYS: Readonly<Record<string, (known: Known) => string>> = {
  received: ({ openedAt }) => openedAt,
  amount: ({ kind: [amount, currency] }) =>
    `${currency ?? ''} ${String(amount ?? 0).padStart(12, '0')}`,
  card: ({ kind: [, , last4] }) => last4 ?? '',
  who: ({ kind: [, , , by] }) => by ?? '',
  outcome: ({ kind: [, , , , state] }) => state,
};

function expected(sort: string, ids: readonly Known[]): string[] {
  const key = KEYS[sort.replace('-', '')]!;
  const sorted = ids
    .map((one) => ({ id: one.id, key: `${key(one)}\u0000${one.id}` }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ id }) => id);
  return sort.startsWith('-') ? sorted.toReversed() : sorted;
}

describe('an order', () => {
  const sorts = Object.keys(KEYS).flatMap((sort) => [sort, `-${sort}`]);
  it.each(
    sorts.flatMap((sort) => ['all', 'open', 'closed', 'HUMAN'].map((state) => [sort, state])),
  )('%s of the list %s shows each alert once', async (sort, state) => {
    const isOver = ({ kind }: Known): boolean => kind[4] !== 'HUMAN';
    const wanted = known.filter(
      (one) => state === 'all' || (state === 'closed' ? isOver(one) : !isOver(one)),
    );
    expect(await walk(`state=${state}&sort=${sort}`)).toEqual(expected(sort!, wanted));
  });

  it('holds within a filter, over all alerts that are looked at', async () => {
    const dollars = known.filter(({ kind }) => kind[1] === 'USD');
    expect(await walk('state=all&currency=USD&sort=-amount')).toEqual(expected('-amount', dollars));
  });

  it('goes on after those looked at where a filter leaves few, and misses none', async () => {
    const found: string[] = [];
    let after: { key: string; alertId: string } | undefined;
    for (let pages = 0; pages < 30; pages++) {
      const page = await listOrderedAlerts(test.db, {
        organisationId: ORG,
        states: ['DECLARED_ACCEPT'],
        sort: 'received',
        order: 'latest',
        limit: 2,
        scanMax: 3,
        filter: { currency: 'USD' },
        isWide: true,
        after,
      });
      found.push(...page.items.map(({ alertId }) => alertId));
      if (page.next === null) break;
      after = page.next;
    }
    const accepted = known.filter(({ kind }) => kind[4] === 'DECLARED_ACCEPT');
    expect(found).toEqual(expected('received', accepted));
  });

  it('by receipt passes over what is still open, however much of it is newest', async () => {
    const organisationId = 'org_with_a_flood';
    const caseOf = (id: string, state: string, day: string): Promise<unknown> =>
      sql`insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, next_action_at, closed_at, changed_at)
        select ${organisationId}, ${id} || n, ${state}, ${day}::timestamptz + n * interval '1 second', ${NOW}, case when ${state} = 'HUMAN' then ${NOW}::timestamptz end,
          case when ${state} = 'DECLARED_REFUND' then ${NOW}::timestamptz end, ${NOW}
        from generate_series(1, ${id === 'netalrt_open_' ? 1_200 : 3}::int) as n`.execute(test.db);
    await caseOf('netalrt_over_', 'DECLARED_REFUND', '2026-02-01T00:00:00Z');
    await caseOf('netalrt_open_', 'HUMAN', '2026-02-20T00:00:00Z');
    const wanted = { organisationId, order: 'latest', limit: 2, isWide: true } as const;
    const over = { ...wanted, states: ['DECLARED_REFUND'], sort: '-received' } as const;
    const first = await listOrderedAlerts(test.db, over);
    expect(first.items.map(({ alertId }) => alertId)).toEqual(['netalrt_over_3', 'netalrt_over_2']);
    const after = first.next ?? undefined;
    const second = await listOrderedAlerts(test.db, { ...over, after });
    expect(second.items.map(({ alertId }) => alertId)).toEqual(['netalrt_over_1']);
    expect(second.next).toBeNull();
    // Where even more stand before it, the page says where to look further, and misses none.
    const found: string[] = [];
    let place: { key: string; alertId: string } | undefined;
    let pages = 0;
    for (; pages < 20; pages++) {
      const page = await listOrderedAlerts(test.db, { ...over, passedMax: 100, after: place });
      found.push(...page.items.map(({ alertId }) => alertId));
      if (page.next === null) break;
      place = page.next;
    }
    expect(found).toEqual(['netalrt_over_3', 'netalrt_over_2', 'netalrt_over_1']);
    expect(pages).toBeGreaterThan(10);
  });

  it('takes no place of another order', async () => {
    const place = Buffer.from(JSON.stringify(['nobody', 'netalrt_01'])).toString('base64url');
    const answer = await site.get(`/alerts?sort=amount&cursor=${place}`, { cookie });
    expect(answer.status).toBe(400);
  });

  it('leads from a heading to that order, and to its reverse, with the filter', async () => {
    const text = await pageOf('/alerts?state=all&currency=USD&sort=-amount');
    const heading = /<th[^>]*aria-sort="([^"]*)"[^>]*><a class="sort" href="([^"]+)">Amount/.exec(
      text,
    );
    expect(heading?.[1]).toBe('descending');
    const query = new URL(heading?.[2]?.replaceAll('&amp;', '&') ?? '', 'http://a').searchParams;
    expect(Object.fromEntries(query)).toEqual({ state: 'all', currency: 'USD', sort: 'amount' });
  });
});

describe('the sum', () => {
  it('is of the whole list, by currency, whatever its pages show', async () => {
    // Four of each kind: 4 x 675.00 and 4 x 84.00 are 3,036.00.
    const text = (await pageOf('/alerts?state=all&limit=3')).replaceAll(/<[^>]+>/g, '');
    expect(text).toContain('20 alerts: €4,000.00 + ¥2,877,200 + $3,036.00 + 4 without an amount');
    expect(
      await sumAlerts(test.db, {
        organisationId: ORG,
        states: ['DECLARED_REFUND'],
        order: 'latest',
      }),
    ).toEqual({
      count: 4,
      without: 0,
      sums: [{ currency: 'USD', amountMinor: 270_000 }],
      isCut: false,
    });
  });
});

describe('columns', () => {
  const headings = (text: string): string[] =>
    [...text.matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]+)/g)].map(
      ([, words]) => words ?? '',
    );

  it('are kept for the person who chose them, and for nobody else', async () => {
    const before = headings(await pageOf('/alerts?state=all'));
    expect(before).toEqual([
      ...['Received', 'Amount', 'Customer', 'Card', 'Reason', 'Outcome', 'Decided by', 'Deadline'],
    ]);
    const body = new URLSearchParams({ csrf_token: csrf, back: 'state=all&sort=-amount' });
    for (const column of ['who', 'issuer', 'nonsense']) body.append('column', column);
    const answer = await site.post('/alerts/columns', {
      body: body.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
    });
    expect(answer.headers.get('location')).toBe('/alerts?state=all&sort=-amount');
    expect(headings(await pageOf('/alerts?state=all'))).toEqual(['Issuer', 'Amount', 'Decided by']);
    // A view that somebody keeps, or is sent, says its own columns.
    expect(headings(await pageOf('/alerts?columns=date.card'))).toEqual([
      ...['Received', 'Amount', 'Card'],
    ]);
    const added = await addOperator(test.db, {
      organisationId: ORG,
      name: 'kim',
      role: 'viewer',
      by: 'test',
      now: nowDate(clock),
      token: { as: 'shown' },
    });
    const token = added.ok ? (added.token ?? '') : '';
    const signedIn = await site.post('/login', formOf({ token }));
    const theirs = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const shown = await site.get('/alerts?state=all', { cookie: theirs });
    expect(headings(await shown.text())).toEqual(before);
    // It stands in no list of views.
    expect(await pageOf('/alerts?state=all')).not.toContain('aria-label="Saved views"');
  });
});

describe('the rows', () => {
  it('say who decided, and offer to tick only what waits for a person', async () => {
    const text = await pageOf('/alerts?state=all&columns=who');
    const row = (id: string): string =>
      new RegExp(`<tr data-alert="${id}">.*?</tr>`, 's').exec(text)?.[0] ?? '';
    expect(row('netalrt_01')).toContain('<strong>Noor</strong>');
    expect(row('netalrt_01')).not.toContain('type="checkbox"');
    expect(row('netalrt_03')).toContain('fallback');
    expect(row('netalrt_03')).toContain('value="netalrt_03"');
    expect(row('netalrt_03')).toContain('data-minor="100000" data-currency="EUR"');
  });
});
