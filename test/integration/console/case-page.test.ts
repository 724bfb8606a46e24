/**
 * Guarantee: what a person needs to decide is on the page. Whatever reason somebody wrote stays to be read; the
 * time shown, and the order of the queue, end where Forestall acts by itself; and charges that could be meant
 * can be distinguished.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listReviews } from '../../../src/alerts/review/review-queue.store.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { show } from '../../../src/people/cli/reviews.ts';
import { candidatesOf, lineUp } from '../../../src/people/console/pages/candidates.ts';
import type { Site } from '../../browser/support/site.ts';
import { CONSOLE_TOKEN, openSite, raiseReview } from '../../browser/support/site.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { BEARER, jsonOf, startConsole } from './support.ts';

const textOf = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

describe('the time to decide', () => {
  let test: TestDatabase;
  let site: TestConsole;
  let cookie: string;
  const clock = createFixedClock(NOW);

  beforeAll(async () => {
    test = await createTestDatabase();
    site = await startConsole(test.db, clock);
    ({ cookie } = await site.signIn());
    for (const [id, deadlineAt] of [
      ['netalrt_acts_soon', '2026-03-03T11:56:00Z'],
      ['netalrt_due_sooner', '2026-03-01T17:00:00Z'],
    ] as const) {
      await insertAlert(test.db, alertObject(id));
      await insertCase(test.db, id, { state: 'HUMAN', deadlineAt, chargeReference: `ch_${id}` });
    }
    await test.db
      .updateTable('alert_case')
      .set({ fallback_action: 'REFUND', fallback_at: '2026-03-01T13:00:00Z' })
      .where('alert_id', '=', 'netalrt_acts_soon')
      .execute();
  });
  afterAll(async () => {
    await site.close();
    await test.drop();
  });

  const page = async (path: string): Promise<string> =>
    await (await site.get(path, { cookie })).text();

  it.each(['/reviews', '/'])(
    'on %s ends where the policy acts, and orders the list',
    async (path) => {
      const text = await page(path);
      expect(text.indexOf('netalrt_acts_soon')).toBeLessThan(text.indexOf('netalrt_due_sooner'));
      expect(textOf(text)).toContain('1 h 0 min left then it is refunded');
      expect(textOf(text)).toMatch(/5 h 0 min (left|deadline)/);
      expect(text).not.toContain('47 h');
    },
  );

  it('on the page of the alert and in front of the decision too', async () => {
    for (const path of ['', '/decide?action=ACCEPT_DISPUTE']) {
      const text = await page(`/alerts/netalrt_acts_soon${path}`);
      expect(textOf(text)).toContain('1 h 0 min left then it is refunded');
      expect(text).not.toContain('47 h');
    }
  });

  it.each([
    ['RECONCILED_RDR', null, true],
    ['DECLARED_ACCEPT', null, true],
    ['CLOSED_REMOTE', null, true],
    ['DECLARED_ACCEPT', 'ch_1', false],
    ['DECLARED_REFUND', null, false],
    ['CLOSED_INVALID', null, false],
  ] as const)(
    'what is over as %s with charge %s lets its charge be named: %s',
    async (state, charge, is) => {
      const id = `netalrt_over_${state.toLowerCase()}_${charge ?? 'none'}`;
      await insertAlert(test.db, alertObject(id));
      await insertCase(test.db, id, { state, chargeReference: charge });
      const text = await page(`/alerts/${id}`);
      expect(text.includes(`action="/alerts/${id}/choose"`)).toBe(is);
      expect(text.includes('name="other_card"')).toBe(is);
    },
  );

  it('counts on the first page, over the API and on the terminal', async () => {
    expect(textOf(await page('/'))).toContain('Need a decision 2 the first: 1 h 0 min left');
    const first = await (await site.get('/api/reviews?limit=1', BEARER)).json();
    expect(first).toMatchObject({
      items: [{ alert_id: 'netalrt_acts_soon', acts_at: '2026-03-01T13:00:00.000Z' }],
    });
    const { next_cursor: cursor } = first as { next_cursor: string };
    const second = await (await site.get(`/api/reviews?limit=1&cursor=${cursor}`, BEARER)).json();
    expect(second).toMatchObject({ items: [{ alert_id: 'netalrt_due_sooner' }] });
    const now = nowDate(clock);
    const shown = show(await listReviews(test.db, { organisationId: ORG, now, limit: 5 }), now);
    expect(shown).toMatch(/^ {2}1h 00m .*netalrt_acts_soon/);
    expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('what people wrote and what could be meant', () => {
  let site: Site;
  let cookie: string;

  beforeAll(async () => {
    site = await openSite();
    const answer = await fetch(`${site.url}/login`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ token: CONSOLE_TOKEN }),
    });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  });
  afterAll(async () => {
    await site.close();
  });

  const page = async (path: string): Promise<string> =>
    await (await fetch(site.url + path, { headers: { cookie } })).text();

  const decide = async (alertId: string, body: object): Promise<number> => {
    const { headers, body: text } = jsonOf(body, { authorization: `Bearer ${CONSOLE_TOKEN}` });
    const url = `${site.url}/api/alerts/${alertId}/decision`;
    return (await fetch(url, { method: 'POST', headers, body: text })).status;
  };

  it('two charges of one card stand side by side by what differs', async () => {
    const { alertId, sale } = await raiseReview(site);
    const text = await page(`/alerts/${alertId}`);
    const cards = textOf(text.slice(text.indexOf('2 candidates')));
    expect(cards).toContain(sale.charge.reference);
    expect(cards).toMatch(
      /The same for all: paid 20\d\d-\d\d-\d\d \d\d:\d\d UTC .* bought Evening course/,
    );
    expect(cards).toMatch(/Customer \S+, \S+@customer\.example/);
    const asked = textOf(await page(`/alerts/${alertId}/decide?action=REFUND`));
    expect(asked).toMatch(/customer \S+/);
  });

  it('the reason of a decision is read without opening anything', async () => {
    const { alertId, sale } = await raiseReview(site);
    const reference = sale.charge.reference;
    const note = 'She wrote to us on Monday.';
    expect(await decide(alertId, { action: 'REFUND', charge_reference: reference, note })).toBe(
      202,
    );
    const text = (await page(`/alerts/${alertId}`)).replaceAll(/<pre.*?<\/pre>/gs, '');
    expect(textOf(text)).toContain(`Reason: ${note}`);
  });

  it('the reason of what a person states stays as well', async () => {
    const { alertId } = await raiseReview(site);
    const note = 'The shop has answered.';
    expect(await decide(alertId, { action: 'RETRY', note })).toBe(202);
    expect(textOf(await page(`/alerts/${alertId}`))).toContain(`Reason for RETRY: ${note}`);
  });
});

describe('candidates', () => {
  const one = {
    reference: 'ch_1',
    orderReference: null,
    score: 12,
    for: ['the card agrees'],
    against: [],
    amountMinor: 8_400,
    currency: 'USD',
    authorisedAt: '2026-02-01T10:00:00.000Z',
    cardLast4: '4242',
    cardBrand: 'Example',
    descriptor: 'SHOP',
  };

  it('are distinguished by their dates where all else agrees', () => {
    const stored = [one, { ...one, reference: 'ch_2', authorisedAt: '2026-02-03T18:30:00.000Z' }];
    const { placed, shared } = lineUp(candidatesOf({ candidates: stored } as never), new Map());
    expect(placed.map(({ differs }) => differs)).toEqual([
      [['Paid', '2026-02-01 10:00 UTC']],
      [['Paid', '2026-02-03 18:30 UTC']],
    ]);
    expect(shared).toEqual([
      ['Amount', '$84.00'],
      ['Card', 'Example ···· 4242'],
      ['Descriptor', 'SHOP'],
      ['Score', '12'],
    ]);
  });

  it('of an older version, which stored less, are shown with what there is', () => {
    const { placed } = lineUp(
      candidatesOf({ candidates: [{ reference: 'ch_1' }] } as never),
      new Map(),
    );
    expect(placed).toMatchObject([{ candidate: { reference: 'ch_1', amount: null }, differs: [] }]);
  });
});
