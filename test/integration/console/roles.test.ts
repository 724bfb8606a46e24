/** Guarantee: the server holds each role to its limits, on pages and over the API, whatever a page offers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import {
  addOperator,
  listOperators,
  removeOperator,
  renewToken,
  setRole,
} from '../../../src/surface/access/operator.store.ts';
import type { Role } from '../../../src/surface/access/role.ts';
import type { OperatorDecision } from '../../../src/surface/web/ports.ts';
import { useTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { formOf, jsonOf, startConsole, TOKEN } from './support.ts';

const test = useTestDatabase();
let clock: FixedClock;
let site: TestConsole;
const decisions: OperatorDecision[] = [];
const tokens = new Map<string, string>();

beforeAll(async () => {
  clock = createFixedClock(NOW);
  site = await startConsole(test.db, clock, {
    decide: async (decision) => {
      decisions.push(decision);
      return { ok: true };
    },
  });
  await insertAlert(test.db, alertObject('netalrt_1'));
  await insertCase(test.db, 'netalrt_1', { state: 'HUMAN', chargeReference: 'ch_1' });
  for (const role of ['viewer', 'reviewer', 'administrator'] as const) {
    tokens.set(role, await add(role, role));
  }
});
afterAll(async () => {
  await site.close();
});

function change(name: string) {
  return { organisationId: ORG, name, by: 'test', now: nowDate(clock) };
}

async function add(name: string, role: Role): Promise<string> {
  const added = await addOperator(test.db, { ...change(name), role, token: { as: 'shown' } });
  if (!added.ok || added.token === undefined) throw new Error(`${name} was not added`);
  return added.token;
}

async function signInAs(token: string): Promise<{ cookie: string; csrf: string }> {
  const answer = await site.post('/login', formOf({ token }));
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const page = await (await site.get('/', { cookie })).text();
  return { cookie, csrf: /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? '' };
}

const ALERT = '/alerts/netalrt_1';

describe('pages', () => {
  it.each([
    ['viewer', 'GET', '/', 200],
    ['viewer', 'GET', '/reviews', 200],
    ['viewer', 'GET', ALERT, 200],
    ['viewer', 'GET', '/system', 200],
    ['viewer', 'GET', `${ALERT}/decide?action=REFUND`, 403],
    ['viewer', 'GET', '/alerts.csv', 403],
    ['viewer', 'GET', '/operators', 403],
    ['viewer', 'POST', `${ALERT}/decision`, 403],
    ['viewer', 'POST', `${ALERT}/claim`, 403],
    ['viewer', 'POST', `${ALERT}/hand-back`, 403],
    ['viewer', 'POST', `${ALERT}/hand-over`, 403],
    ['viewer', 'POST', `${ALERT}/comment`, 403],
    ['viewer', 'POST', `${ALERT}/choose`, 403],
    ['viewer', 'POST', `${ALERT}/approve`, 403],
    ['viewer', 'POST', `${ALERT}/decline`, 403],
    ['viewer', 'POST', '/events/evt_1/replay', 403],
    ['viewer', 'POST', '/system/pause', 403],
    ['viewer', 'POST', '/system/resume', 403],
    ['viewer', 'POST', '/operators', 403],
    ['reviewer', 'GET', `${ALERT}/decide?action=REFUND`, 200],
    ['reviewer', 'GET', '/alerts.csv', 200],
    ['reviewer', 'GET', '/operators', 403],
    ['reviewer', 'POST', '/operators', 403],
    ['reviewer', 'POST', '/operators/role', 403],
    ['reviewer', 'POST', '/operators/token', 403],
    ['reviewer', 'POST', '/operators/remove', 403],
    ['reviewer', 'POST', '/system/resume', 403],
    ['reviewer', 'POST', '/policies/backtests', 403],
    ['viewer', 'GET', '/policies/backtests', 200],
    ['administrator', 'GET', '/operators', 200],
  ])('a %s who sends %s %s is answered %i', async (role, method, path, status) => {
    const { cookie, csrf } = await signInAs(tokens.get(role) ?? '');
    const form = formOf({ csrf_token: csrf, action: 'REFUND', note: 'n', name: 'x' }, { cookie });
    const answer =
      method === 'GET' ? await site.get(path, { cookie }) : await site.post(path, form);
    expect(answer.status).toBe(status);
    expect(decisions).toEqual([]);
  });
});

describe('the API', () => {
  it.each([
    ['viewer', 'GET', '/api/alerts', 200],
    ['viewer', 'GET', '/metrics', 200],
    ['viewer', 'POST', '/api/alerts/netalrt_1/decision', 403],
    ['viewer', 'POST', '/api/events/evt_1/replay', 403],
    ['viewer', 'POST', '/api/pause', 403],
    ['viewer', 'POST', '/api/PAUSE', 403],
    ['reviewer', 'POST', '/api/resume', 403],
    ['reviewer', 'POST', '/api/resume/', 403],
    ['reviewer', 'POST', '/api/RESUME', 403],
    ['administrator', 'POST', '/api/resume', 403],
  ])('a program of a %s that sends %s %s is answered %i', async (role, method, path, status) => {
    const headers = { authorization: `Bearer ${tokens.get(role)}` };
    const answer =
      method === 'GET'
        ? await site.get(path, headers)
        : await site.post(path, jsonOf({ action: 'ACCEPT_DISPUTE' }, headers));
    expect(answer.status).toBe(status);
    const why = role === 'administrator' ? 'is no proof of who sends it' : 'This takes the role';
    if (status === 403) expect(await answer.text()).toContain(why);
    expect(decisions).toEqual([]);
  });

  it('names the operator whose token it was', async () => {
    const headers = { authorization: `Bearer ${tokens.get('reviewer')}` };
    const body = jsonOf({ action: 'ACCEPT_DISPUTE' }, headers);
    expect((await site.post('/api/alerts/netalrt_1/decision', body)).status).toBe(202);
    expect(decisions.splice(0)).toMatchObject([{ operator: 'reviewer' }]);
  });
});

describe('an operator', () => {
  it('who is removed, or gets another role or token, is signed out at once', async () => {
    const ends: [string, (name: string) => Promise<unknown>][] = [
      ['role', (name) => setRole(test.db, { ...change(name), role: 'reviewer' })],
      ['token', (name) => renewToken(test.db, { ...change(name), token: { as: 'shown' } })],
      ['gone', (name) => removeOperator(test.db, change(name))],
    ];
    for (const [name, end] of ends) {
      const token = await add(name, 'viewer');
      const { cookie } = await signInAs(token);
      expect((await site.get('/', { cookie })).status).toBe(200);
      await end(name);
      expect([name, (await site.get('/', { cookie })).status]).toEqual([name, 303]);
    }
    const { authorization } = { authorization: `Bearer ${await add('again', 'viewer')}` };
    await renewToken(test.db, { ...change('again'), token: { as: 'shown' } });
    expect((await site.get('/api/alerts', { authorization })).status).toBe(401);
  });

  it('is added, with a link that shows the token once, and named in the audit log', async () => {
    const { cookie, csrf } = await signInAs(TOKEN);
    const send = (fields: Record<string, string>): Promise<Response> =>
      site.post('/operators', formOf({ ...fields, csrf_token: csrf }, { cookie }));
    const added = await (await send({ name: 'Noor', role: 'viewer', sign_in: 'token' })).text();
    const [, link = ''] = /<pre tabindex="0">http:\/\/[^/]+(\/token\/[\w-]{43})</.exec(added) ?? [];
    const shown = await (await site.post(link, formOf({}))).text();
    const [, token = ''] = /<pre tabindex="0">([\w-]{43})</.exec(shown) ?? [];
    expect((await site.post('/login', formOf({ token }))).status).toBe(303);
    expect(await (await site.get('/operators', { cookie })).text()).not.toContain(token);
    expect((await send({ name: 'noor', role: 'viewer', sign_in: 'token' })).status).toBe(409);
    expect((await send({ name: 'console', role: 'viewer', sign_in: 'token' })).status).toBe(409);
    expect((await send({ name: '<b>', role: 'viewer', sign_in: 'token' })).status).toBe(409);
    expect((await send({ name: 'Kofi', role: 'king', sign_in: 'token' })).status).toBe(400);
    expect((await send({ name: 'Kofi', role: 'viewer', sign_in: 'provider' })).status).toBe(400);
    const audit = await test.db
      .selectFrom('audit')
      .select(['what', 'actor'])
      .where('subject_id', '=', 'Noor')
      .orderBy('id')
      .execute();
    expect(audit).toEqual([
      { what: 'operator added', actor: 'operator:console' },
      { what: 'operator token shown', actor: 'operator:Noor' },
      { what: 'signed in', actor: 'operator:Noor' },
    ]);
    expect((await listOperators(test.db, 'org_other')).length).toBe(0);
  });
});

describe('before money moves', () => {
  it('a person proves who they are, when the last time is a quarter of an hour ago', async () => {
    const { cookie, csrf } = await signInAs(tokens.get('reviewer') ?? '');
    const url = `${ALERT}/decision`;
    const form = formOf({ action: 'REFUND', note: 'asked', csrf_token: csrf }, { cookie });
    const json = jsonOf({ action: 'REFUND' }, { cookie, 'x-csrf-token': csrf });
    clock.advanceMs(15 * 60_000 - 1);
    expect((await site.get(`${ALERT}/decide?action=REFUND`, { cookie })).status).toBe(200);
    clock.advanceMs(1);
    const sent = await site.post(url, form);
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      '/confirm?next=%2Falerts%2Fnetalrt_1%2Fdecide%3Faction%3DREFUND',
    ]);
    expect((await site.post(`/api${url}`, json)).status).toBe(403);
    expect((await site.post(`${ALERT}/choose`, form)).headers.get('location')).toContain(
      '/confirm',
    );
    expect((await site.post(`${ALERT}/approve`, form)).headers.get('location')).toContain(
      '/confirm',
    );
    expect(decisions).toEqual([]);
    const prove = (token: string): Promise<Response> =>
      site.post('/confirm', formOf({ token, next: ALERT, csrf_token: csrf }, { cookie }));
    // A token that opens the console is not enough: it must be this person's.
    expect((await prove(tokens.get('administrator') ?? '')).status).toBe(401);
    expect((await prove(TOKEN)).status).toBe(401);
    expect((await site.post(url, form)).headers.get('location')).toContain('/confirm');
    expect((await prove(tokens.get('reviewer') ?? '')).headers.get('location')).toBe(ALERT);
    expect((await site.post(url, form)).headers.get('location')).toBe(`${ALERT}?decided=1`);
    expect(decisions.splice(0)).toHaveLength(1);
    const accept = formOf({ action: 'ACCEPT_DISPUTE', csrf_token: csrf }, { cookie });
    clock.advanceMs(15 * 60_000);
    expect((await site.post(url, accept)).headers.get('location')).toBe(`${ALERT}?decided=1`);
    decisions.length = 0;
  });

  it('a refund needs a reason', async () => {
    const { cookie, csrf } = await signInAs(tokens.get('reviewer') ?? '');
    const form = formOf({ action: 'REFUND', note: ' ', csrf_token: csrf }, { cookie });
    const answer = await site.post(`${ALERT}/decision`, form);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('Write down the reason.');
    expect(decisions).toEqual([]);
  });
});

describe('a link from elsewhere', () => {
  it('brings a signed-in person through, and leads nobody off the site', async () => {
    const bounce = await site.get(ALERT, { 'sec-fetch-site': 'cross-site' });
    expect(bounce.status).toBe(200);
    expect(await bounce.text()).toContain(
      '<meta http-equiv="refresh" content="0;url=/alerts/netalrt_1">',
    );
    for (const next of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/a\nb',
      '/login',
    ]) {
      const answer = await site.post('/login', formOf({ token: TOKEN, next }));
      expect([next, answer.headers.get('location')]).toEqual([next, '/']);
    }
    const answer = await site.post('/login', formOf({ token: TOKEN, next: '/alerts?state=all' }));
    expect(answer.headers.get('location')).toBe('/alerts?state=all');
  });

  it('a page that refreshes itself is sent to sign in when the session has ended', async () => {
    const answer = await site.get('/', { 'hx-request': 'true' });
    expect([answer.status, answer.headers.get('hx-redirect')]).toEqual([401, '/login']);
  });
});

describe('a form that is sent after the session has ended', () => {
  const back = '/login?lost=1&next=%2Falerts%2Fnetalrt_1%2Fdecide%3Faction%3DREFUND';
  const from = 'http://console.example/alerts/netalrt_1/decide?action=REFUND';
  const decide = (headers: Record<string, string>): Promise<Response> => {
    const form = formOf({ action: 'REFUND' });
    const path = '/alerts/netalrt_1/decision';
    return site.post(path, { ...form, headers: { ...form.headers, ...headers } });
  };

  it('says that nothing was done, and leads back to its page', async () => {
    const plain = await decide({ referer: from });
    expect([plain.status, plain.headers.get('location')]).toEqual([303, back]);
    const swapped = await decide({ 'hx-request': 'true', 'hx-current-url': from });
    expect([swapped.status, swapped.headers.get('hx-redirect')]).toEqual([401, back]);
    expect(await (await site.get(back)).text()).toContain('what you sent just now was not done');
  });

  it('leads nowhere else, whatever the page before was called', async () => {
    const answer = await decide({ referer: 'http://console.example//evil.example/' });
    expect(answer.headers.get('location')).toBe('/login?lost=1&next=%2F');
  });
});

describe('a claim for a refund', () => {
  const CLAIM = {
    source: 'WITHDRAWAL',
    reference: 'withdrawal-4711',
    charge_reference: 'ch_1',
    amount_in_cents: 2_900,
    currency: 'EUR',
    country: 'DE',
  };
  const as = (role: Role) => ({ authorization: `Bearer ${tokens.get(role) ?? ''}` });
  const ask = async (body: object, role: Role = 'reviewer') => {
    const { cookie, csrf } = await signInAs(tokens.get(role) ?? '');
    const headers = { cookie, 'x-csrf-token': csrf };
    const answer = await site.post('/api/refund-claims', jsonOf(body, headers));
    const shape = z.looseObject({
      id: z.string().default(''),
      errors: z.array(z.object({ code: z.string() })).default([]),
    });
    return { status: answer.status, body: shape.parse(await answer.json()) };
  };

  it('is opened by whoever may decide, once, and due by the law of the country', async () => {
    expect((await ask(CLAIM, 'viewer')).status).toBe(403);
    const first = await ask(CLAIM);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      ...CLAIM,
      claimed_at: nowDate(clock).toISOString(),
      due_at: new Date(clock.nowMs() + 14 * 86_400_000).toISOString(),
      due_by: 'EU withdrawal: Directive 2011/83/EU, Article 13(1)',
      state: null,
    });
    const again = await ask(CLAIM);
    expect(again).toEqual({ status: 200, body: first.body });
    expect((await ask({ ...CLAIM, amount_in_cents: 3_000 })).status).toBe(409);
    const read = await site.get(`/api/refund-claims/${first.body.id}`, as('viewer'));
    expect([read.status, await read.json()]).toMatchObject([200, { id: first.body.id }]);
    const by = await test.db
      .selectFrom('audit')
      .select(['actor', 'what'])
      .where('subject_id', '=', first.body.id)
      .execute();
    expect(by).toEqual([
      { actor: 'operator:reviewer', what: 'claim for a refund opened (WITHDRAWAL)' },
    ]);
  });

  it.each([
    ['of nobody’s source', { source: 'FRAUD_WARNING' }],
    ['of nothing', { amount_in_cents: 0 }],
    ['of a fraction', { amount_in_cents: 1.5 }],
    ['in no currency', { currency: 'eur' }],
    ['in no country', { country: 'Germany' }],
    ['of tomorrow', { claimed_at: '2026-12-31T00:00:00Z' }],
    ['of long ago', { claimed_at: '2026-01-01T00:00:00Z' }],
    ['with a word we do not know', { amount: 5 }],
  ])('%s is refused', async (_what, change) => {
    const { status, body } = await ask({ ...CLAIM, reference: 'other', ...change });
    expect([status, body.errors[0]?.code]).toEqual([400, 'INVALID_REQUEST']);
  });
});
