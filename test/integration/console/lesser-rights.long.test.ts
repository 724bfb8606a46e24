/**
 * Guarantee: whoever has a lesser role is refused by every form and every call that takes a greater one, in a browser and by a
 * token, with a sign-in of just now; a program by every call for which it has no verb; and nothing that is stored changes.
 */
import type { RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { API_NEEDS } from '../../../src/people/console/api-needs.ts';
import { createPages, ORGANISATION_PAGES } from '../../../src/people/console/pages.ts';
import { needsOf } from '../../../src/surface/access/needs.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import type { Role, Verb } from '../../../src/surface/access/role.ts';
import { isAtLeast } from '../../../src/surface/access/role.ts';
import { useTestDatabase } from '../../support/database.ts';
import { storedValues } from '../../support/stored-values.ts';
import { alertObject, insertAlert, insertCase, NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { formOf, jsonOf, startConsole } from './support.ts';

const test = useTestDatabase();
const clock = createFixedClock(NOW);
let site: TestConsole;
const decided: string[] = [];
const tokens = new Map<string, string>();

async function enter(name: string, role: Role, may?: readonly Verb[]): Promise<void> {
  const by = { organisationId: ORG, by: 'test', now: nowDate(clock) };
  const added = await addOperator(test.db, { ...by, name, role, may, token: { as: 'shown' } });
  if (!added.ok || added.token === undefined) throw new Error(`${name} was not added`);
  tokens.set(name, added.token);
}

beforeAll(async () => {
  site = await startConsole(test.db, clock, {
    decide: async ({ action }) => {
      decided.push(action);
      return { ok: true };
    },
    replayEvent: async ({ eventId }) => {
      decided.push(eventId);
      return { ok: true };
    },
  });
  await insertAlert(test.db, alertObject('netalrt_1'));
  await insertCase(test.db, 'netalrt_1', { state: 'HUMAN', chargeReference: 'ch_1' });
  await enter('viewer', 'viewer');
  await enter('reviewer', 'reviewer');
  await enter('a program', 'viewer', ['orders:read', 'orders:write']);
});
afterAll(() => site.close());

const fill = (path: string): string => path.replaceAll(/:\w+|\{\w+\}/g, 'netalrt_1');

interface Asked {
  readonly path: string;
  readonly role: Role;
}

/** Every form that says which role it takes. */
function forms(): readonly Asked[] {
  const router = createPages({ options: {}, auth: {} } as never, ORGANISATION_PAGES);
  return router.stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const posts = route.stack.filter(({ method }) => method === 'post');
    const needs = posts.map(({ handle }) => needsOf(handle as RequestHandler)).find(Boolean);
    return needs === undefined || needs === 'anybody'
      ? []
      : [{ path: fill(String(route.path)), role: needs.role }];
  });
}

const FIELDS = {
  ...{ name: 'Mallory', role: 'administrator', sign_in: 'token', action: 'REFUND', note: 'mine' },
  ...{ charge_reference: 'ch_1', reason: 'mine', act: 'refund', id: 'netalrt_1', text: 'mine' },
};

/** All that is stored, but for what a request itself leaves. */
async function stored(): Promise<readonly string[]> {
  const values = await storedValues(test.db);
  return values
    .filter(({ place }) => !place.startsWith('console_session.'))
    .map(({ place, value }) => `${place}: ${value}`)
    .sort();
}

async function signIn(name: string): Promise<{ cookie: string; csrf: string }> {
  const answer = await site.post('/login', formOf({ token: tokens.get(name) ?? '' }));
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const text = await (await site.get('/', { cookie })).text();
  return { cookie, csrf: /name="csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? '' };
}

describe.each(['viewer', 'reviewer'] as const)('a %s', (role) => {
  it('is refused by whatever takes more, and nothing changes', async () => {
    const { cookie, csrf } = await signIn(role);
    expect(csrf).not.toBe('');
    const before = await stored();
    const closed = forms().filter((form) => !isAtLeast(role, form.role));
    const calls = Object.entries(API_NEEDS).filter(([, needs]) => !isAtLeast(role, needs.role));
    // Enough of them to speak of all.
    expect([closed.length > 10, calls.length > 0]).toEqual([true, true]);
    const letIn: string[] = [];
    for (const { path } of closed) {
      const { status } = await site.post(path, formOf({ ...FIELDS, csrf_token: csrf }, { cookie }));
      if (status !== 403) letIn.push(`${path}: ${status}`);
    }
    for (const [call] of calls) {
      const [method = '', path = ''] = call.split(' ');
      const ways = [
        { authorization: `Bearer ${tokens.get(role)}` },
        { cookie, 'x-csrf-token': csrf },
      ];
      for (const headers of ways) {
        const { status } = await send(method, fill(path), headers);
        if (status !== 403) letIn.push(`${call}: ${status}`);
      }
    }
    expect(letIn).toEqual([]);
    expect(await stored()).toEqual(before);
    expect(decided).toEqual([]);
  });
});

it('a program is refused by every call for which it has no verb, by every form, and nothing changes', async () => {
  const headers = { authorization: `Bearer ${tokens.get('a program')}` };
  const before = await stored();
  const own: readonly Verb[] = ['orders:read', 'orders:write'];
  const closed = Object.entries(API_NEEDS).filter(
    ([, { verbs }]) => verbs !== 'any' && !verbs.some((verb) => own.includes(verb)),
  );
  expect(closed.length).toBeGreaterThan(15);
  const letIn: string[] = [];
  for (const [call] of closed) {
    const [method = '', path = ''] = call.split(' ');
    const { status } = await send(method, fill(path), headers);
    if (status !== 403) letIn.push(`${call}: ${status}`);
  }
  for (const { path } of forms()) {
    const { status } = await site.post(path, formOf(FIELDS, headers));
    // A bearer is for the API: whoever has no session is sent to sign in, or refused.
    if (![303, 401, 403, 404].includes(status)) letIn.push(`${path}: ${status}`);
  }
  expect(letIn).toEqual([]);
  expect(await stored()).toEqual(before);
  expect(decided).toEqual([]);
});

async function send(
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<Response> {
  if (method === 'GET') return await site.get(path, headers);
  const { body, headers: typed } = jsonOf({ ...FIELDS, approve: true, approval_id: 1 }, headers);
  if (method === 'POST') return await site.post(path, { body, headers: typed });
  return await fetch(site.url + path, { method, body, headers: typed, redirect: 'manual' });
}
