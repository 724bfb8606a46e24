/**
 * Guarantee: whoever has somebody's session of twenty minutes ago can change no right, no token and no switch of money,
 * and move none; every route that takes something says what it asks, and one that says nothing asks for the proof.
 */
import type { RequestHandler, Router } from 'express';
import express from 'express';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { API_NEEDS, needsOfCall } from '../../../src/people/console/api-needs.ts';
import { registerInstallationOperators } from '../../../src/people/console/pages/installation-operators.ts';
import { registerOrganisations } from '../../../src/people/console/pages/organisations.ts';
import { registerWhichOrganisation } from '../../../src/people/console/pages/which-organisation.ts';
import { createPages, ORGANISATION_PAGES } from '../../../src/people/console/pages.ts';
import { needsOf } from '../../../src/surface/access/needs.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import { registerSignIn } from '../../../src/surface/access/sign-in.ts';
import { useTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW, ORG } from '../reconcile/rows.ts';
import type { TestInstallation } from './installation-support.ts';
import { startInstallation } from './installation-support.ts';
import { described } from './openapi-answers.ts';
import type { TestConsole } from './support.ts';
import { BEARER, formOf, jsonOf, startConsole, TOKEN } from './support.ts';

const TWENTY_MINUTES = 20 * 60_000;
const test = useTestDatabase();
const clock = createFixedClock(NOW);
let site: TestConsole;
let many: TestInstallation;
const decided: string[] = [];

beforeAll(async () => {
  site = await startConsole(test.db, clock, {
    decide: async ({ action }) => {
      decided.push(action);
      return { ok: true };
    },
  });
  many = await startInstallation(test, clock);
  await insertAlert(test.db, alertObject('netalrt_1'));
  await insertCase(test.db, 'netalrt_1', { state: 'HUMAN', chargeReference: 'ch_1' });
});
beforeEach(() => {
  decided.length = 0;
});
afterAll(async () => {
  await site.close();
  await many.close();
});

interface Route {
  readonly path: string;
  readonly handlers: readonly RequestHandler[];
}

function postsOf(router: Router): readonly Route[] {
  return router.stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const posts = route.stack.filter(({ method }) => method === 'post');
    const handlers = posts.map(({ handle }) => handle as RequestHandler);
    return handlers.length === 0 ? [] : [{ path: String(route.path), handlers }];
  });
}

const nothing = { options: {}, auth: {} } as never;
const OF_ONE = postsOf(createPages(nothing, [registerSignIn, ...ORGANISATION_PAGES]));
const OF_ALL = postsOf(
  createPages(nothing, [
    registerOrganisations,
    registerInstallationOperators,
    registerWhichOrganisation,
  ]),
);

function needsAt({ handlers }: Route) {
  return handlers.map(needsOf).find((needs) => needs !== undefined);
}

/** Those that the rule names: rights, tokens, the switches of money. */
const RULED = [
  '/operators',
  '/operators/program',
  '/operators/role',
  '/operators/token',
  '/operators/remove',
];
/** Where events go: they tell of alerts and amounts. */
const ENDPOINTS = [
  '/endpoints',
  ...['change', 'on', 'off', 'remove', 'rotate'].map((act) => `/endpoints/:id/${act}`),
];
/** Evidence that is handed in, or a dispute that is given up, is final. */
const EVIDENCE = ['/representments/disputes/:reference/word'];
const RULED_OF_ALL = [...RULED, '/operators/grant', '/operators/revoke'];

/** Forms that move money, or let something act that may, by what they hold. */
const MOVING: readonly (readonly [path: string, fields: Record<string, string>])[] = [
  ['/alerts/netalrt_1/decision', { action: 'REFUND', note: 'n' }],
  ['/alerts/netalrt_1/decision', { action: 'REFUNDED_OUTSIDE', note: 'n', reference: 'r' }],
  ['/alerts/netalrt_1/decision', { action: 'DID_EXECUTE', note: 'n' }],
  ['/alerts/netalrt_1/decision', { action: 'DID_NOT_EXECUTE', note: 'n' }],
  ['/alerts/netalrt_1/choose', { charge_reference: 'ch_1' }],
  ['/alerts/netalrt_1/approve', {}],
  ['/reviews/several', { act: 'refund', id: 'netalrt_1', note: 'n' }],
];

/** A new form stands here only after somebody thought about it: else it asks for the proof. */
const PLAIN = [
  ...['/alerts/:id/comment', '/alerts/columns', '/views', '/views/delete'],
  // The proof itself; what came of a form of one's own.
  ...['/confirm', '/sent'],
  ...['/credits/:id', '/credits/invoice', '/credits/sent', '/ratios', '/representments/:id/sent'],
  // A file for disputes; what hands it in asks.
  ...['', '/:id/end'].map((end) => `/representments/documents${end}`),
  // Sent again to where somebody who proved who they are said.
  ...['deliveries/:seq', 'given-up', 'test'].map((act) => `/endpoints/:id/${act}`),
  // Signed by the service; its effect is what the event says.
  '/events/:id/replay',
  ...['/policies/backtests', '/policies/backtests/:id/stop'],
  // Written down; what puts one in force is below.
  ...['', '/:id', '/:id/ask', '/:id/discard', '/:id/try', '/check'].map(
    (end) => `/policies/drafts${end}`,
  ),
  // To stop is what anybody may who works here.
  ...['/system/doctor', '/system/pause'],
];
/** Of these each asks for itself: what can move money is in the list of what moves it. */
const BY_WHAT_IS_ASKED = [
  ...['claim', 'hand-back', 'hand-over', 'decline'].map((act) => `/alerts/:id/${act}`),
  // An own test has it: `policy-drafts.test.ts`.
  '/policies/drafts/:id/activate',
  ...new Set(MOVING.map(([path]) => path.replace('netalrt_1', ':id'))),
];
const PLAIN_CALLS = [
  ...['claim', 'comments', 'hand-back', 'hand-over'].map((act) => `POST /api/reviews/{id}/${act}`),
  ...['PATCH /api/orders/{reference_id}', 'POST /api/orders'],
  ...['POST /api/events/{id}/replay', 'POST /api/pause'],
];

describe('what a route asks', () => {
  it('is said by every form that is taken', () => {
    expect(OF_ONE.length).toBeGreaterThan(25);
    for (const route of [...OF_ONE, ...OF_ALL]) {
      expect([route.path, needsAt(route)]).not.toEqual([route.path, undefined]);
    }
  });

  it('is the proof for rights, tokens and the switch of money', () => {
    const always = (routes: readonly Route[]): string[] =>
      routes.flatMap((route) => {
        const needs = needsAt(route);
        return typeof needs === 'object' && needs.proof === 'always' ? [route.path] : [];
      });
    expect(always(OF_ONE).sort()).toEqual(
      [...RULED, ...ENDPOINTS, ...EVIDENCE, '/system/resume'].sort(),
    );
    expect(always(OF_ALL).sort()).toEqual([...RULED_OF_ALL].sort());
  });

  it('is less than the proof where a session of today may do no harm, and nowhere else', () => {
    const asking = (routes: readonly Route[], proof: string): string[] =>
      routes
        .filter((route) => {
          const needs = needsAt(route);
          return typeof needs === 'object' && needs.proof === proof;
        })
        .map(({ path }) => path)
        .sort();
    expect(asking(OF_ONE, 'never')).toEqual(PLAIN.toSorted());
    expect(asking(OF_ALL, 'never')).toEqual([]);
    expect(asking(OF_ONE, 'by what is asked')).toEqual(BY_WHAT_IS_ASKED.toSorted());
    expect(asking(OF_ALL, 'by what is asked')).toEqual([]);
    const calls = Object.entries(API_NEEDS).filter(([call]) => !/^GET /.test(call));
    const plain = calls.filter(([, { proof }]) => proof === 'never').map(([call]) => call);
    expect(plain.sort()).toEqual(PLAIN_CALLS.toSorted());
  });

  it('is said by every operation of the API, and of what is not known more than anybody has', () => {
    const known = new Set(Object.keys(API_NEEDS));
    expect(described.filter((call) => !known.has(call))).toEqual([]);
    expect(needsOfCall('POST', '/api/something/new')).toEqual({
      role: 'administrator',
      proof: 'always',
      verbs: [],
    });
    expect(needsOfCall('POST', '/api/RESUME/').proof).toBe('always');
    expect(needsOfCall('POST', '/organisations/brand-a/api/resume').proof).toBe('always');
  });
});

describe('a session of twenty minutes', () => {
  const fill = (path: string): string => path.replaceAll(/:\w+/g, 'netalrt_1');

  it('sends every form that asks for the proof to be confirmed first, and nothing is done', async () => {
    const { cookie, csrf } = await site.signIn();
    clock.advanceMs(TWENTY_MINUTES);
    const fields = { csrf_token: csrf, name: 'Mallory', role: 'administrator', sign_in: 'token' };
    const tried: string[] = [];
    for (const route of OF_ONE) {
      const needs = needsAt(route);
      if (needs === 'anybody' || needs?.proof !== 'always') continue;
      const sent = await site.post(fill(route.path), formOf(fields, { cookie }));
      const next = encodeURIComponent(needs.back ?? '/');
      expect([route.path, sent.status, sent.headers.get('location')]).toEqual([
        route.path,
        303,
        `/confirm?next=${next}`,
      ]);
      tried.push(route.path);
    }
    expect(tried).toHaveLength(RULED.length + ENDPOINTS.length + EVIDENCE.length + 1);
    for (const [path, more] of MOVING) {
      const sent = await site.post(path, formOf({ csrf_token: csrf, ...more }, { cookie }));
      expect([path, more, sent.headers.get('location')]).toEqual([
        path,
        more,
        expect.stringContaining('/confirm?next='),
      ]);
    }
    expect(await test.db.selectFrom('console_operator').selectAll().execute()).toEqual([]);
    // By SQL: without the stream of events there is no such type.
    expect((await sql`select from event_endpoint`.execute(test.db)).rows).toEqual([]);
    expect(decided).toEqual([]);
  });

  it('and of all organisations the same', async () => {
    const { cookie, csrf } = await many.signIn();
    clock.advanceMs(TWENTY_MINUTES);
    const fields = { csrf_token: csrf, name: 'Mallory', role: 'administrator', sign_in: 'token' };
    const { headers, body } = formOf({ ...fields, organisation: 'org_a' }, { cookie });
    const paths = [
      ...RULED_OF_ALL,
      ...RULED.map((path) => `/organisations/brand-a${path}`),
      '/organisations/brand-a/system/resume',
    ];
    for (const path of paths) {
      const sent = await many.send('POST', path, headers, body);
      expect([path, sent.status, sent.headers.get('location')]).toEqual([
        path,
        303,
        expect.stringContaining('/confirm?next='),
      ]);
    }
    expect(await test.db.selectFrom('console_operator').selectAll().execute()).toEqual([]);
  });

  it('over the API the same', async () => {
    const { cookie, csrf } = await site.signIn();
    clock.advanceMs(TWENTY_MINUTES);
    const bodies: Readonly<Record<string, unknown>> = {
      'POST /api/alerts/{id}/decision': { action: 'REFUND' },
      'POST /api/alerts/{id}/match': { charge_reference: 'ch_1' },
      'POST /api/alerts/{id}/approve': { approval_id: 1, approve: true },
    };
    const asking = Object.entries(API_NEEDS).filter(([, { proof }]) => proof !== 'never');
    expect(asking.map(([call]) => call)).toEqual(
      expect.arrayContaining([
        ...Object.keys(bodies),
        'POST /api/resume',
        'POST /api/refund-claims',
      ]),
    );
    for (const [call] of asking) {
      const path = call.replace('POST ', '').replaceAll(/\{\w+\}/g, 'netalrt_1');
      const headers = { cookie, 'x-csrf-token': csrf };
      const sent = await site.post(path, jsonOf(bodies[call] ?? {}, headers));
      const code = { errors: [expect.objectContaining({ code: 'CONFIRM_IDENTITY' })] };
      expect([path, sent.status, await sent.json()]).toEqual([path, 403, code]);
    }
    expect(decided).toEqual([]);
  });

  it('is enough once it is confirmed, and a page whose form asks for it asks at once', async () => {
    const { cookie, csrf } = await site.signIn();
    clock.advanceMs(TWENTY_MINUTES);
    const page = await site.get('/operators/remove?name=x', { cookie });
    expect([page.status, page.headers.get('location')]).toEqual([
      303,
      `/confirm?next=${encodeURIComponent('/operators/remove?name=x')}`,
    ]);
    expect((await site.get('/operators', { cookie })).status).toBe(200);
    await site.post('/confirm', formOf({ token: TOKEN, csrf_token: csrf }, { cookie }));
    const sent = await site.post('/system/resume', formOf({ csrf_token: csrf }, { cookie }));
    expect(sent.headers.get('location')).toBe('/system');
  });

  it('may still stop money', async () => {
    const { cookie, csrf } = await site.signIn();
    clock.advanceMs(TWENTY_MINUTES);
    const form = formOf({ csrf_token: csrf, reason: 'odd' }, { cookie });
    expect((await site.post('/system/pause', form)).headers.get('location')).toBe('/system');
    await test.db.deleteFrom('money_pause').execute();
  });
});

describe('a form that says nothing of itself', () => {
  it('asks for the proof', async () => {
    const { page } = await import('../../../src/surface/web/visit.ts');
    const caller = {
      kind: 'person',
      who: { name: 'a', role: 'administrator' },
      session: { csrfToken: 'c', authenticatedAt: new Date(clock.nowMs() - TWENTY_MINUTES) },
    };
    const done: string[] = [];
    const handler = page(
      {
        auth: { callerOf: () => caller },
        options: { clock, health: async () => ({ ok: true, parts: [] }) },
      } as never,
      'viewer',
      async ({ response }) => {
        done.push('done');
        response.end();
      },
    );
    const app = express().post('/x', express.text({ type: () => true }), handler);
    const server = app.listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    const { port } = server.address() as { port: number };
    const answer = await fetch(`http://127.0.0.1:${port}/x`, {
      method: 'POST',
      redirect: 'manual',
      body: 'csrf_token=c',
    });
    server.close();
    expect([answer.status, answer.headers.get('location'), done]).toEqual([
      303,
      '/confirm?next=%2F',
      [],
    ]);
  });
});

describe('a token in a request', () => {
  it('of an operator proves nothing, whatever the role; that of the console is the proof itself', async () => {
    const by = { organisationId: ORG, by: 'test', now: nowDate(clock) };
    const added = await addOperator(test.db, {
      ...{ ...by, name: 'Root', role: 'administrator', token: { as: 'shown' } },
    });
    const headers = { authorization: `Bearer ${added.ok ? added.token : ''}` };
    const refund = jsonOf({ action: 'REFUND' }, headers);
    expect((await site.post('/api/alerts/netalrt_1/decision', refund)).status).toBe(403);
    expect((await site.post('/api/resume', jsonOf({}, headers))).status).toBe(403);
    expect((await site.post('/api/refund-claims', jsonOf({}, headers))).status).toBe(403);
    const accept = jsonOf({ action: 'ACCEPT_DISPUTE' }, headers);
    expect((await site.post('/api/alerts/netalrt_1/decision', accept)).status).toBe(202);
    expect(decided).toEqual(['ACCEPT_DISPUTE']);
    expect((await site.post('/api/resume', jsonOf({}, BEARER))).status).toBe(200);
  });
});
