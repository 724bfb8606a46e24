/**
 * Guarantee: a new token is shown to whoever opens its link first, once, and to nobody else; every token has an end and shows when it
 * was used; a program may do what its verbs say and nothing else, signs in nowhere, and is nobody's second person.
 */
import type { Router } from 'express';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { createOrderRoutes } from '../../../src/orders/order-routes.ts';
import { createApiRouter } from '../../../src/people/console/api.ts';
import { API_NEEDS, needsOfCall } from '../../../src/people/console/api-needs.ts';
import { addOperator, findOperator } from '../../../src/surface/access/operator.store.ts';
import type { Verb } from '../../../src/surface/access/role.ts';
import { VERBS } from '../../../src/surface/access/role.ts';
import { useTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { formOf, jsonOf, startConsole } from './support.ts';

const DAY_MS = 86_400_000;
const test = useTestDatabase();
const clock = createFixedClock(NOW);
let site: TestConsole;
const decided: string[] = [];
let count = 0;

beforeAll(async () => {
  site = await startConsole(test.db, clock, {
    decide: async ({ action }) => {
      decided.push(action);
      return { ok: true };
    },
  });
  await insertAlert(test.db, alertObject('netalrt_1'));
  await insertCase(test.db, 'netalrt_1', { state: 'HUMAN', chargeReference: 'ch_1' });
});
beforeEach(() => {
  decided.length = 0;
});
afterAll(() => site.close());

/** Adds a person or a program on the page, and returns the path of the link that it shows. */
async function addOnPage(fields: Record<string, string>, path = '/operators') {
  const { cookie, csrf } = await site.signIn();
  const answer = await site.post(path, formOf({ ...fields, csrf_token: csrf }, { cookie }));
  const page = await answer.text();
  const [, link = ''] = /<pre tabindex="0">http:\/\/[^/]+(\/token\/[\w-]{43})</.exec(page) ?? [];
  return { status: answer.status, page, link };
}

async function open(link: string) {
  const answer = await site.post(link, formOf({}));
  const page = await answer.text();
  const [, token = ''] = /<pre tabindex="0">([\w-]{43})</.exec(page) ?? [];
  return { status: answer.status, page, token };
}

const person = (name: string) => ({ name, role: 'viewer', sign_in: 'token' });
const signsIn = async (token: string): Promise<number> =>
  (await site.post('/login', formOf({ token }))).status;

async function program(may: readonly Verb[]): Promise<Record<string, string>> {
  count += 1;
  const name = `Program ${count}`;
  const change = {
    organisationId: ORG,
    name,
    by: 'test',
    now: nowDate(clock),
    role: 'viewer',
  } as const;
  const added = await addOperator(test.db, { ...change, may, token: { as: 'shown' } });
  return { authorization: `Bearer ${added.ok ? added.token : ''}` };
}

describe('the link of a new token', () => {
  it('shows it once, to whoever presses the button, and to no administrator', async () => {
    const { page, link } = await addOnPage(person('Noor'));
    expect(page).not.toMatch(/<pre tabindex="0">[\w-]{43}</);
    // What only looks at links, as chats do, uses nothing up.
    for (let looks = 0; looks < 3; looks++) {
      expect(await (await site.get(link)).text()).toContain('Show my token');
    }
    const first = await open(link);
    expect([first.status, first.page]).toEqual([200, expect.stringContaining('Noor')]);
    expect(await signsIn(first.token)).toBe(303);
    const second = await open(link);
    expect([second.status, second.token]).toEqual([404, '']);
    expect(second.page).toContain('somebody else has your token');
    expect(await signsIn(first.token)).toBe(303);
  });

  it('is used once by twenty who press at the same moment', async () => {
    const { link } = await addOnPage(person('Racer'));
    const all = await Promise.all(Array.from({ length: 9 }, () => open(link)));
    expect(all.filter(({ token }) => token !== '')).toHaveLength(1);
    await test.db.deleteFrom('console_attempt').execute();
  });

  it('holds for three days, and another one ends it', async () => {
    const late = await addOnPage(person('Late'));
    clock.advanceMs(3 * DAY_MS);
    expect((await open(late.link)).status).toBe(404);
    const again = await addOnPage({ name: 'Late' }, '/operators/token');
    const last = await addOnPage({ name: 'Late' }, '/operators/token');
    expect((await open(again.link)).status).toBe(404);
    expect(await signsIn((await open(last.link)).token)).toBe(303);
  });

  it('ends the token before it at once', async () => {
    const { token } = await open((await addOnPage(person('Kim'))).link);
    const { link } = await addOnPage({ name: 'Kim' }, '/operators/token');
    expect(await signsIn(token)).toBe(401);
    expect(await signsIn((await open(link)).token)).toBe(303);
  });

  it('of another site opens nothing', async () => {
    const { link } = await addOnPage(person('Cross'));
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await site.post(link, formOf({}, headers))).status).toBe(403);
    expect((await open(link)).status).toBe(200);
  });
});

describe('a token', () => {
  it('ends on the day that was chosen, and then says so', async () => {
    const last = new Date(clock.nowMs() + 2 * DAY_MS).toISOString().slice(0, 10);
    const { link } = await addOnPage({ ...person('Brief'), ends: last });
    const { token } = await open(link);
    const authorization = `Bearer ${token}`;
    const end = Date.parse(`${last}T23:59:59Z`);
    clock.advanceMs(end - 1 - clock.nowMs());
    expect((await site.get('/api/alerts', { authorization })).status).toBe(200);
    clock.advanceMs(1);
    expect((await site.get('/api/alerts', { authorization })).status).toBe(401);
    const refused = await site.post('/login', formOf({ token }));
    expect(await refused.text()).toContain('This token has ended');
  });

  it('ends within a year, chosen or not', async () => {
    const farDay = new Date(clock.nowMs() + 367 * DAY_MS).toISOString().slice(0, 10);
    const past = new Date(clock.nowMs() - DAY_MS).toISOString().slice(0, 10);
    for (const ends of [farDay, past, '2026-02-30', 'soon']) {
      const { status, page } = await addOnPage({ ...person('Far'), ends });
      expect([ends, status, page]).toEqual([
        ends,
        400,
        expect.stringContaining('at most 365 days'),
      ]);
    }
    await open((await addOnPage(person('Year'))).link);
    const row = await findOperator(test.db, ORG, 'Year');
    expect(row?.token_ends_at).toEqual(new Date(clock.nowMs() + 365 * DAY_MS));
    const endless = `update console_operator set token_ends_at = null where name = 'Year'`;
    await test.pool.query(endless);
    // The database itself sees to it.
    expect((await findOperator(test.db, ORG, 'Year'))?.token_ends_at).not.toBeNull();
  });

  it('shows when it ends and when it was used, to the minute', async () => {
    const { token } = await open((await addOnPage(person('Used'))).link);
    const authorization = `Bearer ${token}`;
    const used = async () => (await findOperator(test.db, ORG, 'Used'))?.token_used_at?.getTime();
    expect(await used()).toBeUndefined();
    const first = clock.nowMs();
    await site.get('/api/alerts', { authorization });
    clock.advanceMs(59_999);
    await site.get('/api/alerts', { authorization });
    expect(await used()).toBe(first);
    clock.advanceMs(1);
    await site.get('/api/alerts', { authorization });
    expect(await used()).toBe(first + 60_000);
    const { cookie } = await site.signIn();
    const page = await (await site.get('/operators', { cookie })).text();
    expect(page).toMatch(/Used[\s\S]{0,300}ends <time[\s\S]{0,200}used last <time/);
  });
});

/** A call of each operation, as far as a request is needed to see whether it is let in. */
function callOf(operation: string): [method: string, path: string] {
  const [method = '', path = ''] = operation.split(' ');
  return [method, path.replace('{reference}', 'ch_1').replaceAll(/\{\w+\}/g, 'netalrt_1')];
}

/** `METHOD /path` of a router and of those in it, as the document names them. */
function operationsOf(router: Router, prefix: string): string[] {
  return router.stack.flatMap(({ route, handle }) => {
    if (route === undefined) {
      const { stack } = handle as Partial<Router>;
      return stack === undefined ? [] : operationsOf(handle as unknown as Router, prefix);
    }
    const path = (prefix + route.path).replaceAll(/:(\w+)/g, '{$1}');
    const methods = new Set(route.stack.flatMap(({ method = '' }) => method.toUpperCase() || []));
    return [...methods].map((method) => `${method} ${path}`);
  });
}

describe('a program', () => {
  it('has an entry in the table for each route that there is', () => {
    const none = {} as never;
    const routes = [
      ...operationsOf(createApiRouter(none, none), '/api'),
      ...operationsOf(createOrderRoutes(none), '/api/orders').map((route) =>
        route.replace(/\/$/, ''),
      ),
    ];
    expect(routes).toContain('POST /api/reviews/{id}/hand-over');
    expect(routes.length).toBeGreaterThan(20);
    const named = Object.keys(API_NEEDS);
    expect(routes.filter((route) => !named.includes(route))).toEqual([]);
    // Routes of the app itself; the document is read by whoever may call.
    const elsewhere = ['GET /api/openapi.json', 'GET /api/organisations', 'GET /metrics'];
    expect(named.filter((call) => ![...routes, ...elsewhere].includes(call))).toEqual([]);
  });

  const operations = Object.entries(API_NEEDS).filter(([call]) => !call.includes('organisations'));

  // By hand: what the table of the program says of itself proves nothing.
  it.each([
    ['POST', '/api/alerts/a/decision', ['alerts:decide', 'alerts:refund']],
    ['POST', '/api/alerts/a/match', ['alerts:refund']],
    ['POST', '/api/alerts/a/approve', []],
    ['POST', '/api/refund-claims', ['claims:write']],
    ['POST', '/api/reviews/a/claim', ['reviews:write']],
    ['POST', '/api/reviews/a/hand-back', ['reviews:write']],
    ['POST', '/api/reviews/a/hand-over', ['reviews:write']],
    ['POST', '/api/reviews/a/comments', ['reviews:write']],
    ['GET', '/api/findings', ['events:read']],
    ['POST', '/api/pause', ['refunds:stop']],
    ['POST', '/api/resume', []],
    ['POST', '/api/events/a/replay', ['events:replay']],
    ['POST', '/api/orders', ['orders:write']],
    ['PATCH', '/api/orders/a', ['orders:write']],
    ['DELETE', '/api/orders/a', []],
    ['GET', '/api/orders/a', ['orders:read']],
    ['GET', '/api/alerts', ['alerts:read']],
    ['GET', '/api/refund-claims/a', ['claims:read']],
    ['GET', '/api/changes', ['changes:read']],
    ['GET', '/metrics', ['metrics:read']],
  ])('%s %s takes of a program %j', (method, path, verbs) => {
    expect(needsOfCall(method, path).verbs).toEqual(verbs);
  });

  it.each(operations)('%s takes one of its verbs and no other', async (operation, { verbs }) => {
    const [method, path] = callOf(operation);
    const send = async (headers: Record<string, string>): Promise<string> => {
      const init = method === 'GET' ? { headers } : jsonOf({}, headers);
      const answer = await fetch(site.url + path, { method, ...init });
      const body: unknown = answer.status === 403 ? await answer.json() : await answer.text();
      return answer.status === 403 ? JSON.stringify(body) : 'let in';
    };
    const own = verbs === 'any' ? VERBS : verbs;
    const others = VERBS.filter((verb) => !own.includes(verb));
    if (others.length > 0) expect(await send(await program(others))).toContain('FORBIDDEN');
    for (const verb of verbs === 'any' ? [] : verbs) {
      expect([verb, await send(await program([verb]))]).toEqual([verb, 'let in']);
    }
    if (own.length === 0) expect(await send(await program(VERBS))).toContain('takes a person');
  });

  it('that hands orders in decides nothing, and one that decides refunds nothing', async () => {
    const decide = async (may: readonly Verb[], action: string) =>
      (await site.post('/api/alerts/netalrt_1/decision', jsonOf({ action }, await program(may))))
        .status;
    expect(await decide(['orders:read', 'orders:write'], 'ACCEPT_DISPUTE')).toBe(403);
    expect(await decide(['orders:read', 'orders:write'], 'REFUND')).toBe(403);
    expect(await decide(['alerts:decide'], 'REFUND')).toBe(403);
    expect(await decide(['alerts:refund'], 'ACCEPT_DISPUTE')).toBe(403);
    expect(decided).toEqual([]);
    expect(await decide(['alerts:decide'], 'ACCEPT_DISPUTE')).toBe(202);
    expect(await decide(['alerts:refund'], 'REFUND')).toBe(202);
    expect(decided).toEqual(['ACCEPT_DISPUTE', 'REFUND']);
  });

  it('is entered on the page with its verbs, signs in nowhere, and gets no role', async () => {
    const none = await addOnPage({ name: 'Shop' }, '/operators/program');
    expect([none.status, none.page]).toEqual([
      400,
      expect.stringContaining('may has to name something'),
    ]);
    const added = await addOnPage({ name: 'Shop', may: 'orders:write' }, '/operators/program');
    const { token } = await open(added.link);
    const refused = await site.post('/login', formOf({ token }));
    expect([refused.status, await refused.text()]).toEqual([
      401,
      expect.stringContaining('of a program'),
    ]);
    const { cookie, csrf } = await site.signIn();
    const role = { name: 'Shop', role: 'administrator', csrf_token: csrf };
    expect((await site.post('/operators/role', formOf(role, { cookie }))).status).toBe(404);
    expect(await findOperator(test.db, ORG, 'Shop')).toMatchObject({
      role: 'viewer',
      may: ['orders:write'],
    });
    const raise = `update console_operator set role = 'administrator' where name = 'Shop'`;
    await expect(test.pool.query(raise)).rejects.toMatchObject({ code: '23514' });
  });
});
