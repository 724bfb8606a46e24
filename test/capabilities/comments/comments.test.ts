/** Guarantee: comments call people, files come back as they were, and neither leaves its alert. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { mentionedIn } from '../../../src/capabilities/comments/mentioned.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import { fileNameOf } from '../../../src/surface/web/file-form.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import {
  addReviewer,
  BEARER,
  formOf,
  jsonOf,
  startConsole,
} from '../../integration/console/support.ts';
import {
  alertObject,
  insertAlert,
  insertCase,
  NOW,
  ORG,
} from '../../integration/reconcile/rows.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const clock = createFixedClock(NOW);
const A = 'netalrt_a';
const B = 'netalrt_b';

let test: TestDatabase;
let site: TestConsole;
let cookie: string;
let csrf: string;

beforeAll(async () => {
  test = await createTestDatabase();
  site = await startConsole(test.db, clock);
  for (const id of [A, B]) {
    await insertAlert(test.db, alertObject(id));
    await insertCase(test.db, id, { state: 'HUMAN', deadlineAt: '2026-03-02T17:00:00Z' });
  }
  for (const name of ['lin', 'lin marsh']) await addReviewer(test.db, name, nowDate(clock));
  ({ cookie, csrf } = await site.signIn());
});
afterAll(async () => {
  await site.close();
  await test.drop();
});

const page = async (path: string): Promise<string> => {
  const answer = await site.get(path, { cookie });
  expect([path, answer.status]).toEqual([path, 200]);
  return await answer.text();
};

describe('a comment through the JSON API', () => {
  const say = async (alertId: string, body: unknown): Promise<[number, unknown]> => {
    const answer = await site.post(`/api/reviews/${alertId}/comments`, jsonOf(body, BEARER));
    return [answer.status, await answer.json()];
  };

  it('is kept with its author, and its words stay out of the audit log', async () => {
    expect(await say(A, { text: 'Looks like fraud.' })).toEqual([200, { claimed_until: null }]);
    const review = await (await site.get(`/api/reviews/${A}`, BEARER)).json();
    expect(review).toMatchObject({
      review: { comments: 1 },
      comments: [{ operator: 'console', text: 'Looks like fraud.' }],
    });
    const audit = await test.db.selectFrom('audit').select(['what', 'detail']).execute();
    expect(audit.filter(({ what }) => what === 'commented')).toEqual([
      { what: 'commented', detail: {} },
    ]);
    const shown = await page(`/alerts/${A}?log=yes`);
    expect(shown.match(/Looks like fraud\./g)).toHaveLength(2);
  });

  it('is refused about what is no alert', async () => {
    const unknown = { errors: [{ code: 'NOT_FOUND', message: 'There is no such alert.' }] };
    expect(await say('netalrt_none', { text: 'x' })).toMatchObject([404, unknown]);
    expect(await say('none', { text: 'x' })).toMatchObject([
      404,
      { errors: [{ code: 'NOT_FOUND' }] },
    ]);
  });

  it.each([[{ text: '' }], [{ text: 'card 4111 1111 1111 1111' }], [{ text: 'x', more: 1 }], [{}]])(
    'is refused as %j',
    async (body) => {
      expect(await say(A, body)).toMatchObject([400, {}]);
    },
  );
});

describe('one comment for several reviews', () => {
  const several = (fields: readonly [string, string][]): Promise<Response> =>
    site.post('/reviews/several', {
      body: new URLSearchParams([...fields, ['csrf_token', csrf]]).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
    });
  const ids: readonly [string, string][] = [
    ['id', A],
    ['id', B],
  ];

  it('is written on each, once it was confirmed', async () => {
    expect(await page('/reviews')).toContain('value="comment" data-command="Comment on the ticked');
    const asked = await page(`/reviews/several?act=comment&id=${A}&id=${B}`);
    expect(asked).toMatch(/<h1>Comment on 2 reviews: .*\?<\/h1>/);
    expect(asked).toContain('<label for="note">Comment</label>');
    const empty = await several([['act', 'comment'], ['note', ''], ...ids]);
    expect(empty.status).toBe(400);
    const answer = await several([['act', 'comment'], ['note', 'Look.'], ...ids]);
    expect(answer.headers.get('location')).toBe('/reviews?count=2');
    const said = await test.db
      .selectFrom('review_comment')
      .select('alert_id')
      .where('text', '=', 'Look.')
      .orderBy('alert_id')
      .execute();
    expect(said).toEqual([{ alert_id: A }, { alert_id: B }]);
  });
});

describe('a comment on the page', () => {
  const form = (
    fields: Record<string, string>,
    file?: { name: string; body: string },
  ): FormData => {
    const data = new FormData();
    for (const [name, value] of Object.entries({ ...fields, csrf_token: csrf })) {
      data.append(name, value);
    }
    if (file !== undefined) data.append('file', new Blob([file.body]), file.name);
    return data;
  };
  const send = (body: FormData): Promise<Response> =>
    fetch(`${site.url}/alerts/${A}/comment`, {
      method: 'POST',
      body,
      headers: { cookie },
      redirect: 'manual',
    });

  it('call people by name, once, without their words in the message', async () => {
    expect((await send(form({ text: 'Ask @lin marsh, please.' }))).status).toBe(303);
    const mentions = await test.db.selectFrom('review_mention').select('operator').execute();
    expect(mentions).toEqual([{ operator: 'lin marsh' }]);
    const messages = await test.db
      .selectFrom('notification')
      .select('text')
      .where('kind', '=', 'review_mention')
      .execute();
    expect(messages).toEqual([
      {
        text: `lin marsh: console calls you in a comment on alert ${A}. Read it on the alert's page.`,
      },
    ]);
    expect(await page('/')).not.toContain('calls you in a comment');
    await test.db.updateTable('review_mention').set({ operator: 'console' }).execute();
    expect(await page('/')).toContain('calls you in a comment');
    await site.get(`/alerts/${A}`, { cookie, 'x-background': 'yes' });
    expect(await page('/reviews?open=netalrt_b')).toContain('calls you in a comment');
    await page(`/alerts/${A}`);
    expect(await page('/')).not.toContain('calls you in a comment');
  });

  it.each([
    ['@lin look', ['lin']],
    ['Hello @Lin, and @lin marsh!', ['lin marsh', 'lin']],
    ['@lin marsh', ['lin marsh']],
    ['write to x@lin or @linda', []],
    ['@@lin', []],
    ['(@a.b+c)', ['a.b+c']],
  ])('%s calls %j', (text, names) => {
    expect(mentionedIn(text, ['lin', 'lin marsh', 'a.b+c'])).toEqual(names);
  });

  it('carry a file that comes back byte for byte, as a download and nothing else', async () => {
    const body = '<script>window.pwned=1</script>\u0000\r\n';
    const name = '../../slip "1".html';
    expect((await send(form({ text: '' }, { name, body }))).status).toBe(303);
    const text = await page(`/alerts/${A}`);
    const path = /href="(\/alerts\/[^"]+\/files\/[^"]+)"/.exec(text)?.[1] ?? '';
    const file = await site.get(path, { cookie });
    expect(await file.text()).toBe(body);
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    expect(file.headers.get('content-security-policy')).toBe('sandbox');
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="slip 1.html"');
    expect((await site.get(path)).status).toBe(303);
    expect((await site.get(path.replace(A, B), { cookie })).status).toBe(404);
    const audit = await test.db
      .selectFrom('audit')
      .select('detail')
      .where('what', '=', 'attached a file')
      .execute();
    expect(audit).toEqual([{ detail: {} }]);
  });

  it('bound the size and the number of files', async () => {
    const large = 'x'.repeat(2 * 1_024 * 1_024 + 20_000);
    expect((await send(form({ text: 'x' }, { name: 'l', body: large }))).status).toBe(413);
    expect((await send(form({ text: '' }))).status).toBe(400);
    for (let count = 1; count < 20; count++) {
      expect((await send(form({ text: '' }, { name: 'a.txt', body: 'a' }))).status).toBe(303);
    }
    const full = await send(form({ text: '' }, { name: 'b.txt', body: 'b' }));
    expect([full.status, await full.text()]).toEqual([409, expect.stringContaining('20 files')]);
    const stranger = await fetch(`${site.url}/alerts/${A}/comment`, {
      method: 'POST',
      body: form({ text: 'x' }),
      redirect: 'manual',
    });
    expect(stranger.headers.get('location')).toMatch(/^\/login/);
  });

  const head = 'content-disposition: form-data; name=';
  const part = (name: string, value: string): string =>
    `--edge\r\n${head}"${name}"\r\n\r\n${value}\r\n`;
  const sendParts = (body: string): Promise<Response> =>
    fetch(`${site.url}/alerts/${A}/comment`, {
      method: 'POST',
      body: `${body}--edge--\r\n`,
      headers: { cookie, 'content-type': 'multipart/form-data; boundary=edge' },
      redirect: 'manual',
    });

  it('are not read from a form of thousands of parts, nor from one with a token of somebody else', async () => {
    const own = `${part('csrf_token', csrf)}${part('text', 'Hello')}`;
    expect((await sendParts(own)).status).toBe(303);
    expect((await sendParts(own + part('x', 'y').repeat(30))).status).toBe(303);
    expect((await sendParts(own + part('x', 'y').repeat(31))).status).toBe(403);
    const other = `${part('csrf_token', 'a'.repeat(csrf.length))}${part('text', 'Hello')}`;
    expect((await sendParts(other)).status).toBe(403);
  });

  it('of a viewer are refused before their bytes have come', async () => {
    const now = nowDate(clock);
    const entry = {
      organisationId: ORG,
      name: 'ann view',
      role: 'viewer',
      by: 'test',
      now,
    } as const;
    const added = await addOperator(test.db, { ...entry, token: { as: 'shown' } });
    const signedIn = await site.post('/login', formOf({ token: (added.ok && added.token) || '' }));
    const own = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const { port } = new URL(site.url);
    const asking = request({
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: `/alerts/${A}/comment`,
    });
    asking.setHeader('cookie', own);
    asking.setHeader('content-type', 'multipart/form-data; boundary=edge');
    asking.setHeader('content-length', 2_000_000);
    asking.on('error', () => undefined).flushHeaders();
    const status = await new Promise((resolve) => {
      asking.on('response', (answer) => resolve(answer.statusCode));
    });
    asking.destroy();
    expect(status).toBe(403);
  });

  it.each([
    ['C:\\temp\\a.pdf', 'a.pdf'],
    ['a\u202etxt.exe', 'atxt.exe'],
    ['  ', 'file'],
  ])('a file called %j is kept as %s', (given, kept) => {
    expect(fileNameOf(given)).toBe(kept);
  });
});
