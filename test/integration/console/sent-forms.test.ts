/**
 * Guarantee: a form that got no answer can be looked up by its own id: it was carried out, or it was not and never will be.
 * A form that is sent twice is carried out once; one that was refused may be sent again; nobody learns of another's.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import type { DecideOutcome } from '../../../src/surface/web/ports.ts';
import { useTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { formOf, startConsole } from './support.ts';

const test = useTestDatabase();
const clock = createFixedClock(NOW);
const ALERT = 'netalrt_1';
const FORM = `/alerts/${ALERT}/decide?action=ACCEPT_DISPUTE`;

let site: TestConsole;
let cookie: string;
let csrf: string;
let decided = 0;
let decide: () => Promise<DecideOutcome>;

beforeAll(async () => {
  site = await startConsole(test.db, clock, {
    decide: async () => {
      decided += 1;
      return await decide();
    },
  });
  await insertAlert(test.db, alertObject(ALERT));
  await insertCase(test.db, ALERT, { state: 'HUMAN', chargeReference: 'ch_1' });
  ({ cookie, csrf } = await site.signIn());
});
afterAll(async () => {
  await site.close();
});
beforeEach(async () => {
  await test.db.deleteFrom('console_sent').execute();
  decided = 0;
  decide = async () => ({ ok: true });
});

/** The id of the form on the page of the decision. */
async function formId(): Promise<string> {
  const page = await (await site.get(FORM, { cookie })).text();
  const [form = ''] = /<form[^>]*data-decision.*?<\/form>/s.exec(page) ?? [];
  return /name="sent_as" value="([^"]+)"/.exec(form)?.[1] ?? '';
}

async function send(id: string, headers: Record<string, string> = { cookie }): Promise<Response> {
  const fields = { csrf_token: csrf, sent_as: id, action: 'ACCEPT_DISPUTE', note: 'seen' };
  return await site.post(`/alerts/${ALERT}/decision`, formOf(fields, headers));
}

/** What a page's script is told. */
async function ask(id: string): Promise<{ state: string; words: string }> {
  const answer = await site.post('/sent', formOf({ csrf_token: csrf, id }, { cookie }));
  expect(answer.status).toBe(200);
  return (await answer.json()) as { state: string; words: string };
}

async function look(id: string, by = cookie): Promise<string> {
  return await (await site.get(`/sent/${id}`, { cookie: by })).text();
}

describe('a form', () => {
  it('has an id that no other form has', async () => {
    const id = await formId();
    expect(id).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(await formId()).not.toBe(id);
  });

  it('that was carried out says so, and is not carried out again', async () => {
    const id = await formId();
    const first = await send(id);
    expect(first.headers.get('location')).toBe(`/alerts/${ALERT}?decided=1`);
    expect(await ask(id)).toMatchObject({ state: 'DONE' });
    expect(await look(id)).toContain('It was carried out at');

    const again = await send(id);
    expect(again.status).toBe(303);
    expect(again.headers.get('location')).toBe(`/sent/${id}`);
    expect(decided).toBe(1);
  });

  it('that has not come is never carried out once somebody was told so', async () => {
    const id = await formId();
    expect(await look(id)).toContain('It has not arrived here.');
    expect(await ask(id)).toMatchObject({ state: 'WITHDRAWN' });
    const late = await send(id);
    expect(late.headers.get('location')).toBe(`/sent/${id}`);
    expect(decided).toBe(0);
    expect(await look(id)).toContain('is not carried out: when it comes it is refused');
  });

  it('that is under way says so, and a second one does nothing meanwhile', async () => {
    const id = await formId();
    const gate = Promise.withResolvers<DecideOutcome>();
    const isIn = Promise.withResolvers<void>();
    decide = async () => {
      isIn.resolve();
      return await gate.promise;
    };
    const first = send(id);
    await isIn.promise;
    expect(await ask(id)).toMatchObject({ state: 'BEGUN' });
    expect((await send(id)).headers.get('location')).toBe(`/sent/${id}`);
    gate.resolve({ ok: true });
    await first;
    expect(await ask(id)).toMatchObject({ state: 'DONE' });
    expect(decided).toBe(1);
  });

  it('that was refused was not carried out, and may be sent again', async () => {
    const id = await formId();
    decide = async () => ({ ok: false, reason: 'conflict', message: 'It was decided meanwhile.' });
    expect((await send(id)).status).toBe(409);
    expect(await ask(id)).toMatchObject({ state: 'REFUSED' });
    decide = async () => ({ ok: true });
    expect((await send(id)).headers.get('location')).toBe(`/alerts/${ALERT}?decided=1`);
    expect(await ask(id)).toMatchObject({ state: 'DONE' });
    expect(decided).toBe(2);
  });

  it('that broke off says that some of it may be done', async () => {
    const id = await formId();
    decide = async () => {
      throw new Error('a bug');
    };
    expect((await send(id)).status).toBe(500);
    expect(await ask(id)).toMatchObject({ state: 'FAILED' });
  });

  it('that another session sent is not told of', async () => {
    const id = await formId();
    await send(id);
    const added = await addOperator(test.db, {
      ...{ organisationId: ORG, name: 'lin', role: 'viewer', by: 'test', now: nowDate(clock) },
      token: { as: 'shown' },
    });
    const token = added.ok ? (added.token ?? '') : '';
    const answer = await site.post('/login', formOf({ token }));
    const other = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(await look(id, other)).toContain('It has not arrived here.');
  });

  it('without an id, of a page of the version before, is carried out', async () => {
    const fields = { csrf_token: csrf, action: 'ACCEPT_DISPUTE', note: 'seen' };
    const answer = await site.post(`/alerts/${ALERT}/decision`, formOf(fields, { cookie }));
    expect(answer.headers.get('location')).toBe(`/alerts/${ALERT}?decided=1`);
    expect(await test.db.selectFrom('console_sent').selectAll().execute()).toEqual([]);
  });
});

describe('an open page whose session has ended', () => {
  it('leads back to itself after the sign-in', async () => {
    const headers = { 'hx-request': 'true', 'hx-current-url': `${site.url}/alerts?state=all` };
    const answer = await site.get('/health', headers);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('hx-redirect')).toBe('/login?next=%2Falerts%3Fstate%3Dall');
  });
});
