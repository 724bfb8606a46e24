/** Guarantee: an administrator adds, sees and ends documents in the console; others see them; what is wrong is said. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { listDocuments } from '../../../src/capabilities/representments/documents/document.store.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { formOf, startConsole } from '../../integration/console/support.ts';
import { NOW, ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
const PATH = '/representments/documents';
let site: TestConsole;
let cookie: string;
let csrf: string;

beforeAll(async () => {
  site = await startConsole(test.db, createFixedClock(NOW));
  ({ cookie, csrf } = await site.signIn());
});
afterAll(() => site.close());

async function add(fields: Record<string, string>, file?: string, token = csrf): Promise<Response> {
  const form = new FormData();
  const words = { element: 'refund_policy', name: 'Refunds', validFrom: '2026-01-01' };
  for (const [name, value] of Object.entries({ csrf_token: token, ...words, ...fields })) {
    form.append(name, value);
  }
  if (file !== undefined) form.append('file', new Blob([file]), 'refunds.txt');
  return await fetch(site.url + PATH, {
    method: 'POST',
    body: form,
    headers: { cookie },
    redirect: 'manual',
  });
}

it('adds a text, shows it as the bank sees it, and ends it', async () => {
  expect(await (await site.get(PATH, { cookie })).text()).toContain('There is no document.');
  const added = await add({ language: 'de' }, 'Thirty days.');
  expect(added.status).toBe(303);
  const [document] = await listDocuments(test.db, ORG);
  expect(document).toMatchObject({ language: 'de', addedBy: 'console', validUntil: null });
  const path = `${PATH}/${document?.id}`;
  expect(added.headers.get('location')).toBe(path);
  const text = await (await site.get(path, { cookie })).text();
  expect(text).toContain(`<img src="${path}/pages/1"`);
  const picture = await site.get(`${path}/pages/1`, { cookie });
  expect(picture.headers.get('content-type')).toBe('image/png');
  expect((await site.get(`${path}/pages/2`, { cookie })).status).toBe(404);
  expect((await site.get(`${PATH}/doc_0`, { cookie })).status).toBe(404);

  const end = async (lastDay: string): Promise<number> =>
    (await site.post(`${path}/end`, formOf({ csrf_token: csrf, lastDay }, { cookie }))).status;
  expect(await end('soon')).toBe(400);
  expect(await end('2026-03-31')).toBe(303);
  expect(await end('2026-04-30')).toBe(409);
  expect(await (await site.get(PATH, { cookie })).text()).toContain('Jan 1, 2026 to Mar 31, 2026');
});

it.each<[string, Record<string, string>, string | undefined, number, RegExp]>([
  ['without a file', {}, undefined, 400, /No file came/],
  ['with a card number in the file', {}, '4111 1111 1111 1111', 400, /card number/],
  ['with a card number in its name', { name: '4111111111111111' }, 'x', 400, /card/],
  ['for no element', { element: 'luck' }, 'x', 400, /element must be one of/],
  [
    'that ends before it begins',
    { validUntil: '2025-12-31' },
    'x',
    400,
    /validUntil must not lie before the first day/,
  ],
  [
    'in no language',
    { language: 'German' },
    'x',
    400,
    /language must be two or three small letters/,
  ],
  ['that begins when its version does', { language: 'de' }, 'x', 409, /begins on that day/],
])('one %s is refused', async (_name, fields, file, status, message) => {
  const answer = await add(fields, file);
  expect(answer.status).toBe(status);
  expect(await answer.text()).toMatch(message);
  expect(await listDocuments(test.db, ORG)).toHaveLength(1);
});

it('a form without the person’s token adds nothing', async () => {
  expect((await add({ name: 'Other' }, 'x', 'forged')).status).toBe(403);
  expect(await listDocuments(test.db, ORG)).toHaveLength(1);
});
