/**
 * Guarantee: the queue shows what a person needs to choose by, the case beside it can be decided there, and the next
 * one opens. Several are dealt with at once only as they were confirmed.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findCase } from '../../../src/alerts/cases/case.store.ts';
import { caseEtag } from '../../../src/alerts/cases/case-etag.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { sumText } from '../../../src/people/console/pages/review-several.ts';
import type { DecideOutcome, OperatorDecision } from '../../../src/surface/web/ports.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { addReviewer, startConsole } from './support.ts';

const clock = createFixedClock(NOW);
const A = 'netalrt_a';
const B = 'netalrt_b';
const C = 'netalrt_c';

let test: TestDatabase;
let site: TestConsole;
let cookie: string;
let csrf: string;
const decided: OperatorDecision[] = [];
let outcome: (decision: OperatorDecision) => DecideOutcome = () => ({ ok: true });

beforeAll(async () => {
  test = await createTestDatabase();
  site = await startConsole(test.db, clock, {
    decide: async (decision) => {
      decided.push(decision);
      return outcome(decision);
    },
  });
  const rows = [
    [A, '2026-03-01T12:30:00Z', { amount_minor: 8_400, card_last4: '4242', reason_code: '10.4' }],
    [B, '2026-03-02T17:00:00Z', { amount_minor: 1_000, currency: 'EUR', reason_code: '13.1' }],
    [C, '2026-03-02T18:00:00Z', { amount_minor: 600, reason_code: '13.1' }],
  ] as const;
  for (const [id, deadlineAt, alert] of rows) {
    await insertAlert(test.db, alertObject(id));
    await test.db.updateTable('alert').set(alert).where('id', '=', id).execute();
    await insertCase(test.db, id, { state: 'HUMAN', deadlineAt });
  }
  await test.db
    .updateTable('alert_case')
    .set({ hold_reason: 'several_charges' })
    .where('alert_id', '!=', C)
    .execute();
  await test.db
    .updateTable('alert_case')
    .set({ hold_reason: 'policy_review' })
    .where('alert_id', '=', C)
    .execute();
  await addReviewer(test.db, 'lin', nowDate(clock));
  ({ cookie, csrf } = await site.signIn());
});
afterAll(async () => {
  await site.close();
  await test.drop();
});
beforeEach(() => {
  decided.length = 0;
  outcome = () => ({ ok: true });
});

const page = async (path: string): Promise<string> => {
  const answer = await site.get(path, { cookie });
  expect([path, answer.status]).toEqual([path, 200]);
  return await answer.text();
};
const textOf = (text: string): string => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
const rowsOf = (text: string): string[] =>
  [...text.matchAll(/<tr data-alert="([^"]+)"/g)].map(([, id]) => id ?? '');
const post = (
  path: string,
  fields: Record<string, string> | [string, string][],
): Promise<Response> =>
  site.post(path, {
    body: new URLSearchParams([
      ...(Array.isArray(fields) ? fields : Object.entries(fields)),
      ['csrf_token', csrf],
    ]).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
  });

describe('the queue', () => {
  it.each([
    ['', [A, B, C]],
    ['?due=hour', [A]],
    ['?held=policy_review', [C]],
    ['?reason=13.1', [B, C]],
    ['?show=mine', []],
    ['?show=unclaimed&reason=13.1', [B, C]],
    ['?sort=-acts', [C, B, A]],
    ['?sort=amount', [B, C, A]],
    // By currency, USD before EUR downwards.
    ['?sort=-amount&reason=13.1', [C, B]],
  ])('%s lists %j', async (query, ids) => {
    expect(rowsOf(await page(`/reviews${query}`))).toEqual(ids);
  });

  it('leads from each heading to that order and back, keeping the filters', async () => {
    const text = await page(`/reviews?reason=13.1&sort=-amount&open=${B}`);
    const amount = /<th[^>]*aria-sort="([^"]*)"[^>]*><a class="sort" href="([^"]+)">Amount/.exec(
      text,
    );
    expect(amount?.[1]).toBe('descending');
    const reverse = amount?.[2]?.replaceAll('&amp;', '&') ?? '';
    expect(Object.fromEntries(new URL(reverse, 'http://a').searchParams)).toEqual({
      reason: '13.1',
      sort: 'amount',
      open: B,
    });
    expect(rowsOf(await page(reverse))).toEqual([B, C]);
    // The place of another order is no place in this one.
    const cursor = Buffer.from(JSON.stringify(['nobody', A])).toString('base64url');
    const answer = await site.get(`/reviews?sort=amount&cursor=${cursor}`, { cookie });
    expect(answer.status).toBe(400);
  });

  it('stays on its page while a review of it is opened, decided, or left', async () => {
    const cursorAfter = (id: string, at: string): string =>
      Buffer.from(JSON.stringify([at, id])).toString('base64url');
    const cursor = cursorAfter(A, '2026-03-01T12:30:00.000000Z');
    const text = await page(`/reviews?cursor=${cursor}&open=${B}&action=ACCEPT_DISPUTE`);
    expect(rowsOf(text)).toEqual([B, C]);
    const addresses = (pattern: RegExp): URLSearchParams[] =>
      [...text.matchAll(pattern)].map(
        ([, path = '']) => new URL(path.replaceAll('&amp;', '&'), 'http://a').searchParams,
      );
    const [toC] = addresses(new RegExp(`href="(/reviews\\?[^"]*open=${C}[^"]*)"`, 'g'));
    expect(toC?.get('cursor')).toBe(cursor);
    const [back] = addresses(/name="back" value="([^"]+)"/g);
    expect([back?.get('cursor'), back?.get('open')]).toEqual([cursor, C]);
    const [crumb] = addresses(/only-narrow"><a href="([^"]+)"/g);
    expect(crumb?.get('cursor')).toBe(cursor);
    expect(text).toContain(`name="from" value="cursor=${cursor}"`);
    // Another filter or order begins with its first page.
    for (const found of addresses(/<(?:li><a|a class="sort") href="([^"]+)"/g)) {
      expect(found.get('cursor')).toBeNull();
    }
    // Once its reviews are decided a page is empty, and others may still wait.
    const end = textOf(
      await page(`/reviews?cursor=${cursorAfter(C, '2026-03-02T18:00:00.000000Z')}`),
    );
    expect(end).toContain('Nothing waits any more on this page. Show the first page');
    expect(end).not.toContain('Nothing waits for a person.');
  });

  it('counts what each filter would show, and knows whose a review is', async () => {
    await post(`/alerts/${B}/claim`, {});
    const text = textOf(await page('/reviews'));
    expect(text).toContain('All 3 Mine 1 Unclaimed 2 Due within an hour 1');
    expect(text).toContain('several charges 2 policy review 1');
    expect(rowsOf(await page('/reviews?show=mine'))).toEqual([B]);
    expect(rowsOf(await page('/reviews?show=unclaimed'))).toEqual([A, C]);
    await post(`/alerts/${B}/hand-back`, { back: '/reviews' });
  });

  it('shows a row with amount, card, reason and why, and the first case beside it', async () => {
    const text = await page('/reviews');
    const row = textOf(text.slice(text.indexOf(`<tr data-alert="${A}"`)).split('</tr>')[0] ?? '');
    expect(row).toContain(
      '30 min deadline $84.00 ···· 4242 10.4 not known several charges 2 h nobody',
    );
    expect(text).toContain(`<tr data-alert="${A}" aria-current="true">`);
    expect(text).toContain(`aria-label="The open review" data-alert="${A}"`);
  });

  it.each(['?due=day', '?open=x', '?action=DELETE', '?held=a%20b', '?x=1'])(
    '%s is refused',
    async (query) => {
      expect((await site.get(`/reviews${query}`, { cookie })).status).toBe(400);
    },
  );
});

describe("a page without anything in the browser's cache", () => {
  it.each(['/', `/alerts/${A}`])('%s weighs less than 60 KB in all', async (path) => {
    const packed = { 'accept-encoding': 'gzip, br' };
    const bytesOf = async (path: string): Promise<[number, string]> => {
      const answer = await site.get(path, { cookie, ...packed });
      expect(answer.headers.get('content-encoding')).toMatch(/^(gzip|br)$/);
      return [Number(answer.headers.get('content-length')), await answer.text()];
    };
    const [bytes, text] = await bytesOf(path);
    const files = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((found) => found[1]);
    expect(files.length).toBeGreaterThanOrEqual(3);
    const sizes = await Promise.all(files.map(async (file) => (await bytesOf(file ?? ''))[0]));
    const all = sizes.reduce((sum, size) => sum + size, bytes);
    expect(all).toBeGreaterThan(20_000);
    expect(all).toBeLessThan(60_000);
  });

  it('is not packed for another site, which could measure it', async () => {
    const foreign = { cookie, 'sec-fetch-site': 'cross-site', 'accept-encoding': 'gzip' };
    const answer = await site.get('/', foreign);
    expect(answer.headers.get('content-encoding')).toBeNull();
  });
});

describe('deciding beside the queue', () => {
  it('takes the decision, and opens the next one with the same form', async () => {
    const text = await page(`/reviews?reason=13.1&open=${B}&action=ACCEPT_DISPUTE`);
    const back = /name="back" value="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const mark = /name="seen" value="([^"]+)"/.exec(text)?.[1] ?? '';
    expect(text).toMatch(/<textarea id="note"[^>]+ autofocus/);
    const answer = await post(`/alerts/${B}/decision`, {
      action: 'ACCEPT_DISPUTE',
      seen: mark,
      back,
    });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(
      `/reviews?reason=13.1&open=${C}&action=ACCEPT_DISPUTE&decided=${B}`,
    );
    expect(decided).toMatchObject([{ alertId: B, action: 'ACCEPT_DISPUTE', seen: mark }]);
    const next = await page(answer.headers.get('location') ?? '');
    expect(next).toContain(`aria-label="The open review" data-alert="${C}"`);
    expect(next).toMatch(/<textarea id="note"[^>]+ autofocus/);
    expect(textOf(next)).toContain(`Decided: ${B}`);
  });

  it('passes over what somebody else has claimed', async () => {
    await test.db
      .insertInto('review_claim')
      .values(
        [A, B].map((alert_id) => ({
          organisation_id: ORG,
          alert_id,
          operator: 'lin',
          claimed_at: NOW,
          claimed_until: '2026-03-01T12:30:00Z',
        })),
      )
      .execute();
    expect(await page('/reviews')).toContain(`aria-label="The open review" data-alert="${C}"`);
    const text = await page(`/reviews?open=${A}&action=ACCEPT_DISPUTE`);
    expect(text).toContain(`name="back" value="/reviews?open=${C}&amp;`);
    await test.db.deleteFrom('review_claim').execute();
  });

  it('continues nowhere else than to the queue', async () => {
    for (const back of ['https://evil.example/reviews?', '//evil.example/reviews?', '/logout']) {
      const answer = await post(`/alerts/${B}/decision`, { action: 'ACCEPT_DISPUTE', back });
      expect([back, answer.headers.get('location')]).toEqual([back, `/alerts/${B}?decided=1`]);
    }
  });

  it('says why a decision was refused, and still continues to the next one after it', async () => {
    outcome = () => ({ ok: false, reason: 'conflict', message: 'Somebody was faster.' });
    const back = `/reviews?open=${C}`;
    const answer = await post(`/alerts/${B}/decision`, { action: 'ACCEPT_DISPUTE', back });
    expect(answer.status).toBe(409);
    const text = await answer.text();
    expect(text).toContain('Somebody was faster.');
    expect(text).toContain(`name="back" value="${back}"`);
  });
});

async function setCharge(ids: readonly string[], reference: string | null): Promise<void> {
  await test.db
    .updateTable('alert_case')
    .set({ charge_reference: reference })
    .where('alert_id', 'in', ids)
    .execute();
}

describe('several at once', () => {
  const ids = [A, B].map((id): [string, string] => ['id', id]);

  it('are confirmed by number and by sum of each currency', async () => {
    const query = new URLSearchParams([['act', 'accept'], ['from', 'reason=13.1'], ...ids]);
    const text = await page(`/reviews/several?${query.toString()}`);
    expect(text).toContain('<h1>Accept 2 disputes: €10.00 + $84.00?</h1>');
    expect(text).toContain('<button>Accept 2 disputes: €10.00 + $84.00</button>');
    expect(sumText([{ amountMinor: null, currency: null }])).toBe('1 without an amount');
    expect((await site.get('/reviews/several?act=accept', { cookie })).status).toBe(400);
    // The back button after all of them were decided.
    const gone = await site.get('/reviews/several?act=accept&id=netalrt_gone&from=due%3Dhour', {
      cookie,
    });
    expect([gone.status, await gone.text()]).toEqual([
      409,
      expect.stringContaining('<a href="/reviews?due=hour">Back to the reviews</a>'),
    ]);
    expect((await site.get('/reviews/several?act=burn&id=x', { cookie })).status).toBe(400);
  });

  it('are accepted each by the mark of what was shown, and never unseen', async () => {
    const shown = await Promise.all(
      [A, B].map(async (id): Promise<[string, string]> => {
        const row = await findCase(test.db, ORG, id);
        return ['seen', row === undefined ? '' : `${id} ${caseEtag(row)}`];
      }),
    );
    const answer = await post('/reviews/several', [
      ['act', 'accept'],
      ['from', 'due=hour'],
      ['note', 'All alike.'],
      ...ids,
      ...shown,
    ]);
    expect(answer.headers.get('location')).toBe('/reviews?due=hour&count=2');
    expect(decided).toMatchObject(
      [A, B].map((alertId, index) => ({
        alertId,
        action: 'ACCEPT_DISPUTE',
        note: 'All alike.',
        seen: shown[index]?.[1].split(' ')[1],
      })),
    );
    decided.length = 0;
    const unseen = await post('/reviews/several', [['act', 'accept'], ...ids]);
    expect([unseen.status, decided]).toEqual([409, []]);
  });

  it('name what was not done', async () => {
    outcome = ({ alertId }) =>
      alertId === A
        ? { ok: true }
        : { ok: false, reason: 'refused', message: 'Money went back already.' };
    const marks = [A, B].map((id): [string, string] => ['seen', `${id} 0123456789abcdef`]);
    const answer = await post('/reviews/several', [['act', 'accept'], ...ids, ...marks]);
    expect(answer.status).toBe(409);
    const text = textOf(await answer.text());
    expect(text).toContain('1 done, 1 not');
    expect(text).toContain(`${B} Money went back already.`);
  });

  it('are refunded each by itself, for a reason, by the mark of what was shown', async () => {
    // Without a chosen charge nothing can go back.
    const none = await site.get(`/reviews/several?act=refund&id=${A}`, { cookie });
    expect([none.status, textOf(await none.text())]).toEqual([
      409,
      expect.stringContaining('No charge is chosen for any of them.'),
    ]);
    await setCharge([A, B], 'ch_bulk');
    const three = [...ids, ['id', C]] as [string, string][];
    const query = new URLSearchParams([['act', 'refund'], ['from', 'due=hour'], ...three]);
    const text = await page(`/reviews/several?${query.toString()}`);
    expect(text).toContain('<h1>Refund 2 alerts: €10.00 + $84.00?</h1>');
    expect(text).toContain('<button>Refund 2 alerts: €10.00 + $84.00</button>');
    expect(textOf(text)).toContain('1 of those ticked has no charge chosen and is left out');
    expect(text).not.toContain(`name="id" value="${C}"`);
    const marks = [...text.matchAll(/name="seen" value="([^"]+)"/g)].flatMap(
      ([, mark]): [string, string][] => (mark?.startsWith(C) ? [] : [['seen', mark ?? '']]),
    );
    const order: [string, string][] = [['act', 'refund'], ['from', 'due=hour'], ...ids, ...marks];
    expect((await post('/reviews/several', order)).status).toBe(400);
    expect(decided).toEqual([]);
    const answer = await post('/reviews/several', [...order, ['note', 'Sorry.']]);
    expect(answer.headers.get('location')).toBe(
      `/reviews/several/done?act=refund&from=due%3Dhour&id=${A}&id=${B}`,
    );
    expect(decided).toMatchObject(
      [A, B].map((alertId, index) => ({
        ...{ alertId, action: 'REFUND', note: 'Sorry.', operator: 'console' },
        seen: marks[index]?.[1].split(' ')[1],
      })),
    );
    // Each says where it stands, read anew.
    const done = textOf(await page(answer.headers.get('location') ?? ''));
    expect(done).toContain('2 alerts decided');
    expect(done).toContain(`${A} $84.00 needs a decision`);
    decided.length = 0;
    const unseen = await post('/reviews/several', [
      ...[['act', 'refund'], ...ids],
      ['note', 'Sorry.'],
    ] as [string, string][]);
    expect([unseen.status, decided]).toEqual([409, []]);
    outcome = ({ alertId }) =>
      alertId === A
        ? { ok: true }
        : { ok: false, reason: 'conflict', message: 'It changed meanwhile.' };
    const stale = await post('/reviews/several', [...order, ['note', 'Sorry.']]);
    const said = textOf(await stale.text());
    expect(said).toContain('1 done, 1 not');
    expect(said).toContain('What became of the 1 that was decided');
    expect(said).toContain(`${B} It changed meanwhile.`);
    await setCharge([A, B], null);
  });

  it('are refunded by nobody whose proof is a quarter of an hour old', async () => {
    await setCharge([A], 'ch_bulk');
    clock.advanceMs(16 * 60_000);
    const path = `/reviews/several?act=refund&id=${A}`;
    const asked = await site.get(path, { cookie });
    expect(asked.headers.get('location')).toBe(`/confirm?next=${encodeURIComponent(path)}`);
    const sent = await post('/reviews/several', [
      ...[
        ['act', 'refund'],
        ['id', A],
      ],
      ...[
        ['seen', `${A} 0123456789abcdef`],
        ['note', 'Sorry.'],
      ],
    ] as [string, string][]);
    expect(sent.headers.get('location')).toBe(`/confirm?next=${encodeURIComponent(path)}`);
    expect(decided).toEqual([]);
    clock.advanceMs(-16 * 60_000);
    await setCharge([A], null);
  });

  it('are handed over to a colleague who may decide', async () => {
    const bad = await post('/reviews/several', [['act', 'hand-over'], ['to', 'nobody'], ...ids]);
    expect(bad.status).toBe(400);
    await post('/reviews/several', [['act', 'hand-over'], ['to', 'lin'], ...ids]);
    const claims = await test.db.selectFrom('review_claim').select('operator').execute();
    expect(claims).toEqual([{ operator: 'lin' }, { operator: 'lin' }]);
    await test.db.deleteFrom('review_claim').execute();
  });
});
